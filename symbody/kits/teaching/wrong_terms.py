"""Which term of a wrong equation is wrong.

A student's row s, divided by a factor F, is compared with each of the right rows: at random states, each column of s/F
(the coefficient of an unknown, and the rest) is written as a sum of the right terms with constant factors α.

    α = 1 right,   0 missing,   -1 sign,   else a factor

Where no constants will do, the parts that do not depend on speeds, are odd, and are even in them are distinguished. Of
all ways to read the row (which right row, which factor, which combination of rows) the one with the fewest wrong terms
is taken.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import Any, Final

import numpy as np

import symbody as sb

from .equation_terms import CORIOLIS, REST, EquationTerm, RightRow, unknowns_of

TOLERANCE: Final = 1e-7  # of a fit, relative to the column's size: α are ratios of small integers
MOST_SHOWN: Final = 90  # characters of a term in a remark


@dataclass(frozen=True)
class Diagnosis:
    """How a wrong row is best read.

    row       index of the right row that it stands for, None for a combination of several
    remarks   sentences on the wrong terms
    right     how many terms are right, `total` of how many
    """

    row: int | None
    remarks: tuple[str, ...]
    right: int
    total: int
    cost: float


@dataclass(frozen=True)
class Reading:
    """One way to read a row: its columns divided by a factor, and the terms that they should have."""

    row: int | None
    columns: tuple[sb.Expr, ...]  # coefficients of unknowns, then the rest
    terms: tuple[EquationTerm, ...]
    penalty: float


def diagnosis(
    eq: sb.Equations,
    coefficients: Sequence[sb.Expr],
    rest: sb.Expr,
    rows: Sequence[RightRow],
    unknowns: Sequence[sb.Symbol],
    states: Sequence[Mapping[sb.Symbol, float]],
) -> Diagnosis:
    """The reading of a row with the fewest wrong terms."""
    found: Diagnosis | None = None
    for reading in _readings(eq, coefficients, rest, rows):
        made = _diagnosis_of(eq, reading, unknowns, states)
        if made is not None and (found is None or made.cost < found.cost):
            found = made
    return found or Diagnosis(None, ("it cannot be evaluated at random states",), 0, 1, np.inf)


def _readings(
    eq: sb.Equations, coefficients: Sequence[sb.Expr], rest: sb.Expr, rows: Sequence[RightRow]
) -> Iterator[Reading]:
    columns = (*coefficients, rest)
    for i, row in enumerate(rows):
        ratios = [c / right for j, c in enumerate(coefficients) if c.value != 0 and (right := row.total(j)).value != 0]
        plain = [sb.algebra.as_expr(1), sb.algebra.as_expr(-1)]
        for k, factor in enumerate([*plain, *ratios]):
            yield Reading(i, tuple(c / factor for c in columns), row.terms, 0.1 * min(k, 3) + 0.01 * i)
    if any(c.value != 0 for c in coefficients):
        yield _combination(eq, coefficients, rest, rows)


def _combination(eq: sb.Equations, coefficients: Sequence[sb.Expr], rest: sb.Expr, rows: Sequence[RightRow]) -> Reading:
    """The combination of right rows that has the row's own coefficients: its rest, cause by cause."""
    n = len(unknowns_of(eq))
    table = sb.matrix([[row.total(j) for row in rows] for j in range(n)])
    weights = sb.solve(table, sb.vector(*coefficients), "general").entries if n else ()
    causes = dict.fromkeys(t.cause for row in rows for t in row.terms if t.column == REST)
    terms = []
    for cause in causes:
        value = sb.algebra.as_expr(0)
        for weight, row in zip(weights, rows, strict=True):
            for t in row.terms:
                value = value + weight * t.value if t.column == REST and t.cause == cause else value
        terms.append(EquationTerm(cause, REST, value))
    inertia = [EquationTerm("inertia", j, c) for j, c in enumerate(coefficients) if c.value != 0]
    return Reading(None, (*coefficients, rest), (*inertia, *terms), 1.2)


