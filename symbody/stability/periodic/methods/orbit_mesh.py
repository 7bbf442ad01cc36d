"""Interpolation of orbits at other times, and meshes that distribute its error evenly."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from ....emit.run.callable import Array
from ..maps.collocation import STAGES, gauss
from ..problem.orbit_problem import OrbitPoint

POWERS: Final = np.arange(1, STAGES + 1)
# factor of the error estimate, measured with 12 to 96 intervals: errors of periods are 1e-6 to 1e-5 of it (van der Pol,
# Rössler), those of multipliers somewhat larger
SHARE: Final = 3e-5


def values_and_slopes(point: OrbitPoint, tau: Array) -> tuple[Array, Array]:
    """Values and slopes dx/dτ at parts of the period."""
    slopes = gauss(STAGES)[3]
    j = np.clip(np.searchsorted(point.times, tau, side="right") - 1, 0, len(point.K) - 1)
    h = np.diff(point.times)[j]
    theta = (tau - point.times[j]) / h
    powers = theta[:, None] ** np.arange(STAGES)
    rate = powers @ slopes.T
    value = (powers * theta[:, None]) @ (slopes / np.arange(1, STAGES + 1)).T
    x = point.x[j] + _weighted_stages(value, point.K[j])
    return np.asarray(x), np.asarray(_weighted_stages(rate, point.K[j]) / h[:, None])


def on_mesh(point: OrbitPoint, times: Array) -> OrbitPoint:
    """The same orbit on another mesh."""
    return all_on_mesh([point], times)[0]


def all_on_mesh(points: Sequence[OrbitPoint], times: Array) -> list[OrbitPoint]:
    """Orbits that share a mesh, on another one."""
    c, _, _, slopes = gauss(STAGES)
    before, h = points[0].times, np.diff(times)
    lengths = np.diff(before)
    j = np.clip(np.searchsorted(before, times, side="right") - 1, 0, len(lengths) - 1)
    theta = (times - before[j]) / lengths[j]
    value = (theta[:, None] ** POWERS) @ (slopes / POWERS).T
    inner = (times[:-1, None] + h[:, None] * c).reshape(-1)
    i = np.clip(np.searchsorted(before, inner, side="right") - 1, 0, len(lengths) - 1)
    theta = (inner - before[i]) / lengths[i]
    rate = (theta[:, None] ** (POWERS - 1)) @ slopes.T * (np.repeat(h, STAGES) / lengths[i])[:, None]
    out = []
    for p in points:
        x = p.x[j] + _weighted_stages(value, p.K[j])
        out.append(OrbitPoint(times, x, _weighted_stages(rate, p.K[i]).reshape(len(h), STAGES, -1), p.T, p.value))
    return out


def _weighted_stages(weights: Array, K: Array) -> Array:
    """Σ_l weights_il K_il: of each row, the stages of its interval."""
    return np.asarray(np.einsum("il,ilk->ik", weights, K))


def with_halved_intervals(point: OrbitPoint) -> OrbitPoint:
    """The orbit on a mesh with every interval halved."""
    middle = (point.times[:-1] + point.times[1:]) / 2
    return on_mesh(point, np.sort(np.concatenate([point.times, middle])))


def monitor(point: OrbitPoint) -> Array:
    """(|x^(m+1)|)^(1/(m+1)) on each interval, from jumps of the highest derivative between neighbours (de Boor
    1973)."""
    h, slopes = np.diff(point.times), gauss(STAGES)[3]
    highest = (slopes[:, -1] @ point.K) / (point.sizes * h[:, None] ** STAGES)
    jumps = np.abs(np.diff(highest, axis=0)) / (0.5 * (h[1:] + h[:-1]))[:, None]
    jumps = np.concatenate([jumps[:1], jumps, jumps[-1:]])
    size = np.maximum(jumps[:-1], jumps[1:]).max(axis=1)
    return np.asarray(size ** (1 / (STAGES + 1)))


def on_adapted_mesh(point: OrbitPoint, intervals: int) -> OrbitPoint:
    """The orbit on a mesh with a given number of intervals that distributes the error evenly; none is longer than a
    few intervals of a uniform mesh."""
    return on_mesh(point, shared_evenly(point, monitor(point), intervals))


def shared_evenly(point: OrbitPoint, density: Array, intervals: int) -> Array:
    """Times of such a mesh, for a monitor."""
    h = np.diff(point.times)
    mean = float(density @ h)
    density = density + 0.3 * mean if mean > 0 else np.ones_like(density)
    total = np.concatenate([[0.0], np.cumsum(density * h)])
    times = np.interp(np.linspace(0.0, total[-1], intervals + 1), total, point.times)
    times[0], times[-1] = 0.0, 1.0
    return times


def coarseness(point: OrbitPoint, density: Array) -> float:
    """The mean of the monitor, a number of intervals in itself: with N intervals the relative error at mesh points is
    about SHARE (c/N)^2m."""
    return float(density @ np.diff(point.times))


def mesh_error(coarse: float, intervals: int) -> float:
    """About the error at mesh points, in parts of the sizes."""
    return float(SHARE * (coarse / intervals) ** (2 * STAGES))


def intervals_for(coarse: float, wanted: float) -> int:
    """The number of intervals for which the error is about as wanted."""
    return int(np.ceil(coarse / (wanted / SHARE) ** (1 / (2 * STAGES))))
