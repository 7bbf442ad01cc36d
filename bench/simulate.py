"""Simulation: our loop beside the same function called in C, SciPy, SUNDIALS and Exudyn, at equal accuracy in the end.

`seconds` of a row is the least CPU time of our fastest run whose error is no larger than the peer's, `peer_seconds`
that of the peer's run; `call_seconds` is the whole call of `simulate`, with all that happens in Python around the loop.
Errors are those of observables at the end against a far tighter reference (`simulate_peers/cases.py`). A peer that does
not reach the end has no time; one that reaches its limit of time or memory (`peer_limit`) is stopped there. `note` says
so.

Rows with the method "loop" have seconds for one right-hand side: inside our loop, and called from C; their ratio is the
overhead.
"""

from __future__ import annotations

import importlib
import time
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

import numpy as np

import symbody as sb
from symbody.emit.loops.kernel_language import Function, Numbers
from symbody.emit.run.loop_callee import LoopCallee
from symbody.integrate import SimulationOptions
from symbody.integrate.run.form_and_method import form_of

from .limits import Limit, StoppedError, limited
from .simulate_peers.c_loop import c_run
from .simulate_peers.cases import Case, cases
from .simulate_peers.result import Run
from .simulate_peers.scipy_runs import scipy_run
from .timing import Row, repeated, warm_up

TOLERANCES: Final = tuple(10.0**-k for k in range(3, 14))
SCIPY: Final = {"dp5": "RK45", "dp8": "DOP853"}
EXUDYN_STEPS: Final = {
    "planar double pendulum": (1000, 4000),
    "30 spherical pendulums": (500, 2000),
    "slider crank": (2000, 20000),
    "spatial crank": (5000, 20000),
    "row of 40 four-bars": (1000, 2000, 4000),
}
REPEATS: Final = 7
LIMIT: Final = Limit(120.0, 2000.0)  # for all runs of a peer in one row


class Ours(NamedTuple):
    method: str
    rtol: float
    seconds: float
    call_seconds: float
    error: float


def rows(quick: bool = False) -> Iterator[Row]:
    for case in cases().values():
        mine = list(_ours(case))
        yield from _overhead(case)
        for method, name in SCIPY.items():
            run = _run(scipy_run, case, 1e-9, name)
            same = [o for o in mine if o.method == method and o.rtol == 1e-9]
            yield _row(case, f"SciPy {name}, same method and tolerance", run, same, at_any_error=True)
            yield _row(case, f"SciPy {name}, rtol 1e-9", run, mine)
        yield _row(case, "C loop 8(5,3), rtol 1e-9", _run(c_run, case, 1e-9, 8), mine)
        yield _row(case, "CVODE Adams, rtol 1e-9", _run(_cvode_run, case, 1e-9), mine)
        for steps in EXUDYN_STEPS[case.name][: 1 if quick else None]:
            yield _row(case, f"Exudyn, {steps} steps", _run(_exudyn_run, case, steps), mine)


def _cvode_run(case: Case, rtol: float) -> Run:
    return importlib.import_module("bench.simulate_peers.sundials").cvode_run(case, rtol)


def _exudyn_run(case: Case, steps: int) -> Run:
    return importlib.import_module("bench.simulate_peers.exudyn_models").exudyn_run(case, steps)


def _ours(case: Case) -> Iterator[Ours]:
    eq, times = case.equations, [0.0, case.end]
    for method in SCIPY:
        warm_up(lambda method=method: sb.simulate(eq, times, case.state, method=method, progress=False))
        for rtol in TOLERANCES:

            def act(method: str = method, rtol: float = rtol) -> sb.Trajectory:
                return sb.simulate(eq, times, case.state, method=method, rtol=rtol, progress=False)

            sim = act()
            if not sim.outcome:
                continue
            spent = [_cpu(act) for _ in range(REPEATS)]
            called = min(s for _, s in spent)
            inside = min(
                called, *(sim.statistics.seconds for sim, _ in spent)
            )  # by the clock: longer on a busy machine
            error = case.error(case.observed(sim.y[-1]))
            yield Ours(method, rtol, inside, called, error)


def _cpu(act: Any) -> tuple[sb.Trajectory, float]:
    begun = time.thread_time()
    sim = act()
    return sim, time.thread_time() - begun


def _run(peer: Any, case: Case, *how: Any) -> Run | str:
    """The fastest of several runs, or in words why there is none."""
    _ = case.compiled  # once for all: runs are in processes of their own

    def runs() -> list[Run]:
        return [peer(case, *how) for _ in range(3 if case.end < 1e3 else 1)]

    try:
        return min(limited(runs, LIMIT), key=lambda r: r.seconds)
    except (StoppedError, RuntimeError) as reason:
        return str(reason)


def _row(case: Case, peer: str, found: Run | str, mine: list[Ours], at_any_error: bool = False) -> Row:
    run, note = (None, found) if isinstance(found, str) else (found, None)
    error = None if run is None else run.error(case)
    fits = [o for o in mine if at_any_error or error is None or not np.isfinite(error) or o.error <= error]
    best = min(fits, key=lambda o: o.seconds) if fits else None
    is_compared = best is not None and run is not None and error is not None and np.isfinite(error)
    return {
        "case": case.name,
        "method": f"{best.method}, rtol {best.rtol:g}" if best else None,
        "seconds": best.seconds if best else None,
        "call_seconds": best.call_seconds if best else None,
        "error": best.error if best else None,
        "peer": peer,
        "peer_seconds": run.seconds if run else None,
        "peer_error": error,
        "ratio": run.seconds / best.seconds if is_compared and run and best else None,
        "peer_limit": str(LIMIT),
        "note": note,
    }


def _overhead(case: Case) -> Iterator[Row]:
    """Seconds for one right-hand side: inside the loop of each method, and called from machine code that does nothing
    else."""
    eq, name = case.equations, "explicit" if case.equations.lam else "minimal"
    form = form_of(eq, SimulationOptions(form=name))
    y, p = form.start(0.0, case.y0, np.concatenate([case.state.p, case.state.r]))
    calls = max(200, int(2e-3 / 1e-7 / form.n))
    caller = LoopCallee(call, {}, times=calls, t=0.0, y=y, dy=np.zeros(form.n), f=form.rhs(p))
    form.effort.improve()
    alone = repeated(caller.run).least / calls
    for method in SCIPY:

        def act(method: str = method) -> sb.Trajectory:
            return sb.simulate(eq, np.array([0.0, case.end]), case.state, method=method, rtol=1e-7, form=name)

        warm_up(act)
        runs = [act() for _ in range(3 * REPEATS)]
        if runs[0].outcome:
            inside = min(r.statistics.seconds / r.statistics.evaluations for r in runs)
            yield {
                "case": case.name,
                "method": f"loop {method}",
                "seconds": inside,
                "error": None,
                "peer": "the same function called from C",
                "peer_seconds": alone,
                "peer_error": None,
                "ratio": inside / alone,
                "peer_limit": None,
                "note": None,
            }


def call(times: int, t: float, y: Numbers, dy: Numbers, f: Function) -> None:
    for _ in range(times):
        f((t, y), (dy,))
