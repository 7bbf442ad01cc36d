"""SciPy's `solve_ivp` with the right side that symbody compiled."""

from __future__ import annotations

import time

from scipy.integrate import solve_ivp

from .cases import Case
from .result import Run, from_state


def scipy_run(case: Case, tolerance: float, method: str = "RK45") -> Run:
    """`method`: RK45, DOP853, Radau, or another one of `solve_ivp`."""
    f = case.compiled
    begin = time.process_time()
    done = solve_ivp(f, (0, case.end), case.y0, method, rtol=tolerance, atol=tolerance)
    seconds = time.process_time() - begin
    return from_state(case, seconds, done.y[:, -1], len(done.t) - 1, done.nfev)
