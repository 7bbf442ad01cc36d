"""Methods of `Model` for loads: gravity, forces and torques, springs, drag, potentials, tyres."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ...algebra.calculus.derivatives import time_derivative
from ...algebra.graph.functions import atan
from ...algebra.graph.graph import ONE, ZERO, Symbol
from ...argument_kinds import checked_flags
from ...errors import ModelError, shown, unknown
from ...escaping import checked_name, identifier
from ..elastic.elastic_body import deforms
from ..frames.frames import Frame
from ..frames.points import Point
from ..frames.vectors import Vector
from ..loads import loads as make
from ..loads.loads import RotationalSpring, Spring
from ..mechanism.declarations import as_expression
from ..mechanism.mechanism import Body, Load
from .equation_methods import EquationMethods
from .structure import Part


class LoadMethods(EquationMethods):
    """Methods of a model that add forces, torques and other loads."""

    def gravity(self, x: Any, y: Any = None, z: Any = None, *, on: Any = None, name: str = "gravity") -> None:
        """Uniform gravity, given by the ground components of its acceleration (three numbers or a tuple) or by a
        vector.

        on     a body, or a list of bodies, if it acts only on these; by default it acts on all
        name   of the load, if groups of bodies have different gravity

        >>> m = sb.Model("cart")
        >>> g = m.parameter("g", 9.81)
        >>> rail = m.prismatic("z", m.ground, m.body("cart", mass=2), axis="z")
        >>> m.gravity(0, 0, -g)
        >>> sb.derive(m).f
        vector(-2*g)

        See also: `Model.central_gravity`, `Model.force`.
        """
        if isinstance(x, (tuple, list)) and len(x) == 3 and y is None and z is None:
            x, y, z = x
        if not isinstance(x, Vector) and (y is None or z is None):
            raise ModelError(
                f"gravity {name!r}: three components in the ground, such as m.gravity(0, 0, -9.81), or a vector; "
                f"got {shown(x if y is None else (x, y))}"
            )
        if isinstance(x, Vector) and (y is not None or z is not None):
            raise ModelError(
                f"gravity: a vector, or three components; got {shown(x)} and {shown(y if z is None else z)}"
            )
        acceleration = x if isinstance(x, Vector) else self.ground.vector(x, y, z)
        some = () if on is None else self._bodies_of(f"gravity {name!r}, on=", on)
        if on is None and checked_name(name, "gravity") != "gravity":
            raise ModelError(f"gravity {name!r}: that of all bodies is called 'gravity'; name= goes with on=[bodies]")
        self.parts.add_gravity(make.UniformGravity(name, acceleration, some))

    def _bodies_of(self, where: str, given: Any) -> tuple[Body, ...]:
        some = tuple(given) if isinstance(given, (list, tuple)) else (given,)
        for b in some:
            self.parts.frame_of(where, b)
        if not some or (frames := [b for b in some if not isinstance(b, Body)]):
            raise ModelError(f"{where} takes bodies, got {shown(frames[0] if some else given)}")
        return some

    @checked_flags(ModelError)
    def central_gravity(
        self, name: str, strength: Any, centre: Point | None = None, *, gradient: bool = False, on: Any = None
    ) -> None:
        """Attraction of every body to a point (the origin of the ground by default): strength · m / r² at its mass
        centre.

        on         a body, or a list of bodies, if it acts only on these; by default it acts on all
        gradient   True: include the variation of the attraction over each body, to second order in its size over the
                   distance: the gravity gradient torque 3 strength / r³ n × I·n and the corresponding force. By default
                   each body is attracted like a point mass.

        >>> m = sb.Model("satellite")
        >>> r, a = m.coordinates("r a")
        >>> probe = m.particle("probe", m.ground.rotate("z", a).point(r, 0, 0), mass=1)
        >>> earth = m.central_gravity("earth", m.parameter("mu"))
        >>> sb.derive(m).f[0]
        r*a_dot**2 - mu/abs(r)**3*r

        See also: `Model.gravity`, `Model.force`.
        """
        (mu,) = self.parts.quantities(f"gravity {checked_name(name, 'gravity')!r}", strength=strength)
        origin = self.ground.origin if centre is None else self.parts.point_of(f"gravity {name!r}, centre=", centre)
        some = () if on is None else self._bodies_of(f"gravity {name!r}, on=", on)
        self.parts.add_gravity(make.CentralGravity(name, mu, origin, gradient, some))

    def force(
        self, name: str, on: Part, vector: Vector, *, at: Point | None = None, reacting: Part | None = None
    ) -> Load:
        """A force on a body or frame at a point (by default the mass centre), with its reaction on another part if you
        name one.

        >>> m = sb.Model("cart")
        >>> cart = m.body("cart", mass=2)
        >>> rail = m.prismatic("x", m.ground, cart)
        >>> wind = m.force("wind", cart, 3 * m.ground.x)
        >>> sb.derive(m).f
        vector(3)

        See also: `Model.torque`, `Model.generalized_force`, `Model.spring`.
        """
        frame = self.parts.frame_of(f"force {checked_name(name, 'force')!r}", on)
        point = on.mass_centre if isinstance(on, Body) else frame.origin
        if at is not None:
            point = self.parts.point_of(f"force {name!r}, at=", at)
        if deforms(on):
            frame = point.frame
        other = None if reacting is None else self.parts.frame_of(f"force {name!r}, reacting", reacting)
        return self.parts.add_load(
            make.force(name, self.parts.checked_vector(f"load {name!r}", vector), point, frame, other)
        )

    def torque(self, name: str, on: Part, vector: Vector, *, reacting: Part | None = None) -> Load:
        """A torque on a body or frame, with its reaction on another part if you name one.

        >>> m = sb.Model("wheel")
        >>> wheel = m.body("wheel", mass=2, inertia=(1, 1, 1))
        >>> axle = m.revolute("a", m.ground, wheel)
        >>> motor = m.torque("motor", wheel, m.input("tau") * m.ground.z)
        >>> sb.derive(m).f
        vector(tau)

        See also: `Model.force`, `Model.rotational_spring`.
        """
        frame = self.parts.frame_of(f"torque {checked_name(name, 'torque')!r}", on)
        if deforms(on):
            raise ModelError(
                f"torque {name!r}: the body {on.name!r} deforms; state where it acts by a frame such as body.at(x)"
            )
        other = None if reacting is None else self.parts.frame_of(f"torque {name!r}, reacting", reacting)
        return self.parts.add_load(make.torque(name, self.parts.checked_vector(f"load {name!r}", vector), frame, other))

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
        """Spring, damper and actuator between two points at distance l. The tension pulls the points together:

            stiffness (l - rest) + damping l' - actuation

        A positive actuation pushes them apart, just as it increases the coordinate of a joint. The result has the
        attributes `length`, `rate`, `tension`, `energy` and `force`, the vector on b.

        parent, child   the bodies that a and b belong to, if these differ from the frames of the points

        >>> m = sb.Model("cart")
        >>> cart = m.body("cart", mass=1)
        >>> rail = m.prismatic("x", m.ground, cart)
        >>> spring = m.spring("spring", m.ground.point(-1, 0, 0), cart.point(0, 0, 0), stiffness=10, rest=1)
        >>> sb.evaluate(sb.derive(m).f, {"x": 0.5})
        [-5.0]

        See also: `Model.rotational_spring`, `Model.force`, `Model.tension`.
        """
        self.parts.refuse_load_twice(name)
        where = f"spring {checked_name(name, 'spring')!r}"
        ends = [self.parts.carrier(where, w, p) for w, p in ((parent, a), (child, b))]
        numbers = self.parts.quantities(where, stiffness=stiffness, rest=rest, damping=damping, actuation=actuation)
        for load in make.between_points(name, a, b, ends[0], ends[1], *numbers):
            self.parts.add_load(load)
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
        """Spring, damper and actuator about an axis between two bodies. The torque on the child, with its reaction on
        the parent, is

            -stiffness (angle - rest) - damping angle' + actuation

        A positive actuation increases the angle. The result has the attributes `angle`, `rate`, `torque` and `energy`.

        axis    its direction; the length of the vector has no effect
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
        frame, other = self.parts.frame_of(where, child), self.parts.frame_of(f"{where}, parent", parent)
        axis = _direction(where, self.parts.checked_vector(f"{where}, axis", axis))
        theta = self.parts.checked(where, as_expression(angle, f"{where}, angle="))
        k, rest, c, tau = self.parts.quantities(
            where, stiffness=stiffness, rest=rest, damping=damping, actuation=actuation
        )
        elastic, potential = make.spring_force(theta, k, rest)
        if elastic is not ZERO:
            spring = make.torque(name, elastic * axis, frame, other)
            self.parts.add_load(replace(spring, kind="spring", potential=potential))
        if c is not ZERO:
            damper = (-c * time_derivative(theta)) * axis
            self.parts.add_load(make.torque(f"{name}.damper", damper, frame, other))
        if tau is not ZERO:
            self.parts.add_load(make.torque(f"{name}.actuator", tau * axis, frame, other))
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
        frame = self.parts.carrier(f"drag {checked_name(name, 'drag')!r}", on, at)
        if relative_to is not None:
            relative_to = self.parts.frame_of(f"drag {name!r}, relative_to=", relative_to)
        c1, c2 = self.parts.quantities(f"drag {name!r}", linear=linear, quadratic=quadratic)
        return self.parts.add_load(make.drag(name, at, frame, c1, c2, relative_to))

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
        V = self.parts.checked(
            f"potential {checked_name(name, 'potential')!r}", as_expression(energy, f"potential {name!r}")
        )
        return self.parts.add_load(Load(name, "potential", potential=V))

    def generalized_force(self, name: str, q: Symbol | str, value: Any) -> Load:
        """A generalised force, conjugate to the rate of a coordinate.

        q       the coordinate, or its name
        value   the force [N], or the torque [N m]

        >>> m = sb.Model("cart")
        >>> x = m.prismatic("x", m.ground, m.body("cart", mass=2)).q
        >>> spring = m.generalized_force("spring", x, -30 * x - x**3)
        >>> sb.derive(m).f
        vector(-30*x - x**3)

        See also: `Model.force`, `Model.potential`.
        """
        where = f"generalised force {checked_name(name, 'generalised force')!r}"
        known = {s.name: s for s in self.symbols_of_kind("coordinate")}
        chosen = known.get(q) if isinstance(q, str) else q
        if chosen is None or chosen not in known.values():
            raise unknown(where, "coordinate", str(q), list(known))
        return self.parts.add_load(
            make.on_coordinate(name, "force", chosen, *self.parts.quantities(f"force {name!r}", value=value))
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
        """A linear tyre with relaxation of the side force (MBSymba 2.6). Adds the side force Y as a variable, its
        equation, and the force.

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
        >>> Y, list(m.parts.equations)
        (tyre, ['tyre.relaxation'])

        See also: `Model.rolling`, `Model.variable`.
        """
        if not isinstance(stiffness, (tuple, list)) or len(stiffness) != 2:
            raise ModelError(
                f"tyre {name!r}: stiffness= needs two, for side slip and for camber, got {shown(stiffness)}"
            )
        self.parts.point_of(f"tyre {name!r}, contact", contact)
        self.parts.frame_of(f"tyre {name!r}, heading", heading)
        Y = self.variable(identifier(checked_name(name, "tyre")))
        v = contact.velocity().components(heading)
        where = f"tyre {checked_name(name, 'tyre')!r}"
        C1, C2 = (as_expression(x, f"{where}, stiffness=") for x in stiffness)
        angle, length, load = self.parts.quantities(where, camber=camber, relaxation=relaxation, load=load)
        law = C1 * atan(-v[1] / v[0]) + C2 * angle
        self.equation(f"{name}.relaxation", length / v[0] * Y.dot + Y - law)
        self.force(name, wheel, heading.vector(0, Y, load), at=contact)
        return Y


def _direction(where: str, axis: Vector) -> Vector:
    """An axis of length one."""
    length = axis.magnitude()
    if length is ZERO:
        raise ModelError(f"{where}: its axis is zero and has no direction")
    return axis if length is ONE else axis / length
