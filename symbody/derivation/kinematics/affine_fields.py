"""Fields on deforming bodies that are affine in the fields of their deformation, and their inner product over the mass.

    X = a + Σ B_k s_k,      ∫ X · Y dm = m a·a' + a·Σ B'_k g_k + a'·Σ B_k g_k + Σ tr(B_k G_kl B'_lᵀ)

Velocities, partial velocities and accelerations are such fields, so that this one formula gives kinetic energies, mass
matrices and inertia forces.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...algebra.graph.graph import ZERO, Expr
from ...algebra.graph.matrix import Matrix, dot, identity, skew, sum_of_products, zeros
from ...bodies.mass.moments import Moments


@dataclass(frozen=True)
class AffineField:
    """X = shift + Σ by[k] s_k; the entries of `by` that are not zero."""

    shift: Matrix
    by: dict[int, Matrix]

    def weighted(self, moments: Moments) -> Matrix:
        """Σ B_k g_k."""
        total = zeros(3)
        for k, B in self.by.items():
            total = total + B @ moments.first[k]
        return total

    def total(self, moments: Moments) -> Matrix:
        """∫ X dm."""
        return moments.m * self.shift + self.weighted(moments)


def inner(moments: Moments, X: AffineField, Y: AffineField) -> Expr:
    """∫ X · Y dm."""
    total = moments.m * dot(X.shift, Y.shift) + dot(X.shift, Y.weighted(moments)) + dot(Y.shift, X.weighted(moments))
    for k, l, G in moments.pairs:
        if k in X.by and l in Y.by:
            total = total + sum_of_products((X.by[k] @ G).entries, Y.by[l].entries)
    return total


def turned_and_stretched(shift: Matrix, turn: Matrix, weights: Sequence[Expr], rates: Sequence[Expr]) -> AffineField:
    """The motion v + w × s + Σ c_k s_k of a body: B_k = h_k w̃ + c_k 1."""
    W, by = skew(turn), {}
    for k, (h, c) in enumerate(zip(weights, rates, strict=True)):
        B = h * W + c * identity(3) if c is not ZERO else h * W
        if any(e is not ZERO for e in B.entries):
            by[k] = B
    return AffineField(shift, by)


def moment_about_origin(moments: Moments, X: AffineField) -> Matrix:
    """∫ s × X dm, s = Σ h_k s_k: the axial vector of ∫ X sᵀ dm."""
    T = X.shift @ moments.first_moment.T
    for k, l, G in moments.pairs:
        if k in X.by and moments.weights[l] is not ZERO:
            T = T + moments.weights[l] * (X.by[k] @ G)
    return Matrix(3, 1, (T[2, 1] - T[1, 2], T[0, 2] - T[2, 0], T[1, 0] - T[0, 1]))
