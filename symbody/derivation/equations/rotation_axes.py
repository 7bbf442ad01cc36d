"""The axes about which three successive angles rotate a frame."""

from __future__ import annotations

from collections.abc import Sequence

from ...algebra.calculus.derivatives import derivative
from ...algebra.graph.graph import Expr
from ...algebra.graph.walk import free_symbols
from ...errors import EvaluationError, listed
from .equations import Equations
from .variable import Variable


def axes_of_rotation(eq: Equations, angles: Sequence[Variable]) -> list[Expr]:
    """∂ω/∂q̇ᵢ of the first frame that all the angles rotate: three components for each angle."""
    rates = [v.symbol.dot for v in angles]
    for frame in eq.mechanism.frames:
        omega = frame.angular_velocity_components.entries
        if set(rates) <= set(free_symbols(*omega)):
            return [derivative(e, rate) for rate in rates for e in omega]
    raise EvaluationError(f"no frame rotates by {listed([v.name for v in angles])}")
