"""Inertial parameters of frames, and their regrouping towards the ground.

A lump is the inertia rigidly attached to a frame: mass m, first moment h, inertia I about the frame's origin. Part of the lump of a frame that only turns about an
axis (or only slides) acts exactly as if it were fixed to the parent, whatever the motion. Moving that part inwards leaves every generalised
force as it was and takes operations away; carried through the tree it gives the base parameters.

    about axis z:  m, h_z and diag(I_yy, I_yy, 0) move;   m = 0, (h_x, h_y, 0), (I_xx - I_yy, 0, I_zz, I_xy, I_xz, I_yz) stay
    sliding:       I moves;                               m and h stay
    not moving:    everything moves
"""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass

from ..algebra.functions import cos, sin
from ..algebra.graph import ZERO, Expr
from ..algebra.matrix import Matrix, dot, identity, outer, sum_of_products, zeros
from ..algebra.walk import free_symbols
from ..bodies.frames import Frame
from ..bodies.mass import MassProperties
from ..bodies.mechanism import Mechanism
from ..bodies.rotations import Rotation, Turn


@dataclass(frozen=True)
class Lump:
    """Mass, first moment and inertia about the origin of a frame, in its components. `body`: where it is one body as described."""

    m: Expr
    h: Matrix
    I: Matrix
    body: MassProperties | None = None

    @staticmethod
    def of(mass: MassProperties) -> Lump:
        return Lump(mass.m, mass.m * mass.p_BoBcm, mass.about(zeros(3)), mass)

    def __add__(self, other: Lump) -> Lump:
        if self.is_nothing or other.is_nothing:
            return other if self.is_nothing else self
        return Lump(self.m + other.m, self.h + other.h, self.I + other.I)

    def __sub__(self, other: Lump) -> Lump:
        return Lump(self.m - other.m, self.h - other.h, self.I - other.I)

    @property
    def entries(self) -> tuple[Expr, ...]:
        return (self.m, *self.h.entries, *self.I.entries)

    @property
    def is_nothing(self) -> bool:
        return all(e is ZERO for e in self.entries)

    def in_parent(self, f: Frame) -> Lump:
        """The same about the origin of the parent, in its components: parallel axes after rotation."""
        if f.rotation.is_identity and f.offset == zeros(3):
            return self
        return self.turned(f.rotation).shifted(f.offset)

    def turned(self, rotation: Rotation) -> Lump:
        return Lump(self.m, rotation.outwards(self.h), turned_tensor(rotation, self.I))

    def shifted(self, p: Matrix) -> Lump:
        """About a point from which the origin is at p.

        h' = h + m p,   I' = I + p·(h + h') 1 - ½ (p (h + h')ᵀ + (h + h') pᵀ)
        """
        if p == zeros(3):
            return self
        moved = self.h + self.m * p
        both = self.h + moved
        return Lump(self.m, moved, self.I + (dot(p, both) * identity(3) - _symmetric_part(outer(p, both))))


NOTHING = Lump(ZERO, zeros(3), zeros(3, 3))


def _symmetric_part(X: Matrix) -> Matrix:
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


# ---------------------------------------------------------------------------------------------------------- what frames carry


Regroup = bool | None | Set[Frame]


def lumps(mechanism: Mechanism, regroup: Regroup = None) -> dict[Frame, Lump]:
    """The lump of every frame that carries something rigid.

    regroup   move inwards what can be moved: from all frames (True), from none (False), from these, or (None) from those that carry numbers,
              where moving costs nothing, if fewer operations are left
    """
    out: dict[Frame, Lump] = {}
    for b in mechanism.rigid_bodies:
        if not b.mass.is_massless:
            out[b.frame] = out.get(b.frame, NOTHING) + Lump.of(b.mass)
    if regroup is False:
        return out
    for f in reversed(mechanism.frames):
        if f in out and (_is_numeric(f, out[f]) if regroup is None else regroup is True or f in regroup):
            _move_inwards(f, out, only_if_fewer=regroup is None)
    return {f: x for f, x in out.items() if not x.is_nothing}


def _is_numeric(f: Frame, lump: Lump) -> bool:
    return not free_symbols(*lump.entries) and not any(s.kind == "parameter" for s in free_symbols(f.offset))


def _move_inwards(f: Frame, out: dict[Frame, Lump], only_if_fewer: bool) -> None:
    """Move what can be moved from a frame to its parent (or, where that is the ground, away)."""
    part = _movable(f, out[f])
    if part is None or part.is_nothing:
        return
    assert f.parent is not None
    stays, parent = out[f] - part, out.get(f.parent, NOTHING)
    grows = parent if f.parent.is_ground else parent + _as_seen_at_rest(f, part)
    if only_if_fewer and parent.is_nothing and _operations(stays) + _operations(grows) > _operations(out[f]):
        return  # the parent would have to begin to carry something
    out[f] = stays
    if not f.parent.is_ground:  # what is fixed to the ground does not count
        out[f.parent] = grows


def _operations(lump: Lump) -> int:
    """About what the wrench of a lump takes: each entry that is not zero has its own multiplications and additions."""
    moments = sum(e is not ZERO for e in lump.h.entries)
    diagonal = sum(lump.I[i, i] is not ZERO for i in range(3))
    products = sum(lump.I[i, j] is not ZERO for i, j in ((0, 1), (0, 2), (1, 2)))
    return 6 * (lump.m is not ZERO) + 10 * moments + 2 * diagonal + 6 * products


def _moving_symbols(*scalars: Expr) -> bool:
    return any(s.kind not in ("parameter",) for s in free_symbols(*scalars))


def _movable(f: Frame, lump: Lump) -> Lump | None:
    """The part of a lump that acts as if it were fixed to the parent."""
    turns, slides = _moving_symbols(*f.rotation.matrix.entries), _moving_symbols(*f.offset.entries)
    if not turns and not slides:
        return lump
    if not turns:
        return Lump(ZERO, zeros(3), lump.I)
    last = f.rotation.factors[-1]
    steady = Rotation(f.rotation.factors[:-1])
    if slides or not isinstance(last, Turn) or _moving_symbols(*steady.matrix.entries):
        return None
    k, j = last.axis, (last.axis + 2) % 3
    h = Matrix(3, 1, tuple(e if i == k else ZERO for i, e in enumerate(lump.h.entries)))
    spread = lump.I[j, j]
    I = Matrix(3, 3, tuple(spread if a == b and a != k else ZERO for a in range(3) for b in range(3)))
    return Lump(lump.m, h, I)


def _as_seen_at_rest(f: Frame, part: Lump) -> Lump:
    """In the parent: a part that is symmetric about the axis of a turn is not changed by it."""
    if not _moving_symbols(*f.rotation.matrix.entries):
        if _moving_symbols(*f.offset.entries):  # of a sliding frame only inertia moves, which does not depend on place
            return Lump(part.m, part.h, turned_tensor(f.rotation, part.I))
        return part.in_parent(f)
    return part.turned(Rotation(f.rotation.factors[:-1])).shifted(f.offset)
