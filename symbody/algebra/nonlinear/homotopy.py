"""Globalisation where Newton's method finds no zero: the forces that balance the start are removed gradually
(homotopy), or the start is released against damping (dynamic relaxation).

    F(x) = (1 - s) F(x0),   s from 0 to 1        a ramp of loads, followed through folds (Allgower and Georg 1990,
                            *Numerical Continuation Methods*)
    P x' = -F(x)                                 dynamic relaxation: implicit steps that grow (Kelley and Keyes 1998,
                                                 *Convergence analysis of pseudo-transient continuation*)

P contains inertias in rows of F that balance forces, and zeros in rows that are constraints.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np

from .metric import UnknownsMetric
from .nonlinear import System
from .trust_region import Array, Mask, Scales, SingularValues

MAX_STEPS: Final = 300  # largest number of steps of a homotopy or a relaxation
FIRST_STEP: Final = 0.05  # first step along the homotopy path, in units of the unknowns' sizes
MAX_CORRECTIONS: Final = 6  # largest number of Newton corrections in one step
MAX_LOAD: Final = 100.0  # largest load on the path, in multiples of the load at the start
MAX_PROJECTIONS: Final = 30  # largest number of Newton steps onto the constraints
SETTLED_STEP: Final = 1e-3  # size of the last step of a relaxation that has settled, in units of the unknowns' sizes
MAX_GAIN: Final = 1e6  # largest ratio of solution to right side of a system that counts as regular
MAX_STEP: Final = 0.5  # largest step of a relaxation, in units of the unknowns' sizes


def homotopy_end(system: System, start: Array, metric: UnknownsMetric, max_steps: int = MAX_STEPS) -> Array | None:
    """A point next to a zero: the end of the path of zeros of F - (1 - s) F(x0); None if the path does not reach
    s = 1."""
    x, s, length = start.copy(), 0.0, FIRST_STEP
    F0, J = system.function(x)
    ahead = np.zeros(len(x) + 1)
    ahead[-1] = 1.0
    if not (np.isfinite(F0).all() and np.isfinite(J).all()):
        return None
    D = _steps(J, metric)
    for _ in range(max_steps):
        direction = _Path(J, F0, D).tangent(ahead)
        if direction is None:
            return None
        reached = _corrected_path_point(system, x, s, F0, D, length * direction)
        if reached is None:
            length /= 4
            if length < 1e-7:
                return None
            continue
        (moved, s_new, J_new), corrections = reached
        if s_new >= 1:
            part = (1 - s) / (s_new - s)
            return np.asarray(x + part * (moved - x))
        if s_new < -MAX_LOAD:
            return None
        x, s, J, ahead = moved, s_new, J_new, direction
        length = min(length * (2.0 if corrections <= 2 else 1.0), 1.0)
    return None


def _steps(J: Array, metric: UnknownsMetric) -> Array:
    """Sizes of the unknowns; those that do not count in distances get one from their derivatives."""
    is_known = np.isfinite(metric.sizes)
    return metric.sizes if is_known.all() else np.where(is_known, metric.sizes, Scales.of(J).columns)


class _Path:
    """Derivatives of H(x, s) = F(x) - (1 - s) F0 in balanced units."""

    def __init__(self, J: Array, F0: Array, D: Array) -> None:
        self.D = D
        whole = np.column_stack([J * D, F0])
        self.R = 1 / np.maximum(np.abs(whole).max(axis=1, initial=0.0), 1e-300)
        self.values = SingularValues.of(self.R[:, None] * whole)

    def tangent(self, ahead: Array) -> Array | None:
        """The direction along which H stays zero, oriented like the previous one, of length one in units of the
        sizes."""
        V = self.values.V
        t = ahead - V.T @ (V @ ahead)
        size = float(np.linalg.norm(t))
        return np.asarray(t / size) if size > 1e-9 else None

    def back(self, H: Array) -> Array:
        return self.values.shortest(self.R * H)


def _corrected_path_point(
    system: System, x: Array, s: float, F0: Array, D: Array, step: Array
) -> tuple[tuple[Array, float, Array], int] | None:
    """Newton's method from a point next to the path back onto it; None if it does not converge."""
    x, s = x + D * step[:-1], s + step[-1]
    before = np.inf
    for k in range(MAX_CORRECTIONS):
        F, J = system.function(x)
        if not (np.isfinite(F).all() and np.isfinite(J).all()):
            return None
        path = _Path(J, F0, D)
        back = path.back(F - (1 - s) * F0)
        size = float(np.linalg.norm(back))
        if size > 0.5 * before or size > 0.5:
            return None
        x, s, before = x - D * back[:-1], s - float(back[-1]), size
        if size < 1e-6:
            J = system.function(x)[1]
            return ((x, s, J), k) if np.isfinite(J).all() else None
    return None


