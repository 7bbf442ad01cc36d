"""Mass, mass centre, inertia; bodies of simple shape."""

from __future__ import annotations

import math
from array import array
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from random import Random
from typing import Any

from ...algebra.calculus.evaluate import evaluate
from ...algebra.calculus.symmetric_eigen import symmetric_eigen
from ...algebra.graph.graph import PI, ZERO, Expr, Number, Symbol, as_expr
from ...algebra.graph.matrix import Matrix, as_matrix, diagonal, dot, identity, matrix, outer, vector, zeros
from ...algebra.graph.walk import free_symbols
from ...argument_kinds import answered
from ...errors import EvaluationError, ExpressionError, ModelError, listed, shown
from ..frames.rotations import AXES


@answered
def inertia(xx: Any, yy: Any, zz: Any, xy: Any = 0, xz: Any = 0, yz: Any = 0) -> Matrix:
    """Inertia tensor from its entries, with the signs of the tensor (Ixy = -∫ x y dm).

    >>> sb.inertia(1, 2, 3, xy=-0.5)
    matrix([[1, -0.5, 0], [-0.5, 2, 0], [0, 0, 3]])

    See also: `Model`, `Body`, `bar`.
    """
    return matrix([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


@dataclass(frozen=True)
class MassProperties:
    """Mass, mass centre and central inertia of a body B, all in the body frame B."""

    m: Expr
    p_BoBcm: Matrix
    I_BBcm: Matrix

    def about(self, p_BoP: Any) -> Matrix:
        """Inertia about a point P of the body (parallel axes).

        I_BP = I_BBcm + m (r·r 1 - r rᵀ),   r = p_BoBcm - p_BoP
        """
        r = self.p_BoBcm - as_matrix(p_BoP)
        return self.I_BBcm + shift(self.m, r)

    @cached_property
    def is_particle(self) -> bool:
        return all(e is ZERO for e in self.I_BBcm.entries)

    @cached_property
    def is_massless(self) -> bool:
        return self.m is ZERO and self.is_particle

    @cached_property
    def is_literal(self) -> bool:
        """Whether mass and inertia are numbers."""
        return all(e.value is not None for e in (self.m, *self.I_BBcm.entries))


def shift(m: Expr, r: Matrix) -> Matrix:
    """m (r·r 1 - r rᵀ)"""
    return m * (dot(r, r) * identity(3) - outer(r, r))


def mass_properties(
    name: str, mass: Any, com: Any, tensor: Any, about: Any = None, physical: bool = True
) -> MassProperties:
    """Mass properties from user input; physically impossible values are refused.

    about      the point about which the inertia is given, where it is not the mass centre
    physical   False where an inertia is meant to be incomplete, as when only the spin of a wheel counts
    """
    part = f"body {name!r}"
    m, c, I = _scalar(part, "mass", mass), _place(part, "com", com), _tensor(name, tensor)
    terms = I  # whose rounding is in the difference below
    if about is not None:
        moved = shift(m, c - _place(part, "about", about))
        I, terms = I - moved, Matrix(3, 6, (*I.entries, *moved.entries))
    is_literal = all(e.op == "const" for e in (m, *c.entries, *I.entries))
    if not is_literal and (moving := [s for s in free_symbols(vector(m), c, I) if s.kind != "parameter"]):
        raise ModelError(
            f"body {name!r}: its mass properties change with {listed(moving)}; {_advice_on_change(m, moving)}"
        )
    if m.value is not None and (wrong := wrong_mass(m.value)):
        raise ModelError(f"body {name!r}: {wrong}")
    if physical and (is_literal or not free_symbols(terms)) and (wrong := _wrong_tensor(I, terms)):
        raise ModelError(f"body {name!r}: {wrong}")
    return MassProperties(m, c, I)


def _wrong_tensor(I: Matrix, terms: Matrix) -> str:
    """Why no body has a symmetric tensor without symbols as its inertia; empty if one can have it."""
    rows = evaluate(I)
    largest = _largest(rows if terms is I else evaluate(terms))
    return _wrong_moments(rows[0][0], rows[1][1], rows[2][2], rows[0][1], rows[0][2], rows[1][2], largest)


@lru_cache(maxsize=64)
def _wrong_moments(xx: float, yy: float, zz: float, xy: float, xz: float, yz: float, largest: float) -> str:
    """The same of six numbers; those of equal bodies are examined once."""
    return wrong_inertia([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]], largest)


def _advice_on_change(m: Expr, moving: Sequence[Symbol]) -> str:
    """A mass centre that moves is a frame that does; a mass that changes leaves with a momentum of its own."""
    if any(s in moving for s in free_symbols(m)):
        return (
            "a changing mass is not enough: the mass that leaves or joins carries momentum. Write the balance "
            "mass * a = F + mass' * (v of what leaves or joins - v) instead, of a rocket "
            "Model.balance(h, mass * h.dot.dot + mass * g - flow * exhaust_speed); kits.teaching.changing_mass writes it"
        )
    return "let a frame move, and fix the body to it"


def _scalar(part: str, option: str, value: Any) -> Expr:
    try:
        return as_expr(value)
    except ExpressionError as reason:
        raise ModelError(f"{part}: {option}= is a number or an expression; {reason}") from None


def _place(part: str, option: str, coordinates: Any) -> Matrix:
    """Three coordinates in the body frame."""
    try:
        column = as_matrix(list(coordinates))
    except (TypeError, ExpressionError):
        column = zeros(0)
    if column.shape != (3, 1):
        raise ModelError(f"{part}: {option}= needs three coordinates in the body frame, got {shown(coordinates)}")
    return column


def _tensor(name: str, tensor: Any) -> Matrix:
    """An inertia from three principal values, or from nine entries that are symmetric."""
    if tensor is None:
        return zeros(3, 3)
    try:
        I = as_matrix(list(tensor) if isinstance(tensor, (list, tuple)) else tensor)
    except (TypeError, ExpressionError):
        I = zeros(0)
    if I.shape == (3, 1):
        return diagonal(*I.entries)
    if I.shape != (3, 3):
        raise ModelError(
            f"body {name!r}: inertia= must be three principal values or a 3 by 3 tensor, such as inertia(xx, "
            f"yy, zz, xy, xz, yz), got {shown(tensor)}"
        )
    return _symmetric(name, I)


def _symmetric(name: str, I: Matrix) -> Matrix:
    """A tensor whose entries above the diagonal are those below it: to rounding, also where they are written
    differently, as after a rotation."""
    if all(I[i, j] is I[j, i] for i in range(3) for j in range(i)):
        return I
    numbers = _sample(I)
    for i in range(3):
        for j in range(i):
            if numbers is None or not abs(numbers[i][j] - numbers[j][i]) <= 1e-9 * _largest(numbers):
                raise ModelError(
                    f"body {name!r}: the inertia is not symmetric: entries {I[i, j]!r} and {I[j, i]!r}; inertia(xx, yy, zz, xy, xz, yz) "
                    "writes each once"
                )
    return Matrix(3, 3, tuple(I[min(i, j), max(i, j)] for i in range(3) for j in range(3)))


def _sample(I: Matrix) -> list[list[float]] | None:
    """Numbers of a tensor at random values of its symbols; None if it has no value at any of them."""
    rng, symbols = Random(0), free_symbols(I)
    for _ in range(20):
        try:
            return evaluate(I, {s: rng.uniform(0.1, 1) for s in symbols})
        except EvaluationError:
            continue
    return None


def _largest(numbers: Sequence[Sequence[float]]) -> float:
    return max(abs(x) for row in numbers for x in row)


# ----------------------------------------------------------------------------------------------------- what no body has


def wrong_mass(m: Number) -> str:
    """Why a number cannot be a mass; None if it can."""
    return f"negative mass {m}; give a positive one, or leave it out for a body without mass" if m < 0 else ""


def wrong_inertia(I: list[list[float]], terms: float = 0.0) -> str:
    """Why principal moments of inertia are impossible: a negative one, or one larger than the sum of the others;
    empty if they are possible.

    A principal moment that is zero was omitted because the body does not rotate about that axis: then there is no sum
    to compare with.

    terms   the largest number in the sums that the entries come from, where these are larger than the entries
    """
    a, b, c = sorted(symmetric_eigen(I)[0])
    if not math.isfinite(a + b + c):
        return f"the principal inertias {a:z.6g}, {b:z.6g}, {c:z.6g} are too large to compute with"
    rounding = 1e-9 * max(abs(a), abs(c)) + 1e-14 * terms
    if a >= -rounding and (a + b >= c - rounding or a <= rounding):
        return ""
    return (
        f"no body has the principal inertias {a:z.6g}, {b:z.6g}, {c:z.6g} (each must be positive and at most the sum "
        "of the others); pass physical=False if the tensor is meant to be incomplete"
    )


def wrong_size(kind: str, size: Number) -> str:
    """Why a number cannot be a length of a shape; None if it can."""
    return f"{kind}: its size must be positive, got {size}" if size <= 0 else ""


# -------------------------------------------------------------------------------------------------------- simple shapes


@dataclass(frozen=True)
class Shape:
    """A solid of uniform density for `Model.body(..., shape=)`, created by `sb.box`, `sb.read_solids` and similar
    functions.

    kind      "box", "solid", ...; determines how it is drawn
    size      its dimensions; `axis` is the coordinate axis along which it lies
    centre    its mass centre in the body frame
    content   the length, area or volume that multiplies the density
    gyration  inertia about the centre for unit mass, in the body frame
    surface   x, y, z of the corners of triangles in the body frame, of a solid that has no other size

    >>> sb.box(1, 2, 3).content, sb.box(1, 2, 3).inertia(12)
    (6, matrix([[13, 0, 0], [0, 10, 0], [0, 0, 5]]))

    See also: `Model.body`, `box`, `read_solids`.
    """

    kind: str
    size: tuple[Expr, ...]
    axis: str
    centre: Matrix
    content: Expr
    gyration: Matrix
    surface: array[float] | None = field(default=None, compare=False)

    def inertia(self, mass: Any) -> Matrix:
        """The inertia about the centre for a given mass."""
        return self.gyration * as_expr(mass)


def _along(axis: str, axial: Expr, transverse: Expr) -> tuple[Expr, Expr, Expr]:
    if not isinstance(axis, str) or axis not in AXES:
        raise ModelError(f"shape: {shown(axis)} is not an axis; use 'x', 'y' or 'z'")
    values = [transverse] * 3
    values[AXES[axis]] = axial
    return values[0], values[1], values[2]


def _shape(kind: str, size: Sequence[Any], axis: str, at: Any, content: Any, gyration: Any) -> Shape:
    sizes = tuple(as_expr(s) for s in size)
    if wrong := [w for s in sizes if s.value is not None and (w := wrong_size(kind, s.value))]:
        raise ModelError(wrong[0])
    return Shape(kind, sizes, axis, _place(kind, "at", at), as_expr(content), diagonal(*gyration))


@answered
def bar(length: Any, axis: str = "z", at: Any = (0, 0, 0)) -> Shape:
    """A thin bar along an axis; density is mass per length.

    >>> m = sb.Model("arm")
    >>> rod = m.body("rod", mass=3.0, shape=sb.bar(2.0, "x"))
    >>> rod.inertia().components(rod.frame)
    matrix([[0, 0, 0], [0, 1, 0], [0, 0, 1]])

    See also: `disc`, `box`, `Model`.
    """
    L = as_expr(length)
    return _shape("bar", [L], axis, at, L, _along(axis, ZERO, L**2 / 12))


@answered
def disc(radius: Any, axis: str = "z", at: Any = (0, 0, 0)) -> Shape:
    """A thin disc about an axis; density is mass per area.

    >>> m = sb.Model("wheel")
    >>> wheel = m.body("wheel", mass=2.0, shape=sb.disc(0.5, "y"))
    >>> wheel.inertia().components(wheel.frame)
    matrix([[0.125, 0, 0], [0, 0.25, 0], [0, 0, 0.125]])

    See also: `cylinder`, `bar`, `Model`.
    """
    r = as_expr(radius)
    return _shape("disc", [r], axis, at, PI * r**2, _along(axis, r**2 / 2, r**2 / 4))


@answered
def cylinder(radius: Any, length: Any, axis: str = "z", at: Any = (0, 0, 0)) -> Shape:
    """A solid cylinder; density is mass per volume.

    >>> m = sb.Model("roller")
    >>> roller = m.body("roller", mass=12.0, shape=sb.cylinder(1, 2, "x"))
    >>> roller.inertia().components(roller.frame)
    matrix([[6, 0, 0], [0, 7, 0], [0, 0, 7]])

    See also: `disc`, `bar`, `Model`.
    """
    r, L = as_expr(radius), as_expr(length)
    return _shape("cylinder", [r, L], axis, at, PI * r**2 * L, _along(axis, r**2 / 2, r**2 / 4 + L**2 / 12))


@answered
def sphere(radius: Any, at: Any = (0, 0, 0)) -> Shape:
    """A solid ball; density is mass per volume.

    >>> m = sb.Model("ball")
    >>> r = m.parameter("r")
    >>> ball = m.body("ball", mass=5, shape=sb.sphere(r))
    >>> ball.inertia().components(ball.frame)[0, 0]
    2*r**2

    See also: `shell`, `Ball`, `Model`.
    """
    r = as_expr(radius)
    g = r**2 * 2 / 5
    return _shape("sphere", [r], "z", at, PI * r**3 * 4 / 3, (g, g, g))


@answered
def shell(radius: Any, at: Any = (0, 0, 0)) -> Shape:
    """A thin spherical shell; density is mass per area.

    >>> m = sb.Model("ball")
    >>> r = m.parameter("r")
    >>> ball = m.body("ball", mass=3, shape=sb.shell(r))
    >>> ball.inertia().components(ball.frame)[0, 0]
    2*r**2

    See also: `sphere`, `Model`.
    """
    r = as_expr(radius)
    g = r**2 * 2 / 3
    return _shape("shell", [r], "z", at, PI * r**2 * 4, (g, g, g))


@answered
def torus(radius: Any, tube: Any, axis: str = "z", at: Any = (0, 0, 0)) -> Shape:
    """A solid torus about an axis, with tube radius r and centre-line radius R; density is mass per volume.

        V = 2 π² R r²,   I/m = R² + 3/4 r² about the axis,   R²/2 + 5/8 r² across

    >>> m = sb.Model("ring")
    >>> ring = m.body("ring", mass=8.0, shape=sb.torus(1, 0.5, "y"))
    >>> ring.inertia().components(ring.frame)
    matrix([[5.25, 0, 0], [0, 9.5, 0], [0, 0, 5.25]])

    See also: `disc`, `cylinder`, `Model.body`.
    """
    R, r = as_expr(radius), as_expr(tube)
    if R.value is not None and r.value is not None and r.value > R.value:
        raise ModelError(f"torus: its tube of radius {r.value} does not fit into a ring of radius {R.value}")
    gyration = _along(axis, R**2 + r**2 * 3 / 4, R**2 / 2 + r**2 * 5 / 8)
    return _shape("torus", [R, r], axis, at, 2 * PI**2 * R * r**2, gyration)


@answered
def box(x: Any, y: Any, z: Any, at: Any = (0, 0, 0)) -> Shape:
    """A solid box with these edges; density is mass per volume.

    >>> m = sb.Model("box")
    >>> box = m.body("box", density=1000, shape=sb.box(0.1, 0.2, 0.3))
    >>> round(float(sb.evaluate(box.mass.m)), 9)
    6.0

    See also: `bar`, `corners`, `Model`.
    """
    a, b, c = as_expr(x), as_expr(y), as_expr(z)
    g = ((b**2 + c**2) / 12, (a**2 + c**2) / 12, (a**2 + b**2) / 12)
    return _shape("box", [a, b, c], "z", at, a * b * c, g)
