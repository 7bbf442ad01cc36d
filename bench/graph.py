"""Building, compiling and calling the chain of spherical pendulums, beside CasADi and SymPy."""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

import symbody as sb

from . import chain
from .limits import USUAL, StoppedError
from .timing import Row, Times, calibration, fresh, machine_seconds, repeated

SIZES = (5, 10, 30)
PROCESSES = 5  # fresh ones for each build


class Model(NamedTuple):
    """Forward dynamics on the graph: u' = solve(M, -b)."""

    q: list[sb.Symbol]
    u: list[sb.Symbol]
    M: sb.Matrix
    b: sb.Matrix
    udot: sb.Matrix

    def program(self, name: str, **outputs: Any) -> sb.emit.Program:
        return sb.program(name, {"q": self.q, "u": self.u}, outputs)


def model(n: int) -> Model:
    q = [sb.symbol(f"q{i}", "coordinate") for i in range(2 * n)]
    u = [sb.symbol(f"u{i}", "speed") for i in range(2 * n)]
    with sb.algebra.gc_paused():
        M = sb.matrix(chain.mass_matrix(q, sb.sin, sb.cos))
        b = sb.vector(*chain.bias(q, u, sb.sin, sb.cos))
        return Model(q, u, M, b, sb.solve(M, -b, "definite"))


def states(size: int, count: int = 1) -> tuple[Any, Any]:
    draw = np.random.default_rng(0)
    return draw.uniform(-1, 1, (count, size)), draw.uniform(-1, 1, (count, size))


def machine(f: Any, q: Any, u: Any) -> Times | None:
    """Machine code of a function of q and u with one output, called from C."""
    out = np.empty((len(q), len(f.program.outputs[0].values)))
    return machine_seconds(f.address, q, u, out, np.empty(f.work + 9))


def microseconds(times: Times | None) -> float | None:
    return times.least * 1e6 if times else None


# ------------------------------------------------------------------------------------------------- in fresh processes


def built(n: int) -> Row:
    """Seconds to build, packages loaded: those of peers are when their modules are."""
    model(1)
    start = time.thread_time()
    made = model(n)
    seconds = time.thread_time() - start
    del made  # after its time, as CasADi's expressions are dropped
    return {"build_s": seconds}


def compiled(n: int) -> Row:
    """Seconds from expressions to a callable, without the cache on disk, and microseconds of its calls."""
    m = model(n)
    start = time.perf_counter()
    p = m.program("forward", udot=m.udot)
    lowered = time.perf_counter()
    f = sb.compile(p, cache=False)
    done = time.perf_counter()
    q, u = states(2 * n)
    return {
        "ops": p.cost.total,
        "code": len(p.code),
        "mass_matrix_ops": m.program("inertia", M=m.M).cost.total,
        "bias_ops": m.program("hold", b=m.b).cost.total,
        "lower_s": lowered - start,
        "compile_s": done - start,
        "call_us": repeated(lambda: f(q[0], u[0])).least * 1e6,
        "machine_us": microseconds(machine(f, q, u)),
    }


def jacobian(n: int) -> Row:
    """Jacobian of the accelerations with respect to all states."""
    m = model(n)
    start = time.perf_counter()
    J = sb.jacobian(m.udot, [*m.q, *m.u])
    derived = time.perf_counter()
    p = m.program("jacobian", J=J)
    f = sb.compile(p, cache=False)
    done = time.perf_counter()
    once = sb.compile(m.program("forward", udot=m.udot), cache=False)
    q, u = states(2 * n)
    times, reference = machine(f, q, u), machine(once, q, u)
    call, reference_call = repeated(lambda: f(q[0], u[0])), repeated(lambda: once(q[0], u[0]))
    ratio = times.least / reference.least if times and reference else call.least / reference_call.least
    return {
        "build_s": derived - start,
        "ops": p.cost.total,
        "compile_s": done - derived,
        "call_us": call.least * 1e6,
        "machine_us": microseconds(times),
        "times_one_evaluation": ratio,
    }


def gradient(n: int) -> Row:
    """Operations of the gradient of the kinetic energy, in terms of those of the energy."""
    m = model(n)
    T = chain.kinetic_energy(m.q, m.u, sb.sin, sb.cos)
    energy = m.program("energy", T=T).cost.total
    slope = m.program("slope", g=sb.gradient(T, [*m.q, *m.u])).cost.total
    return {"ops": slope, "scalar_ops": energy, "times_scalar": slope / energy}


