"""Frames: their constructors, and the vectors, dyads and points written in them."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import Any

from ...algebra.graph.matrix import Matrix, as_matrix, vector, zeros
from ...argument_kinds import checked_flags
from ...errors import ExpressionError, ModelError, shown
from .dyads import Dyad
from .frame_tree import FrameInTree, a_frame
from .points import Point
from .pose import Pose, as_pose
from .rotations import Rotation, about, from_cosines, from_euler_parameters, sequence
from .vectors import Vector


def three(components: Any, what: str) -> Matrix:
    """Three scalars as a column."""
    try:
        v = as_matrix(list(components))
    except (TypeError, ExpressionError):
        v = zeros(0)
    if v.shape != (3, 1):
        raise ModelError(f"{what}: needs three components, got {shown(components)}")
    return v


class Frame(FrameInTree):
    """A reference frame F, defined by its rotation and position relative to its parent P.

    rotation   R_PF
    offset     position of the origin of F in P, in components of P

    A frame is immutable, with two exceptions: a frame without a parent is placed once (`hang_on`), and the model may
    rename it (`rename`) until it is part of a `Mechanism`.

    >>> m = sb.Model("frames")
    >>> theta, x = m.coordinates("theta x")
    >>> A = m.ground.translate(x, 0, 0).rotate("z", theta)
    >>> A.dcm(m.ground)
    matrix([[cos(theta), sin(theta), 0], [-sin(theta), cos(theta), 0], [0, 0, 1]])
    >>> A.angular_velocity().in_ground, A.origin.velocity().in_ground
    (vector(0, 0, theta_dot), vector(x_dot, 0, 0))

    See also: `Model`, `Point`, `Vector`, `bodies.Pose`.
    """

    # ------------------------------------------------------------------------------------------------ making frames

    def translate(self, x: Any, y: Any = None, z: Any = None, name: str | None = None) -> Frame:
        """A frame translated by components along the axes of this frame, or with its origin at a point.

        >>> N = sb.Model("m").ground
        >>> x = sb.symbol("x", "coordinate")
        >>> N.translate(x, 0, 0).origin.velocity().in_ground
        vector(x_dot, 0, 0)

        See also: `Frame.rotate`, `Frame.point`.
        """
        offset = x.in_frame(self).coordinates if isinstance(x, Point) else vector(x, y, z)
        return Frame(self, offset=offset, name=name)

    @checked_flags(ModelError)
    def rotate(self, axis: Any, *angles: Any, space_fixed: bool = False, name: str | None = None) -> Frame:
        """A frame rotated about "x", "y", "z" or any axis, or by a sequence: `rotate("zxz", a, b, c)`,
        `rotate("cardan",
        ...)`.

        space_fixed   True: each rotation of a sequence is about an axis of this frame, instead of the frame that
                      results from the previous rotations

        >>> N = sb.Model("m").ground
        >>> a = sb.symbol("a", "coordinate")
        >>> N.rotate("z", a).x.in_ground
        vector(cos(a), sin(a), 0)

        See also: `Frame.translate`, `Model.frame`.
        """
        if isinstance(axis, str) and len(angles) != 1:
            turns = sequence(axis, angles, space_fixed).factors
            frame = self if turns else Frame(self, name=name)
            for k, turn in enumerate(
                turns, start=1
            ):  # a frame for each turn: vectors are then carried by one turn at a time
                frame = Frame(frame, Rotation((turn,)), name=name if k == len(turns) else f"{name or self.name}.{k}")
            return frame
        if len(angles) != 1:
            raise ModelError(f"rotate: one angle for the axis {shown(axis)}, got {len(angles)}")
        return Frame(self, about(axis, angles[0], f"frame {name or ''}".strip()), name=name)

    def rotate_by_cosines(self, entries: Any, name: str | None = None) -> Frame:
        """A frame whose axes are the columns of a matrix of direction cosines.

        >>> N = sb.Model("m").ground
        >>> A = N.rotate_by_cosines([[0, -1, 0], [1, 0, 0], [0, 0, 1]])  # a quarter turn about z
        >>> A.x.in_ground
        vector(0, 1, 0)
        >>> e = [sb.fraction(3, 5), 0, 0, sb.fraction(4, 5)]
        >>> N.rotate_by_euler_parameters(e).x.in_ground
        vector(-7/25, 24/25, 0)
        >>> N.place([[0, -1, 0, 4], [1, 0, 0, 5], [0, 0, 1, 6], [0, 0, 0, 1]]).origin.in_ground
        vector(4, 5, 6)

        See also: `Frame.rotate`, `Frame.dcm`, `bodies.Pose`.
        """
        return Frame(self, from_cosines(entries, f"frame {name or ''}".strip()), name=name)

    def rotate_by_euler_parameters(self, e: Iterable[Any], spin: Any = None, name: str | None = None) -> Frame:
        """A frame rotated by Euler parameters (scalar first, unit norm). `spin` defines its angular velocity by
        separate speeds."""
        given = None if spin is None else three(spin, "spin")
        four = list(e) if isinstance(e, Iterable) else [e]
        return Frame(self, from_euler_parameters(four, given, f"frame {name or ''}".strip()), name=name)

    @checked_flags(ModelError)
    def denavit_hartenberg(
        self, a: Any, alpha: Any, d: Any, theta: Any, *, modified: bool = False, name: str | None = None
    ) -> Frame:
        """A frame given by the four Denavit-Hartenberg parameters: rotated by θ about z, translated by d along z and by
        a along x, and rotated by α about x. With `modified`, a and α are those of the previous link and come first
        (Craig).

            T = R_z(θ) T_z(d) T_x(a) R_x(α),   modified   T = R_x(α) T_x(a) R_z(θ) T_z(d)

        >>> N, q = sb.Model("arm").ground, sb.symbol("q", "coordinate")
        >>> N.denavit_hartenberg(2, 0, 1, q).origin.in_ground
        vector(2*cos(q), 2*sin(q), 1)
        >>> N.denavit_hartenberg(2, 0, 1, q, modified=True).origin.in_ground
        vector(2, 0, 1)

        See also: `Frame.rotate`, `Frame.translate`, `Frame.place`.
        """
        if modified:
            return self.rotate("x", alpha).translate(a, 0, d).rotate("z", theta, name=name)
        return self.rotate("z", theta).translate(a, 0, d).rotate("x", alpha, name=name)

    def place(self, pose: Any, name: str | None = None) -> Frame:
        """A frame whose position and orientation in this one are a pose or a 4 by 4 matrix [R r; 0 1]."""
        at = as_pose(pose, f"frame {name or ''}".strip())
        return Frame(self, at.rotation, at.offset, name)

    # ----------------------------------------------------------------------------------------------- vectors and points

    def vector(self, x: Any, y: Any, z: Any) -> Vector:
        """The vector with these components in this frame.

        >>> N = sb.Model("m").ground
        >>> N.vector(1, 2, 3) == N.x + 2 * N.y + 3 * N.z
        True
        >>> N.dyad([2, 0, 0, 0, 3, 0, 0, 0, 4]).dot(N.y)
        ground.vector(0, 3, 0)

        See also: `Vector`, `bodies.Dyad`, `Frame.point`.
        """
        return Vector({self: vector(x, y, z)})

    def dyad(self, entries: Any) -> Dyad:
        """The dyad with these components in this frame: nine, row by row, or a 3 by 3 matrix such as `inertia(xx, yy,
        zz)`."""
        m = as_matrix(entries)
        if m.shape == (9, 1):
            m = Matrix(3, 3, m.entries)
        if m.shape != (3, 3):
            raise ModelError(f"frame {self.name}: a dyad has 3 by 3 components, got {shown(entries)}")
        return Dyad({(self, self): m})

    @cached_property
    def x(self) -> Vector:
        """The unit vector along the first axis."""
        return self.vector(1, 0, 0)

    @cached_property
    def y(self) -> Vector:
        """The unit vector along the second axis."""
        return self.vector(0, 1, 0)

    @cached_property
    def z(self) -> Vector:
        """The unit vector along the third axis."""
        return self.vector(0, 0, 1)

    def point(self, x: Any = 0, y: Any = 0, z: Any = 0) -> Point:
        """The point with these coordinates in this frame.

        >>> m = sb.Model("m")
        >>> A = m.ground.translate(1, 0, 0)
        >>> A.point(0, 2, 0).in_ground
        vector(1, 2, 0)

        See also: `Point`, `Frame.origin`.
        """
        return Point(self, vector(x, y, z))

    @cached_property
    def origin(self) -> Point:
        """The origin of the frame, a point."""
        return self.point()

    # ------------------------------------------------------------------------------------------------ in other frames

    def dcm(self, other: Frame) -> Matrix:
        """The direction cosine matrix R with v_self = R v_other, `other.rotation_in(self).matrix`; its columns are the
        axes of the other frame.

        >>> m = sb.Model("frames")
        >>> b = m.ground.rotate("z", m.coordinate("q"))
        >>> m.ground.dcm(b)
        matrix([[cos(q), -sin(q), 0], [sin(q), cos(q), 0], [0, 0, 1]])

        See also: `Frame.rotate`, `Frame.angular_velocity`.
        """
        return a_frame(other).rotation_in(self).matrix

    def pose_in(self, other: Frame) -> Pose:
        """The pose of this frame in another, an operator on coordinates; its 4 by 4 matrix is `pose_in(other).matrix`.

        >>> m = sb.Model("m")
        >>> A = m.ground.translate(1, 2, 0).rotate("z", m.coordinate("a"))
        >>> A.pose_in(m.ground).matrix
        matrix([[cos(a), -sin(a), 0, 1], [sin(a), cos(a), 0, 2], [0, 0, 1, 0], [0, 0, 0, 1]])

        See also: `bodies.Pose`, `Frame.dcm`, `Frame.place`.
        """
        return Pose(self.rotation_in(other), self.origin.in_frame(other).coordinates)

    def angular_velocity(self, frame: Frame | None = None) -> Vector:
        """Angular velocity in another frame (the ground by default).

        >>> m = sb.Model("gimbal")
        >>> a, b = m.coordinates("a b")
        >>> ring = m.ground.rotate("z", a).rotate("x", b)
        >>> ring.angular_velocity().components(ring)
        vector(b_dot, sin(b)*a_dot, cos(b)*a_dot)

        See also: `Frame.angular_acceleration`, `Frame.dcm`.
        """
        other = self.root if frame is None else a_frame(frame)
        top = self.common_ancestor(other)
        out = Vector({f: f.spin for f in self.below(top)})
        return out - Vector({f: f.spin for f in other.below(top)})

    def angular_acceleration(self, frame: Frame | None = None) -> Vector:
        """Time derivative of the angular velocity, in the same frame.

        >>> m = sb.Model("m")
        >>> a, b = m.coordinates("a b")
        >>> m.ground.rotate("z", a).angular_acceleration().in_ground
        vector(0, 0, a_ddot)

        See also: `Frame.angular_velocity`, `Point.acceleration`.
        """
        return self.angular_velocity(frame).dt(self.root if frame is None else frame)
