"""Phases of a problem, what connects them, and what can be refused before the search."""
