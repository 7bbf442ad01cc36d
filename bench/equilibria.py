"""Equilibria and steady motions from random starts, beside SciPy's `hybr` and `lm` on the same rows and slopes.

Each case has 20 starts. `solved`: from how many of them a solution was found, all rows being zero to rounding of their
own terms. `nearest`: how many ended at the nearest of all solutions that anybody found. `evaluations`: of rows and
slopes, the mean over the starts. A peer's end counts as a solution where Newton's method stays there; it begins with
multipliers of zero, as one who calls SciPy would. `hybr` needs as many rows as unknowns: where there are more rows it
gets the normal equations Jᵀ F = 0 (rows scaled), which have all the solutions; where there are fewer, rows of zeros. A
run from one start ends after a time of the processor (a peer's also after a number of evaluations) that its row names:
it has found nothing then.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
from scipy.optimize import root

import symbody as sb
from symbody.algebra.nonlinear.metric import UnknownsMetric
from symbody.algebra.nonlinear.nonlinear import Function, System
from symbody.stability.equilibria.steady import SteadyQuestion, question

from .equilibrium_cases import Case, cases
from .kept_rows import KeptRows
from .timing import Row

STARTS: Final = 20
OURS: Final = 20.0  # seconds for us, from one start
SECONDS: Final = 2.0  # for a peer
CALLS: Final = 1000
PEERS: Final = ("hybr", "lm")
SAME: Final = 1e-4
STAYS: Final = 1e-5

Array = np.ndarray[Any, np.dtype[np.float64]]


def rows(only: list[str] | None = None, keep: str | None = None) -> Iterator[Row]:
    """Two rows a case, one for each peer, then two for all cases.

    only   cases with one of these words in their names
    keep   a file to which rows are added as they come; cases that are in it are not run again
    """
    kept = KeptRows(keep)
    every: list[Row] = []
    for case in cases():
        if only and not any(word in case.name for word in only):
            continue
        for row in kept.rows(case.name) or kept.added(list(_Runs(case).rows())):
            every.append(row)
            yield row
    for peer in PEERS:
        yield _all([row for row in every if row["peer"] == _limited(peer)], peer)


def _limited(peer: str) -> str:
    return f"SciPy {peer}, at most {SECONDS:g} s and {CALLS} calls a start"


def _all(rows: list[Row], peer: str) -> Row:
    """Sums, the median of the cases' evaluations, and the largest of their times."""
    total = {k: sum(row[k] for row in rows) for k in ("starts", "solved", "nearest", "peer_solved", "peer_nearest")}
    medians = {
        k: float(np.median([row[k] for row in rows])) if rows else None for k in ("evaluations", "peer_evaluations")
    }
    seconds = {k: max((row[k] for row in rows), default=None) for k in ("seconds", "slowest")}
    cases = {"case": f"all {len(rows)} cases"}
    return {k: {**cases, **total, **medians, **seconds, "peer": _limited(peer), "ours": _OURS}[k] for k in _COLUMNS}


_OURS: Final = f"at most {OURS:g} s a start"
_COLUMNS: Final = (
    "case", "starts", "solved", "nearest", "evaluations", "seconds", "slowest", "peer", "peer_solved", "peer_nearest", "peer_evaluations", "ours",
)  # fmt: skip


@dataclass(frozen=True)
class _End:
    """Where a run ended, None where that is no solution; and what it took."""

    x: Array | None
    evaluations: int
    seconds: float = 0.0


