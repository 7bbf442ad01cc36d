"""Moments of the displacement fields of a deforming body, which determine its inertia.

A point of the body, in components of its frame, is a sum of fields of space times functions of the coordinates,

    s(x, q) = Σ h_k(q) s_k(x),     h_0 = 1, s_0: the undeformed position,     h_k = q_k, s_k: mode k,     h_k = q_i q_j:
                                   second order

so that mass, first and second moments of the fields give every inertia term:

    m = ∫ dm,   g_k = ∫ s_k dm,   G_kl = ∫ s_k s_lᵀ dm
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType

from ...algebra.graph.graph import ZERO, Expr
from ...algebra.graph.matrix import Matrix, identity, zeros
from .mass import MassProperties, shift

NO_MOMENT = zeros(3, 3)  # the moments of a pair of fields that is not tabulated


@dataclass(frozen=True)
class Moments:
    """Mass and moments of the displacement fields of a deformable body, s = Σ h_k s_k. They determine its inertia.

    m         ∫ dm
    weights   h_k: one, then coordinates and products of them
    first     g_k = ∫ s_k dm
    second    {(k, l): G_kl = ∫ s_k s_lᵀ dm}, those with k <= l that are not zero

    >>> q = sb.symbol("q", "coordinate")
    >>> rod = sb.bodies.Moments(  # of mass 3 from x = 0 to 1, its end at 1 + q
    ...     sb.algebra.as_expr(3), (sb.algebra.as_expr(1), q), (sb.vector(1.5, 0, 0), sb.vector(1.5, 0, 0)),
    ...     {k: sb.diagonal(1, 0, 0) for k in [(0, 0), (0, 1), (1, 1)]})
    >>> rod.first_moment, rod.G(1, 0)[0, 0], rod.second_moment[0, 0], rod.inertia[1, 1] is rod.second_moment[0, 0]
    (vector(1.5*q + 1.5, 0, 0), 1, 2*q + q**2 + 1, True)
    >>> rod.weighted((q, q))[0], len(rod.pairs), rod.mass_properties.p_BoBcm[0]
    (3*q, 4, (1.5*q + 1.5)/3)

    See also: `Model.elastic`, `Model.elastic_from`, `bodies.ElasticBody`.
    """

    m: Expr
    weights: tuple[Expr, ...]
    first: tuple[Matrix, ...]
    second: Mapping[tuple[int, int], Matrix]

    def __post_init__(self) -> None:
        object.__setattr__(self, "second", MappingProxyType(dict(self.second)))

    def G(self, k: int, l: int) -> Matrix:  # noqa: N802  (notation)
        """∫ s_k s_lᵀ dm."""
        return self.second.get((k, l), NO_MOMENT) if k <= l else self.second.get((l, k), NO_MOMENT).T

    @cached_property
    def pairs(self) -> tuple[tuple[int, int, Matrix], ...]:
        """k, l and G_kl in both orders, where it is not zero."""
        out = []
        for (k, l), G in self.second.items():
            out.append((k, l, G))
            if k != l:
                out.append((l, k, G.T))
        return tuple(out)

    @cached_property
    def first_moment(self) -> Matrix:
        """∫ s dm = Σ h_k g_k."""
        return self.weighted(self.weights)

    def weighted(self, factors: tuple[Expr, ...]) -> Matrix:
        """Σ c_k g_k for any factors."""
        total = zeros(3)
        for c, g in zip(factors, self.first, strict=True):
            if c is not ZERO:
                total = total + c * g
        return total

    @cached_property
    def second_moment(self) -> Matrix:
        """∫ s sᵀ dm = Σ h_k h_l G_kl, symmetric."""
        total = NO_MOMENT
        for (k, l), G in self.second.items():
            term = (self.weights[k] * self.weights[l]) * (G if k == l else G + G.T)
            total = total + term
        return Matrix(3, 3, tuple(total[min(i, j), max(i, j)] for i in range(3) for j in range(3)))

    @cached_property
    def inertia(self) -> Matrix:
        """The inertia about the origin of the frame: tr(S) 1 - S."""
        S = self.second_moment
        return trace(S) * identity(3) - S

    @cached_property
    def mass_properties(self) -> MassProperties:
        """Mass properties of the deformed body as functions of its coordinates."""
        centre = self.first_moment / self.m
        return MassProperties(self.m, centre, self.inertia - shift(self.m, centre))


def trace(A: Matrix) -> Expr:
    return A[0, 0] + A[1, 1] + A[2, 2]
