"""Equilibria and steady motions from random starts, beside SciPy's `hybr` and `lm` on the same rows and slopes.

Each case has 20 starts. `solved`: from how many of them a solution was found, all rows being zero to rounding of their own terms. `nearest`: how
many ended at the nearest of all solutions that anybody found. `evaluations`: of rows and slopes, the mean over the starts. A peer's end counts as
a solution where Newton's method stays there; it begins with multipliers of zero, as one who calls SciPy would. `hybr` needs as many rows as
unknowns: where there are more rows it gets the normal equations Jᵀ F = 0 (rows scaled), which have all the solutions; where there are fewer,
rows of zeros. A peer's run from one start ends after a time and a number of evaluations that its row names.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from scipy.optimize import root

import symbody as sb
from symbody.algebra.metric import UnknownsMetric
from symbody.algebra.nonlinear import System
from symbody.stability.steady import SteadyQuestion, question

from .equilibrium_cases import Case, cases
from .timing import Row

STARTS: Final = 20
SECONDS: Final = 2.0  # for a peer, from one start
CALLS: Final = 1000
PEERS: Final = ("hybr", "lm")
SAME: Final = 1e-4
STAYS: Final = 1e-5

Array = np.ndarray[Any, np.dtype[np.float64]]


def rows(only: list[str] | None = None) -> Iterator[Row]:
    total = dict.fromkeys(("starts", "solved", "nearest", *PEERS), 0)
    for case in cases():
        if only and not any(word in case.name for word in only):
            continue
        found = _Runs(case)
        yield from found.rows()
        total["starts"] += STARTS
        total["solved"] += found.solved
        total["nearest"] += found.nearest[""]
        for peer in PEERS:
            total[peer] += found.count(peer)
    for peer in PEERS:
        yield _row("all cases", total["starts"], total["solved"], total["nearest"], None, peer, total[peer], None, None)


def _row(
    case: str, starts: int, solved: int, nearest: int, evaluations: float | None, peer: str, peer_solved: int, peer_evaluations: float | None,
    seconds: float | None,
) -> Row:  # fmt: skip
    return {
        "case": case, "starts": starts, "solved": solved, "nearest": nearest, "evaluations": evaluations, "seconds": seconds,
        "peer": f"SciPy {peer}, at most {SECONDS:g} s and {CALLS} calls a start", "peer_solved": peer_solved, "peer_evaluations": peer_evaluations,
    }  # fmt: skip


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
        found = search.nearest()
        x = found.solution.x if found.solution.holds else None
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
        seconds = float(np.mean([e.seconds for e in self.ends[""]]))
        for peer in PEERS:
            yield _row(
                self.case.name,
                STARTS,
                self.solved,
                self.nearest[""],
                means[""],
                peer,
                self.count(peer),
                means[peer],
                seconds,
            )


# ---------------------------------------------------------------------------------------------------- peers


class _OutOfTimeError(Exception):
    pass


def _peer(system: System, start: Array, method: str, metric: UnknownsMetric) -> _End:
    calls, ends = [0], time.perf_counter() + SECONDS
    m, n = system.function(start)[1].shape
    square = _squared if method == "hybr" and m > n else _padded

    def function(x: Array) -> tuple[Array, Array]:
        calls[0] += 1
        if time.perf_counter() > ends or calls[0] > CALLS:
            raise _OutOfTimeError
        return square(*system.function(x))

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
