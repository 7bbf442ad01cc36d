"""Rotations as products of simple ones.

A rotation R_PF carries components in F to components in P. It is kept as its factors, so that vectors are turned factor
by factor (a simple rotation costs 4 multiplications and 2 additions), and so that neighbouring factors about one axis
add their angles.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, Final

from ...algebra.calculus.derivatives import time_derivative
from ...algebra.calculus.evaluate import evaluate
from ...algebra.graph.functions import cos, sin, sqrt
from ...algebra.graph.graph import ONE, PI, ZERO, Expr, as_expr
from ...algebra.graph.matrix import Matrix, as_matrix, dot, identity, matrix, outer, skew, vector, zeros
from ...algebra.graph.walk import free_symbols
from ...errors import ModelError, shown

ROUNDED_COSINE: Final = 2.0**-52  # largest component of a unit vector that is rounding of the others
AXES: Final = {"x": 0, "y": 1, "z": 2}
OTHER_AXES: Final = ((1, 2), (2, 0), (0, 1))  # after each, in cyclic order
SEQUENCES: Final = {"euler": "zxz", "cardan": "xyz", "tait-bryan": "zyx", "yaw-pitch-roll": "zyx"}


@dataclass(frozen=True)
class Turn:
    """A rotation about one of the coordinate axes."""

    axis: int
    angle: Expr

    @property
    def inverse(self) -> Turn:
        return Turn(self.axis, -self.angle)

    def __getstate__(self) -> dict[str, Any]:
        """Of pickles, which are the same whether its sine and cosine were requested or not."""
        return {"axis": self.axis, "angle": self.angle}

    @cached_property
    def sine_and_cosine(self) -> tuple[Expr, Expr]:
        """Of its angle."""
        return sin(self.angle), cos(self.angle)

    def __call__(self, v: Matrix) -> Matrix:
        """Components before the turn, of a vector given after it."""
        s, c = self.sine_and_cosine
        i, j = OTHER_AXES[self.axis]
        x, y = v.entries[i], v.entries[j]
        if y is ZERO:
            return v if x is ZERO else self._with_others(v, c * x, s * x)
        if x is ZERO:
            return self._with_others(v, -(s * y), c * y)
        return self._with_others(v, c * x - s * y, s * x + c * y)

    def inwards(self, v: Matrix) -> Matrix:
        """Components after the turn, of a vector given before it: with the sine and cosine of the same angle."""
        s, c = self.sine_and_cosine
        i, j = OTHER_AXES[self.axis]
        x, y = v.entries[i], v.entries[j]
        if y is ZERO:
            return v if x is ZERO else self._with_others(v, c * x, -(s * x))
        if x is ZERO:
            return self._with_others(v, s * y, c * y)
        first, sine_part = c * x + s * y, s * x
        return self._with_others(v, first, c * y - sine_part)

    def _with_others(self, v: Matrix, x: Expr, y: Expr) -> Matrix:
        """A vector with other components about the axis, in cyclic order after it."""
        a, b, c = v.entries
        return Matrix(3, 1, (a, x, y) if self.axis == 0 else (y, b, x) if self.axis == 1 else (x, y, c))

    def spin(self) -> Matrix:
        """Angular velocity of the turn, the same in both frames."""
        rate = time_derivative(self.angle)
        return Matrix(3, 1, tuple(rate if i == self.axis else ZERO for i in range(3)))


@dataclass(frozen=True)
class Cosines:
    """A rotation by its matrix of direction cosines, and its angular velocity where that is known in a simpler form."""

    matrix: Matrix
    known_spin: Matrix | None = None

    @property
    def inverse(self) -> Cosines:
        return Cosines(self.matrix.T, None if self.known_spin is None else -(self.matrix @ self.known_spin))

    def __call__(self, v: Matrix) -> Matrix:
        return self.matrix @ v

    def inwards(self, v: Matrix) -> Matrix:
        return self.matrix.T @ v

    def spin(self) -> Matrix:
        """Angular velocity after the rotation: ω̃ = Rᵀ R'."""
        if self.known_spin is not None:
            return self.known_spin
        rate = time_derivative(self.matrix)
        if all(e is ZERO for e in rate.entries):
            return vector(0, 0, 0)
        w = self.matrix.T @ rate
        return vector(w[2, 1], w[0, 2], w[1, 0])


