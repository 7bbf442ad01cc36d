"""Constraints that make one coordinate a polynomial of another, as files of robots and skeletons have them:

a q₁ + g(q₂) = 0   as   q₁ = c₀ + c₁ q₂ + c₂ q₂² + c₃ q₂³ + c₄ q₂⁴
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

import symbody as sb

from ...errors import ModelError
from .moving_parts import MovingParts

DEGREE: Final = 4  # the highest that MuJoCo has
PLACES: Final = (-1.1, -0.75, -0.4, -0.1, 0.25, 0.6, 0.9, 1.2)  # of q₂ at which the polynomial is compared
AGREEMENT: Final = 1e-9  # relative difference at which a constraint counts as a polynomial
DIGITS: Final = 13  # of a fitted coefficient; the rest is rounding of the fit


@dataclass(frozen=True)
class CoupledCoordinate:
    """`dependent` is the polynomial of `independent` with these coefficients, of rising powers; a number if that is None."""

    dependent: sb.Symbol
    independent: sb.Symbol | None
    coefficients: tuple[float, ...]


def coupled_coordinate(
    c: sb.bodies.Constraint, parts: MovingParts, candidates: Iterable[sb.Symbol]
) -> CoupledCoordinate:
    """What a constraint says of the first of the candidates for which it can be solved; other constraints are refused."""
    found = next(_solutions(c, parts, candidates), None)
    if found is None:
        raise ModelError(
            f"{parts.what}: constraint {c.name!r} does not make one coordinate a polynomial of another of degree {DEGREE} or less, which is "
            f"what this format couples; leave it out: omit=[{c.name!r}]"
        )
    return found


def _solutions(
    c: sb.bodies.Constraint, parts: MovingParts, candidates: Iterable[sb.Symbol]
) -> Iterator[CoupledCoordinate]:
    moved = [q for q in parts.mechanism.q if q in set(sb.free_symbols(c.expression))]
    known = {*parts.values, *moved}
    if not c.is_holonomic or not 1 <= len(moved) <= 2 or set(sb.free_symbols(c.expression)) - known:
        return
    for q in (q for q in candidates if q in moved):
        slope = sb.derivative(c.expression, q)
        if set(sb.free_symbols(slope)) <= set(parts.values) and (a := parts.numbers(slope)) != 0:
            other = next((p for p in moved if p is not q), None)
            coefficients = _polynomial(c.expression, q, other, parts)
            if coefficients is not None:
                yield CoupledCoordinate(q, other, tuple(float(f"{-x / a:.{DIGITS}g}") for x in coefficients))


def _polynomial(expression: Any, q: sb.Symbol, other: sb.Symbol | None, parts: MovingParts) -> Any:
    """Coefficients in the other coordinate where q is zero; None for other functions."""
    if other is None:
        return [parts.numbers(expression, {q: 0.0})]
    values = np.array([parts.numbers(expression, {q: 0.0, other: x}) for x in PLACES])
    powers = np.vander(PLACES, DEGREE + 1, increasing=True)
    fit, *_ = np.linalg.lstsq(powers, values, rcond=None)
    size = np.max(np.abs(values))
    if np.max(np.abs(powers @ fit - values)) > AGREEMENT * size:
        return None
    return np.where(np.abs(fit) <= 1e-12 * size, 0.0, fit)
