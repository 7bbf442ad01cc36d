"""Inertial parameters of frames.

A lump is the inertia rigidly attached to a frame: mass m, first moment h, inertia I about the frame's origin; and the
second moments P = ∫ r rᵀ dm, which are equivalent to I (I = tr(P) 1 - P) but have other zeros after regrouping.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from ...algebra.graph.functions import cos, sin
from ...algebra.graph.graph import ZERO, Expr
from ...algebra.graph.matrix import Matrix, dot, identity, outer, sum_of_products, zeros
from ...bodies.frames.frames import Frame
from ...bodies.frames.rotations import Rotation, Turn
from ...bodies.mass.mass import MassProperties


@dataclass(frozen=True)
class Lump:
    """Mass, first moment and inertia about the origin of a frame, in its components. `body`: the single body that it
    represents unchanged, if any."""

    m: Expr
    h: Matrix
    I: Matrix
    P: Matrix
    body: MassProperties | None = None

    @staticmethod
    def of(mass: MassProperties) -> Lump:
        I = mass.about(zeros(3))
        return Lump(mass.m, mass.m * mass.p_BoBcm, I, second_moments(I), mass)

    @staticmethod
    def on_axis(k: int, m: Expr, h: Expr, P: Expr) -> Lump:
        """Mass and moments of something on axis k, by its first and second moment along it."""
        places = [(i, j) for i in range(3) for j in range(3)]
        return Lump(
            m,
            Matrix(3, 1, tuple(h if i == k else ZERO for i in range(3))),
            Matrix(3, 3, tuple(P if i == j != k else ZERO for i, j in places)),
            Matrix(3, 3, tuple(P if i == j == k else ZERO for i, j in places)),
        )

    def __add__(self, other: Lump) -> Lump:
        if self.is_nothing or other.is_nothing:
            return other if self.is_nothing else self
        return Lump(self.m + other.m, self.h + other.h, self.I + other.I, self.P + other.P)

    def __sub__(self, other: Lump) -> Lump:
        return Lump(self.m - other.m, self.h - other.h, self.I - other.I, self.P - other.P)

    @property
    def entries(self) -> tuple[Expr, ...]:
        return (self.m, *self.h.entries, *self.I.entries, *self.P.entries)

    @property
    def is_nothing(self) -> bool:
        return all(e is ZERO for e in self.entries)

    def without_first_moment(self, axis: int) -> Lump:
        """With exactly zero where only rounding is left."""
        return replace(self, h=Matrix(3, 1, tuple(ZERO if i == axis else e for i, e in enumerate(self.h.entries))))

    def in_parent(self, f: Frame) -> Lump:
        """The same about the origin of the parent, in its components: parallel axes after rotation."""
        if f.rotation.is_identity and f.offset == zeros(3):
            return self
        return self.turned(f.rotation).shifted(f.offset)

    def turned(self, rotation: Rotation) -> Lump:
        return Lump(self.m, rotation.outwards(self.h), turned_tensor(rotation, self.I), turned_tensor(rotation, self.P))

    def shifted(self, p: Matrix) -> Lump:
        """About a point from which the origin is at p.

        h' = h + m p,   I' = I + p·(h + h') 1 - ½ (p (h + h')ᵀ + (h + h') pᵀ)
        """
        if p == zeros(3):
            return self
        moved = self.h + self.m * p
        both = self.h + moved
        S = symmetric_part(outer(p, both))
        return Lump(self.m, moved, self.I + (dot(p, both) * identity(3) - S), self.P + S)


NO_LUMP = Lump(ZERO, zeros(3), zeros(3, 3), zeros(3, 3))  # the lump without mass


def second_moments(I: Matrix) -> Matrix:
    """P = ∫ r rᵀ dm = ½ tr(I) 1 - I."""
    x, y, z = I[0, 0], I[1, 1], I[2, 2]
    diagonal = ((y + z - x) / 2, (z + x - y) / 2, (x + y - z) / 2)
    return Matrix(3, 3, tuple(diagonal[i] if i == j else -I[i, j] for i in range(3) for j in range(3)))


def symmetric_part(X: Matrix) -> Matrix:
    upper = {(i, j): X[i, j] if i == j else (X[i, j] + X[j, i]) / 2 for i in range(3) for j in range(i, 3)}
    return Matrix(3, 3, tuple(upper[min(i, j), max(i, j)] for i in range(3) for j in range(3)))


def turned_tensor(rotation: Rotation, I: Matrix) -> Matrix:
    """R I Rᵀ, factor by factor."""
    for f in reversed(rotation.factors):
        I = _turned_about_axis(f, I) if isinstance(f, Turn) else _turned_by_cosines(f.matrix, I)
    return I


def _turned_about_axis(turn: Turn, I: Matrix) -> Matrix:
    """About axis k, with i, j the other two: 8 multiplications.

    r = c (I_ii - I_jj) - 2 s I_ij,   I_ii' = I_jj + c r,   I_jj' = I_ii - c r,   I_ij' = I_ij + s r
    """
    k = turn.axis
    i, j = (k + 1) % 3, (k + 2) % 3
    s, c = sin(turn.angle), cos(turn.angle)
    r = c * (I[i, i] - I[j, j]) - 2 * (s * I[i, j])
    t = c * r
    new = {(k, k): I[k, k], (i, i): I[j, j] + t, (j, j): I[i, i] - t, (i, j): I[i, j] + s * r}
    new[i, k], new[j, k] = c * I[i, k] - s * I[j, k], s * I[i, k] + c * I[j, k]
    return Matrix(3, 3, tuple(new[a, b] if (a, b) in new else new[b, a] for a in range(3) for b in range(3)))


def _turned_by_cosines(R: Matrix, I: Matrix) -> Matrix:
    half = R @ I
    upper = {(i, j): sum_of_products(half.row(i), R.row(j)) for i in range(3) for j in range(i, 3)}
    return Matrix(3, 3, tuple(upper[min(i, j), max(i, j)] for i in range(3) for j in range(3)))
