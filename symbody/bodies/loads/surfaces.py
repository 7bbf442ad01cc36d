"""Contact surfaces: the gap between two of them, and their slip velocity at the closest points.

The point of a surface closest to a plane follows from its support function h: with n the normal and c its centre, the
gap is n·(c - p) - h(n) and the point is c - ∂h/∂n. The distance of two curved surfaces is known if one is a ball (or a
point) and the other an offset of a point, a line or a circle, or an ellipsoid; if both are crossed lines; and if both
are ellipsoids (`ellipsoids.py`).

    HalfSpace   below a plane through a point of a frame, across one of its axes
    Ball        of a radius around a point of a body; 0: the point itself
    Ring        a circle with a tube around it: a torus, a wheel; tube = 0: the edge of a disc
    Tube        around a line: a cylinder without ends; inside=True: a bore
    Ellipsoid   by its three half axes along those of a body: on planes, on each other, and balls on it
    HeightField terrain z = f(x, y): for balls and points
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from ...algebra.calculus.derivatives import derivative
from ...algebra.graph.functions import maximum, sqrt, where
from ...algebra.graph.graph import ZERO, Expr, Symbol, as_expr, symbol
from ...algebra.graph.matrix import Matrix, cross, dot, vector
from ...algebra.graph.walk import substitute_all
from ...argument_kinds import answered, answered_class, checked_flags_of_class
from ...errors import ModelError, shown
from ...summary import Introduced, one_line_tag
from ..frames.frames import Frame, three
from ..frames.points import Point
from ..frames.rotations import unit_vector
from ..frames.vectors import Vector
from ..mechanism.frame_places import frame_and_coordinates, frame_at
from .ellipsoids import PlacedEllipsoid, ellipsoids_near

# number of iterations for the foot of a perpendicular, enough to reach rounding for ratios of half axes up to ten
FOOT_ITERATIONS: Final = 9
FIELD_ITERATIONS: Final = 4


class PlacedSurface:
    """What all surfaces share: a place `at` on a body or frame; from a point, it is seen from there."""

    on: Any
    at: Any

    def __post_init__(self) -> None:
        frame, at = frame_and_coordinates(type(self).__name__, self.on, self.at)
        if isinstance(self.on, Point):
            object.__setattr__(self, "on", frame)
        object.__setattr__(self, "at", at)
        for name in ("radius", "tube"):
            size = as_expr(getattr(self, name, 0)).value
            if size is not None and not size >= 0:
                raise ModelError(f"{type(self).__name__}: {name} must not be negative, got {shown(size)}")


@answered_class
@dataclass(frozen=True, eq=False)
class HalfSpace(PlacedSurface):
    """A half-space bounded by a plane through a point of a body or frame. The normal is along an axis of that body or
    frame and points outwards.

    on   the body or frame that it is fixed to, or a point of the plane
    at   its point there: one of the plane

    >>> m = sb.Model("ball")
    >>> z = m.coordinate("z")
    >>> ball = m.body("ball", m.ground.translate(0, 0, z), mass=1.0, shape=sb.sphere(0.1))
    >>> sb.touch(sb.Ball(ball, 0.1), sb.HalfSpace(m.ground)).gap
    z - 0.1

    See also: `touch`, `Ball`, `corners`.
    """

    on: Any
    normal: Any = "z"
    at: Any = (0, 0, 0)


@answered_class
@checked_flags_of_class(ModelError)
@dataclass(frozen=True, eq=False)
class Ball(PlacedSurface):
    """A sphere with a radius about a point of a body or frame. With inside=True it is hollow and touched from within.

    on   the body or frame that it is fixed to, or the point at its centre
    at   its point there: the centre

    >>> m = sb.Model("balls")
    >>> x = m.coordinate("x")
    >>> one, other = sb.Ball(m.ground, 0.1), sb.Ball(m.ground.translate(x, 0, 0), 0.2)
    >>> sb.touch(other, one).gap
    abs(x) - 0.3

    See also: `touch`, `HalfSpace`, `Ellipsoid`.
    """

    on: Any
    radius: Any = 0
    at: Any = (0, 0, 0)
    inside: bool = False


@answered_class
@dataclass(frozen=True, eq=False)
class Ring(PlacedSurface):
    """A torus about an axis of a body: a wheel, or the edge of a disc (tube = 0).

    on       the body or frame that it is fixed to, or the point at its centre
    at       its point there: the centre of the circle
    radius   of the circle; `tube` is that of the tube around it, `axis` the direction of its axis

    >>> m = sb.Model("wheel")
    >>> z, lean = m.coordinates("z lean")
    >>> wheel = m.ground.translate(0, 0, z).rotate("x", lean)
    >>> sb.evaluate(sb.touch(sb.Ring(wheel, 0.3, axis="y"), sb.HalfSpace(m.ground)).gap, {z: 0.3, lean: 0.0})
    0.0

    See also: `touch`, `Tube`, `HalfSpace`.
    """

    on: Any
    radius: Any
    tube: Any = 0
    axis: Any = "z"
    at: Any = (0, 0, 0)


@answered_class
@checked_flags_of_class(ModelError)
@dataclass(frozen=True, eq=False)
class Tube(PlacedSurface):
    """An infinite cylinder about an axis of a body. With inside=True it is a bore, touched from within.

    on       the body or frame that it is fixed to, or a point of the axis
    at       its point there: one of the axis
    radius   of the cylinder; `axis` is the direction of its axis

    >>> m = sb.Model("bore")
    >>> x = m.coordinate("x")
    >>> pin = m.ground.translate(x, 0, 0)
    >>> sb.evaluate(sb.touch(sb.Ball(pin, 0.1), sb.Tube(m.ground, 0.5, inside=True)).gap, {x: 0.3})
    0.1

    See also: `touch`, `Ring`, `Ball`.
    """

    on: Any
    radius: Any
    axis: Any = "z"
    at: Any = (0, 0, 0)
    inside: bool = False


@answered_class
@dataclass(frozen=True, eq=False)
class Ellipsoid(PlacedSurface):
    """An ellipsoid with its principal axes along those of a body; a ball in contact with it must have its centre
    outside.

    on          the body or frame that it is fixed to, or the point at its centre
    at          its point there: the centre
    half_axes   along x, y and z of the body

    >>> m = sb.Model("egg")
    >>> z = m.coordinate("z")
    >>> egg = m.ground.translate(0, 0, z)
    >>> sb.evaluate(sb.touch(sb.Ellipsoid(egg, (0.1, 0.1, 0.2)), sb.HalfSpace(m.ground)).gap, {z: 0.5})
    0.3

    See also: `touch`, `Ball`, `HalfSpace`.
    """

    on: Any
    half_axes: Any
    at: Any = (0, 0, 0)


@answered_class
@dataclass(frozen=True, eq=False)
class HeightField(PlacedSurface):
    """Terrain: the surface z = f(x, y) of a frame, solid below it. Balls and points touch it (`touch(ball, field)`).

    on       the body or frame that it is fixed to, or the point where x = y = z = 0
    height   a function of two expressions x and y in m, which returns the height as an expression
    at       its point there: where x = y = z = 0

    The gap of a point is zero where the point is on the surface, and its distance to first order elsewhere. For a ball of
    radius r the foot of its centre is iterated; the remaining error is (r κ)⁵ of the radius on terrain of curvature κ.

    >>> m = sb.Model("ball on hills")
    >>> x, z = m.coordinates("x z")
    >>> hills = sb.HeightField(m.ground, lambda x, y: 0.1 * sb.sin(x))
    >>> found = sb.touch(m.ground.translate(x, 0, z).origin, hills)
    >>> sb.evaluate(found.gap, {x: 0.5, z: 0.1 * np.sin(0.5)})
    0.0

    See also: `touch`, `HalfSpace`, `Contact`.
    """

    on: Any
    height: Callable[[Expr, Expr], Any]
    at: Any = (0, 0, 0)


@dataclass(frozen=True, eq=False, repr=False)
class Touch(Introduced):
    """The nearest points of two surfaces, with gap and slip.

    gap      between them: for `Contact`
    slip     the speed of the first on the second along `tangents`
    normal   from the second towards the first
    point    on the second surface; on a HalfSpace, that of the first surface which is nearest to it
    spin     the relative angular velocity, along the normal first, then along the tangents

    >>> m = sb.Model("ball")
    >>> z = m.coordinate("z")
    >>> found = sb.touch(sb.Ball(m.ground.translate(0, 0, z), 0.1), sb.HalfSpace(m.ground))
    >>> found.gap, found.normal.in_ground, found.point.in_ground
    (z - 0.1, vector(0, 0, 1), vector(0, 0, z - 0.1))

    See also: `touch`, `Contact`.
    """

    gap: Expr
    slip: tuple[Expr, ...]
    normal: Vector
    point: Point
    tangents: tuple[Vector, ...]
    spin: tuple[Expr, ...]

    def __repr__(self) -> str:
        return one_line_tag(f"Touch: gap {self.gap}")


@answered
def touch(first: Any, second: Any, *, across: Any = None) -> Touch:
    """The gap and the slip of two surfaces: `Contact("floor", touch(Ball(ball, r), HalfSpace(m.ground)),
    friction=0.3)`.

    first, second   surfaces; a point is a ball of radius 0
    across          a vector normal to the plane of motion; slip then has the single direction across × normal

    `spin` of the result is the relative angular velocity, along the normal first, then along the tangents.

    >>> m = sb.Model("ball")
    >>> x, z = m.coordinates("x z")
    >>> ball = m.ground.translate(x, 0, z)
    >>> found = sb.touch(sb.Ball(ball, 0.1), sb.HalfSpace(m.ground), across=m.ground.y)
    >>> found.gap, found.slip
    (z - 0.1, (x_dot,))

    See also: `Contact`, `Ball`, `HalfSpace`, `bodies.Touch`.
    """
    a, b = (_surface(x) for x in (first, second))
    frame = _frame(b)
    n, p, gap = _normal_point_gap(a, b, frame)
    normal, point = Vector({frame: n}), Point(frame, p)
    tangents = _tangents(b, frame, n, across)
    one, other = _frame(a), frame
    v = _velocity_of_point(one, point) - _velocity_of_point(other, point)
    turning = one.angular_velocity() - other.angular_velocity()
    slip = tuple(v.dot(t) for t in tangents)
    return Touch(gap, slip, normal, point, tangents, tuple(turning.dot(t) for t in (normal, *tangents)))


@answered
def corners(body: Any, size: Any, at: Any = (0, 0, 0)) -> list[Point]:
    """The distinct corners of a box: eight in general, four of a rectangle (a, b, 0), two of an edge (a, 0, 0).

    >>> m = sb.Model("block")
    >>> y, a = m.coordinates("y a")
    >>> block = m.ground.translate(0, y, 0).rotate("z", a)
    >>> [c.in_ground[1] for c in sb.corners(block, (2, 1, 0))]
    [y - cos(a)/2 - sin(a), y + cos(a)/2 - sin(a), y - cos(a)/2 + sin(a), y + cos(a)/2 + sin(a)]

    See also: `box`, `touch`, `Contact`.
    """
    half = [e / 2 for e in three(size, "corners: size").entries]
    frame, centre = frame_and_coordinates("corners", body, at)
    signs = [(1,) if e.value == 0 else (-1, 1) for e in half]
    places = [(i, j, k) for i in signs[0] for j in signs[1] for k in signs[2]]
    return [Point(frame, centre + vector(*(s * e for s, e in zip(p, half, strict=True)))) for p in places]


# ---------------------------------------------------------------------------------------------------------- places


def _surface(given: Any) -> Any:
    if isinstance(given, Point):
        return Ball(given)
    if not isinstance(given, PlacedSurface):
        hint = (
            "; it has no surface: sb.Ball(body, radius), body.point(x, y, z) or sb.corners(body, size) say where it touches"
            if hasattr(given, "point")
            else ""
        )
        raise ModelError(
            f"touch: takes surfaces (HalfSpace, Ball, Ring, Tube, Ellipsoid, HeightField) and points, got {shown(given)}{hint}"
        )
    return given


def _frame(surface: Any) -> Frame:
    return frame_at(surface.on)


def _centre(surface: Any) -> Point:
    return Point(_frame(surface), surface.at)


def _velocity_of_point(frame: Frame, point: Point) -> Vector:
    """The velocity of the point of a frame that momentarily coincides with a given point."""
    if frame.is_ground:
        return Vector({})
    return frame.origin.velocity() + frame.angular_velocity().cross(point - frame.origin)


def _normal_point_gap(a: Any, b: Any, frame: Frame) -> tuple[Matrix, Matrix, Expr]:
    """Normal and nearest point of b in its frame, and the gap."""
    if isinstance(b, HalfSpace):
        return _on_plane(a, b, frame)
    if isinstance(b, HeightField) and isinstance(a, Ball) and not a.inside:
        return _on_field(a, b, frame)
    if isinstance(a, Ball) and not isinstance(b, HeightField):
        return _ball_near(a, b, frame)
    if isinstance(a, Tube) and isinstance(b, Tube) and not a.inside and not b.inside:
        return _tubes_crossed(a, b, frame)
    if isinstance(a, Ellipsoid) and (isinstance(b, Ellipsoid) or (isinstance(b, Ball) and not b.inside)):
        return ellipsoids_near(_ellipsoid(a), _ellipsoid(b), frame)
    kinds = f"{type(a).__name__} and {type(b).__name__}"
    raise ModelError(
        f"touch: {kinds} have no gap here; on a HalfSpace everything has, a Ball or a point (first) near Ball, "
        "Ring, Tube, Ellipsoid and HeightField, an Ellipsoid near an Ellipsoid, and a Tube across a Tube"
    )


# ---------------------------------------------------------------------------------------------------------- on planes


def _on_plane(a: Any, b: HalfSpace, frame: Frame) -> tuple[Matrix, Matrix, Expr]:
    if isinstance(a, (HalfSpace, Tube)) or getattr(a, "inside", False):
        raise ModelError(
            f"touch: {type(a).__name__} on a HalfSpace has no single contact point; use points, edges or rings"
        )
    n = unit_vector(b.normal, "HalfSpace: normal")
    own = Vector({frame: n}).components(_frame(a))
    height, reach = _support(a, own)
    c = _centre(a)
    low = c - Vector({_frame(a): reach})
    above = (c - _centre(b)).dot(Vector({frame: n}))
    gap = above - height
    return n, (low - frame.origin).components(frame), gap


def _support(a: Any, n: Matrix) -> tuple[Expr, Matrix]:
    """h(n) and its gradient, of a surface around its centre, in its own frame."""
    if isinstance(a, Ball):
        r = as_expr(a.radius)
        return r, r * n
    if isinstance(a, Ring):
        axis, R, rho = unit_vector(a.axis, "Ring: axis"), as_expr(a.radius), as_expr(a.tube)
        along = dot(n, axis)
        size = sqrt(1 - along**2)
        return R * size + rho, (R / size) * (n - along * axis) + rho * n
    squares = vector(*(e**2 for e in three(a.half_axes, "Ellipsoid: half_axes").entries))
    reach = vector(*(s * e for s, e in zip(squares.entries, n.entries, strict=True)))
    height = sqrt(dot(n, reach))
    return height, reach / height


def _on_field(a: Ball, b: HeightField, frame: Frame) -> tuple[Matrix, Matrix, Expr]:
    """The foot of the centre c, from the place below it by feet on tangent planes; of a point the place below it."""
    x, y = symbol("x_of_field", "variable"), symbol("y_of_field", "variable")
    given = as_expr(b.height(x, y))
    terms = [given, *(derivative(given, s) for s in (x, y))]
    c, r = (_centre(a) - _centre(b)).components(frame), as_expr(a.radius)
    foot, n = _place_on_field(terms, (x, y), c)
    for _ in range(0 if r is ZERO else FIELD_ITERATIONS):
        foot, n = _place_on_field(terms, (x, y), c - dot(n, c - foot) * n)
    return n, foot + (_centre(b) - frame.origin).components(frame), dot(n, c - foot) - r


def _place_on_field(terms: list[Expr], xy: tuple[Symbol, Symbol], near: Matrix) -> tuple[Matrix, Matrix]:
    """The place below or above a point, and the normal there, from f and its derivatives."""
    f, fx, fy = substitute_all(terms, dict(zip(xy, near.entries[:2], strict=True)))
    size = sqrt(1 + fx**2 + fy**2)
    return vector(*near.entries[:2], f), vector(-fx / size, -fy / size, 1 / size)


# --------------------------------------------------------------------------------------------------- a ball near others


def _ball_near(a: Ball, b: Any, frame: Frame) -> tuple[Matrix, Matrix, Expr]:
    """A ball near b, an offset surface of a point, a line or a circle: the distance to that core less both radii;
    inside a bore, the remaining distance to it."""
    if a.inside:
        raise ModelError("touch: a hollow Ball comes second, touched from within by a Ball or a point")
    centre = (_centre(a) - frame.origin).components(frame)
    if isinstance(b, Ellipsoid):
        return _ball_on_ellipsoid(as_expr(a.radius), b, centre)
    core, radius = _core(b, centre)
    away = centre - core
    if all(e.value == 0 for e in away.entries):
        raise ModelError(
            f"touch: the centre of the Ball is always in the middle of the {type(b).__name__}; they are on one part, and have no "
            "gap that changes"
        )
    distance = sqrt(dot(away, away))
    n = away / distance
    r = as_expr(a.radius)
    if getattr(b, "inside", False):
        return -n, core + radius * n, radius - r - distance
    return n, core + radius * n, distance - radius - r


def _ball_on_ellipsoid(r: Expr, b: Ellipsoid, centre: Matrix) -> tuple[Matrix, Matrix, Expr]:
    """The foot of the perpendicular from a point outside, x_i = a_i² p_i / (t + a_i²), with t > 0 the root of

        F(t) = Σ (a_i p_i / (t + a_i²))² - 1

    which is convex and falls: Newton's method from a place where F >= 0 rises to it, and doubles its digits at the end.
    """
    c = b.at
    p, squares = (centre - c).entries, [e**2 for e in three(b.half_axes, "Ellipsoid: half_axes").entries]
    terms = [s * x**2 for s, x in zip(squares, p, strict=True)]
    t: Expr = maximum(0, sqrt(terms[0] + terms[1] + terms[2]) - maximum(squares[0], maximum(squares[1], squares[2])))
    for a, x in zip(three(b.half_axes, "Ellipsoid: half_axes").entries, p, strict=True):
        t = maximum(t, a * abs(x) - a**2)
    for _ in range(FOOT_ITERATIONS):
        F: Expr = as_expr(-1)
        slope: Expr = as_expr(0)
        for s, e in zip(squares, terms, strict=True):
            share = e / (t + s) ** 2
            F, slope = F + share, slope - 2 * share / (t + s)
        t = t - F / slope
    foot = vector(*(s * x / (t + s) for s, x in zip(squares, p, strict=True)))
    away = centre - c - foot
    n = vector(*(x / s for s, x in zip(squares, foot.entries, strict=True)))
    n = n / sqrt(dot(n, n))
    return n, c + foot, dot(away, n) - r


def _ellipsoid(s: Any) -> PlacedEllipsoid:
    """Where an ellipsoid is, and its half axes; a ball has three that are alike."""
    if isinstance(s, Ball):
        if as_expr(s.radius).value == 0:
            raise ModelError("touch: a point comes first, near an Ellipsoid")
        return PlacedEllipsoid(_frame(s), _centre(s), vector(s.radius, s.radius, s.radius))
    return PlacedEllipsoid(_frame(s), _centre(s), three(s.half_axes, "Ellipsoid: half_axes"))


def _tubes_crossed(a: Tube, b: Tube, frame: Frame) -> tuple[Matrix, Matrix, Expr]:
    """Lines that are not parallel are nearest along n = d_a × d_b; edges are tubes of radius 0."""
    u = Vector({_frame(a): unit_vector(a.axis, "Tube: axis")}).components(frame)
    v = unit_vector(b.axis, "Tube: axis")
    between = (_centre(a) - frame.origin).components(frame) - b.at
    across, along = cross(u, v), dot(u, v)
    n = across / sqrt(dot(across, across))
    n = where(dot(between, n) >= 0, as_expr(1), as_expr(-1)) * n
    t = dot(between, v - along * u) / (1 - along**2)
    radius = as_expr(b.radius)
    foot = b.at + t * v + radius * n
    return n, foot, dot(between, n) - radius - as_expr(a.radius)


def _core(b: Any, p: Matrix) -> tuple[Matrix, Expr]:
    """The point of the core that is nearest to p, and the radius around it."""
    c = b.at
    if isinstance(b, Ball):
        return c, as_expr(b.radius)
    axis = unit_vector(b.axis, f"{type(b).__name__}: axis")
    along = dot(p - c, axis) * axis
    if isinstance(b, Tube):
        return c + along, as_expr(b.radius)
    across = p - c - along
    return c + (as_expr(b.radius) / sqrt(dot(across, across))) * across, as_expr(b.tube)


# ---------------------------------------------------------------------------------------------------------- tangents


def _tangents(b: Any, frame: Frame, n: Matrix, across: Any) -> tuple[Vector, ...]:
    if across is not None:
        return (Vector({frame: cross(across.components(frame), n)}),)
    first = _across(n) if isinstance(b, HalfSpace) else _orthogonal(n)
    return Vector({frame: first}), Vector({frame: cross(n, first)})


def _across(n: Matrix) -> Matrix:
    """A unit vector across a constant normal, along an axis of the frame where possible."""
    axes = [vector(*(int(i == k) for i in range(3))) for k in range(3)]
    for e in axes:
        if dot(e, n).value == 0:
            return e
    return _orthogonal(n)


def _orthogonal(n: Matrix) -> Matrix:
    """A unit vector across any normal, without a singularity (Duff and others 2017)."""
    x, y, z = n.entries
    s = where(z >= 0, as_expr(1), as_expr(-1))
    a = -1 / (s + z)
    return vector(1 + s * x**2 * a, s * x * y * a, -s * x)
