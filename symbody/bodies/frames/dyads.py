"""Dyads: linear maps of vectors, as sums of products a b of two vectors; an inertia tensor is one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar, overload

from ...algebra.calculus.derivatives import time_derivative
from ...algebra.graph.matrix import Matrix, skew, zeros
from ...errors import ModelError, shown
from .frame_tree import a_frame
from .tensors import AXES, Tensor, unit

if TYPE_CHECKING:
    from .frames import Frame
    from .vectors import Vector

V = TypeVar("V", bound="Vector")


class Dyad(Tensor):
    """A sum of dyads, each between two frames: (a b) · v = a (b · v).

    Made by `frame.dyad(matrix)`, `a.outer(b)`, `a.skew()`, `body.inertia()`. Methods `dot`, `cross`, `transposed`,
    `express`, `components`, `dt`.

    >>> m = sb.Model("dyads")
    >>> N = m.ground
    >>> D = N.x.outer(N.y)
    >>> D.dot(N.y).in_ground, D.transposed().dot(N.x).in_ground
    (vector(1, 0, 0), vector(0, 1, 0))

    See also: `Vector`, `bodies.axial`, `Body`.
    """

    __slots__ = ()
    kind: ClassVar[str] = "dyad"
    terms: Mapping[tuple[Frame, Frame], Matrix]

    @overload
    def dot(self, other: Dyad) -> Dyad: ...
    @overload
    def dot(self, other: V) -> V: ...
    def dot(self, other: Any) -> Any:
        """D · v, a vector; D · E of two dyads, a dyad: (D · E) · v = D · (E · v).

        >>> N = sb.Model("m").ground
        >>> D = N.dyad([1, 2, 0, 0, 3, 0, 0, 0, 4])
        >>> D.dot(N.y).in_ground, D.dot(D).components(N)
        (vector(2, 3, 0), matrix([[1, 8, 0], [0, 9, 0], [0, 0, 16]]))
        >>> D.cross(N.z).dot(N.x) == D.dot(N.z.cross(N.x)), D.crossed_by(N.z).dot(N.x) == N.z.cross(D.dot(N.x))
        (True, True)

        See also: `Vector.dot`, `bodies.Dyad.transposed`.
        """
        if isinstance(other, Dyad):
            return self._dot_dyad(other)
        out = type(_with_components("dot", other))({})
        for (f, g), m in self.terms.items():
            out = out + type(other)({f: m @ other.components(g)})
        return out

    def _dot_dyad(self, other: Dyad) -> Dyad:
        out = Dyad({})
        for (f, g), m in self.terms.items():
            for (h, k), n in other.terms.items():
                out = out + Dyad({(f, k): m @ (n if g is h else h.rotation_in(g).matrix @ n)})
        return out

    def cross(self, v: Vector) -> Dyad:
        """D × v, a dyad: (a b) × v = a (b × v), so that (D × v) · w = D · (v × w)."""
        _with_components("cross", v)
        return Dyad({(f, g): m @ skew(v.components(g)) for (f, g), m in self.terms.items()})

    def crossed_by(self, v: Vector) -> Dyad:
        """v × D, a dyad: v × (a b) = (v × a) b, so that (v × D) · w = v × (D · w); written `v.cross(D)`."""
        return Dyad({(f, g): skew(v.components(f)) @ m for (f, g), m in self.terms.items()})

    def __and__(self, other: Any) -> Any:
        return self.dot(other)

    def __xor__(self, v: Vector) -> Dyad:
        return self.cross(v)

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
        """The same dyad as one term in a frame.

        >>> m = sb.Model("m")
        >>> a = m.coordinate("a")
        >>> A = m.ground.rotate("z", a)
        >>> D = A.x.outer(A.x)
        >>> D.express(m.ground).components(m.ground)[0, 0], D.dt().components(A)
        (cos(a)**2, matrix([[0, a_dot, 0], [a_dot, 0, 0], [0, 0, 0]]))

        See also: `bodies.Dyad.components`, `Vector.express`.
        """
        return Dyad({(a_frame(frame), frame): self.components(frame)})

    def dt(self, frame: Frame | None = None) -> Dyad:
        """Time derivative seen from a frame (the ground by default): D' + ω × D - D × ω, each side with the ω of its
        frame (Lennartsson eq. 4.5)."""
        out = Dyad({})
        for (f, g), m in self.terms.items():
            left, right = f.angular_velocity(frame).components(f), g.angular_velocity(frame).components(g)
            out = out + Dyad({(f, g): time_derivative(m) + skew(left) @ m - m @ skew(right)})
        return out

    def _units(self, key: Any, kind: str) -> Iterable[str]:
        between = {"latex": r"\,", "code": "|", "text": " "}.get(kind, "")
        pairs = (unit(key[0], a, kind) + between + unit(key[1], b, kind) for a in AXES for b in AXES)
        return (f"({p})" for p in pairs) if kind == "code" else pairs

    def _frame_names(self, key: Any) -> str:
        f, g = key
        return f.name if f is g else f"{f.name} {g.name}"


def _with_components(operation: str, thing: Any) -> Any:
    if not isinstance(thing, Tensor) or isinstance(thing, Dyad):
        raise ModelError(f"{operation}: expected a vector such as frame.vector(x, y, z), got {shown(thing)}")
    return thing
