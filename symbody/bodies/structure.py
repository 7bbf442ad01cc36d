"""Bodies and joints: how a mechanism is put together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..algebra.graph import PI, ZERO, Expr, Symbol, as_expr
from ..algebra.matrix import as_matrix, vector
from ..algebra.walk import free_symbols
from ..errors import ModelError, listed, shown
from .declarations import Declarations, identifier
from .frames import Frame, Point
from .joints import Options, Row, kind_of_joint, sequence_axes
from .mass import MassProperties, Shape, mass_properties
from .mechanism import Action, Body, Constraint, Joint, Load
from .rotations import Rotation, aligning, euler_parameter_rates, from_euler_parameters, unit_vector


class Assembly(Declarations):
    """Frames, bodies and joints of a model."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.ground = Frame(None, name="ground")
        self.ground.is_ground = True
        self._frames: dict[str, Frame] = {"ground": self.ground}
        self._bodies: dict[str, Body] = {}
        self._joints: dict[str, Joint] = {}
        self._constraints: dict[str, Constraint] = {}
        self._loads: dict[str, Load] = {}
        self._driven: dict[Symbol, str] = {}  # coordinates that move a joint

    # ------------------------------------------------------------------------------------------------ frames and bodies

    def frame(self, name: str, frame: Frame) -> Frame:
        """Give a frame a name. A name stands for one frame only."""
        if name in self._frames:
            raise ModelError(f"model {self.name!r}: frame {name!r} is oriented already; a frame has one orientation")
        frame.name = name
        self._frames[name] = frame
        return frame

    def body(
        self,
        name: str,
        frame: Frame | None = None,
        *,
        mass: Any = None,
        com: Any = (0, 0, 0),
        inertia: Any = None,
        about: Any = None,
        shape: Shape | None = None,
        density: Any = None,
        physical: bool = True,
    ) -> Body:
        """A rigid body: fixed to a frame, or to be placed by a joint.

        mass, com, inertia   mass, mass centre and inertia (about the mass centre, or about the point `about`) in the body frame;
                             an inertia is three principal values, or `inertia(xx, yy, zz, xy, xz, yz)`
        shape, density       instead: a uniform solid, with either its mass or its density
        physical             False lets an inertia pass that no whole body has
        """
        if name in self._bodies:
            raise ModelError(f"model {self.name!r}: there are two bodies {name!r}")
        if frame is not None and not isinstance(frame, Frame):
            raise ModelError(
                f"body {name!r}: the second argument is its frame, got {shown(frame)}; mass and inertia go by keyword"
            )
        properties = _properties(name, mass, com, inertia, about, shape, density, physical)
        made = Body(name, frame or Frame(None, name=identifier(name)), properties, shape)
        self._bodies[name] = made
        return made

    def particle(self, name: str, at: Point | None = None, *, mass: Any) -> Body:
        """A point mass, at a point or to be placed by a joint."""
        if at is None:
            return self.body(name, mass=mass)
        if any(s.kind != "parameter" for s in free_symbols(at.coordinates)):
            return self.body(name, at.frame.translate(at, name=identifier(name)), mass=mass)
        return self.body(name, at.frame, mass=mass, com=tuple(at.coordinates.entries))

    # ------------------------------------------------------------------------------------------------ joints

    def joint(
        self,
        kind: str,
        name: str,
        parent: Body | Frame,
        child: Body | Frame,
        *,
        at: Any = (0, 0, 0),
        on: Any = (0, 0, 0),
        axis: Any = "z",
        axes: Any = ("x", "y"),
        sequence: str = "xyz",
        pitch: Any = None,
        orientation: Any = None,
        vectors: Sequence[Any] | None = None,
        coordinates: Any = None,
        **loads: Any,
    ) -> Joint:
        """A joint of the given kind. It places the child; or, where both sides are placed already, it closes a loop.

        at, on        where it is: a point of the parent, a point of the child
        axis, axes    its direction(s), in the parent (and, at rest, in the child)
        orientation   of the child at rest relative to the parent, where it differs: a frame's rotation, or a 3 by 3 matrix
        vectors       instead of axis and orientation: axis in the child, axis in the parent, and a vector perpendicular to it in each,
                      which coincide at rest (Lynch, appendix A)
        coordinates   names, symbols or expressions for the motion; by default named after the joint
        loads         damping, stiffness, rest, actuation, friction, limits; see `joint_loads`
        """
        if name in self._joints:
            raise ModelError(f"model {self.name!r}: there are two joints {name!r}")
        if kind == "screw" and pitch is None:
            raise ModelError(f"joint {name!r}: a screw needs pitch=, its advance in one turn")
        if vectors is not None:
            axis, orientation = _from_four_vectors(name, vectors)
        outer = self._placed(name, parent, at, "parent")
        inner = self._placed(name, child, on, "child")
        if orientation is not None:
            inner = Frame(inner, _as_rotation(name, orientation).inverse, name=f"{inner.name}.rest")
        options = Options(axis, axes, sequence, pitch)
        if inner.root is outer.root:
            made = self._close_loop(kind, name, outer, inner, options, coordinates)
        else:
            made = self._hang(kind, name, outer, inner, options, coordinates)
        self._joints[name] = made
        self._joint_loads(made, options, loads)
        return made

    def fixed(self, name: str, parent: Body | Frame, child: Body | Frame, **how: Any) -> Joint:
        """No relative motion."""
        return self.joint("fixed", name, parent, child, **how)

    def revolute(self, name: str, parent: Body | Frame, child: Body | Frame, axis: Any = "z", **how: Any) -> Joint:
        """Rotation about an axis."""
        return self.joint("revolute", name, parent, child, axis=axis, **how)

    def prismatic(self, name: str, parent: Body | Frame, child: Body | Frame, axis: Any = "x", **how: Any) -> Joint:
        """Translation along an axis."""
        return self.joint("prismatic", name, parent, child, axis=axis, **how)

    def cylindrical(self, name: str, parent: Body | Frame, child: Body | Frame, axis: Any = "z", **how: Any) -> Joint:
        """Translation along and rotation about one axis."""
        return self.joint("cylindrical", name, parent, child, axis=axis, **how)

    def screw(
        self, name: str, parent: Body | Frame, child: Body | Frame, pitch: Any, axis: Any = "z", **how: Any
    ) -> Joint:
        """Rotation about an axis that advances along it by `pitch` in one turn."""
        return self.joint("screw", name, parent, child, axis=axis, pitch=pitch, **how)

    def universal(
        self, name: str, parent: Body | Frame, child: Body | Frame, axes: Any = ("x", "y"), **how: Any
    ) -> Joint:
        """Rotation about an axis of the parent, then about an axis of the child orthogonal to it."""
        return self.joint("universal", name, parent, child, axes=axes, **how)

    def spherical(
        self, name: str, parent: Body | Frame, child: Body | Frame, sequence: str = "xyz", **how: Any
    ) -> Joint:
        """Any rotation: by a sequence of angles, or by `sequence="euler parameters"`."""
        return self.joint("spherical", name, parent, child, sequence=sequence, **how)

    def planar(self, name: str, parent: Body | Frame, child: Body | Frame, axis: Any = "z", **how: Any) -> Joint:
        """Two translations across an axis and a rotation about it."""
        return self.joint("planar", name, parent, child, axis=axis, **how)

    def free(
        self, name: str, child: Body | Frame, parent: Body | Frame | None = None, sequence: str = "xyz", **how: Any
    ) -> Joint:
        """Any motion relative to the ground (or to a parent): three translations, and angles or Euler parameters."""
        return self.joint("free", name, parent or self.ground, child, sequence=sequence, **how)

    # ------------------------------------------------------------------------------------------------ how it is done

    def _frame_of(self, where: str, thing: Any) -> Frame:
        if isinstance(thing, Body):
            if self._bodies.get(thing.name) is not thing:
                raise ModelError(
                    f"{where}: the body {thing.name!r} is not of model {self.name!r}, whose bodies are "
                    f"{listed(self._bodies)}; make it there with m.body({thing.name!r}, ...)"
                )
            return thing.frame
        if isinstance(thing, Frame):
            return self._own_frame(where, thing)
        raise ModelError(f"{where}: expected a body or a frame, got {shown(thing)}")

    def _own_frame(self, where: str, frame: Frame) -> Frame:
        """A frame that stands on the ground of this model, or nowhere yet."""
        if frame.root.is_ground and frame.root is not self.ground:
            raise ModelError(
                f"{where}: frame {frame.name!r} belongs to another model; start from the ground or a body of {self.name!r}"
            )
        return frame

    def _placed(self, joint: str, side: Any, at: Any, what: str) -> Frame:
        """The frame of a joint on one of its sides."""
        frame = self._frame_of(f"joint {joint!r}, {what}", side)
        place = at.in_frame(frame).coordinates if isinstance(at, Point) else as_matrix(list(at))
        if place.shape != (3, 1):
            raise ModelError(f"joint {joint!r}: a place needs three coordinates, got {shown(at)}")
        return frame if all(e is ZERO for e in place.entries) else Frame(frame, offset=place, name=f"{joint}.{what}")

    def _hang(self, kind: str, name: str, outer: Frame, inner: Frame, o: Options, coordinates: Any) -> Joint:
        """Place the tree at whose root the child is."""
        moved, used = self._moved(kind, name, outer, o, coordinates)
        rotation, offset = Rotation(), vector(0, 0, 0)
        for f in inner.path[1:]:  # from the child's root to the joint, which is to be gone back
            if _moves(f):
                raise ModelError(
                    f"joint {name!r}: its child side {f.name} moves relative to the root {inner.root.name} of its tree"
                )
            offset = offset + rotation.outwards(f.offset)
            rotation = rotation @ f.rotation
        inner.root.hang_on(moved, rotation.inverse, -rotation.inwards(offset))
        return Joint(name, kind, outer, inner, self._owner(outer), self._owner(inner), used)

    def _moved(self, kind: str, name: str, outer: Frame, o: Options, given: Any) -> tuple[Frame, tuple[Symbol, ...]]:
        """The frame after the joint's motion, and the coordinates that move it."""
        if o.sequence.replace("_", " ").lower() == "euler parameters" and kind in ("spherical", "free"):
            return self._moved_by_euler_parameters(kind, name, outer, given)
        if kind in ("spherical", "free"):
            sequence_axes(o.sequence)
        suffixes = kind_of_joint(name, kind).coordinates
        q = self._motion_coordinates(name, [identifier(name) + s for s in suffixes], given)
        return kind_of_joint(name, kind).move(outer, q, o, identifier(name)), self._drive(name, q)

    def _moved_by_euler_parameters(
        self, kind: str, name: str, outer: Frame, given: Any
    ) -> tuple[Frame, tuple[Symbol, ...]]:
        """Euler parameters as coordinates, components of the angular velocity in the child as speeds."""
        base = identifier(name)
        if given is not None:
            raise ModelError(
                f"joint {name!r}: Euler parameters name their coordinates themselves ({base}_e0 to {base}_e3)"
            )
        place = list(self.coordinates(f"{base}_x {base}_y {base}_z")) if kind == "free" else []
        e = self.coordinates(" ".join(f"{base}_e{k}" for k in range(4)))
        w = self.speeds(f"{base}_wx {base}_wy {base}_wz")
        for parameter, rate in zip(e, euler_parameter_rates(e, w), strict=True):
            self.rate(parameter, rate)
        self._norms.append(e)
        frame = Frame(outer, offset=vector(*place), name=f"{base}.slide") if place else outer
        return Frame(frame, from_euler_parameters(e, vector(*w)), name=base), self._drive(name, (*place, *e))

    def _motion_coordinates(self, name: str, defaults: Sequence[str], given: Any) -> list[Expr]:
        if given is None:
            return [self.coordinate(n) for n in defaults]
        items = (
            given.replace(",", " ").split()
            if isinstance(given, str)
            else list(given)
            if isinstance(given, (list, tuple))
            else [given]
        )
        if len(items) != len(defaults):
            raise ModelError(f"joint {name!r} needs {len(defaults)} coordinates, got {len(items)}: {shown(given)}")
        return [
            self._declared_or_new(i) if isinstance(i, str) else self._check_known(as_expr(i), f"joint {name!r}")
            for i in items
        ]

    def _declared_or_new(self, name: str) -> Symbol:
        known = self._declared.get(name)
        return known if known is not None and known.kind == "coordinate" else self.coordinate(name)

    def _drive(self, name: str, q: Sequence[Expr]) -> tuple[Symbol, ...]:
        symbols = tuple(x for x in q if isinstance(x, Symbol) and x.kind == "coordinate")
        for s in symbols:
            if s in self._driven:
                raise ModelError(
                    f"joint {name!r}: the coordinate {s} moves joint {self._driven[s]!r} already; give this joint a coordinate of its "
                    "own, or tie the two by a gear or a constraint"
                )
            self._driven[s] = name
        return symbols

    def _close_loop(self, kind: str, name: str, outer: Frame, inner: Frame, o: Options, coordinates: Any) -> Joint:
        rows = kind_of_joint(name, kind).close(outer, inner, o)
        if not rows:
            raise ModelError(
                f"joint {name!r}: both its bodies are placed already, and a {kind} joint between them adds no constraint; "
                "leave it out, or close the loop with a joint that holds something"
            )
        if coordinates is not None:
            raise ModelError(f"joint {name!r} closes a loop: it is a constraint and has no coordinates")
        for row in rows:
            self._add_row(name, row)
        if kind == "screw":
            self._add_screw_row(name, outer, inner, o)
        return Joint(name, kind, outer, inner, self._owner(outer), self._owner(inner), (), closes_loop=True)

    def _add_row(self, joint: str, row: Row, is_holonomic: bool = True) -> None:
        name = f"{joint}.{row.name}"
        self._constraints[name] = Constraint(name, row.expression, is_holonomic, joint, row.actions)

    def _add_screw_row(self, name: str, outer: Frame, inner: Frame, o: Options) -> None:
        axis = outer.vector(*unit_vector(o.axis).entries)
        advance = (inner.origin - outer.origin).dt(outer).dot(axis)
        turning = inner.angular_velocity(outer).dot(axis)
        lead = as_expr(o.pitch) / (2 * PI)
        push = (Action(inner, force=axis, at=inner.origin), Action(outer, force=-axis, at=inner.origin))
        twist = (Action(inner, torque=-lead * axis), Action(outer, torque=lead * axis))
        self._add_row(name, Row("advance", advance - lead * turning, push + twist), is_holonomic=False)

    def _owner(self, frame: Frame) -> str:
        """The body on whose frame something hangs."""
        owners = {b.frame: b.name for b in self._bodies.values()}
        return next((owners[f] for f in reversed(frame.path) if f in owners), "ground")

    def _joint_loads(self, joint: Joint, options: Options, loads: Mapping[str, Any]) -> None:
        raise NotImplementedError


