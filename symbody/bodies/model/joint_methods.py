"""The kinds of joints, one method each: name, parent, child, directions, and the options that all joints have."""

from __future__ import annotations

from typing import Any, Final, Unpack

from ...argument_kinds import checked_flags
from ...errors import ModelError
from ...options import takes_options
from ..joints.joint_options import JointOptions, JointPlacement
from ..joints.joints import JointGeometry, JointKind
from ..mechanism.mechanism import Joint
from .structure import Part, Structure

WORDS_OF_OTHERS: Final = {
    **dict.fromkeys(
        ("torque", "force", "moment", "motor", "actuator", "drive", "control", "input", "tau"), "actuation"
    ),
    **dict.fromkeys(("spring", "k", "spring_constant"), "stiffness"),
    **dict.fromkeys(("damper", "c", "d", "viscous", "viscosity"), "damping"),
    **dict.fromkeys(("free_length", "equilibrium", "neutral", "springref"), "rest"),
    **dict.fromkeys(("stops", "stop", "range", "bounds"), "limits"),
    **dict.fromkeys(("position", "point", "pos", "origin", "anchor"), "at"),
}
makes_joint = takes_options("joint", first=("name", "parent", "child"), other_words=WORDS_OF_OTHERS)


class JointMethods(Structure):
    """Methods of a model that add a joint. Each takes name, parent and child in this order, then the arguments of its
    kind, then the options of all joints (`JointOptions`)."""

    @makes_joint
    @checked_flags(ModelError)
    def joint(
        self,
        name: str,
        parent: Part,
        child: Part,
        kind: str | JointKind,
        *,
        axis: Any = None,
        axes: Any = ("x", "y"),
        sequence: str = "xyz",
        pitch: Any = None,
        space_fixed: bool = False,
        body_speeds: bool = False,
        **options: Unpack[JointOptions],
    ) -> Joint:
        """A joint of the given kind: a name, or your own `bodies.JointKind`. It places the child, or closes a loop if
        both sides are already placed.

        axis, axes    its direction(s), in the parent (and, at rest, in the child); by default x for a prismatic joint,
                      z for all others
        sequence      of a spherical or free joint: axes of the rotations, such as "zxz", or "euler parameters"
        pitch         of a screw: its advance in one turn
        space_fixed   of a spherical or free joint: rotations are about axes of the parent (see `Model.spherical`)
        body_speeds   of a planar or free joint: speeds are components in the axes of the child

        >>> m = sb.Model("arm")
        >>> arm = m.body("arm", mass=1, com=(1, 0, 0))
        >>> hinge = m.joint("a", m.ground, arm, "revolute", axis="y", stiffness=5)
        >>> hinge.q, sb.derive(m).f
        (a, vector(-5*a))

        See also: `Model.revolute`, `Model.prismatic`, `Model.free`, `bodies.JointKind`.
        """
        geometry = JointGeometry(axis, axes, sequence, pitch, space_fixed)
        return self._join(name, parent, child, kind, options, geometry, body_speeds)

    @makes_joint
    def fixed(self, name: str, parent: Part, child: Part, **options: Unpack[JointPlacement]) -> Joint:
        """No relative motion (weld).

        >>> m = sb.Model("arm")
        >>> arm, hand = m.body("arm", mass=1, com=(1, 0, 0)), m.body("hand", mass=2)
        >>> joints = m.revolute("a", m.ground, arm), m.fixed("wrist", arm, hand, at=(2, 0, 0))
        >>> sb.derive(m).M
        vector(9)

        See also: `Model.revolute`, `Model.joint`.
        """
        return self._join(name, parent, child, "fixed", options)

    @makes_joint
    def revolute(self, name: str, parent: Part, child: Part, axis: Any = "z", **options: Unpack[JointOptions]) -> Joint:
        """Rotation about an axis (hinge, pin). Coordinate: the angle, named after the joint.

        >>> m = sb.Model("double pendulum")
        >>> upper, lower = (m.body(n, mass=1, com=(0, -1, 0)) for n in ("upper", "lower"))
        >>> joints = m.revolute("q1", m.ground, upper), m.revolute("q2", upper, lower, at=(0, -1, 0), damping=0.1)
        >>> sb.derive(m).M
        matrix([[2*cos(q2) + 3, cos(q2) + 1], [cos(q2) + 1, 1]])

        See also: `Model.prismatic`, `Model.universal`, `Model.spherical`, `Model.joint`.
        """
        return self._join(name, parent, child, "revolute", options, JointGeometry(axis))

    @makes_joint
    def prismatic(
        self, name: str, parent: Part, child: Part, axis: Any = "x", **options: Unpack[JointOptions]
    ) -> Joint:
        """Translation along an axis (slider). Coordinate: the displacement, named after the joint.

        >>> m = sb.Model("cart")
        >>> k = m.parameter("k")
        >>> rail = m.prismatic("x", m.ground, m.body("cart", mass=2), axis="y", stiffness=k, actuation=m.input("F"))
        >>> sb.derive(m).f
        vector(F - k*x)

        See also: `Model.revolute`, `Model.cylindrical`, `Model.joint`.
        """
        return self._join(name, parent, child, "prismatic", options, JointGeometry(axis))

    @makes_joint
    def cylindrical(
        self, name: str, parent: Part, child: Part, axis: Any = "z", **options: Unpack[JointOptions]
    ) -> Joint:
        """Translation along and rotation about one axis. Coordinates: name_s and name_a.

        >>> m = sb.Model("piston")
        >>> joint = m.cylindrical("c", m.ground, m.body("piston", mass=2, inertia=(1, 1, 1)))
        >>> sb.derive(m).M
        matrix([[2, 0], [0, 1]])

        See also: `Model.screw`, `Model.prismatic`.
        """
        return self._join(name, parent, child, "cylindrical", options, JointGeometry(axis))

    @makes_joint
    def screw(
        self, name: str, parent: Part, child: Part, pitch: Any, axis: Any = "z", **options: Unpack[JointOptions]
    ) -> Joint:
        """Rotation about an axis with an advance of `pitch` along it per turn (helical). Coordinate: the angle.

        >>> m = sb.Model("nut")
        >>> pitch = m.parameter("pitch")
        >>> joint = m.screw("a", m.ground, m.body("nut", mass=1, inertia=(1, 1, 1)), pitch)
        >>> sb.derive(m).M
        vector((pitch/pi)**2/4 + 1)

        See also: `Model.cylindrical`, `Model.gear`.
        """
        return self._join(name, parent, child, "screw", options, JointGeometry(axis, pitch=pitch))

    @makes_joint
    def universal(
        self, name: str, parent: Part, child: Part, axes: Any = ("x", "y"), **options: Unpack[JointOptions]
    ) -> Joint:
        """Rotation about an axis of the parent, then about an axis of the child orthogonal to it (Cardan, Hooke).

        Coordinates: name_1 and name_2.

        >>> m = sb.Model("shaft")
        >>> joint = m.universal("u", m.ground, m.body("shaft", mass=1, inertia=(1, 2, 3)))
        >>> sb.derive(m).q
        (u_1, u_2)

        See also: `Model.spherical`, `Model.revolute`.
        """
        return self._join(name, parent, child, "universal", options, JointGeometry(axes=axes))

    @makes_joint
    @checked_flags(ModelError)
    def spherical(
        self,
        name: str,
        parent: Part,
        child: Part,
        sequence: str = "xyz",
        *,
        space_fixed: bool = False,
        **options: Unpack[JointOptions],
    ) -> Joint:
        """Any rotation (ball). Coordinates: angles name_1 to name_3, or name_e0 to name_e3 with `sequence="euler
        parameters"`.

        space_fixed   True: the rotations of the sequence are about axes of the parent, instead of the frame that
                      results from the previous rotations

        >>> m = sb.Model("top")
        >>> joint = m.spherical("r", m.ground, m.body("top", mass=1, com=(0, 0, 1), inertia=(1, 1, 2)), "euler parameters")
        >>> eq = sb.derive(m)
        >>> eq.q, eq.u
        ((r_e0, r_e1, r_e2, r_e3), (r_wx, r_wy, r_wz))

        See also: `Model.universal`, `Model.free`.
        """
        geometry = JointGeometry(sequence=sequence, space_fixed=space_fixed)
        return self._join(name, parent, child, "spherical", options, geometry)

    @makes_joint
    @checked_flags(ModelError)
    def planar(
        self,
        name: str,
        parent: Part,
        child: Part,
        axis: Any = "z",
        *,
        body_speeds: bool = False,
        **options: Unpack[JointOptions],
    ) -> Joint:
        """Two translations normal to an axis and a rotation about it. Coordinates: name_x, name_y, name_a for the axis
        z; name_z, name_x, name_a for y; name_y, name_z, name_a for x: translations are named after the axes of the
        parent. For an axis in another direction they are name_1, name_2, name_a.

        body_speeds   speeds are the components of velocity in the axes of the child, and the rate of rotation: name_vx,
                      name_vy, name_w, or as named by speeds=

        >>> m = sb.Model("puck")
        >>> joint = m.planar("p", m.ground, m.body("puck", mass=1, inertia=(0, 0, 1)))
        >>> other = m.planar("s", m.ground, m.body("sled", mass=1, inertia=(0, 1, 0)), "y")
        >>> sb.derive(m).q
        (p_x, p_y, p_a, s_z, s_x, s_a)

        See also: `Model.free`, `Model.prismatic`.
        """
        return self._join(name, parent, child, "planar", options, JointGeometry(axis), body_speeds)

    @makes_joint
    @checked_flags(ModelError)
    def free(
        self,
        name: str,
        parent: Part,
        child: Part,
        sequence: str = "xyz",
        *,
        space_fixed: bool = False,
        body_speeds: bool = False,
        **options: Unpack[JointOptions],
    ) -> Joint:
        """Any motion (floating). Coordinates: name_x, name_y, name_z, then those of `spherical`.

        space_fixed   as of `spherical`
        body_speeds   speeds are the components of velocity and angular velocity in the axes of the child: name_vx,
                      name_vy, name_vz, name_wx, name_wy, name_wz, or as named by speeds= (with Euler parameters the
                      first three)

        >>> m = sb.Model("satellite")
        >>> joint = m.free("b", m.ground, m.body("satellite", mass=1, inertia=(1, 2, 3)))
        >>> sb.derive(m).q
        (b_x, b_y, b_z, b_1, b_2, b_3)

        See also: `Model.spherical`, `Model.planar`.
        """
        geometry = JointGeometry(sequence=sequence, space_fixed=space_fixed)
        return self._join(name, parent, child, "free", options, geometry, body_speeds)
