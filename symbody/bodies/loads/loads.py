"""Loads: constructors of forces, torques and potentials, with their reactions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import takewhile
from types import MappingProxyType
from typing import Any

from ...algebra.calculus.derivatives import time_derivative
from ...algebra.graph.functions import sqrt, tanh, where
from ...algebra.graph.graph import ZERO, Expr, Symbol, as_expr
from ...algebra.graph.matrix import Matrix, cross, dot
from ...algebra.graph.walk import free_symbols
from ...errors import ModelError
from ..frames.frames import Frame
from ..frames.points import Point
from ..frames.vectors import Vector
from ..joints.joint_options import JointLoads
from ..mechanism.late_loads import late_load
from ..mechanism.mechanism import Action, Body, Load
from ..mechanism.recipes import LoadRecipe


def force(name: str, vector: Vector, at: Point, on: Frame, reacting: Frame | None) -> Load:
    """A force at a point on a body; its reaction acts at the same place on another."""
    actions = [Action(on, force=vector, at=at)]
    if reacting is not None:
        actions.append(Action(reacting, force=-vector, at=at))
    return Load(name, "force", tuple(actions))


def torque(name: str, vector: Vector, on: Frame, reacting: Frame | None) -> Load:
    actions = [Action(on, torque=vector)]
    if reacting is not None:
        actions.append(Action(reacting, torque=-vector))
    return Load(name, "torque", tuple(actions))


class GravityLoad(Load):
    """Uniform gravity: m g on every body; V = -m g · r, gathered along the tree: g · r = Σ g · p over the frames on the
    way, each in the frame it hangs on.

    Forces and potential follow from the bodies and are made on first use: the recursion needs neither.
    """

    heavy: tuple[Body, ...]
    acceleration: Vector

    def __init__(self, name: str, bodies: Iterable[Body], acceleration: Vector) -> None:
        heavy = tuple(b for b in bodies if not b.mass.is_massless)
        own = {"name": name, "kind": "gravity", "on_rates": MappingProxyType({}), "remark": ""}
        self.__dict__.update(own, heavy=heavy, acceleration=acceleration)

    def __getstate__(self) -> dict[str, Any]:
        return {k: v for k, v in vars(self).items() if k not in ("actions", "potential", "by_body")}

    @property
    def frames(self) -> tuple[Frame, ...]:
        return tuple(b.mass_frame for b in self.heavy)

    @property
    def written(self) -> tuple[Any, ...]:
        """The weight of one body, in place of all where these are rigid."""
        few = self.heavy[: 1 if all(b.moments is None for b in self.heavy) else None]
        return tuple(x for a in map(self._weight, few) for x in (a.at, a.force))

    @property
    def has_potential(self) -> bool:
        return not _follows_motion(self.acceleration)

    @cached_property
    def actions(self) -> tuple[Action, ...]:
        """The weight of every body."""
        return tuple(map(self._weight, self.heavy))

    def _weight(self, b: Body) -> Action:
        return Action(b.mass_frame, force=b.mass.m * self.acceleration, at=b.mass_centre)

    @cached_property
    def potential(self) -> Expr | None:
        """Their sum; None if gravity moves with the coordinates."""
        return sum(self.by_body.values(), as_expr(0)) if self.by_body or not self.heavy else None

    @cached_property
    def by_body(self) -> Mapping[str, Expr]:
        """The potential energy of each body."""
        potentials = tuple(self.potentials_of_bodies())
        return MappingProxyType({b.name: V for b, V in zip(self.heavy, potentials, strict=True)} if potentials else {})

    def potentials_of_bodies(self) -> Iterator[Expr]:
        """The potential energy of one body after the other; of none if gravity moves with the coordinates."""
        if _follows_motion(self.acceleration):
            return
        known: dict[Frame, tuple[Matrix, Expr]] = {}  # components of g in a frame, and g · r at its origin
        for b in self.heavy:
            ground = b.frame.root
            known.setdefault(ground, (self.acceleration.components(ground), as_expr(0)))
            for f in reversed(tuple(takewhile(lambda f: f not in known, b.frame.ancestors()))):
                g, level = known[f.parent]  # type: ignore[index]
                known[f] = f.rotation.inwards(g), level + dot(g, f.offset)
            g, level = known[b.frame]
            yield -(b.mass.m * (level + dot(g, b.mass.p_BoBcm)))


def _field(name: str, actions: tuple[Action, ...], by_body: Mapping[str, Expr]) -> Load:
    """A field of gravity; without potential where it moves with the coordinates."""
    potential = sum(by_body.values(), as_expr(0)) if by_body or not actions else None
    return Load(name, "gravity", actions, potential, by_body=by_body)


def _follows_motion(v: Vector) -> bool:
    """Whether a vector depends on the coordinates, so that a force along it has no potential."""
    ground = next((f.root for f in v.terms), None)
    return ground is not None and any(s.kind == "coordinate" for s in free_symbols(v.components(ground)))


@dataclass(frozen=True)
class UniformGravity:
    """Gravity that acts on all bodies, or on some only."""

    name: str
    acceleration: Vector
    on: tuple[Body, ...] = ()

    def load(self, bodies: tuple[Body, ...]) -> Load:
        return GravityLoad(self.name, self.on or bodies, self.acceleration)


@dataclass(frozen=True)
class CentralGravity:
    """Attraction of all bodies, or of some, to a point; `has_gradient`: also by the change of the attraction over each
    body."""

    name: str
    strength: Expr
    centre: Point
    has_gradient: bool = False
    on: tuple[Body, ...] = ()

    def load(self, bodies: tuple[Body, ...]) -> Load:
        return central_gravity(self, self.on or bodies)


def central_gravity(of: CentralGravity, bodies: Iterable[Body]) -> Load:
    """Attraction to a point, on every body: μ m / r² at its mass centre; with gradient, MacCullagh's formula to second
    order in size / distance.

        V = -μ m / r - μ / (2 r³) (tr I - 3 n·I·n)
        F = -μ m / r² n - 3 μ / (2 r⁴) ((tr I) n + 2 I·n - 5 (n·I·n) n),   M = 3 μ / r³ n × I·n

    n = r / |r| from the centre to the mass centre, I the central inertia (Hughes, Spacecraft Attitude Dynamics, 8.1 and
    9.1).
    """
    actions: list[Action] = []
    by_body: dict[str, Expr] = {}
    for b in bodies:
        if b.mass.is_massless:
            continue
        r = b.mass_centre - of.centre
        distance = r.magnitude()
        actions.append(Action(b.mass_frame, force=-(of.strength * b.mass.m / distance**3) * r, at=b.mass_centre))
        by_body[b.name] = -(of.strength * b.mass.m / distance)
        if of.has_gradient and b.moments is not None:
            raise ModelError(
                f"gravity {of.name!r}: the gradient is available only for rigid bodies, and {b.name!r} deforms; "
                "omit gradient=True, or select other bodies with on="
            )
        if of.has_gradient and not b.mass.is_particle:
            more, energy = _gravity_gradient(of.strength, b, r, distance)
            actions += more
            by_body[b.name] = by_body[b.name] + energy
    return _field(of.name, tuple(actions), {} if _follows_motion(of.centre.position()) else by_body)


def _gravity_gradient(mu: Expr, b: Body, r: Vector, distance: Expr) -> tuple[list[Action], Expr]:
    """The second-order terms of force, torque and potential energy on one body."""
    I, n = b.mass.I_BBcm, r.components(b.frame) / distance
    trace, In = I[0, 0] + I[1, 1] + I[2, 2], I @ n
    along = dot(n, In)
    force = -(3 * mu / (2 * distance**4)) * (trace * n + 2 * In - 5 * along * n)
    torque = (3 * mu / distance**3) * cross(n, In)
    pair = [
        Action(b.frame, force=Vector({b.frame: force}), at=b.mass_centre),
        Action(b.frame, torque=Vector({b.frame: torque})),
    ]
    return pair, -mu / (2 * distance**3) * (trace - 3 * along)


@dataclass(frozen=True)
class Spring:
    """Spring, damper and actuator between two points a and b, as expressions: for outputs, events and plots."""

    name: str
    a: Point
    b: Point
    stiffness: Expr
    rest: Expr
    damping: Expr
    actuation: Expr

    @cached_property
    def length(self) -> Expr:
        """l = |b - a|."""
        return (self.b - self.a).magnitude()

    @cached_property
    def rate(self) -> Expr:
        """l'."""
        return time_derivative(self.length)

    @cached_property
    def tension(self) -> Expr:
        """The force that pulls the points together: k (l - l0) + c l' - τ."""
        return self.stiffness * (self.length - self.rest) + self.damping * self.rate - self.actuation

    @cached_property
    def energy(self) -> Expr:
        """The potential energy ½ k (l - l0)²."""
        return self.stiffness * (self.length - self.rest) ** 2 / 2

    @cached_property
    def force(self) -> Vector:
        """The force on b, towards a where the tension is positive; its opposite acts on a."""
        return (-self.tension / self.length) * (self.b - self.a)


