"""The algebra that vectors and dyads have in common: sums of terms, each kept in the frames where it was written.

Nothing is expressed in another frame until components are requested (Lennartsson's partitioned vectors, thesis 5.2):
that keeps expressions small. Functions that take whatever holds matrices (`substitute`, `free_symbols`, `tidy`,
`simplified`) find them in `component_matrices` and `map`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Any, ClassVar, Self

from ...algebra.graph.graph import ZERO, Expr
from ...algebra.graph.matrix import Matrix
from ...algebra.graph.node_table import check_node_limit
from ...algebra.graph.numpy_calls import array_ufunc
from ...algebra.printing.formulas import STYLES
from ...algebra.printing.printing import MAX_LINES, linear_combination, outline
from ...display import ShownFormula, html
from ...errors import ModelError, shown
from ...escaping import in_html
from .frame_tree import Immutable

AXES: tuple[str, str, str] = ("x", "y", "z")
HAT = "\u0302"  # combining circumflex


class Tensor(Immutable):
    """A sum of terms: components by the frames they are in. Operators + - * /; & (dot), ^ (cross) and | (outer product)
    bind weaker than these: write them in brackets."""

    __slots__ = ("terms",)
    acts_on_scalars = True
    has_products = True
    __array_ufunc__ = array_ufunc
    terms: Mapping[Any, Matrix]
    kind: ClassVar[str]

    def __init__(self, terms: Mapping[Any, Matrix]) -> None:
        check_node_limit()
        kept = {f: c for f, c in terms.items() if any(e is not ZERO for e in c.entries)}
        object.__setattr__(self, "terms", MappingProxyType(kept))

    def map(self, change: Callable[[Matrix], Matrix]) -> Self:
        r"""The same with the components of each term changed.

        >>> N = sb.Model("m").ground
        >>> a = sb.symbol("a")
        >>> v = N.vector(sb.sin(a) ** 2 + sb.cos(a) ** 2, a, 0)
        >>> v.map(lambda c: 2 * c), v.component_matrices, v.latex()[:13]
        (ground.vector(2, 2*a, 0), (vector(1, a, 0),), '\\hat{\\mathbf{')

        See also: `substitute`, `tidy`.
        """
        return type(self)({f: change(c) for f, c in self.terms.items()})

    @property
    def component_matrices(self) -> tuple[Matrix, ...]:
        """The components of each term."""
        return tuple(self.terms.values())

    # ----------------------------------------------------------------------------------------------- sums and multiples

    def __add__(self, other: Any) -> Self:
        if getattr(other, "adds_vectors", False):
            return NotImplemented
        if not isinstance(other, type(self)):
            if isinstance(other, (int, float)) and other == 0:  # so that sum(vectors) works
                return self
            raise ModelError(f"a {self.kind} cannot be added to {shown(other)}")
        terms = dict(self.terms)
        for f, c in other.terms.items():
            terms[f] = terms[f] + c if f in terms else c
        return type(self)(terms)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Self:
        if not isinstance(other, type(self)):
            raise ModelError(f"{shown(other)} cannot be taken from a {self.kind}")
        terms = dict(self.terms)
        for f, c in other.terms.items():
            terms[f] = terms[f] - c if f in terms else -c
        return type(self)(terms)

    def __neg__(self) -> Self:
        return self.map(lambda c: -c)

    def __mul__(self, scalar: Any) -> Self:
        if isinstance(scalar, Tensor):
            raise ModelError(
                f"* is for scalars; use a.dot(b), a.cross(b) or a.outer(b) for a {self.kind} and a {scalar.kind}"
            )
        return self.map(lambda c: c * scalar)

    __rmul__ = __mul__

    def __truediv__(self, scalar: Any) -> Self:
        return self.map(lambda c: c / scalar)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, type(self)) and self.terms == other.terms

    __hash__ = None  # type: ignore[assignment]

    # ------------------------------------------------------------------------------------------------ printing

    def _units(self, key: Any, kind: str) -> Iterable[str]:
        """The unit vectors or dyads of the components of a term, as "code", "text", "latex" or "mathml"."""
        raise NotImplementedError

    def _combination(self, kind: str, lines: int | None) -> str:
        pairs: list[tuple[Expr, str]] = []
        for key, c in self.terms.items():
            units = self._units(key, kind)
            pairs += [(e, unit) for e, unit in zip(c.entries, units, strict=True) if e is not ZERO]
        return linear_combination(pairs, STYLES[kind], lines)

    def latex(self, lines: int | None = MAX_LINES) -> str:
        """As a sum of unit vectors, or of products of two, with at most so many lines of intermediates."""
        return self._combination("latex", lines)

    def __str__(self) -> str:
        return self._combination("code", MAX_LINES)

    def __repr__(self) -> str:
        return " + ".join(f"{self._frame_names(f)}.{outline(c)}" for f, c in self.terms.items()) or f"{self.kind}(0)"

    def _frame_names(self, key: Any) -> str:
        """The frames of a term."""
        raise NotImplementedError

    def _repr_latex_(self) -> str:
        return f"${self.latex()}$"

    def _repr_html_(self) -> str:
        return html([ShownFormula(lambda kind: self._combination(kind, MAX_LINES))])


def unit(frame: Any, axis: str, kind: str) -> str:
    """A unit vector of a frame: `A.x` in code, else its letter under a hat."""
    if kind == "latex":
        return rf"\hat{{\mathbf{{{axis}}}}}_{{{frame.latex()}}}"
    if kind == "mathml":
        index = f'<mi mathvariant="normal">{in_html(frame.name)}</mi>'
        return f'<msub><mi mathvariant="bold">{axis}{HAT}</mi>{index}</msub>'
    return f"{axis}{HAT}_{frame.name}" if kind == "text" else f"{frame.name}.{axis}"
