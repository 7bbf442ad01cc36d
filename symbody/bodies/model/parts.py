"""The builder of a model, `m.parts`: tables of its parts, how they are added, and checks of what is given.

Methods of `Model`, readers of files, kits and substructures all add finished parts by `add_frame`, `add_body`,
`add_joint`, `add_load` and `add_constraint`; each refuses a name that is taken. Tables are read as views that cannot be
written.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from ...algebra.graph.graph import ZERO, Expr, Symbol
from ...algebra.graph.walk import free_symbols, substitute
from ...argument_kinds import answered_class
from ...errors import ModelError, listed, shown, unknown
from ...escaping import checked_name
from ..elastic.elastic_body import deforms
from ..frames.frames import Frame
from ..frames.points import Point
from ..frames.vectors import Vector
from ..joints.joints import JointGeometry, kind_of_joint
from ..loads.loads import CentralGravity, UniformGravity
from ..mechanism.declarations import Declarations, as_expression, derivative_of, multiplier_of
from ..mechanism.frame_places import moves_in_frame
from ..mechanism.mechanism import Body, Constraint, Joint, Load
from .all_or_nothing import all_or_nothing_class
from .joint_motion import moved_frame
from .undoable import Undoable

GravityField = CentralGravity | UniformGravity


@answered_class
@all_or_nothing_class
class Parts(Undoable, Declarations):
    """Frames, bodies, joints, loads, constraints, additional equations and outputs of a model, by name: `m.parts`.

    A joint or load of one's own, or a reader of files, is written with it: `checked`, `frame_of`, `point_of` and
    `quantities` refuse what is not of this model, `add_load` and its like take finished parts in.

    >>> m = sb.Model("boat")
    >>> hull = m.body("hull", mass=2)
    >>> joint = m.prismatic("z", m.ground, hull, axis="z")
    >>> (rho,) = m.parts.quantities("water 'lake'", density=1000)
    >>> lift = m.ground.vector(0, 0, -rho * joint.q)
    >>> on = m.parts.carrier("water 'lake'", hull, hull.mass_centre)
    >>> load = m.parts.add_load(sb.bodies.Load("lake", "buoyancy", (sb.bodies.Action(on, force=lift, at=hull.mass_centre),)))
    >>> sb.derive(m).f
    vector(-1000*z)

    See also: `Model`, `bodies.Load`, `bodies.Joint`, `bodies.Mechanism`.
    """

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.ground = Frame(None, name="ground", is_ground=True)
        self._frames: dict[str, Frame] = {"ground": self.ground}
        self._bodies: dict[str, Body] = {}
        self._joints: dict[str, Joint] = {}
        self._driven: dict[Symbol, str] = {}  # coordinate -> the joint that it moves
        self._loads: dict[str, Load] = {}
        self._constraints: dict[str, Constraint] = {}
        self._written: dict[str, dict[str, Any]] = {
            k: {} for k in ("equations", "kinetic energies", "outputs", "labels", "validity")
        }
        self._balances: dict[Symbol, Expr] = {}
        self._rate_variables: dict[Symbol, Symbol] = {}  # of variables in equations of higher order: z -> z_rate
        self._fields: list[GravityField] = []  # gravity, made a load once all bodies are placed
        self._notes: list[str] = []

    def __repr__(self) -> str:
        return f"<Parts of {self.name}: {listed(self._bodies)}>"

    # ------------------------------------------------------------------------------------------------ views

    @property
    def frames(self) -> Mapping[str, Frame]:
        """Frames that have a name, the ground among them.

        >>> m = sb.Model("arm")
        >>> arm = m.body("arm", mass=1, com=(1, 0, 0))
        >>> hinge = m.revolute("a", m.ground, arm)
        >>> list(m.parts.frames), m.parts.bodies["arm"] is arm, m.parts.joints["a"] is hinge, dict(m.parts.driven)
        (['ground'], True, True, {a: 'a'})

        See also: `Model.frames`, `Model.bodies`, `Model.joints`.
        """
        return MappingProxyType(self._frames)

    @property
    def bodies(self) -> Mapping[str, Body]:
        """Bodies by name, in the order in which they were described."""
        return MappingProxyType(self._bodies)

    @property
    def joints(self) -> Mapping[str, Joint]:
        """Joints by name, those that close loops among them."""
        return MappingProxyType(self._joints)

    @property
    def driven(self) -> Mapping[Symbol, str]:
        """For each coordinate of a joint, the joint's name."""
        return MappingProxyType(self._driven)

    @property
    def loads(self) -> Mapping[str, Load]:
        """All loads but gravity, which is applied to the bodies when the model is frozen.

        >>> m = sb.Model("bead")
        >>> x, y = m.coordinates("x y")
        >>> bead = m.particle("bead", m.ground.point(x, y, 0), mass=1)
        >>> m.gravity(0, -9.81, 0)
        >>> spring, wire = m.potential("spring", x**2), m.constrain("wire", y - x**2)
        >>> list(m.parts.loads), list(m.parts.constraints), m.parts.has_gravity, m.parts.has_fields
        (['spring'], ['wire'], True, False)
        >>> m.parts.load_names, [load.name for load in m.parts.all_loads()]
        (('gravity', 'spring'), ['gravity', 'spring'])
        >>> m.output("height", y)
        >>> label = m.label("slope", 2 * x)
        >>> dict(m.parts.outputs), dict(m.parts.labels), m.parts.gravity
        ({'height': y}, {'slope': 2*x}, ground.vector(0, -9.81, 0))

        See also: `Model.force`, `Model.constrain`, `Model.gravity`, `Model.output`, `Model.label`.
        """
        return MappingProxyType(self._loads)

    @property
    def load_names(self) -> tuple[str, ...]:
        """Names of all loads: gravity of all bodies, loads, gravity of some bodies and central gravity."""
        fields, first = [g.name for g in self._fields], int(self.has_gravity)
        return (*fields[:first], *self._loads, *fields[first:])

    def all_loads(self) -> tuple[Load, ...]:
        """Loads in this order, gravity as it acts on the bodies that are there."""
        bodies = tuple(self._bodies.values())
        fields, first = [g.load(bodies) for g in self._fields], int(self.has_gravity)
        return (*fields[:first], *self._loads.values(), *fields[first:])

    @property
    def constraints(self) -> Mapping[str, Constraint]:
        """Constraints by name, also those of joints that close loops."""
        return MappingProxyType(self._constraints)

    @property
    def equations(self) -> Mapping[str, Expr]:
        """Additional equations."""
        return MappingProxyType(self._written["equations"])

    @property
    def kinetic_energies(self) -> Mapping[str, Expr]:
        """Kinetic energies that were written down.

        >>> m = sb.Model("bead on a wire")
        >>> x = m.coordinate("x")
        >>> m.parts.add_expression("kinetic energies", "bead", x.dot**2 / 2)
        >>> m.parts.add_balance(x.dot, 3 * x.dot.dot + x)
        >>> dict(m.parts.kinetic_energies), dict(m.parts.balances)
        ({'bead': x_dot**2/2}, {x_dot: x + 3*x_ddot})

        See also: `Model.kinetic_energy`, `Model.balance`, `from_lagrangian`.
        """
        return MappingProxyType(self._written["kinetic energies"])

    @property
    def balances(self) -> Mapping[Symbol, Expr]:
        """Equations of motion that were written down, by speed."""
        return MappingProxyType(self._balances)

    @property
    def outputs(self) -> Mapping[str, Any]:
        """Outputs by name: expressions, vectors and matrices of them."""
        return MappingProxyType(self._written["outputs"])

    @property
    def labels(self) -> Mapping[str, Expr]:
        """Names of subexpressions."""
        return MappingProxyType(self._written["labels"])

    @property
    def validity(self) -> Mapping[str, Expr]:
        """Expressions that are positive where the model is valid, by name.

        >>> m = sb.Model("cart")
        >>> rail = m.prismatic("x", m.ground, m.body("cart", mass=2))
        >>> m.valid_while("on the rail", 1 - rail.q**2)
        >>> dict(m.parts.validity)
        {'on the rail': 1 - x**2}

        See also: `Model.valid_while`.
        """
        return MappingProxyType(self._written["validity"])

    @property
    def fields(self) -> tuple[GravityField, ...]:
        """Gravity as it was given: that of all bodies first."""
        return tuple(self._fields)

    @property
    def gravity(self) -> Vector | None:
        """The acceleration of uniform gravity on all bodies."""
        return next((g.acceleration for g in self._fields if isinstance(g, UniformGravity) and not g.on), None)

    @property
    def has_gravity(self) -> bool:
        """Whether there is uniform gravity on all bodies."""
        return self.gravity is not None

    @property
    def has_fields(self) -> bool:
        """Whether there is central gravity, or gravity on some bodies."""
        return len(self._fields) > self.has_gravity

    @property
    def notes(self) -> tuple[str, ...]:
        """Remarks, as `Model.note` adds them."""
        return tuple(self._notes)

    # ------------------------------------------------------------------------------------------------ adding parts

    def add_frame(self, name: str, frame: Frame) -> Frame:
        """File a frame under a name, whatever it is called itself.

        >>> m = sb.Model("arm")
        >>> wrist = m.parts.add_frame("wrist", m.ground.translate(1, 0, 0))
        >>> m.frames["wrist"] is wrist
        True

        See also: `Model.frame`.
        """
        if not isinstance(frame, Frame):
            raise ModelError(
                f"model {self.name!r}: frame {shown(name)}: expected a frame such as body.frame.rotate('x', "
                f"q), got {shown(frame)}"
            )
        if checked_name(name, "frame") in self._frames:
            raise ModelError(f"model {self.name!r}: frame {name!r} is oriented already; a frame has one orientation")
        self._frames[name] = frame
        return frame

    def add_body(self, body: Body) -> Body:
        """A body on its frame: how `Model.body`, readers of files and substructures add theirs. Parts of another model go over in the same way,
        as far as they stand on frames of this one.

        >>> m = sb.Model("cart")
        >>> x = m.coordinate("x")
        >>> cart = m.body("cart", m.ground.translate(x, 0, 0), mass=2)
        >>> twin = m.parts.add_body(sb.Body("twin", cart.frame, cart.mass))
        >>> m.parts.order_bodies(["twin"])
        >>> list(m.bodies), m.parts.owner(cart.frame.translate(1, 0, 0))
        (['twin', 'cart'], 'cart')

        See also: `Model.body`, `Body`.
        """
        self.refuse_twice("bodies", body.name, self._bodies)
        self._bodies[body.name] = body
        return body

    def order_bodies(self, names: Iterable[str]) -> None:
        """Put the bodies named first, in this order; the others follow as they are."""
        first = {n: self._bodies[n] for n in names}
        self._bodies = first | {n: b for n, b in self._bodies.items() if n not in first}

    def add_joint(self, joint: Joint) -> Joint:
        """A joint whose frames stand already; its coordinates are moved by no other joint from now on.

        >>> from dataclasses import replace
        >>> m = sb.Model("arm")
        >>> hinge = m.revolute("a", m.ground, m.body("arm", mass=1, com=(1, 0, 0)))
        >>> push, hold = m.potential("spring", hinge.q**2), m.constrain("stop", hinge.q - 1)
        >>> also = m.parts.add_joint(replace(hinge, name="b", coordinates=()))
        >>> more = m.parts.add_load(replace(push, name="second spring"))
        >>> m.parts.add_constraint(replace(m.parts.constraints["stop"], name="again"), may_repeat=True)
        'again'
        >>> list(m.joints), list(m.parts.loads), list(m.parts.constraints)
        (['a', 'b'], ['spring', 'second spring'], ['stop', 'again'])

        See also: `Model.joint`, `Model.force`, `Model.constrain`.
        """
        self.refuse_twice("joints", joint.name, self._joints)
        self._joints[joint.name] = joint
        self._driven.update(dict.fromkeys(joint.coordinates, joint.name))
        return joint

    def moved_frame(
        self, kind: str, name: str, outer: Frame, *, axis: Any = None, sequence: str = "xyz"
    ) -> tuple[Frame, tuple[Symbol, ...]]:
        """The frame after a joint's motion, and the coordinates that move it, declared here; for a joint that is added
        with `add_joint`. Options are those of `Model.joint`.

        >>> m = sb.Model("hinge")
        >>> frame, q = m.parts.moved_frame("revolute", "a", m.ground, axis="z")
        >>> q, frame.x.in_ground, m.parts.joint_coordinates("a", q)
        ((a,), vector(cos(a), sin(a), 0), (a,))
        >>> m.parts.add_joint(sb.bodies.Joint("a", "revolute", m.ground, frame, "ground", "arm", q))
        <Joint a: revolute from ground to arm by a>

        See also: `Model.joint`.
        """
        made = kind_of_joint(name, kind)
        given = JointGeometry(axis=made.axis if axis is None else axis, sequence=sequence)
        return moved_frame(self, made, name, outer, given, None)

    def joint_coordinates(self, name: str, q: Sequence[Expr]) -> tuple[Symbol, ...]:
        """The coordinates among the expressions that move a joint; none of them moves another one."""
        symbols = tuple(x for x in q if isinstance(x, Symbol) and x.kind == "coordinate")
        for s in symbols:
            if s in self._driven or symbols.count(s) > 1:
                raise ModelError(
                    f"joint {name!r}: the coordinate {s} moves joint {self._driven.get(s, name)!r} already; give this joint a coordinate "
                    "of its own, or tie the two by a gear or a constraint"
                )
        return symbols

    def add_load(self, load: Load) -> Load:
        """A load with its reactions."""
        self.refuse_twice("loads", load.name, self.load_names)
        self._loads[load.name] = load
        return load

    def add_gravity(self, field: GravityField) -> None:
        """Gravity of all bodies or of some, made a load when the model is frozen: a field with `name`, `on` and
        `load(bodies)`.

        >>> a, b = sb.Model("a"), sb.Model("b")
        >>> a.central_gravity("earth", 3.0)
        >>> b.parts.add_gravity(a.parts.fields[0])
        >>> b.parts.load_names
        ('earth',)

        See also: `Model.gravity`, `Model.central_gravity`.
        """
        on_all = isinstance(field, UniformGravity) and not field.on
        if on_all and self.has_gravity:
            raise ModelError(f"model {self.name!r}: gravity is given twice")
        self.refuse_twice("loads", field.name, self.load_names)
        self._fields = [field, *self._fields] if on_all else [*self._fields, field]

    def add_constraint(self, constraint: Constraint, may_repeat: bool = False) -> str:
        """A constraint with the actions that belong to a multiplier of one. Returns its name.

        may_repeat   True leaves a repeated expression to the audit of the whole mechanism, as for the rows of loop
                     joints
        """
        name, expression = constraint.name, constraint.expression
        self.refuse_twice("constraints", name, self._constraints)
        same = [k for k, other in self._constraints.items() if other.expression is expression]
        if same and expression is not ZERO and not may_repeat:
            raise ModelError(
                f"constraint {name!r} says the same as {same[0]!r}: {shown(expression)} = 0; drop one of them"
            )
        self._constraints[name] = constraint
        return name

    def add_equation(self, name: str, expression: Expr) -> str:
        """An additional equation, brought to first order: z'' becomes z_rate', with the variable z_rate and its equation
        z' = z_rate. Returns its name.

        >>> m = sb.Model("valve")
        >>> x = m.variable("x")
        >>> m.parts.add_equation("spool", x.dot.dot + 3 * x)
        'spool'
        >>> dict(m.parts.equations)
        {'x.rate': x_dot - x_rate, 'spool': 3*x + x_rate_dot}
        >>> m.parts.add_expression("outputs", "stroke", 2 * x)
        >>> m.parts.add_note("the valve is not worn")
        >>> m.parts.outputs["stroke"], m.parts.notes
        (2*x, ('the valve is not worn',))

        See also: `Model.equation`, `Model.output`, `Model.note`.
        """
        self.refuse_twice("equations", name, self.equations)
        h = self.checked(f"equation {name!r}", expression)
        while high := [s for s in free_symbols(h) if s.kind == "variable" and s.order >= 2]:
            z = self._symbols[high[0].stem]
            rate = self._rate_variable(z)
            orders = range(1, max(s.order for s in high if s.stem == z.stem) + 1)
            h = substitute(h, {derivative_of(z, k): derivative_of(rate, k - 1) for k in orders})
        self._written["equations"][name] = substitute(h, {z.dot: rate for z, rate in self._rate_variables.items()})
        return name

    def _rate_variable(self, z: Symbol) -> Symbol:
        """The variable that stands for z', with the equation that defines it; it takes the place of z' in all others."""
        if z not in self._rate_variables:
            rate, written = self.declare(f"{z.name}_rate", "variable"), self._written["equations"]
            written |= {name: substitute(h, {z.dot: rate}) for name, h in written.items()}
            self.add_equation(f"{z.name}.rate", z.dot - rate)
            self._rate_variables[z] = rate
        return self._rate_variables[z]

    def add_expression(self, table: str, name: str, value: Any) -> None:
        """Something written down under a name: table is "kinetic energies", "outputs" or "labels"."""
        self.refuse_twice(table, name, self._written[table])
        self._written[table][name] = value

    def remove_label(self, name: str) -> None:
        """Take a label back, or all name_1, name_2, ... of a vector.

        >>> m = sb.Model("m")
        >>> x = m.coordinate("x")
        >>> y = m.label("y", 2 * x)
        >>> m.parts.remove_label("y")
        >>> dict(m.parts.labels)
        {}

        See also: `Model.unlabel`.
        """
        labels = self._written["labels"]
        found = (
            [name]
            if name in labels
            else [n for n in labels if n.rpartition("_")[0] == name and n[len(name) + 1 :].isdigit()]
        )
        if not found:
            raise unknown(f"model {self.name!r}", "label", name, labels)
        for n in found:
            del labels[n]

    def add_balance(self, speed: Symbol, expression: Expr) -> None:
        """An equation of motion of a speed, or of a coordinate whose rate is one."""
        s = speed.dot if isinstance(speed, Symbol) and speed.kind == "coordinate" else speed
        if not isinstance(s, Symbol) or s.kind != "speed" or not (self._symbols.get(s.name) is s or self._is_rate(s)):
            known = listed((*self.symbols_of_kind("speed"), *self.symbols_of_kind("coordinate")))
            raise ModelError(
                f"balance: {shown(speed)} is not a speed of model {self.name!r}, nor a coordinate; there are {known}"
            )
        if s in self._balances:
            raise ModelError(f"model {self.name!r}: there are two balances of {s.name!r}; add them up")
        self._balances[s] = self.checked(f"balance of {s.name!r}", expression)

    def add_note(self, *texts: str) -> None:
        """Remarks for readers of the mechanism."""
        self._notes.extend(texts)

    def refuse_twice(self, what: str, name: str, among: Collection[str]) -> None:
        """An error where a name is taken.

        >>> m = sb.Model("cart")
        >>> cart = m.body("cart", mass=2)
        >>> m.parts.refuse_twice("bodies", "trailer", m.bodies)
        >>> m.parts.refuse_twice("bodies", "cart", m.bodies)
        Traceback (most recent call last):
            ...
        symbody.errors.ModelError: model 'cart': there are two bodies 'cart'; give one of them another name

        See also: `Model.body`.
        """
        if checked_name(name, f"model {self.name!r}: {what}") in among:
            raise ModelError(f"model {self.name!r}: there are two {what} {name!r}; give one of them another name")

    def _owner_of(self, s: Symbol) -> str:
        return f" of joint {self._driven[s]!r}" if s in self._driven else ""

    def _is_multiplier(self, s: Symbol) -> bool:
        return s.kind == "multiplier" and any(multiplier_of(name) is s for name in self._constraints)

    # ------------------------------------------------------------------------------------------------ checks

    def frame_of(self, where: str, thing: Any) -> Frame:
        """The frame of a body or frame of this model; what is neither, or of another model, is refused with the place `where` it was given.

        >>> m = sb.Model("cart")
        >>> cart = m.body("cart", mass=2)
        >>> m.parts.frame_of("force 'push'", cart) is cart.frame
        True
        >>> m.parts.own_frame("force 'push'", cart.frame) is cart.frame
        True
        >>> m.parts.point_of("force 'push', at=", cart.point(1, 0, 0))
        cart.point(1, 0, 0)
        >>> m.parts.checked_vector("force 'push'", 3 * m.ground.x)
        ground.vector(3, 0, 0)

        See also: `Model.force`.
        """
        if isinstance(thing, Body):
            if self._bodies.get(thing.name) is not thing:
                raise ModelError(
                    f"{where}: the body {thing.name!r} is not of model {self.name!r}, whose bodies are "
                    f"{listed(self._bodies)}; make it there with m.body({thing.name!r}, ...)"
                )
            return thing.frame
        if isinstance(thing, Frame):
            return self.own_frame(where, thing)
        place = "; the point at which something acts goes by keyword, at=" if isinstance(thing, Point) else ""
        raise ModelError(f"{where}: expected a body or a frame, got {shown(thing)}{place}")

    def point_of(self, where: str, thing: Any) -> Point:
        """A point of this model."""
        if not isinstance(thing, Point):
            centre = "; the mass centre of a body is its attribute .mass_centre" if isinstance(thing, Body) else ""
            raise ModelError(f"{where}: expected a point such as body.point(x, y, z), got {shown(thing)}{centre}")
        self.own_frame(where, thing.frame)
        return thing

    def own_frame(self, where: str, frame: Frame) -> Frame:
        """A frame that stands on the ground of this model, or nowhere yet."""
        if frame.root.is_ground and frame.root is not self.ground:
            raise ModelError(
                f"{where}: frame {frame.name!r} belongs to another model; start from the ground or a body of "
                f"{self.name!r}"
            )
        return frame

    def checked_vector(self, where: str, v: Any) -> Vector:
        """Refuse what is no vector, and one with frames or symbols of another model."""
        if not isinstance(v, Vector):
            raise ModelError(f"{where}: expected a vector such as frame.vector(x, y, z), got {shown(v)}")
        for f, c in v.terms.items():
            self.own_frame(where, f)
            for e in c.entries:
                self.checked(f"{where}, in {f.name}", e)
        return v

    def quantities(self, where: str, **values: Any) -> list[Expr]:
        """Scalars of a part, in the order of their options; anything else, or of another model, is refused with the
        option."""
        return [self.checked(f"{where}, {k}=", as_expression(v, f"{where}, {k}=")) for k, v in values.items()]

    def carrier(self, where: str, on: Any, point: Point) -> Frame:
        """The frame that a force at a point acts on: the body named, else the point's frame, or the point itself where
        it moves in it."""
        self.point_of(where, point)
        if on is not None and not deforms(on):
            return self.frame_of(where, on)
        frame = point.frame
        return frame.translate(point) if moves_in_frame(point) else frame

    def owner(self, frame: Frame) -> str:
        """The name of the body on which a frame hangs, or "ground"."""
        owners = {b.frame: b.name for b in self._bodies.values()}
        return next((owners[f] for f in reversed(frame.path) if f in owners), "ground")
