"""Motions of deforming bodies as affine fields: from velocities (Kane, Lagrange, Gibbs and Appell), and from
positions (Newton and Euler)."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from functools import cached_property

from ...algebra.calculus.derivatives import jacobian
from ...algebra.graph.graph import ZERO, Expr
from ...algebra.graph.matrix import Matrix, cross, identity, skew, stack, zeros
from ...bodies.mechanism.mechanism import Body
from .affine_fields import AffineField, turned_and_stretched
from .kinematics import Kinematics, gradient_of
from .placements import Placement


class DeformingMotion:
    """Velocity field of a deforming body, in components of its frame, with its energy, momenta and derivatives.

    v + ω × s + s',   s' = Σ h_k' s_k
    """

    def __init__(self, body: Body, kinematics: Kinematics) -> None:
        assert body.moments is not None
        self.moments, self.kinematics = body.moments, kinematics
        self.w, self.v = kinematics.velocities[body.frame]
        weights = self.moments.weights
        self.rates: Matrix = kinematics.rate(Matrix(len(weights), 1, weights))

    def in_terms(self, v: Matrix, w: Matrix, rates: Matrix) -> DeformingMotion:
        """The same with velocities in other speeds."""
        out = copy(self)
        out.v, out.w, out.rates = v, w, rates
        return out

    @property
    def velocity(self) -> AffineField:
        return turned_and_stretched(self.v, self.w, self.moments.weights, self.rates.entries)

    def partial(self, symbols: Sequence[Expr]) -> dict[int, AffineField]:
        """∂(velocity)/∂u, by number of the speed, where it is not zero."""
        J = jacobian(stack(self.v, self.w, self.rates), list(symbols))
        out = {}
        for j in range(J.cols):
            column = J.column(j)
            if any(e is not ZERO for e in column):
                v, w = Matrix(3, 1, column[:3]), Matrix(3, 1, column[3:6])
                out[j] = turned_and_stretched(v, w, self.moments.weights, column[6:])
        return out

    @cached_property
    def acceleration_at_constant_speed(self) -> AffineField:
        """a + A s + 2 ω × s' + s'' where u' = 0, A = α̃ + ω̃ω̃."""
        k = self.kinematics
        return self._acceleration(*(k.rate_at_constant_speed(x) for x in (self.v, self.w, self.rates)))

    @cached_property
    def acceleration(self) -> AffineField:
        """The same for u' as symbols."""
        return self._acceleration(*(self.kinematics.rate(x) for x in (self.v, self.w, self.rates)))

    def _acceleration(self, v_rate: Matrix, alpha: Matrix, second: Matrix) -> AffineField:
        A, W, one = gradient_of(self.w, alpha), skew(self.w), identity(3)
        terms = zip(self.moments.weights, self.rates.entries, second.entries, strict=True)
        by = {k: h * A + (2 * c) * W + d * one for k, (h, c, d) in enumerate(terms)}
        return AffineField(v_rate + cross(self.w, self.v), by)


def placed_field(body: Body, place: Placement) -> AffineField:
    """Places of the points of a body in the ground: r + Σ (h_k R) s_k."""
    assert body.moments is not None
    return AffineField(place.r, {k: h * place.R for k, h in enumerate(body.moments.weights)})


def entries_of(field: AffineField) -> list[Expr]:
    """All entries of an affine field, for derivatives of it."""
    return [*field.shift.entries, *(e for B in field.by.values() for e in B.entries)]


def field_of(like: AffineField, entries: Sequence[Expr]) -> AffineField:
    """The affine field with these entries, as `entries_of` lists them."""
    by = {k: Matrix(3, 3, tuple(entries[3 + 9 * n : 12 + 9 * n])) for n, k in enumerate(like.by)}
    shift = Matrix(3, 1, tuple(entries[:3])) if entries else zeros(3)
    return AffineField(shift, {k: B for k, B in by.items() if any(e is not ZERO for e in B.entries)})