Factor = Turn | Cosines


@dataclass(frozen=True)
class Rotation:
    """A product of simple rotations, from the outer frame to the inner one."""

    factors: tuple[Factor, ...] = ()

    def __getstate__(self) -> dict[str, Any]:
        """Of pickles, which are the same whether its matrix and inverse were requested or not."""
        return {"factors": self.factors}

    def __matmul__(self, other: Rotation) -> Rotation:
        """One rotation after the other; turns that meet about one axis become one."""
        factors = list(self.factors)
        for f in other.factors:
            last = factors[-1] if factors else None
            if isinstance(f, Turn) and isinstance(last, Turn) and last.axis == f.axis:
                factors.pop()
                merged = Turn(f.axis, last.angle + f.angle)
                if merged.angle is not ZERO:
                    factors.append(merged)
            else:
                factors.append(f)
        return Rotation(tuple(factors))

    @cached_property
    def inverse(self) -> Rotation:
        return Rotation(tuple(f.inverse for f in reversed(self.factors)))

    @property
    def is_identity(self) -> bool:
        return not self.factors

    @property
    def written(self) -> tuple[Expr, ...]:
        """Angles and direction cosines of the factors."""
        found: list[Expr] = []
        for f in self.factors:
            found += (f.angle,) if isinstance(f, Turn) else f.matrix.entries
        return tuple(found)

    def outwards(self, v: Matrix) -> Matrix:
        """Components in the outer frame, of a vector given in the inner one: R v."""
        for f in reversed(self.factors):
            v = f(v)
        return v

    def inwards(self, v: Matrix) -> Matrix:
        """Components in the inner frame, of a vector given in the outer one: Rᵀ v."""
        for f in self.factors:
            v = f.inwards(v)
        return v

    @cached_property
    def matrix(self) -> Matrix:
        columns = [self.outwards(e) for e in (vector(1, 0, 0), vector(0, 1, 0), vector(0, 0, 1))]
        return Matrix(3, 3, tuple(columns[j][i] for i in range(3) for j in range(3)))

    def spin(self) -> Matrix:
        """Angular velocity of the inner frame in the outer one, in components of the inner one."""
        if not self.factors:
            return zeros(3)
        w = self.factors[0].spin()
        for f in self.factors[1:]:
            w = f.inwards(w) + f.spin()
        return w


def unit_vector(axis: Any, what: str = "axis") -> Matrix:
    """A unit vector from "x", "-y", or three components (which are normalised)."""
    if isinstance(axis, str):
        name, sign = (axis[1:], -1) if axis.startswith("-") else (axis, 1)
        if name not in AXES:
            raise ModelError(
                f"{what}: {shown(axis)} is not an axis; use 'x', 'y', 'z', '-x', '-y', '-z' or three components"
            )
        return vector(*(sign if i == AXES[name] else 0 for i in range(3)))
    v = as_matrix(axis)
    if v.shape != (3, 1):
        raise ModelError(f"{what}: an axis has three components, got {shown(axis)}")
    v = _without_rounding(v)
    length = sqrt(dot(v, v))
    if length is ZERO:
        raise ModelError(f"{what}: the axis {shown(axis)} has no direction")
    return v if length is ONE else v / length


def _without_rounding(v: Matrix) -> Matrix:
    """Numbers, without components that rounding of the others leaves: (1, 0, cos(π/2)) is along x."""
    sizes = [abs(float(e.value)) for e in v.entries if e.value is not None]
    if len(sizes) < 3:
        return v
    return Matrix(
        3, 1, tuple(ZERO if x <= ROUNDED_COSINE * max(sizes) else e for x, e in zip(sizes, v.entries, strict=True))
    )


