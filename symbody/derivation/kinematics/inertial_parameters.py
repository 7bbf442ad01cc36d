"""Inertial parameters of frames.

A lump is the inertia rigidly attached to a frame: mass m, first moment h, inertia I about the frame's origin; and the
second moments P = ∫ r rᵀ dm, which are equivalent to I (I = tr(P) 1 - P) but have other zeros after regrouping.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from ...algebra.graph.graph import ZERO, Expr
from ...algebra.graph.matrix import Matrix, difference_of_two, dot, sum_of_products, sum_of_two, zeros
from ...bodies.frames.frames import Frame
from ...bodies.frames.rotations import OTHER_AXES, Rotation, Turn
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
            Matrix(3, 1, tuple([h if i == k else ZERO for i in range(3)])),
            Matrix(3, 3, tuple([P if i == j != k else ZERO for i, j in places])),
            Matrix(3, 3, tuple([P if i == j == k else ZERO for i, j in places])),
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
        if rotation.is_identity:
            return self
        return Lump(self.m, rotation.outwards(self.h), turned_tensor(rotation, self.I), turned_tensor(rotation, self.P))

    def shifted(self, p: Matrix) -> Lump:
        """About a point from which the origin is at p.

        h' = h + m p,   I' = I + p·(h + h') 1 - ½ (p (h + h')ᵀ + (h + h') pᵀ)
        """
        if p == zeros(3):
            return self
        moved = self.h + self.m * p
        both = self.h + moved
        return Lump(self.m, moved, self.I + transferred_inertia(p, both), self.P + symmetric_product(p, both))


NO_LUMP = Lump(ZERO, zeros(3), zeros(3, 3), zeros(3, 3))  # the lump without mass


def second_moments(I: Matrix) -> Matrix:
    """P = ∫ r rᵀ dm = ½ tr(I) 1 - I."""
    x, y, z = I[0, 0], I[1, 1], I[2, 2]
    xy, xz, yz = -I[0, 1], -I[0, 2], -I[1, 2]
    return symmetric((y + z - x) / 2, xy, xz, (z + x - y) / 2, yz, (x + y - z) / 2)


def symmetric_product(p: Matrix, b: Matrix) -> Matrix:
    """½ (p bᵀ + b pᵀ)"""
    (p1, p2, p3), (b1, b2, b3) = p.entries, b.entries
    xy, xz, yz = (_half(sum_of_two(*x)) for x in ((p1, b2, p2, b1), (p1, b3, p3, b1), (p2, b3, p3, b2)))
    return symmetric(p1 * b1, xy, xz, p2 * b2, yz, p3 * b3)


def _half(e: Expr) -> Expr:
    return e if e is ZERO else e / 2


def transferred_inertia(p: Matrix, b: Matrix) -> Matrix:
    """p·b 1 - ½ (p bᵀ + b pᵀ)"""
    along, S = dot(p, b), symmetric_product(p, b)
    return Matrix(3, 3, tuple(along - e if k % 4 == 0 else e if e is ZERO else -e for k, e in enumerate(S.entries)))


def symmetric(xx: Expr, xy: Expr, xz: Expr, yy: Expr, yz: Expr, zz: Expr) -> Matrix:
    """A symmetric matrix from its upper triangle."""
    return Matrix(3, 3, (xx, xy, xz, xy, yy, yz, xz, yz, zz))


def turned_tensor(rotation: Rotation, I: Matrix) -> Matrix:
    """R I Rᵀ, factor by factor."""
    for f in reversed(rotation.factors):
        I = _turned_about_axis(f, I) if isinstance(f, Turn) else _turned_by_cosines(f.matrix, I)
    return I


def _turned_about_axis(turn: Turn, I: Matrix) -> Matrix:
    """About axis k, with i, j the other two: 8 multiplications.

    r = c (I_ii - I_jj) - 2 s I_ij,   I_ii' = I_jj + c r,   I_jj' = I_ii - c r,   I_ij' = I_ij + s r
    """
    k, (i, j) = turn.axis, OTHER_AXES[turn.axis]
    s, c = turn.sine_and_cosine
    ii, jj, ij, ik, jk = (I.entries[a] for a in (4 * i, 4 * j, 3 * i + j, 3 * i + k, 3 * j + k))
    r = c * (ii - jj) - (2 * (s * ij) if ij is not ZERO else ZERO)
    t, new = c * r, [*I.entries]
    new[4 * i], new[4 * j] = jj + t, ii - t
    new[3 * i + j] = new[3 * j + i] = ij + s * r
    new[3 * i + k] = new[3 * k + i] = difference_of_two(c, ik, s, jk)
    new[3 * j + k] = new[3 * k + j] = sum_of_two(s, ik, c, jk)
    return Matrix(3, 3, tuple(new))


def _turned_by_cosines(R: Matrix, I: Matrix) -> Matrix:
    half = R @ I
    return symmetric(*(sum_of_products(half.row(i), R.row(j)) for i in range(3) for j in range(i, 3)))
