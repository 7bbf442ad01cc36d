"""`Problem`, and problems that model files state."""
