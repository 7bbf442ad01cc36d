"""The kinds of joints, one method each: name, parent, child, how the joint lies, its coordinates, and the loads on
them."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any, ParamSpec

from ...errors import unknown
from ..joints.joint_loads import JointLoads
from ..joints.joints import ORIGIN, JointGeometry
from ..mechanism.mechanism import Joint
from .structure import Part, Structure

P = ParamSpec("P")


def advise_on_keywords(method: Callable[P, Joint]) -> Callable[P, Joint]:
    """An unknown keyword is refused with the name of the joint and of the keyword that may have been meant."""
    known = tuple(inspect.signature(method).parameters)[4:]  # after self, name, parent, child

    @wraps(method)
    def advised(*args: P.args, **keywords: P.kwargs) -> Joint:
        for key in keywords:
            if key not in known and key not in ("name", "parent", "child"):
                name = args[1] if len(args) > 1 else keywords.get("name")
                raise unknown(f"joint {name!r}", "option", key, known)
        return method(*args, **keywords)

    return advised


class JointMethods(Structure):
    """Methods that add a joint. Each takes name, parent and child in this order; keywords that several have are
    explained in `joint`."""

    @advise_on_keywords
    def joint(
        self,
        name: str,
        parent: Part,
        child: Part,
        kind: str,
        *,
        at: Any = ORIGIN,
        on: Any = ORIGIN,
        orientation: Any = None,
        vectors: Sequence[Any] | None = None,
        axis: Any = None,
        axes: Any = ("x", "y"),
        sequence: str = "xyz",
        pitch: Any = None,
        coordinates: Any = None,
        speeds: Any = None,
        body_speeds: bool = False,
        damping: Any = None,
        stiffness: Any = None,
        rest: Any = None,
        actuation: Any = None,
        friction: Any = None,
        limits: Any = None,
    ) -> Joint:
        """A joint of the given kind. It places the child; or, where both sides are placed already, it closes a loop.

        at, on        where it is: a point of the parent, a point of the child
        axis, axes    its direction(s), in the parent (and, at rest, in the child); by default x of a prismatic joint, z
                      of all others
        orientation   of the child at rest relative to the parent, where it differs: turns such as ("z", angle) or
                      ("zxz", a, b, c), a frame's rotation, or a 3 by 3 matrix of direction cosines
        vectors       instead of axis and orientation: axis in the child, axis in the parent, and a vector perpendicular
                      to it in each, which coincide at rest (Lynch, appendix A)
        sequence      of a spherical or free joint: axes of the rotations, such as "zxz", or "euler parameters"
        pitch         of a screw: its advance in one turn
        coordinates   names, symbols or expressions for the motion; by default named after the joint
        speeds        names for the rates of the coordinates, "u1 u2"; by default the rates go by their own names, q.dot
        body_speeds   of a planar or free joint: speeds in the axes of the child, which turn with it

        Loads, on each coordinate q of the joint. A joint with several coordinates takes one value for each, (k1, k2,
        k3), or some by name, {"name_x": k}; one value serves all where they are all lengths or all angles:

        damping, stiffness, rest, actuation   the force -stiffness (q - rest) - damping q' + actuation: a positive
                                              actuation increases q
        friction                              (force, speed): smooth Coulomb friction -force tanh(q' / speed)
        limits                                (low, high, stiffness[, damping]): elastic stops

        >>> m = sb.Model("arm")
        >>> arm = m.body("arm", mass=1, com=(1, 0, 0))
        >>> hinge = m.joint("a", m.ground, arm, "revolute", axis="y", stiffness=5)
        >>> hinge.q, sb.derive(m).f
        (a, vector(-5*a))

        See also: `Model.revolute`, `Model.prismatic`, `Model.free`.
        """
        geometry = JointGeometry(at, on, orientation, vectors, axis, axes, sequence, pitch)
        loads = JointLoads(damping, stiffness, rest, actuation, friction, limits)
        return self._join(name, parent, child, kind, geometry, coordinates, loads, speeds, body_speeds)

    @advise_on_keywords
    def fixed(
        self,
        name: str,
        parent: Part,
        child: Part,
        *,
        at: Any = ORIGIN,
        on: Any = ORIGIN,
        orientation: Any = None,
        vectors: Sequence[Any] | None = None,
    ) -> Joint:
        """No relative motion (weld).

        >>> m = sb.Model("arm")
        >>> arm, hand = m.body("arm", mass=1, com=(1, 0, 0)), m.body("hand", mass=2)
        >>> joints = m.revolute("a", m.ground, arm), m.fixed("wrist", arm, hand, at=(2, 0, 0))
        >>> sb.derive(m).M
        vector(9)

        See also: `Model.revolute`, `Model.joint`.
        """
        return self._join(name, parent, child, "fixed", JointGeometry(at, on, orientation, vectors), None, JointLoads())

    @advise_on_keywords
    def revolute(
        self,
        name: str,
        parent: Part,
        child: Part,
        axis: Any = "z",
        *,
        at: Any = ORIGIN,
        on: Any = ORIGIN,
        orientation: Any = None,
        vectors: Sequence[Any] | None = None,
        coordinates: Any = None,
        speeds: Any = None,
        damping: Any = None,
        stiffness: Any = None,
        rest: Any = None,
        actuation: Any = None,
        friction: Any = None,
        limits: Any = None,
    ) -> Joint:
        """Rotation about an axis (hinge, pin). Coordinate: the angle, named after the joint.

        >>> m = sb.Model("double pendulum")
        >>> upper, lower = (m.body(n, mass=1, com=(0, -1, 0)) for n in ("upper", "lower"))
        >>> joints = m.revolute("q1", m.ground, upper), m.revolute("q2", upper, lower, at=(0, -1, 0), damping=0.1)
        >>> sb.derive(m).M
        matrix([[2*cos(q2) + 3, cos(q2) + 1], [cos(q2) + 1, 1]])

        See also: `Model.prismatic`, `Model.universal`, `Model.spherical`, `Model.joint`.
        """
        geometry = JointGeometry(at, on, orientation, vectors, axis)
        loads = JointLoads(damping, stiffness, rest, actuation, friction, limits)
        return self._join(name, parent, child, "revolute", geometry, coordinates, loads, speeds)

    @advise_on_keywords
    def prismatic(
        self,
        name: str,
        parent: Part,
        child: Part,
        axis: Any = "x",
        *,
        at: Any = ORIGIN,
        on: Any = ORIGIN,
        orientation: Any = None,
        vectors: Sequence[Any] | None = None,
        coordinates: Any = None,
        speeds: Any = None,
        damping: Any = None,
        stiffness: Any = None,
        rest: Any = None,
        actuation: Any = None,
        friction: Any = None,
        limits: Any = None,
    ) -> Joint:
        """Translation along an axis (slider). Coordinate: the displacement, named after the joint.

        >>> m = sb.Model("cart")
        >>> k = m.parameter("k")
        >>> rail = m.prismatic("x", m.ground, m.body("cart", mass=2), axis="y", stiffness=k, actuation=m.input("F"))
        >>> sb.derive(m).f
        vector(F - k*x)

        See also: `Model.revolute`, `Model.cylindrical`, `Model.joint`.
        """
        geometry = JointGeometry(at, on, orientation, vectors, axis)
        loads = JointLoads(damping, stiffness, rest, actuation, friction, limits)
        return self._join(name, parent, child, "prismatic", geometry, coordinates, loads, speeds)

    @advise_on_keywords
    def cylindrical(
        self,
        name: str,
        parent: Part,
        child: Part,
        axis: Any = "z",
        *,
        at: Any = ORIGIN,
        on: Any = ORIGIN,
        orientation: Any = None,
        vectors: Sequence[Any] | None = None,
        coordinates: Any = None,
        speeds: Any = None,
        damping: Any = None,
        stiffness: Any = None,
        rest: Any = None,
        actuation: Any = None,
        friction: Any = None,
        limits: Any = None,
    ) -> Joint:
        """Translation along and rotation about one axis. Coordinates: name_s and name_a.

        >>> m = sb.Model("piston")
        >>> joint = m.cylindrical("c", m.ground, m.body("piston", mass=2, inertia=(1, 1, 1)))
        >>> sb.derive(m).M
        matrix([[2, 0], [0, 1]])

        See also: `Model.screw`, `Model.prismatic`.
        """
        geometry = JointGeometry(at, on, orientation, vectors, axis)
        loads = JointLoads(damping, stiffness, rest, actuation, friction, limits)
        return self._join(name, parent, child, "cylindrical", geometry, coordinates, loads, speeds)

    @advise_on_keywords
    def screw(
        self,
        name: str,
        parent: Part,
        child: Part,
        pitch: Any,
        axis: Any = "z",
        *,
        at: Any = ORIGIN,
        on: Any = ORIGIN,
        orientation: Any = None,
        vectors: Sequence[Any] | None = None,
        coordinates: Any = None,
        speeds: Any = None,
        damping: Any = None,
        stiffness: Any = None,
        rest: Any = None,
        actuation: Any = None,
        friction: Any = None,
        limits: Any = None,
    ) -> Joint:
        """Rotation about an axis that advances along it by `pitch` in one turn (helical). Coordinate: the angle.

        >>> m = sb.Model("nut")
        >>> pitch = m.parameter("pitch")
        >>> joint = m.screw("a", m.ground, m.body("nut", mass=1, inertia=(1, 1, 1)), pitch)
        >>> sb.derive(m).M
        vector((pitch/pi)**2/4 + 1)

        See also: `Model.cylindrical`, `Model.gear`.
        """
        geometry = JointGeometry(at, on, orientation, vectors, axis, pitch=pitch)
        loads = JointLoads(damping, stiffness, rest, actuation, friction, limits)
        return self._join(name, parent, child, "screw", geometry, coordinates, loads, speeds)

    @advise_on_keywords
    def universal(
        self,
        name: str,
        parent: Part,
        child: Part,
        axes: Any = ("x", "y"),
        *,
        at: Any = ORIGIN,
        on: Any = ORIGIN,
        orientation: Any = None,
        vectors: Sequence[Any] | None = None,
        coordinates: Any = None,
        speeds: Any = None,
        damping: Any = None,
        stiffness: Any = None,
        rest: Any = None,
        actuation: Any = None,
        friction: Any = None,
        limits: Any = None,
    ) -> Joint:
        """Rotation about an axis of the parent, then about an axis of the child orthogonal to it (Cardan, Hooke).

        Coordinates: name_1 and name_2.

        >>> m = sb.Model("shaft")
        >>> joint = m.universal("u", m.ground, m.body("shaft", mass=1, inertia=(1, 2, 3)))
        >>> sb.derive(m).q
        (u_1, u_2)

        See also: `Model.spherical`, `Model.revolute`.
        """
        geometry = JointGeometry(at, on, orientation, vectors, axes=axes)
        loads = JointLoads(damping, stiffness, rest, actuation, friction, limits)
        return self._join(name, parent, child, "universal", geometry, coordinates, loads, speeds)

    @advise_on_keywords
    def spherical(
        self,
        name: str,
        parent: Part,
        child: Part,
        sequence: str = "xyz",
        *,
        at: Any = ORIGIN,
        on: Any = ORIGIN,
        orientation: Any = None,
        vectors: Sequence[Any] | None = None,
        coordinates: Any = None,
        speeds: Any = None,
        damping: Any = None,
        stiffness: Any = None,
        rest: Any = None,
        actuation: Any = None,
        friction: Any = None,
        limits: Any = None,
    ) -> Joint:
        """Any rotation (ball). Coordinates: angles name_1 to name_3, or name_e0 to name_e3 with `sequence="euler
        parameters"`.

        >>> m = sb.Model("top")
        >>> joint = m.spherical("r", m.ground, m.body("top", mass=1, com=(0, 0, 1), inertia=(1, 1, 2)), "euler parameters")
        >>> eq = sb.derive(m)
        >>> eq.q, eq.u
        ((r_e0, r_e1, r_e2, r_e3), (r_wx, r_wy, r_wz))

        See also: `Model.universal`, `Model.free`.
        """
        geometry = JointGeometry(at, on, orientation, vectors, sequence=sequence)
        loads = JointLoads(damping, stiffness, rest, actuation, friction, limits)
        return self._join(name, parent, child, "spherical", geometry, coordinates, loads, speeds)

    @advise_on_keywords
    def planar(
        self,
        name: str,
        parent: Part,
        child: Part,
        axis: Any = "z",
        *,
        at: Any = ORIGIN,
        on: Any = ORIGIN,
        orientation: Any = None,
        vectors: Sequence[Any] | None = None,
        coordinates: Any = None,
        speeds: Any = None,
        body_speeds: bool = False,
        damping: Any = None,
        stiffness: Any = None,
        rest: Any = None,
        actuation: Any = None,
        friction: Any = None,
        limits: Any = None,
    ) -> Joint:
        """Two translations across an axis and a rotation about it. Coordinates: name_x, name_y, name_a.

        body_speeds   speeds are the components of velocity in the child, which turn with it, and the rate of rotation:
                      name_vx, name_vy, name_w, or as named by speeds=

        >>> m = sb.Model("puck")
        >>> joint = m.planar("p", m.ground, m.body("puck", mass=1, inertia=(0, 0, 1)))
        >>> sb.derive(m).q
        (p_x, p_y, p_a)

        See also: `Model.free`, `Model.prismatic`.
        """
        geometry = JointGeometry(at, on, orientation, vectors, axis)
        loads = JointLoads(damping, stiffness, rest, actuation, friction, limits)
        return self._join(name, parent, child, "planar", geometry, coordinates, loads, speeds, body_speeds)

    @advise_on_keywords
    def free(
        self,
        name: str,
        parent: Part,
        child: Part,
        sequence: str = "xyz",
        *,
        at: Any = ORIGIN,
        on: Any = ORIGIN,
        orientation: Any = None,
        vectors: Sequence[Any] | None = None,
        coordinates: Any = None,
        speeds: Any = None,
        body_speeds: bool = False,
        damping: Any = None,
        stiffness: Any = None,
        rest: Any = None,
        actuation: Any = None,
        friction: Any = None,
        limits: Any = None,
    ) -> Joint:
        """Any motion (floating). Coordinates: name_x, name_y, name_z, then those of `spherical`.

        body_speeds   speeds are the components of velocity and angular velocity in the child, which turn with it:
                      name_vx, name_vy, name_vz, name_wx, name_wy, name_wz, or as named by speeds= (with Euler
                      parameters the first three)

        >>> m = sb.Model("satellite")
        >>> joint = m.free("b", m.ground, m.body("satellite", mass=1, inertia=(1, 2, 3)))
        >>> sb.derive(m).q
        (b_x, b_y, b_z, b_1, b_2, b_3)

        See also: `Model.spherical`, `Model.planar`.
        """
        geometry = JointGeometry(at, on, orientation, vectors, sequence=sequence)
        loads = JointLoads(damping, stiffness, rest, actuation, friction, limits)
        return self._join(name, parent, child, "free", geometry, coordinates, loads, speeds, body_speeds)
