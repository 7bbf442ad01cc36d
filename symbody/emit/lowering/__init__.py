"""Expressions -> `Program`: lowering, the passes that shorten what it gives, and programs without loops over trees."""
