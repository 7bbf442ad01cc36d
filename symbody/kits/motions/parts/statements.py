"""Problems without a solution, found before the search: names that are nowhere, costs that fall without bound."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np

import symbody as sb

from .phase_forms import range_text, refuse_disjoint
from .problem_parts import NamedTerm, Phase, PhaseLink, Range, Repetition, range_at

KINK: Final = re.compile(r"\b(abs|minimum|maximum|sign)\(")  # in the text of an expression


def refuse_strange(phases: Sequence[Phase], links: Sequence[PhaseLink]) -> None:
    """Statements with symbols that their phase does not have."""
    for p in phases:
        kinds = {"path": p.paths, "complementary": p.products, "condition": p.conditions, "integral": p.integrals}
        for kind, terms in (*kinds.items(), ("cost", p.costs)):
            for term in terms:
                p.form.refuse_strange(term.expression, f"{p.where}, {kind} {term.name!r}", p.begin, p.duration)
    for link in links:
        where = f"{link.after.where}, link from {link.before.name!r}"
        for s, e in link.values.items():
            link.before.form.refuse_strange(e, f"{where}, jump of {s.name}", link.before.begin, link.before.duration)


def refuse_closed(link: PhaseLink) -> None:
    """A phase whose states at the start have ranges that those of the phase before do not reach."""
    a, b = link.before, link.after
    for s, e in link.values.items():
        if not isinstance(e, sb.Symbol) or e not in a.form.states:
            continue
        ends, starts = range_at(a, e, "end"), range_at(b, s, "start")
        message = (
            f"motion {a.owner!r}, link from {a.name!r} to {b.name!r}: {b.name!r} cannot be entered: {s.name} is "
            f"{range_text(ends)} at the end of {a.name!r}, and {range_text(starts)} at the start of {b.name!r}"
        )
        refuse_disjoint(ends, starts, message)


def refuse_apart(
    phases: Sequence[Phase],
    links: Sequence[PhaseLink],
    repetitions: Sequence[Repetition],
    chosen: Mapping[sb.Symbol, Range],
) -> None:
    """Several phases, one of which nothing connects with the others: neither a link nor a chosen parameter."""
    if chosen or len(phases) < 2:
        return
    linked = {p.name for k in links if k.before.name != k.after.name for p in (k.before, k.after)}
    linked |= {p.name for r in repetitions if r.first.name != r.last.name for p in (r.first, r.last)}
    if apart := [p for p in phases if p.name not in linked]:
        others = ", ".join(repr(p.name) for p in phases if p is not apart[0])
        raise sb.ModelError(
            f"{apart[0].where}: has nothing in common with {others}; link them, link(before, after), or make two problems"
        )


def refuse_unbounded(phases: Sequence[Phase], chosen: Mapping[sb.Symbol, Range]) -> None:
    """A cost that is linear in an input without bounds, or falls with its square, and a shortest time with forces without
    bounds."""
    for p in phases:
        _refuse_linear_costs(p)
        _refuse_negative_squares(p)
    timed = [p for p in phases if any(_is_time(c.expression, c.at, p) for c in p.costs)]
    for p in timed:
        _refuse_endless(p)
    if not timed or any(c for p in phases for c in p.costs if not _is_time(c.expression, c.at, p)):
        return
    for p in timed:
        if p.paths or p.integrals or any(np.isfinite(r).any() for r in p.ranges["path"].values()):
            continue
        if p.duration_range[0] < p.duration_range[1] and p.form.inputs and p.form.is_explicit:
            names = ", ".join(s.name for s in p.form.inputs)
            raise sb.ModelError(
                f"{p.where}: nothing bounds {names}, and time is the only cost: the shortest duration is as short as "
                f"{p.duration_range[0]:g} s with forces as large as needed; give bounds({p.form.inputs[0].name}=(low, high))"
            )


def kinked_statements(phases: Sequence[Phase]) -> list[str]:
    """Costs and path constraints with abs, minimum, maximum and sign, by name."""
    kinds = ((kind, t) for p in phases for kind, terms in (("cost", p.costs), ("path", p.paths)) for t in terms)
    return [f"{kind} {t.name!r}" for kind, t in kinds if KINK.search(sb.algebra.text(t.expression))]


def _is_time(e: sb.Expr, at: str, p: Phase) -> bool:
    used = set(sb.free_symbols(e))
    return not used if not at else used <= {p.duration, p.equations.t}


def _refuse_endless(p: Phase) -> None:
    """A cost that falls with a duration without a bound, and no other in the phase that contains a motion."""
    if np.isfinite(p.duration_range[1]) or not all(_is_time(c.expression, c.at, p) for c in p.costs):
        return
    low = p.duration_range[0]
    costs = {c.name: _of_duration(c, p, 2 * low + 1) - _of_duration(c, p, low + 1) for c in p.costs}
    if sum(costs.values()) < 0:
        name = min(costs, key=lambda k: costs[k])
        raise sb.ModelError(
            f"{p.where}: cost {name!r} falls with the duration, which has no upper bound; give duration=({low:g}, high), "
            "or change its sign"
        )


def _of_duration(c: NamedTerm, p: Phase, duration: float) -> float:
    at = {p.duration: duration, p.begin: 0.0, p.equations.t: duration if c.at == "end" else 0.0}
    value = float(sb.evaluate(sb.substitute(c.expression, at), {}))
    return c.weight * value * (1.0 if c.at else duration)


def _refuse_linear_costs(p: Phase) -> None:
    """Costs that contain an input to the first power alone, which no bound and no other term holds."""
    total = sum((c.weight * c.expression for c in p.costs if not c.at), sb.algebra.as_expr(0))
    first: list[sb.Expr] = list(sb.gradient(total, p.form.inputs)) if p.form.inputs else []
    held = {s for t in (*p.paths, *p.integrals) for s in sb.free_symbols(t.expression)}
    if not p.form.is_explicit:
        held |= {s for _, e in p.form.rows for s in sb.free_symbols(e)}
    held |= {s for e in p.form.rates for s in sb.free_symbols(e)} if _states_are_bounded(p) else set()
    for s, slope in zip(p.form.inputs, first, strict=True):
        factor = 0.0 if sb.free_symbols(slope) else float(sb.evaluate(slope, {}))
        if factor and s not in held:
            low, high = range_at(p, s, "path")
            if not np.isfinite(low if factor > 0 else high):
                costs = [c.name for c in p.costs if s in sb.free_symbols(c.expression)]
                raise sb.ModelError(
                    f"{p.where}: cost {costs[0]!r} falls without bound with {s.name}, which it contains to the first power; "
                    f"give bounds({s.name}=(low, high)), or a square in the cost"
                )


def _states_are_bounded(p: Phase) -> bool:
    return any(np.isfinite(range_at(p, s, at)).any() for s in p.form.states for at in ("path", "end"))


def _refuse_negative_squares(p: Phase) -> None:
    """∂²L/∂r² < 0 for an input r without bounds (Legendre's condition): quick changes of r hardly move the states."""
    total = sum((c.weight * c.expression for c in p.costs if not c.at), sb.algebra.as_expr(0))
    held = {s for t in (*p.paths, *p.products, *p.integrals) for s in sb.free_symbols(t.expression)}
    for s in p.form.inputs if p.form.is_explicit else ():
        second = sb.derivative(sb.derivative(total, s), s)
        curved = (sb.derivative(sb.derivative(e, s), s).value != 0 for e in p.form.rates)
        low, high = range_at(p, s, "path")
        is_free = s not in held and not (np.isfinite(low) and np.isfinite(high))
        if is_free and not sb.free_symbols(second) and sb.evaluate(second, {}) < 0 and not any(curved):
            costs = [c.name for c in p.costs if s in sb.free_symbols(c.expression)]
            raise sb.ModelError(
                f"{p.where}: cost {costs[0]!r} falls without bound with the square of {s.name}; give "
                f"bounds({s.name}=(low, high)), or change its sign"
            )