def _properties(
    name: str, mass: Any, com: Any, inertia: Any, about: Any, shape: Shape | None, density: Any, physical: bool
) -> MassProperties:
    if shape is None:
        if density is not None:
            raise ModelError(f"body {name!r}: a density needs a shape")
        return mass_properties(name, 0 if mass is None else mass, com, inertia, about, physical)
    if (mass is None) == (density is None):
        raise ModelError(f"body {name!r}: a shape needs either mass= or density=")
    if inertia is not None:
        raise ModelError(f"body {name!r}: its inertia follows from its shape; give one of the two")
    m = as_expr(mass) if mass is not None else as_expr(density) * shape.content
    return mass_properties(name, m, tuple(shape.centre.entries), shape.inertia(m))


def _moves(f: Frame) -> bool:
    """Whether a frame moves in its parent."""
    scalars = [*f.offset.entries, *f.rotation.matrix.entries]
    return any(s.kind != "parameter" for s in free_symbols(*scalars))


def _as_rotation(name: str, orientation: Any) -> Rotation:
    if isinstance(orientation, Rotation):
        return orientation
    if isinstance(orientation, Frame):
        return orientation.rotation
    return Frame(None, name=name).rotate_by_cosines(orientation).rotation


def _from_four_vectors(name: str, vectors: Sequence[Any]) -> tuple[Any, Rotation]:
    """Axis in the parent, and orientation of the child at rest."""
    if len(vectors) != 4:
        raise ModelError(
            f"joint {name!r}: vectors= needs four: axis in child and parent, reference in child and parent; got {len(vectors)}"
        )
    axis_child, axis_parent, reference_child, reference_parent = vectors
    return axis_parent, aligning(axis_child, axis_parent, reference_child, reference_parent, f"joint {name!r}")
