"""The equations of a phase as rates of states and rows that are zero.

explicit   x' = F(x, r): accelerations from the solve block, multipliers eliminated (index 1); constraints hold at the
           start and are kept by the motion
implicit   accelerations a, multipliers λ, and of additional variables the rates that no row is solved for and those
           without rates, are unknowns of each node:

               q' = N u + n + ∂φ/∂qᵀ γ,   u' = a,   M a = f + Jcᵀ λ,   φ = 0,   Jc u + b = 0

           which is the stabilised form of index 2 (Gear, Gupta and Leimkuhler 1985); γ is zero but for the error of the
           method
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

import symbody as sb

from ....errors import ExpressionTextError, shown, unknown
from ....units import quantity

FORMS: Final = ("explicit", "implicit")
Row = tuple[str, sb.Expr]


@dataclass(frozen=True, eq=False)
class PhaseForm:
    """States with their rates, inputs, further unknowns of a node; rows that are zero at collocated nodes, and at the
    start; and what accelerations and multipliers in a user's expressions are."""

    equations: sb.Equations
    states: tuple[sb.Symbol, ...]
    inputs: tuple[sb.Symbol, ...]
    unknowns: tuple[sb.Symbol, ...]
    rates: tuple[sb.Expr, ...]
    rows: tuple[Row, ...]
    start_rows: tuple[Row, ...]
    is_explicit: bool

    @property
    def node(self) -> tuple[sb.Symbol, ...]:
        """Unknowns of a node."""
        return (*self.states, *self.inputs, *self.unknowns)

    def expression(self, thing: Any, where: str) -> sb.Expr:
        """What a user wrote, as an expression, as the name of an output of the model, or as text, in unknowns of a node."""
        eq = self.equations
        if isinstance(thing, str):
            thing = self._named(thing, where)
        try:
            e = sb.algebra.as_expr(thing)
        except sb.SymbodyError:
            raise sb.ModelError(f"{where}: expected an expression, got {shown(thing)}") from None
        out: sb.Expr = sb.derivation.in_own_terms(eq, [e], solved=self.is_explicit)[0]
        solved = {z.dot: r for z, r in zip(self.states, self.rates, strict=True) if z in eq.z and r is not z.dot}
        return out if solved.keys().isdisjoint(sb.free_symbols(out)) else sb.substitute(out, solved)

    def _named(self, text: str, where: str) -> Any:
        """A variable or output by name, or an expression in these, parameters and t in the language of model files."""
        eq = self.equations
        known = {**{s.name: s for s in self.node}, **eq.outputs}
        every = {**{p.name: p for p in eq.p}, "t": eq.t, **known}
        if text in every:
            return every[text]
        if text.isidentifier():
            raise unknown(where, "variable or output", text, known, sb.ModelError)
        try:
            return sb.bodies.read_expression(text, every)
        except ExpressionTextError as reason:
            raise sb.ModelError(f"{where}: {reason}") from None

    def refuse_strange(self, e: sb.Expr, where: str, *more: sb.Symbol) -> None:
        """Raise an error where an expression contains other symbols than unknowns of a node, parameters, time and `more`."""
        eq = self.equations
        known = {s.name: s for s in (*self.node, *eq.p, eq.t, *more)}
        for s in sb.free_symbols(e):
            if s in {r.dot for r in eq.r} and s not in self.node:
                name = s.name.removesuffix("_dot")
                raise sb.ModelError(
                    f"{where}: contains {s.name}, and the rate of {name} is not stated; give rates({name}=(low, high))"
                )
            if s not in known.values():
                raise unknown(where, "variable", s.name, known, sb.ModelError)


def phase_form(eq: sb.Equations, form: str, with_rates: Iterable[sb.Symbol], where: str) -> PhaseForm:
    """The form by name; inputs of `with_rates` become states, with their rates as inputs."""
    if form not in FORMS:
        raise unknown(where, "form", form, FORMS, sb.ModelError)
    chained = {s for s in eq.r if s.dot in eq.r} | set(with_rates)
    inputs = tuple(s for s in dict.fromkeys((*eq.r, *(s.dot for s in chained))) if s not in chained)
    slow = tuple(s for s in eq.r if s in chained)
    positions = tuple((f"{r.name}", r.expression) for r in eq.rows.positions)
    start = (*positions, *((f"rate of {r.name}", r.expression) for r in eq.rows.speeds))
    if form == "explicit":
        rates = dict(zip(eq.state, _explicit_rates(eq), strict=True))
        rows: tuple[Row, ...] = ()
        unknowns: tuple[sb.Symbol, ...] = ()
    else:
        rates, rows, unknowns = _implicit_parts(eq, where)
    rates |= {s: s.dot for s in slow}
    return PhaseForm(eq, tuple(rates), inputs, unknowns, tuple(rates.values()), rows, start, form == "explicit")


def _explicit_rates(eq: sb.Equations) -> tuple[sb.Expr, ...]:
    return (*eq.rates.entries, *eq.udot.entries) if not eq.z else tuple(sb.first_order(eq).rates.entries)


