"""Second-order form of a linear system, with symmetric and skew parts separated."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from ...algebra.graph.graph import ONE, ZERO, Expr, Symbol
from ...algebra.graph.matrix import Matrix
from ...algebra.printing.formulas import formula
from ...algebra.printing.printing import outline
from ...argument_kinds import answered_class
from ...derivation.equations.keywords import values_by_name
from ...display import DisplayPart
from ...emit.run.callable import Array
from ...errors import StabilityError, in_number, listed
from ...summary import Summarized, Summary, listing, summary_rows
from ..variation.parameter_samples import array, arrays, sample_at, vanishing
from .state_choice import submatrix

if TYPE_CHECKING:
    from .linear_system import LinearSystem


class SecondOrderMatrices(NamedTuple):
    """The matrices of a second-order form as arrays."""

    M: Array
    D: Array
    G: Array
    K: Array
    N: Array
    B: Array
    B1: Array
    B2: Array


@answered_class
@dataclass(frozen=True, repr=False)
class SecondOrder(Summarized):
    """M q'' + (D + G) q' + (K + N) q = B r + B1 r' + B2 r'': M, D and K symmetric (mass, damping, stiffness), G and N
    skew (gyroscopic, circulatory). `matrices(V=20)` returns arrays; `system` is the linear system of origin.

    >>> m = sb.Model("oscillator")
    >>> k = m.parameter("k", 4.0)
    >>> joint = m.prismatic("x", m.ground, m.body("cart", mass=2), stiffness=k, damping=3)
    >>> found = sb.linearize(sb.derive(m), {}).second_order()
    >>> found.M, found.D, found.K
    (vector(2), vector(3), vector(k))

    See also: `LinearSystem.second_order`.
    """

    q: tuple[str, ...]
    r: tuple[str, ...]
    M: Matrix
    D: Matrix
    G: Matrix
    K: Matrix
    N: Matrix
    B: Matrix
    B1: Matrix
    B2: Matrix
    system: LinearSystem

    @property
    def kinds(self) -> Mapping[str, str]:
        """The kind of each name: see `LinearSystem.kinds`."""
        return self.system.kinds

    @property
    def name(self) -> str:
        """Name of the linear system."""
        return self.system.name

    @values_by_name(StabilityError)
    def matrices(self, values: Mapping[Any, float] | None = None, **named: float) -> SecondOrderMatrices:
        """The matrices as arrays, at values of the parameters: `form.matrices(V=20)`.

        >>> m = sb.Model("oscillator")
        >>> k = m.parameter("k", 4.0)
        >>> joint = m.prismatic("x", m.ground, m.body("cart", mass=2), stiffness=k, damping=3)
        >>> found = sb.linearize(sb.derive(m), {}).second_order()
        >>> found.matrices(k=5.0).K, found.name, found.kinds["k"]
        (array([[5.]]), 'oscillator', 'parameter')
        """
        things: list[Matrix] = [getattr(self, k) for k in SecondOrderMatrices._fields]
        return SecondOrderMatrices(*arrays(things, self.system.numbers.all_values(values or {}, things)))

    def _summary(self) -> Summary:
        parts = tuple((k, outline(m)) for k, m in self._parts())
        rows = (*summary_rows(coordinates_q=listing(self.q), inputs_r=listing(self.r)), *parts)
        more = "".join(f" + {k} r{dots}" for k, dots in (("B1", "'"), ("B2", "''")) if k in dict(self._parts()))
        return Summary(f"SecondOrder M q'' + (D + G) q' + (K + N) q = B r{more}", rows)

    def _parts(self) -> list[tuple[str, Matrix]]:
        named = [(k, getattr(self, k)) for k in ("M", "D", "G", "K", "N", "B", "B1", "B2")]
        return [(k, m) for k, m in named if m.entries and (k[-1].isalpha() or any(e is not ZERO for e in m.entries))]

    def _folded(self) -> Iterable[tuple[str, DisplayPart]]:
        return ((k, formula(m)) for k, m in self._parts())


def second_order(lin: LinearSystem, coordinates: Sequence[str | Symbol]) -> SecondOrder:
    pairs = _pairs(lin)
    names = [lin.x[lin.numbers.state(c)] for c in coordinates] or list(pairs)
    if wrong := [n for n in names if n not in pairs]:
        raise StabilityError(
            f"linear system {lin.name!r}: {in_number(wrong, 'the rate of {} is not one', 'the rates of {} are not some')} of its states, so that there is no second-order form in "
            f"it; coordinates that have one are {listed(pairs)}"
        )
    wanted = {*names, *(pairs[n] for n in names)}
    if others := [n for n in lin.x if n not in wanted]:
        lin = lin.without(*others)
    q, u = [lin.numbers.state(n) for n in names], [lin.numbers.state(pairs[n]) for n in names]
    C, S = -submatrix(lin.A, u, u), -submatrix(lin.A, u, q)
    (D, G), (K, N) = _parts(lin, C), _parts(lin, S)
    B, B1, B2 = (submatrix(m, u, range(len(lin.r))) for m in (lin.B, lin.B1, lin.B2))
    return SecondOrder(tuple(names), lin.r, submatrix(lin.E, u, u), D, G, K, N, B, B1, B2, lin)


def _pairs(lin: LinearSystem) -> Mapping[str, str]:
    """Coordinates whose row says q' = u, with that state u."""
    out: dict[str, str] = {}
    for i, name in enumerate(lin.x):
        kinematic = all(e is (ONE if j == i else ZERO) for j, e in enumerate(lin.E.row(i)))
        places = [j for j, e in enumerate(lin.A.row(i)) if e is not ZERO]
        if kinematic and len(places) == 1 and lin.A[i, places[0]] is ONE and not _is_driven(lin, i):
            out[name] = lin.x[places[0]]
    return out


