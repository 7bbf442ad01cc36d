"""Times at which held inputs jump, and how steps end there.

The right side has a jump at such a time, and a step across it would be rejected over and over. So a step ends a few
roundings before it, where all its stages still see the old value, and the next one begins at it, with the new one.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from ...algebra.graph.functions import LookupTable
from ...algebra.graph.walk import evaluation_order
from ...derivation.equations.equations import Equations
from ...emit.run.callable import Array

BREAK_OFFSET: Final = 4.0  # units in the last place of time by which stages stay on their side of a break


def breaks(eq: Equations) -> Array:
    """Times at which a function of time in the equations jumps, in order."""
    return eq.cached("breaks", (), lambda: _jump_times(eq))


def _jump_times(eq: Equations) -> Array:
    parts = (eq.rates, eq.M, eq.f, eq.phi, eq.Jc, eq.b, eq.c, eq.h)
    tables = [
        n.data.table
        for n in evaluation_order([e for part in parts for e in part.entries])
        if n.op == "call" and n.args == (eq.t,)
    ]
    return np.array(sorted({t for table in tables if table is not None for t in _jumps(table).tolist()}))


def _jumps(table: LookupTable) -> Array:
    values = np.asarray(table.coefficients)
    is_stairs = values.shape[1] == 1 and not table.is_rate
    return np.asarray(table.times)[1:-1][np.diff(values[:, 0]) != 0] if is_stairs else np.zeros(0)


def breaks_between(eq: Equations, begin: float, end: float) -> list[tuple[float, float]]:
    """The breaks inside a time, in the order in which they are passed, each as the end of a step and the beginning of
    the next."""
    if not len(jumps := breaks(eq)):
        return []
    aside = BREAK_OFFSET * float(np.spacing(max(abs(begin), abs(end))))
    inside = [t for t in jumps.tolist() if min(begin, end) + aside < t < max(begin, end) - aside]
    if end > begin:
        return [(t - aside, t) for t in inside]
    return [(t + aside, t - aside) for t in reversed(inside)]