def overhead(n: int) -> Row:
    """What the public callable costs over the machine code."""
    m = model(n)
    f = sb.compile(m.program("forward", udot=m.udot), cache=False)
    q, u = states(2 * n)
    call, inner = repeated(lambda: f(q[0], u[0])), machine(f, q, u)
    over = (call.least - inner.least) * 1e6 if inner else None
    return {"call_us": call.least * 1e6, "machine_us": microseconds(inner), "overhead_us": over}


def batch(n: int, count: int) -> Row:
    """Microseconds for each of many states: one after the other from C, and as a batch on two cores (elapsed time)."""
    m = model(n)
    f = sb.compile(m.program("forward", udot=m.udot), cache=False)
    q, u = states(2 * n, count)
    alone = machine(f, q, u)
    together = repeated(lambda: f.batch(q, u, threads=2), clock=time.perf_counter)
    single = repeated(lambda: f.batch(q, u, threads=1), clock=time.perf_counter)
    error = max(np.abs(f.batch(q[:100], u[:100])[k] - f(q[k], u[k])).max() for k in range(100))
    return {
        "states": count,
        "one_state_us": microseconds(alone),
        "batch_us": together.least / count * 1e6,
        "one_core_us": single.least / count * 1e6,
        "times_faster": alone.least * count / together.least if alone else None,
        "largest_difference": float(error),
    }


# ---------------------------------------------------------------------------------------------------- rows


def rows() -> Iterator[Row]:
    yield {"case": "machine", "cores": os.cpu_count(), "calibration_us": calibration()}
    build: dict[int, float] = {}
    compiling: dict[int, Row] = {}
    for n in SIZES:
        runs = [fresh("bench.graph:built", n) for _ in range(PROCESSES)]
        seconds = sorted(r["build_s"] for r in runs if r)
        build[n] = seconds[0]
        compiling[n] = done = fresh("bench.graph:compiled", n) or {}
        memory = max(r["peak_mb"] for r in runs if r)
        yield {
            "case": "chain",
            "n": n,
            "build_s": seconds[0],
            "build_median_s": statistics.median(seconds),
            "peak_mb": memory,
            **{
                k: done[k]
                for k in ("ops", "mass_matrix_ops", "bias_ops", "lower_s", "compile_s", "call_us", "machine_us")
            },
        }
    yield from _against_casadi(build)
    yield from _against_sympy(build)
    for n in (10, 30):
        done = compiling[n]
        yield {
            "case": "compile time",
            "n": n,
            "code": done["code"],
            "compile_s": done["compile_s"],
            "s_per_1000": done["compile_s"] / done["code"] * 1000,
            "s_per_1000_ops": done["compile_s"] / done["ops"] * 1000,
        }
    yield {"case": "gradient of kinetic energy", "n": 10, **_result("gradient", 10)}
    yield {"case": "jacobian of forward dynamics", "n": 10, **_result("jacobian", 10)}
    yield {"case": "call from Python", "n": 5, **_result("overhead", 5)}
    yield {"case": "batch on two cores", "n": 5, **_result("batch", 5, 100_000)}


def _result(function: str, *arguments: Any) -> Row:
    return fresh(f"bench.graph:{function}", *arguments) or {}


def _against_casadi(build: dict[int, float]) -> Iterator[Row]:
    for n in build:
        for way in ("scalars", "matrices", "columns"):
            try:
                runs = [fresh("bench.chain_casadi:built", n, way) for _ in range(PROCESSES)]
            except StoppedError as reason:
                yield _stopped(f"casadi SX, {way}", n, reason)
                continue
            if all(runs):
                yield _peer(f"casadi SX, {way}", n, build, min((r for r in runs if r), key=lambda r: r["build_s"]))


def _against_sympy(build: dict[int, float]) -> Iterator[Row]:
    """SymPy gives M and f only, without the accelerations."""
    for n in (2, 3, 4, 5):
        mine = build.get(n) or min(fresh("bench.graph:built", n)["build_s"] for _ in range(PROCESSES))
        try:
            run = fresh("bench.chain_sympy:built", n)
        except StoppedError as reason:
            yield _stopped("sympy KanesMethod", n, reason)
            continue
        if run:
            yield _peer("sympy KanesMethod", n, {n: mine}, run)


def _peer(name: str, n: int, build: dict[int, float], run: Row) -> Row:
    return {
        "case": "chain",
        "n": n,
        "peer": name,
        "peer_s": run["build_s"],
        "ratio": run["build_s"] / build[n],
        "peak_mb": run["peak_mb"],
        "ops": run.get("ops"),
        "call_us": run.get("call_us"),
        "peer_limit": str(USUAL),
    }


def _stopped(name: str, n: int, reason: StoppedError) -> Row:
    return {"case": "chain", "n": n, "peer": f"{name}, {reason}", "peer_limit": str(USUAL)}