@dataclass(frozen=True)
class RotationalSpring:
    """Spring, damper and actuator about an axis, as expressions: for outputs, events and plots."""

    name: str
    angle: Expr
    stiffness: Expr
    rest: Expr
    damping: Expr
    actuation: Expr

    @cached_property
    def rate(self) -> Expr:
        """The rate of the angle."""
        return time_derivative(self.angle)

    @cached_property
    def torque(self) -> Expr:
        """On the child about the axis: -k (θ - θ0) - c θ' + τ."""
        return -self.stiffness * (self.angle - self.rest) - self.damping * self.rate + self.actuation

    @cached_property
    def energy(self) -> Expr:
        """The potential energy ½ k (θ - θ0)²."""
        return self.stiffness * (self.angle - self.rest) ** 2 / 2


def between_points(
    name: str, a: Point, b: Point, on: Frame, reacting: Frame,
    stiffness: Expr, rest: Expr, damping: Expr, actuation: Expr,
) -> list[Load]:  # fmt: skip
    """Translational spring-damper-actuator: pulls a and b together by k (l - l0) + c l' - τ along the line between
    them.

    At length zero the direction is lost: a spring without rest length is written without it.
    """
    ends, frames = (a, b, on, reacting), (on, reacting)
    loads: list[Load] = []
    if stiffness.value != 0 or not rest_is_zero(rest):
        remark = "has the rest length 0, as it would without rest=" if rest_is_zero(rest) else ""
        recipe = LoadRecipe(_spring, (*ends, stiffness, rest), frames, has_potential=True)
        loads.append(late_load(name, "spring", recipe, (a.frame, b.frame), remark))
    for kind, make, size in (("damper", _damper, damping), ("actuator", _actuator, actuation)):
        if size.value != 0:
            loads.append(late_load(f"{name}.{kind}", kind, LoadRecipe(make, (*ends, size), frames), (a.frame, b.frame)))
    return loads


