"""Sweeps: what is varied, what is asked of each member, where it is computed, and results that are on disk as they
come."""