def relaxation_end(
    system: System,
    start: Array,
    inertia_at: Callable[[Array], Array],
    metric: UnknownsMetric,
    within: float = np.inf,
    max_steps: int = MAX_STEPS,
) -> Array | None:
    """A point next to a zero, reached by implicit steps of P x' = -F(x); None if they do not settle within the
    given distance."""
    forces = system.function(start)[1][:, ~np.isfinite(metric.sizes)]
    ties = np.asarray(~inertia_at(start).any(axis=1) & ~forces.any(axis=1), dtype=bool)
    x, pace = on_constraints(system, start, ties, metric), np.inf
    for _ in range(max_steps):
        F, J = system.function(x)
        inertia = inertia_at(x)
        if not (np.isfinite(F).all() and np.isfinite(J).all() and inertia.any()):
            return None
        here = _Relaxing(F, J, inertia, metric.sizes, _steps(J, metric))
        change, pace = here.bounded(pace)
        x = x + change
        if metric.distance(x, start) > within:
            return None
        if here.size(change) < SETTLED_STEP and here.size(here.step(np.inf)) < 10 * SETTLED_STEP:
            return x
        pace *= 3
    return None


def on_constraints(system: System, x: Array, ties: Mask, metric: UnknownsMetric) -> Array:
    """A point next to another at which some rows vanish, or nearly so: constraints, which no friction holds."""
    for _ in range(MAX_PROJECTIONS if ties.any() else 0):
        F, J = system.function(x)
        seen = ties & J.any(axis=1)
        if not seen.any() or not (np.isfinite(F).all() and np.isfinite(J).all()):
            break
        D = _steps(J, metric)
        R = 1 / np.abs(J[seen] * D).max(axis=1)
        step = -D * SingularValues.of(R[:, None] * J[seen] * D).shortest(R * F[seen])
        size = float(np.linalg.norm(step / metric.sizes))
        x = x + step * min(1.0, MAX_STEP / max(size, 1e-300))
        if size < 1e-9:
            break
    return x


@dataclass(frozen=True)
class _Relaxing:
    """Implicit steps of P x' = -F from a point: (J + P / pace) Δx = -F."""

    F: Array
    J: Array
    inertia: Array
    sizes: Array  # infinite where no distance counts
    D: Array

    def size(self, change: Array) -> float:
        return float(np.linalg.norm(change / self.sizes))

    @cached_property
    def _damping(self) -> Array:
        return np.where(np.abs(self.J).max(axis=0, initial=0.0) > 0, self.inertia, 0.0)  # what no row contains stays

    def step(self, pace: float) -> Array:
        whole = (self.J + self._damping / pace) * self.D
        R = 1 / np.maximum(np.abs(whole).max(axis=1, initial=0.0), 1e-300)
        return -self.D * _shortest(R[:, None] * whole, R * self.F)

    def bounded(self, pace: float) -> tuple[Array, float]:
        """A step that is not too long, and the pace at which it is so. The part that constraints require does not
        depend on the pace: it is cut."""
        largest = np.abs(self.inertia).max(initial=0.0) / max(float(np.abs(self.J).max(initial=0.0)), 1e-300)
        pace = min(pace, 1e12 * largest)
        before = np.inf
        while True:
            change = self.step(pace)
            size = self.size(change)
            if size <= MAX_STEP or (size > 0.99 * before and pace < 1e-6 * largest):
                return change * min(1.0, MAX_STEP / max(size, 1e-300)), pace
            before, pace = size, pace / 4


def _shortest(A: Array, b: Array) -> Array:
    """A⁺ b; by elimination where A is regular, and far quicker so."""
    if A.shape[0] == A.shape[1]:
        try:
            x = np.linalg.solve(A, b)
        except np.linalg.LinAlgError:
            x = np.full(len(b), np.nan)
        if np.abs(x).max(initial=0.0) < MAX_GAIN * np.abs(b).max(initial=0.0):
            return np.asarray(x)
    return SingularValues.of(A).shortest(b)