def _spring(name: str, a: Point, b: Point, on: Frame, reacting: Frame, stiffness: Expr, rest: Expr) -> Load:
    line = b - a
    if rest_is_zero(rest):
        return Load(name, "spring", _pair(stiffness * line, a, b, on, reacting), stiffness * line.dot(line) / 2)
    length = line.magnitude()
    stretch = length - rest
    pull = (stiffness * stretch / length) * line
    return Load(name, "spring", _pair(pull, a, b, on, reacting), stiffness * stretch**2 / 2)


def _damper(name: str, a: Point, b: Point, on: Frame, reacting: Frame, damping: Expr) -> Load:
    line = b - a
    length = line.magnitude()
    return Load(name, "damper", _pair((damping * time_derivative(length) / length) * line, a, b, on, reacting))


def _actuator(name: str, a: Point, b: Point, on: Frame, reacting: Frame, actuation: Expr) -> Load:
    line = b - a
    return Load(name, "actuator", _pair((-actuation / line.magnitude()) * line, a, b, on, reacting))


def rest_is_zero(rest: Any) -> bool:
    return as_expr(rest).value == 0


def _pair(pull: Vector, a: Point, b: Point, on: Frame, reacting: Frame) -> tuple[Action, ...]:
    """`pull` acts on a towards b, its opposite on b."""
    return (Action(on, force=pull, at=a), Action(reacting, force=-pull, at=b))


