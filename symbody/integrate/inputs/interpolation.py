"""Functions through samples, for expressions."""

from __future__ import annotations

from typing import Any

from ...algebra.graph.functions import ExternalFunction
from ...argument_kinds import answered
from ...emit.run.piecewise_polynomials import Pieces, piecewise_polynomial
from ...errors import ExpressionError
from .splines import samples_of


@answered
def interpolation(name: str, x: Any, y: Any, kind: str = "cubic") -> ExternalFunction:
    """A function of expressions that goes through samples: a cubic spline (two continuous derivatives, exact ones), or
    straight lines with `kind="linear"`, or stairs with `kind="held"`, on which each value holds up to the next sample;
    constant before the first and after the last sample. Compiled, also in generated code.

    name   of the function in texts and generated code

    >>> road = sb.integrate.interpolation("road", [0.0, 1.0, 2.0], [0.0, 0.1, 0.0])
    >>> x = sb.symbol("x")
    >>> sb.evaluate(road(x), {x: 0.5})
    0.075

    See also: `algebra.ExternalFunction`, `simulate`.
    """
    samples = samples_of((x, y, kind), f"interpolation {name!r}", ExpressionError)
    rows = samples.coefficients
    return piecewise_polynomial(Pieces(name, samples.knots.tobytes(), rows.tobytes(), rows.shape[1]))
