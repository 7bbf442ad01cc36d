"""Bodies and joints: how a mechanism is put together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from ...algebra.graph.functions import cos, sin
from ...algebra.graph.graph import PI, ZERO, Symbol, as_expr, symbol
from ...algebra.graph.matrix import Matrix, vector
from ...algebra.graph.walk import free_symbols
from ...argument_kinds import checked_flags
from ...errors import ExpressionError, ModelError, listed, shown
from ...escaping import checked_name, identifier
from ..frames.dyads import Dyad
from ..frames.frames import Frame, three
from ..frames.points import Point
from ..frames.rotations import (
    Cosines,
    Rotation,
    Turn,
    aligning,
    from_cosines,
    sequence,
    unit_vector,
)
from ..joints.joint_loads import loads_of_each
from ..joints.joint_options import JointLoads, JointOptions, JointPlacement
from ..joints.joints import JointCondition, JointGeometry, JointKind, kind_of_joint, refuse_options_of_other_kinds
from ..loads.loads import loads_on_coordinate
from ..mass.mass import MassProperties, Shape, mass_properties
from ..mechanism.declarations import names_of
from ..mechanism.frame_places import coordinates_on, moves_in_frame
from ..mechanism.mechanism import Action, Body, Constraint, Joint
from .joint_motion import moved_frame
from .symbol_methods import SymbolMethods

Part = Body | Frame  # a side of a joint
ORIGIN: Final = (0, 0, 0)


class Structure(SymbolMethods):
    """Methods of a model that add frames and bodies."""

    # ------------------------------------------------------------------------------------------------ frames and bodies

    def frame(self, name: str, frame: Frame) -> Frame:
        """Name a frame. Each name belongs to one frame.

        >>> m = sb.Model("arm")
        >>> a = m.coordinate("a")
        >>> m.frame("forearm", m.ground.rotate("z", a))
        <Frame forearm on ground>
        >>> m.frames["forearm"].x
        forearm.vector(1, 0, 0)

        See also: `Frame.rotate`, `Frame.translate`.
        """
        is_new = checked_name(name, "frame") not in self.parts.frames
        self.parts.add_frame(name, frame)
        if is_new:
            self.parts.rename_frame(frame, name)
        return frame

    def moving_frame(
        self, name: str, *, velocity: Any = (0, 0, 0), spin: Any = (0, 0, 0), on: Frame | None = None
    ) -> Frame:
        """A frame defined only by its velocity and angular velocity, in its own components, not by its position: a
        wheel or a vehicle without x, y and heading as coordinates, or a support with auxiliary speeds.

        velocity   of its origin: three expressions in speeds (and coordinates, rates, parameters)
        spin       its angular velocity
        on         the frame relative to which it moves, the ground by default; a moving frame if the velocity is zero,
                   as for a wheel without its angle

        Equations that depend on its position or orientation are refused: a spring to the ground, gravity normal to a
        spin axis, an unbalanced wheel without an angle.

        >>> m = sb.Model("sledge")
        >>> v, w = m.speeds("v w")
        >>> sledge = m.body("sledge", m.moving_frame("sledge", velocity=(v, 0, 0), spin=(0, 0, w)), mass=2, com=(1, 0, 0), inertia=(0, 0, 3))
        >>> eq = sb.derive(m)
        >>> eq.q, eq.M, eq.f
        ((), matrix([[2, 0], [0, 5]]), vector(2*w**2, -2*v*w))

        See also: `Model.auxiliary_speed`, `Model.speeds`.
        """
        where = f"frame {checked_name(name, 'frame')!r}"
        parent = self.ground if on is None else self.parts.frame_of(f"{where}, on=", on)
        v, w = three(velocity, f"{where}, velocity="), three(spin, f"{where}, spin=")
        if any(e is not ZERO for e in v.entries) and not is_at_rest(parent):
            raise ModelError(
                f"{where}: its velocity is seen from {shown(parent)}, which moves; give it as seen from a "
                "frame that does not"
            )
        for e in (*v.entries, *w.entries):
            self.parts.checked(where, e)
        made = frame_of_motion(parent, identifier(name), v, w)
        self.parts.add_kinematics(given_motions=(v, w))
        return self.parts.add_frame(name, made)

    def auxiliary_speed(self, name: str) -> Symbol:
        """A speed that is always zero (Kane's auxiliary speed). The multiplier of the constraint of this name is the
        force that keeps it zero. Use it in the motion of a frame: `m.moving_frame("pin", velocity=(ux, uy, 0))`.

        >>> m = sb.Model("weight")
        >>> pull = m.auxiliary_speed("u")
        >>> weight = m.body("weight", m.moving_frame("hook", velocity=(0, 0, pull)), mass=2)
        >>> m.gravity(0, 0, -9.81)
        >>> eq = sb.derive(m)
        >>> eq.lam, sb.evaluate(eq.multipliers, {})
        ((lam_u,), [19.62])

        See also: `Model.moving_frame`, `reaction`.
        """
        u = self.speed(name)
        self.parts.add_constraint(Constraint(name, u, False))
        return u

    @checked_flags(ModelError)
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

        mass, com, inertia   mass, mass centre and inertia (about the mass centre, or about the point `about`) in the
                             body frame; an inertia is three principal values, `inertia(xx, yy, zz, xy, xz, yz)`, or,
                             for a body on a given frame, a dyad, `frame.dyad(...)`; the mass centre of such a body
                             may be a point
        shape, density       instead: a uniform solid, with either its mass or its density
        physical             False accepts an inertia that no physical body can have

        >>> m = sb.Model("m")
        >>> arm = m.body("arm", mass=2.0, com=(0.5, 0, 0), inertia=(0, 0.1, 0.1))
        >>> box = m.body("box", density=500, shape=sb.box(0.1, 0.2, 0.3))
        >>> list(m.bodies)
        ['arm', 'box']

        See also: `Model.particle`, `Model.revolute`, `bar`.
        """
        self.parts.refuse_twice("bodies", name, self.parts.bodies)
        if frame is not None and not isinstance(frame, Frame):
            raise ModelError(
                f"body {name!r}: the second argument is its frame, got {shown(frame)}; mass and inertia go by keyword"
            )
        com = _coordinates_of_centre(name, com, frame) if isinstance(com, Point) else com
        _refuse_centre_of_nothing(name, mass, com, shape)
        inertia = _in_frame(name, inertia, frame) if isinstance(inertia, Dyad) else inertia
        properties = _properties(name, mass, com, inertia, about, shape, density, physical)
        return self.parts.add_body(Body(name, frame or Frame(None, name=identifier(name)), properties, shape, physical))

    def particle(self, name: str, at: Point | None = None, *, mass: Any) -> Body:
        """A point mass, at a point or to be placed by a joint.

        >>> m = sb.Model("m")
        >>> x, y = m.coordinates("x y")
        >>> bead = m.particle("bead", m.ground.point(x, y, 0), mass=1)
        >>> sb.derive(m).M
        matrix([[1, 0], [0, 1]])

        See also: `Model.body`.
        """
        if mass is None:
            raise ModelError(f"particle {name!r}: mass= is a number or an expression, got None")
        self.parts.refuse_twice("bodies", name, self.parts.bodies)
        frame = Frame(None, name=identifier(name))
        centre: Any = (0, 0, 0)
        if at is not None:
            self.parts.point_of(f"particle {name!r}, at", at)
            moves = moves_in_frame(at)
            frame = at.frame.translate(at, name=identifier(name)) if moves else at.frame
            centre = (0, 0, 0) if moves else tuple(at.coordinates.entries)
        properties = _properties(name, mass, centre, None, None, None, None, True)
        return self.parts.add_body(Body(name, frame, properties, is_point=True))

    # ------------------------------------------------------------------------------------------------ joints

    def _join(
        self,
        name: str,
        parent: Part,
        child: Part,
        kind: str | JointKind,
        options: JointOptions | JointPlacement,
        geometry: JointGeometry = JointGeometry(),  # noqa: B008  (immutable)
        body_speeds: bool = False,
    ) -> Joint:
        """See `Model.joint`."""
        self.parts.refuse_twice("joints", name, self.parts.joints)
        given: dict[str, Any] = {k: v for k, v in options.items() if v is not None}
        kind = kind_of_joint(name, kind)
        geometry = replace(geometry, axis=kind.axis if geometry.axis is None else geometry.axis)
        refuse_options_of_other_kinds(name, kind, geometry)
        _check_geometry(name, kind.name, geometry)
        orientation = given.get("orientation")
        if "vectors" in given:
            axis, orientation = _from_four_vectors(name, given["vectors"])
            geometry = replace(geometry, axis=axis)
        outer = self._placed(name, parent, given.get("at", ORIGIN), "parent")
        inner = self._placed(name, child, given.get("on", ORIGIN), "child", by_frame=kind.name == "free")
        if orientation is not None:
            inner = Frame(inner, _as_rotation(name, orientation).inverse, name=f"{inner.name}.rest")
        if inner.root.is_ground and not outer.root.is_ground:
            raise ModelError(
                f"joint {name!r}: parent and child are swapped: the child {_name_of(child)} is placed already, the parent {_name_of(parent)} is not; "
                f"a joint places its child: ({name!r}, {_name_of(child)}, {_name_of(parent)}, ...), with the axis then in {_name_of(child)}"
            )
        _refuse_one_part(name, self.parts.owner(outer), outer, inner)
        join = self._close_loop if inner.root is outer.root else self._hang
        made = join(kind, name, outer, inner, geometry, given.get("coordinates"))
        self.parts.add_joint(made)
        if body_speeds:
            self._turning_speeds(made, given.get("speeds"))
        elif "speeds" in given:
            self._name_speeds(made, given["speeds"])
        self._add_joint_loads(made, {k: given[k] for k in JointLoads.__annotations__ if k in given})
        return made

    def _name_speeds(self, joint: Joint, speeds: Any) -> None:
        """Speeds of their own for the rates of a joint's coordinates: u = q'."""
        names, moved = names_of(speeds, f"joint {joint.name!r}, speeds="), joint.coordinates
        if len(names) != len(moved) or any(map(self.parts.has_rate, moved)):
            raise ModelError(
                f"joint {joint.name!r}: speeds= names the rates of its coordinates {listed(moved)}, one for "
                f"each that has none yet; got {shown(speeds)}"
            )
        for q, name in zip(moved, names, strict=True):
            self.speed(name, q.dot)

    def _turning_speeds(self, joint: Joint, speeds: Any) -> None:
        """Speeds of a planar or free joint in the axes of its child: velocity v of the joint's place on it, p' = R v,
        and angular velocity ω."""
        if joint.kind not in ("planar", "free"):
            raise ModelError(
                f"joint {joint.name!r}: body_speeds=True is for planar and free joints, it is {joint.kind}"
            )
        base, q, R = identifier(joint.name), joint.coordinates, joint.outer.dcm(joint.inner)
        planar, by_angles = joint.kind == "planar", len(q) == 6
        names = [base + s for s in (("_vx", "_vy", "_w") if planar else ("_vx", "_vy", "_vz", "_wx", "_wy", "_wz"))]
        names = names[: 3 if len(q) == 7 else 6]  # Euler parameters have ω as their speeds
        if speeds is not None:
            given = names_of(speeds, f"joint {joint.name!r}, speeds=")
            if len(given) != len(names):
                raise ModelError(f"joint {joint.name!r}: speeds= names {listed(names)}, got {shown(speeds)}")
            names = given
        if joint.closes_loop or len(q) not in (3, 6, 7):
            raise ModelError(f"joint {joint.name!r}: body_speeds=True needs coordinates of its own, all of them")
        if planar:
            (x, y, a), (vx, vy, w) = q, (self.speed(n) for n in names)
            for coordinate, rate in ((x, cos(a) * vx - sin(a) * vy), (y, sin(a) * vx + cos(a) * vy), (a, w)):
                self.rate(coordinate, rate)
            return
        velocity = vector(*(self.speed(n) for n in names[:3]))
        for coordinate, rate in zip(q, (R @ velocity).entries, strict=False):
            self.rate(coordinate, rate)
        if by_angles:
            turning = joint.inner.angular_velocity(joint.outer).components(joint.inner)
            for name, component in zip(names[3:], turning.entries, strict=True):
                self.speed(name, component)

    # ------------------------------------------------------------------------------------------------ joints in trees

    def _placed(self, joint: str, side: Any, at: Any, what: str, by_frame: bool = False) -> Frame:
        """The frame of a joint on one of its sides; `by_frame`: a body that deforms is moved by its frame, not by what
        is at its origin."""
        frame = self.parts.frame_of(f"joint {joint!r}, {what}", side)
        if isinstance(side, Body) and side.moments is not None:
            return self._on_elastic(joint, side, at, by_frame)
        option = {"parent": "at", "child": "on"}[what]
        is_own = isinstance(at, Point) and self.parts.owner(at.frame) == self.parts.owner(frame)
        place = at.in_frame(frame).coordinates if is_own else coordinates_on(frame, at, f"joint {joint!r}, {option}=")
        return frame if all(e is ZERO for e in place.entries) else Frame(frame, offset=place, name=f"{joint}.{what}")

    def _on_elastic(self, joint: str, body: Body, at: Any, by_frame: bool) -> Frame:
        """The frame of a joint on a body that deforms: where it has these coordinates at rest, or the frame of a point
        of it."""
        if isinstance(at, Point):
            return at.frame if body.frame in at.frame.path and not moves_in_frame(at) else at.frame.translate(at)
        if isinstance(at, str):
            return body.at(at)
        place = three(at, f"joint {joint!r}, at=").entries
        is_origin = all(e is ZERO for e in place) and (by_frame or body.is_fixed_at_origin)
        return body.frame if is_origin else body.at(*place)

    def _hang(
        self, kind: JointKind, name: str, outer: Frame, inner: Frame, o: JointGeometry, coordinates: Any
    ) -> Joint:
        """Place the subtree of the child by the joint's motion."""
        moved, used = moved_frame(self.parts, kind, name, outer, o, coordinates)
        rotation, offset = Rotation(), vector(0, 0, 0)
        for f in inner.path[1:]:  # from the child's root to the joint, which is to be gone back
            if _moves(f) and not self._is_elastic(inner.root):
                raise ModelError(
                    f"joint {name!r}: its child side {f.name} moves relative to {inner.root.name}, which is not placed yet; place {inner.root.name} "
                    "first, or join it itself"
                )
            offset = offset + rotation.outwards(f.offset)
            rotation = rotation @ f.rotation
        self.parts.place_frame(inner.root, moved, rotation.inverse, -rotation.inwards(offset))
        return Joint(name, kind.name, outer, inner, self.parts.owner(outer), self.parts.owner(inner), used)

    def _is_elastic(self, frame: Frame) -> bool:
        return any(b.frame is frame and b.moments is not None for b in self.parts.bodies.values())

    # ------------------------------------------------------------------------------------------------ joints in loops

    def _close_loop(
        self, kind: JointKind, name: str, outer: Frame, inner: Frame, o: JointGeometry, coordinates: Any
    ) -> Joint:
        rows = [] if kind.close is None else kind.close(outer, inner, o)
        if not rows:
            raise ModelError(
                f"joint {name!r}: both its bodies are placed already, and a {kind.name} joint between them adds no constraint; "
                "leave it out, or close the loop with a joint that holds something"
            )
        if coordinates is not None:
            raise ModelError(f"joint {name!r} closes a loop: it is a constraint and has no coordinates")
        for row in rows:
            self._add_row(name, row)
        if kind.name == "screw":
            self._add_screw_row(name, outer, inner, o)
        owners = self.parts.owner(outer), self.parts.owner(inner)
        return Joint(name, kind.name, outer, inner, *owners, (), closes_loop=True, axis=o.axis)

    def _add_row(self, joint: str, row: JointCondition, is_holonomic: bool = True) -> None:
        name = f"{joint}.{row.name}"
        made = Constraint(name, row.expression, is_holonomic, joint, row.actions, row.factors)
        self.parts.add_constraint(made, may_repeat=True)

    def _add_screw_row(self, name: str, outer: Frame, inner: Frame, o: JointGeometry) -> None:
        axis = outer.vector(*unit_vector(o.axis).entries)
        advance = (inner.origin - outer.origin).dt(outer).dot(axis)
        turning = inner.angular_velocity(outer).dot(axis)
        lead = as_expr(o.pitch) / (2 * PI)
        push = (Action(inner, force=axis, at=inner.origin), Action(outer, force=-axis, at=inner.origin))
        twist = (Action(inner, torque=-lead * axis), Action(outer, torque=lead * axis))
        self._add_row(name, JointCondition("advance", advance - lead * turning, push + twist), is_holonomic=False)

    def _add_joint_loads(self, joint: Joint, loads: Mapping[str, Any]) -> None:
        if not loads:
            return
        if joint.closes_loop:
            raise ModelError(
                f"joint {joint.name!r} closes a loop and has no coordinates for {listed(loads)}; use m.spring, m.rotational_spring or m.torque "
                "between its bodies"
            )
        sliding = free_symbols(*(f.offset for f in joint.inner.below(joint.outer)))
        lengths = [q in sliding for q in joint.coordinates]
        for q, on_q in zip(
            joint.coordinates, loads_of_each(loads, joint.name, joint.coordinates, lengths), strict=True
        ):
            self._add_coordinate_loads(joint, q, on_q)

    def _add_coordinate_loads(self, joint: Joint, q: Symbol, loads: JointLoads) -> None:
        given = [option for option, value in loads.items() if value is not None]
        if given and self.parts.is_in_a_norm(q):
            raise ModelError(
                f"joint {joint.name!r}: {listed(given)} on {q}, one of four Euler parameters, which are not angles; give them for other "
                "coordinates by name, or use m.rotational_spring or m.torque"
            )
        base = joint.name if len(joint.coordinates) == 1 else f"{joint.name}.{q.name}"
        for load in loads_on_coordinate(base, q, loads):
            self.parts.checked(f"joint {joint.name!r}, {load.kind}", load.on_rates[q])
            self.parts.add_load(load)


def is_at_rest(frame: Frame) -> bool:
    """Whether a frame stands on the ground and nothing moves it."""
    return frame.root.is_ground and not any(_moves(f) or f.velocity is not None for f in frame.below(frame.root))


def frame_of_motion(parent: Frame, name: str, velocity: Matrix, spin: Matrix) -> Frame:
    """A frame by velocity and spin in own components. Undefined symbols represent the unknown part of its position: the
    angle of a turn about one axis, the nine cosines of any other; the offset, along an axis that it does not leave only
    where it moves that way."""
    axes = [k for k in range(3) if spin[k] is not ZERO]
    if not axes:
        rotation, unknown = Rotation(), {k for k in range(3) if velocity[k] is not ZERO}
    elif len(axes) == 1:
        turn = Turn(axes[0], symbol(f"angle_of_{name}", "coordinate"))
        rotation = Rotation((Cosines(Rotation((turn,)).matrix, spin),))
        across = {k for k in range(3) if k != axes[0]}
        unknown = (across if any(velocity[k] is not ZERO for k in across) else set()) | (
            {axes[0]} if velocity[axes[0]] is not ZERO else set()
        )
    else:
        cosines = tuple(symbol(f"cosine_{i}{j}_of_{name}", "coordinate") for i in range(1, 4) for j in range(1, 4))
        rotation = Rotation((Cosines(Matrix(3, 3, cosines), spin),))
        unknown = {0, 1, 2} if any(e is not ZERO for e in velocity.entries) else set()
    offset = [symbol(f"{'xyz'[k]}_of_{name}", "coordinate") if k in unknown else ZERO for k in range(3)]
    return Frame(parent, rotation, vector(*offset), name, velocity=velocity)


def _refuse_one_part(joint: str, owner: str, outer: Frame, inner: Frame) -> None:
    """A joint between two places of one part, which do not move in each other."""
    if inner.root is not outer.root:
        return
    top = outer.common_ancestor(inner)
    if not any(_moves(f) or f.velocity is not None for side in (outer, inner) for f in side.below(top)):
        part = owner if owner != "ground" or outer.root.is_ground else outer.root.name
        raise ModelError(
            f"joint {joint!r}: its parent and its child are both parts of {part}, and do not move relative to each other; a "
            "joint is between two bodies, or a body and the ground"
        )


def _name_of(part: Any) -> str:
    return getattr(part, "name", None) or shown(part)


def _in_frame(name: str, inertia: Dyad, frame: Frame | None) -> Matrix:
    """An inertia that is given as a dyad, in the frame of its body."""
    if frame is None:
        raise ModelError(
            f"body {name!r}: inertia= is a dyad, whose components are those of a frame, and the body has none yet; give its "
            f"frame, m.body({name!r}, frame, ...), or the components, inertia(xx, yy, zz, xy, xz, yz)"
        )
    return inertia.components(frame)


def _refuse_centre_of_nothing(name: str, mass: Any, com: Any, shape: Shape | None) -> None:
    """A mass centre is that of a mass; one that was forgotten would be zero."""
    if mass is None and shape is None and any(e is not ZERO for e in three(com, f"body {name!r}, com").entries):
        raise ModelError(f"body {name!r} has a mass centre and no mass; give mass=, which may be 0")


def _coordinates_of_centre(name: str, com: Point, frame: Frame | None) -> tuple[Any, ...]:
    if frame is None:
        raise ModelError(
            f"body {name!r}: com= is a point, {shown(com)}, but the body has no frame yet in which it could lie; give its "
            "frame, or three coordinates in the body"
        )
    return com.in_frame(frame).coordinates.entries


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


def _check_geometry(name: str, kind: str, geometry: JointGeometry) -> None:
    if not isinstance(geometry.sequence, str):
        raise ModelError(
            f"joint {name!r}: sequence= must be a text such as 'xyz', 'zxz' or 'euler parameters', got "
            f"{shown(geometry.sequence)}"
        )
    if kind == "universal" and (not isinstance(geometry.axes, (list, tuple)) or len(geometry.axes) != 2):
        raise ModelError(
            f"joint {name!r}: axes= must be two, in the parent and in the child, such as ('x', 'y'); got "
            f"{shown(geometry.axes)}"
        )
    if kind == "screw" and geometry.pitch is None:
        raise ModelError(f"joint {name!r}: a screw needs pitch=, its advance in one turn")


def _as_rotation(name: str, orientation: Any) -> Rotation:
    if isinstance(orientation, Rotation):
        return orientation
    if isinstance(orientation, Frame):
        return orientation.rotation
    is_turns = isinstance(orientation, (tuple, list)) and orientation and isinstance(orientation[0], str)
    try:
        if is_turns:
            return sequence(orientation[0], orientation[1:])
        return from_cosines(orientation)
    except (ModelError, ExpressionError) as e:
        raise ModelError(
            f'joint {name!r}: orientation= takes turns as ("z", angle) or ("zxz", a, b, c), a frame, or a 3 by 3 matrix of '
            f"direction cosines, got {shown(orientation)}: {e}"
        ) from None


def _from_four_vectors(name: str, vectors: Sequence[Any]) -> tuple[Any, Rotation]:
    """Axis in the parent, and orientation of the child at rest."""
    if not isinstance(vectors, (list, tuple)) or len(vectors) != 4:
        raise ModelError(
            f"joint {name!r}: vectors= needs four: axis in child and parent, reference in child and parent; "
            f"got {shown(vectors)}"
        )
    axis_child, axis_parent, reference_child, reference_parent = vectors
    return axis_parent, aligning(axis_child, axis_parent, reference_child, reference_parent, f"joint {name!r}")
