"""Steps in reverse mode: gradients of bar · x⁺ from derivatives of a few members at a time, so that those of all never are
in memory together."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

import numpy as np

from ...emit.run.callable import Array
from .step_results import StepDerivatives

MEMBERS: Final = 512  # number of members whose derivatives are in memory at a time


def pulled_back(
    derivatives: Callable[..., StepDerivatives],
    state: Array,
    bar: Array,
    given: Mapping[str, Any],
    t: float,
    wrt: tuple[str, ...],
) -> StepDerivatives:
    """States after a step, and barᵀ ∂x⁺/∂y for each group y, from `derivatives` of steps; `given` are r, r_end and p."""
    if state.ndim == 1:
        found = derivatives(state, t=t, wrt=wrt, **given)
        return StepDerivatives(found.state, **{g: bar @ getattr(found, g) for g in wrt}, one_sided=found.one_sided)
    count = len(state)
    states = np.empty(state.shape)
    bars: dict[str, Array] = {}
    sides: list[Any] = []
    for first in range(0, count, MEMBERS):
        part = slice(first, first + MEMBERS)
        mine = {k: x[part] if np.ndim(x) == 2 and len(x) == count else x for k, x in given.items()}
        found = derivatives(state[part], t=t, wrt=wrt, **mine)
        states[part] = found.state
        sides += found.one_sided
        for g in wrt:
            J = getattr(found, g)
            bars.setdefault(g, np.empty((count, J.shape[-1])))[part] = np.einsum("ni,nij->nj", bar[part], J)
    return StepDerivatives(states, **bars, one_sided=tuple(sides))
