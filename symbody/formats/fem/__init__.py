"""Bodies from finite elements: matrices -> interfaces -> modes -> table of moments."""
