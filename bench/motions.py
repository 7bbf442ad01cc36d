"""`python -m bench motions`: optimal motions beside hand-written CasADi, with the same transcription, mesh, guess and
IPOPT, and ten problems of opty's gallery beside opty (`pip install opty cyipopt`) with the same nodes, bounds and guess.

derive_s   CPU time from the model to the transcribed problem with compiled functions; `solve_s` that of `problem.solve`
           after that, the least of five
peer_s     CPU time of the other solver, made before, the least of five of CasADi; `peer_build_s` that of making it.
           ratio = peer_s / solve_s; ratio_with_build compares the sums, from the model to the motion. The disk cache is
           not used
hessian_over_values   operations of the Hessian of the Lagrangian over those of the values, at all nodes
hessian_time_over_values   the same of CPU times: of evaluations at 2000 nodes or more, as the solver makes them
error_by_simulation   largest difference from `simulate` with the inputs of the motion, relative to the largest value;
                      empty where the simulation ends before the motion
error                 largest ∫|x' - F(x, r)| dt of an interval, relative; a motion that is unstable without feedback
                      departs from a simulation however small this is

Squat to stand and the muscles of a gait stand beside OpenSim Moco where SYMBODY_MOCO_PAPER names the folder of their files
(`motion_moco.py`, `motion_gait.py`), and a lap of a kart beside the published one of Fastest-lap (`motion_kart.py`).

opty has no Hessian: IPOPT approximates it. Its rule is the midpoint rule, ours here the trapezoidal one: optima differ by
the error of both. Without opty its rows are left out.
"""

from __future__ import annotations

import importlib.util
import os
import tempfile
import time
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from .kept_rows import KeptRows
from .motion_cases import CASES, Case, balance
from .motion_gait import GAIT_INTERVALS, gait, gait_by_moco, measured_gait, tables_by_opensim, walking_model
from .motion_moco import INTERVALS, by_moco, gait_folder, in_own_process, model_file, squat_to_stand
from .motion_peers import PeerRun, by_casadi, by_opty, has_opty
from .motion_walker import INTERVALS as WALKER_INTERVALS
from .motion_walker import by_casadi as walker_by_casadi
from .motion_walker import walker
from .stated_motions import GALLERY, StatedMotion
from .timing import Row, repeated

REPEATS = 5
MANY_NODES = 2000  # for times of evaluations, in which calls do not count
OPTIMISED = 60_000  # states after which batches run optimised code
OFF_GUESS = 0.01  # at a guess of zeros, angles have no sines to compute
WALKER, CONTROLLER, SQUAT, GAIT = "Kelly's walker", "an iteration for a pole", "squat to stand", "gait of 80 muscles"
GAIT_OF_OPENSIM = f"{GAIT}, paths of OpenSim"


def van_der_pol_rates(x: Any, u: Any, c: Any) -> list[Any]:
    return [(1 - x[1] ** 2) * x[0] - x[1] + u[0], x[0]]


def brachistochrone_rates(x: Any, u: Any, c: Any) -> list[Any]:
    return [x[2] * c.sin(u[0]), -x[2] * c.cos(u[0]), 9.81 * c.cos(u[0])]


def cart_pole_rates(x: Any, u: Any, c: Any) -> list[Any]:
    """Kelly 2017, equations 6.1 and 6.2."""
    m1, m2, l, g = 1.0, 0.3, 0.5, 9.81
    _, a, v, w = (x[k] for k in range(4))
    s, co = c.sin(a), c.cos(a)
    bottom = m1 + m2 * (1 - co**2)
    return [
        v,
        w,
        (l * m2 * s * w**2 + u[0] + m2 * g * co * s) / bottom,
        -(l * m2 * co * s * w**2 + u[0] * co + (m1 + m2) * g * s) / (l * bottom),
    ]


BY_HAND: dict[str, tuple[Any, Any]] = {  # rates, and the integrand of the cost
    "van der Pol": (van_der_pol_rates, lambda x, u: x[0] ** 2 + x[1] ** 2 + u[0] ** 2),
    "brachistochrone": (brachistochrone_rates, lambda x, u: 1.0),
    "cart and pole": (cart_pole_rates, lambda x, u: u[0] ** 2),
}


