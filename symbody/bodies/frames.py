"""Frames, points, vectors and dyads.

Frames hang on frames in a tree whose root is the ground. A vector is a sum of terms, each kept in the frame where it was written, until
components are asked for (Lennartsson's partitioned vectors, thesis 5.2): that keeps expressions small. Time derivatives are taken
with `q.dot` as the rate of a coordinate q.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from types import MappingProxyType
from typing import Any, overload

from ..algebra.derivatives import jacobian, time_derivative
from ..algebra.functions import sqrt
from ..algebra.graph import ZERO, Expr, Symbol, as_expr
from ..algebra.matrix import Matrix, as_matrix, cross, dot, vector, zeros
from ..algebra.node_table import check_node_limit
from ..algebra.numpy_calls import array_ufunc
from ..algebra.portable import Portable
from ..algebra.printing import outline
from ..algebra.walk import free_symbols
from ..errors import ExpressionError, ModelError, shown
from .rotations import Rotation, Turn, about, from_cosines, from_euler_parameters, sequence


def three(components: Any, what: str) -> Matrix:
    """Three scalars as a column."""
    try:
        v = as_matrix(list(components))
    except (TypeError, ExpressionError):
        v = zeros(0)
    if v.shape != (3, 1):
        raise ModelError(f"{what}: needs three components, got {shown(components)}")
    return v


class Immutable(Portable):
    """Attributes are set once, through `__dict__` or `object.__setattr__`, and cannot be assigned afterwards."""

    __slots__ = ()

    def __setattr__(self, name: str, value: Any) -> None:
        raise ModelError(f"{type(self).__name__.lower()} {self!r}: {name} cannot be changed; make a new one")

    def __delattr__(self, name: str) -> None:
        raise ModelError(f"{type(self).__name__.lower()} {self!r}: {name} cannot be removed")


class Frame(Immutable):
    """A frame F: where it stands in its parent P.

    rotation   R_PF
    offset     position of the origin of F in P, in components of P

    It does not change, but for two things: one that hangs on nothing is placed once (`hang_on`), and the model may give it another name
    (`rename`) until it is part of a `Mechanism`.
    """

    parent: Frame | None
    rotation: Rotation
    offset: Matrix
    name: str
    is_ground: bool
    _is_frozen: bool
    _path: tuple[Frame, ...]
    _rotations: dict[Frame, Rotation]

    def __init__(
        self,
        parent: Frame | None,
        rotation: Rotation = Rotation(),  # noqa: B008  (immutable)
        offset: Matrix | None = None,
        name: str | None = None,
        is_ground: bool = False,
    ) -> None:
        self.__dict__.update(
            parent=parent,
            rotation=rotation,
            offset=zeros(3) if offset is None else offset,
            name=name or (f"{parent.name}'" if parent else "frame"),
            is_ground=is_ground,
            _is_frozen=False,
            _path=(),
            _rotations={},
        )

    def __repr__(self) -> str:
        return f"<Frame {self.name}{f' on {self.parent.name}' if self.parent is not None else ''}>"

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_path": (), "_rotations": {}}

    def before(self) -> tuple[Frame, ...]:
        """Some of the frames on the way to the root."""
        return self.path[:-1:16]

    def rename(self, name: str) -> None:
        """Give it another name."""
        if self._is_frozen:
            raise ModelError(
                f"frame {self.name} keeps its name: it is part of a mechanism; name a frame of its own, frame.translate(0, 0, 0)"
            )
        self.__dict__["name"] = name

    def freeze(self) -> None:
        """It is part of a mechanism from now on, and keeps its name."""
        self.__dict__["_is_frozen"] = True

    # ------------------------------------------------------------------------------------------------ making frames

    def translate(self, x: Any, y: Any = None, z: Any = None, name: str | None = None) -> Frame:
        """A frame moved by components along this one's axes, or with its origin at a point."""
        offset = x.in_frame(self).coordinates if isinstance(x, Point) else vector(x, y, z)
        return Frame(self, offset=offset, name=name)

    def rotate(self, axis: Any, *angles: Any, name: str | None = None) -> Frame:
        """A frame turned about "x", "y", "z" or any axis; or by a sequence: `rotate("zxz", a, b, c)`, `rotate("cardan", ...)`."""
        if isinstance(axis, str) and len(angles) != 1:
            turns = sequence(axis, angles).factors
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
        """A frame whose axes are the columns of a matrix of direction cosines."""
        return Frame(self, from_cosines(entries, f"frame {name or ''}".strip()), name=name)

    def rotate_by_euler_parameters(self, e: Iterable[Any], spin: Any = None, name: str | None = None) -> Frame:
        """A frame turned by Euler parameters (scalar first, of norm one). `spin` gives its angular velocity by speeds of its own."""
        given = None if spin is None else three(spin, "spin")
        four = list(e) if isinstance(e, Iterable) else [e]
        return Frame(self, from_euler_parameters(four, given, f"frame {name or ''}".strip()), name=name)

    # ------------------------------------------------------------------------------------------------ vectors and points

    def vector(self, x: Any, y: Any, z: Any) -> Vector:
        """The vector with these components in this frame."""
        return Vector({self: vector(x, y, z)})

    @cached_property
    def x(self) -> Vector:
        return self.vector(1, 0, 0)

    @cached_property
    def y(self) -> Vector:
        return self.vector(0, 1, 0)

    @cached_property
    def z(self) -> Vector:
        return self.vector(0, 0, 1)

    def point(self, x: Any = 0, y: Any = 0, z: Any = 0) -> Point:
        """The point with these coordinates in this frame."""
        return Point(self, vector(x, y, z))

    @cached_property
    def origin(self) -> Point:
        return self.point()

    # ------------------------------------------------------------------------------------------------ the tree

    def hang_on(self, parent: Frame, rotation: Rotation, offset: Matrix) -> None:
        """Place a root frame on a parent; possible once."""
        if self.parent is not None or self.is_ground:
            raise ModelError(
                f"frame {self.name} is placed already{f', on {self.parent.name}' if self.parent else ''}; a frame has one place"
            )
        self.__dict__.update(parent=parent, rotation=rotation, offset=offset)

    @property
    def path(self) -> tuple[Frame, ...]:
        """From the root to this frame."""
        if self._path:
            return self._path
        frames: list[Frame] = []
        f: Frame | None = self
        while f is not None:
            frames.append(f)
            f = f.parent
        path = tuple(reversed(frames))
        if path[0].is_ground:  # a tree that does not stand on the ground yet may still grow at its root
            self.__dict__["_path"] = path
        return path

    @property
    def depth(self) -> int:
        return len(self.path) - 1

    @property
    def root(self) -> Frame:
        return self.path[0]

    def common_ancestor(self, other: Frame) -> Frame:
        a_frame(other)
        found = None
        for a, b in zip(self.path, other.path, strict=False):
            if a is not b:
                break
            found = a
        if found is None:
            for f in (self, other):
                if not f.root.is_ground:
                    raise ModelError(
                        f"frames {self.name} and {other.name} are not connected: {f.name} does not stand on the ground yet; place its body by a joint first"
                    )
            raise ModelError(f"frames {self.name} and {other.name} belong to different models")
        return found

    def rotation_in(self, other: Frame) -> Rotation:
        """The rotation that carries components in this frame to components in another; its matrix is also known as direction cosine matrix (dcm)."""
        if a_frame(other) not in self._rotations:
            top = self.common_ancestor(other)
            self._rotations[other] = _down(top, other).inverse @ _down(top, self)
        return self._rotations[other]

    # ------------------------------------------------------------------------------------------------ motion

    @cached_property
    def spin(self) -> Matrix:
        """Angular velocity in the parent, in own components."""
        return self.rotation.spin()

    @cached_property
    def angular_velocity_components(self) -> Matrix:
        """Absolute angular velocity, in own components."""
        if not self.root.is_ground:
            raise ModelError(f"frame {self.name} does not stand on the ground yet: place its body by a joint first")
        w = zeros(3)
        for f in self.path[1:]:
            if "angular_velocity_components" in f.__dict__:
                w = f.angular_velocity_components
            else:
                w = f.rotation.inwards(w) + f.spin
                f.__dict__["angular_velocity_components"] = w
        return w

    def angular_velocity(self, frame: Frame | None = None) -> Vector:
        """Angular velocity in another frame (the ground by default)."""
        other = self.root if frame is None else a_frame(frame)
        top = self.common_ancestor(other)
        out = Vector({f: f.spin for f in self.path[top.depth + 1 :]})
        return out - Vector({f: f.spin for f in other.path[top.depth + 1 :]})

    def angular_acceleration(self, frame: Frame | None = None) -> Vector:
        """Time derivative of the angular velocity, in the same frame."""
        return self.angular_velocity(frame).dt(self.root if frame is None else frame)


