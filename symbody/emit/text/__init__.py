"""Programs as statements in infix notation; NumPy functions, which run them over many states at once."""
