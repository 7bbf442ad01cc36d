"""From a model to its equations: seconds and operations by every route, beside SymPy on the same mechanism.

Every time is CPU time of a process that has derived nothing before, loading of packages not included: ours from the first
line of the model to `Equations`, checks included, the least of three fresh processes (in the rows of examples that of one
copy of this process, whose pages are copied within its time); SymPy's once, in a fresh process, from frames and bodies
to mass matrix and forcing. A peer that reaches its limit of CPU time is stopped: its row says so, and
`ratio` is then a lower bound.
"""

from __future__ import annotations

import gc
import importlib
import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

import symbody as sb
from symbody.derivation.entry.derive import ROUTES
from symbody.derivation.kinematics.kinematics import Kinematics
from symbody.derivation.programs.shortest_forms import shortest_forces

from . import mechanisms, puma560
from .limits import USUAL, Limit, StoppedError, limited
from .timing import Row, calibration, fresh

PROCESSES: Final = 3
MEGABYTES: Final = 8000.0  # that a peer may have
COUNTING: Final = 5.0  # CPU seconds for counting SymPy's operations
EXAMPLES: Final = tuple(sorted(p.stem for p in Path(__file__).parents[1].joinpath("examples").glob("*.py")))


def example(name: str, *arguments: Any) -> sb.Model:
    return importlib.import_module(f"examples.{name}").model(*arguments)


# ---------------------------------------------------------------------------------------------------- cases


@dataclass(frozen=True)
class Case:
    """A mechanism, and the CPU seconds that each method of SymPy is given (None: it is not run)."""

    model: Callable[[], sb.Model]
    kane: float | None = 60
    lagrange: float | None = 20


CASES: Final[dict[str, Case]] = {
    **{f"chain n={n}, relative": Case(partial(example, "spherical_chain", n), 120, 20 if n < 4 else None) for n in range(1, 6)},
    **{f"chain n={n}, absolute": Case(partial(example, "spherical_chain", n, True), lagrange=10 if n < 5 else None) for n in (1, 2, 4, 8, 12)},
    "bicycle": Case(partial(example, "bicycle"), lagrange=10),
    "motorcycle": Case(partial(example, "motorcycle")),
    "Stanford arm": Case(partial(example, "stanford_arm")),
    "PUMA560": Case(puma560.model, 40, 10),
    "PUMA560, published zeros": Case(partial(puma560.model, True), 40, 10),
    "random tree, 12 bodies": Case(partial(mechanisms.random_tree, 12), 30, 10),
    "planar chain n=6, relative": Case(partial(mechanisms.planar_chain, 6), lagrange=20),
    "planar chain n=8, relative": Case(partial(mechanisms.planar_chain, 8), lagrange=20),
}  # fmt: skip
FULL: Final = {"planar chain n=8, relative": 600.0}  # seconds for LagrangesMethod with --full


# --------------------------------------------------------------------------------------------------- in fresh processes


def derived(case: str, route: str) -> Row:
    """Seconds from model to equations, and operations of M and f."""
    model = CASES[case].model
    if isinstance(model, partial) and model.func is example:
        importlib.import_module(f"examples.{model.args[0]}")
    return _derived(model, route)


def derived_example(name: str, route: str) -> Row:
    importlib.import_module(f"examples.{name}")
    return _derived(partial(example, name), route)


def _derived(model: Callable[[], sb.Model], route: str) -> Row:
    gc.collect()  # copies the pages of the process from which this one was copied
    derive = sb.derive  # loads the name
    start = time.thread_time()
    e = derive(model(), route)
    seconds = time.thread_time() - start
    inputs = {"q": e.q, "u": e.u, "z": e.z, "r": e.r, "p": e.p, "t": e.t}
    return {"seconds": seconds, "ops": sb.program("equations", inputs, {"M": e.M, "f": e.f}).cost.total}


def inverse(as_published: bool) -> Row:
    """Inverse dynamics of the PUMA560: seconds, and multiplications and additions of the torques."""
    start = time.thread_time()
    with sb.algebra.gc_paused():
        mechanism = puma560.model(as_published).freeze()
        kinematics = Kinematics(mechanism)
        tau = shortest_forces(mechanism, kinematics)
    seconds = time.thread_time() - start
    inputs = {"q": mechanism.q, "u": mechanism.u, "a": [u.dot for u in mechanism.u], "p": mechanism.p}
    cost = sb.program("inverse", inputs, {"tau": tau}).cost
    return {"seconds": seconds, "ops": cost.additions + cost.multiplications}