def _diagnosis_of(
    eq: sb.Equations, reading: Reading, unknowns: Sequence[sb.Symbol], states: Sequence[Mapping[sb.Symbol, float]]
) -> Diagnosis | None:
    expressions = [*reading.columns, *(t.value for t in reading.terms)]
    numbers = values_at(expressions, states)
    if len(numbers) < 6:
        return None
    count = len(reading.columns)
    y, T = numbers[:, :count], numbers[:, count:]
    remarks, wrong, lost = list[str](), 0.0, 0
    for c in range(count):
        column = c if c < count - 1 else REST
        inside = [k for k, t in enumerate(reading.terms) if t.column == column]
        size = np.abs(numbers[:, [c, *(count + k for k in inside)]]).max(initial=1e-300)
        alpha = _factors(y[:, c], T[:, inside], TOLERANCE * size)
        if alpha is not None:
            bad = [(reading.terms[k], a) for k, a in zip(inside, alpha, strict=True) if abs(a - 1) > 1e-6]
            remarks += [_remark(t, a, unknowns, is_shown=reading.row is not None) for t, a in bad]
            wrong += len(bad)
            lost += len(bad)
        elif column != REST:
            ours = [reading.terms[k] for k in inside]
            remarks.append(_wrong_coefficient(reading, ours, c, unknowns))
            wrong += 1.5
            lost += 1
        else:
            more = _wrong_rest(eq, reading, states)
            remarks += more
            wrong += max(1.5, len(more) + 0.5)
            lost += len(more)
    total = max(1, len(reading.terms))
    cost = wrong + reading.penalty
    return Diagnosis(reading.row, tuple(dict.fromkeys(remarks)), max(0, total - lost), total, cost)


def values_at(expressions: Sequence[sb.Expr], states: Sequence[Mapping[sb.Symbol, float]]) -> np.ndarray:
    """Values of expressions, a row for each state at which all of them have one."""
    out = []
    for state in states:
        try:
            row = sb.evaluate(list(expressions), state)
        except sb.errors.EvaluationError:
            continue
        if np.all(np.isfinite(row)):
            out.append(row)
    return np.array(out, dtype=float).reshape(len(out), len(expressions))


def _factors(y: np.ndarray, T: np.ndarray, tolerance: float) -> np.ndarray | None:
    """Constants α with y = T α, as many of them one as possible; None if there are none."""
    ones = np.ones(T.shape[1])
    if np.abs(y - T @ ones).max(initial=0.0) <= tolerance:
        return ones
    for changed in (1, 2):
        for places in combinations(range(T.shape[1]), changed):
            alpha = ones.copy()
            alpha[list(places)] = 0.0
            part = T[:, list(places)]
            found = np.linalg.lstsq(part, y - T @ alpha, rcond=None)[0]
            alpha[list(places)] = found
            if np.abs(y - T @ alpha).max(initial=0.0) <= tolerance:
                return alpha
    if 0 < T.shape[1] <= len(y) // 2:
        alpha = np.linalg.lstsq(T, y, rcond=None)[0]
        if np.abs(y - T @ alpha).max(initial=0.0) <= tolerance:
            return alpha
    return None


# ------------------------------------------------------------------------------------------------------------- remarks


def _remark(term: EquationTerm, alpha: float, unknowns: Sequence[sb.Symbol], is_shown: bool) -> str:
    what = f"the {term.cause}"
    if is_shown and len(shown := sb.text(sb.tidy(_positive(term, unknowns)))) <= MOST_SHOWN and "\n" not in shown:
        what += f" {shown}"
    if abs(alpha) <= 1e-6:
        return f"{what} is missing"
    if abs(alpha + 1) <= 1e-6:
        return f"{what} has the wrong sign"
    return f"{what} is multiplied by {_ratio(alpha)}"


def _positive(term: EquationTerm, unknowns: Sequence[sb.Symbol]) -> sb.Expr:
    """The term without its sign, which depends on the side on which it stands."""
    value = term.value if term.column == REST else term.value * unknowns[term.column]
    value = sb.tidy(value) if sb.algebra.operations(value) <= 100 else value
    return -value if sb.text(value).startswith("-") else value


def _ratio(alpha: float) -> str:
    near = Fraction(alpha).limit_denominator(48)
    return str(near) if abs(float(near) - alpha) <= 1e-6 * max(1.0, abs(alpha)) else f"{alpha:z.6g}"


def _short_text(e: sb.Expr) -> str:
    """A short expression as text; nothing of a long one."""
    if sb.algebra.operations(e) > 60:
        return ""
    text = sb.text(sb.tidy(e))
    return text if len(text) <= MOST_SHOWN and "\n" not in text else ""


def _pair(yours: sb.Expr, ours: sb.Expr) -> str:
    a, b = _short_text(yours), _short_text(ours)
    return f": {a} in place of {b}" if a and b else ""


