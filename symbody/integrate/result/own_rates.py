"""Quantities between steps from their own rates, so that one that is conserved stays so.

Between steps states come from the polynomials of the method, which are less accurate than the ends of steps: an energy of
such states ripples, by much where every step was brought back onto that energy. Here a quantity g is, in a step of length h,

    g(t + θ h) = g(t) + ∫ g' dt + θ δ,        g' = ∂g/∂t + ∂g/∂y f(t, y)

with g' at the states of the polynomial, and δ what is missing to the value at the end. g' vanishes identically for what is
conserved, whatever the error of the state is.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Final

import numpy as np
from numpy.polynomial import chebyshev
from numpy.typing import NDArray

from ...algebra.calculus.derivatives import time_derivative
from ...algebra.graph.graph import Block, Expr
from ...algebra.graph.walk import evaluation_order, free_symbols
from ...derivation.equations.equations import Equations
from ...emit.run.callable import Array
from ...errors import SimulationError
from ..inputs.meanings import quantity_expressions
from .segment import Segment

DEPENDENT: Final = 1e-13  # of the squares of constraint rows: keeps the system solvable where rows depend on each other
NODES: Final = 16  # at which g' is taken in a step
Values = Callable[[Segment], Array]


def own_rate(eq: Equations, g: object) -> Expr | None:
    """g' of a quantity that is a function of the state; None if it would take a derivative of the dynamics, or the rate
    of an additional variable that its equation gives in numbers alone."""
    if not isinstance(g, Expr) or any(isinstance(n, Block) or n.op == "call" for n in evaluation_order([g])):
        return None
    return eq.cached("own rate", g, lambda: _rate_along_motion(eq, g))


def _rate_along_motion(eq: Equations, g: Expr) -> Expr | None:
    rates = dict(zip(eq.q, eq.rates.entries, strict=True))
    (found,) = quantity_expressions(eq, (time_derivative(g, rates),), f"rate in {eq.name!r}", SimulationError)
    known = set(eq.variables.of("t q u z r p").symbols)
    return found if known.issuperset(free_symbols(found)) else None


def from_own_rates(at: Segment, value: Values, rate: Values, consistent: Callable[[Segment], Segment]) -> Array:
    """A quantity at times between steps.

    at      a segment at other times than those of its steps
    value   the quantity at the times of a segment; `rate` its rate
    consistent   a segment with speeds on the constraints, so that these do no work
    """
    assert at.steps is not None
    all_steps = _StepEnds(at.steps)
    used, which = np.unique(all_steps.of(at.t), return_inverse=True)
    b, e = all_steps.begins[used], all_steps.ends[used]
    half, nodes = (e - b) / 2, chebyshev.chebpts1(NODES)
    times = b[:, None] + half[:, None] * (1 + nodes)
    rates = rate(consistent(at.steps.at(times.ravel()))).reshape(times.shape)
    series = np.linalg.solve(chebyshev.chebvander(nodes, NODES - 1), rates.T)
    change = chebyshev.chebint(series, lbnd=-1) * half
    first, last = (value(replace(at, t=t, y=y[used])) for t, y in ((b, all_steps.first), (e, all_steps.last)))
    missing = last - first - chebyshev.chebval(1.0, change)
    x = np.clip((at.t - b[which]) / np.where(half == 0, 1.0, half)[which] - 1, -1, 1)
    inside = chebyshev.chebval(x, change[:, which], tensor=False)
    return np.asarray(first[which] + inside + missing[which] * (1 + x) / 2)


class _StepEnds:
    """All steps of a segment: times and states at their begins and ends, as the steps themselves have them."""

    def __init__(self, segment: Segment) -> None:
        n = segment.y.shape[1]
        self.direction = 1.0 if segment.span[1] >= segment.span[0] else -1.0
        self.begins = np.concatenate([np.append(d.start, d.ends[:-1]) for d in segment.dense])
        self.ends = np.concatenate([d.ends for d in segment.dense])
        self.first = np.concatenate([d.coefficients[:, 0, :n] for d in segment.dense])
        self.last = np.concatenate([d.coefficients[:, :2, :n].sum(axis=1) for d in segment.dense])

    def of(self, t: Array) -> NDArray[np.int64]:
        """The step of each time; at a jump, the one after it."""
        step = np.searchsorted(self.direction * self.begins, self.direction * t, side="right") - 1
        return np.asarray(np.clip(step, 0, len(self.begins) - 1))


def with_speeds_on(constraints: Array, missed: Array, segment: Segment) -> Segment:
    """A segment whose speeds are moved by the least onto Jc u + b = 0.

    constraints   Jc at each time; missed: Jc u + b there. Dependent rows are consistent
    """
    square = constraints @ constraints.transpose(0, 2, 1)
    size = np.trace(square, axis1=1, axis2=2)[:, None, None]
    square = square + DEPENDENT * np.where(size == 0, 1.0, size) * np.eye(square.shape[1])
    push = np.linalg.solve(square, missed[:, :, None])
    y, n = segment.y.copy(), len(segment.equations.q)
    y[:, n : n + len(segment.equations.u)] -= (constraints.transpose(0, 2, 1) @ push)[:, :, 0]
    return replace(segment, y=y)