def hessian_time_over_values(made: Any) -> float:
    """CPU time of the Hessian of the Lagrangian at all nodes over that of the values."""
    times = np.zeros(2)
    for b in made.program.blocks:
        f, copies = b.functions, -(-MANY_NODES // len(b.index))
        v, a = (np.tile(x, (copies, 1)) for x in (made.guess[b.index] + OFF_GUESS, b.given))
        n, curves = len(v), len(f.hessian_places[0])
        runs = [f.alone(v, a, b.parameters, np.empty((n, f.size)))]
        runs += [f.second(v, a, b.parameters, np.ones((n, f.size)), np.empty((n, curves)))] if curves else []
        for k, run in enumerate(runs):
            for _ in range(OPTIMISED // n):
                run()
            times[k] += repeated(run, REPEATS, 0.01, time.process_time).least / copies
    return float(times[1] / times[0])


def measured(
    name: str, problem: Any, intervals: int, method: str, begin: float, known: float | None
) -> tuple[Row, Any]:
    """A row without a peer, and the motion; `begin` is the CPU time at which deriving the equations began."""
    made = problem.transcription(intervals, method)
    program = made.program
    program.first(made.guess)
    program.hessian(made.guess, 1.0, np.ones(program.linear.shape[0]))
    derived, times = time.process_time() - begin, []
    for _ in range(REPEATS):
        begin = time.process_time()
        motion = problem.solve(intervals, method=method)
        times.append(time.process_time() - begin)
    operations = [[len(b.index) * k for k in b.functions.operations] for b in program.blocks]
    values, _, hessian = np.sum(operations, axis=0)
    relative = motion.check().relative
    row: Row = {
        "case": name,
        "transcription": method,
        "nodes": sum(len(m.at) for m in made.meshes.values()),
        "derive_s": derived,
        "solve_s": min(times),
        "iterations": motion.iterations,
        "objective": motion.objective,
        "known": known,
        "error": motion.error,
        "error_by_simulation": relative if np.isfinite(relative) else None,
        "hessian_over_values": float(hessian / max(values, 1)),
        "hessian_time_over_values": hessian_time_over_values(made),
        "peer": "",
        "peer_build_s": None,
        "peer_s": None,
        "peer_objective": None,
        "peer_iterations": None,
        "ratio": None,
        "ratio_with_build": None,
    }
    return row, motion


def beside(row: Row, peer: str, run: PeerRun) -> Row:
    """The row with a peer's times."""
    out = {**row, "peer": peer, "peer_build_s": run.build_s, "peer_s": run.solve_s, "peer_objective": run.objective}
    out |= {"peer_iterations": run.iterations, "ratio": run.solve_s / row["solve_s"]}
    out["ratio_with_build"] = (run.build_s + run.solve_s) / (row["derive_s"] + row["solve_s"])
    return out


def rows_of(case: Case) -> Iterable[Row]:
    begin = time.process_time()
    row, motion = measured(case.name, case.make(), case.intervals, case.method, begin, case.optimum)
    if case.name not in BY_HAND:
        yield row
        return
    runs = [by_casadi(*BY_HAND[case.name], motion.transcription) for _ in range(REPEATS)]
    yield beside(row, "CasADi by hand", min(runs, key=lambda r: r.solve_s))


def gallery_rows(stated: StatedMotion) -> Iterable[Row]:
    begin = time.process_time()
    intervals = (stated.nodes - 1) // (2 if stated.middle else 1)
    row, motion = measured(stated.name, stated.problem(), intervals, "trapezoidal", begin, stated.optimum)
    made = motion.transcription
    if not stated.middle:
        runs = [by_casadi(stated.rates, stated.integrand, made, path=stated.path) for _ in range(REPEATS)]
        yield beside(row, "CasADi by hand", min(runs, key=lambda r: r.solve_s))
    if has_opty():
        yield beside(row, "opty", by_opty(stated, made))


def walker_row() -> Row:
    begin = time.process_time()
    row, _ = measured(WALKER, walker(), WALKER_INTERVALS, "radau", begin, None)
    runs = [walker_by_casadi() for _ in range(REPEATS)]
    return beside(row, "CasADi by hand", min(runs, key=lambda r: r.solve_s))


def gait_row(folder: Path) -> Row:
    """With our own paths of muscles."""
    with tempfile.TemporaryDirectory() as there:
        model = in_own_process(walking_model, folder, Path(there))
        begin = time.process_time()
        walk = measured_gait(folder, model)
        problem = gait(walk, walk.muscle_tables())
        return measured(GAIT, problem, GAIT_INTERVALS, "hermite-simpson", begin, None)[0]


def gait_row_of_opensim(folder: Path) -> Row:
    """With OpenSim's paths of muscles, which MocoInverse has."""
    with tempfile.TemporaryDirectory() as there:
        model = in_own_process(walking_model, folder, Path(there))
        walk = measured_gait(folder, model)
        tables = in_own_process(tables_by_opensim, model, walk.subject.names, walk.motion.q, walk.motion.u)
        begin, problem = time.process_time(), gait(walk, tables)
        row, _ = measured(GAIT_OF_OPENSIM, problem, GAIT_INTERVALS, "hermite-simpson", begin, None)
        seconds, cost, iterations = in_own_process(gait_by_moco, folder, model)
    return beside(row, "OpenSim MocoInverse", PeerRun(0.0, seconds, cost, iterations))


def squat_row(path: Path) -> Row:
    begin = time.process_time()
    row, _ = measured(SQUAT, squat_to_stand(path), INTERVALS, "hermite-simpson", begin, None)
    if not importlib.util.find_spec("opensim"):
        return row
    seconds, cost, iterations = in_own_process(by_moco, path)
    return beside(row, "OpenSim Moco", PeerRun(0.0, seconds, cost, iterations))


def controller_row() -> Row:
    """An iteration of the compiled controller of a pole on a cart beside one of `realtime`, both of 15 intervals."""
    problem = balance()
    begin = time.process_time()
    control = problem.controller(15, iterations=10)
    derived = time.process_time() - begin
    band = problem.realtime(15, iterations=10)
    seconds = []
    for solver in (control, band):
        found, begin = solver.step(x=0.01), time.process_time()
        for _ in range(REPEATS * 10):
            found = solver.step(x=0.01)
        seconds.append((time.process_time() - begin) / (REPEATS * 100))
    empty = dict.fromkeys(("known", "error", "error_by_simulation", "hessian_over_values", "hessian_time_over_values"))
    row: Row = {"case": CONTROLLER, "transcription": "shooting", "nodes": 16, "derive_s": derived, "solve_s": seconds[0]}  # fmt: skip
    row |= {"iterations": 1, "objective": found.cost, **empty}
    return beside(row, "realtime", PeerRun(0.0, seconds[1], found.cost, 1))


def units() -> dict[str, Callable[[], Iterable[Row]]]:
    """The rows of each case, by its name."""
    out: dict[str, Callable[[], Iterable[Row]]] = {c.name: partial(rows_of, c) for c in CASES}
    out |= {stated.name: partial(gallery_rows, stated) for stated in GALLERY}
    out |= {WALKER: lambda: [walker_row()], CONTROLLER: lambda: [controller_row()]}
    if (path := model_file()) is None:
        return out
    out[SQUAT] = lambda: [squat_row(path)]
    if not importlib.util.find_spec("opensim"):
        return out
    return out | {
        GAIT: lambda: [gait_row(gait_folder(path))],
        GAIT_OF_OPENSIM: lambda: [gait_row_of_opensim(gait_folder(path))],
    }


def rows(only: list[str] | None = None, keep: str | None = None) -> Iterable[Row]:
    """
    only   cases with one of these words in their names
    keep   a file to which rows are added as they come; cases that are in it are not run again
    """
    import casadi  # noqa: F401  (loading it takes a second, which is neither ours nor CasADi's time to solve)

    kept = KeptRows(keep)
    with tempfile.TemporaryDirectory() as empty_cache:
        os.environ["SYMBODY_CACHE"] = empty_cache
        measured("warm", CASES[0].make(), 5, "trapezoidal", 0.0, None)
        for name, run in units().items():
            if only and not any(word in name for word in only):
                continue
            yield from kept.rows(name) or kept.added(list(run()))
