"""Frames, points, vectors and dyads: the geometry of a mechanism.

This folder builds `Frame`, `Point`, `Vector` and `Dyad` from expressions.
"""
