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

    Use it to write your own joints, loads and file readers: `checked`, `frame_of`, `point_of` and `quantities` refuse
    parts of other models; `add_load` and similar methods add finished parts.

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
        self._owners: dict[Frame, str] = {}  # frame -> the first body on it
        self._joints: dict[str, Joint] = {}
        self._driven: dict[Symbol, str] = {}  # coordinate -> the joint that it moves
        self._loads: dict[str, Load] = {}
        self._constraints: dict[str, Constraint] = {}
        self._held: dict[Expr, str] = {}  # expression -> the first constraint that holds it at zero
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
        """Named frames, including the ground.

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
        """Bodies by name, in the order of their creation."""
        return MappingProxyType(self._bodies)

    @property
    def joints(self) -> Mapping[str, Joint]:
        """Joints by name, including those that close loops."""
        return MappingProxyType(self._joints)

    @property
    def driven(self) -> Mapping[Symbol, str]:
        """For each coordinate of a joint, the joint's name."""
        return MappingProxyType(self._driven)

    @property
    def loads(self) -> Mapping[str, Load]:
        """All loads except gravity, which `freeze` applies to the bodies.

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
        """All loads in the order of `load_names`, with gravity applied to the existing bodies."""
        bodies = tuple(self._bodies.values())
        fields, first = [g.load(bodies) for g in self._fields], int(self.has_gravity)
        return (*fields[:first], *self._loads.values(), *fields[first:])

    @property
    def constraints(self) -> Mapping[str, Constraint]:
        """Constraints by name, including those of joints that close loops."""
        return MappingProxyType(self._constraints)

    @property
    def equations(self) -> Mapping[str, Expr]:
        """Additional equations."""
        return MappingProxyType(self._written["equations"])

    @property
    def kinetic_energies(self) -> Mapping[str, Expr]:
        """Kinetic energies added by `Model.kinetic_energy`.

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
        """Equations of motion added by `Model.balance`, by speed."""
        return MappingProxyType(self._balances)

    @property
    def outputs(self) -> Mapping[str, Any]:
        """Outputs by name: expressions, and vectors and matrices of expressions."""
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
        """Gravity fields as given: the one of all bodies first."""
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
        """Register a frame under a name, which may differ from the frame's own name.

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
        """Add a body on its frame, as `Model.body`, file readers and substructures do. Parts of another model can be
        added in the same way if their frames belong to this model.

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
        self._owners.setdefault(body.frame, body.name)
        return body

    def add_all(
        self,
        symbols: Mapping[str, Symbol],
        values: Mapping[Symbol, float],
        units: Mapping[Symbol, str],
        frames: Mapping[str, Frame],
        bodies: Iterable[Body],
        joints: Iterable[Joint],
    ) -> None:
        """Add parts that were checked where they come from, as copies of a model were: only names are compared.

        >>> m = sb.Model("arm")
        >>> arm = m.body("arm", m.ground.translate(1, 0, 0), mass=2)
        >>> m.parts.add_all({}, {}, {}, {}, [sb.Body("twin", arm.frame, arm.mass)], [])
        >>> list(m.bodies)
        ['arm', 'twin']

        See also: `Model.repeat`, `Model.attach`.
        """
        by_name = {b.name: b for b in bodies}, {j.name: j for j in joints}
        tables: tuple[tuple[str, dict[str, Any], Mapping[str, Any]], ...] = (
            ("symbols", self._symbols, symbols),
            ("frames", self._frames, frames),
            ("bodies", self._bodies, by_name[0]),
            ("joints", self._joints, by_name[1]),
        )
        for what, known, more in tables:
            if not known.keys().isdisjoint(more):
                self.refuse_twice(what, next(n for n in more if n in known), known)
            known.update(more)
        self._values.update(values)
        self._units.update(units)
        for body in by_name[0].values():
            self._owners.setdefault(body.frame, body.name)
        for joint in by_name[1].values():
            self._driven.update(dict.fromkeys(joint.coordinates, joint.name))

    def order_bodies(self, names: Iterable[str]) -> None:
        """Put the named bodies first, in this order; the others follow in their present order."""
        first = {n: self._bodies[n] for n in names}
        self._bodies = first | {n: b for n, b in self._bodies.items() if n not in first}

    def add_joint(self, joint: Joint) -> Joint:
        """Add a joint whose frames are already placed. No other joint may use its coordinates afterwards.

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
        """The coordinates among the expressions of a joint's motion; refused if another joint uses one of them."""
        symbols = tuple(x for x in q if isinstance(x, Symbol) and x.kind == "coordinate")
        for s in symbols:
            if s in self._driven or symbols.count(s) > 1:
                raise ModelError(
                    f"joint {name!r}: the coordinate {s} moves joint {self._driven.get(s, name)!r} already; give this joint a coordinate "
                    "of its own, or tie the two by a gear or a constraint"
                )
        return symbols

    def add_load(self, load: Load) -> Load:
        """Add a load with its reactions."""
        self.refuse_load_twice(load.name)
        self._loads[load.name] = load
        return load

    def add_gravity(self, field: GravityField) -> None:
        """Add gravity for all or some bodies: a field with `name`, `on` and `load(bodies)`, which `freeze` turns into a
        load.

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
        self.refuse_load_twice(field.name)
        self._fields = [field, *self._fields] if on_all else [*self._fields, field]

    def add_constraint(self, constraint: Constraint, may_repeat: bool = False) -> str:
        """Add a constraint with the actions of a unit multiplier. Returns its name.

        may_repeat   True accepts a repeated expression, which the audit of the mechanism then reports, as for the rows
                     of loop joints
        """
        name, expression = constraint.name, constraint.expression
        self.refuse_twice("constraints", name, self._constraints)
        same = self._held.get(expression)
        if same is not None and expression is not ZERO and not may_repeat:
            raise ModelError(f"constraint {name!r} repeats {same!r}: {shown(expression)} = 0; drop one of them")
        self._constraints[name] = constraint
        self._held.setdefault(expression, name)
        return name

    def add_equation(self, name: str, expression: Expr) -> str:
        """Add an additional equation, reduced to first order: z'' becomes z_rate', with the variable z_rate and its
        equation z' = z_rate. Returns its name.

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
        """Add a named expression; the table is "kinetic energies", "outputs" or "labels"."""
        self.refuse_twice(table, name, self._written[table])
        self._written[table][name] = value

    def remove_label(self, name: str) -> None:
        """Remove a label, or all labels name_1, name_2, ... of a vector.

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
        """Add an equation of motion for a speed, or for a coordinate whose rate is a speed."""
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
        """Raise an error if a name is already used.

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

    def refuse_load_twice(self, name: str) -> None:
        """Raise an error if the name of a load or of a field of gravity is already used.

        >>> m = sb.Model("cart")
        >>> m.gravity(0, -9.81, 0)
        >>> m.parts.refuse_load_twice("gravity")
        Traceback (most recent call last):
            ...
        symbody.errors.ModelError: model 'cart': there are two loads 'gravity'; give one of them another name

        See also: `Model.force`.
        """
        for taken in ([g.name for g in self._fields], self._loads):
            self.refuse_twice("loads", name, taken)

    def _owner_of(self, s: Symbol) -> str:
        return f" of joint {self._driven[s]!r}" if s in self._driven else ""

    def _is_multiplier(self, s: Symbol) -> bool:
        return s.kind == "multiplier" and any(multiplier_of(name) is s for name in self._constraints)

    # ------------------------------------------------------------------------------------------------ checks

    def frame_of(self, where: str, thing: Any) -> Frame:
        """The frame of a body or frame of this model; other objects and parts of other models are refused, with `where`
        in the message.

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
        """A frame of this model, or one that is not yet placed; frames of other models are refused."""
        if frame.root.is_ground and frame.root is not self.ground:
            raise ModelError(
                f"{where}: frame {frame.name!r} belongs to another model; start from the ground or a body of "
                f"{self.name!r}"
            )
        return frame

    def checked_vector(self, where: str, v: Any) -> Vector:
        """The vector; refused if it is not a vector, or contains frames or symbols of another model."""
        if not isinstance(v, Vector):
            raise ModelError(f"{where}: expected a vector such as frame.vector(x, y, z), got {shown(v)}")
        for f, c in v.terms.items():
            self.own_frame(where, f)
            for e in c.entries:
                self.checked(f"{where}, in {f.name}", e)
        return v

    def quantities(self, where: str, **values: Any) -> list[Expr]:
        """The scalars of a part, in the order of their options; other types and expressions of other models are refused
        by the name of the option."""
        return [self.checked(f"{where}, {k}=", as_expression(v, f"{where}, {k}=")) for k, v in values.items()]

    def carrier(self, where: str, on: Any, point: Point) -> Frame:
        """The frame on which a force at a point acts: that of the named body, or the frame of the point, or a frame at
        the point if the point moves in it."""
        self.point_of(where, point)
        if on is not None and not deforms(on):
            return self.frame_of(where, on)
        frame = point.frame
        return frame.translate(point) if moves_in_frame(point) else frame

    def owner(self, frame: Frame) -> str:
        """The name of the body that a frame belongs to, or "ground"."""
        return next((self._owners[f] for f in frame.ancestors() if f in self._owners), "ground")
