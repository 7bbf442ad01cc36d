"""Functions through samples, for expressions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import ceil, pi
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ...algebra.graph.functions import ExternalFunction, atan2, cos, sin
from ...algebra.graph.graph import Expr
from ...argument_kinds import answered
from ...emit.run.piecewise_polynomials import Pieces, piecewise_polynomial
from ...errors import ExpressionError, finite_number
from .splines import Samples, samples_of

Numbers = NDArray[np.float64]
SAMPLES_BESIDE: Final = 32  # the ends of a spline change it by a factor 0.27 from sample to sample: 1e-18 behind these


@answered
def interpolation(
    name: str, x: Any, y: Any, kind: str = "cubic", *, period: float | None = None
) -> Callable[..., Expr]:
    """An interpolating function of expressions: a cubic spline with exact first and second derivatives, straight lines
    with `kind="linear"`, or steps with `kind="held"`, which hold each value until the next sample. It is constant
    before the first and after the last sample, and is compiled, also in generated code.

    name     of the function in texts and generated code
    period   period of a periodic function: the samples cover one period, and a spline is smooth across its ends

    Steps do not end at the knots of lines or steps in the state, and high-order error control hardly detects the kinks:
    use a spline, or a smaller tolerance.

    >>> road = sb.integrate.interpolation("road", [0.0, 1.0, 2.0], [0.0, 0.1, 0.0])
    >>> x = sb.symbol("x")
    >>> sb.evaluate(road(x), {x: 0.5})
    0.075
    >>> waves = sb.integrate.interpolation("waves", [0.0, 1.0, 2.0], [0.0, 0.1, 0.0], "linear", period=2.0)
    >>> sb.evaluate(waves(x), {x: 7.5})
    0.05

    See also: `algebra.ExternalFunction`, `simulate`.
    """
    where = f"interpolation {name!r}"
    samples = samples_of((x, y, kind), where, ExpressionError)
    if period is None:
        return _function(name, samples)
    length = finite_number(period, f"{where}: period", ExpressionError)
    if length <= 0:
        raise ExpressionError(f"{where}: a period must be positive, got {length:g}")
    many = samples_of(
        (*_periods(np.asarray(x, float), np.asarray(y, float), length, where), kind), where, ExpressionError
    )
    return PeriodicFunction(_function(name, many), float(samples.knots[0]), length)


@dataclass(frozen=True)
class PeriodicFunction:
    """A function of one argument, known on the period from `begin`."""

    function: ExternalFunction
    begin: float
    period: float

    def __call__(self, x: Any) -> Expr:
        angle = 2 * pi / self.period * (x - self.begin - self.period / 2)
        return self.function(self.begin + self.period / 2 + self.period / (2 * pi) * atan2(sin(angle), cos(angle)))


def _function(name: str, samples: Samples) -> ExternalFunction:
    rows = samples.coefficients
    return piecewise_polynomial(Pieces(name, samples.knots.tobytes(), rows.tobytes(), rows.shape[1]))


def _periods(x: Numbers, y: Numbers, period: float, where: str) -> tuple[Numbers, Numbers]:
    """Samples of a period, with so many periods beside it that the ends of a spline do not reach it."""
    over = x[-1] - x[0] - period
    if over > 1e-9 * period:
        raise ExpressionError(
            f"{where}: the samples go from {x[0]:g} to {x[-1]:g}, which is more than the period {period:g}"
        )
    if abs(over) <= 1e-9 * period:
        if abs(y[-1] - y[0]) > 1e-9 * np.abs(y).max():
            raise ExpressionError(
                f"{where}: it is {y[0]:g} at {x[0]:g} and {y[-1]:g} one period later; give these samples the same value, or leave one out"
            )
        x, y = x[:-1], y[:-1]
    count = ceil(SAMPLES_BESIDE / len(x))
    turns = np.arange(-count, count + 1)
    every = (turns[:, None] * period + x).ravel()
    return np.append(every, x[0] + (count + 1) * period), np.append(np.tile(y, len(turns)), y[0])
