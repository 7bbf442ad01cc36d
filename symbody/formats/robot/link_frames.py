"""Constant placements, and the choice of body frames for a robot whose link frames were placed for convenience.

The link frames of a file cost operations: constant rotations between joints, offsets with three components. A body
frame B may be chosen: its orientation about the joint axis and the place of its origin on the axis are free. Here B is
parallel to its parent where the joint is at zero, wherever the axis is then along one of the parent's; otherwise one
constant turn (or two) brings it there. The origin slides along the axis to where fewest components of offsets are left
(Denavit and Hartenberg's freedom), rather outwards: up to the first offset from the ground no forces need to be
computed. Where the link frame is in B is kept.

Scalars here are Python's numbers, for speed, or expressions of parameters.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final, NamedTuple, TypeAlias

import symbody as sb

ROUNDING: Final = 1e-15  # what is smaller than this, compared with what it was computed from, is zero
GRID: Final = 12  # angles recognised as exact are multiples of pi / 12

Scalar: TypeAlias = Any  # a number of Python, or an expression
Vec: TypeAlias = tuple[Scalar, Scalar, Scalar]
Mat: TypeAlias = tuple[Vec, Vec, Vec]
ZERO: Final = sb.algebra.as_expr(0)
ORIGIN: Final[Vec] = (0, 0, 0)
UNTURNED: Final[Mat] = ((1, 0, 0), (0, 1, 0), (0, 0, 1))


# ---------------------------------------------------------------------------------------------------------- scalars


def is_zero(x: Scalar) -> bool:
    return x is ZERO if isinstance(x, sb.Expr) else bool(x == 0)


def is_number(*scalars: Scalar) -> bool:
    return not any(isinstance(x, sb.Expr) for x in scalars)


def size_of(*scalars: Scalar) -> float:
    """The largest of the numbers among them."""
    return max((abs(x) for x in scalars if not isinstance(x, sb.Expr)), default=0.0)


def without_rounding(x: Scalar, size: float) -> Scalar:
    """A number that is only rounding of others of this size is zero."""
    return x if isinstance(x, sb.Expr) or abs(x) > ROUNDING * size else 0


def product(a: Sequence[Scalar], b: Sequence[Scalar]) -> Scalar:
    """Σ a b, leaving out what is zero."""
    total: Scalar = 0
    for x, y in zip(a, b, strict=True):
        if not is_zero(x) and not is_zero(y):
            total = x * y + total
    return total


def vector_sum(a: Vec, b: Vec) -> Vec:
    x, y, z = (without_rounding(s + t, size_of(s, t)) for s, t in zip(a, b, strict=True))
    return x, y, z


def transpose(R: Mat) -> Mat:
    x, y, z = zip(*R, strict=True)
    return x, y, z


# ---------------------------------------------------------------------------------------------------------- placements


@dataclass(frozen=True, slots=True)
class LinkPlacement:
    """Where a frame F is in a frame P: rotation R_PF and position p_PoFo_P, both constant."""

    R: Mat = UNTURNED
    p: Vec = ORIGIN

    def __matmul__(self, other: LinkPlacement) -> LinkPlacement:
        return LinkPlacement(turned_by(self.R, other.R), self.point(other.p))

    def point(self, p: Vec) -> Vec:
        """Coordinates in P of a point of F."""
        return vector_sum(self.p, self.direction(p))

    def direction(self, v: Vec) -> Vec:
        if self.R is UNTURNED:
            return v
        size = size_of(*v)
        x, y, z = (without_rounding(product(row, v), size) for row in self.R)
        return x, y, z

    def tensor(self, I: Mat) -> Mat:
        """R I Rᵀ, symmetric to the last bit."""
        if self.R is UNTURNED:
            return I
        half = [[product(row, column) for column in I] for row in self.R]
        size = size_of(*(x for row in I for x in row))
        return symmetric([[without_rounding(product(h, row), size) for row in self.R] for h in half])

    def frame(self, parent: sb.Frame, name: str) -> sb.Frame:
        """The frame itself; the parent where they are the same."""
        if self.R is UNTURNED and all(map(is_zero, self.p)):
            return parent
        if self.R is UNTURNED:
            return parent.translate(*self.p, name=name)
        return parent.place(self.pose, name)

    @property
    def pose(self) -> list[list[Scalar]]:
        """[R p; 0 1]."""
        return [*([*row, x] for row, x in zip(self.R, self.p, strict=True)), [0, 0, 0, 1]]


def symmetric(X: Sequence[Sequence[Scalar]]) -> Mat:
    """The upper triangle on both sides."""
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = X
    return (xx, xy, xz), (xy, yy, yz), (xz, yz, zz)


def turned_by(A: Mat, B: Mat) -> Mat:
    """A B of two rotations; the identity is `UNTURNED` itself."""
    if A is UNTURNED or B is UNTURNED:
        return B if A is UNTURNED else A
    columns = transpose(B)
    x, y, z = ((*(_tidy(product(row, c)) for c in columns),) for row in A)
    made: Mat = x, y, z
    return UNTURNED if made == UNTURNED else made


def _tidy(x: Scalar) -> Scalar:
    """A cosine without rounding errors at 0 and ±1."""
    if isinstance(x, sb.Expr):
        return x
    return round(x) if abs(x) <= ROUNDING or abs(abs(x) - 1) <= ROUNDING else x


# ---------------------------------------------------------------------------------------------------------- rotations


def multiple_of_pi(angle: Scalar) -> Fraction | None:
    """k where the angle is k pi exactly."""
    ratio = (angle / sb.pi).value if isinstance(angle, sb.Expr) else None
    return Fraction(ratio) if isinstance(ratio, (int, Fraction)) else None


def cosine_and_sine(angle: Scalar) -> tuple[Scalar, Scalar]:
    """Exact where they are 0, ±1/2 or ±1; otherwise numbers, or expressions of parameters."""
    if not isinstance(angle, sb.Expr):
        return math.cos(angle), math.sin(angle)
    k = multiple_of_pi(angle)
    return (sb.cos(angle), sb.sin(angle)) if k is None else (_sine(k + Fraction(1, 2)), _sine(k))


def _sine(k: Fraction) -> float:
    """sin(k pi)"""
    k %= 2
    if k >= 1:
        return -_sine(k - 1)
    near = min(k, 1 - k) * 6
    return {0: 0, 1: 0.5, 3: 1}[int(near)] if near in (0, 1, 3) else math.sin(float(k) * math.pi)


def turn_matrix(axis: int, angle: Scalar) -> Mat:
    """The matrix of a turn about a coordinate axis."""
    c, s = (_tidy(x) for x in cosine_and_sine(angle))
    if c is not ZERO and is_zero(s) and not isinstance(c, sb.Expr) and c == 1:
        return UNTURNED
    i, j = (axis + 1) % 3, (axis + 2) % 3
    at = {(axis, axis): 1, (i, i): c, (j, j): c, (i, j): -s, (j, i): s}
    x, y, z = ((at.get((a, 0), 0), at.get((a, 1), 0), at.get((a, 2), 0)) for a in range(3))
    return x, y, z


def from_rpy(roll: Scalar, pitch: Scalar, yaw: Scalar) -> Mat:
    """Rz(yaw) Ry(pitch) Rx(roll): turns about fixed axes x, y, z one after the other."""
    R = UNTURNED
    for axis, angle in ((2, yaw), (1, pitch), (0, roll)):
        if not is_zero(angle):
            R = turned_by(R, turn_matrix(axis, angle))
    return R


class AxisTurn(NamedTuple):
    """A turn about a coordinate axis."""

    axis: int
    angle: Scalar

    def of(self, frame: sb.Frame) -> sb.Frame:
        return frame.rotate("xyz"[self.axis], self.angle)


class Alignment(NamedTuple):
    """A constant rotation C, turn by turn and as a matrix, and the coordinate axis k and sign with C (sign e_k) along a
    given direction."""

    turns: tuple[AxisTurn, ...]
    matrix: Mat
    k: int
    sign: int


def alignment(direction: Vec, exact: bool) -> Alignment:
    """With as few turns as there can be, and those small. `exact`: take angles within rounding of multiples of pi / 12
    for these."""
    k = max(range(3), key=lambda i: abs(direction[i]))
    sign = 1 if direction[k] > 0 else -1
    w = [sign * x for x in direction]
    i, j = (k + 1) % 3, (k + 2) % 3
    turns = [(j, math.atan2(w[i], w[k])), (i, -math.atan2(w[j], math.hypot(w[i], w[k])))]
    C, made = UNTURNED, []
    for axis, value in turns:
        if value != 0:
            angle = _angle(value, exact)
            made.append(AxisTurn(axis, angle))
            C = turned_by(C, turn_matrix(axis, angle))
    return Alignment(tuple(made), C, k, sign)


def _angle(value: float, exact: bool) -> Scalar:
    n = round(value * GRID / math.pi)
    return sb.pi * Fraction(n, GRID) if exact and abs(value - n * math.pi / GRID) <= 1e-13 else value


# ---------------------------------------------------------------------------------------------------------- choosing


@dataclass(frozen=True, slots=True)
class HingeLine:
    """A joint on a body, in the frame of the link: place, direction of its axis, kind."""

    position: Vec
    axis: Vec
    kind: str


@dataclass(frozen=True, slots=True)
class Seat:
    """How a body hangs on its parent P: a frame fixed in P, the axis of motion in it, and the link frame in B.

    at      where that frame is, but for the constant turns after it
    turn    the angle of B about axis k is sign · q + turn
    """

    at: LinkPlacement
    turns: tuple[AxisTurn, ...]
    k: int
    sign: int
    turn: Scalar
    link: LinkPlacement

    def frame(self, parent: sb.Frame, q: sb.Expr, name: str) -> sb.Frame:
        """B, as one frame on its parent."""
        fixed = self.at.frame(parent, f"{name}.seat")
        for turn in self.turns:
            fixed = turn.of(fixed)
        moved = AxisTurn(self.k, self.sign * q + self.turn).of(fixed)
        return parent.place(moved.pose_in(parent), name)


def seat_of_turning(
    joint: LinkPlacement, axis: Vec, hinges: Sequence[HingeLine], com: Vec | None, on_ground: bool, exact: bool
) -> Seat:
    """For a joint that turns about an axis of its frame, which is at `joint` in the parent's body frame.

    hinges      joints that hang on the body
    com         mass centre in the link frame, where mass properties are numbers: then B may be turned about the axis at
                no cost
    on_ground   offsets then cost nothing
    """
    if is_number(*(x for row in joint.R for x in row)):
        found = alignment(joint.direction(axis), exact)
        fixed = UNTURNED
        outwards, R = found.matrix, turned_by(transpose(found.matrix), joint.R)
        if found.matrix is UNTURNED:
            R = joint.R
    else:
        found = alignment(axis, exact)
        fixed = joint.R
        outwards, R = turned_by(joint.R, found.matrix), transpose(found.matrix)
        if found.matrix is UNTURNED:
            R = UNTURNED
    k = found.k
    turn = 0 if com is None else _best_turn(k, R, hinges, com, exact)
    if not is_zero(turn):
        R = turned_by(turn_matrix(k, -turn), R)
    n: Vec = tuple(row[k] for row in outwards)
    slide = _best_slide(k, joint.p, n, R, hinges, on_ground)
    at = LinkPlacement(fixed, _slid(joint.p, n, slide))
    return Seat(at, found.turns, k, found.sign, turn, LinkPlacement(R, _along(k, -slide)))


def _along(k: int, x: Scalar) -> Vec:
    return (x, 0, 0) if k == 0 else (0, x, 0) if k == 1 else (0, 0, x)


def _slid(p: Vec, n: Vec, slide: Scalar) -> Vec:
    x, y, z = (0 if is_zero(c) else c * slide for c in n)
    return vector_sum(p, (x, y, z))


def _best_turn(k: int, R: Mat, hinges: Sequence[HingeLine], com: Vec, exact: bool) -> Scalar:
    """The angle about axis k by which B is turned so that axes and offsets of what hangs on it get zeros. Mostly
    none."""
    inwards = LinkPlacement(R).direction
    axes = [inwards(h.axis) for h in hinges if h.kind in ("revolute", "continuous")]
    places = [inwards(com), *(inwards(h.position) for h in hinges)]
    if not is_number(*(x for v in (*axes, *places) for x in v)):
        return 0
    candidates: list[Scalar] = [0]
    for v in (*axes, *places):
        x, y = v[(k + 1) % 3], v[(k + 2) % 3]
        if x != 0 and y != 0:
            beta = math.atan2(y, x)
            candidates.append(_angle(beta - round(beta * 2 / math.pi) * math.pi / 2, exact))

    def cost(beta: Scalar) -> int:
        back = LinkPlacement(turn_matrix(k, -beta)).direction
        turns = sum(15 * (_count(back(a)) - 1) for a in axes)
        return turns + sum(5 * _count(back(p)) for p in places) + (not is_zero(beta))

    return min(candidates, key=cost)


def _count(v: Vec, without: int | None = None) -> int:
    """Components that are not zero; those that rounding left after a turn are."""
    least = 1e-14 * size_of(*v)
    return sum(i != without and (x is not ZERO if isinstance(x, sb.Expr) else abs(x) > least) for i, x in enumerate(v))


def _best_slide(k: int, p: Vec, n: Vec, R: Mat, hinges: Sequence[HingeLine], on_ground: bool) -> Scalar:
    """How far along its axis the origin of B is from that of the joint frame."""
    inwards = LinkPlacement(R).direction
    places = [(inwards(h.position), _principal(inwards(h.axis))) for h in hinges if h.kind != "prismatic"]
    # A small component of the axis would send the origin far away.
    candidates = [-p[i] / n[i] for i in range(3) if is_number(n[i]) and abs(n[i]) > 0.5]
    candidates += [0, *(place[k] for place, _ in places)]

    def cost(slide: Scalar) -> int:
        own = 0 if on_ground else _count(_slid(p, n, slide))
        return own + sum(_count(vector_sum(x, _along(k, -slide)), a) for x, a in places)

    return min(candidates, key=cost)


def _principal(v: Vec) -> int | None:
    """The coordinate axis along which a direction is."""
    return next((i for i in range(3) if all(is_zero(v[j]) for j in range(3) if j != i)), None)


def seat_of_sliding(joint: LinkPlacement, hinges: Sequence[HingeLine], com: Vec | None) -> Seat:
    """For a joint that slides: B stays parallel to its parent, with its origin at that of the parent or of the joint
    frame."""

    def cost(origin: Vec) -> int:
        back = LinkPlacement(p=(-origin[0], -origin[1], -origin[2]))
        places = [h.position for h in hinges] + ([] if com is None else [com])
        return sum(_count(back.point(joint.point(p))) for p in places) + _count(origin)

    origin = min((ORIGIN, joint.p), key=cost)
    rest = ORIGIN if origin is joint.p else joint.p
    return Seat(LinkPlacement(p=origin), (), 0, 1, 0, LinkPlacement(joint.R, rest))


def direction_of(axis: Vec, snap: bool) -> Vec:
    """A unit vector. `snap`: components below 1e-9 of the largest are zero."""
    most = max(abs(x) for x in axis)
    v = [x / most for x in axis]
    v = [0.0 if snap and abs(x) <= 1e-9 else x for x in v]
    x, y, z = (_tidy(c / math.hypot(*v)) for c in v)
    return x, y, z
