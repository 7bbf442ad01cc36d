"""Functions of time of which nothing is known, as those of Python: whether the rules of a step see what they do, as kernels.

The rates of the state at the beginning, at the times inside the step, are integrated by two rules, of which one has the
nodes of the other and as many between them (Gauss and Kronrod, 7 and 15 nodes). Where these differ by more than the
tolerance, something happens between the stages, and the step is too long.
"""

from __future__ import annotations

from math import sqrt
from typing import Final

from ...emit.loops.kernel_language import is_finite
from .march_records import DONE, TOO_SMALL, Steps

# nodes in [-1, 1] from the middle on, and weights of both rules (Piessens et al., QUADPACK, 1983)
NODES: Final = (0.0, 0.207784955007898468, 0.405845151377397167, 0.586087235467691130, 0.741531185599394440, 0.864864423359769073, 0.949107912342758525, 0.991455371120812640)  # fmt: skip
FINE: Final = (0.209482141084727828, 0.204432940075298892, 0.190350578064785410, 0.169004726639267903, 0.140653259715525919, 0.104790010322250184, 0.063092092629978553, 0.022935322010529225)  # fmt: skip
COARSE: Final = (0.417959183673469388, 0.0, 0.381830050505118945, 0.0, 0.279705391489276668, 0.0, 0.129484966168869693, 0.0)  # fmt: skip
WIDEST: Final = 0.11  # of a step: the longest time between neighbouring nodes


def sees_time(s: Steps, h: float) -> int:
    """DONE, or TOO_SMALL with `s.error` where the step h is too long for what changes with time."""
    p = s.probes
    for i in range(s.n):
        p.change[i] = 0.0
    for node in range(p.count):
        add_node(s, h, 0.5 * (1.0 + NODES[node]), 0.5 * (COARSE[node] - FINE[node]))
        if node > 0:
            add_node(s, h, 0.5 * (1.0 - NODES[node]), 0.5 * (COARSE[node] - FINE[node]))
    total = 0.0
    for i in range(s.n):
        x = h * p.change[i] / (s.atol[i] + s.rtol * max(abs(s.y[i]), abs(s.y_end[i])))
        total = total + x * x
    error = sqrt(total / float(s.n))
    if error > 1.0 or not is_finite(error):
        s.error = error
        return TOO_SMALL
    return DONE


def add_node(s: Steps, h: float, theta: float, weight: float) -> None:
    """The rates at a node, with its weight in the difference of both rules."""
    s.rhs((s.t + theta * h, s.y), (s.probes.fine,))
    s.counts.evaluations += 1
    for i in range(s.n):
        s.probes.change[i] = s.probes.change[i] + weight * s.probes.fine[i]