class _Runs:
    """Ours and the peers' from every start of a case."""

    def __init__(self, case: Case) -> None:
        self.case = case
        equations = sb.derive(case.model())
        asked = {"values": {}, "zero": (), "free": (), "turning": None, **case.ask}
        numbers = {k: asked.pop(k) for k in list(asked) if k not in ("values", "zero", "free", "turning")}
        self.asked: SteadyQuestion = question(
            equations, {**asked["values"], **numbers}, asked["zero"], asked["free"], asked["turning"], case.near, None
        )
        self.problem = self.asked.problem
        self.system = self.problem.system(self.asked.numbers)
        self.starts = [self._start(k) for k in range(STARTS)]
        self.ends: dict[str, list[_End]] = {"": [self._ours(x) for x in self.starts]}
        for peer in PEERS:
            self.ends[peer] = [_peer(self.system, x, peer, self._metric(x)) for x in self.starts]

    def _start(self, seed: int) -> Array:
        """Random numbers about the case's start: coordinates by their spread, speeds by a part of themselves."""
        draw, case = np.random.default_rng(1000 + seed), self.case
        out = []
        for s, kind in zip(self.problem.unknowns, self.problem.kinds, strict=True):
            x = self.asked.begin[s]
            by = {
                "coordinate angle": case.angle, "coordinate other": case.length, "speed angle": case.speed * abs(x),
                "speed other": case.speed * max(abs(x), 1.0),
            }.get(kind, 0.0)  # fmt: skip
            out.append(x + by * draw.uniform(-1, 1))
        return np.array(out)

    def _metric(self, start: Array) -> UnknownsMetric:
        return self.problem.metric(self.system, start)

    def _ours(self, start: Array) -> _End:
        began = time.process_time()
        search = self.problem.search(self.asked.numbers, dict(zip(self.problem.unknowns, start, strict=True)))
        search = replace(search, system=replace(search.system, function=_until(search.system.function, OURS)))
        try:
            found = search.nearest()
            x = found.solution.x if found.solution.holds else None
        except _OutOfTimeError:
            x = None
        return _End(x, search.evaluations, time.process_time() - began)

    # ------------------------------------------------------------------------------------------------ counting

    def count(self, who: str) -> int:
        return sum(e.x is not None for e in self.ends[who])

    @property
    def solved(self) -> int:
        return self.count("")

    @property
    def nearest(self) -> dict[str, int]:
        """How many of each one's ends are the nearest of all solutions to their start."""
        known = [e.x for ends in self.ends.values() for e in ends if e.x is not None]
        out = dict.fromkeys(self.ends, 0)
        for k, start in enumerate(self.starts):
            metric = self._metric(start)
            least = min((metric.distance(x, start) for x in known), default=np.inf)
            for who, ends in self.ends.items():
                x = ends[k].x
                out[who] += x is not None and metric.distance(x, start) <= 1.02 * least + SAME
        return out

    def rows(self) -> Iterator[Row]:
        means = {who: float(np.mean([e.evaluations for e in ends])) for who, ends in self.ends.items()}
        seconds, nearest = [e.seconds for e in self.ends[""]], self.nearest
        for peer in PEERS:
            row = {
                "case": self.case.name, "starts": STARTS, "solved": self.solved, "nearest": nearest[""], "evaluations": means[""],
                "seconds": float(np.mean(seconds)), "slowest": max(seconds), "peer": _limited(peer), "peer_solved": self.count(peer),
                "peer_nearest": nearest[peer], "peer_evaluations": means[peer], "ours": _OURS,
            }  # fmt: skip
            yield {k: row[k] for k in _COLUMNS}


# ---------------------------------------------------------------------------------------------------- peers


class _OutOfTimeError(Exception):
    pass


def _until(function: Function, seconds: float) -> Function:
    """The same function, which raises when the process has worked for so long."""
    end = time.process_time() + seconds

    def timed(x: Array) -> tuple[Array, Array]:
        if time.process_time() > end:
            raise _OutOfTimeError
        return function(x)

    return timed


def _peer(system: System, start: Array, method: str, metric: UnknownsMetric) -> _End:
    calls, timed = [0], _until(system.function, SECONDS)
    m, n = system.function(start)[1].shape
    square = _squared if method == "hybr" and m > n else _padded

    def function(x: Array) -> tuple[Array, Array]:
        calls[0] += 1
        if calls[0] > CALLS:
            raise _OutOfTimeError
        return square(*timed(x))

    x = start
    with np.errstate(all="ignore"):
        try:
            x = root(function, start, jac=True, method=method, tol=1e-12).x
        except (_OutOfTimeError, ValueError, np.linalg.LinAlgError):
            return _End(None, calls[0])
        return _End(_staying(system, x, metric), calls[0])


def _padded(F: Array, J: Array) -> tuple[Array, Array]:
    missing = max(J.shape[1] - len(F), 0)
    return np.concatenate([F, np.zeros(missing)]), np.vstack([J, np.zeros((missing, J.shape[1]))])


def _squared(F: Array, J: Array) -> tuple[Array, Array]:
    """Jᵀ F, with slopes to first order."""
    R = 1 / np.maximum(np.abs(J).max(axis=1), 1e-300)
    A = R[:, None] * J
    return A.T @ (R * F), A.T @ A


def _staying(system: System, x: Array, metric: UnknownsMetric) -> Array | None:
    """The solution that a point is next to; None where there is none."""
    if not np.isfinite(x).all() or not np.isfinite(system.function(x)[0]).all():
        return None
    found = system.zero(x)
    return found.x if found.holds and metric.distance(found.x, x) <= STAYS else None
