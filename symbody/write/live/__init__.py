"""Pages that simulate a model in the browser."""
