"""The loop of `simulate` for others to run: records of an explicit method that are tied to no form, and what is constant
in them. FMUs and live pages print `march` for these and supply its functions.

    rhs((t, y), (dy,))           rates of a state
    settle((t, y), (out, note))  the state brought back to the constraints; note[0] is negative where that fails
    watch((t, y), (values,))     event functions, then their rates
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...emit.loops.records import IS_PRESENT, Struct
from .explicit import runge_kutta
from .march_records import TINY, Counts, Growth, Leaps, Probes, Results, Steps, Watched
from .next_switching import LINE, SwitchingTimes
from .tableaux import Tableau


def standalone_records(tableau: Tableau) -> dict[str, Struct]:
    """m and s of `march`, for one variable: what is printed for them serves any number."""
    one, n = np.zeros(1), 1
    steps = Steps(
        n=n, is_adaptive=1, atol=one, y=one, y_end=one, r=np.zeros(tableau.pieces), w=one, note=one, counts=Counts(), leaps=Leaps(speeds=one), probes=Probes(change=one, fine=one),
        switching=SwitchingTimes(rounding=TINY, first=np.zeros(2, dtype=np.int64), knots=one, lines=np.zeros(LINE), lines_at=IS_PRESENT),
        results=Results(row_times=one, rows=one, polynomials=one, times=one, at_times=one), growth=Growth(per_size=one), rhs=IS_PRESENT, settle=IS_PRESENT,
        watched=Watched(values=one, earlier=one, later=one, inner=one, side=one, least=one, sense=np.zeros(1, dtype=np.int64), watch=IS_PRESENT),
    )  # fmt: skip
    return {"m": runge_kutta(tableau, n, positions=0, along=None, onto=None, projects=False), "s": steps}


def standalone_constants(*, settles: bool, watches: bool, switches: bool) -> dict[str, Any]:
    """Constants of these records: steps are controlled, no step is stored as a whole, and stiffness is not
    examined."""
    there = {"s.settle": settles, "s.watched.watch": watches, "s.switching.lines_at": switches}
    return {
        **({} if switches else {"s.switching.count": 0}), "s.probes.count": 0, "s.is_adaptive": 1, "s.results.is_stored": 0, "s.leaps.count": 0, "m.patience": 0,
        "s.switching.sample": None, **{name: IS_PRESENT if is_there else None for name, is_there in there.items()},
    }  # fmt: skip
