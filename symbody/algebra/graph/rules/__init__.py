"""The rewriting rules by which equal expressions become one node."""