def drag(name: str, point: Point, on: Frame, linear: Expr, quadratic: Expr, relative_to: Frame | None) -> Load:
    """Resistance -(c1 + c2 |v|) v at a point of a body, v being its velocity in a frame (the ground, or a wind)."""
    air = point.frame.root if relative_to is None else relative_to
    return late_load(name, "drag", LoadRecipe(_drag, (point, on, linear, quadratic, air), (on,)), (point.frame, air))


def _drag(name: str, point: Point, on: Frame, linear: Expr, quadratic: Expr, air: Frame) -> Load:
    v = point.velocity(air)
    factor = linear
    if quadratic.value != 0:
        factor = factor + quadratic * _regular_speed(v)
    return Load(name, "drag", (Action(on, force=-factor * v, at=point),))


def _regular_speed(v: Vector) -> Expr:
    """|v|, in a form whose derivatives at rest are zero instead of 0/0, so that equations can be linearised there."""
    square = v.dot(v)
    moves = square > 0
    return where(moves, sqrt(where(moves, square, 1)), 0)


def on_coordinate(name: str, kind: str, q: Symbol, value: Expr, potential: Expr | None = None) -> Load:
    """A generalised force that does work on the rate of a coordinate."""
    return Load(name, kind, potential=potential, on_rates={q: value})


def loads_on_coordinate(name: str, q: Symbol, loads: JointLoads) -> list[Load]:
    """The given ones of spring, damper, actuator, friction and stops on one coordinate of a joint."""
    forces = _coordinate_forces(q, loads)
    return [on_coordinate(f"{name}.{kind}", kind, q, force, potential) for kind, force, potential in forces]


def _coordinate_forces(q: Symbol, loads: JointLoads) -> Iterator[tuple[str, Expr, Expr | None]]:
    if (stiffness := loads.get("stiffness")) is not None:
        rest = loads.get("rest")
        yield "spring", *spring_force(q, stiffness, 0 if rest is None else rest)
    if (damping := loads.get("damping")) is not None and as_expr(damping) is not ZERO:
        yield "damper", -as_expr(damping) * q.dot, None
    if (actuation := loads.get("actuation")) is not None:
        yield "actuator", as_expr(actuation), None
    if (friction := loads.get("friction")) is not None:
        yield "friction", friction_force(q.dot, friction), None
    if (limits := loads.get("limits")) is not None:
        force, potential = limit_force(q, q.dot, limits)
        elastic = limit_force(q, q.dot, tuple(limits)[:3])[0]
        yield "stop", elastic, potential
        if force is not elastic:
            yield "stop_damper", force - elastic, None


def spring_force(q: Expr, stiffness: Any, rest: Any) -> tuple[Expr, Expr]:
    """-k (q - q0) and ½ k (q - q0)²."""
    k, stretch = as_expr(stiffness), q - as_expr(rest)
    return -k * stretch, k * stretch**2 / 2


def friction_force(rate: Expr, friction: Any) -> Expr:
    """Coulomb friction made smooth: -F tanh(v / v0); `friction` is (F, v0)."""
    level, speed = friction
    return -as_expr(level) * tanh(rate / as_expr(speed))


def limit_force(q: Expr, rate: Expr, limits: Any) -> tuple[Expr, Expr]:
    """Stops: a spring and damper that act beyond either limit; `limits` is (low, high, stiffness) or (low, high,
    stiffness, damping).

    The damper never pulls back: it acts only while the stop is being pressed.
    """
    low, high, k, c = (as_expr(x) for x in (*limits, 0)[:4])
    above, below = q - high, low - q
    potential = where(above > 0, k * above**2 / 2, where(below > 0, k * below**2 / 2, 0))
    elastic = where(above > 0, -k * above, where(below > 0, k * below, 0))
    if c.value == 0:
        return elastic, potential
    damped = where((above > 0) & (rate > 0), -c * rate, where((below > 0) & (rate < 0), -c * rate, 0))
    return elastic + damped, potential
