"""The loop language: algorithms as small Python functions, translated into every target."""
