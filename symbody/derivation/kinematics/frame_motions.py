"""Velocities and accelerations of frames, from the ground outwards, in components of each frame.

With A = α̃ + ω̃ω̃ the acceleration at r is a + A r. Points on the axis of a hinge move with both of its bodies, so that
the column of A along the axis (here z) is that of the parent, turned. It gives the rest of A with fewer operations than
the angular acceleration does:

    α_y = A_xz - ω_x ω_z,   α_x = ω_y ω_z - A_yz,   A_zx = ω_x ω_z - α_y,   A_zy = ω_y ω_z + α_x,   A_xx = A_zz + ω_x² -
                            ω_z²

if the parent has that column. If the parent needs it for nothing else, rotating α is cheaper.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ...algebra.graph.functions import cos, sin
from ...algebra.graph.graph import ONE, ZERO, Expr
from ...algebra.graph.matrix import Matrix, cross, zeros
from ...algebra.graph.walk import free_symbols
from ...bodies.frames.frames import Frame
from ...bodies.frames.rotations import Rotation, Turn
from ...bodies.mechanism.mechanism import Mechanism
from .inertial_parameters import Lump
from .kinematics import Kinematics, gradient_and_differences


@dataclass(frozen=True)
class Acceleration:
    """Acceleration of a frame, in its own components: angular velocity ω, angular acceleration α, A = α̃ + ω̃ω̃,
    acceleration a of the origin."""

    w: Matrix
    alpha: Matrix
    A: Matrix
    a: Matrix
    differences: Matrix  # A_yy - A_zz, A_zz - A_xx, A_xx - A_yy

    @staticmethod
    def of(w: Matrix, alpha: Matrix, a: Matrix) -> Acceleration:
        A, differences = gradient_and_differences(w, alpha)
        return Acceleration(w, alpha, A, a, differences)

    @property
    def entries(self) -> tuple[Expr, ...]:
        """Of ω, α, A and a."""
        return (*self.w.entries, *self.alpha.entries, *self.A.entries, *self.a.entries)

    def at(self, p: Matrix) -> Matrix:
        """The acceleration of the point at p."""
        return self.a + self.A @ p

    def seen(self, rest: Rotation, p: Matrix) -> Acceleration:
        """In components of a frame that is fixed to this one, with its origin at p."""
        a = rest.inwards(self.at(p))
        if is_permutation(rest):
            return _in_permuted_axes(rest.matrix, self, a)
        return Acceleration.of(rest.inwards(self.w), rest.inwards(self.alpha), a)


def accelerations(mechanism: Mechanism, kinematics: Kinematics, at_constant_speed: bool) -> dict[Frame, Acceleration]:
    """Accelerations of every frame; that of the ground is the opposite of gravity.

    ω = Rᵀ ω_P + s,   α = Rᵀ α_P + s' + Rᵀ ω_P × s,   a = Rᵀ (a_P + A_P p + 2 ω_P × p' + p'')

    and a = Rᵀ a_P + v' + ω × v where the velocity v in own components is given instead of p, and ω_P = 0.
    """
    steps = MotionSteps(mechanism, kinematics, at_constant_speed)
    out = {mechanism.ground: steps.of_ground()}
    for f in mechanism.frames:
        assert f.parent is not None
        P = out[f.parent]
        a = steps.of_origin(f, P)
        is_shifted = f.rotation.is_identity
        out[f] = Acceleration(P.w, P.alpha, P.A, a, P.differences) if is_shifted else steps.turned(f, P, a)
    return out


def shortened_accelerations(
    mechanism: Mechanism,
    kinematics: Kinematics,
    at_constant_speed: bool,
    by_columns: Mapping[Frame, Lump] | None = None,
) -> dict[Frame, Acceleration]:
    """The same with fewer operations: fixed frames at right angles have the components of their parents, in another
    order.

    by_columns   what frames carry: of hinges on such frames (others have no A to begin with) from the column of A along
                 the axis
    """
    steps = MotionSteps(mechanism, kinematics, at_constant_speed)
    out = {mechanism.ground: steps.of_ground()}
    hinges = {} if by_columns is None else hinges_on_bodies(mechanism)
    needed = {} if by_columns is None else _needed_diagonals(mechanism, by_columns)
    for f in mechanism.frames:
        assert f.parent is not None
        P = out[f.parent]
        a = steps.of_origin(f, P)
        if is_permutation(f.rotation):
            out[f] = _in_permuted_axes(f.rotation.matrix, P, a)
        elif f in hinges:
            spin = kinematics.spins[f]
            along = (f.rotation.inwards(P.alpha) + steps.rate(spin))[hinges[f]]
            column = f.rotation.inwards(P.A @ axis_in_parent(f))
            w = f.rotation.inwards(P.w) + spin
            out[f] = _from_column(hinges[f], w, along, column, a, needed.get(f, set()))
        else:
            out[f] = steps.turned(f, P, a)
    return out


class MotionSteps:
    """The step from the motion of a frame to those of its child frames."""

    def __init__(self, mechanism: Mechanism, kinematics: Kinematics, at_constant_speed: bool) -> None:
        self.mechanism, self.kinematics = mechanism, kinematics
        self.rate = kinematics.rate_at_constant_speed if at_constant_speed else kinematics.rate

    def of_ground(self) -> Acceleration:
        gravity = self.mechanism.gravity
        falling = zeros(3) if gravity is None else -gravity.components(self.mechanism.ground)
        return Acceleration(zeros(3), zeros(3), zeros(3, 3), falling, zeros(3))

    def of_origin(self, f: Frame, P: Acceleration) -> Matrix:
        """The acceleration of the origin of a frame."""
        drift, a = self.kinematics.drifts[f], P.at(f.offset)
        a = a if drift == zeros(3) else a + 2 * cross(P.w, drift) + self.rate(drift)
        a = f.rotation.inwards(a)
        v = self.kinematics.given.get(f)
        return a if v is None else a + self.rate(v) + cross(self.kinematics.spins[f], v)

    def turned(self, f: Frame, P: Acceleration, a: Matrix) -> Acceleration:
        spin, above = self.kinematics.spins[f], f.rotation.inwards(P.w)
        alpha = f.rotation.inwards(P.alpha) + self.rate(spin) + cross(above, spin)
        return Acceleration.of(above + spin, alpha, a)


# ------------------------------------------------------------------------------------------------ frames that are fixed


def is_permutation(rotation: Rotation) -> bool:
    """Whether a frame is only shifted, or turned by right angles exactly: sin 1.57079632679 rounds to 1, but its cosine
    is not 0."""
    entries = ((sin(f.angle), cos(f.angle)) if isinstance(f, Turn) else f.matrix.entries for f in rotation.factors)
    return all(e is ZERO or e is ONE or e is -ONE for factor in entries for e in factor)


def _in_permuted_axes(R: Matrix, P: Acceleration, a: Matrix) -> Acceleration:
    """The motion of the parent in permuted components, which costs no operations."""
    at = [next(i for i in range(3) if R[i, j] is not ZERO) for j in range(3)]
    sign = 1 if (at[1] - at[0]) % 3 == 1 else -1  # even or odd permutation
    differences = Matrix(3, 1, tuple(sign * P.differences[i] for i in at))
    return Acceleration(R.T @ P.w, R.T @ P.alpha, R.T @ P.A @ R, a, differences)


# ---------------------------------------------------------------------------------------------------------- hinges


def moves(*scalars: Expr) -> bool:
    """Whether anything but parameters is in them."""
    return any(s.kind != "parameter" for s in free_symbols(*scalars))


def turning_axis(f: Frame) -> int | None:
    """The axis about which a frame turns in its parent, where that is all it does but for constant rotations before."""
    if f.is_ground or f.rotation.is_identity:
        return None
    last, before = f.rotation.factors[-1], f.rotation.factors[:-1]
    if not isinstance(last, Turn) or not moves(last.angle) or (before and moves(*Rotation(before).written)):
        return None
    return last.axis


def last_turn(f: Frame) -> tuple[Rotation, Rotation]:
    """The last factor of a frame's rotation, and the factors before it."""
    return Rotation(f.rotation.factors[-1:]), Rotation(f.rotation.factors[:-1])


