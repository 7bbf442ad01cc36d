"""One folder for each target language: its printers, its templates, and the writer of its files."""
