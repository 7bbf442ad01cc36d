"""SUNDIALS through scikit-sundae: CVODE with the right side that symbody compiled, IDA with the residual."""

from __future__ import annotations

import time
from typing import Final

import numpy as np
from sksundae.cvode import CVODE
from sksundae.ida import IDA

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


def ida_run(case: Case, tolerance: float) -> Run:
    """SUNDIALS IDA on the implicit equations of index 1, with multipliers as algebraic unknowns."""
    residual = case.residual
    eq = case.equations
    n, k = len(case.y0), len(eq.lam)

    def off(t: float, y: Array, yp: Array, r: Array) -> None:
        r[:] = residual(t, y, yp)

    d = case.compiled(0.0, case.y0)
    lam = np.array(_multipliers(case))
    solver = IDA(
        off, rtol=tolerance, atol=tolerance, max_num_steps=MOST_STEPS, algebraic_idx=list(range(n, n + k)) or None
    )
    begin = time.process_time()
    done = solver.solve(np.array([0.0, case.end]), np.concatenate([case.y0, lam]), np.concatenate([d, np.zeros(k)]))
    return from_state(case, time.process_time() - begin, done.y[-1][:n], -1, int(done.nfev))


def _multipliers(case: Case) -> Array:
    """At the start, from the balances: Jcᵀ lam = M u' - f by least squares of the compiled residual."""
    eq, n, k = case.equations, len(case.y0), len(case.equations.lam)
    d = np.concatenate([case.compiled(0.0, case.y0), np.zeros(k)])
    rows = slice(len(eq.q), n)
    without = case.residual(0.0, np.concatenate([case.y0, np.zeros(k)]), d)[rows]
    columns = [case.residual(0.0, np.concatenate([case.y0, np.eye(k)[j]]), d)[rows] - without for j in range(k)]
    return np.linalg.lstsq(np.array(columns).T, -without, rcond=None)[0] if k else np.zeros(0)
