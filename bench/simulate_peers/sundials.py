"""SUNDIALS through scikit-sundae: CVODE with the right side that symbody compiled."""

from __future__ import annotations

import time
from typing import Final

import numpy as np
from sksundae.cvode import CVODE

from .cases import Array, Case
from .result import Run, from_state

MOST_STEPS: Final = 10**7


def cvode_run(case: Case, tolerance: float, method: str = "Adams") -> Run:
    """SUNDIALS CVODE: Adams, or BDF."""
    f = case.compiled

    def slopes(t: float, y: Array, yp: Array) -> None:
        yp[:] = f(t, y)

    solver = CVODE(slopes, method=method, rtol=tolerance, atol=tolerance, max_num_steps=MOST_STEPS)
    begin = time.process_time()
    done = solver.solve(np.array([0.0, case.end]), case.y0)
    return from_state(case, time.process_time() - begin, done.y[-1], -1, int(done.nfev))
