"""Vectors: sums of terms, each kept in the frame in which it is given, until components are requested.

Time derivatives are taken with `q.dot` as the rate of a coordinate q.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from heapq import heapify, heappop, heappush
from typing import TYPE_CHECKING, Any, ClassVar, Final, overload

from ...algebra.calculus.derivatives import jacobian, time_derivative
from ...algebra.graph.functions import atan2, cos, sqrt
from ...algebra.graph.graph import HALF, ONE, ZERO, Expr, Symbol, as_expr
from ...algebra.graph.matrix import Matrix, cross, dot, skew, vector, zeros
from ...algebra.graph.walk import free_symbols
from ...errors import ModelError, shown
from .dyads import Dyad
from .frame_tree import a_frame
from .rotations import Rotation, Turn
from .tensors import AXES, Tensor, unit

if TYPE_CHECKING:
    from .frames import Frame

MANY_TERMS: Final = 12  # above which terms are gathered along the tree, not turned one by one


class Vector(Tensor):
    """A sum of terms, each in its own frame. Operators + - * /, `a & b`, `a ^ b`, `a | b`; methods `dot`, `cross`,
    `outer`, `express`, `components`, `dt`, `partial`.

    >>> m = sb.Model("vectors")
    >>> theta = m.coordinate("theta")
    >>> A = m.ground.rotate("z", theta)
    >>> v = 2 * A.x + m.ground.y
    >>> v.dot(m.ground.x), v.cross(m.ground.x).in_ground
    (2*cos(theta), vector(0, 0, -2*sin(theta) - 1))
    >>> v.dt(m.ground).components(A)
    vector(0, 2*theta_dot, 0)

    See also: `Frame`, `bodies.Dyad`, `bodies.SystemVector`, `bodies.express`.
    """

    __slots__ = ()
    kind: ClassVar[str] = "vector"
    terms: Mapping[Frame, Matrix]

    def components(self, frame: Frame) -> Matrix:
        """The three components in a frame, as a column.

        >>> m = sb.Model("frames")
        >>> b = m.ground.rotate("z", m.coordinate("q"))
        >>> (3 * b.x).components(m.ground)
        vector(3*cos(q), 3*sin(q), 0)

        See also: `Vector.express`, `Frame.vector`.
        """
        if len(self.terms) > MANY_TERMS:
            top, c = self._gathered([frame])
            for f in frame.below(top):
                c = f.rotation.inwards(c)
            return c
        out = zeros(3)
        for f, c in self.terms.items():
            out = out + (c if f is frame else f.rotation_in(frame).outwards(c))
        return out

    def _gathered(self, more: Iterable[Frame] = ()) -> tuple[Frame, Matrix]:
        """Components in the frame on which all others hang, `more` among them. What has been summed up in a frame is turned into
        its parent: the expressions grow in proportion to the frames."""
        left: dict[Frame, Matrix] = {**dict.fromkeys(more, zeros(3)), **self.terms}
        outermost_last = [(-f.depth, k, f) for k, f in enumerate(left)]
        heapify(outermost_last)
        while len(left) > 1:
            depth, k, f = heappop(outermost_last)
            parent = f.parent
            if parent is None:
                parent = f.common_ancestor(next(g for g in left if g is not f))  # refuses frames that are not connected
            turned = f.rotation.outwards(left.pop(f))
            if parent in left:
                left[parent] = left[parent] + turned
            else:
                left[parent] = turned
                heappush(outermost_last, (depth + 1, k, parent))
        return next(iter(left.items()))

    @property
    def in_ground(self) -> Matrix:
        """The three components in the ground, as a column."""
        return next((self.components(f.root) for f in self.terms), zeros(3))

    def express(self, frame: Frame) -> Vector:
        """The same vector as one term in a frame.

        >>> m = sb.Model("m")
        >>> A = m.ground.rotate("z", m.coordinate("q"))
        >>> A.x.express(m.ground)
        ground.vector(cos(q), sin(q), 0)
        >>> A.x.in_ground
        vector(cos(q), sin(q), 0)

        See also: `Vector.components`, `bodies.express`.
        """
        return Vector({a_frame(frame): self.components(frame)})

    # ------------------------------------------------------------------------------------------------ products

    @overload
    def dot(self, other: Vector) -> Expr: ...
    @overload
    def dot(self, other: Dyad) -> Vector: ...
    def dot(self, other: Vector | Dyad) -> Expr | Vector:
        """a · b of two vectors, a scalar; a · D of a dyad, a vector.

        >>> m = sb.Model("frames")
        >>> b = m.ground.rotate("z", m.coordinate("q"))
        >>> b.x.dot(m.ground.y)
        sin(q)

        See also: `Vector.cross`, `Vector.magnitude`.
        """
        if isinstance(other, Dyad):
            return other.transposed().dot(self)
        return self._product(a_vector("dot", other), dot, as_expr(0))

    @overload
    def cross(self, other: Vector) -> Vector: ...
    @overload
    def cross(self, other: Dyad) -> Dyad: ...
    def cross(self, other: Vector | Dyad) -> Vector | Dyad:
        """a × b of two vectors; a × D of a dyad, a dyad: a × (b c) = (a × b) c.

        >>> m = sb.Model("frames")
        >>> g = m.ground
        >>> g.x.cross(2 * g.y).components(g)
        vector(0, 0, 2)

        See also: `Vector.dot`.
        """
        if isinstance(other, Dyad):
            return other.crossed_by(self)
        a_vector("cross", other)
        out = Vector({})
        for f, a in self.terms.items():
            for g, b in other.terms.items():
                home, (x, y) = _meet(f, a, g, b)
                out = out + Vector({home: cross(x, y)})
        return out

    def _product(self, other: Vector, product: Callable[[Matrix, Matrix], Any], start: Any) -> Any:
        if len(self.terms) > MANY_TERMS and len(other.terms) > MANY_TERMS:
            top, own = self._gathered(other.terms)
            return start + product(own, own if other is self else other.components(top))
        for f, a in self.terms.items():
            for g, b in other.terms.items():
                start = start + product(*_meet(f, a, g, b)[1])
        return start

    def outer(self, other: Vector) -> Dyad:
        """The dyad a b: (a b) · c = a (b · c).

        >>> N = sb.Model("m").ground
        >>> N.x.outer(N.y).components(N)
        matrix([[0, 1, 0], [0, 0, 0], [0, 0, 0]])
        >>> N.z.skew().dot(N.x) == N.z.cross(N.x)
        True

        See also: `bodies.Dyad`, `bodies.axial`.
        """
        a_vector("outer", other)
        return Dyad({(f, g): a @ b.T for f, a in self.terms.items() for g, b in other.terms.items()})

    def skew(self) -> Dyad:
        """The dyad ã with ã · b = a × b; `axial` is the inverse."""
        return Dyad({(f, f): skew(c) for f, c in self.terms.items()})

    def __and__(self, other: Any) -> Any:
        return self.dot(other)

    def __xor__(self, other: Any) -> Any:
        return self.cross(other)

    def __or__(self, other: Any) -> Dyad:
        return self.outer(other)

    # ----------------------------------------------------------------------------------------------- size and direction

    def magnitude(self) -> Expr:
        """|a| = √(a · a).

        >>> N = sb.Model("m").ground
        >>> v = 3 * N.x + 4 * N.y
        >>> v.magnitude(), v.normalize(), sb.evaluate(v.angle_between(N.x), {})
        (5, ground.vector(3/5, 4/5, 0), 0.927295)

        See also: `Vector.dot`.
        """
        return sqrt(self.dot(self))

    def normalize(self) -> Vector:
        """The unit vector a / |a|."""
        if not self.terms:
            raise ModelError("normalize: the zero vector has no direction")
        return self / self.magnitude()

    def angle_between(self, other: Vector) -> Expr:
        """The angle between two vectors, from 0 to π: atan2(|a × b|, a · b), which is exact near 0 and π as well."""
        return atan2(self.cross(a_vector("angle_between", other)).magnitude(), self.dot(other))

    # ------------------------------------------------------------------------------------------------ derivatives

    def dt(self, frame: Frame | None = None) -> Vector:
        """Time derivative seen from a frame (the ground by default).

        >>> m = sb.Model("m")
        >>> a = m.coordinate("a")
        >>> A = m.ground.rotate("z", a)
        >>> A.x.dt(m.ground).components(A), A.x.dt(A).components(A)
        (vector(0, a_dot, 0), vector(0, 0, 0))

        See also: `Vector.partial`, `Point.velocity`.
        """
        out = Vector({})
        for f, c in self.terms.items():
            rate = Vector({f: time_derivative(c)})
            out = out + rate + f.angular_velocity(frame).cross(Vector({f: c}))
        return out

    def partial(self, symbols: Symbol | Iterable[Symbol], frame: Frame | None = None) -> list[Vector]:
        """Partial derivatives with respect to symbols in a frame (the ground by default), whose axes are kept constant.
        The derivatives of a velocity or angular velocity with respect to speeds are partial velocities and do not
        depend on the frame.

        >>> m = sb.Model("arm")
        >>> a = m.coordinate("a")
        >>> A = m.ground.rotate("z", a)
        >>> A.point(2, 0, 0).velocity().partial(a.dot)
        [ground'.vector(0, 2, 0)]
        >>> A.x.partial(a)
        [ground.vector(-sin(a), cos(a), 0)]

        See also: `derivation.partial_velocities`, `Vector.dt`.
        """
        wrt = (
            [symbols] if isinstance(symbols, Symbol) else list(symbols) if isinstance(symbols, Iterable) else [symbols]
        )
        if wrong := [s for s in wrt if not isinstance(s, Symbol)]:
            raise ModelError(f"partial: takes symbols such as q or q.dot, got {shown(wrong[0])}")
        out = [Vector({}) for _ in wrt]
        for f, c in self.terms.items():
            home = f.root if frame is None else a_frame(frame)
            at, components = (home, f.rotation_in(home).outwards(c)) if _turns_with(f, home, wrt) else (f, c)
            table = jacobian(components, wrt)
            out = [v + Vector({at: Matrix(3, 1, table.column(j))}) for j, v in enumerate(out)]
        return out

    # ------------------------------------------------------------------------------------------------ printing

    def _units(self, key: Any, kind: str) -> Iterable[str]:
        return (unit(key, axis, kind) for axis in AXES)

    def _frame_names(self, key: Any) -> str:
        return str(key.name)


def express(thing: Any, frame: Frame) -> Any:
    """A vector or dyad as one term in a frame: `thing.express(frame)`.

    >>> m = sb.Model("m")
    >>> theta = m.coordinate("theta")
    >>> A = m.ground.rotate("z", theta)
    >>> sb.bodies.express(A.x, m.ground)
    ground.vector(cos(theta), sin(theta), 0)

    See also: `Vector`, `Frame`.
    """
    if not isinstance(thing, Tensor) and not hasattr(thing, "express"):
        raise ModelError(f"express: expected a vector or a dyad, got {shown(thing)}")
    return thing.express(frame)


def axial(dyad: Dyad) -> Vector:
    """The vector a with ã = ½ (D - Dᵀ), the inverse of `skew`: `axial(a.skew()) == a`.

    >>> N = sb.Model("m").ground
    >>> a = 2 * N.x - N.z
    >>> sb.bodies.axial(a.skew()).in_ground
    vector(2, 0, -1)

    See also: `skew`, `bodies.Dyad`.
    """
    if not isinstance(dyad, Dyad):
        raise ModelError(f"axial: expected a dyad such as a.skew() or a.outer(b), got {shown(dyad)}")
    out = Vector({})
    for (f, g), m in dyad.terms.items():
        d = m if f is g else m @ g.rotation_in(f).matrix.T
        out = out + Vector({f: HALF * vector(d[2, 1] - d[1, 2], d[0, 2] - d[2, 0], d[1, 0] - d[0, 1])})
    return out


def a_vector(operation: str, thing: Any) -> Vector:
    """Refuse anything that is not a vector."""
    if not isinstance(thing, Vector):
        raise ModelError(f"{operation}: expected a vector such as frame.vector(x, y, z), got {shown(thing)}")
    return thing


def _turns_with(f: Frame, home: Frame, symbols: Iterable[Symbol]) -> bool:
    """Whether the rotation between two frames depends on one of some symbols."""
    return not set(free_symbols(*f.rotation_in(home).written)).isdisjoint(symbols)


def _meet(f: Frame, a: Matrix, g: Frame, b: Matrix) -> tuple[Frame, tuple[Matrix, Matrix]]:
    """Two terms in a common frame: that of the term with fewer zeros, so that the sparser one is rotated; one along the
    rotation axis is unchanged."""
    if f is g:
        return f, (a, b)
    if _is_along_axis(a) and _keeps(f.rotation_in(g), a):
        return g, (a, b)
    if _is_along_axis(b) and _keeps(g.rotation_in(f), b):
        return f, (a, b)
    if sum(e is ZERO for e in a.entries) > sum(e is ZERO for e in b.entries):
        return g, (f.rotation_in(g).outwards(a), b)
    return f, (a, g.rotation_in(f).outwards(b))


def _is_along_axis(v: Matrix) -> bool:
    return v.entries.count(ZERO) == 2


def _keeps(rotation: Rotation, v: Matrix) -> bool:
    """Whether a rotation leaves a vector along an axis as it is."""
    turns = [x for x in rotation.factors if not isinstance(x, Turn) or v.entries[x.axis] is ZERO]
    if not turns:
        return True
    if len(rotation.factors) == 1 and isinstance(turns[0], Turn):
        return cos(turns[0].angle) is ONE
    return rotation.outwards(v) == v
