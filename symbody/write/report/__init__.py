"""A study as one page that opens offline."""
