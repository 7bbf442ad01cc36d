"""The report: a study as one page that opens offline."""
