"""`Mechanism`: the complete, immutable description."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from types import MappingProxyType
from typing import Any, Final

from ...algebra.graph.cache_owner import CacheOwner
from ...algebra.graph.graph import Expr, Symbol, symbol
from ...algebra.graph.portable import Portable
from ...algebra.graph.walk import scalars
from ...algebra.printing.printing import outline
from ...errors import ModelError, listed, shown, unknown
from ...escaping import checked_name
from ...summary import Introduced, Summarized, Summary, one_line_tag, summary_rows
from ..frames.dyads import Dyad
from ..frames.frames import Frame
from ..frames.points import Point
from ..frames.topology import Topology, topology
from ..frames.vectors import Vector
from ..mass.mass import MassProperties, Shape
from ..mass.moments import Moments
from .deforming_mesh import DeformingMesh
from .recipes import LoadRecipe
from .summaries import rows_of_parts, rows_of_symbols, rows_of_written
from .written_frames import frames_of, with_ways

INTERNAL_LOADS: Final = ("elastic", "elastic damping")  # kinds of loads that deform a body


@dataclass(frozen=True, eq=False)
class Body(Introduced):
    """A body and its frame: a rigid body or particle fixed to the frame, or a deformable body.

    is_physical   whether its inertia must be physically possible
    moments       of a deformable body: moments of its fields, from which `mass` follows as a function of its
                  coordinates
    frame         the body frame; `mass` has the mass, mass centre and inertia in it
    shape         the shape that drawings show
    drawn         of a body given only by moments: pairs of frames between which it is drawn
    is_point      whether it was described as a particle

    >>> m = sb.Model("arm")
    >>> theta = m.coordinate("theta")
    >>> arm = m.body("arm", m.ground.rotate("z", theta), mass=2.0, shape=sb.bar(1.0, "x"))
    >>> arm.point(0.5, 0, 0).velocity().in_ground
    vector(-0.5*sin(theta)*theta_dot, 0.5*cos(theta)*theta_dot, 0)
    >>> arm.inertia().components(arm.frame)
    matrix([[0, 0, 0], [0, 1/6, 0], [0, 0, 1/6]])

    See also: `Model`, `Frame`, `Point`, `bar`.
    """

    name: str
    frame: Frame
    mass: MassProperties
    shape: Shape | None = None
    is_physical: bool = True
    moments: Moments | None = None
    drawn: tuple[tuple[Frame, Frame], ...] = field(default=(), kw_only=True)
    is_point: bool = field(default=False, kw_only=True)

    def __post_init__(self) -> None:
        checked_name(self.name, "body")

    def __getattr__(self, name: str) -> Any:
        """Says where to look for what a frame has."""
        hint = f": its frame has, body.frame.{name}" if not name.startswith("_") and hasattr(Frame, name) else ""
        raise AttributeError(f"body {self.__dict__.get('name')!r} has no {name!r}{hint}", name=name, obj=self)

    def point(self, x: object = 0, y: object = 0, z: object = 0) -> Point:
        """The point with these coordinates in the body frame.

        >>> m = sb.Model("arm")
        >>> arm = m.body("arm", m.ground.translate(1, 0, 0), mass=2, com=(0.5, 0, 0), inertia=(1, 1, 1))
        >>> arm.point(0, 2, 0).in_ground, arm.vector(0, 2, 0).in_ground, arm.at(0, 2, 0).origin.in_ground
        (vector(1, 2, 0), vector(0, 2, 0), vector(1, 2, 0))

        See also: `Frame.point`, `Frame.vector`.
        """
        return self.frame.point(x, y, z)

    def vector(self, x: object, y: object, z: object) -> Vector:
        """The vector with these components in the body frame."""
        return self.frame.vector(x, y, z)

    @property
    def mass_at_rest(self) -> MassProperties:
        """Mass properties in the undeformed state.

        >>> m = sb.Model("arm")
        >>> a = m.coordinate("a")
        >>> arm = m.body("arm", m.ground.rotate("z", a), mass=2, com=(1, 0, 0), inertia=(1, 1, 1))
        >>> arm.mass_at_rest is arm.mass, arm.mass_centre.in_ground, arm.mass_frame is arm.frame
        (True, vector(cos(a), sin(a), 0), True)
        >>> arm.velocity_at(arm.mass_centre).components(arm.frame)
        vector(0, a_dot, 0)

        See also: `bodies.ElasticBody`, `Body.inertia`.
        """
        return self.mass

    @property
    def edges(self) -> tuple[tuple[Frame, Frame], ...]:
        """Pairs of frames on a deformable body, between which drawings show it.

        >>> m = sb.Model("arm")
        >>> arm = m.body("arm", m.ground, mass=2)
        >>> arm.edges, arm.line, arm.surface, arm.is_fixed_at_origin  # of a rigid body
        ((), (), None, True)

        See also: `bodies.ElasticBody`, `scene`.
        """
        return self.drawn

    @property
    def line(self) -> tuple[Frame, ...]:
        """Frames along a deformable body, between which drawings show it."""
        return tuple(dict.fromkeys(f for pair in self.edges for f in pair))

    @property
    def surface(self) -> DeformingMesh | None:
        """The mesh of a deformable body, if it has one."""
        return None

    @property
    def is_fixed_at_origin(self) -> bool:
        """Whether the material point at the origin of its frame is fixed in the frame."""
        return True

    def at(self, x: Any = 0, y: Any = 0, z: Any = 0) -> Frame:
        """A frame fixed to the body at these coordinates (undeformed); on a deformable body it moves and rotates with
        the deformation."""
        return self.frame.translate(x, y, z)

    @cached_property
    def mass_frame(self) -> Frame:
        """The frame on which gravity acts: the body frame, or for a deformable body a frame that moves with the mass
        centre."""
        if self.moments is None:
            return self.frame
        return Frame(self.frame, offset=self.mass.p_BoBcm, name=f"{self.frame.name}.centre")

    @cached_property
    def mass_centre(self) -> Point:
        """The mass centre, a point."""
        if self.moments is not None:
            return self.mass_frame.origin
        return Point(self.frame, self.mass.p_BoBcm)

    def inertia(self, about: Point | None = None) -> Dyad:
        """The inertia dyad I about the mass centre, or about a point of the body (parallel axes): I · ω is the angular
        momentum."""
        if about is None:
            return Dyad({(self.frame, self.frame): self.mass.I_BBcm})
        if not isinstance(about, Point):
            raise ModelError(
                f"body {self.name!r}: inertia about a point such as body.point(x, y, z), got {shown(about)}"
            )
        return Dyad({(self.frame, self.frame): self.mass.about(about.in_frame(self.frame).coordinates)})

    def velocity_at(self, point: Point) -> Vector:
        """Velocity of the body-fixed point that currently coincides with `point`."""
        origin = self.frame.origin
        return origin.velocity() + self.frame.angular_velocity().cross(point - origin)

    def __repr__(self) -> str:
        return one_line_tag(f"Body {self.name}, mass {outline(self.mass.m)}")


@dataclass(frozen=True)
class Action:
    """A force at a point, or a torque, acting on a frame. Reactions are separate actions.

    frame    that it acts on
    force    with the point `at` which it acts; or `torque`

    >>> m = sb.Model("cart")
    >>> cart = m.body("cart", mass=2)
    >>> push = sb.bodies.Action(cart.frame, force=3 * m.ground.x, at=cart.mass_centre)
    >>> push.force.in_ground, push.torque
    (vector(3, 0, 0), None)

    See also: `bodies.Load`, `Model.force`.
    """

    frame: Frame
    force: Vector | None = None
    at: Point | None = None
    torque: Vector | None = None


def _written_for(actions: Iterable[Action]) -> tuple[Any, ...]:
    return tuple(x for a in actions for x in (a.frame, a.at, a.force, a.torque) if x is not None)


@dataclass(frozen=True, repr=False)
class Load(Introduced):
    """A named group of forces and torques; methods such as `Model.force` create them.

    kind        "force", "spring", "actuator", ...; powers and figures are grouped by it
    actions     forces and torques, each with its reaction
    potential   the potential energy of the actions, or of the load itself if it has no actions
    on_rates    generalised forces: coordinate -> force conjugate to its rate; or speed -> force
    by_body     of a gravity field: the potential energy of each body
    remark      a remark for readers of the model, to follow the name: "has the rest length 0"
    element     what made the load, such as a muscle, for writers of files that have such an element; or None
    recipe      a `LoadRecipe` of springs, dampers, actuators and drag, or None, as in loads with other actions than it makes

    >>> m = sb.Model("cart")
    >>> x = m.prismatic("x", m.ground, m.body("cart", mass=2)).q
    >>> m.parts.add_load(sb.bodies.Load("buffer", "spring", potential=x**4, on_rates={x: -4 * x**3}))
    <Load buffer: spring on x>
    >>> buffer = m.parts.loads["buffer"]
    >>> sb.derive(m).f, buffer.is_internal, buffer.written
    (vector(-4*x**3), False, (-4*x**3, x**4))

    See also: `bodies.Action`, `Model.force`, `Model.generalized_force`.
    """

    name: str
    kind: str
    actions: tuple[Action, ...] = ()
    potential: Expr | None = None
    on_rates: Mapping[Symbol, Expr] = field(default_factory=dict)
    by_body: Mapping[str, Expr] = field(default_factory=dict)
    remark: str = field(default="", kw_only=True)
    element: Any = field(default=None, kw_only=True, compare=False)
    recipe: LoadRecipe | None = field(default=None, init=False, compare=False)

    def __post_init__(self) -> None:
        checked_name(self.name, "load")
        object.__setattr__(self, "on_rates", MappingProxyType(dict(self.on_rates)))
        object.__setattr__(self, "by_body", MappingProxyType(dict(self.by_body)))

    @property
    def is_internal(self) -> bool:
        """Whether it deforms a body without a resultant force or torque on it."""
        return self.kind in INTERNAL_LOADS

    @property
    def frames(self) -> tuple[Frame, ...]:
        """Frames on which it acts.

        >>> m = sb.Model("carts")
        >>> rails = [m.prismatic(n, m.ground, m.body(f"cart {n}", mass=2)) for n in "xy"]
        >>> m.gravity(0, 0, -9.81)
        >>> buffer = m.spring("buffer", *(b.mass_centre for b in m.bodies.values()), stiffness=m.parameter("k"))
        >>> spring = m.parts.loads["buffer"]
        >>> [f.name for f in spring.frames], spring.has_potential, spring.expressions[-2:]
        (['cart_x', 'cart_y'], True, [k, 0])
        >>> weight = m.parts.all_loads()[0]  # it is written once for all bodies
        >>> len(weight.actions), len(weight.frames), weight.written[-1]
        (2, 2, ground.vector(0, 0, -19.62))
        >>> wind = m.force("wind", m.bodies["cart x"], 3 * m.ground.x)
        >>> [f.name for f in wind.frames], wind.has_potential
        (['cart_x'], False)

        See also: `Model.gravity`, `bodies.Action`.
        """
        return tuple(dict.fromkeys(a.frame for a in self.actions))

    @property
    def written(self) -> tuple[Any, ...]:
        """Frames, points, vectors and expressions that were written for it: its forces contain no other symbols."""
        potential = () if self.potential is None else (self.potential,)
        return (*_written_for(self.actions), *self.on_rates.values(), *potential)

    @property
    def expressions(self) -> list[Expr]:
        """The scalars in `written`."""
        return scalars(*(x for x in self.written if not isinstance(x, Frame)))

    @property
    def has_potential(self) -> bool:
        """Whether it has a potential energy."""
        return self.potential is not None

    def copied_as(self, name: str, copy: Callable[[Any], Any]) -> Load:
        """For a copy of the model, of which `copy` returns the parts.

        >>> m = sb.Model("cart")
        >>> cart = m.body("cart", mass=2)
        >>> wind = m.force("wind", cart, 3 * m.ground.x)
        >>> wind.copied_as("more wind", lambda thing: thing)
        <Load more wind: force on cart>

        See also: `Model.attach`.
        """
        parts = copy(self.actions), copy(self.potential), copy(self.on_rates)
        return Load(name, self.kind, *parts, remark=self.remark)

    def __repr__(self) -> str:
        on = dict.fromkeys([*(f.name for f in self.frames), *(q.name for q in self.on_rates)])
        return one_line_tag(f"Load {self.name}: {self.kind}{f' on {listed(on, 6)}' if on else ''}")


@dataclass(frozen=True, repr=False)
class Constraint(Introduced):
    """phi = 0 (holonomic), or psi = 0 with psi linear in the rates (nonholonomic); methods such as `Model.constrain`
    create them.

    expression     phi or psi; `is_holonomic` says which
    joint          the name of the joint that it belongs to; None for a constraint written by the user
    actions        forces and torques of a unit multiplier if the constraint belongs to a joint: its reaction
    factors        the vectors a and b of a condition a · b = 0 on positions, if it was written as such

    >>> m = sb.Model("bead")
    >>> x, y = m.coordinates("x y")
    >>> m.parts.add_constraint(sb.bodies.Constraint("wire", y - x**2, True))
    'wire'
    >>> m.parts.constraints["wire"]
    <Constraint wire, holonomic: y - x**2 = 0>

    See also: `Model.constrain`, `Model.constrain_speed`.
    """

    name: str
    expression: Expr
    is_holonomic: bool
    joint: str | None = None
    actions: tuple[Action, ...] = ()
    factors: tuple[Vector, Vector] | None = None

    def __post_init__(self) -> None:
        checked_name(self.name, "constraint")

    def __repr__(self) -> str:
        kind = "holonomic" if self.is_holonomic else "nonholonomic"
        return one_line_tag(f"Constraint {self.name}, {kind}: {outline(self.expression)} = 0")


@dataclass(frozen=True, repr=False)
class Joint(Introduced):
    """A joint between two bodies; methods such as `Model.revolute` create joints.

    kind            "revolute", "free", ...
    outer, inner    frames at the joint, fixed to the parent and to the child
    parent, child   names of the bodies, or "ground"
    coordinates     the coordinates of the joint; empty if the joint closes a loop (`closes_loop`)
    axis            of a joint that closes a loop, in the outer frame

    >>> m = sb.Model("arm")
    >>> hinge = m.revolute("a", m.ground, m.body("arm", mass=1, com=(1, 0, 0)))
    >>> hinge, hinge.q is hinge.coordinates[0], hinge.closes_loop
    (<Joint a: revolute from ground to arm by a>, True, False)

    See also: `Model.joint`, `Model.joints`, `reaction`.
    """

    name: str
    kind: str
    outer: Frame
    inner: Frame
    parent: str
    child: str
    coordinates: tuple[Symbol, ...]
    closes_loop: bool = False
    axis: Any = None

    def __post_init__(self) -> None:
        checked_name(self.name, "joint")

    def __repr__(self) -> str:
        loop = ", closes a loop" if self.closes_loop else ""
        moved = f" by {', '.join(q.name for q in self.coordinates)}" if self.coordinates else ""
        return one_line_tag(f"Joint {self.name}: {self.kind} from {self.parent} to {self.child}{moved}{loop}")

    @property
    def q(self) -> Symbol:
        """The coordinate of a joint with one coordinate."""
        if len(self.coordinates) != 1:
            raise ModelError(
                f"joint {self.name!r} has {len(self.coordinates)} coordinates, not one: {listed(self.coordinates)}"
            )
        return self.coordinates[0]


@dataclass(frozen=True, eq=False, repr=False)
class Mechanism(Summarized, Portable, CacheOwner):
    """Bodies, joints, loads and constraints, with coordinates q, speeds u and rates q' = N u + n; returned by
    `Model.freeze()`.

    A mechanism and all its parts are immutable; later changes of the model do not affect it.

    q, u, z, r, p       coordinates, speeds, additional variables, inputs, parameters, in the order of declaration
    rates               q' of each coordinate, as an expression in speeds
    bodies, joints      the parts; `ground` is the root frame
    loads               the loads; `gravity` is the acceleration of uniform gravity, or None
    constraints         of loops, of rolling, and written by the user
    equations           additional equations by name: expressions that are zero
    outputs, labels     quantities of interest, and names for subexpressions
    norms               groups of Euler parameters, whose squares sum to one
    values, units       default values of parameters and initial values, and their units
    small               variables in which equations are to be linearised
    kinetic, balances   kinetic energies and equations of motion written by the user
    notes               notes on omitted parts, with reasons
    validity            expressions that are positive where the model is valid

    >>> m = sb.Model("cart")
    >>> cart = m.body("cart", mass=2.0)
    >>> joint = m.prismatic("x", m.ground, cart)
    >>> mechanism = m.freeze()
    >>> mechanism.q, mechanism.u, [b.name for b in mechanism.bodies]
    ((x,), (x_dot,), ['cart'])

    See also: `Model`, `derive`, `audit`.
    """

    name: str
    ground: Frame
    q: tuple[Symbol, ...]
    u: tuple[Symbol, ...]
    rates: Mapping[Symbol, Expr]  # of every coordinate, in terms of speeds
    p: tuple[Symbol, ...]
    r: tuple[Symbol, ...]
    z: tuple[Symbol, ...]
    bodies: tuple[Body, ...]
    joints: tuple[Joint, ...]
    loads: tuple[Load, ...]
    constraints: tuple[Constraint, ...]
    equations: Mapping[str, Expr]  # additional: name -> h(q, u, z, z', r, t, p) = 0
    outputs: Mapping[str, object]
    labels: Mapping[str, Expr]  # names for subexpressions
    norms: tuple[tuple[Symbol, ...], ...]  # sets of coordinates whose squares sum to one
    gravity: Vector | None
    values: Mapping[Symbol, float]  # of parameters, where given
    units: Mapping[Symbol, str]
    small: tuple[Symbol, ...] = ()
    notes: tuple[str, ...] = ()
    kinetic: Mapping[str, Expr] = field(default_factory=dict)  # kinetic energies written down: name -> K(q, q', t)
    balances: Mapping[Symbol, Expr] = field(default_factory=dict)  # written down: speed -> M u' - f
    validity: Mapping[str, Expr] = field(default_factory=dict)  # positive where the model is valid

    def __post_init__(self) -> None:
        checked_name(self.name, "mechanism")
        for what, names in (
            ("equation", self.equations),
            ("output", self.outputs),
            ("unit", self.units.values()),
            ("kinetic energy", self.kinetic),
            ("validity", self.validity),
        ):
            for name in names:
                checked_name(name, what)
        for name in ("rates", "equations", "outputs", "labels", "values", "units", "kinetic", "balances", "validity"):
            object.__setattr__(self, name, _read_only(getattr(self, name)))
        for f in _every_frame(self):
            f.freeze()

    def _summary(self) -> Summary:
        parts = rows_of_parts(self.bodies, self.joints, (x.name for x in self.loads), self.constraints)
        written = rows_of_written(self.kinetic, self.balances)
        symbols = rows_of_symbols(self.q, self.u, self.r, self.z, self.p, self.values)
        return Summary(
            f"Mechanism {self.name}", (*parts, *written, *symbols, *summary_rows(notes="; ".join(self.notes)))
        )

    @property
    def t(self) -> Symbol:
        """Time, a symbol."""
        return symbol("t", "time")

    def joint(self, name: str) -> Joint:
        """A joint by its name. An unknown name is refused with the existing ones; `body` and `load` work the same way.

        >>> m = sb.Model("cart")
        >>> cart = m.body("cart", mass=2.0)
        >>> rail, wind = m.prismatic("x", m.ground, cart), m.force("wind", cart, m.ground.x)
        >>> it = m.freeze()
        >>> it.joint("x"), it.body("cart"), it.load("wind")
        (<Joint x: prismatic from ground to cart by x>, <Body cart, mass 2>, <Load wind: force on cart>)
        >>> it.t, it.rigid_bodies, it.elastic_bodies, it.has_written_motion
        (t, (<Body cart, mass 2>,), (), False)

        See also: `Model.joints`, `Model.bodies`, `Model.force`.
        """
        return _part_named("joint", name, {j.name: j for j in self.joints}, self.name)  # type: ignore[return-value]

    def body(self, name: str) -> Body:
        """A body by its name."""
        return _part_named("body", name, {b.name: b for b in self.bodies}, self.name)  # type: ignore[return-value]

    def load(self, name: str) -> Load:
        """A load by its name, including gravity."""
        return _part_named("load", name, {x.name: x for x in self.loads}, self.name)  # type: ignore[return-value]

    @property
    def rigid_bodies(self) -> tuple[Body, ...]:
        """Rigid bodies, including particles."""
        return tuple(b for b in self.bodies if b.moments is None)

    @property
    def elastic_bodies(self) -> tuple[Body, ...]:
        """Deformable bodies."""
        return tuple(b for b in self.bodies if b.moments is not None)

    @property
    def has_written_motion(self) -> bool:
        """Whether some inertia comes from kinetic energies or balances written by the user, not from bodies."""
        return bool(self.kinetic or self.balances)

    @property
    def holonomic(self) -> tuple[Constraint, ...]:
        """Constraints on coordinates, phi(q, t) = 0.

        >>> m = sb.Model("skate")
        >>> x, y, a = m.coordinates("x y a")
        >>> skate = m.body("skate", m.ground.translate(x, y, 0).rotate("z", a), mass=1, inertia=(0, 0, 1))
        >>> names = m.constrain("turned", a - 0.1), m.constrain_speed("edge", skate.frame.origin.velocity().dot(skate.frame.y))
        >>> it = m.freeze()
        >>> [c.name for c in it.holonomic], [c.name for c in it.nonholonomic]
        (['turned'], ['edge'])

        See also: `Model.constrain`, `Model.constrain_speed`.
        """
        return tuple(c for c in self.constraints if c.is_holonomic)

    @property
    def nonholonomic(self) -> tuple[Constraint, ...]:
        """Constraints on rates, linear in them, that do not follow from constraints on coordinates."""
        return tuple(c for c in self.constraints if not c.is_holonomic)

    @cached_property
    def frames(self) -> tuple[Frame, ...]:
        """All frames that bodies and actions depend on, parents first, without the ground."""
        ends = [b.frame for b in self.bodies]
        ends += [f for j in self.joints for f in (j.outer, j.inner)]
        ends += [f for x in self.loads for f in x.frames]
        ends += [a.frame for c in self.constraints for a in c.actions]
        depth: dict[Frame, int] = {}
        for end in ends:
            if end in depth or end.parent is None:
                continue
            way = [end]
            while (f := way[-1].parent) not in depth and f is not None and f.parent is not None:
                way.append(f)
            above = depth.get(f, 0)  # type: ignore[arg-type]
            for f in reversed(way):
                depth[f] = above = above + 1
        return tuple(sorted(depth, key=depth.__getitem__))

    # --------------------------------------------------------------------------------------------- the tree (Lynch 3.2)

    @cached_property
    def tree(self) -> Mapping[str, str | None]:
        """The parent of each body in the tree (None: the ground).

        >>> m = sb.Model("double pendulum")
        >>> upper, lower = (m.body(n, mass=1, com=(0, -1, 0)) for n in ("upper", "lower"))
        >>> joints = m.revolute("a", m.ground, upper), m.revolute("b", upper, lower, at=(0, -1, 0))
        >>> it = m.freeze()
        >>> dict(it.tree), [f.name for f in it.frames]
        ({'upper': None, 'lower': 'upper'}, ['a', 'upper', 'b.parent', 'b', 'lower'])
        >>> it.topology.bodies, it.topology.path
        (('ground', 'upper', 'lower'), ((1, 0, 0), (1, 1, 0), (1, 1, 1)))

        See also: `Frame.path`, `bodies.Parts`.
        """
        owner = {b.frame: b.name for b in self.bodies}
        on = (next((owner[f] for f in islice(b.frame.ancestors(), 1, None) if f in owner), None) for b in self.bodies)
        return MappingProxyType({b.name: n for b, n in zip(self.bodies, on, strict=True)})

    @property
    def topology(self) -> Topology:
        """Lynch's matrices of the tree as he prints them. The ground is the first body if it has children."""
        return topology(self)


def _read_only(value: Any) -> Any:
    """The same value with read-only mappings, and tuples in place of lists."""
    if isinstance(value, (Expr, float, str)):
        return value
    if isinstance(value, Mapping):
        return MappingProxyType({k: _read_only(v) for k, v in value.items()})
    return tuple(_read_only(v) for v in value) if isinstance(value, (list, tuple)) else value


def _every_frame(m: Mechanism) -> set[Frame]:
    """All frames that can be reached: of bodies, joints and actions, of what was written for loads and constraints, and those on
    the way."""
    of_constraints = (x for c in m.constraints for x in _written_for(c.actions))
    written = [m.gravity, *(x for load in m.loads for x in load.written), *of_constraints]
    return with_ways({m.ground, *m.frames}, frames_of(written))


def _part_named(what: str, name: str, known: Mapping[str, object], where: str) -> object:
    if name not in known:
        raise unknown(f"mechanism {where!r}", what, name, known, ModelError)
    return known[name]
