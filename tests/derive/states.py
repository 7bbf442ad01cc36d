"""States, values and comparisons for tests of what is derived."""

from collections.abc import Mapping
from typing import Any

import numpy as np

import symbody as sb
from symbody.derivation.equations.equations import Equations
from symbody.derivation.equations.random_states import random_state


def numbers(thing: Any, values: Mapping[Any, float]) -> np.ndarray:
    return np.array(sb.evaluate(thing, values), dtype=float)


def moving_state(eq: Equations, seed: int = 1, **given: float) -> dict[Any, float]:
    """A random state that satisfies the constraints, with the accelerations and multipliers of the motion."""
    values = random_state(eq, seed, given)
    values |= dict(zip((u.dot for u in eq.u), numbers(eq.udot, values), strict=True))
    if eq.lam:
        values |= dict(zip(eq.lam, numbers(eq.multipliers, values), strict=True))
    return values


def rate(eq: Equations, expression: Any) -> Any:
    """Time derivative along the motion, with symbols for u'."""
    return sb.time_derivative(expression, dict(zip(eq.q, eq.rates.entries, strict=True)))


def close(a: Any, b: Any, tolerance: float = 1e-9) -> bool:
    """Equal to a tolerance relative to the larger of the two."""
    x, y = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    return bool(
        np.max(np.abs(x - y), initial=0)
        <= tolerance * max(np.max(np.abs(x), initial=0), np.max(np.abs(y), initial=0), 1e-12)
    )
