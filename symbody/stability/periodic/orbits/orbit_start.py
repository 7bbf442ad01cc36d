"""Starts of the search for an orbit: a settled motion, values and a period, a Hopf point, or another orbit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from ....emit.run.callable import Array
from ....errors import StabilityError
from ....integrate.result.trajectory import Trajectory
from ..maps.collocation import STAGES, gauss
from ..problem.orbit_flow import OrbitFlow
from ..problem.orbit_problem import OrbitPoint

SAMPLES: Final = 4000  # number of points of a trajectory at which its return is tested
RETURN_DISTANCE: Final = 0.2  # distance from the end, relative to the size of the motion, below which it has returned
DEPARTURE_DISTANCE: Final = 0.5  # distance from the end, relative to the largest, that it must have reached before
MAX_FIRST_INTERVALS: Final = 200  # largest number of intervals of a mesh that follows the steps of a motion


def from_function(
    flow: OrbitFlow, states: Callable[[Array], Array], T: float, value: float, times: Array, t0: float, p: Array
) -> OrbitPoint:
    """An orbit near a motion that is given as a function of τ in [0, 1]; slopes are those of the flow."""
    h = np.diff(times)
    inner = times[:-1, None] + h[:, None] * gauss(STAGES)[0]
    x, _ = flow.along(t0 + T * inner.reshape(-1), states(inner.reshape(-1)), p)
    K = x.reshape(len(h), STAGES, flow.n) * (T * h)[:, None, None]
    return OrbitPoint(times, states(times), K, T, value)


def around_an_equilibrium(
    x: Array, shape: Any, amplitude: float, T: float, value: float, times: Array, turns: float
) -> tuple[OrbitPoint, OrbitPoint]:
    """x + a Re(v exp(2πi turns τ)) on a mesh, and the direction in which the amplitude grows."""
    h = np.diff(times)
    inner = times[:-1, None] + h[:, None] * gauss(STAGES)[0]
    omega = 2j * np.pi * turns
    wave = np.real(np.exp(omega * times)[:, None] * shape)
    slopes = np.real(omega * np.exp(omega * inner)[:, :, None] * shape) * h[:, None, None]
    growing = OrbitPoint(times, wave, slopes, 0.0, 0.0)
    still = OrbitPoint(times, np.tile(x, (len(times), 1)), np.zeros_like(slopes), T, value)
    return still.moved(growing, amplitude), growing


def settled_period(flow: OrbitFlow, motion: Trajectory, mirror: Array | None) -> float:
    """The time since a settled motion was last where it is at its end (or at the mirror image of it, of a half
    period)."""
    begin, end = float(motion.t[0]), float(motion.t[-1])
    times = np.linspace(begin, end, SAMPLES)
    X = states_of(flow, motion, times)
    size = np.maximum(np.ptp(X[SAMPLES // 2 :], axis=0), 1e-12)
    size = np.maximum(size, 1e-6 * size.max())
    last = X[-1] if mirror is None else mirror * X[-1]
    away = np.linalg.norm((X - last) / size, axis=1)[::-1]
    if mirror is None:
        gone = int(np.argmax(away > DEPARTURE_DISTANCE * away[: SAMPLES // 2].max()))
    else:
        gone = 0
    near = [
        k
        for k in range(max(gone, 1), SAMPLES - 1)
        if away[k] <= min(away[k - 1], away[k + 1]) and away[k] < RETURN_DISTANCE
    ]
    if not near:
        raise StabilityError(
            f"orbit of {flow.equations.name!r}: the motion over t = {begin:z.6g} ... {end:z.6g} does not return to where it ends; simulate longer, until it "
            "has settled, or give period="
        )
    return float(end - times[::-1][near[0]])


def states_of(flow: OrbitFlow, motion: Trajectory, times: Array) -> Array:
    """States of the flow along a motion."""
    at = motion.at(times)
    return np.column_stack([at[s.name] for s in flow.x])


def shooting_guess(states: Callable[[Array], Array], segments: int, T: float, signs: Array | None) -> OrbitPoint:
    """Points of a motion at even times; the last is the first again, or its mirror image."""
    times = np.linspace(0.0, 1.0, segments + 1)
    x = states(times)
    x[-1] = x[0] if signs is None else signs * x[0]
    return OrbitPoint(times, x, np.zeros((segments, 0, x.shape[1])), T, 0.0)


def mesh_of_steps(steps: Array, first: float, part: float, intervals: int) -> Array:
    """Times of a mesh as dense as the steps of a motion from `first` on over the time `part`; of at least so many
    intervals."""
    inner = (steps[(steps > first) & (steps < first + part)] - first) / part
    own = np.concatenate([[0.0], inner, [1.0]])
    count = min(max(intervals, len(own) - 1), MAX_FIRST_INTERVALS)
    return np.interp(np.linspace(0.0, 1.0, count + 1), np.linspace(0.0, 1.0, len(own)), own)


def between_events(times: list[float], first: float, last: float) -> float:
    """The middle of the longest stretch without an event, between two times."""
    edges = [first, *(t for t in sorted(times) if first < t < last), last]
    k = int(np.argmax(np.diff(edges)))
    return float((edges[k] + edges[k + 1]) / 2)
