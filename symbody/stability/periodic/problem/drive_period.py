"""Whether equations that depend on time repeat with a period: f(t + T, x) = f(t, x).

An orbit of period T closes after T whatever f is; it is a periodic motion only where f repeats. That is tested with
numbers, at random times and at states on and around the first guess: t may stand inside of a function of the state, as
in sin(q + w t). The graph shows which terms are responsible: the largest parts that depend on time and on parameters
alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import pi
from typing import Final

import numpy as np

from ....algebra.calculus.derivatives import derivative
from ....algebra.calculus.evaluate import evaluate
from ....algebra.graph.graph import Expr, Symbol
from ....algebra.graph.walk import evaluation_order, free_symbols, nodes_with
from ....derivation.entry.checks import part_with
from ....derivation.programs.state_rates import state_rates
from ....emit.run.callable import Array
from ....errors import EvaluationError, StabilityError, listed
from .orbit_flow import OrbitFlow
from .orbit_problem import OrbitPoint, OrbitSetting

SAMPLES: Final = 12  # number of times and states at which the rates are compared
SPREAD: Final = 0.1  # displacement of these states from the first guess, relative to their sizes
MAX_CHANGE: Final = 1e-7  # change over a period, relative to the quantity, that counts as rounding
MAX_TERMS: Final = 3  # number of terms that are named


def refuse_other_period(flow: OrbitFlow, setting: OrbitSetting, guess: OrbitPoint) -> None:
    """Refuse a period after which the equations of a driven system are not what they were. Orbits that close up to an
    image of the state are not tested."""
    if not flow.is_driven or setting.period is None or setting.image:
        return
    T = float(evaluate(setting.period, _constants(flow, setting)))
    if _repeats(flow, setting, T, guess):
        return
    terms = _changing_terms(flow, setting, T)
    if terms and all(_is_one_period(e, flow.equations.t, T) for e in terms):
        return
    what = listed(_term_in_words(flow, e, setting) for e in terms[:MAX_TERMS])
    raise StabilityError(
        f"orbit of {flow.equations.name!r}: its equations do not repeat with period = {T:z.10g}: "
        f"{what or 'their rates at t and at t + period differ'}. Give the period of what drives it, or a multiple, "
        "as an expression (2*sb.pi/w) or to all digits"
    )


def _repeats(flow: OrbitFlow, setting: OrbitSetting, T: float, guess: OrbitPoint) -> bool:
    """Whether rates, events and other modes are the same at t and t + T."""
    draw = np.random.default_rng(1)
    t = setting.t0 + T * draw.uniform(0.0, 1.0, SAMPLES)
    x = guess.x[draw.integers(0, len(guess.x), SAMPLES)]
    x = x + SPREAD * np.maximum(guess.sizes, 1e-3) * draw.uniform(-1.0, 1.0, x.shape)
    now, then = (flow.along(at, x, setting.p)[0] for at in (t, t + T))
    return _is_same(now, then) and all(
        _is_same(*(_values(part, flow, setting, at, x) for at in (t, t + T))) for part in _other_parts(flow)
    )


def _is_same(now: Array, then: Array) -> bool:
    good = np.isfinite(now).all(axis=1) & np.isfinite(then).all(axis=1)
    sizes = np.maximum(np.abs(now[good]), np.abs(then[good])).max(axis=0, initial=0.0)
    return bool((np.abs(then[good] - now[good]) <= MAX_CHANGE * sizes).all())


def _other_parts(flow: OrbitFlow) -> list[Sequence[Expr]]:
    """Expressions beside the rates that may depend on time: those of events, of resets, of other modes."""
    resets = [e for reset in flow.resets for e in reset.values()]
    modes = [[*used, *state_rates(eq).entries] for eq, used in flow.others]
    parts = [[*(flow.used or ()), *resets], *modes]
    return [p for p in parts if p and flow.equations.t in free_symbols(*p)]


def _values(part: Sequence[Expr], flow: OrbitFlow, setting: OrbitSetting, t: Array, x: Array) -> Array:
    """Expressions at times and states; NaN if they have no value."""
    rows = []
    for at, state in zip(t, x, strict=True):
        values = {**_constants(flow, setting), **dict(zip(flow.x, state.tolist(), strict=True)), flow.equations.t: at}
        missing = {s: 0.5 for s in free_symbols(*part) if s not in values}
        try:
            rows.append(evaluate(list(part), {**missing, **values}))
        except (EvaluationError, OverflowError):
            rows.append([np.nan] * len(part))
    return np.array(rows, dtype=np.float64)


def _constants(flow: OrbitFlow, setting: OrbitSetting) -> dict[Symbol, float]:
    return dict(zip(flow.equations.variables.constants, map(float, setting.p), strict=True))


# ---------------------------------------------------------------------------------------------------------- descriptions


def _changing_terms(flow: OrbitFlow, setting: OrbitSetting, T: float) -> list[Expr]:
    """The terms of time and parameters that are not the same at t and t + T; time itself, and what is linear in it,
    stand inside of others and are not terms."""
    eq, constants = flow.equations, _constants(flow, setting)
    roots = [*flow.rates.entries, *(e for part in _other_parts(flow) for e in part)]
    terms = _terms_of_time(roots, eq.t, constants)
    times = setting.t0 + T * np.random.default_rng(2).uniform(0.0, 1.0, SAMPLES)
    return [e for e in terms if not _is_same(*(_of_time(e, eq.t, constants, at) for at in (times, times + T)))]


def _of_time(e: Expr, t: Symbol, constants: Mapping[Symbol, float], times: Iterable[float]) -> Array:
    return np.array([[evaluate(e, {**constants, t: at})] for at in times], dtype=np.float64)


def _terms_of_time(roots: Sequence[Expr], t: Symbol, constants: Mapping[Symbol, float]) -> list[Expr]:
    """The largest parts of expressions in time and constants alone, but for those that are linear in time; and functions
    from outside of time alone (samples, Python functions), whose derivatives may be unknown."""
    order = evaluation_order(roots)
    others = nodes_with(order, {s for s in free_symbols(*roots) if s is not t and s not in constants})
    with_time = nodes_with(order, {t})
    of_time = [n for n in order if n in with_time and n not in others and isinstance(n, Expr)]
    used_outside = {a for n in others for a in n.args} | set(roots)
    return [
        n for n in of_time
        if n.op == "call" or (n in used_outside and t in free_symbols(derivative(n, t)))
    ]  # fmt: skip


def _is_one_period(e: Expr, t: Symbol, T: float) -> bool:
    """Whether a term is a table of samples over one period, whose ends agree."""
    table = e.data.table if e.op == "call" else None
    if table is None or e.args[0] is not t or abs(table.times[-1] - table.times[0] - T) > 1e-9 * T:
        return False
    first, last = (evaluate(e, {t: at}) for at in (table.times[0], table.times[-1]))
    largest = max(abs(evaluate(e, {t: at})) for at in table.times)
    return bool(abs(last - first) <= 1e-6 * largest)


def _term_in_words(flow: OrbitFlow, e: Expr, setting: OrbitSetting) -> str:
    """A term, the part of the model that it stands in, and its own period where that is known."""
    eq = flow.equations
    owner = part_with(eq, e)
    period = _period_of(e, eq.t, _constants(flow, setting))
    return (
        f"{e}{f' in {owner}' if owner else ''} {f'has period {period:z.10g}' if period else 'has another one, or none'}"
    )


def _period_of(e: Expr, t: Symbol, constants: Mapping[Symbol, float]) -> float:
    """2π/|w| where all sines and cosines of a term have one frequency w; 0 if it is not known."""
    waves = {n for n in nodes_with(evaluation_order([e]), {t}) if n.op in ("sin", "cos")}
    slopes = {derivative(n.args[0], t) for n in waves if isinstance(n.args[0], Expr)}
    if len(slopes) != 1 or t in free_symbols(*slopes):
        return 0.0
    rate = abs(float(evaluate(next(iter(slopes)), constants)))
    return 2 * pi / rate if rate else 0.0
