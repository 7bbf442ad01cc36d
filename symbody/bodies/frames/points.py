"""Points: a frame and coordinates in it, which may move."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ...algebra.calculus.derivatives import time_derivative
from ...algebra.graph.graph import ZERO
from ...algebra.graph.matrix import Matrix, cross
from ...algebra.printing.formulas import formula
from ...algebra.printing.printing import MAX_LINES, latex, outline
from ...display import Title, html
from ...errors import ModelError, shown
from .frame_tree import Immutable, a_frame
from .vectors import Vector, a_vector

if TYPE_CHECKING:
    from .frames import Frame


class Point(Immutable):
    """A point, given by a frame and coordinates in it, which may vary with the state.

    >>> m = sb.Model("point")
    >>> theta, l = m.coordinate("theta"), m.parameter("l")
    >>> P = m.ground.rotate("z", theta).point(l, 0, 0)
    >>> P.in_ground
    vector(l*cos(theta), l*sin(theta), 0)
    >>> P.velocity().magnitude()
    abs(l*theta_dot)

    See also: `Frame`, `Vector`, `Body`.
    """

    __slots__ = ("coordinates", "frame")
    adds_vectors = True
    frame: Frame
    coordinates: Matrix

    def __init__(self, frame: Frame, coordinates: Matrix) -> None:
        object.__setattr__(self, "frame", frame)
        object.__setattr__(self, "coordinates", coordinates)

    def __repr__(self) -> str:
        return f"{self.frame.name}.point({', '.join(outline(e) for e in self.coordinates.entries)})"

    def map(self, change: Callable[[Matrix], Matrix]) -> Point:
        """The same with its coordinates changed."""
        return Point(self.frame, change(self.coordinates))

    @property
    def component_matrices(self) -> tuple[Matrix, ...]:
        """Its coordinates."""
        return (self.coordinates,)

    def latex(self, lines: int | None = MAX_LINES) -> str:
        """Its coordinates, with the name of the frame as index."""
        return f"{latex(self.coordinates, lines)}_{{{self.frame.latex()}}}"

    def _repr_latex_(self) -> str:
        return f"${self.latex()}$"

    def _repr_html_(self) -> str:
        return html([Title(f"Point, coordinates in {self.frame.name}"), formula(self.coordinates)])

    def __add__(self, v: Vector) -> Point:
        a_vector("point + ...", v)
        return Point(self.frame, self.coordinates + v.components(self.frame))

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        """Point minus point is the vector between them; point minus vector is a point."""
        if isinstance(other, Vector):
            return self + (-other)
        if not isinstance(other, Point):
            raise ModelError(f"point - ...: expected a point or a vector, got {shown(other)}")
        top = self.frame.common_ancestor(other.frame)
        return self._from_origin_of(top) - other._from_origin_of(top)

    def position(self, frame: Frame | None = None) -> Vector:
        """The position vector from the origin of a frame (the ground by default) to this point, with one term for each
        frame in between.

        >>> m = sb.Model("arm")
        >>> arm = m.ground.rotate("z", m.coordinate("q"))
        >>> arm.point(2, 0, 0).position().components(m.ground)
        vector(2*cos(q), 2*sin(q), 0)

        See also: `Point.velocity`.
        """
        return self._from_origin_of(self.frame.root) if frame is None else self - a_frame(frame).origin

    def _from_origin_of(self, ancestor: Frame) -> Vector:
        """From the origin of a frame on which this point's frame hangs."""
        terms = {self.frame: self.coordinates}
        for f in self.frame.below(ancestor):
            assert f.parent is not None
            terms[f.parent] = f.offset
        return Vector(terms)

    @property
    def in_ground(self) -> Matrix:
        """The three coordinates in the ground, as a column."""
        return self.position().components(self.frame.root)

    def in_frame(self, frame: Frame) -> Point:
        r"""The coincident point with coordinates in another frame.

        >>> m = sb.Model("m")
        >>> A = m.ground.translate(1, 0, 0)
        >>> P = m.ground.point(3, 0, 0)
        >>> P.in_frame(A), (P - A.origin).in_ground
        (ground'.point(2, 0, 0), vector(2, 0, 0))
        >>> P.map(lambda c: 2 * c), P.component_matrices, P.latex()[-18:]
        (ground.point(6, 0, 0), (vector(3, 0, 0),), '_{\\mathrm{ground}}')

        See also: `Point.position`, `Frame.point`.
        """
        return Point(frame, (self - a_frame(frame).origin).components(frame))

    def velocity(self, frame: Frame | None = None) -> Vector:
        """Velocity in a frame (the ground by default): absolute velocity.

        >>> m = sb.Model("arm")
        >>> q = m.coordinate("q")
        >>> arm = m.ground.rotate("z", q)
        >>> arm.point(2, 0, 0).velocity().components(arm)
        vector(0, 2*q_dot, 0)

        See also: `Point.position`, `Point.acceleration`.
        """
        if frame is not None and frame is not self.frame.root:
            return (self - a_frame(frame).origin).dt(frame)
        return self.transport_velocity() + self.relative_velocity()

    def relative_velocity(self) -> Vector:
        """Velocity in the point's own frame.

        >>> m = sb.Model("slider on an arm")
        >>> a, s = m.coordinates("a s")
        >>> P = m.ground.rotate("z", a).point(s, 0, 0)
        >>> P.relative_velocity().components(P.frame), P.transport_velocity().components(P.frame)
        (vector(s_dot, 0, 0), vector(0, s*a_dot, 0))

        See also: `Point.velocity`.
        """
        return Vector({self.frame: time_derivative(self.coordinates)})

    def transport_velocity(self) -> Vector:
        """Velocity of the frame-fixed point that currently coincides with this point ("eulerian" velocity, MBSymba eq.
        4)."""
        terms: dict[Frame, Matrix] = {}

        def add(frame: Frame, x: Matrix) -> None:
            if any(e is not ZERO for e in x.entries):
                terms[frame] = terms[frame] + x if frame in terms else x

        add(self.frame, cross(self.frame.angular_velocity_components, self.coordinates))
        for f in self.frame.path[1:]:
            assert f.parent is not None
            turning = cross(f.parent.angular_velocity_components, f.offset)
            if f.velocity is not None:
                add(f.parent, turning)
                add(f, f.velocity)
                continue
            add(f.parent, time_derivative(f.offset) + turning)
        return Vector(terms)

    def acceleration(self, frame: Frame | None = None) -> Vector:
        """Time derivative of the velocity, in the same frame.

        >>> m = sb.Model("arm")
        >>> arm = m.ground.rotate("z", m.coordinate("q"))
        >>> arm.point(2, 0, 0).acceleration().components(arm)
        vector(-2*q_dot**2, 2*q_ddot, 0)

        See also: `Point.velocity`.
        """
        return self.velocity(frame).dt(frame)
