"""Changes of states and outputs of a linear system: selection, exchange, transformation."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ...algebra.calculus.derivatives import jacobian
from ...algebra.graph.graph import ONE, ZERO, Expr, Symbol, as_expr
from ...algebra.graph.matrix import Matrix, as_matrix
from ...algebra.graph.walk import free_symbols, substitute
from ...algebra.printing.printing import text
from ...argument_kinds import answered
from ...errors import StabilityError, listed, unknown
from ..variation.parameter_samples import array, sample_at, vanishing, with_exact_entries
from ..variation.system_matrices import PARTS, RECOVERY
from .lazy_matrices import LateMatrix
from .reduction import idle_states

if TYPE_CHECKING:
    from .linear_system import LinearSystem


def submatrix(m: Matrix, rows: Iterable[int], cols: Iterable[int]) -> Matrix:
    i, j = list(rows), list(cols)
    if isinstance(m, LateMatrix):
        return m.picked(i, j)
    return Matrix(len(i), len(j), tuple(m[a, b] for a in i for b in j))


def _label(name: str | Symbol) -> str:
    return name.name if isinstance(name, Symbol) else name


# ---------------------------------------------------------------------------------------------------- fewer


@answered
def cyclic_states(lin: LinearSystem) -> tuple[str, ...]:
    """Coordinates on which no other rate depends: position on the road, heading, angle of a wheel; for a system given
    by matrices, whose coordinates are unknown, states on which no rate depends.

    >>> lin = sb.linear_system([[0, 1, 0], [0, 0, 1], [0, -4, -1]], x=["x", "v", "w"])
    >>> sb.stability.cyclic_states(lin)
    ('x',)

    See also: `LinearSystem.without`, `linearize`.
    """
    E, A = _numbers(lin, [lin.E, lin.A])
    coordinates = [n in lin.full.q for n in lin.x] if lin.full is not None else ~A.any(axis=0)
    found = idle_states(E, A, np.flatnonzero(coordinates).tolist(), _known_cyclic(lin))
    return tuple(lin.x[j] for j in found)


def _numbers(lin: LinearSystem, matrices: Sequence[Matrix]) -> list[Any]:
    """At the nominal values."""
    late = [m.nominal for m in matrices if isinstance(m, LateMatrix)]
    if len(late) == len(matrices):
        return late
    at = sample_at(matrices, lin.numbers.nominal)
    return [array(m, at) for m in matrices]


def _may_be_there(m: Matrix, i: int, j: int) -> bool:
    return isinstance(m, LateMatrix) or m[i, j] is not ZERO


def _known_cyclic(lin: LinearSystem) -> list[int]:
    """States on which the equations that were linearised do not depend: their columns are zero, whatever rounding
    says."""
    known = set() if lin.about is None else {q.name for q in lin.about.conditions.cyclic}
    return [k for k, n in enumerate(lin.x) if n in known]


def without(lin: LinearSystem, names: Iterable[str | Symbol]) -> LinearSystem:
    drop = [lin.numbers.state(n) for n in names]
    keep = [j for j in range(len(lin.x)) if j not in drop]
    doubtful = [j for j in drop if j not in _known_cyclic(lin)]
    coupled = [(m, i, j) for m in (lin.E, lin.A) for i in keep for j in doubtful if _may_be_there(m, i, j)]
    for (_, i, j), vanishes in zip(coupled, _vanish(lin, coupled), strict=True):
        if not vanishes:
            raise StabilityError(
                f"linear system {lin.name!r}: {lin.x[j]} cannot be left out, the equation of {lin.x[i]} depends on it; coordinates that "
                f"no other state depends on are {listed(cyclic_states(lin))}"
            )
    seen, shown = (_rows_without(lin, m, drop) for m in (lin.C, lin.T))
    return _subsystem(lin, keep, keep, seen, shown)


def _subsystem(
    lin: LinearSystem, rows: Sequence[int], states: Sequence[int], seen: Sequence[int], shown: Sequence[int]
) -> LinearSystem:
    """Some equations, states, outputs and variables, in this order."""
    every = range(len(lin.r))
    places: dict[str, Any] = {"E": (rows, states), "A": (rows, states), "C": (seen, states), "T": (shown, states)}
    places |= {
        p: ({"B": rows, "D": seen, "T": shown}[p[0]], every) for p in ("B", "B1", "B2", "D", "D1", "D2", "Tr", "Tr1")
    }
    matrices: dict[str, Any] = {p: submatrix(getattr(lin, p), *at) for p, at in places.items()}
    return replace(
        lin, x=tuple(lin.x[j] for j in states), y=tuple(lin.y[i] for i in seen), variables=tuple(lin.variables[i] for i in shown),
        **matrices,
    )  # fmt: skip


def _rows_without(lin: LinearSystem, m: Matrix, drop: Sequence[int]) -> list[int]:
    """Rows that do not need the dropped states; the others are not functions of the remaining states."""
    places = [(m, i, j) for i in range(m.rows) for j in drop if _may_be_there(m, i, j)]
    needing = {i for (_, i, _), vanishes in zip(places, _vanish(lin, places), strict=True) if not vanishes}
    return [i for i in range(m.rows) if i not in needing]


def _vanish(lin: LinearSystem, places: Sequence[tuple[Matrix, int, int]]) -> list[bool]:
    """Whether entries are zero for all parameters; at an operating point in numbers, whether they are zero to
    rounding."""
    if not lin.numbers.unknowns:
        return vanishing([m[i, j] for m, i, j in places], lin.numbers.nominal)
    matrices = {id(m): m for m, _, _ in places}
    numbers = dict(zip(matrices, map(np.abs, _numbers(lin, list(matrices.values()))), strict=True))
    return [bool(numbers[id(m)][i, j] <= 1e-9 * numbers[id(m)][i].max()) for m, i, j in places]


# ---------------------------------------------------------------------------------------------------- others


def replace_state(lin: LinearSystem, old: str | Symbol, name: str, expression: Any) -> LinearSystem:
    """The state `old` replaced by a combination of states; x = S (new x)."""
    at, row = lin.numbers.state(old), _combination(lin, expression)
    if row[at] is ZERO:
        raise StabilityError(f"linear system {lin.name!r}: {name} does not contain {lin.x[at]}, which it is to replace")
    n = len(lin.x)
    rows = [[ONE if i == j else ZERO for j in range(n)] for i in range(n)]
    rows[at] = [(ONE if j == at else -row[j]) / row[at] for j in range(n)]
    S = as_matrix(rows)
    sides = [lin.E @ S, lin.A @ S, lin.B, lin.B1, lin.B2]
    for j in (j for j in range(n) if j != at and row[j] is not ZERO):
        sides = _rate_put_in(j, sides)
    E, A, B, B1, B2 = sides
    names = tuple(name if j == at else s for j, s in enumerate(lin.x))
    return exact_entries(replace(lin, x=names, E=E, A=A, B=B, B1=B1, B2=B2, C=lin.C @ S, T=lin.T @ S))


def _combination(lin: LinearSystem, law: Any) -> list[Expr]:
    """Coefficients of a linear expression in the states."""
    e = as_expr(law)
    states = [s for s in free_symbols(e) if s.name in lin.x]
    rest, slopes = substitute(e, dict.fromkeys(states, ZERO)), jacobian([e], states)
    if rest is not ZERO or set(free_symbols(slopes)) & set(states):
        raise StabilityError(
            f"linear system {lin.name!r}: {text(e)} is not a linear combination of the states {listed(lin.x)}"
        )
    out: list[Expr] = [ZERO] * len(lin.x)
    for s, coefficient in zip(states, slopes.entries, strict=True):
        out[lin.x.index(s.name)] = coefficient
    return out


def _rate_put_in(j: int, sides: list[Matrix]) -> list[Matrix]:
    """The rate of state j in other rows replaced by what its own row says, where that is x' = ...; the first matrix is
    E."""
    E = sides[0]
    if any((e is not ONE) if k == j else (e is not ZERO) for k, e in enumerate(E.row(j))):
        return sides
    factors = Matrix(E.rows, 1, tuple(ZERO if i == j else E[i, j] for i in range(E.rows)))
    return [m - factors @ Matrix(1, m.cols, m.row(j)) for m in sides]


def with_states(lin: LinearSystem, names: Sequence[str | Symbol]) -> LinearSystem:
    """These states alone, in this order, their equations with them."""
    wanted = [lin.x[lin.numbers.state(n)] for n in names]
    if twice := [n for k, n in enumerate(wanted) if n in wanted[:k]]:
        raise StabilityError(
            f"linear system {lin.name!r}: with_states has {listed(dict.fromkeys(twice))} more than once"
        )
    left = without(lin, [n for n in lin.x if n not in wanted]) if len(wanted) < len(lin.x) else lin
    order = [left.x.index(n) for n in wanted]
    return _subsystem(left, order, order, range(len(left.y)), range(left.T.rows))


def with_outputs(lin: LinearSystem, names: Sequence[str | Symbol]) -> LinearSystem:
    """Other outputs: those the system has, states, or dependent coordinates and speeds."""
    if isinstance(lin.C, LateMatrix):
        return _late_outputs(lin, tuple(map(_label, names)))
    none = (ZERO,) * len(lin.r)
    visible = {
        n: (tuple(ONE if i == j else ZERO for i in range(len(lin.x))), none, none, none) for j, n in enumerate(lin.x)
    }
    visible |= {
        n: (lin.T.row(k), lin.Tr.row(k), lin.Tr1.row(k), none) for k, n in enumerate(lin.variables) if n not in visible
    }
    visible |= {n: tuple(m.row(k) for m in (lin.C, lin.D, lin.D1, lin.D2)) for k, n in enumerate(lin.y)}  # type: ignore[misc]
    labels = tuple(map(_label, names))
    for n in labels:
        if n not in visible:
            raise unknown(f"linear system {lin.name!r}", "output or variable", n, visible, StabilityError)
    C, D, D1, D2 = (
        Matrix(len(labels), cols, tuple(e for n in labels for e in visible[n][part]))
        for part, cols in enumerate((len(lin.x), *(len(lin.r),) * 3))
    )
    return replace(lin, y=labels, C=C, D=D, D1=D1, D2=D2)


def exact_entries(lin: LinearSystem) -> LinearSystem:
    """The same system in which entries that equal 0, 1 or -1 for all parameters are replaced by these numbers.

    >>> a = sb.symbol("a")
    >>> lin = sb.linear_system([[sb.sin(a) ** 2 + sb.cos(a) ** 2]])
    >>> sb.stability.exact_entries(lin).A
    vector(1)

    See also: `LinearSystem`, `tidy`.
    """
    if lin.numbers.unknowns:
        return lin
    names = (*PARTS, *RECOVERY)
    made = with_exact_entries([getattr(lin, p) for p in names], lin.numbers.nominal)
    changed: dict[str, Any] = dict(zip(names, made, strict=True))
    return replace(lin, **changed)


def _late_outputs(lin: LinearSystem, labels: Sequence[str]) -> LinearSystem:
    """The same by the numbers of matrices that are not made yet: rows of T, which has the states too, or of C."""
    shown = {n: ("T", k) for k, n in enumerate(lin.variables)} | {n: ("C", k) for k, n in enumerate(lin.y)}
    for n in labels:
        if n not in shown:
            raise unknown(f"linear system {lin.name!r}", "output or variable", n, shown, StabilityError)
    sources = {"C": ("T", "C"), "D": ("Tr", "D"), "D1": ("Tr1", "D1"), "D2": ("", "D2")}

    def rows_of(part: str, of_row: Any) -> list[Any]:
        return [of_row(sources[part][shown[n][0] == "C"], shown[n][1]) for n in labels]

    def made(part: str) -> LateMatrix:
        width = len(lin.x) if part == "C" else len(lin.r)

        def numbers(found: Any) -> Any:
            front = found["E"].shape[:-2]
            rows = rows_of(
                part, lambda m, k: getattr(lin, m).numbers(found)[..., k, :] if m else np.zeros((*front, width))
            )
            return np.stack(rows, axis=-2) if rows else np.zeros((*front, 0, width))

        def entries() -> list[Expr]:
            return [
                e for row in rows_of(part, lambda m, k: getattr(lin, m).row(k) if m else (ZERO,) * width) for e in row
            ]

        return LateMatrix((len(labels), width), lin.C.source, numbers, entries)  # type: ignore[attr-defined]

    changed: dict[str, Any] = {part: made(part) for part in sources}
    return replace(lin, y=tuple(labels), **changed)