def axis_in_parent(f: Frame) -> Matrix:
    """The direction of a hinge axis, in components of its parent."""
    k = turning_axis(f)
    return Rotation(f.rotation.factors[:-1]).outwards(Matrix(3, 1, tuple(ONE if i == k else ZERO for i in range(3))))


def hinges_on_bodies(mechanism: Mechanism) -> dict[Frame, int]:
    """Axes of the frames that turn on one that carries something, or on one that is fixed to such a frame."""
    carrying = {b.frame for b in mechanism.rigid_bodies if not b.mass.is_massless}
    out = {}
    for f in mechanism.frames:
        if f.parent in carrying:
            if is_permutation(f.rotation):
                carrying.add(f)
            elif (axis := turning_axis(f)) is not None:
                out[f] = axis
    return out


def _needed_diagonals(mechanism: Mechanism, carried: Mapping[Frame, Lump]) -> dict[Frame, set[int]]:
    """For each frame the indices i for which A_ii itself is needed: its bodies or child frames have a position or an
    axis along i.

    Up to the first offset from the ground, forces on a frame do no work and are not computed.
    """
    out: dict[Frame, set[int]] = {}
    with_force = {mechanism.ground: False}
    for f in mechanism.frames:
        assert f.parent is not None
        with_force[f] = (
            with_force[f.parent] or moves(*f.offset.entries) or not (f.parent.is_ground or f.offset == zeros(3))
        )
    for f, lump in carried.items():
        out[f] = {i for i in range(3) if lump.h[i] is not ZERO and with_force[f]}
    for f in mechanism.frames:
        assert f.parent is not None
        along = (f.offset, axis_in_parent(f)) if turning_axis(f) is not None else (f.offset,)
        out.setdefault(f.parent, set()).update(i for v in along for i in range(3) if v[i] is not ZERO)
    return out


def _from_column(z: int, w: Matrix, along: Expr, column: Matrix, a: Matrix, needed: set[int]) -> Acceleration:
    """From the column of A along the axis z, and the angular acceleration about it. `needed`: i for which A_ii is
    needed itself."""
    x, y = (z + 1) % 3, (z + 2) % 3
    xz, yz, xy, zz = w[x] * w[z], w[y] * w[z], w[x] * w[y], w[z] * w[z]
    alpha = {x: yz - column[y], y: column[x] - xz, z: along}
    A = {(i, z): column[i] for i in range(3)}
    A |= {(z, x): xz - alpha[y], (z, y): yz + alpha[x], (x, y): xy - along, (y, x): xy + along}
    if x in needed and y not in needed:
        yy = w[y] * w[y]
        first = yy - zz
        A |= {(x, x): -(yy + zz), (y, y): column[z] + first}
        second = A[z, z] - A[x, x]
    else:
        xx = w[x] * w[x]
        second = zz - xx
        A |= {(x, x): column[z] - second, (y, y): -(xx + zz)}
        first = A[y, y] - A[z, z]
    differences = {x: first, y: second, z: -(first + second)}
    return Acceleration(
        w,
        Matrix(3, 1, tuple(alpha[i] for i in range(3))),
        Matrix(3, 3, tuple(A[i, j] for i in range(3) for j in range(3))),
        a,
        Matrix(3, 1, tuple(differences[i] for i in range(3))),
    )
