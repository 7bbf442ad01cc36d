"""The parts of a model, and the builder interface through which they are added.

Methods of `Model`, readers of files and substructures all add finished parts by `add_frame`, `add_body`, `add_joint`,
`add_load` and `add_constraint`; each refuses a name that is taken. The tables themselves are read as views that cannot
be written.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any

from ...algebra.graph.graph import ZERO, Expr, Symbol
from ...algebra.graph.walk import free_symbols
from ...errors import ModelError, listed, shown, unknown
from ...escaping import checked_name
from ..frames.frames import Frame
from ..frames.points import Point
from ..frames.vectors import Vector
from ..loads.loads import CentralGravity, UniformGravity
from ..mechanism.declarations import Declarations, multiplier_of
from ..mechanism.mechanism import Body, Constraint, Joint, Load


class Parts(Declarations):
    """Frames, bodies, joints, loads, constraints, additional equations and outputs of a model, by name."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.ground = Frame(None, name="ground", is_ground=True)
        self._frames: dict[str, Frame] = {"ground": self.ground}
        self._bodies: dict[str, Body] = {}
        self._joints: dict[str, Joint] = {}
        self._driven: dict[Symbol, str] = {}  # coordinate -> the joint that it moves
        self._loads: dict[str, Load] = {}
        self._constraints: dict[str, Constraint] = {}
        self._equations: dict[str, Expr] = {}
        self._kinetic: dict[str, Expr] = {}
        self._balances: dict[Symbol, Expr] = {}
        self._rate_variables: dict[Symbol, Symbol] = {}  # of variables in equations of higher order: z -> z_rate
        self._outputs: dict[str, Any] = {}
        self._labels: dict[str, Expr] = {}
        self._gravity: Vector | None = None
        self._fields: list[CentralGravity | UniformGravity] = []  # gravity, made a load once all bodies are placed
        self._notes: list[str] = []

    # ------------------------------------------------------------------------------------------------ views

    @property
    def frames(self) -> Mapping[str, Frame]:
        """Frames that have a name, the ground among them.

        >>> m = sb.Model("arm")
        >>> arm, x = m.body("arm", mass=1, com=(1, 0, 0)), m.coordinate("x")
        >>> hinge = m.revolute("a", m.ground, arm)
        >>> slide = m.frame("slide", m.ground.translate(x, 0, 0))
        >>> m.frames["slide"] is slide, m.bodies["arm"] is arm, m.joints["a"] is hinge
        (True, True, True)
        >>> dict(m.driven)
        {a: 'a'}

        See also: `Model.frame`, `Model.body`, `Model.revolute`.
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
        """All loads but gravity, which is applied to every body when the model is frozen.

        >>> m = sb.Model("bead")
        >>> x, y = m.coordinates("x y")
        >>> bead = m.particle("bead", m.ground.point(x, y, 0), mass=1)
        >>> m.gravity(0, -9.81, 0)
        >>> spring, wire = m.potential("spring", x**2), m.constrain("wire", y - x**2)
        >>> list(m.loads), list(m.constraints), m.has_gravity, m.has_fields
        (['spring'], ['wire'], True, False)
        >>> m.output("height", y)
        >>> label = m.label("slope", 2 * x)
        >>> dict(m.outputs), dict(m.labels)
        ({'height': y}, {'slope': 2*x})

        See also: `Model.force`, `Model.constrain`, `Model.gravity`, `Model.output`, `Model.label`.
        """
        return MappingProxyType(self._loads)

    @property
    def constraints(self) -> Mapping[str, Constraint]:
        """Constraints by name, also those of joints that close loops."""
        return MappingProxyType(self._constraints)

    @property
    def equations(self) -> Mapping[str, Expr]:
        """Additional equations."""
        return MappingProxyType(self._equations)

    @property
    def kinetic_energies(self) -> Mapping[str, Expr]:
        """Kinetic energies that were written down.

        >>> m = sb.Model("bead on a wire")
        >>> x = m.coordinate("x")
        >>> name = m.kinetic_energy("bead", x.dot**2 / 2)
        >>> m.balance(x.dot, 3 * x.dot.dot + x)
        >>> dict(m.kinetic_energies), dict(m.balances)
        ({'bead': x_dot**2/2}, {x_dot: x + 3*x_ddot})
        >>> sb.derive(m).M
        vector(4)

        See also: `Model.kinetic_energy`, `Model.balance`, `from_lagrangian`.
        """
        return MappingProxyType(self._kinetic)

    @property
    def balances(self) -> Mapping[Symbol, Expr]:
        """Equations of motion that were written down, by speed."""
        return MappingProxyType(self._balances)

    @property
    def outputs(self) -> Mapping[str, Any]:
        """Outputs by name: expressions, vectors and matrices of them."""
        return MappingProxyType(self._outputs)

    @property
    def labels(self) -> Mapping[str, Expr]:
        """Names of subexpressions."""
        return MappingProxyType(self._labels)

    @property
    def has_gravity(self) -> bool:
        """Whether there is uniform gravity on all bodies."""
        return self._gravity is not None

    @property
    def has_fields(self) -> bool:
        """Whether there is central gravity, or gravity on some bodies."""
        return bool(self._fields)

    # ------------------------------------------------------------------------------------------------ adding parts

    def add_frame(self, name: str, frame: Frame) -> Frame:
        """File a frame under a name, whatever it is called itself.

        >>> m = sb.Model("arm")
        >>> wrist = m.add_frame("wrist", m.ground.translate(1, 0, 0))
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
        >>> twin = m.add_body(sb.Body("twin", cart.frame, cart.mass))
        >>> m.order_bodies(["twin"])
        >>> list(m.bodies), m.owner(cart.frame.translate(1, 0, 0))
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
        >>> also = m.add_joint(replace(hinge, name="b", coordinates=()))
        >>> more = m.add_load(replace(push, name="second spring"))
        >>> m.add_constraint(replace(m.constraints["stop"], name="again"), may_repeat=True)
        'again'
        >>> list(m.joints), list(m.loads), list(m.constraints)
        (['a', 'b'], ['spring', 'second spring'], ['stop', 'again'])

        See also: `Model.joint`, `Model.force`, `Model.constrain`.
        """
        self.refuse_twice("joints", joint.name, self._joints)
        self._joints[joint.name] = joint
        self._driven.update(dict.fromkeys(joint.coordinates, joint.name))
        return joint

    def add_load(self, load: Load) -> Load:
        """A load with its reactions."""
        self._loads[self._new_load(load.name)] = load
        return load

    def _new_load(self, name: str) -> str:
        checked_name(name, f"model {self.name!r}: load")
        central = [g.name for g in self._fields]
        if name in self._loads or name in central or (name == "gravity" and self.has_gravity):
            raise ModelError(f"model {self.name!r}: there are two loads {name!r}; give one of them another name")
        return name

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

    def note(self, *texts: str) -> None:
        """Remarks for whoever reads the mechanism: `mechanism.notes`.

        >>> m = sb.Model("cart")
        >>> rail = m.prismatic("x", m.ground, m.body("cart", mass=2))
        >>> m.note("masses were weighed")
        >>> m.freeze().notes
        ('masses were weighed',)

        See also: `bodies.Mechanism`.
        """
        self._notes.extend(texts)

    def refuse_twice(self, what: str, name: str, among: Mapping[str, Any]) -> None:
        """An error where a name is taken.

        >>> m = sb.Model("cart")
        >>> cart = m.body("cart", mass=2)
        >>> m.refuse_twice("bodies", "trailer", m.bodies)
        >>> m.refuse_twice("bodies", "cart", m.bodies)
        Traceback (most recent call last):
            ...
        symbody.errors.ModelError: model 'cart': there are two bodies 'cart'; give one of them another name

        See also: `Model.add_body`.
        """
        if checked_name(name, f"model {self.name!r}: {what}") in among:
            raise ModelError(f"model {self.name!r}: there are two {what} {name!r}; give one of them another name")

    def multiplier(self, constraint: str) -> Symbol:
        """The multiplier of a constraint that is there already, for loads that depend on its force: friction with N =
        m.multiplier("floor").

        It is the force along the rate of the constraint's expression, positive where it drives that expression up.

        >>> m = sb.Model("bead")
        >>> x, y = m.coordinates("x y")
        >>> bead = m.particle("bead", m.ground.point(x, y, 0), mass=1)
        >>> name = m.constrain("floor", y)
        >>> m.multiplier("floor")
        lam_floor

        See also: `Model.constrain`, `Model.friction`.
        """
        if not isinstance(constraint, str) or constraint not in self._constraints:
            raise unknown(f"model {self.name!r}", "constraint", str(constraint), self._constraints)
        return multiplier_of(constraint)

    def _is_multiplier(self, s: Symbol) -> bool:
        return s.kind == "multiplier" and any(multiplier_of(name) is s for name in self._constraints)

    # ------------------------------------------------------------------------------------------------ checks

    def frame_of(self, where: str, thing: Any) -> Frame:
        """The frame of a body or frame of this model; what is neither, or of another model, is refused with the place `where` it was given.

        >>> m = sb.Model("cart")
        >>> cart = m.body("cart", mass=2)
        >>> m.frame_of("force 'push'", cart) is cart.frame
        True
        >>> m.own_frame("force 'push'", cart.frame) is cart.frame
        True
        >>> m.point_of("force 'push', at=", cart.point(1, 0, 0))
        cart.point(1, 0, 0)
        >>> m.checked_vector("force 'push'", 3 * m.ground.x)
        ground.vector(3, 0, 0)

        See also: `Model.force`, `Model.checked`.
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

    def owner(self, frame: Frame) -> str:
        """The name of the body on which a frame hangs, or "ground"."""
        owners = {b.frame: b.name for b in self._bodies.values()}
        return next((owners[f] for f in reversed(frame.path) if f in owners), "ground")


def moves_in_frame(point: Point) -> bool:
    """Whether a point moves in its frame."""
    return any(s.kind != "parameter" for s in free_symbols(point.coordinates))