def _implicit_parts(
    eq: sb.Equations, where: str
) -> tuple[dict[sb.Symbol, sb.Expr], tuple[Row, ...], tuple[sb.Symbol, ...]]:
    """Rates of the states, rows, and unknowns of a node."""
    if eq.lam and eq.rows.rank < len(eq.lam):
        raise sb.ModelError(
            f"{where}: of {len(eq.lam)} constraints only {eq.rows.rank} are independent, so their multipliers are not determined; use form='explicit'"
        )
    holonomic = [r.expression for r in eq.rows.holonomic] if eq.lam else []
    gamma = tuple(sb.symbol(f"gamma_of_{k}", "variable") for k in range(len(holonomic)))
    drift: list[Any] = [0] * len(eq.q)
    if holonomic:
        J = sb.jacobian(sb.vector(*holonomic), eq.q)
        drift = [sum((J[i, j] * g for i, g in enumerate(gamma)), sb.algebra.as_expr(0)) for j in range(len(eq.q))]
    rates = {q: r + d for q, r, d in zip(eq.q, eq.rates.entries, drift, strict=True)}
    rates |= {u: u.dot for u in eq.u}
    rows: list[Row] = [
        (f"balance of {u.name}", e) for u, e in zip(eq.u, eq.residual().entries if eq.u else (), strict=True)
    ]
    more, left, algebraic = _additional_rates(eq)
    rows += left
    if eq.lam:
        rows += [(r.name, r.expression) for r in eq.rows.holonomic]
        rows += [(f"rate of {r.name}", r.expression) for r in eq.rows.speeds]
    slopes = tuple(e for z, e in more.items() if e is z.dot)
    accelerations = tuple(u.dot for u in eq.u)
    return {**rates, **more}, tuple(rows), (*accelerations, *slopes, *algebraic, *eq.lam, *gamma)


def _additional_rates(eq: sb.Equations) -> tuple[dict[sb.Symbol, sb.Expr], list[Row], list[sb.Symbol]]:
    """Rates of additional variables: the expression where a row is z' = e, the symbol z' otherwise; the rows that are
    left, and the variables whose rates occur in no row, which are unknowns of a node and no states."""
    slopes = {z.dot: z for z in eq.z}
    found, rows = {}, []
    for r in eq.rows.additional:
        inside = [s for s in sb.free_symbols(r.expression) if s in slopes]
        factor = sb.derivative(r.expression, inside[0]).value if len(inside) == 1 else None
        if factor is not None and slopes[inside[0]] not in found and factor in (1, -1):
            rest = sb.substitute(r.expression, {inside[0]: sb.algebra.as_expr(0)})
            found[slopes[inside[0]]] = -rest if factor == 1 else rest
        else:
            rows.append((r.name, r.expression))
    used = {s for _, e in rows for s in sb.free_symbols(e)}
    kept = {z: found.get(z, z.dot) for z in eq.z if z in found or z.dot in used}
    return kept, rows, [z for z in eq.z if z not in kept]


def checked_range(value: Any, where: str, unit: Callable[[], str] = str) -> tuple[float, float]:
    """(low, high) of a number, of a pair, or of a pair with None where there is no bound; empty ranges are refused.
    Numbers may have units, "30 deg" or (30, "deg"), of the dimension of `unit()`."""
    inf = float("inf")

    def number(x: Any, missing: float) -> float:
        if isinstance(x, bool):
            raise TypeError
        return missing if x is None else float(in_si(x, where, unit))

    try:
        is_pair = isinstance(value, (tuple, list)) and quantity(value, where, sb.ModelError) is None
        low, high = value if is_pair else (value, value)
        pair = number(low, -inf), number(high, inf)
    except sb.SymbodyError:
        raise
    except (TypeError, ValueError):
        raise sb.ModelError(f"{where}: expected a number or a pair (low, high), got {shown(value)}") from None
    if any(x != x for x in pair):
        raise sb.ModelError(f"{where}: expected numbers, got {shown(value)}")
    if pair[0] > pair[1] or pair[0] == inf or pair[1] == -inf:
        raise sb.ModelError(f"{where}: the range from {pair[0]:g} to {pair[1]:g} is empty")
    return pair


def in_si(value: Any, where: str, unit: Callable[[], str] = str) -> Any:
    """A number with a unit in SI; others as they are."""
    found = quantity(value, where, sb.ModelError, unit()) if isinstance(value, (str, tuple)) else None
    return value if found is None else found


def unit_of(eq: sb.Equations, s: sb.Symbol) -> str:
    """The unit of a variable of the equations; empty where it is unknown."""
    return eq.variables[s.name].unit if s.name in eq.variables else ""


def narrow(
    ranges: dict[sb.Symbol, tuple[float, float]],
    known: Mapping[str, sb.Symbol],
    given: Mapping[Any, Any],
    where: str,
    eq: sb.Equations,
) -> None:
    """Put ranges that were given by name or symbol into a table."""
    for key, value in given.items():
        name = getattr(key, "name", key)
        if name not in known:
            raise unknown(where, "state, input or multiplier", str(name), known, sb.ModelError)
        ranges[known[name]] = checked_range(value, f"{where}, {name}", partial(unit_of, eq, known[name]))


def range_text(pair: tuple[float, float]) -> str:
    low, high = pair
    return f"{low:z.6g}" if low == high else f"{low:z.6g} to {high:z.6g}"


def refuse_disjoint(a: tuple[float, float], b: tuple[float, float], message: str) -> None:
    """Two ranges of the same quantity that have nothing in common."""
    slack = 1e-9 * (1 + min(abs(x) for x in (*a, *b)))
    if max(a[0], b[0]) > min(a[1], b[1]) + slack:
        raise sb.ModelError(message)