def _is_driven(lin: LinearSystem, i: int) -> bool:
    return any(e is not ZERO for m in (lin.B, lin.B1, lin.B2) for e in m.row(i))


def _parts(lin: LinearSystem, m: Matrix) -> tuple[Matrix, Matrix]:
    """Symmetric and skew part. Entries that are mirrored for all parameters are used directly."""
    n = m.rows
    places = [(i, j) for i in range(n) for j in range(i + 1, n)]
    same = _zero(lin, m, [m[i, j] - m[j, i] for i, j in places])
    opposite = _zero(lin, m, [m[i, j] + m[j, i] for i, j in places])
    upper: dict[tuple[int, int], tuple[Expr, Expr]] = {}
    for (i, j), is_same, is_opposite in zip(places, same, opposite, strict=True):
        if is_same:
            upper[i, j] = m[i, j], ZERO
        elif is_opposite:
            upper[i, j] = ZERO, m[i, j]
        else:
            upper[i, j] = (m[i, j] + m[j, i]) / 2, (m[i, j] - m[j, i]) / 2
    diagonal = {(i, i): (m[i, i], ZERO) for i in range(n)}
    entries = {**upper, **diagonal}
    symmetric = [entries[min(i, j), max(i, j)][0] for i in range(n) for j in range(n)]
    skew = [entries[i, j][1] if i <= j else -entries[j, i][1] for i in range(n) for j in range(n)]
    return Matrix(n, n, tuple(symmetric)), Matrix(n, n, tuple(skew))


def _zero(lin: LinearSystem, whole: Matrix, things: list[Expr]) -> list[bool]:
    if not things:
        return []
    if not lin.numbers.unknowns:
        return vanishing(things, lin.numbers.nominal)
    at = sample_at([whole], lin.numbers.nominal)
    scale = abs(array(whole, at)).max(initial=0.0)
    return [bool(abs(x) <= 1e-10 * scale) for x in array(Matrix(len(things), 1, tuple(things)), at).ravel()]
