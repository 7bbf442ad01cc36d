"""Graph -> straight-line Program."""