def exact_angle(angle: Any) -> Expr:
    """An angle; a floating-point number next to a multiple of π/2 is that multiple. The cosine of such a number is 6e-17
    instead of zero, a direction in which forces would act."""
    theta = as_expr(angle)
    if isinstance(theta.value, float):
        n = round(theta.value / (math.pi / 2))
        if n and abs(theta.value - n * (math.pi / 2)) <= math.ulp(theta.value):
            return Fraction(n, 2) * PI
    return theta


def about(axis: Any, angle: Any, what: str = "rotation") -> Rotation:
    """Rotation about an axis by an angle."""
    theta = exact_angle(angle)
    if isinstance(axis, str) and axis in AXES:
        return Rotation((Turn(AXES[axis], theta),)) if theta is not ZERO else Rotation()
    n = unit_vector(axis, what)
    for i in range(3):
        if all(n[j] is ZERO for j in range(3) if j != i):
            return Rotation((Turn(i, theta if n[i] is ONE else -theta),)) if theta is not ZERO else Rotation()
    c, s = cos(theta), sin(theta)
    turned = c * identity(3) + s * skew(n) + (1 - c) * outer(n, n)
    return Rotation((Cosines(turned, None if _moves(n) else n * time_derivative(theta)),))


def _moves(n: Matrix) -> bool:
    return any(s.kind != "parameter" for s in free_symbols(n))


def sequence(name: str, angles: Sequence[Any], space_fixed: bool = False) -> Rotation:
    """A sequence of rotations about axes: "zxz", "xyz", ..., or one of the names euler, cardan, yaw-pitch-roll.

    Each rotation is about an axis of the frame that results from the previous ones. Space-fixed rotations are about
    axes of the first frame, which is the same sequence in reverse order: R_z R_y R_x instead of R_x R_y R_z.
    """
    axes = SEQUENCES.get(name.lower(), name.lower())
    if len(axes) != len(angles) or any(a not in AXES for a in axes):
        known = ", ".join(SEQUENCES)
        raise ModelError(
            f"rotation sequence {name!r} with {len(angles)} angles: use letters x, y, z, one for each angle, or {known}"
        )
    out = Rotation()
    turns = list(zip(axes, angles, strict=True))
    for a, q in reversed(turns) if space_fixed else turns:
        out = out @ about(a, q)
    return out


def from_cosines(entries: Any, what: str = "direction cosines") -> Rotation:
    """Rotation given by its matrix; numeric matrices that are not rotations are refused."""
    m = as_matrix(entries)
    if m.shape != (3, 3):
        raise ModelError(f"{what}: need a 3 by 3 matrix, got shape {m.shape}")
    if (off := _distance_from_orthogonal(m)) > 1e-9:
        raise ModelError(f"{what}: the matrix is not orthogonal (R Rᵀ differs from 1 by {off:z.3g})")
    return Rotation() if m == identity(3) else Rotation((Cosines(m),))


def _distance_from_orthogonal(R: Matrix) -> float:
    """The largest entry of R Rᵀ - 1 that is a number."""
    numbers = [e.value for e in R.entries]
    if None in numbers:
        product = (R @ R.T - identity(3)).entries
        return max((abs(float(e.value)) for e in product if e.value is not None), default=0.0)
    rows = [[float(x) for x in numbers[k : k + 3] if x is not None] for k in (0, 3, 6)]
    return max(abs(sum(x * y for x, y in zip(a, b, strict=True)) - (a is b)) for a in rows for b in rows)