def a_frame(thing: Any) -> Frame:
    """Refuse what is no frame."""
    if not isinstance(thing, Frame):
        inside = "; its frame is its attribute .frame" if isinstance(getattr(thing, "frame", None), Frame) else ""
        raise ModelError(f"expected a frame, got {shown(thing)}{inside}")
    return thing


def _down(top: Frame, to: Frame) -> Rotation:
    """The rotation from a frame to one that hangs on it."""
    out = Rotation()
    for f in to.path[top.depth + 1 :]:
        out = out @ f.rotation
    return out


class Vector(Immutable):
    """A sum of terms, each in its own frame. Operators + - * /, methods `dot`, `cross`, `express`, `components`, `dt`."""

    __slots__ = ("terms",)
    acts_on_scalars = True
    __array_ufunc__ = array_ufunc
    terms: Mapping[Frame, Matrix]

    def __init__(self, terms: Mapping[Frame, Matrix]) -> None:
        check_node_limit()
        kept = {f: c for f, c in terms.items() if any(e is not ZERO for e in c.entries)}
        object.__setattr__(self, "terms", MappingProxyType(kept))

    def __add__(self, other: Any) -> Vector:
        if isinstance(other, Point):
            return NotImplemented
        if other == 0 and not isinstance(other, Vector):  # so that sum(vectors) works
            return self
        if not isinstance(other, Vector):
            raise ModelError(f"a vector cannot be added to {shown(other)}")
        terms = dict(self.terms)
        for f, c in other.terms.items():
            terms[f] = terms[f] + c if f in terms else c
        return Vector(terms)

    __radd__ = __add__

    def __neg__(self) -> Vector:
        return Vector({f: -c for f, c in self.terms.items()})

    def map(self, change: Callable[[Matrix], Matrix]) -> Vector:
        """The same with the components in each frame changed."""
        return Vector({f: change(c) for f, c in self.terms.items()})

    def __sub__(self, other: Vector) -> Vector:
        if not isinstance(other, Vector):
            raise ModelError(f"{shown(other)} cannot be taken from a vector")
        terms = dict(self.terms)
        for f, c in other.terms.items():
            terms[f] = terms[f] - c if f in terms else -c
        return Vector(terms)

    def __mul__(self, scalar: Any) -> Vector:
        if isinstance(scalar, Vector):
            raise ModelError("* is for scalars; use a.dot(b), a.cross(b) or a.outer(b) for two vectors")
        return Vector({f: c * scalar for f, c in self.terms.items()})

    __rmul__ = __mul__

    def __truediv__(self, scalar: Any) -> Vector:
        return Vector({f: c / scalar for f, c in self.terms.items()})

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Vector) and self.terms == other.terms

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return " + ".join(f"{f.name}.{outline(c)}" for f, c in self.terms.items()) or "vector(0, 0, 0)"

    def components(self, frame: Frame) -> Matrix:
        """The three components in a frame, as a column."""
        out = zeros(3)
        for f, c in self.terms.items():
            out = out + (c if f is frame else f.rotation_in(frame).outwards(c))
        return out

    @property
    def in_ground(self) -> Matrix:
        """The three components in the ground, as a column."""
        return next((self.components(f.root) for f in self.terms), zeros(3))

    def express(self, frame: Frame) -> Vector:
        """The same vector as one term in a frame."""
        return Vector({a_frame(frame): self.components(frame)})

    @overload
    def dot(self, other: Vector) -> Expr: ...
    @overload
    def dot(self, other: Dyad) -> Vector: ...
    def dot(self, other: Vector | Dyad) -> Expr | Vector:
        """a · b of two vectors, a scalar; a · D of a dyad, a vector."""
        if isinstance(other, Dyad):
            return other.transposed().dot(self)
        return self._product(_a_vector("dot", other), dot, as_expr(0))

    def cross(self, other: Vector) -> Vector:
        _a_vector("cross", other)
        out = Vector({})
        for f, a in self.terms.items():
            for g, b in other.terms.items():
                home, (x, y) = _meet(f, a, g, b)
                out = out + Vector({home: cross(x, y)})
        return out

    def _product(self, other: Vector, product: Callable[[Matrix, Matrix], Any], start: Any) -> Any:
        for f, a in self.terms.items():
            for g, b in other.terms.items():
                start = start + product(*_meet(f, a, g, b)[1])
        return start

    def outer(self, other: Vector) -> Dyad:
        """The dyad a b: (a b) · c = a (b · c)."""
        _a_vector("outer", other)
        return Dyad({(f, g): a @ b.T for f, a in self.terms.items() for g, b in other.terms.items()})

    def magnitude(self) -> Expr:
        return sqrt(self.dot(self))

    def dt(self, frame: Frame | None = None) -> Vector:
        """Time derivative seen from a frame (the ground by default)."""
        out = Vector({})
        for f, c in self.terms.items():
            rate = Vector({f: time_derivative(c)})
            out = out + rate + f.angular_velocity(frame).cross(Vector({f: c}))
        return out

    def partial(self, symbols: Symbol | Iterable[Symbol], frame: Frame | None = None) -> list[Vector]:
        """Partial derivatives with respect to symbols, seen from a frame (the ground by default), whose axes are held.

        With respect to speeds these are partial velocities, of a velocity or angular velocity, whatever the frame.
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


def _a_vector(operation: str, thing: Any) -> Vector:
    if not isinstance(thing, Vector):
        raise ModelError(f"{operation}: expected a vector such as frame.vector(x, y, z), got {shown(thing)}")
    return thing


def _turns_with(f: Frame, home: Frame, symbols: Iterable[Symbol]) -> bool:
    """Whether the rotation between two frames depends on one of some symbols."""
    factors = f.rotation_in(home).factors
    inside = free_symbols(*(x.angle if isinstance(x, Turn) else x.matrix for x in factors))
    return not set(inside).isdisjoint(symbols)


def _meet(f: Frame, a: Matrix, g: Frame, b: Matrix) -> tuple[Frame, tuple[Matrix, Matrix]]:
    """Two terms in a common frame: that of the term with fewer zeros, so that the sparser one is rotated; one along the rotation axis is unchanged."""
    if f is g:
        return f, (a, b)
    if _is_along_axis(a) and (turned := f.rotation_in(g).outwards(a)) == a:
        return g, (turned, b)
    if _is_along_axis(b) and (turned := g.rotation_in(f).outwards(b)) == b:
        return f, (a, turned)
    if sum(e is ZERO for e in a.entries) > sum(e is ZERO for e in b.entries):
        return g, (f.rotation_in(g).outwards(a), b)
    return f, (a, g.rotation_in(f).outwards(b))


def _is_along_axis(v: Matrix) -> bool:
    return sum(e is ZERO for e in v.entries) == 2


class Dyad(Immutable):
    """A sum of dyads, each between two frames; an inertia tensor is one."""

    __slots__ = ("terms",)
    acts_on_scalars = True
    __array_ufunc__ = array_ufunc
    terms: Mapping[tuple[Frame, Frame], Matrix]

    def __init__(self, terms: Mapping[tuple[Frame, Frame], Matrix]) -> None:
        object.__setattr__(self, "terms", MappingProxyType(dict(terms)))

    def __add__(self, other: Any) -> Dyad:
        if other == 0 and not isinstance(other, Dyad):  # so that sum(dyads) works
            return self
        if not isinstance(other, Dyad):
            raise ModelError(f"a dyad cannot be added to {shown(other)}")
        terms = dict(self.terms)
        for k, m in other.terms.items():
            terms[k] = terms[k] + m if k in terms else m
        return Dyad(terms)

    __radd__ = __add__

    def __neg__(self) -> Dyad:
        return Dyad({k: -m for k, m in self.terms.items()})

    def map(self, change: Callable[[Matrix], Matrix]) -> Dyad:
        """The same with the components between each two frames changed."""
        return Dyad({k: change(m) for k, m in self.terms.items()})

    def __sub__(self, other: Dyad) -> Dyad:
        return self + (-other)

    def __mul__(self, scalar: Any) -> Dyad:
        return Dyad({k: m * scalar for k, m in self.terms.items()})

    __rmul__ = __mul__

    def __truediv__(self, scalar: Any) -> Dyad:
        return Dyad({k: m / scalar for k, m in self.terms.items()})

    @overload
    def dot(self, other: Vector) -> Vector: ...
    @overload
    def dot(self, other: Dyad) -> Dyad: ...
    def dot(self, other: Vector | Dyad) -> Vector | Dyad:
        """D · v, a vector; D · E of two dyads, a dyad: (D · E) · v = D · (E · v)."""
        if isinstance(other, Dyad):
            return self._dot_dyad(other)
        _a_vector("dot", other)
        out = Vector({})
        for (f, g), m in self.terms.items():
            out = out + Vector({f: m @ other.components(g)})
        return out

    def _dot_dyad(self, other: Dyad) -> Dyad:
        out = Dyad({})
        for (f, g), m in self.terms.items():
            for (h, k), n in other.terms.items():
                out = out + Dyad({(f, k): m @ (n if g is h else h.rotation_in(g).matrix @ n)})
        return out

    def transposed(self) -> Dyad:
        """The dyad with a b in place of b a: Dᵀ · v = v · D."""
        return Dyad({(g, f): m.T for (f, g), m in self.terms.items()})

    def components(self, frame: Frame) -> Matrix:
        """The 3 by 3 matrix in a frame."""
        out = zeros(3, 3)
        for (f, g), m in self.terms.items():
            left = m if f is frame else f.rotation_in(frame).matrix @ m
            out = out + (left if g is frame else left @ g.rotation_in(frame).matrix.T)
        return out

    def express(self, frame: Frame) -> Dyad:
        return Dyad({(frame, frame): self.components(frame)})

    def __repr__(self) -> str:
        return " + ".join(f"{f.name} {g.name}.{outline(m)}" for (f, g), m in self.terms.items()) or "dyad(0)"


class Point(Immutable):
    """A point: a frame and coordinates in it, which may move."""

    __slots__ = ("coordinates", "frame")
    frame: Frame
    coordinates: Matrix

    def __init__(self, frame: Frame, coordinates: Matrix) -> None:
        object.__setattr__(self, "frame", frame)
        object.__setattr__(self, "coordinates", coordinates)

    def __repr__(self) -> str:
        return f"{self.frame.name}.point({', '.join(outline(e) for e in self.coordinates.entries)})"

    def __add__(self, v: Vector) -> Point:
        _a_vector("point + ...", v)
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
        """From the origin of a frame (the ground by default) to this point, one term for each frame on the way."""
        return self._from_origin_of(self.frame.root) if frame is None else self - a_frame(frame).origin

    def _from_origin_of(self, ancestor: Frame) -> Vector:
        """From the origin of a frame on which this point's frame hangs."""
        terms = Vector({self.frame: self.coordinates})
        for f in self.frame.path[ancestor.depth + 1 :]:
            terms = terms + Vector({f.parent: f.offset})  # type: ignore[dict-item]
        return terms

    @property
    def in_ground(self) -> Matrix:
        """The three coordinates in the ground, as a column."""
        return self.position().components(self.frame.root)

    def in_frame(self, frame: Frame) -> Point:
        """The same place with coordinates in another frame."""
        return Point(frame, (self - a_frame(frame).origin).components(frame))

    def velocity(self, frame: Frame | None = None) -> Vector:
        """Velocity in a frame (the ground by default): absolute velocity."""
        if frame is not None and frame is not self.frame.root:
            return (self - a_frame(frame).origin).dt(frame)
        return self.transport_velocity() + self.relative_velocity()

    def relative_velocity(self) -> Vector:
        """Velocity in the point's own frame."""
        return Vector({self.frame: time_derivative(self.coordinates)})

    def transport_velocity(self) -> Vector:
        """Velocity of that point of the frame which is momentarily at the same place ("eulerian" velocity, MBSymba eq. 4)."""
        out = Vector({self.frame: cross(self.frame.angular_velocity_components, self.coordinates)})
        for f in self.frame.path[1:]:
            assert f.parent is not None
            turning = cross(f.parent.angular_velocity_components, f.offset)
            out = out + Vector({f.parent: time_derivative(f.offset) + turning})
        return out

    def acceleration(self, frame: Frame | None = None) -> Vector:
        """Time derivative of the velocity, in the same frame."""
        return self.velocity(frame).dt(frame)
