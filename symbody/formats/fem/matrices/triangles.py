"""Symmetric matrices of which a file has one triangle."""

from __future__ import annotations

from scipy import sparse


def whole_matrix(A: sparse.coo_array) -> sparse.csc_array:
    """A matrix of which one triangle is there, as a whole; others as they are."""
    B = sparse.csc_array(A)
    return sparse.csc_array(B + B.T - sparse.diags_array(B.diagonal())) if is_triangle(A) else B


def is_triangle(A: sparse.coo_array) -> bool:
    i, j = A.coords
    return bool((i >= j).all() or (i <= j).all())
