"""Orbits by multiple shooting: simulations over parts of the period with their variational equations, events and
impacts on the way.

    x_{j+1} = φ(t_{j+1}, t_j, x_j),   δx_{j+1} = Φ δx_j + ∂φ/∂p δp + (τ_{j+1} f⁻ - τ_j Φ f_j) δT

Across an event the variations jump by its exact saltation matrix (`integrate/forms/sensitivities.py`), so that
multipliers of gaits and of bouncing are those of the hybrid motion. The rest is the same chain as for collocation.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from ....emit.run.callable import Array
from ....errors import SymbodyError
from ....integrate.result.trajectory import Trajectory
from ....integrate.start.state import State
from ..maps.chain import ROWS, SCALARS, ChainSolver
from ..maps.collocation import STAGES, gauss
from ..maps.damped_steps import damped_steps
from ..problem.itineraries import SMOOTH, Itinerary
from ..problem.orbit_flow import OrbitFlow
from ..problem.orbit_problem import (
    RANK_TOLERANCE,
    Corrected,
    NewtonIterate,
    OrbitPoint,
    OrbitProblem,
    OrbitSetting,
    Plane,
)

RTOL: Final = 1e-11  # relative tolerance of the simulations
CONVERGENCE_TOLERANCE: Final = 1e-9  # change in Newton's method for a single orbit that counts as converged
MAX_ITERATIONS: Final = 14  # largest number of Newton iterations
MAX_CHANGE: Final = 0.4  # largest change in an iteration relative to the sizes of the states
MAX_PROJECTIONS: Final = 4  # number of Newton steps onto the constraints
SHOWN_INTERVALS: Final = 40  # number of intervals of the polynomials that represent an orbit


class ShootingProblem(OrbitProblem):
    """Orbits as simulations from point to point.

    course   events, impacts and modes on the way; none of them begins or ends at one of the points
    """

    form = "shooting"

    def __init__(self, flow: OrbitFlow, setting: OrbitSetting, course: Itinerary = SMOOTH) -> None:
        super().__init__(flow, setting)
        self.course = course
        self._solvers: dict[int, ChainSolver] = {}

    def values(self, point: OrbitPoint) -> Array:
        return point.x

    def phase(self, near: OrbitPoint) -> Plane:
        if self.setting.period is not None:
            return Plane(np.zeros_like(near.x[:-1]), np.zeros(SCALARS), 0.0)
        f, _ = self.flow.along(self._times(near)[:-1], near.x[:-1], self.p)
        weights = f / near.sizes**2
        weights = weights / np.sqrt(np.sum((f / near.sizes) ** 2))
        return Plane(weights, np.zeros(SCALARS), float(np.sum(weights * near.x[:-1])))

    def fixed(self, near: OrbitPoint) -> Plane:
        return Plane(np.zeros_like(near.x[:-1]), np.array([0.0, 1.0]), near.value)

    def dual(self, direction: OrbitPoint, sizes: Array, scales: Array) -> Plane:
        weights = direction.x[:-1] / (sizes**2 * (len(direction.x) - 1))
        return Plane(weights, np.array([direction.T, direction.value]) / scales**2, 0.0)

    def product(self, dual: Plane, direction: OrbitPoint) -> float:
        return float(np.vdot(dual.weights, direction.x[:-1]) + dual.scalars @ [direction.T, direction.value])

    def near(
        self, point: OrbitPoint, normal: OrbitPoint | None = None, way: list[NewtonIterate] | None = None
    ) -> Corrected | None:
        """The orbit near another: at its value, or in the plane through it with a normal."""
        if normal is None:
            return self.isolated_or_not(point, CONVERGENCE_TOLERANCE, way)
        dual = self.dual(normal, np.full(self.flow.n, float(np.abs(normal.x).max())), np.ones(2))
        return self.corrected(point, (self.phase(point), self.across(point, dual)), CONVERGENCE_TOLERANCE, way)

    # ------------------------------------------------------------------------------------------------ motions

    def _times(self, point: OrbitPoint) -> Array:
        return self.setting.t0 + point.times * point.T

    def motion(self, point: OrbitPoint, j: int, sensitivities: Sequence[str] = ()) -> Trajectory | None:
        """The motion from one point to the next; None if the simulation does not reach it."""
        eq, times = self.flow.equations, self._times(point)
        if self.setting.place is not None:
            self.p[self.setting.place] = point.value
        x = self._onto_constraints(float(times[j]), point.x[j])
        numbers = dict(zip((*self.flow.x, *eq.variables.constants), map(float, (*x, *self.p)), strict=True))
        try:
            start = State.of(eq, {**{s.name: v for s, v in numbers.items()}, eq.t.name: float(times[j])})
            options = {"sensitivities": sensitivities, "held": "nearest"} if sensitivities else {}
            found = self.course.simulated(
                eq, (float(times[j]), float(times[j + 1])), start, {"rtol": RTOL, "progress": False, **options}
            )
        except SymbodyError:  # off the constraints, where Newton's method has gone astray
            return None
        last = found.segments[-1].equations
        comes_back = last is eq or (
            self.setting.image and {s.name for s in last.state} >= {s.name for s in self.flow.x}
        )
        return found if found.outcome and comes_back else None

    def _end_indices_and_signs(self, motion: Trajectory) -> tuple[list[int], Array]:
        """Indices of the states of the next point in the last state of a motion, and their signs: for steps that are
        images of each other, by the names that change places."""
        others = {state: (other, sign) for state, other, sign in self.setting.image}
        of = [others.get(s.name, (s.name, 1.0)) for s in self.flow.x]
        names = [s.name for s in motion.segments[-1].equations.state]
        return [names.index(name) for name, _ in of], np.array([sign for _, sign in of])

    def _onto_constraints(self, t: float, x: Array) -> Array:
        """The nearest state on the constraints, which Newton's method violates to second order."""
        count = len(self.flow.constraints)
        for _ in range(MAX_PROJECTIONS if count else 0):
            g, G, _ = self.flow.rows_at(t, x, self.p)
            x = x - np.linalg.lstsq(G[:count], g[:count], rcond=RANK_TOLERANCE)[0]
        return x

    def _linearised_chain(self, point: OrbitPoint, planes: tuple[Plane, Plane]) -> ChainSolver | None:
        """The chain at an orbit."""
        n, count, flow = self.flow.n, len(point.x) - 1, self.flow
        if count not in self._solvers:
            self._solvers[count] = ChainSolver(n, count, self.flow.effort)
        chain = self._solvers[count]
        names = [s.name for s in (*flow.x, *(() if flow.varied is None else (flow.varied,)))]
        for j in range(count):
            motion = self.motion(point, j, names)
            if motion is None or (variations := motion.segments[-1].variations) is None:
                return None
            rows, signs = self._end_indices_and_signs(motion)
            V, x = signs[:, None] * variations[-1][rows], signs * motion.segments[-1].y[-1][rows]
            ends, _ = flow.along(self._times(point)[[j, j + 1]], np.array([point.x[j], x]), self.p)
            chain.A[j] = V[:, :n]
            chain.C[j, :, 0] = point.times[j + 1] * ends[1] - point.times[j] * (V[:, :n] @ ends[0])
            chain.C[j, :, 1] = V[:, n] if flow.varied is not None else 0.0
            chain.C[j, :, 2] = x - point.x[j + 1]
        for r, plane in enumerate(planes):
            chain.g[r] = plane.weights
            chain.d[r, :SCALARS] = plane.scalars
            now = np.vdot(plane.weights, point.x[:-1]) + plane.scalars @ [point.T, point.value]
            chain.d[r, SCALARS] = now - plane.right
        chain.eliminate()
        return chain

    def corrected(
        self,
        point: OrbitPoint,
        planes: tuple[Plane, Plane],
        tolerance: float,
        way: list[NewtonIterate] | None = None,
        is_damped: bool = False,
    ) -> Corrected | None:
        n, before = self.flow.n, np.inf
        for k in range(MAX_ITERATIONS):
            chain = self._linearised_chain(point, self._up_to_date(point, planes))
            if chain is None:
                return None
            ends, closing = self.ends(point.x[0], point.x[-1], point.value)
            ends = ends.copy()
            ends[:closing, -1] = ends[:closing, : 2 * n] @ np.append(point.x[0], point.x[-1])
            rows = np.vstack([chain.remaining(), ends])
            right = np.column_stack([-rows[:, -1], np.eye(len(rows))[n + ROWS - 1]])
            try:
                found = (
                    damped_steps(rows[:, :-1], right, self._sizes_of_unknowns(point))
                    if is_damped
                    else np.linalg.solve(rows[:, :-1], right)
                )
            except np.linalg.LinAlgError:
                return None
            change = self._direction(point, chain, found[:, 0], 1.0)
            size = max(float(np.abs(change.x / point.sizes).max()), abs(change.T / point.T))
            if way is not None:
                way.append(NewtonIterate(point, self._residual_of(point, chain), size))
            if not np.isfinite(size) or (size > 2 * before and before < 0.1):
                return None
            point = point.moved(change, min(1.0, MAX_CHANGE / size) if size else 1.0)
            if size <= tolerance or (size >= 0.5 * before and before <= 1e3 * tolerance):
                tangent = self._direction(point, chain, found[:, 1], 0.0)
                return Corrected(point, tangent, chain.A.copy(), k + 1, size) if point.T > 0 else None
            before = size
        return None

    @staticmethod
    def _sizes_of_unknowns(point: OrbitPoint) -> Array:
        return np.concatenate([point.sizes, point.sizes, [point.T, max(abs(point.value), 1.0)]])

    def _up_to_date(self, point: OrbitPoint, planes: tuple[Plane, Plane]) -> tuple[Plane, Plane]:
        if self.setting.period is None:
            return planes
        period, slope = self.given_period(point.value)
        return replace(planes[0], scalars=np.array([1.0, -slope]), right=period - slope * point.value), planes[1]

    def _direction(self, at: OrbitPoint, chain: ChainSolver, ends: Array, unit: float) -> OrbitPoint:
        n = self.flow.n
        s = np.append(ends[2 * n :], unit)
        dx = chain.back_substitute(ends[:n], ends[n : 2 * n], s).copy()
        return OrbitPoint(at.times, dx, np.zeros_like(at.K), float(s[0]), float(s[1]))

    # ------------------------------------------------------------------------------------------------ results

    def maps(self, point: OrbitPoint) -> Array:
        chain = self._linearised_chain(point, (self.fixed(point), self.fixed(point)))
        return np.full((len(point.x) - 1, self.flow.n, self.flow.n), np.nan) if chain is None else chain.A.copy()

    def residual(self, point: OrbitPoint) -> float:
        """By how much simulations miss the points that they lead to, in parts of the states' sizes."""
        chain = self._linearised_chain(point, (self.fixed(point), self.fixed(point)))
        return np.nan if chain is None else self._residual_of(point, chain)

    def _residual_of(self, point: OrbitPoint, chain: ChainSolver) -> float:
        return max(float(np.abs(chain.C[:, :, -1] / point.sizes).max()), self.gap(point))

    def null_direction(self, point: OrbitPoint, factor: float) -> OrbitPoint:
        n = self.flow.n
        chain = self._linearised_chain(point, (self.fixed(point), self.fixed(point)))
        assert chain is not None
        rows = chain.remaining()[:n]
        flow = self.flow.along(self._times(point)[:1], point.x[:1], self.p)[0][0]
        v = self.null_start(
            rows[:, :n],
            rows[:, n : 2 * n],
            point,
            factor,
            flow if factor == 1 and self.setting.period is None else None,
        )
        ends = np.concatenate([v, factor * self.onward(point, v), np.zeros(SCALARS)])
        return self._direction(point, chain, ends, 0.0)

    def refined(
        self,
        point: OrbitPoint,
        wanted: float,
        normal: OrbitPoint | None = None,
        way: list[NewtonIterate] | None = None,
    ) -> tuple[Corrected, float] | None:
        """The orbit near another; its error is that of the simulations."""
        found = self.near(point, normal, way)
        return None if found is None else (found, RTOL)

    def shown(self, point: OrbitPoint) -> OrbitPoint:
        """As polynomials, with the jumps between them, to look at."""
        times, x, K = [], [], []
        for j in range(len(point.x) - 1):
            motion = self.motion(point, j)
            assert motion is not None
            span = self._times(point)[[j, j + 1]]
            jumps = {e.t for e in motion.events} | {s.span[0] for s in motion.segments}
            own = [t for t in sorted(jumps) if span[0] < t < span[1]]
            for a, b in zip([span[0], *own], [*own, span[1]], strict=True):
                part = self._smooth(motion, a, b)
                times.append(part[0])
                x.append(part[1])
                K.append(part[2])
        tau = (np.append(np.concatenate(times), self._times(point)[-1]) - self.setting.t0) / point.T
        return OrbitPoint(tau, np.concatenate([*x, point.x[-1:]]), np.concatenate(K), point.T, point.value)

    def _smooth(self, motion: Trajectory, a: float, b: float) -> tuple[Array, Array, Array]:
        """Between two jumps: times and values at the beginnings of intervals, slopes at Gauss points: those of
        polynomials through the values there, whatever the mode."""
        n = self.flow.n
        edges = np.linspace(a, b, SHOWN_INTERVALS + 1)
        h = np.diff(edges)
        inner = (edges[:-1, None] + h[:, None] * gauss(STAGES)[0]).reshape(-1)
        times = np.append(edges[:-1], inner)
        order = np.argsort(times, kind="stable")
        at = motion.at(times[order])
        states = np.empty((len(times), n))
        states[order] = np.column_stack([at[s.name] for s in self.flow.x])
        rises = states[SHOWN_INTERVALS:].reshape(SHOWN_INTERVALS, STAGES, n) - states[:SHOWN_INTERVALS, None]
        return (
            edges[:-1],
            states[:SHOWN_INTERVALS],
            np.asarray(np.linalg.solve(gauss(STAGES)[1], rises), dtype=np.float64),
        )
