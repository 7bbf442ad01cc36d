"""Constant placements, and the choice of body frames for a robot whose link frames are where somebody found them handy.

The link frames of a file cost operations: constant rotations between joints, offsets with three components. A body frame B may be chosen: its
orientation about the joint axis and the place of its origin on the axis are free. Here B is parallel to its parent where the joint is at zero,
wherever the axis is then along one of the parent's; otherwise one constant turn (or two) brings it there. The origin slides along the axis
to where fewest components of offsets are left (Denavit and Hartenberg's freedom). Where the link frame is in B is kept.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, NamedTuple

from ..algebra.functions import cos, sin
from ..algebra.graph import ONE, PI, ZERO, Expr, as_expr
from ..algebra.matrix import Matrix, identity, vector, zeros
from .frames import Frame
from .rotations import Cosines, Rotation, Turn

ROUNDING: Final = 1e-15  # what is smaller than this, compared with what it was computed from, is zero
GRID: Final = 12  # angles that are told apart as exact are multiples of pi / 12


# ---------------------------------------------------------------------------------------------------------- placements


@dataclass(frozen=True, slots=True)
class Placement:
    """Where a frame F is in a frame P: rotation R_PF and position p_PoFo_P, both constant."""

    R: Matrix
    p: Matrix

    def __matmul__(self, other: Placement) -> Placement:
        return Placement(cleaned_rotation(self.R @ other.R), self.point(other.p))

    def point(self, p: Matrix) -> Matrix:
        """Coordinates in P of a point of F."""
        return summed(self.p, self.direction(p))

    def direction(self, v: Matrix) -> Matrix:
        return v if self.R == _UNTURNED else cleaned(self.R @ v, _size(v))

    def tensor(self, I: Matrix) -> Matrix:
        """R I Rᵀ, symmetric to the last bit."""
        if self.R == _UNTURNED:
            return I
        X = cleaned(self.R @ I @ self.R.T, _size(I))
        return Matrix(3, 3, tuple(X[min(i, j), max(i, j)] for i in range(3) for j in range(3)))

    def frame(self, parent: Frame, name: str) -> Frame:
        """The frame itself; the parent where they are the same."""
        if self == NOWHERE_ELSE:
            return parent
        return Frame(parent, constant_rotation(self.R), self.p, name)


_UNTURNED: Final = identity(3)
NOWHERE_ELSE: Final = Placement(_UNTURNED, zeros(3))


def constant_rotation(R: Matrix) -> Rotation:
    return Rotation() if R == _UNTURNED else Rotation((Cosines(R),))


def _size(v: Matrix) -> float:
    return max((abs(float(e)) for e in v.entries if e.value is not None), default=0.0)


def cleaned(v: Matrix, size: float) -> Matrix:
    """Numbers that are only rounding of others of this size are zero."""
    return v.map(lambda e: ZERO if e.value is not None and abs(float(e)) <= ROUNDING * size else e)


def cleaned_rotation(R: Matrix) -> Matrix:
    return cleaned(R, 1.0).map(
        lambda e: e if e.value is None or abs(abs(float(e)) - 1) > ROUNDING else as_expr(round(float(e)))
    )


def summed(a: Matrix, b: Matrix) -> Matrix:
    return cleaned(a + b, max(_size(a), _size(b)))


# ---------------------------------------------------------------------------------------------------------- rotations


def multiple_of_pi(angle: Expr) -> Fraction | None:
    """k where the angle is k pi exactly."""
    if angle is ZERO:
        return Fraction(0)
    ratio = (angle / PI).value
    return Fraction(ratio) if isinstance(ratio, (int, Fraction)) else None


def cosine_and_sine(angle: Expr) -> tuple[Expr, Expr]:
    """Exact where they are 0, ±1/2 or ±1; otherwise numbers, or expressions of parameters."""
    if (k := multiple_of_pi(angle)) is None:
        return cos(angle), sin(angle)
    exact = {0: Fraction(0), 1: Fraction(1, 2), 3: Fraction(1)}  # sines of multiples of pi / 6

    def sine(turn: Fraction) -> Expr:
        turn %= 2
        if turn >= 1:
            return -sine(turn - 1)
        near = min(turn, 1 - turn) * 6
        return as_expr(exact[int(near)] if near in exact else math.sin(float(turn) * math.pi))

    return sine(k + Fraction(1, 2)), sine(k)


def turned(axis: int, angle: Expr) -> Matrix:
    """The matrix of a turn about a coordinate axis."""
    c, s = cosine_and_sine(angle)
    i, j = (axis + 1) % 3, (axis + 2) % 3
    at = {(axis, axis): ONE, (i, i): c, (j, j): c, (i, j): -s, (j, i): s}
    return Matrix(3, 3, tuple(at.get((a, b), ZERO) for a in range(3) for b in range(3)))


def from_rpy(roll: Expr, pitch: Expr, yaw: Expr) -> Matrix:
    """Rz(yaw) Ry(pitch) Rx(roll): turns about fixed axes x, y, z in turn."""
    R = _UNTURNED
    for axis, angle in ((2, yaw), (1, pitch), (0, roll)):
        if angle is not ZERO:
            R = cleaned_rotation(R @ turned(axis, angle))
    return R


class Alignment(NamedTuple):
    """A constant rotation C, and the coordinate axis k and sign with C (sign e_k) along a given direction."""

    factors: tuple[Turn, ...]
    k: int
    sign: int

    @property
    def matrix(self) -> Matrix:
        C = _UNTURNED
        for f in self.factors:
            C = cleaned_rotation(C @ turned(f.axis, f.angle))
        return C


def alignment(direction: Matrix, exact: bool) -> Alignment:
    """With as few turns as there can be, and those small. `exact`: take angles within rounding of multiples of pi / 12 for these."""
    v = [float(e) for e in direction.entries]
    still = [i for i in range(3) if v[i] == 0]
    k = max(range(3), key=lambda i: abs(v[i]))
    sign = 1 if v[k] > 0 else -1
    w = [sign * x for x in v]
    i, j = (k + 1) % 3, (k + 2) % 3
    if len(still) == 2:
        return Alignment((), k, sign)
    if w[j] == 0:
        return Alignment((Turn(j, _angle(math.atan2(w[i], w[k]), exact)),), k, sign)
    if w[i] == 0:
        return Alignment((Turn(i, _angle(-math.atan2(w[j], w[k]), exact)),), k, sign)
    first, second = math.atan2(w[i], w[k]), -math.atan2(w[j], math.hypot(w[i], w[k]))
    return Alignment((Turn(j, _angle(first, exact)), Turn(i, _angle(second, exact))), k, sign)


def _angle(value: float, exact: bool) -> Expr:
    n = round(value * GRID / math.pi)
    if exact and abs(value - n * math.pi / GRID) <= 1e-13:
        return PI * Fraction(n, GRID)
    return as_expr(value)


# ---------------------------------------------------------------------------------------------------------- choosing


@dataclass(frozen=True, slots=True)
class Hinge:
    """A joint on a body, in the frame of the link: place, direction of its axis, kind."""

    position: Matrix
    axis: Matrix
    kind: str


@dataclass(frozen=True, slots=True)
class Seat:
    """How a body hangs on its parent P: a frame fixed in P (constant turns C, then offset), the axis of motion in it, and the link frame in B.

    turn    the angle of B about axis k is sign · q + turn
    """

    C: tuple[Turn | Cosines, ...]
    offset: Matrix
    k: int
    sign: int
    turn: Expr
    link: Placement


def seat_of_turning(
    joint: Placement, axis: Matrix, hinges: Sequence[Hinge], solids: Matrix | None, on_ground: bool, exact: bool
) -> Seat:
    """For a joint that turns about an axis of its frame, which is at `joint` in the parent's body frame.

    hinges      joints that hang on the body
    solids      com of the body in the link frame where its mass properties are numbers: then it may be turned about the axis
    on_ground   offsets then cost nothing
    """
    if any(e.value is None for e in joint.R.entries):
        inner = alignment(axis, exact)
        C: tuple[Turn | Cosines, ...] = (Cosines(joint.R), *inner.factors)
        toward, R = joint.R @ inner.matrix, inner.matrix.T
    else:
        inner = alignment(joint.direction(axis), exact)
        C, toward = inner.factors, inner.matrix
        R = cleaned_rotation(inner.matrix.T @ joint.R)
    turn = ZERO if solids is None else _best_turn(inner.k, R, hinges, solids, exact)
    if turn is not ZERO:
        R = cleaned_rotation(turned(inner.k, -turn) @ R)
    n = Matrix(3, 1, toward.column(inner.k))
    slide = _best_slide(inner.k, joint.p, n, R, hinges, on_ground)
    back = Matrix(3, 1, tuple(-slide if i == inner.k else ZERO for i in range(3)))
    return Seat(C, summed(joint.p, n * slide), inner.k, inner.sign, turn, Placement(R, back))


def _best_turn(k: int, R: Matrix, hinges: Sequence[Hinge], com: Matrix, exact: bool) -> Expr:
    """The angle about axis k by which B is turned so that axes and offsets of what hangs on it get zeros. Mostly none."""
    turned_in = Placement(R, zeros(3))
    axes = [turned_in.direction(h.axis) for h in hinges if h.kind in ("revolute", "continuous")]
    places = [turned_in.direction(h.position) for h in hinges]
    places.append(turned_in.direction(com))
    if any(e.value is None for v in (*axes, *places) for e in v.entries):
        return ZERO
    i, j = (k + 1) % 3, (k + 2) % 3
    candidates = [ZERO]
    for v in (*axes, *places):
        x, y = float(v[i]), float(v[j])
        if x != 0 and y != 0:
            beta = math.atan2(y, x)
            candidates.append(_angle(beta - round(beta * 2 / math.pi) * math.pi / 2, exact))

    def cost(beta: Expr) -> int:
        back = Placement(turned(k, -beta), zeros(3))
        turns = sum(15 * (_count(back.direction(a)) - 1) for a in axes)
        return turns + sum(5 * _count(back.direction(p)) for p in places) + (beta is not ZERO)

    return min(candidates, key=cost)


def _count(v: Matrix, without: int | None = None) -> int:
    """Components that are not zero. Those that rounding left after a turn are zero."""
    size = _size(v)
    return sum(
        i != without and e is not ZERO and (e.value is None or abs(float(e)) > 1e-14 * size)
        for i, e in enumerate(v.entries)
    )


def _best_slide(k: int, p: Matrix, n: Matrix, R: Matrix, hinges: Sequence[Hinge], on_ground: bool) -> Expr:
    """How far along its axis the origin of B is from that of the joint frame."""
    turned_in = Placement(R, zeros(3))
    places = [(turned_in.direction(h.position), _principal(turned_in.direction(h.axis)), h.kind) for h in hinges]
    candidates = [-p[i] / n[i] for i in range(3) if n[i].value is not None and n[i] is not ZERO]
    candidates += [ZERO, *(place[k] for place, _, _ in places)]

    def cost(slide: Expr) -> int:
        own = 0 if on_ground else _count(summed(p, n * slide))
        back = Matrix(3, 1, tuple(-slide if i == k else ZERO for i in range(3)))
        return own + sum(_count(summed(x, back), a) for x, a, kind in places if kind != "prismatic")

    return min(dict.fromkeys(candidates), key=cost)


def _principal(v: Matrix) -> int | None:
    """The coordinate axis along which a direction is."""
    return next((i for i in range(3) if all(v[j] is ZERO for j in range(3) if j != i)), None)


def seat_of_sliding(joint: Placement, hinges: Sequence[Hinge], com: Matrix | None) -> Seat:
    """For a joint that slides: B stays parallel to its parent, with its origin at that of the parent or of the joint frame."""

    def cost(origin: Matrix) -> int:
        places = [joint.point(h.position) - origin for h in hinges]
        places += [] if com is None else [joint.point(com) - origin]
        return sum(_count(p) for p in places) + _count(origin)

    origin = min((zeros(3), joint.p), key=cost)
    return Seat((), origin, 0, 1, ZERO, Placement(joint.R, summed(joint.p, -origin)))


def direction_of(axis: Sequence[float], snap: bool) -> Matrix:
    """A unit vector. `snap`: components below 1e-9 of the largest are zero."""
    most = max(abs(x) for x in axis)
    scaled = [x / most for x in axis]
    v = [0.0 if snap and abs(x) <= 1e-9 else x for x in scaled]
    length = math.hypot(*v)
    return vector(*(x / length for x in v))
