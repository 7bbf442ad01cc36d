"""Multiple shooting: the states at the end of an interval are those of Runge-Kutta steps from its start, compiled as one
function of an interval with exact derivatives; inputs are linear between nodes (Bock and Plitt 1984)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

import symbody as sb

from .node_functions import Array

CLASSICAL: Final = sb.integrate.Tableau.named("rk4")
FRACTION: Final = sb.symbol("fraction_of_the_duration")
WIDTH: Final = sb.symbol("width_of_the_interval")


def end_of_interval(
    phase: Any, integrands: Sequence[sb.Expr], steps: int
) -> tuple[list[sb.Symbol], list[sb.Expr], list[sb.Expr]]:
    """Symbols of the inputs at the end, states there, and the integrals over the interval."""
    form, t = phase.form, phase.equations.t
    later = [sb.symbol(f"{s.name}_at_the_end", "variable") for s in form.inputs]
    rates = sb.vector(*form.rates, *integrands)
    n, h = len(form.states), phase.duration * WIDTH
    x: list[Any] = list(form.states)
    total: list[Any] = [0] * len(integrands)

    def slopes(at: float, y: Sequence[Any]) -> list[Any]:
        """By the fraction of the interval."""
        inputs = [a + at * (b - a) for a, b in zip(form.inputs, later, strict=True)]
        there = dict(zip((*form.states, *form.inputs), (*y[:n], *inputs), strict=True))
        found = sb.substitute(rates, {**there, t: phase.begin + (FRACTION + at * WIDTH) * phase.duration})
        return [h * e for e in found.entries]

    for j in range(steps):
        ends = CLASSICAL.step(slopes, j / steps, [*x, *total], 1 / steps)
        x, total = list(ends[:n]), list(ends[n:])
    return later, x, total


def march(rates: Any, t: Array, v: Array, h: Array, n: int, steps: int) -> Array:
    """States at the ends of all intervals, by so many steps; rates(t, v) for rows of unknowns."""
    x, first, last = v[:-1, :n], v[:-1, n:], v[1:, n:]

    def slopes(at: float, y: Sequence[Array]) -> list[Array]:
        """Of all intervals at once, by their fractions."""
        inputs = first + at * (last - first)
        return [h[:, None] * rates(t[:-1] + at * h, np.hstack([y[0], inputs]))]

    for j in range(steps):
        (x,) = CLASSICAL.step(slopes, j / steps, [x], 1 / steps)
    return np.asarray(x)
