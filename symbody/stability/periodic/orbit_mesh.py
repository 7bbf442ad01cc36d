"""Polynomials of an orbit at other times, and meshes that share its error evenly."""

from __future__ import annotations

from typing import Final

import numpy as np

from ...emit.run.callable import Array
from .collocation import STAGES, gauss
from .orbit_problem import OrbitPoint

SHARE: Final = 3e-5  # measured with 12 to 96 intervals: 1e-6 to 1e-5 of periods (van der Pol, Rössler), somewhat more of multipliers


def interpolated(point: OrbitPoint, tau: Array) -> tuple[Array, Array]:
    """Values and slopes dx/dτ at parts of the period."""
    slopes = gauss(STAGES)[3]
    j = np.clip(np.searchsorted(point.times, tau, side="right") - 1, 0, len(point.K) - 1)
    h = np.diff(point.times)[j]
    theta = (tau - point.times[j]) / h
    powers = theta[:, None] ** np.arange(STAGES)
    rate = powers @ slopes.T
    value = (powers * theta[:, None]) @ (slopes / np.arange(1, STAGES + 1)).T
    x = point.x[j] + (value[:, None] @ point.K[j])[:, 0]
    return np.asarray(x), np.asarray((rate[:, None] @ point.K[j])[:, 0] / h[:, None])


def on_mesh(point: OrbitPoint, times: Array) -> OrbitPoint:
    """The same orbit on another mesh."""
    h = np.diff(times)
    x, _ = interpolated(point, times)
    inner = times[:-1, None] + h[:, None] * gauss(STAGES)[0]
    _, rate = interpolated(point, inner.reshape(-1))
    K = rate.reshape(len(h), STAGES, -1) * h[:, None, None]
    return OrbitPoint(times, x, K, point.T, point.value)


def halved(point: OrbitPoint) -> OrbitPoint:
    """On a mesh with every interval halved."""
    middle = (point.times[:-1] + point.times[1:]) / 2
    return on_mesh(point, np.sort(np.concatenate([point.times, middle])))


def monitor(point: OrbitPoint) -> Array:
    """(|x^(m+1)|)^(1/(m+1)) on each interval, from jumps of the highest derivative between neighbours (de Boor 1973)."""
    h, slopes = np.diff(point.times), gauss(STAGES)[3]
    highest = (slopes[:, -1] @ point.K) / (point.sizes * h[:, None] ** STAGES)
    jumps = np.abs(np.diff(highest, axis=0)) / (0.5 * (h[1:] + h[:-1]))[:, None]
    jumps = np.concatenate([jumps[:1], jumps, jumps[-1:]])
    size = np.maximum(jumps[:-1], jumps[1:]).max(axis=1)
    return np.asarray(size ** (1 / (STAGES + 1)))


def adapted(point: OrbitPoint, intervals: int) -> OrbitPoint:
    """On a mesh of so many intervals that share the error evenly; none is longer than a few even ones would be."""
    density = monitor(point)
    mean = float(np.sum(density * np.diff(point.times)))
    density = density + 0.3 * mean if mean > 0 else np.ones_like(density)
    total = np.concatenate([[0.0], np.cumsum(density * np.diff(point.times))])
    times = np.interp(np.linspace(0.0, total[-1], intervals + 1), total, point.times)
    times[0], times[-1] = 0.0, 1.0
    return on_mesh(point, times)


def coarseness(point: OrbitPoint) -> float:
    """The mean of the monitor, a number of intervals in itself: with N intervals the relative error at mesh points is about SHARE (c/N)^2m."""
    return float(np.sum(monitor(point) * np.diff(point.times)))


def mesh_error(point: OrbitPoint) -> float:
    """About the error at mesh points, in parts of the sizes."""
    return float(SHARE * (coarseness(point) / len(point.K)) ** (2 * STAGES))


def intervals_for(point: OrbitPoint, wanted: float) -> int:
    """So many that the error is about what is wanted."""
    return int(np.ceil(coarseness(point) / (wanted / SHARE) ** (1 / (2 * STAGES))))
