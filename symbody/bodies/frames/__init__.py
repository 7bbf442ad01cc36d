"""Frames, points, vectors and dyads: the geometry of a mechanism.

`Expr` in, `Frame`, `Point`, `Vector`, `Dyad` out.
"""