def _wrong_coefficient(reading: Reading, ours: Sequence[EquationTerm], c: int, unknowns: Sequence[sb.Symbol]) -> str:
    right, x = sum((t.value for t in ours), start=sb.algebra.as_expr(0)), unknowns[c]
    is_force = "lam" in x.name and x.name.startswith("lam")
    word = f"the {'coefficient' if is_force else 'inertia term'} of {x.name}"
    if not ours:
        added = _short_text(reading.columns[c] * x)
        return f"{word} does not belong in this equation" + (f": {added}" if added else "")
    return f"{word} differs" + _pair(reading.columns[c], right)


def _wrong_rest(eq: sb.Equations, reading: Reading, states: Sequence[Mapping[sb.Symbol, float]]) -> list[str]:
    """Remarks on terms without unknowns: by the part that does not depend on speeds, the odd part and the even part."""
    rest, terms = reading.columns[-1], [t for t in reading.terms if t.column == REST]
    parts = [_by_speeds(eq, e) for e in (rest, *(t.value for t in terms))]
    remarks = []
    for k, word in enumerate(("", "damping", "Coriolis")):
        mine, theirs = parts[0][k], [p[k] for p in parts[1:]]
        numbers = values_at([mine, *theirs], states)
        if len(numbers) < 6:
            continue
        size = max(np.abs(numbers).max(initial=0.0), 1e-300)
        present = [j for j in range(len(terms)) if np.abs(numbers[:, 1 + j]).max() > TOLERANCE * size]
        alpha = _factors(numbers[:, 0], numbers[:, [1 + j for j in present]], TOLERANCE * size)
        own = [terms[j] for j in present]
        if alpha is not None:
            bad = [(t, a) for t, a in zip(own, alpha, strict=True) if abs(a - 1) > 1e-6]
            remarks += [_remark(t, a, (), is_shown=reading.row is not None) for t, a in bad]
        else:
            remarks.append(
                _different_part(mine, own, [theirs[j] for j in present], word, states, reading.row is not None)
            )
    return remarks or ["a term differs"]


def _by_speeds(eq: sb.Equations, e: sb.Expr) -> tuple[sb.Expr, sb.Expr, sb.Expr]:
    """What of an expression does not depend on speeds, is odd in them, is even in them."""
    still: dict[Any, Any] = dict.fromkeys(eq.u, 0)
    back: dict[Any, Any] = {u: -u for u in eq.u}
    static, other = sb.substitute(e, still), sb.substitute(e, back)
    return static, (e - other) / 2, (e + other) / 2 - static


def _different_part(
    mine: sb.Expr,
    terms: Sequence[EquationTerm],
    values: Sequence[sb.Expr],
    word: str,
    states: Sequence[Mapping[sb.Symbol, float]],
    is_shown: bool,
) -> str:
    """A part that no constants explain: which cause it has, and what stands there."""
    total = sum(values, start=sb.algebra.as_expr(0))
    if not terms:
        kind = {"": "a term that does not depend on speeds", "damping": "a term that is odd in the speeds"}.get(
            word, "a term that is even in the speeds"
        )
        return f"{kind} does not belong in this equation" + (f": {text}" if (text := _short_text(mine)) else "")
    causes = list(dict.fromkeys(t.cause for t in terms))
    blamed = _cause_of_difference(causes, terms, values, mine - total, states)
    right = sum((v for t, v in zip(terms, values, strict=True) if t.cause == blamed), start=sb.algebra.as_expr(0))
    return f"the {blamed} differs" + (_pair(mine - total + right, right) if is_shown else "")


def _cause_of_difference(
    causes: Sequence[str],
    terms: Sequence[EquationTerm],
    values: Sequence[sb.Expr],
    difference: sb.Expr,
    states: Sequence[Mapping[sb.Symbol, float]],
) -> str:
    """The cause whose own parameters the difference depends on; with several, the first that is not Coriolis."""
    inside = {
        c: {s for t, v in zip(terms, values, strict=True) if t.cause == c for s in sb.free_symbols(v)} for c in causes
    }
    for c in causes:
        others = set().union(*(inside[d] for d in causes if d != c))
        own = [s for s in sb.free_symbols(difference) if s in inside[c] - others and s.kind in ("parameter", "input")]
        for s in own:
            slope = values_at([sb.derivative(difference, s)], states)
            if len(slope) and np.abs(slope).max() > 1e-9:
                return c
    return next((c for c in causes if c != CORIOLIS), causes[0]) if len(causes) > 1 else causes[0]
