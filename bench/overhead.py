"""Overhead around the numbers: values of a trajectory, another simulation of the same equations, accelerations, steady
motions from a neighbour, dropped models.

`before_us` was measured on commit ac16bdb by the same calls; `before_nodes_after` are nodes that were left there.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, Final

import numpy as np

import symbody as sb
from examples import bicycle, four_bars, slider_crank, spatial_crank
from symbody.emit.loops.kernel_language import Function, Numbers
from symbody.emit.run.loop_callee import LoopCallee, program_callee

from . import squeezer
from .dynamics import empty_cache
from .equilibrium_cases import car, driven_motorcycle
from .hops import double_pendulum
from .lifecycle import STAGES, nodes_left
from .limits import Limit
from .timing import Row, fresh, repeated

BATCH: Final = 4096  # states
CYCLES, QUICK_CYCLES = 200, 12  # models that live and are dropped
BEFORE_NODES: Final = {"derived": 7, "whole lives": 2167}  # left by 12 of them
SHORT: Final = 0.01  # seconds of a simulation of which most is overhead
BEFORE: Final = {  # microseconds
    "slider crank: stored column": 5018, "slider crank: expression again": 5180, "slider crank: energy of another run": 7344,
    "slider crank: multipliers of another run": 7686, "slider crank: violation of another run": 9538,
    "slider crank: reaction again": 10895, "slider crank: simulate again": 752,
    "spatial crank: stored column": 5045, "spatial crank: expression again": 5402, "spatial crank: energy of another run": 10165,
    "spatial crank: multipliers of another run": 25566, "spatial crank: violation of another run": 19921,
    "spatial crank: reaction again": 27594, "spatial crank: simulate again": 1768,
    "spatial crank: f.udot, machine code": 4.447, "spatial crank: f.udot, from Python": 6.008,
    "spatial crank: f.udot.batch, one state": 17.66,
    "bicycle: f.udot, machine code": 0.676, "bicycle: f.udot, from Python": 2.197, "bicycle: f.udot.batch, one state": 1.056,
}  # fmt: skip

Case = tuple[Callable[[], sb.Model], dict[str, float]]
MECHANISMS: Final[dict[str, Case]] = {
    "slider crank": (slider_crank.model, slider_crank.START),
    "spatial crank": (spatial_crank.model, spatial_crank.START),
    "bicycle": (bicycle.model, {}),
}


def rows(quick: bool = False) -> Iterator[Row]:
    cycles = QUICK_CYCLES if quick else CYCLES
    for name in ("slider crank", "spatial crank"):
        for case, seconds in values_and_runs(name):
            yield timed(f"{name}: {case}", seconds)
    for name in AGAIN:
        yield timed(f"{name}: simulate again, without its loop", around_the_loop(name))
    for name in ("spatial crank", "bicycle"):
        for case, seconds in accelerations(name):
            yield timed(f"{name}: {case}", seconds)
    for name in TURNS:
        for case, seconds in steady_motions(name):
            yield timed(f"{name}: {case}", seconds)
    for name in FIRST:
        yield from first_answers(name)
    for case, stages in (("derived", ("derived",)), ("whole lives", tuple(s.__name__ for s in STAGES))):
        left = fresh("bench.overhead:dropped", stages, cycles, limit=Limit(3600.0)) or {}
        before = {"before_nodes_after": BEFORE_NODES[case]} if cycles == QUICK_CYCLES else {}
        yield {"case": f"{cycles} models, {case}", **left, **before}


def timed(case: str, seconds: float) -> Row:
    return {"case": case, "us": round(seconds * 1e6, 3), "before_us": BEFORE.get(case)}


# ----------------------------------------------------------------------------------------------------- the first answer


FIRST: Final[dict[str, tuple[Callable[[], sb.Model], dict[str, float]]]] = {
    "row of 40 four-bars": (partial(four_bars.model, 40), four_bars.start(40)),
    "squeezer": (squeezer.model, squeezer.START),
    "slider crank": (slider_crank.model, slider_crank.START),
}
SPANS: Final = {"squeezer": squeezer.END}
BEFORE_FIRST: Final = {"row of 40 four-bars": (13.1, 5.9)}  # seconds, cold and warm, on a machine with two busy cores


def first_answers(name: str) -> Iterator[Row]:
    """CPU seconds from the start of Python to the trajectory, and of these from the description on, when all packages
    are loaded: with an empty cache on disk, then with what that left there. Bytecode of all modules is at hand."""
    with empty_cache(), bytecode_at_hand():
        fresh("bench.overhead:loaded", limit=Limit(300.0))
        found = [fresh("bench.overhead:first_answer", name, limit=Limit(300.0)) or {} for _ in range(2)]
    before = BEFORE_FIRST.get(name, (None, None))
    for kind, row, earlier in zip(("cold", "warm"), found, before, strict=True):
        yield {"case": f"{name}: first answer, {kind}", **row, "before_s": earlier}


def first_answer(name: str) -> Row:
    model, start = FIRST[name]
    loaded()
    begun = time.process_time()
    eq = sb.derive(model(), check=False)
    sim = sb.simulate(eq, SPANS.get(name, 1.0), sb.assemble(eq, start=start), progress=False)
    now = time.process_time()
    return {"cpu_s": round(now, 3), "from_description_s": round(now - begun, 3), "reached": bool(sim.outcome)}


def loaded() -> Row:
    """Everything that a simulation imports."""
    return {"loaded": [f.__name__ for f in (sb.Model, sb.derive, sb.assemble, sb.simulate)]}


@contextmanager
def bytecode_at_hand() -> Iterator[None]:
    """As after an installation: without, each process would compile some 150 modules anew."""
    with tempfile.TemporaryDirectory(prefix="symbody-bytecode-") as folder:
        before = {k: os.environ.pop(k, None) for k in ("PYTHONDONTWRITEBYTECODE", "PYTHONPYCACHEPREFIX")}
        os.environ["PYTHONPYCACHEPREFIX"] = folder
        try:
            yield
        finally:
            del os.environ["PYTHONPYCACHEPREFIX"]
            os.environ.update({k: v for k, v in before.items() if v is not None})


# ------------------------------------------------------------------------------------------------------- steady motions


TURNS: Final[dict[str, tuple[Callable[[], sb.Model], dict[str, Any], dict[str, float], str, float]]] = {
    "car in a turn": (
        partial(car, True), {"values": {"vx": 20.0, "psi": 0.0}, "free": ["psi_dot", "drive"]}, {"w": 0.1}, "steer", 0.02,
    ),
    "motorcycle in a turn": (
        driven_motorcycle, {"values": {"psi": 0.0, "phi": 0.2, "x_dot": sb.symbol("V")}, "free": ["psi_dot", "tau", "drive"]},
        {"psi_dot": 0.13, "psi4_dot": 0.13, "theta1_dot": -50.0, "theta4_dot": -50.0, "phi4": 0.2}, "V", 15.0,
    ),
}  # fmt: skip


def steady_motions(name: str) -> Iterator[tuple[str, float]]:
    """From the solution at a neighbouring value of a parameter, two percent away."""
    model, asked, near, parameter, value = TURNS[name]
    eq = sb.derive(model())
    given: dict[str, Any] = {parameter: value}
    motion = sb.steady(eq, **asked, start=near, **given)
    by = next(s for s in motion.parameters if s.name == parameter)
    there = {**motion.defaults, by: 1.02 * value}
    problem = motion.problem
    w, p, slopes = problem.point(motion.found), problem.numbers(motion.numbers()), problem.slopes_by((by,))
    more: dict[str, Any] = {parameter: 1.02 * value}
    yield "steady again", repeated(lambda: sb.steady(eq, **asked, start=motion, **more)).least
    yield "motion.solve", repeated(lambda: motion.solve(there, motion.found)).least
    yield "rows and slopes", repeated(lambda: problem.rows_and_slopes(w, p)).least
    yield "slopes by a parameter", repeated(lambda: slopes(w, p)).least


# --------------------------------------------------------------------------------------------------------- trajectories


def values_and_runs(name: str) -> Iterator[tuple[str, float]]:
    model, start = MECHANISMS[name]
    eq = sb.derive(model(), check=False)
    state = sb.assemble(eq, start=start)
    sim = sb.simulate(eq, 1.0, state, progress=False)
    stored, expression = eq.q[0].name, eq.q[0] * eq.u[0]
    yield "stored column", repeated(lambda: sim[stored]).least
    yield "expression again", repeated(lambda: sim[expression]).least
    yield "energy of another run", repeated(lambda: another(sim).energy).least
    yield "multipliers of another run", repeated(lambda: another(sim).lam).least
    yield "violation of another run", repeated(lambda: another(sim).violation).least
    yield "reaction again", repeated(lambda: sim.reaction(reacting(eq))).least
    yield "simulate again", repeated(lambda: sb.simulate(eq, SHORT, state, progress=False)).least


def another(sim: sb.Trajectory) -> sb.Trajectory:
    """The same motion, with nothing remembered by the trajectory itself: all that is remembered belongs to the
    equations."""
    return sb.Trajectory.of(sim.segments[0])


def reacting(eq: sb.Equations) -> str:
    return next(j.name for j in eq.mechanism.joints if j.kind != "free")


# ------------------------------------------------------------------------------------------------------ simulate again


def beam() -> sb.Model:
    """One that falls on a hinge, as in `bench elastic`."""
    m = sb.Model("beam")
    given: dict[str, Any] = {"length": 1.0, "EI": 50.0, "rho_A": 1.0, "EA": 1e6}
    arm = m.beam("arm", ends=("pinned", "pinned"), modes={"y": 5, "x": 1}, **given)
    m.revolute("hinge", m.ground, arm, axis="z")
    m.gravity(0, -9.81, 0)
    return m


AGAIN: Final[dict[str, tuple[Callable[[], sb.Model], dict[str, float], Any, dict[str, Any]]]] = {
    "slider crank": (slider_crank.model, slider_crank.START, SHORT, {}),
    "spatial crank": (spatial_crank.model, spatial_crank.START, SHORT, {}),
    "double pendulum": (double_pendulum, {"q1": 0.5}, SHORT, {}),
    "elastic beam, radau": (beam, {}, np.linspace(0, 2, 21), {"method": "radau", "rtol": 3e-4}),
}


def around_the_loop(name: str) -> float:
    """Seconds of a call beside those in its compiled loop; where there are constraints from a state, otherwise from
    values."""
    model, start, t, options = AGAIN[name]
    eq = sb.derive(model(), check=False)
    begin = sb.assemble(eq, start=start) if eq.lam else start

    def call() -> sb.Trajectory:
        return sb.simulate(eq, t, begin, progress=False, **options)

    loop = min(call().statistics.seconds for _ in range(100))
    return repeated(call).least - loop


# -------------------------------------------------------------------------------------------------------- accelerations


def accelerations(name: str) -> Iterator[tuple[str, float]]:
    """For one state in machine code, from Python, and for one of many in a batch."""
    model, start = MECHANISMS[name]
    eq = sb.derive(model(), check=False)
    f = sb.compile(eq)
    numbers = eq.values(start, otherwise=0.1)
    q, u = (np.array([float(numbers[s]) for s in symbols]) for symbols in (eq.q, eq.u))
    out = np.zeros(len(u))
    loop = LoopCallee(again, {}, times=100, q=q, u=u, out=out, f=program_callee(f.udot, {"p": f.p}))
    yield "f.udot, machine code", repeated(loop.run).least / 100
    yield "f.udot, from Python", repeated(lambda: f.udot(0.0, q, u, f.p)).least
    states = [np.tile(x, (BATCH, 1)) for x in (q, u)]
    yield "f.udot.batch, one state", repeated(lambda: f.udot.batch(0.0, *states, f.p, threads=1)).least / BATCH


def again(times: int, q: Numbers, u: Numbers, out: Numbers, f: Function) -> None:
    for _ in range(times):
        f((0.0, q, u), (out,))


# ---------------------------------------------------------------------------------------------------------- memory


def dropped(names: list[str], cycles: int) -> Row:
    """Nodes and resident memory before and after models that were dropped; the first loads what the process keeps."""
    stages = [s for s in STAGES if s.__name__ in names]
    measured: list[dict[str, Any]] = []
    for k in range(cycles + 1):
        for stage in stages:
            stage(k)
        if k in (0, cycles // 2, cycles):
            measured.append({"nodes": nodes_left(), "mb": resident_mb()})
    first, half, last = measured
    return {
        "nodes": first["nodes"], "nodes_after": last["nodes"],
        "resident_mb": first["mb"], "resident_mb_half": half["mb"], "resident_mb_after": last["mb"],
    }  # fmt: skip


def resident_mb() -> float:
    status = Path("/proc/self/status").read_text()
    return round(int(next(x for x in status.splitlines() if x.startswith("VmRSS")).split()[1]) / 1024, 1)
