"""System vectors: the vectors of a whole system in a row, such as velocities and angular velocities of all bodies, or
the forces and torques that go with them (Lesser's K-vectors; Lennartsson 3.3 and appendix A, KMvec)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from ...algebra.graph.graph import ZERO, Expr, Symbol
from ...algebra.graph.matrix import Matrix
from ...algebra.graph.matrix import vector as column
from ...errors import ModelError, shown
from .dyads import Dyad
from .frame_tree import Immutable
from .tensors import Tensor
from .vectors import Vector

if TYPE_CHECKING:
    from .frames import Frame


class SystemVector(Immutable):
    """A list of vectors that are added, multiplied and differentiated together: `SystemVector(v1, v2, w2)`.

        a · b = Σ aₖ · bₖ                    the fat dot product: a power if a are velocities and b forces
        p = a.momentum((m1, m2, I2))         pₖ = mₖ aₖ, or Iₖ · aₖ where Iₖ is a dyad

    so that M_ij = β_i · (momentum of β_j) for tangent vectors β = `v.partial([u1, u2])`.

    >>> m = sb.Model("two")
    >>> u1, u2 = m.speeds("u1 u2")
    >>> N = m.ground
    >>> v = sb.bodies.SystemVector(u1 * N.x, u1 * N.x + u2 * N.y)
    >>> beta = v.partial([u1, u2])
    >>> [[a.dot(b.momentum((2, 3))) for b in beta] for a in beta]  # the mass matrix
    [[5, 0], [0, 3]]

    See also: `Vector`, `derivation.tangent_vectors`, `derivation.partial_velocities`.
    """

    __slots__ = ("vectors",)
    acts_on_scalars = True
    has_products = True
    vectors: tuple[Vector, ...]

    def __init__(self, *vectors: Vector) -> None:
        if wrong := [v for v in vectors if not isinstance(v, Vector)]:
            raise ModelError(
                "system vector: expected vectors such as frame.vector(x, y, z), one after the other, got "
                f"{shown(wrong[0])}"
            )
        object.__setattr__(self, "vectors", tuple(vectors))

    def __len__(self) -> int:
        return len(self.vectors)

    def __iter__(self) -> Iterator[Vector]:
        return iter(self.vectors)

    def __getitem__(self, k: int) -> Vector:
        return self.vectors[k]

    def map(self, change: Callable[[Matrix], Matrix]) -> SystemVector:
        r"""The same with the components of each term changed.

        >>> m = sb.Model("two")
        >>> a = m.coordinate("a")
        >>> A = m.ground.rotate("z", a)
        >>> v = sb.bodies.SystemVector(A.x, m.ground.y)
        >>> v.map(lambda c: 2 * c), v.component_matrices
        (SystemVector(ground'.vector(2, 0, 0), ground.vector(0, 2, 0)), (vector(1, 0, 0), vector(0, 1, 0)))
        >>> v.express(m.ground), v.dt()
        (SystemVector(ground.vector(cos(a), sin(a), 0), ground.vector(0, 1, 0)), SystemVector(ground'.vector(0, a_dot, 0), vector(0)))
        >>> v.latex()[:7]
        '\\begin{'

        See also: `Vector.express`, `Vector.dt`.
        """
        return SystemVector(*(v.map(change) for v in self))

    @property
    def component_matrices(self) -> tuple[Matrix, ...]:
        """The components of each term of each vector."""
        return tuple(m for v in self for m in v.component_matrices)

    # ----------------------------------------------------------------------------------------------- sums and multiples

    def __add__(self, other: Any) -> SystemVector:
        if isinstance(other, (int, float)) and other == 0:  # so that sum(...) works
            return self
        return SystemVector(*(a + b for a, b in self._beside(other, "+")))

    __radd__ = __add__

    def __sub__(self, other: SystemVector) -> SystemVector:
        return SystemVector(*(a - b for a, b in self._beside(other, "-")))

    def __neg__(self) -> SystemVector:
        return SystemVector(*(-v for v in self))

    def __mul__(self, scalar: Any) -> SystemVector:
        if isinstance(scalar, (SystemVector, Tensor)):
            raise ModelError("* is for scalars; use a.dot(b) for two system vectors")
        return SystemVector(*(v * scalar for v in self))

    __rmul__ = __mul__

    def __truediv__(self, scalar: Any) -> SystemVector:
        return SystemVector(*(v / scalar for v in self))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SystemVector) and self.vectors == other.vectors

    __hash__ = None  # type: ignore[assignment]

    # ------------------------------------------------------------------------------------------------ products

    def dot(self, other: SystemVector) -> Expr:
        """Σ aₖ · bₖ."""
        total = ZERO
        for a, b in self._beside(other, "dot"):
            total = total + a.dot(b)
        return total

    def __and__(self, other: SystemVector) -> Expr:
        return self.dot(other)

    def along(self, tangents: Iterable[SystemVector]) -> Matrix:
        """β_i · F for each tangent vector β_i: generalised forces if F are forces, and the equations of motion if F are
        forces minus the rates of momenta (Sophia's &kane).

        >>> m = sb.Model("pendulum")
        >>> q, (mass, l, g) = m.coordinate("q"), m.parameters("m l g", 1.0, 0.5, 9.81)
        >>> v = sb.bodies.SystemVector(m.ground.rotate("z", q).vector(0, -l, 0).dt())
        >>> weight = sb.bodies.SystemVector(m.ground.vector(0, -mass * g, 0))
        >>> sb.tidy((weight - v.momentum([mass]).dt()).along(v.partial([q.dot])))
        vector(-m*l*(g*sin(q) + l*q_ddot))

        See also: `SystemVector.partial`, `derive`.
        """
        return column(*(beta.dot(self) for beta in tangents))

    def momentum(self, inertia: Sequence[Any]) -> SystemVector:
        """pₖ = mₖ vₖ, or Iₖ · ωₖ where the inertia is a dyad (KMMP)."""
        if len(inertia) != len(self):
            raise ModelError(
                f"momentum: {len(self)} vectors need as many masses or inertia dyads, got {len(inertia)}: "
                f"{shown(inertia)}"
            )
        pairs = zip(inertia, self, strict=True)
        return SystemVector(*(I.dot(v) if isinstance(I, Dyad) else v * I for I, v in pairs))

    # ------------------------------------------------------------------------------------------- frames and derivatives

    def express(self, frame: Frame) -> SystemVector:
        """Each vector as one term in a frame."""
        return SystemVector(*(v.express(frame) for v in self))

    def dt(self, frame: Frame | None = None) -> SystemVector:
        """Time derivatives seen from a frame (the ground by default)."""
        return SystemVector(*(v.dt(frame) for v in self))

    def partial(self, symbols: Symbol | Iterable[Symbol], frame: Frame | None = None) -> list[SystemVector]:
        """Partial derivatives, one system vector for each symbol. The derivatives with respect to speeds are the
        tangent vectors of the motion."""
        columns = [v.partial(symbols, frame) for v in self]
        return [SystemVector(*row) for row in zip(*columns, strict=True)]

    # ------------------------------------------------------------------------------------------------ printing

    def __repr__(self) -> str:
        return f"SystemVector({', '.join(map(repr, self))})"

    def __str__(self) -> str:
        return "\n".join(map(str, self))

    def latex(self) -> str:
        """One vector under the other."""
        return r"\begin{bmatrix}" + r"\\".join(v.latex() for v in self) + r"\end{bmatrix}"

    def _repr_latex_(self) -> str:
        return f"${self.latex()}$"

    def _repr_html_(self) -> str:
        return "".join(v._repr_html_() for v in self)

    def _beside(self, other: Any, operation: str) -> Iterator[tuple[Vector, Vector]]:
        if not isinstance(other, SystemVector) or len(other) != len(self):
            raise ModelError(
                f"system vector {operation} ...: expected a system vector of {len(self)} vectors, got {shown(other)}"
            )
        return zip(self, other, strict=True)
