"""Pages in which a model itself runs."""