def from_euler_parameters(e: Sequence[Any], spin: Matrix | None = None, what: str = "Euler parameters") -> Rotation:
    """Rotation by Euler parameters, scalar first, of norm one; numbers of another norm are refused.

    R = (2 e0² - 1) 1 + 2 (e eᵀ + e0 ẽ)

    spin   angular velocity in the inner frame, if it has its own name
    """
    e0, e1, e2, e3 = _of_norm_one(e, what)
    cosines = matrix(
        [
            [1 - 2 * (e2 * e2 + e3 * e3), 2 * (e1 * e2 - e0 * e3), 2 * (e1 * e3 + e0 * e2)],
            [2 * (e1 * e2 + e0 * e3), 1 - 2 * (e1 * e1 + e3 * e3), 2 * (e2 * e3 - e0 * e1)],
            [2 * (e1 * e3 - e0 * e2), 2 * (e2 * e3 + e0 * e1), 1 - 2 * (e1 * e1 + e2 * e2)],
        ]
    )
    return Rotation((Cosines(cosines, _euler_parameter_spin(e) if spin is None else spin),))


def _of_norm_one(e: Sequence[Any], what: str) -> list[Expr]:
    """Four Euler parameters; where they are numbers, their squares sum to one."""
    if len(e) != 4:
        raise ModelError(f"{what}: there are four Euler parameters, scalar first, got {len(e)}: {shown(e)}")
    parameters = [as_expr(x) for x in e]
    square = sum((x * x for x in parameters), ZERO)
    if free_symbols(square):
        return parameters
    norm = math.sqrt(evaluate(square))
    if norm == 0:
        raise ModelError(
            f"{what}: all four Euler parameters are zero, which is not a rotation; the identity is (1, 0, 0, 0)"
        )
    if abs(norm - 1) > 1e-9:
        near = ", ".join(f"{evaluate(x) / norm:z.15g}" for x in parameters)
        raise ModelError(
            f"{what}: Euler parameters have norm one, these have {norm:z.6g}: {shown(e)}; divided by it they "
            f"are ({near})"
        )
    return parameters


def _euler_parameter_spin(e: Sequence[Any]) -> Matrix:
    """ω = 2 H e' in the inner frame (Tuomela and others, eq. 3.3)."""
    e0, e1, e2, e3 = (as_expr(x) for x in e)
    d0, d1, d2, d3 = (time_derivative(as_expr(x)) for x in e)
    return 2 * vector(
        e0 * d1 - e1 * d0 + e3 * d2 - e2 * d3,
        e0 * d2 - e2 * d0 + e1 * d3 - e3 * d1,
        e0 * d3 - e3 * d0 + e2 * d1 - e1 * d2,
    )


def euler_parameter_rates(e: Sequence[Any], w: Sequence[Any]) -> list[Expr]:
    """Rates of Euler parameters for an angular velocity w in the inner frame: e' = ½ Hᵀ w (Tuomela and others, eq.
    3.3)."""
    e0, e1, e2, e3 = (as_expr(x) for x in e)
    x, y, z = (as_expr(c) for c in w)
    return [
        (-e1 * x - e2 * y - e3 * z) / 2,
        (e0 * x - e3 * y + e2 * z) / 2,
        (e3 * x + e0 * y - e1 * z) / 2,
        (-e2 * x + e1 * y + e0 * z) / 2,
    ]


def aligning(a: Any, b: Any, c: Any, d: Any, what: str = "joint") -> Rotation:
    """The rotation R with R a = b and R c = d, for two pairs of orthogonal unit vectors (Lynch, appendix A)."""
    pairs = [(unit_vector(x, what), unit_vector(y, what)) for x, y in ((a, c), (b, d))]
    for x, y in pairs:
        product = dot(x, y)
        if product.value is not None and abs(float(product)) > 1e-9:
            raise ModelError(
                f"{what}: the reference vector must be perpendicular to the axis (their product is {product})"
            )
    inner, outer_ = (Matrix(3, 3, (*x.entries, *y.entries, *x.cross(y).entries)).T for x, y in pairs)
    return from_cosines(outer_ @ inner.T, what)
