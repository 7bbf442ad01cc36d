"""Composite bodies: a frame with its whole subtree, as if its joints were locked. They give the mass matrix, and forces
at u' = 0.

The field of acceleration a + A r of a frame differs from that of its parent by ΔA (and by Δa, where it slides).
The subtree of a frame moves with all fields on the path to it, so that forces are those of composites in the
differences. For a hinge about z with speed u, in components before its rotation,

    ΔA = [-d, -u', 0;  u', -d, 0;  2 u ω_x, 2 u ω_y, 0],    d = (ω_z + u)² - ω_z²        ω: of the parent

and the moment about its axis is that of the composite in the field of the parent, of which it is one component; the
motion of the last body of a branch is not needed. (Composites in place of bodies also for Coriolis forces: Echeandia
and Wensing, Numerical methods to compute the Coriolis matrix and Christoffel symbols for rigid-body systems, 2021.)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

from ...algebra.graph.graph import ZERO, Expr
from ...algebra.graph.matrix import Matrix, cross, sum_of_products, zeros
from ...bodies.frames.frames import Frame
from ...bodies.frames.rotations import Rotation
from ...bodies.mechanism.mechanism import Mechanism
from .frame_motions import Acceleration
from .inertial_parameters import symmetric_product, transferred_inertia, turned_tensor
from .kinematics import Wrench


@dataclass(frozen=True)
class Composite:
    """Mass, first and second moments about the origin of a frame, in its components."""

    m: Expr
    h: Matrix
    P: Matrix

    def __add__(self, other: Composite) -> Composite:
        return Composite(self.m + other.m, self.h + other.h, self.P + other.P)

    @property
    def I(self) -> Matrix:  # noqa: E743, N802  (notation)
        """tr(P) 1 - P"""
        P = self.P
        d = [P[(i + 1) % 3, (i + 1) % 3] + P[(i + 2) % 3, (i + 2) % 3] for i in range(3)]
        return Matrix(3, 3, tuple(d[i] if i == j else -P[i, j] for i in range(3) for j in range(3)))

    def in_parent(self, f: Frame) -> Composite:
        return self.turned(f.rotation).shifted(f.offset)

    def turned(self, rotation: Rotation) -> Composite:
        return Composite(self.m, rotation.outwards(self.h), turned_tensor(rotation, self.P))

    def shifted(self, p: Matrix) -> Composite:
        """About a point from which the origin is at p:   h' = h + m p,   P' = P + ½ (p (h + h')ᵀ + (h + h') pᵀ)"""
        if p == zeros(3):
            return self
        moved = self.h + self.m * p
        return Composite(self.m, moved, self.P + symmetric_product(p, self.h + moved))


@dataclass(frozen=True)
class InertiaComposite:
    """The same in terms of the inertia: shorter where inertias of bodies are symbols, since P would have to be
    computed from them."""

    m: Expr
    h: Matrix
    I: Matrix

    def __add__(self, other: InertiaComposite) -> InertiaComposite:
        return InertiaComposite(self.m + other.m, self.h + other.h, self.I + other.I)

    def in_parent(self, f: Frame) -> InertiaComposite:
        """I' = I + p·(h + h') 1 - ½ (p (h + h')ᵀ + (h + h') pᵀ)"""
        h, I, p = f.rotation.outwards(self.h), turned_tensor(f.rotation, self.I), f.offset
        if p == zeros(3):
            return InertiaComposite(self.m, h, I)
        moved = h + self.m * p
        return InertiaComposite(self.m, moved, I + transferred_inertia(p, h + moved))


T = TypeVar("T", Composite, InertiaComposite)


def composites(mechanism: Mechanism, carried: dict[Frame, T]) -> dict[Frame, T]:
    """The composite of every frame that carries bodies directly or in its subtree: its own lump and the composites
    of its children."""
    out = dict(carried)
    for f in reversed(mechanism.frames):
        assert f.parent is not None
        if f in out and not f.parent.is_ground:
            moved = out[f].in_parent(f)
            out[f.parent] = out[f.parent] + moved if f.parent in out else moved
    return out


def momentum(c: Composite | InertiaComposite, angular: Matrix, linear: Matrix) -> Wrench:
    """Momentum, and angular momentum about the origin, of a composite that moves so."""
    return Wrench(c.m * linear + cross(angular, c.h), c.I @ angular + cross(c.h, linear))


# ----------------------------------------------------------------------------------------------------- forces at u' = 0


@dataclass(frozen=True)
class Taken:
    """Wrenches required by a composite, about its frame's origin: from all fields, in components of the frame (of a
    hinge only the moment about its axis); and from the field of its own joint, in components before the last
    rotation of the frame."""

    from_all: Wrench
    from_own: Wrench


def taken_by_hinge(c: Composite, z: int, before: Acceleration, u: Expr, udot: Expr) -> Taken:
    """Of a hinge about z with speed u. `before`: the motion of its parent at the origin; c: the composite; both in
    components before the turn."""
    x, y = (z + 1) % 3, (z + 2) % 3
    P, h, w, A, a = c.P, c.h, before.w, before.A, before.a
    gx, gy, d = (2 * u) * w[x], (2 * u) * w[y], (w[z] + u) * (w[z] + u) - w[z] * w[z]
    force = {x: -(d * h[x]) - udot * h[y], y: udot * h[x] - d * h[y], z: gx * h[x] + gy * h[y]}
    moment = {
        x: gx * P[x, y] + gy * P[y, y] + d * P[y, z] - udot * P[x, z],
        y: -(d * P[x, z]) - gx * P[x, x] - gy * P[x, y] - udot * P[y, z],
        z: udot * (P[x, x] + P[y, y]),
    }
    spin = (
        A[y, x] * P[x, x] - A[x, y] * P[y, y] - before.differences[z] * P[x, y] + A[y, z] * P[x, z] - A[x, z] * P[y, z]
    )
    about = {x: ZERO, y: ZERO, z: spin + (h[x] * a[y] - h[y] * a[x]) + moment[z]}
    return Taken(Wrench(zeros(3), _column(about)), Wrench(_column(force), _column(moment)))


def taken_in_field(c: Composite, A: Matrix, a: Matrix) -> Wrench:
    """∫ (a + A r) dm, ∫ r × (a + A r) dm"""
    P, moment = c.P, []
    for x in range(3):
        y, z = (x + 1) % 3, (x + 2) % 3
        moment.append(sum_of_products([*A.row(z), *(-e for e in A.row(y))], [*P.row(y), *P.row(z)]))
    return Wrench(c.m * a + A @ c.h, Matrix(3, 1, tuple(moment)) + cross(c.h, a))


def _column(entries: dict[int, Expr]) -> Matrix:
    return Matrix(3, 1, tuple(entries[i] for i in range(3)))