def sympy_derived(case: str, method: str, limit: float) -> Row:
    """Seconds of SymPy, None where it was stopped; operations of M and f as trees, None where counting took too
    long."""
    from . import sympy_twin  # loads SymPy, which our own runs do not

    try:
        with _at_most(limit):
            made, seconds = sympy_twin.cold(CASES[case].model().freeze(), method)
    except _TooLong:
        return {"seconds": None, "ops": None}
    try:
        with _at_most(COUNTING):
            return {"seconds": seconds, "ops": sympy_twin.operations(made)}
    except _TooLong:
        return {"seconds": seconds, "ops": None}


class _TooLong(BaseException):
    """Not an `Exception`: nothing on the way may catch it."""


@contextmanager
def _at_most(seconds: float) -> Iterator[None]:
    """Stop what takes more CPU time."""

    def stop(*_: Any) -> None:
        raise _TooLong

    signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


# ---------------------------------------------------------------------------------------------------- rows


def rows(full: bool = False) -> Iterator[Row]:
    """`full`: let SymPy finish where that takes minutes."""
    yield {"case": "machine", "cores": os.cpu_count(), "load": os.getloadavg()[0], "calibration_us": calibration()}
    done: list[Row] = []
    for case in CASES:
        for row in _case(case, full):
            done.append(row)
            yield row
    inverses = [_inverse(as_published) for as_published in (False, True)]
    yield from inverses
    slowest = 0.0
    for name in EXAMPLES:
        seconds = {route: limited(partial(derived_example, name, route), USUAL)["seconds"] for route in ROUTES}
        slowest = max(slowest, *seconds.values())
        yield {"case": f"example: {name}", **seconds}
    yield from _targets(done, inverses, slowest)
    yield {"case": "machine", "cores": os.cpu_count(), "load": os.getloadavg()[0], "calibration_us": calibration()}


def _case(case: str, full: bool) -> Iterator[Row]:
    limits = {"kane": CASES[case].kane, "lagrange": FULL.get(case) if full and case in FULL else CASES[case].lagrange}
    peers = {method: _peer(case, method, limit) for method, limit in limits.items()}
    for route in ROUTES:
        yield _row(case, route, _least("derived", case, route), peers["lagrange" if route == "lagrange" else "kane"])


def _row(case: str, route: str, mine: Row, peer: Row) -> Row:
    known = peer.get("peer_seconds")
    row = {"case": case, "route": route, "seconds": mine["seconds"], "ops": mine["ops"], "peer": peer.get("peer")}
    row |= {"peer_seconds": known, "ratio": known / mine["seconds"] if known else None}
    return row | {"peer_ops": peer.get("peer_ops"), "peer_limit": peer.get("peer_limit"), "note": peer.get("note")}


def _peer(case: str, method: str, limit: float | None) -> Row:
    name = {"kane": "sympy KanesMethod", "lagrange": "sympy LagrangesMethod"}[method]
    if limit is None:
        return {"peer": name, "note": "peer not run: smaller ones took long already"}
    known = {"peer": name, "peer_limit": str(Limit(limit, MEGABYTES))}
    try:
        run = fresh("bench.derive:sympy_derived", case, method, limit, limit=Limit(10 * limit + 200, MEGABYTES))
    except StoppedError as reason:
        return known | {"note": f"peer {reason}"}
    if run is None:
        return known | {"note": "peer not installed"}
    if run["seconds"] is None:
        return known | {"peer_seconds": limit, "note": f"peer stopped: more than {limit:g} s"}
    return known | {"peer_seconds": run["seconds"], "peer_ops": run["ops"]}


def _least(function: str, *arguments: Any) -> Row:
    rows = (fresh(f"bench.derive:{function}", *arguments) or {} for _ in range(PROCESSES))
    return min(rows, key=lambda r: r["seconds"])


def _inverse(as_published: bool) -> Row:
    case = f"PUMA560 inverse dynamics, {'published zeros' if as_published else 'all symbolic'}"
    return _row(case, "recursive", _least("inverse", as_published), {})


# --------------------------------------------------------------------------------------------------- what was asked for


def _targets(done: list[Row], inverses: list[Row], slowest: float) -> Iterator[Row]:
    ratio = {(r["case"], r["route"]): r["ratio"] for r in done}
    for case, route, wanted in (
        ("chain n=5, relative", "recursive", 1000),
        ("chain n=5, relative", "kane", 300),
        ("planar chain n=8, relative", "lagrange", 100),
    ):
        found = ratio[case, route]
        yield {
            "case": f"target: {route}, {case}",
            "wanted": f"{wanted} times faster",
            "found": found,
            "reached": found is not None and found >= wanted,
        }
    for row, wanted in zip(inverses, (640, 398), strict=True):
        name = row["case"].removeprefix("PUMA560 ")
        yield {
            "case": f"target: {name}",
            "wanted": f"at most {wanted} ops",
            "found": row["ops"],
            "reached": row["ops"] <= wanted,
        }
    yield {
        "case": "target: slowest route on an example",
        "wanted": "at most 1 s",
        "found": slowest,
        "reached": slowest <= 1,
    }
