"""Numbers that written code must reproduce: every function at a generic point, and a motion."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from inspect import signature
from typing import Any, Final

import numpy as np

from ...algebra.calculus.evaluate import evaluate
from ...algebra.graph.walk import scalars
from ...derivation.equations.equations import Equations
from ...emit import ir
from ...errors import EvaluationError, ExpressionError, ProgramError
from ...integrate.run.simulate import simulate
from ...integrate.start.state import State
from .algorithms import ROUNDING
from .artefact import Algorithm, Artefact, CheckPoint, CheckValues, ExportedFunction, Numbers, Reference, places

REFERENCE_POINTS: Final = 11  # times of a reference motion
FIRST_STEPS, MOST_STEPS = 16, 1 << 14  # steps tried between two of these times: doubled from the first to the last
SHIFTS_OF_POINT: Final = (
    1.0,
    0.1,
    0.01,
    0.0,
)  # factors of the distance from the start to the point of the check, tried in order
TIME_OF_CHECK: Final = 0.37  # seconds after the start: at t = 0 sines of time are zero, whatever their frequency
STEP_AGREEMENT: Final = (
    1e-8  # largest error of the steps of a check, relative to 1 + the largest value of each variable
)


# ---------------------------------------------------------------------------------------------------- one point


def check_point(made: Artefact) -> tuple[CheckPoint, list[str]]:
    """Values of all functions and algorithms at a generic point near the start, by evaluating expressions; and which
    have none.

    Where expressions have no value there (a root of a negative number), the point is nearer to the start.
    """
    for scale in SHIFTS_OF_POINT:
        found, missing = _checked_at(made, scale)
        if not missing:
            break
    return found, missing


def _checked_at(made: Artefact, scale: float) -> tuple[CheckPoint, list[str]]:
    t, x, r = made.start
    t += scale * TIME_OF_CHECK
    x = tuple(v + scale * _shift(k) for k, v in enumerate(x))
    r = tuple(v + 2 * _shift(k) for k, v in enumerate(r))
    values: dict[str, CheckValues] = {}
    missing = []
    for f in made.functions:
        try:
            values[f.name] = _function_check(made, f, (t, x, r))
        except (
            EvaluationError,
            ExpressionError,
        ) as reason:  # no value there, or a function that is known elsewhere only
            missing.append(f"{f.name} has no value to be checked by: {reason}")
    for a in made.algorithms:
        if all(name in values for name in a.calls.values()):
            values[a.name] = _algorithm_check(made, a, (t, x, r))
    return CheckPoint(t, x, r, values), missing


def _shift(k: int) -> float:
    """Small numbers without a pattern that a model might share."""
    return 0.03 + 0.11 * ((k * 0.6180339887498949) % 1.0)


def _function_check(made: Artefact, f: ExportedFunction, point: tuple[float, Numbers, Numbers]) -> CheckValues:
    given = tuple(tuple(_shift(3 * g + k) for k in range(len(group))) for g, group in enumerate(f.program.inputs[4:]))
    outputs = expression_values(made, f, point, given)
    return CheckValues(given, tuple(outputs))


def expression_values(
    made: Artefact, f: ExportedFunction, point: tuple[float, Sequence[float], Sequence[float]], more: Sequence[Sequence[float]]
) -> list[Numbers]:  # fmt: skip
    """Outputs of a function, from its expressions."""
    t, x, r = point
    given = ((t,), x, r, made.defaults, *more)
    numbers = {
        s: float(v)
        for group, a in zip(f.program.inputs, given, strict=True)
        for s, v in zip(group.symbols, a, strict=False)
    }
    found = evaluate([e for thing in f.expressions.values() for e in scalars(thing)], numbers)
    out, at = [], 0
    for o, thing in zip(f.program.outputs, f.expressions.values(), strict=True):
        size = len(scalars(thing))
        out.append(_stored_entries(o, [float(v) for v in found[at : at + size]]))
        at += size
    return out


def _stored_entries(o: ir.Output, entries: list[float]) -> Numbers:
    if not o.is_sparse:
        return tuple(entries)
    columns = o.shape[1] if len(o.shape) > 1 else 1
    return tuple(entries[i * columns + j] for i, j in places(o))


def _algorithm_check(made: Artefact, a: Algorithm, point: tuple[float, Numbers, Numbers]) -> CheckValues:
    """The kernel, run as the Python function that it is, on functions that evaluate expressions."""
    t, x, r = point
    name, size = a.state
    state = [*x, *(_shift(k) for k in range(size - len(x)))]
    more = {k: [_shift(2 * j) for j in range(n)] for k, n in a.more.items()}
    if a.changes:
        state = list(x)
    arrays: dict[str, Any] = {name: list(state), **{k: list(v) for k, v in more.items()}}
    arrays |= {k: [0.0] * n for k, n in (*a.results.items(), *a.scratch.items())}
    arrays |= {ROUNDING: 2.0**-52} if ROUNDING in signature(a.kernel).parameters else {}
    arrays |= dict(a.constants) | {k: list(made.tables[table]) for k, table in a.tables.items()}
    for parameter, called in a.calls.items():
        arrays[parameter] = _caller(made, made.function(called), t, r)
    a.kernel(**arrays)
    results = [arrays[name]] if a.changes else [arrays[k] for k in a.results]
    return CheckValues((tuple(state), *(tuple(v) for v in more.values())), tuple(tuple(v) for v in results))


def _caller(made: Artefact, f: ExportedFunction, t: float, r: Numbers) -> Any:
    sizes = [len(g) for g in f.program.inputs]

    def run(inputs: tuple[list[float], ...], outputs: tuple[list[float], ...]) -> None:
        more = [v[:n] for v, n in zip(inputs[1:], sizes[4:], strict=True)]
        for out, found in zip(outputs, expression_values(made, f, (t, inputs[0][: sizes[1]], r), more), strict=True):
            out[: len(found)] = found

    return run


# ---------------------------------------------------------------------------------------------------- a motion


def reference_motion(eq: Equations, start: State, seconds: float, projects: bool) -> Reference:
    """States at evenly spaced times, as accurate as numbers allow, and how many steps of Runge-Kutta's method come near
    them."""
    times = np.linspace(start.t, start.t + seconds, REFERENCE_POINTS)
    exact = simulate(eq, times, start, rtol=1e-12)
    if not exact.outcome:
        raise ProgramError(
            f"export of {eq.name!r}: the reference motion of {seconds:g} s does not reach its end ({exact.outcome}); request a shorter one, "
            "reference=0.1, or none, reference=None"
        )
    n = len(eq.state)
    states = exact.y[:, :n]
    scales = 1.0 + np.abs(states).max(axis=0)
    steps, error = FIRST_STEPS, np.inf
    best: tuple[float, int] | None = None
    while steps <= MOST_STEPS:
        error = _distance(eq, start, times, steps, states, scales)
        if best is None or error < best[0]:
            best = error, steps
        if error <= STEP_AGREEMENT:
            break
        steps *= 2
    assert best is not None
    error, steps = best
    rows = tuple(tuple(map(float, row)) for row in states)
    return Reference(tuple(map(float, times)), rows, steps, max(5 * float(error), 1e-9), projects)


def _distance(eq: Equations, start: State, times: Any, steps: int, states: Any, scales: Any) -> float:
    """Largest error of so many steps between two times."""
    form = "projection" if eq.lam else "auto"
    options: Mapping[str, Any] = {"method": "rk4", "step": float(times[1] - times[0]) / steps, "form": form}
    found = simulate(eq, (float(times[0]), float(times[-1])), start, options=options)
    if not found.outcome or len(found.t) < steps * (len(times) - 1) + 1:
        return float("inf")
    near = [int(np.argmin(np.abs(found.t - t))) for t in times]
    return float(np.max(np.abs(found.y[near, : states.shape[1]] - states) / scales, initial=0.0))
