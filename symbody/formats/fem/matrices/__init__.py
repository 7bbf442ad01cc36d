"""Readers of matrices and nodes of other programs.

Files or a mesh of scikit-fem in, a `FiniteElements` out.
"""
