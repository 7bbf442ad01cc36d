"""Methods of `Model` for constraints: of positions and of speeds, gears, prescribed motion, rolling."""

from __future__ import annotations

from typing import Any

from ...algebra.calculus.derivatives import jacobian, time_derivative
from ...algebra.graph.functions import sqrt
from ...algebra.graph.graph import ZERO, Condition, Expr, Symbol, as_expr
from ...algebra.graph.matrix import Matrix
from ...algebra.graph.walk import free_symbols
from ...argument_kinds import checked_flags
from ...errors import ModelError, listed, shown, unknown
from ...escaping import checked_name
from ..frames.frames import Frame, three
from ..frames.points import Point
from ..frames.rotations import unit_vector
from ..frames.vectors import Vector
from ..mechanism.declarations import as_expression, multiplier_of
from ..mechanism.mechanism import Action, Body, Constraint, Joint
from .load_methods import LoadMethods


class ConstraintMethods(LoadMethods):
    """Methods of a model that add constraints."""

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
        return self._constrain(name, expression)

    def _constrain(self, name: str, expression: Any, actions: tuple[Action, ...] = ()) -> str:
        where = f"constraint {checked_name(name, 'constraint')!r}"
        if isinstance(expression, (bool, Condition)):
            raise ModelError(
                f"{where}: an expression that is to be zero, got {shown(expression)}, which a comparison gives; x = 2 is "
                "written x - 2"
            )
        phi = self.parts.checked(where, as_expression(expression, where))
        if rates := [s for s in free_symbols(phi) if s.kind in ("speed", "acceleration")]:
            declared = [q.stem for q in self.symbols_of_kind("coordinate")]  # symbols of a graph are in order of age
            rates.sort(key=lambda s: declared.index(s.stem) if s.stem in declared else len(declared))
            raise ModelError(
                f"{where} contains the rates {listed(rates)}: use constrain_speed for a nonholonomic constraint"
            )
        if not any(s.kind == "coordinate" for s in free_symbols(phi)):
            raise ModelError(f"{where}: {shown(phi)} contains no coordinate")
        return self.parts.add_constraint(Constraint(name, phi, True, actions=actions))

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
        psi = self.parts.checked(where, as_expression(expression, where))
        rates = [s for s in free_symbols(psi) if s.kind == "speed"]
        if not rates:
            raise ModelError(f"{where}: {shown(psi)} contains no rate; use constrain for a holonomic constraint")
        if nonlinear := [s for s in free_symbols(jacobian([psi], rates)) if s.kind == "speed"]:
            raise ModelError(
                f"{where} is not linear in the speeds: its coefficients contain {listed(nonlinear)}; bring it to a "
                "form that is linear, or give it as a load or as an additional equation (m.equation)"
            )
        return self.parts.add_constraint(Constraint(name, psi, False))

    def multiplier(self, constraint: str) -> Symbol:
        """The multiplier of an existing constraint, for loads that depend on its force, such as friction with N =
        m.multiplier("floor").

        It is the force conjugate to the rate of the constraint's expression, positive if it increases that expression.

        >>> m = sb.Model("bead")
        >>> x, y = m.coordinates("x y")
        >>> bead = m.particle("bead", m.ground.point(x, y, 0), mass=1)
        >>> name = m.constrain("floor", y)
        >>> m.multiplier("floor")
        lam_floor

        See also: `Model.constrain`, `Model.friction`.
        """
        if not isinstance(constraint, str) or constraint not in self.parts.constraints:
            raise unknown(f"model {self.name!r}", "constraint", str(constraint), self.parts.constraints)
        return multiplier_of(constraint)

    def coincide(
        self, name: str, a: Point, b: Point, *, along: Body | Frame | None = None, axes: str = "xyz"
    ) -> list[str]:
        """Constrain two points to coincide along the given axes of a frame (by default the frame of a).

        >>> m = sb.Model("bead")
        >>> x, y = m.coordinates("x y")
        >>> bead = m.particle("bead", m.ground.point(x, y, 0), mass=1)
        >>> names = m.coincide("slot", m.ground.translate(x, y, 0).origin, m.ground.point(0, 1, 0), axes="y")
        >>> sb.derive(m).phi
        vector(1 - y)

        See also: `Model.constrain`, `Model.joint`.
        """
        where = f"constraint {checked_name(name, 'constraint')!r}"
        gap = self.parts.point_of(where, b) - self.parts.point_of(where, a)
        outer = a.frame if along is None else self.parts.frame_of(f"{where}, along=", along)
        if not isinstance(axes, str):
            raise ModelError(f"{where}: axes= must be letters such as 'xy', got {shown(axes)}")
        made = []
        for axis in axes:
            direction = outer.vector(*unit_vector(axis, f"constraint {name!r}").entries)
            row = f"{name}.{axis}"
            actions = [Action(b.frame, force=direction, at=b), Action(a.frame, force=-direction, at=b)]
            if (
                outer is not a.frame
            ):  # points that stay apart across the axes: the pair turns the frame of the directions
                actions[1:] = [Action(a.frame, force=-direction, at=a), Action(outer, torque=direction.cross(gap))]
            made_row = Constraint(row, gap.dot(direction), True, name, tuple(actions), (gap, direction))
            made.append(self.parts.add_constraint(made_row, True))
        return made

    def orthogonal(self, name: str, a: Vector, b: Vector) -> str:
        """Constrain two directions, each fixed in its frame, to stay orthogonal: a · b = 0. The multiplier is a torque
        b × a on the frame of b.

        >>> m = sb.Model("frames")
        >>> a = m.coordinate("a")
        >>> arm = m.body("arm", m.ground.rotate("z", a), mass=1, inertia=(1, 1, 1))
        >>> name = m.orthogonal("upright", arm.frame.x, m.ground.x)
        >>> sb.derive(m).phi
        vector(cos(a))

        See also: `Model.constrain`, `Model.coincide`.
        """
        terms = [list(self.parts.checked_vector(f"constraint {name!r}", v).terms) for v in (a, b)]
        if not all(terms):
            raise ModelError(f"constraint {name!r}: a direction is zero")
        (outer, *more), (inner, *others) = terms
        if more or others or any(s.kind != "parameter" for s in free_symbols(*a.terms[outer], *b.terms[inner])):
            raise ModelError(
                f"constraint {name!r}: each direction must be fixed in one frame, as frame.vector(1, 0, 0) is"
            )
        twist = b.cross(a)
        actions = (Action(inner, torque=twist), Action(outer, torque=-twist))
        return self.parts.add_constraint(Constraint(name, a.dot(b), True, name, actions, (a, b)))

    def gear(self, name: str, first: Any, second: Any, ratio: Any) -> str:
        """Couple two joints with one coordinate each: first + ratio · second = 0. With a negative ratio they rotate in
        the same direction.

        >>> m = sb.Model("gears")
        >>> wheels = [m.body(n, mass=1, inertia=(1, 1, 1)) for n in ("small", "large")]
        >>> axles = m.revolute("a", m.ground, wheels[0]), m.revolute("b", m.ground, wheels[1])
        >>> name = m.gear("mesh", "a", "b", 3)
        >>> sb.derive(m).phi
        vector(a + 3*b)

        See also: `Model.constrain`, `Model.coincide`.
        """
        a, b = (self._only_coordinate(name, j) for j in (first, second))
        (ratio,) = self.parts.quantities(f"gear {name!r}", ratio=ratio)
        pairs = self._pair_on(a, as_expr(1)), self._pair_on(b, ratio)
        return self._constrain(name, a + ratio * b, (*pairs[0], *pairs[1]) if all(pairs) else ())

    def _only_coordinate(self, name: str, joint: Any) -> Symbol:
        if isinstance(joint, Symbol):
            return joint
        found = self.parts.joints.get(joint) if isinstance(joint, str) else joint
        if not isinstance(found, Joint):
            raise unknown(
                f"gear {name!r}", "joint", shown(joint) if not isinstance(joint, str) else joint, self.parts.joints
            )
        if len(found.coordinates) != 1:
            raise ModelError(f"gear {name!r}: joint {found.name!r} has {len(found.coordinates)} coordinates, needs one")
        return found.coordinates[0]

    def _pair_on(self, q: Symbol, strength: Expr) -> tuple[Action, ...]:
        """A torque (or force) across the joint that a coordinate moves, along its motion, with the power strength ·
        q'."""
        joint = self.parts.joints.get(self.parts.driven.get(q, ""))
        if joint is None:
            return ()
        for f in joint.inner.below(joint.outer):
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
        """Prescribe an expression of the coordinates as a function of time; the multiplier of this name is the required
        force.

        >>> m = sb.Model("crank")
        >>> axle = m.revolute("a", m.ground, m.body("crank", mass=1, inertia=(1, 1, 1)))
        >>> name = m.prescribe("drive", m.symbols["a"], 2 * m.time)
        >>> sb.derive(m).phi
        vector(a - 2*t)

        See also: `Model.constrain`, `Model.input`, `simulate`.
        """
        where = f"constraint {checked_name(name, 'constraint')!r}"
        return self.constrain(name, as_expression(expression, where) - as_expression(motion, f"{where}, motion="))

    @checked_flags(ModelError)
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
        """Constrain a wheel to roll without slip on the plane z = 0 of a frame, and return the contact point.

        radius   of the contacting circle (knife edge), or of the centre line of a torus with tube radius `tube`
        axis     of spin, in the wheel
        up       "-z" if the wheel is on the negative side of z, for example if z points down
        contact  the contact point, if the coordinates already guarantee contact: then only the rolling conditions are
                 added
        slip     True omits the two rolling conditions: the wheel touches the plane and may slip

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
        self.parts.frame_of(where, wheel)
        ground = self.ground if plane is None else self.parts.frame_of(f"{where}, plane=", plane)
        if contact is not None:
            self.parts.point_of(f"{where}, contact=", contact)
        if not isinstance(up, str) or up not in ("z", "-z"):
            raise ModelError(
                f"wheel {name!r}: up= is 'z' or '-z' of the plane's frame, got {shown(up)}; plane= takes any frame"
            )
        n, a = (ground.z if up == "z" else -ground.z), wheel.frame.vector(*unit_vector(axis, f"wheel {name!r}").entries)
        c = Point(wheel.frame, three(centre, f"{where}, centre="))
        R, rho = self.parts.quantities(f"wheel {name!r}", radius=radius, tube=tube)
        cosine = n.dot(a)
        down = (n - cosine * a) / sqrt(1 - cosine**2)
        hub = c - ground.origin
        height = hub.dot(n) - R * sqrt(1 - cosine**2) - rho
        if contact is None:
            contact = c - R * down - rho * n if rho is not ZERO else c - R * down
            push = (Action(wheel.frame, force=n, at=contact), Action(ground, force=-n, at=contact))
            self.parts.add_constraint(Constraint(f"{name}.contact", height, True, name, push))
        if not slip:
            v = wheel.frame.angular_velocity(ground).cross(contact - c) + c.velocity(ground)
            for label, direction in (("x", ground.x), ("y", ground.y)):
                drive = (Action(wheel.frame, force=direction, at=contact), Action(ground, force=-direction, at=contact))
                self.parts.add_constraint(Constraint(f"{name}.roll_{label}", v.dot(direction), False, name, drive))
        self.parts.add_joint(
            Joint(name, "rolling", ground, wheel.frame, self.parts.owner(ground), wheel.name, (), closes_loop=True)
        )
        return contact
