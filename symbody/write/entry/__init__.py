"""The public export functions, one for each target."""
