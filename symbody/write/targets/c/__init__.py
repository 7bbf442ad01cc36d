"""The C99 target."""
