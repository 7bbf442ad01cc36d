"""A finite element body: nodes, matrices, interfaces, outer faces, moments.

Arrays in, a `FiniteElements` out.
"""
