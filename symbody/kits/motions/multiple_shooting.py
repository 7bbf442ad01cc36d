"""Multiple shooting: the states at the end of an interval are those of Runge-Kutta steps from its start, compiled as one
function of an interval with exact derivatives; inputs are linear between nodes (Bock and Plitt 1984)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

import symbody as sb

from .node_functions import Array

STAGES: Final = ((0.0, 1 / 6), (0.5, 1 / 3), (0.5, 1 / 3), (1.0, 1 / 6))  # nodes and weights of the classical method
FRACTION: Final = sb.symbol("fraction_of_the_duration")
WIDTH: Final = sb.symbol("width_of_the_interval")


def end_of_interval(
    phase: Any, integrands: Sequence[sb.Expr], steps: int
) -> tuple[list[sb.Symbol], list[sb.Expr], list[sb.Expr]]:
    """Symbols of the inputs at the end, states there, and the integrals over the interval."""
    form, t = phase.form, phase.equations.t
    later = [sb.symbol(f"{s.name}_at_the_end", "variable") for s in form.inputs]
    rates = sb.vector(*form.rates, *integrands)
    n, h = len(form.states), phase.duration * WIDTH / steps
    x: list[Any] = list(form.states)
    total: list[Any] = [0] * len(integrands)

    def slopes(at: float, x: Sequence[Any]) -> list[Any]:
        inputs = [a + at * (b - a) for a, b in zip(form.inputs, later, strict=True)]
        there = dict(zip((*form.states, *form.inputs), (*x, *inputs), strict=True))
        return list(sb.substitute(rates, {**there, t: phase.begin + (FRACTION + at * WIDTH) * phase.duration}).entries)

    for j in range(steps):
        ends = rk4_step(lambda c, moved, j=j: slopes((j + c) / steps, moved), [*x, *total], n, h)  # type: ignore[misc]
        x, total = ends[:n], ends[n:]
    return later, x, total


def rk4_step(slopes: Callable[[float, list[Any]], list[Any]], start: Sequence[Any], n: int, h: Any) -> list[Any]:
    """States and integrals after a step: `slopes` at a fraction of the step and n states, and integrals after them."""
    found: list[list[Any]] = []
    for c, _ in STAGES:
        found.append(
            slopes(c, [a + c * h * k for a, k in zip(start[:n], found[-1], strict=False)] if found else list(start[:n]))
        )
    return [
        a + h * sum((w * f[i] for (_, w), f in zip(STAGES, found, strict=True)), sb.algebra.as_expr(0))
        for i, a in enumerate(start)
    ]


def march(rates: Any, t: Array, v: Array, h: Array, n: int, steps: int) -> Array:
    """States at the ends of all intervals, by so many steps; rates(t, v) for rows of unknowns."""
    x, first, last = v[:-1, :n], v[:-1, n:], v[1:, n:]
    for j in range(steps):
        size, slope, total = h[:, None] / steps, None, 0.0
        for c, w in STAGES:
            moved = x if slope is None else x + c * size * slope
            inputs = first + (j + c) / steps * (last - first)
            slope = rates(t[:-1] + (j + c) / steps * h, np.hstack([moved, inputs]))
            total = total + w * slope
        x = x + size * total
    return np.asarray(x)
