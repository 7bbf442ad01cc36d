"""`Model`: the builder of mechanisms. Here loads and constraints; the rest is inherited, in the order of the data flow:

declarations.py (symbols) -> parts.py (tables and the builder interface) -> structure.py (bodies) -> joint_methods.py ->
elastic_methods.py -> friction_methods.py -> model.py

Every method that adds a part takes its name first, then the parts that it joins or acts on (parent before child), then
quantities.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from ..algebra.derivatives import jacobian, time_derivative
from ..algebra.functions import atan, sqrt
from ..algebra.graph import ONE, ZERO, Expr, Symbol, as_expr
from ..algebra.matrix import Matrix
from ..algebra.names import check_name
from ..algebra.walk import free_symbols, substitute
from ..errors import ModelError, in_number, listed, shown, unknown
from ..escaping import checked_name
from ..summary import Summarized, Summary
from . import loads as make
from .declarations import as_expression, derivative_of, identifier
from .elastic_body import deforms
from .existence import refused, requirements
from .frames import Frame, three
from .loads import RotationalSpring, Spring
from .mechanism import Action, Body, Constraint, Joint, Load, Mechanism
from .parts import moves_in_frame
from .path_methods import PathMethods
from .points import Point
from .rotations import unit_vector
from .structure import Part
from .substructure import Attached, attach
from .summaries import rows_of_parts, rows_of_symbols, rows_of_written
from .vectors import Vector

ROUNDING: Final = 1e-14  # of lengths and cosines in constraints that hold by themselves


class Model(Summarized, PathMethods):
    """A mechanism being described: `m = Model("pendulum")`, then parameters, bodies, joints, loads; `derive(m)` freezes
    it.

    >>> m = sb.Model("pendulum")
    >>> p = m.parameters(l=1.0, m=0.5, g=9.81)
    >>> bob = m.body("bob", mass=p.m, com=(0, -p.l, 0))
    >>> joint = m.revolute("theta", m.ground, bob, damping=0.1)
    >>> m.gravity(0, -p.g, 0)
    >>> m.output("height", bob.point(0, -p.l, 0).in_ground[1])
    >>> eq = sb.derive(m)
    >>> eq.M, eq.f
    (vector(m*l**2), vector(-m*g*l*sin(theta) - 0.1*theta_dot))

    See also: `derive`, `Mechanism`, `read_model`, `audit`.
    """

    def _summary(self) -> Summary:
        loads = [*(["gravity"] if self.has_gravity else []), *self._loads, *(g.name for g in self._fields)]
        parts = rows_of_parts(self._bodies.values(), self._joints.values(), loads, self._constraints.values())
        q, u, r, z, p = map(self.symbols_of_kind, ("coordinate", "speed", "input", "variable", "parameter"))
        symbols = rows_of_symbols(q, u, r, z, p, self._values)
        parts += rows_of_written(self._kinetic, self._balances)
        steps = "audit(model) checks it, derive(model) gives its equations" if parts else "add bodies and joints"
        return Summary(f"{type(self).__name__} {self.name}", (*parts, *symbols, *self._more_rows(), ("next", steps)))

    def _more_rows(self) -> tuple[tuple[str, str], ...]:
        """Further rows of the summary of a subclass."""
        return ()

    # ------------------------------------------------------------------------------------------------ loads

    def gravity(self, x: Any, y: Any = None, z: Any = None, *, on: Any = None, name: str = "gravity") -> None:
        """Uniform gravity: its acceleration by components in the ground, or as a vector.

        on     a body, or a list of bodies, on which alone it acts; by default on all
        name   of the load, where several groups of bodies have a gravity of their own

        >>> m = sb.Model("cart")
        >>> g = m.parameter("g", 9.81)
        >>> rail = m.prismatic("z", m.ground, m.body("cart", mass=2), axis="z")
        >>> m.gravity(0, 0, -g)
        >>> sb.derive(m).f
        vector(-2*g)

        See also: `Model.central_gravity`, `Model.force`.
        """
        if not isinstance(x, Vector) and (y is None or z is None):
            raise ModelError(
                f"gravity {name!r}: three components in the ground, such as m.gravity(0, 0, -9.81), or a vector; "
                f"got {shown(x if y is None else (x, y))}"
            )
        acceleration = x if isinstance(x, Vector) else self.ground.vector(x, y, z)
        if on is not None:
            some = self._bodies_of(f"gravity {name!r}, on=", on)
            self._fields.append(make.UniformGravity(self._new_load(name), acceleration, some))
            return
        if self._gravity is not None:
            raise ModelError(f"model {self.name!r}: gravity is given twice")
        if name != "gravity":
            raise ModelError(f"gravity {name!r}: that of all bodies is called 'gravity'; name= goes with on=[bodies]")
        self._new_load("gravity")
        self._gravity = acceleration

    def _bodies_of(self, where: str, given: Any) -> tuple[Body, ...]:
        some = tuple(given) if isinstance(given, (list, tuple)) else (given,)
        for b in some:
            self.frame_of(where, b)
        if not some or (frames := [b for b in some if not isinstance(b, Body)]):
            raise ModelError(f"{where} takes bodies, got {shown(frames[0] if some else given)}")
        return some

    def central_gravity(
        self, name: str, strength: Any, centre: Point | None = None, *, gradient: bool = False, on: Any = None
    ) -> None:
        """Attraction of every body to a point (the origin of the ground by default): strength · m / r² at its mass
        centre.

        on         a body, or a list of bodies, on which alone it acts; by default on all
        gradient   True: also what follows from the change of the attraction over each body, to second order in its size
                   over the distance: the gravity gradient torque 3 strength / r³ n × I·n, and the force that goes with
                   it. Without it a body is drawn as a point is.

        >>> m = sb.Model("satellite")
        >>> r, a = m.coordinates("r a")
        >>> probe = m.particle("probe", m.ground.rotate("z", a).point(r, 0, 0), mass=1)
        >>> earth = m.central_gravity("earth", m.parameter("mu"))
        >>> sb.derive(m).f[0]
        r*a_dot**2 - mu/abs(r)**3*r

        See also: `Model.gravity`, `Model.force`.
        """
        (mu,) = self._quantities(f"gravity {checked_name(name, 'gravity')!r}", strength=strength)
        origin = self.ground.origin if centre is None else self.point_of(f"gravity {name!r}, centre=", centre)
        some = () if on is None else self._bodies_of(f"gravity {name!r}, on=", on)
        self._fields.append(make.CentralGravity(self._new_load(name), mu, origin, gradient, some))

    def force(
        self, name: str, on: Part, vector: Vector, *, at: Point | None = None, reacting: Part | None = None
    ) -> Load:
        """A force on a body or frame, at a point (by default the mass centre), with its reaction on another part where
        one is named.

        >>> m = sb.Model("cart")
        >>> cart = m.body("cart", mass=2)
        >>> rail = m.prismatic("x", m.ground, cart)
        >>> wind = m.force("wind", cart, 3 * m.ground.x)
        >>> sb.derive(m).f
        vector(3)

        See also: `Model.torque`, `Model.generalized_force`, `Model.spring`.
        """
        frame = self.frame_of(f"force {checked_name(name, 'force')!r}", on)
        point = on.mass_centre if isinstance(on, Body) else frame.origin
        if at is not None:
            point = self.point_of(f"force {name!r}, at=", at)
        if deforms(on):
            frame = point.frame
        other = None if reacting is None else self.frame_of(f"force {name!r}, reacting", reacting)
        return self.add_load(
            make.force(self._new_load(name), self.checked_vector(f"load {name!r}", vector), point, frame, other)
        )

    def torque(self, name: str, on: Part, vector: Vector, *, reacting: Part | None = None) -> Load:
        """A torque on a body or frame, with its reaction on another part where one is named.

        >>> m = sb.Model("wheel")
        >>> wheel = m.body("wheel", mass=2, inertia=(1, 1, 1))
        >>> axle = m.revolute("a", m.ground, wheel)
        >>> motor = m.torque("motor", wheel, m.input("tau") * m.ground.z)
        >>> sb.derive(m).f
        vector(tau)

        See also: `Model.force`, `Model.rotational_spring`.
        """
        frame = self.frame_of(f"torque {checked_name(name, 'torque')!r}", on)
        if deforms(on):
            raise ModelError(
                f"torque {name!r}: the body {on.name!r} deforms; say where it acts, with a frame of it such "
                "as body.at(x)"
            )
        other = None if reacting is None else self.frame_of(f"torque {name!r}, reacting", reacting)
        return self.add_load(
            make.torque(self._new_load(name), self.checked_vector(f"load {name!r}", vector), frame, other)
        )

    def spring(
        self,
        name: str,
        a: Point,
        b: Point,
        *,
        parent: Part | None = None,
        child: Part | None = None,
        stiffness: Any = 0,
        rest: Any = 0,
        damping: Any = 0,
        actuation: Any = 0,
    ) -> Spring:
        """Spring, damper and actuator between two points, at the distance l: they are pulled together by the tension

            stiffness (l - rest) + damping l' - actuation

        so that a positive actuation pushes them apart, as it increases the coordinate of a joint. Returns what can be
        asked for its `length`, `rate`, `tension`, `energy`, and the vector `force` on b.

        parent, child   the bodies that a and b belong to, where they are not the frames in which the points were
                        written

        >>> m = sb.Model("cart")
        >>> cart = m.body("cart", mass=1)
        >>> rail = m.prismatic("x", m.ground, cart)
        >>> spring = m.spring("spring", m.ground.point(-1, 0, 0), cart.point(0, 0, 0), stiffness=10, rest=1)
        >>> sb.evaluate(sb.derive(m).f, {"x": 0.5})
        [-5.0]

        See also: `Model.rotational_spring`, `Model.force`, `Model.tension`.
        """
        self._new_load(name)
        where = f"spring {checked_name(name, 'spring')!r}"
        ends = [self._carrier(where, w, p) for w, p in ((parent, a), (child, b))]
        numbers = self._quantities(where, stiffness=stiffness, rest=rest, damping=damping, actuation=actuation)
        for load in make.between_points(name, a, b, ends[0], ends[1], *numbers):
            self.add_load(load)
        return make.Spring(name, a, b, *numbers)

    def rotational_spring(
        self,
        name: str,
        parent: Part,
        child: Part,
        axis: Vector,
        *,
        angle: Any,
        stiffness: Any = 0,
        rest: Any = 0,
        damping: Any = 0,
        actuation: Any = 0,
    ) -> RotationalSpring:
        """Spring, damper and actuator about an axis between two bodies: on the child acts, and on the parent reacts,
        the torque

            -stiffness (angle - rest) - damping angle' + actuation

        so that a positive actuation increases the angle. Returns what can be asked for its `angle`, `rate`, `torque`
        and `energy`.

        axis    its direction; of the length nothing depends
        angle   of the child relative to the parent about the axis, an expression

        >>> m = sb.Model("wheel")
        >>> wheel = m.body("wheel", mass=1, inertia=(1, 1, 1))
        >>> axle = m.revolute("a", m.ground, wheel)
        >>> spring = m.rotational_spring("spring", m.ground, wheel, m.ground.z, angle=m.symbols["a"], stiffness=5)
        >>> sb.derive(m).f
        vector(-5*a)

        See also: `Model.spring`, `Model.torque`.
        """
        where = f"spring {checked_name(name, 'spring')!r}"
        frame, other = self.frame_of(where, child), self.frame_of(f"{where}, parent", parent)
        axis = _direction(where, self.checked_vector(f"{where}, axis", axis))
        theta = self.checked(where, as_expression(angle, f"{where}, angle="))
        k, rest, c, tau = self._quantities(where, stiffness=stiffness, rest=rest, damping=damping, actuation=actuation)
        elastic, potential = make.spring_force(theta, k, rest)
        if elastic is not ZERO:
            spring = make.torque(self._new_load(name), elastic * axis, frame, other)
            self.add_load(replace(spring, kind="spring", potential=potential))
        if c is not ZERO:
            damper = (-c * time_derivative(theta)) * axis
            self.add_load(make.torque(self._new_load(f"{name}.damper"), damper, frame, other))
        if tau is not ZERO:
            self.add_load(make.torque(self._new_load(f"{name}.actuator"), tau * axis, frame, other))
        return make.RotationalSpring(name, theta, k, rest, c, tau)

    def drag(
        self,
        name: str,
        at: Point,
        *,
        on: Part | None = None,
        linear: Any = 0,
        quadratic: Any = 0,
        relative_to: Frame | None = None,
    ) -> Load:
        """Resistance -(linear + quadratic |v|) v at a point of a body (`on`, where that is not the point's frame).

        >>> m = sb.Model("parachute")
        >>> load = m.body("load", mass=80)
        >>> joint = m.prismatic("z", m.ground, load, axis="z")
        >>> air = m.drag("air", load.mass_centre, linear=5)
        >>> sb.derive(m).f
        vector(-5*z_dot)

        See also: `Model.force`, `Model.friction`.
        """
        frame = self._carrier(f"drag {checked_name(name, 'drag')!r}", on, at)
        if relative_to is not None:
            relative_to = self.frame_of(f"drag {name!r}, relative_to=", relative_to)
        c1, c2 = self._quantities(f"drag {name!r}", linear=linear, quadratic=quadratic)
        return self.add_load(make.drag(self._new_load(name), at, frame, c1, c2, relative_to))

    def potential(self, name: str, energy: Any) -> Load:
        """Forces from a potential energy V(q, t): -∂V/∂q.

        >>> m = sb.Model("bead")
        >>> x, k = m.coordinate("x"), m.parameter("k")
        >>> bead = m.particle("bead", m.ground.point(x, 0, 0), mass=1)
        >>> load = m.potential("well", k * x**4 / 4)
        >>> sb.derive(m).f
        vector(-k*x**3)

        See also: `Model.force`, `potential_energy`.
        """
        V = self.checked(f"potential {checked_name(name, 'potential')!r}", as_expression(energy, f"potential {name!r}"))
        return self.add_load(Load(self._new_load(name), "potential", potential=V))

    def generalized_force(self, name: str, q: Symbol, value: Any) -> Load:
        """A force that does work on the rate of a coordinate.

        >>> m = sb.Model("cart")
        >>> x = m.prismatic("x", m.ground, m.body("cart", mass=2)).q
        >>> spring = m.generalized_force("spring", x, -30 * x - x**3)
        >>> sb.derive(m).f
        vector(-30*x - x**3)

        See also: `Model.force`, `Model.potential`.
        """
        where = f"generalised force {checked_name(name, 'generalised force')!r}"
        if q not in (known := self.symbols_of_kind("coordinate")):
            raise unknown(where, "coordinate", str(q), [s.name for s in known])
        return self.add_load(
            make.on_coordinate(self._new_load(name), "force", q, *self._quantities(f"force {name!r}", value=value))
        )

    def tyre(
        self,
        name: str,
        wheel: Part,
        contact: Point,
        heading: Frame,
        *,
        camber: Any,
        stiffness: tuple[Any, Any],
        relaxation: Any,
        load: Any = 0,
    ) -> Symbol:
        """A linear tyre whose side force lags (MBSymba 2.6). Adds the side force Y as a variable, its equation, and the
        force.

            σ/Vs Y' + Y = C1 atan(-Vn/Vs) + C2 camber,   Vs, Vn: velocity of the contact point along and across the
            heading (x, y)

        stiffness    C1 for side slip and C2 for camber
        relaxation   σ, a length
        load         vertical force, along z of the heading

        >>> m = sb.Model("trailer wheel")
        >>> V, C, s, F = m.parameters("V C s F", 10.0, 2e4, 0.3, 3e3)
        >>> y, a = m.coordinates("y a")
        >>> axle = m.ground.translate(V * m.time, y, 0).rotate("z", a)
        >>> wheel = m.body("wheel", axle, mass=10.0, inertia=(0, 0, 1.0))
        >>> Y = m.tyre("tyre", wheel, axle.origin, axle, camber=0, stiffness=(C, 0), relaxation=s, load=F)
        >>> Y, list(m.equations)
        (tyre, ['tyre.relaxation'])

        See also: `Model.rolling`, `Model.variable`.
        """
        if not isinstance(stiffness, (tuple, list)) or len(stiffness) != 2:
            raise ModelError(
                f"tyre {name!r}: stiffness= needs two, for side slip and for camber, got {shown(stiffness)}"
            )
        self.point_of(f"tyre {name!r}, contact", contact)
        self.frame_of(f"tyre {name!r}, heading", heading)
        Y = self.variable(identifier(checked_name(name, "tyre")))
        v = contact.velocity().components(heading)
        where = f"tyre {checked_name(name, 'tyre')!r}"
        C1, C2 = (as_expression(x, f"{where}, stiffness=") for x in stiffness)
        angle, length, load = self._quantities(where, camber=camber, relaxation=relaxation, load=load)
        law = C1 * atan(-v[1] / v[0]) + C2 * angle
        self.equation(f"{name}.relaxation", length / v[0] * Y.dot + Y - law)
        self.force(name, wheel, heading.vector(0, Y, load), at=contact)
        return Y

    # ------------------------------------------------------------------------------------------------ constraints

    def constrain(self, name: str, expression: Any) -> str:
        """A holonomic constraint `expression = 0` in coordinates, parameters and time. Returns its name.

        >>> m = sb.Model("bead")
        >>> x, y = m.coordinates("x y")
        >>> bead = m.particle("bead", m.ground.point(x, y, 0), mass=1.0)
        >>> name = m.constrain("ring", x**2 + y**2 - 1)
        >>> eq = sb.derive(m)
        >>> eq.phi, eq.Jc, eq.lam
        (vector(x**2 + y**2 - 1), matrix([[2*x, 2*y]]), (lam_ring,))

        See also: `Model.constrain_speed`, `Model.coincide`, `Model.gear`.
        """
        where = f"constraint {checked_name(name, 'constraint')!r}"
        phi = self.checked(where, as_expression(expression, where))
        if rates := [s for s in free_symbols(phi) if s.kind in ("speed", "acceleration")]:
            declared = [q.stem for q in self.symbols_of_kind("coordinate")]  # symbols of a graph are in order of age
            rates.sort(key=lambda s: declared.index(s.stem) if s.stem in declared else len(declared))
            raise ModelError(
                f"{where} contains the rates {listed(rates)}: use constrain_speed for a nonholonomic constraint"
            )
        if not any(s.kind == "coordinate" for s in free_symbols(phi)):
            raise ModelError(f"{where}: {shown(phi)} contains no coordinate")
        return self.add_constraint(Constraint(name, phi, True))

    def constrain_speed(self, name: str, expression: Any) -> str:
        """A nonholonomic constraint `expression = 0`, linear in rates. Returns its name.

        >>> m = sb.Model("skate")
        >>> x, y, a = m.coordinates("x y a")
        >>> skate = m.body("skate", m.ground.translate(x, y, 0).rotate("z", a), mass=1, inertia=(0, 0, 1))
        >>> name = m.constrain_speed("edge", skate.frame.origin.velocity().dot(skate.frame.y))
        >>> sb.derive(m).Jc
        matrix([[-sin(a), cos(a), 0]])

        See also: `Model.constrain`, `Model.rolling`.
        """
        where = f"constraint {checked_name(name, 'constraint')!r}"
        psi = self.checked(where, as_expression(expression, where))
        rates = [s for s in free_symbols(psi) if s.kind == "speed"]
        if not rates:
            raise ModelError(f"{where}: {shown(psi)} contains no rate; use constrain for a holonomic constraint")
        if nonlinear := [s for s in free_symbols(jacobian([psi], rates)) if s.kind == "speed"]:
            raise ModelError(
                f"{where} is not linear in the speeds: its coefficients contain {listed(nonlinear)}; bring it to a "
                "form that is linear, or give it as a load or as an additional equation (m.equation)"
            )
        return self.add_constraint(Constraint(name, psi, False))

    def coincide(self, name: str, a: Point, b: Point, *, along: Frame | None = None, axes: str = "xyz") -> list[str]:
        """Two points coincide, along some axes of a frame (that of a by default).

        >>> m = sb.Model("bead")
        >>> x, y = m.coordinates("x y")
        >>> bead = m.particle("bead", m.ground.point(x, y, 0), mass=1)
        >>> names = m.coincide("slot", m.ground.translate(x, y, 0).origin, m.ground.point(0, 1, 0), axes="y")
        >>> sb.derive(m).phi
        vector(1 - y)

        See also: `Model.constrain`, `Model.joint`.
        """
        where = f"constraint {checked_name(name, 'constraint')!r}"
        gap = self.point_of(where, b) - self.point_of(where, a)
        outer = a.frame if along is None else self.frame_of(f"{where}, along=", along)
        if not isinstance(axes, str):
            raise ModelError(f"{where}: axes= are letters such as 'xy', got {shown(axes)}")
        made = []
        for axis in axes:
            direction = outer.vector(*unit_vector(axis, f"constraint {name!r}").entries)
            row = f"{name}.{axis}"
            actions = [Action(b.frame, force=direction, at=b), Action(a.frame, force=-direction, at=b)]
            if (
                outer is not a.frame
            ):  # points that stay apart across the axes: the pair turns the frame of the directions
                actions[1:] = [Action(a.frame, force=-direction, at=a), Action(outer, torque=direction.cross(gap))]
            made.append(self.add_constraint(Constraint(row, gap.dot(direction), True, name, tuple(actions)), True))
        return made

    def orthogonal(self, name: str, a: Vector, b: Vector) -> str:
        """Two directions stay orthogonal: a · b = 0, each fixed in its frame. The multiplier is a torque b × a on the
        frame of b.

        >>> m = sb.Model("frames")
        >>> a = m.coordinate("a")
        >>> arm = m.body("arm", m.ground.rotate("z", a), mass=1, inertia=(1, 1, 1))
        >>> name = m.orthogonal("upright", arm.frame.x, m.ground.x)
        >>> sb.derive(m).phi
        vector(cos(a))

        See also: `Model.constrain`, `Model.coincide`.
        """
        terms = [list(self.checked_vector(f"constraint {name!r}", v).terms) for v in (a, b)]
        if not all(terms):
            raise ModelError(f"constraint {name!r}: a direction is zero")
        (outer, *more), (inner, *others) = terms
        if more or others or any(s.kind != "parameter" for s in free_symbols(*a.terms[outer], *b.terms[inner])):
            raise ModelError(
                f"constraint {name!r}: each direction must be fixed in one frame, as frame.vector(1, 0, 0) is"
            )
        twist = b.cross(a)
        actions = (Action(inner, torque=twist), Action(outer, torque=-twist))
        return self.add_constraint(Constraint(name, a.dot(b), True, name, actions))

    def gear(self, name: str, first: Any, second: Any, ratio: Any) -> str:
        """Ties two joints of one coordinate: first + ratio · second stays zero (a negative ratio turns them the same
        way).

        >>> m = sb.Model("gears")
        >>> wheels = [m.body(n, mass=1, inertia=(1, 1, 1)) for n in ("small", "large")]
        >>> axles = m.revolute("a", m.ground, wheels[0]), m.revolute("b", m.ground, wheels[1])
        >>> name = m.gear("mesh", "a", "b", 3)
        >>> sb.derive(m).phi
        vector(a + 3*b)

        See also: `Model.constrain`, `Model.coincide`.
        """
        a, b = (self._only_coordinate(name, j) for j in (first, second))
        (ratio,) = self._quantities(f"gear {name!r}", ratio=ratio)
        self.constrain(name, a + ratio * b)
        pairs = self._pair_on(a, as_expr(1)), self._pair_on(b, ratio)
        if all(pairs):
            self._constraints[name] = replace(self._constraints[name], actions=(*pairs[0], *pairs[1]))
        return name

    def _pair_on(self, q: Symbol, strength: Expr) -> tuple[Action, ...]:
        """A torque (or force) across the joint that a coordinate moves, along its motion, with the power strength ·
        q'."""
        joint = self._joints.get(self._driven.get(q, ""))
        if joint is None:
            return ()
        for f in joint.inner.path[joint.outer.depth + 1 :]:
            turn = Vector({f: Matrix(3, 1, jacobian(f.spin, [q.dot]).entries)})
            if turn.terms:
                axis = strength / turn.dot(turn) * turn
                return (Action(joint.inner, torque=axis), Action(joint.outer, torque=-axis))
            slide = Vector({f.parent or f: Matrix(3, 1, jacobian(time_derivative(f.offset), [q.dot]).entries)})
            if slide.terms:
                push, at = strength / slide.dot(slide) * slide, joint.inner.origin
                return (Action(joint.inner, force=push, at=at), Action(joint.outer, force=-push, at=at))
        return ()

    def prescribe(self, name: str, expression: Any, motion: Any) -> str:
        """Make an expression of the coordinates follow a function of time; the force that this needs is the multiplier
        of this name.

        >>> m = sb.Model("crank")
        >>> axle = m.revolute("a", m.ground, m.body("crank", mass=1, inertia=(1, 1, 1)))
        >>> name = m.prescribe("drive", m.symbols["a"], 2 * m.time)
        >>> sb.derive(m).phi
        vector(a - 2*t)

        See also: `Model.constrain`, `Model.input`, `simulate`.
        """
        where = f"constraint {checked_name(name, 'constraint')!r}"
        return self.constrain(name, as_expression(expression, where) - as_expression(motion, f"{where}, motion="))

    def rolling(
        self,
        name: str,
        wheel: Body,
        radius: Any,
        *,
        axis: Any = "y",
        centre: Any = (0, 0, 0),
        tube: Any = 0,
        plane: Frame | None = None,
        up: str = "z",
        contact: Point | None = None,
        slip: bool = False,
    ) -> Point:
        """A wheel that rolls without slip on the plane z = 0 of a frame. Returns the contact point.

        radius   of the circle that touches (knife edge), or of the centre line of a torus whose tube has radius `tube`
        axis     of spin, in the wheel
        up       "-z" where the wheel is below the plane's z axis, as where z points down
        contact  where the wheel touches, if the coordinates are such that it always does: then only the rolling
                 conditions are added
        slip     True leaves out the two rolling conditions: the wheel only touches

        With a the spin axis and n the normal, the contact is at c - (n - (n·a) a) R / √(1 - (n·a)²) - tube n; it has
        height zero, and the point of the wheel there has no velocity in the plane.

        >>> m = sb.Model("wheel")
        >>> wheel = m.body("wheel", mass=1, inertia=(1, 2, 1))
        >>> joint = m.free("w", m.ground, wheel)
        >>> contact = m.rolling("ground", wheel, 0.3)
        >>> sb.derive(m).degrees_of_freedom
        3

        See also: `Model.constrain_speed`, `touch`.
        """
        where = f"wheel {checked_name(name, 'wheel')!r}"
        self.frame_of(where, wheel)
        ground = self.ground if plane is None else self.frame_of(f"{where}, plane=", plane)
        if contact is not None:
            self.point_of(f"{where}, contact=", contact)
        if not isinstance(up, str) or up not in ("z", "-z"):
            raise ModelError(
                f"wheel {name!r}: up= is 'z' or '-z' of the plane's frame, got {shown(up)}; plane= takes any frame"
            )
        n, a = (ground.z if up == "z" else -ground.z), wheel.frame.vector(*unit_vector(axis, f"wheel {name!r}").entries)
        c = Point(wheel.frame, three(centre, f"{where}, centre="))
        R, rho = self._quantities(f"wheel {name!r}", radius=radius, tube=tube)
        cosine = n.dot(a)
        down = (n - cosine * a) / sqrt(1 - cosine**2)
        hub = c - ground.origin
        height = hub.dot(n) - R * sqrt(1 - cosine**2) - rho
        if contact is None:
            contact = c - R * down - rho * n if rho is not ZERO else c - R * down
            push = (Action(wheel.frame, force=n, at=contact), Action(ground, force=-n, at=contact))
            self.add_constraint(Constraint(f"{name}.contact", height, True, name, push))
        if not slip:
            v = wheel.frame.angular_velocity(ground).cross(contact - c) + c.velocity(ground)
            for label, direction in (("x", ground.x), ("y", ground.y)):
                drive = (Action(wheel.frame, force=direction, at=contact), Action(ground, force=-direction, at=contact))
                self.add_constraint(Constraint(f"{name}.roll_{label}", v.dot(direction), False, name, drive))
        self.add_joint(
            Joint(name, "rolling", ground, wheel.frame, self.owner(ground), wheel.name, (), closes_loop=True)
        )
        return contact

    def equation(self, name: str, expression: Any) -> str:
        """An additional equation `expression = 0`, differential or algebraic, for an additional variable. Returns its
        name.

        An equation of higher order in a variable z is brought to first order: z'' becomes z_rate', with the variable
        z_rate and its equation z' = z_rate, and so on for higher ones.

        >>> m = sb.Model("motor")
        >>> i, tau = m.variable("i"), m.input("V")
        >>> R, L = m.parameters("R L", 1.0, 0.1)
        >>> name = m.equation("circuit", L * i.dot + R * i - tau)
        >>> sb.derive(m).h
        vector(L*i_dot - V + R*i)

        See also: `Model.variable`, `from_equations`.
        """
        self.refuse_twice("equations", name, self._equations)
        where = f"equation {checked_name(name, 'equation')!r}"
        h = self.checked(where, as_expression(expression, where))
        while high := [s for s in free_symbols(h) if s.kind == "variable" and s.order >= 2]:
            z = self._symbols[high[0].stem]
            rate = self._rate_variable(z)
            orders = range(1, max(s.order for s in high if s.stem == z.stem) + 1)
            h = substitute(h, {derivative_of(z, k): derivative_of(rate, k - 1) for k in orders})
        self._equations[name] = h
        return name

    def rate(self, q: Symbol, equals: Any) -> None:
        """Define the rate of a coordinate in terms of speeds, or of an additional variable: `m.rate(z, f)` is the
        additional equation z' = f.

        >>> m = sb.Model("circuit")
        >>> i = m.variable("i")
        >>> m.rate(i, 5 - 2 * i)
        >>> sb.derive(m).h
        vector(2*i + i_dot - 5)

        See also: `Model.speed`, `Model.equation`.
        """
        if isinstance(q, Symbol) and q.kind == "variable" and self._symbols.get(q.name) is q:
            self.equation(q.name, q.dot - as_expression(equals, f"rate of {q.name!r}"))
        else:
            super().rate(q, equals)

    def _rate_variable(self, z: Symbol) -> Symbol:
        """The variable that stands for z', with the equation that says so."""
        if z not in self._rate_variables:
            rate = self._rate_variables[z] = self.variable(f"{z.name}_rate")
            self.equation(f"{z.name}.rate", z.dot - rate)
        return self._rate_variables[z]

    def output(self, name: str, value: Any) -> None:
        """A quantity of interest: an expression, or a list or matrix of them.

        >>> m = sb.Model("arm")
        >>> arm = m.body("arm", mass=1, com=(1, 0, 0))
        >>> hinge = m.revolute("a", m.ground, arm)
        >>> m.output("height", arm.point(2, 0, 0).in_ground[1])
        >>> sb.derive(m).outputs
        {'height': 2*sin(a)}

        See also: `Model.label`, `Trajectory`, `LinearSystem`.
        """
        self.refuse_twice("outputs", name, self._outputs)
        self._outputs[name] = value

    def label(self, name: str, expression: Any) -> Expr:
        """Give a subexpression a name, which printed equations and generated code then use. Returns it: `w =
        m.label("w", q1.dot + q2.dot)`.

        Symbols and constants keep their own names; of two labels for one expression the first is used.

        >>> m = sb.Model("m")
        >>> a, b = m.coordinates("a b")
        >>> m.label("w", a.dot + b.dot)
        a_dot + b_dot

        See also: `sequence`, `Model.output`.
        """
        self.refuse_twice("labels", name, self._labels)
        where = f"label {checked_name(name, 'label')!r}"
        self._labels[check_name(name, "label")] = made = self.checked(where, as_expression(expression, where))
        return made

    # ---------------------------------------------------------------------------------------------- motion written down

    def kinetic_energy(self, name: str, energy: Any) -> str:
        """A kinetic energy K(q, q', t) written down, beside that of the bodies. Returns its name.

            d/dt ∂K/∂q' - ∂K/∂q

        is its share of the equations of motion. It may be any function of coordinates and their rates, also one that is
        not quadratic; in the energy of the motion it counts as q' · ∂K/∂q' - K (Jacobi), which is K itself where it is
        quadratic.
        """
        self.refuse_twice("kinetic energies", name, self._kinetic)
        where = f"kinetic energy {checked_name(name, 'kinetic energy')!r}"
        made = self.checked(where, as_expression(energy, where))
        if strange := [
            s for s in free_symbols(made) if s.kind == "acceleration" or (s.kind == "speed" and not s.order)
        ]:
            raise ModelError(
                f"{where}: contains {listed(strange)}; it is a function of coordinates, their rates (q.dot), "
                "time and parameters"
            )
        self._kinetic[name] = made
        return name

    def balance(self, speed: Symbol, expression: Any) -> None:
        """An equation of motion written down for a speed (or for a coordinate whose rate is one): M u' - f, to which
        bodies and loads add theirs.

        The expression is linear in the accelerations `u.dot` (`q.dot.dot`); its inertia terms, all balances together,
        are a symmetric matrix with positive diagonal: `m.balance(q, J * q.dot.dot + k * q)`.
        """
        s = speed.dot if isinstance(speed, Symbol) and speed.kind == "coordinate" else speed
        if not isinstance(s, Symbol) or s.kind != "speed" or not (self._symbols.get(s.name) is s or self._is_rate(s)):
            known = listed((*self.symbols_of_kind("speed"), *self.symbols_of_kind("coordinate")))
            raise ModelError(
                f"balance: {shown(speed)} is not a speed of model {self.name!r}, nor a coordinate; there are {known}"
            )
        if s in self._balances:
            raise ModelError(f"model {self.name!r}: there are two balances of {s.name!r}; add them up")
        where = f"balance of {s.name!r}"
        self._balances[s] = self.checked(where, as_expression(expression, where))

    # ------------------------------------------------------------------------------------------------ substructures

    def attach(
        self, name: str, parent: Part, sub: Model, *, share: Any = (), values: Mapping[str, Any] | None = None
    ) -> Attached:
        """Hang a copy of another model on a frame or body of this one; what was its ground is then that frame.

        name     goes before all names of the copy: name_q1, name_thigh
        share    symbols of `sub` that are not copied: names that both models have, or {name in sub: symbol or
                 expression here}
        values   of the copy's parameters, by their names in `sub`: numbers, or expressions of this model that replace
                 them

        Its gravity is left out (that of this model acts on all bodies), and what it says of its ground holds for the
        frame it hangs on.

        >>> leg = sb.Model("leg")
        >>> hip = leg.revolute("a", leg.ground, leg.body("thigh", mass=1, com=(0, -1, 0)))
        >>> m = sb.Model("walker")
        >>> legs = [m.attach(side, m.ground, leg) for side in ("left", "right")]
        >>> sb.derive(m).q
        (left_a, right_a)

        See also: `Model`, `read_model`.
        """
        where = f"attach {checked_name(name, 'attach')!r}"
        if not isinstance(sub, Model):
            raise ModelError(f"{where}: expected a Model, got {shown(sub)}")
        if values is not None and not isinstance(values, Mapping):
            raise ModelError(f"{where}: values= is a mapping from names of parameters, got {shown(values)}")
        return attach(self, name, self.frame_of(where, parent), sub, share, values or {})

    # ------------------------------------------------------------------------------------------------ freezing

    def freeze(self) -> Mechanism:
        """The finished description. Refuses one that is incomplete.

        >>> m = sb.Model("cart")
        >>> rail = m.prismatic("x", m.ground, m.body("cart", mass=2))
        >>> m.freeze()
        <Mechanism cart
          bodies: 1 (cart)
          joints: 1 (x prismatic)
          coordinates q: 1 (x)
          speeds u: 1 (x_dot)>

        See also: `Mechanism`, `derive`.
        """
        bodies = tuple(self._bodies.values())
        if lost := [b.name for b in bodies if not b.frame.root.is_ground]:
            raise ModelError(
                f"model {self.name!r}: {in_number(lost, 'body {} hangs', 'bodies {} hang')} on nothing; place each by a joint, or leave "
                "it free with m.free"
            )
        if len(z := self.symbols_of_kind("variable")) != len(self._equations):
            raise ModelError(
                f"model {self.name!r}: each additional variable needs one additional equation; variables: "
                f"{listed(z)}; equations: {listed(self._equations)}"
            )
        if wrong := refused(requirements(bodies), self._values):
            raise ModelError(f"model {self.name!r}: {wrong}")
        u, rates = self._speeds_and_rates()
        if strange := [s.name for s in self._balances if s not in u]:
            raise ModelError(
                f"model {self.name!r}: balances of {in_number(strange, '{}, which is no speed', '{}, which are no speeds')} of it; its speeds "
                f"are {listed(s.name for s in u)}"
            )
        loads = list(self._loads.values())
        if self._gravity is not None:
            loads.insert(0, make.uniform_gravity(bodies, self._gravity))
        loads += [field.load(bodies) for field in self._fields]
        kept, notes = self._constraints_that_say_something()
        return Mechanism(
            name=self.name,
            ground=self.ground,
            q=self.symbols_of_kind("coordinate"),
            u=tuple(u),
            rates=rates,
            p=self.symbols_of_kind("parameter"),
            r=self.symbols_of_kind("input"),
            z=z,
            bodies=bodies,
            joints=tuple(self._joints.values()),
            loads=tuple(loads),
            constraints=kept,
            equations=dict(self._equations),
            outputs=dict(self._outputs),
            labels=dict(self._labels),
            norms=tuple(self._norms),
            gravity=self._gravity,
            values=dict(self._values),
            units=dict(self._units),
            small=tuple(self._small),
            notes=(*notes, *self._notes),
            kinetic=dict(self._kinetic),
            balances=dict(self._balances),
        )

    def _constraints_that_say_something(self) -> tuple[tuple[Constraint, ...], tuple[str, ...]]:
        """Constraints of loop joints that are zero, or rounding of zero, whatever the coordinates (as out of the plane
        of a plane linkage) are left out and noted."""
        kept, notes = [], []
        for c in self._constraints.values():
            if c.expression.value is None:
                kept.append(c)
            elif c.joint is not None and abs(float(c.expression.value)) <= ROUNDING:
                notes.append(f"constraint {c.name} holds by itself and is left out")
            else:
                raise ModelError(f"constraint {c.name!r} cannot hold: it says {shown(c.expression)} = 0")
        silent = {j.name for j in self._joints.values() if j.closes_loop} - {c.joint for c in kept}
        if idle := sorted(silent & {c.joint for c in self._constraints.values() if c.joint is not None}):
            raise ModelError(
                f"joint {idle[0]!r} closes a loop but adds no constraint: all it asks for holds by itself; leave it out"
            )
        return tuple(kept), tuple(notes)

    # ------------------------------------------------------------------------------------------------ how it is done

    def _quantities(self, where: str, **values: Any) -> list[Expr]:
        """Scalars of a part, in the order of their options; what is none, or not of this model, is refused with the
        option."""
        return [self.checked(f"{where}, {k}=", as_expression(v, f"{where}, {k}=")) for k, v in values.items()]

    def _carrier(self, where: str, on: Any, point: Point) -> Frame:
        """The frame that a force at a point acts on: the body named, else the point's frame, or the point itself where
        it moves in it."""
        self.point_of(where, point)
        if on is not None and not deforms(on):
            return self.frame_of(where, on)
        frame = point.frame
        return frame.translate(point) if moves_in_frame(point) else frame

    def _only_coordinate(self, name: str, joint: Any) -> Symbol:
        if isinstance(joint, Symbol):
            return joint
        found = self._joints.get(joint) if isinstance(joint, str) else joint
        if not isinstance(found, Joint):
            raise unknown(
                f"gear {name!r}", "joint", shown(joint) if not isinstance(joint, str) else joint, self._joints
            )
        if len(found.coordinates) != 1:
            raise ModelError(f"gear {name!r}: joint {found.name!r} has {len(found.coordinates)} coordinates, needs one")
        return found.coordinates[0]


def _direction(where: str, axis: Vector) -> Vector:
    """An axis of length one."""
    length = axis.magnitude()
    if length is ZERO:
        raise ModelError(f"{where}: its axis is zero and has no direction")
    return axis if length is ONE else axis / length
