"""Orbits by collocation: Newton's method in machine code, with mesh refinement."""

from __future__ import annotations

from math import sqrt
from typing import Final

import numpy as np

from ....emit.run.callable import Array
from ..maps.chain import COLUMNS, SCALARS
from ..maps.collocation import STAGES, gauss
from ..maps.orbit_newton import NewtonSolver
from ..problem.orbit_flow import OrbitFlow
from ..problem.orbit_problem import Corrected, NewtonIterate, OrbitPoint, OrbitProblem, OrbitSetting, Plane
from .orbit_mesh import on_adapted_mesh, on_mesh, with_halved_intervals

MAX_ITERATIONS: Final = 12  # largest number of Newton iterations
MAX_DAMPED_ITERATIONS: Final = 30  # the same of steps for orbits that are not isolated
MAX_CHANGE: Final = 1e3  # change of the orbit, relative to its size, at which Newton's method is abandoned
FIRST_INTERVALS: Final = 24  # number of intervals of the first mesh
MAX_INTERVALS: Final = 1600  # largest number of intervals
# change in Newton's method, for orbits of a branch, below which the next one can be predicted
PREDICTABLE_CHANGE: Final = 1e-5
CONVERGENCE_TOLERANCE: Final = 1e-11  # change in Newton's method for a single orbit that counts as converged


class CollocationProblem(OrbitProblem):
    """Orbits as piecewise polynomials."""

    form = "collocation"

    def __init__(self, flow: OrbitFlow, setting: OrbitSetting) -> None:
        super().__init__(flow, setting)
        self._callee = flow.callee(self.p)
        self._solvers: dict[int, NewtonSolver] = {}

    def values(self, point: OrbitPoint) -> Array:
        return point.at_gauss_points.reshape(-1, self.flow.n)

    def shown(self, point: OrbitPoint) -> OrbitPoint:
        return point

    def phase(self, near: OrbitPoint) -> Plane:
        if self.setting.period is not None:
            return Plane(np.zeros(1), np.zeros(SCALARS), 0.0)
        weights = near.K * (gauss(STAGES)[2][:, None] / near.sizes**2)
        weights /= max(sqrt(np.vdot(weights, near.K)), 1e-300)
        return Plane(weights, np.zeros(SCALARS), float(np.vdot(weights, near.at_gauss_points)))

    def dual(self, direction: OrbitPoint, sizes: Array, scales: Array) -> Plane:
        weights = direction.quadrature[:, :, None] * (direction.at_gauss_points / sizes**2)
        return Plane(weights, np.array([direction.T, direction.value]) / scales**2, 0.0)

    def product(self, dual: Plane, direction: OrbitPoint) -> float:
        inner = np.vdot(dual.weights, direction.at_gauss_points)
        return float(inner + dual.scalars[0] * direction.T + dual.scalars[1] * direction.value)

    # ------------------------------------------------------------------------------------------------ Newton's method

    def _loaded_solver(self, point: OrbitPoint, planes: tuple[Plane, Plane]) -> NewtonSolver:
        n, count, place = self.flow.n, len(point.K), self.setting.place
        if count not in self._solvers:
            self._solvers[count] = NewtonSolver(n, count, self._callee, self.p, place, self.flow.effort)
        solver = self._solvers[count]
        solver.times[:], solver.x[:], solver.K[:] = point.times, point.x, point.K
        solver.T[:], solver.value[0] = (point.T, self.setting.t0), point.value
        for r, plane in enumerate(planes):
            solver.weights[r], solver.scalars[r], solver.right[r] = plane.weights, plane.scalars, plane.right
        if place is not None:
            self.p[place] = point.value
        solver.close(*self.ends(point.x[0], point.x[-1], point.value))
        return solver

    def corrected(
        self,
        point: OrbitPoint,
        planes: tuple[Plane, Plane],
        tolerance: float,
        way: list[NewtonIterate] | None = None,
        is_damped: bool = False,
    ) -> Corrected | None:
        before, solver = np.inf, self._loaded_solver(point, planes)
        solver.sizes[:] = point.sizes
        for k in range(MAX_DAMPED_ITERATIONS if is_damped else MAX_ITERATIONS):
            self._up_to_date(solver, k)
            begun = None if way is None else self._point_of(point, solver)
            size = max(solver.iterate_damped() if is_damped else solver.iterate())
            if way is not None and begun is not None:
                way.append(NewtonIterate(begun, self._residual_of(begun, solver), size))
            is_rounding = size >= 0.5 * before and max(size, before) <= 1e3 * tolerance
            if not size <= MAX_CHANGE or (size > 2 * before and before < 0.1 and not is_rounding):
                return None
            is_next_small = (
                tolerance > CONVERGENCE_TOLERANCE
                and size <= PREDICTABLE_CHANGE
                and size**3 <= 1e-2 * tolerance * before**2
            )  # it converges quadratically
            if size <= tolerance or is_next_small or is_rounding:
                return self._corrected_point(point, solver, k + 1, size) if solver.T[0] > 0 else None
            before = size
        return None

    def _up_to_date(self, solver: NewtonSolver, k: int) -> None:
        """Rows that are made outside of the loop: what keeps its value, and a given period."""
        value = float(solver.value[0])
        if k and (self.flow.rows or self._pins):
            solver.close(*self.ends(solver.x[0], solver.x[-1], value))
        if self.setting.period is not None:
            period, slope = self.given_period(value)
            solver.scalars[0], solver.right[0] = (1.0, -slope), period - slope * value

    @staticmethod
    def _point_of(point: OrbitPoint, solver: NewtonSolver) -> OrbitPoint:
        """The current orbit of the solver."""
        return OrbitPoint(point.times, solver.x.copy(), solver.K.copy(), float(solver.T[0]), float(solver.value[0]))

    def _residual_of(self, point: OrbitPoint, solver: NewtonSolver) -> float:
        """Residual of the rows at an orbit, relative to the states' sizes."""
        return max(float(np.abs(solver.chain.C[:, :, -1] / point.sizes).max()), self.gap(point))

    def _corrected_point(self, point: OrbitPoint, solver: NewtonSolver, iterations: int, size: float) -> Corrected:
        T, value = map(float, solver.s)
        tangent = point.like(
            OrbitPoint(point.times, solver.ahead.copy(), solver.slopes.copy(), T, value), ("quadrature",)
        )
        return Corrected(
            point.like(self._point_of(point, solver), ("quadrature",)), tangent, solver.chain.A.copy(), iterations, size
        )

    def _linearised_solver(self, point: OrbitPoint) -> NewtonSolver:
        solver = self._loaded_solver(point, (self.fixed(point), self.fixed(point)))
        solver.linearise()
        return solver

    def residual(self, point: OrbitPoint) -> float:
        """Residual of the rows, relative to the states' sizes."""
        return self._residual_of(point, self._linearised_solver(point))

    def maps(self, point: OrbitPoint) -> Array:
        return self._linearised_solver(point).chain.A.copy()

    def null_direction(self, point: OrbitPoint, factor: float) -> OrbitPoint:
        n, solver = self.flow.n, self._linearised_solver(point)
        rows = solver.chain.remaining()[:n]
        flow = point.K[0, 0] if factor == 1 and self.setting.period is None else None
        v = self.null_start(rows[:, :n], rows[:, n : 2 * n], point, factor, flow)
        dx, dK = solver.direction(v, factor * self.onward(point, v), np.zeros(COLUMNS))
        return OrbitPoint(point.times, dx, dK, 0.0, 0.0)

    # ------------------------------------------------------------------------------------------------ the mesh

    def near(
        self, point: OrbitPoint, normal: OrbitPoint | None = None, way: list[NewtonIterate] | None = None
    ) -> Corrected | None:
        """The orbit near another: at its value, or in the plane through it with a normal."""
        if normal is None:
            return self.isolated_or_not(point, CONVERGENCE_TOLERANCE, way)
        along = normal if len(normal.times) == len(point.times) else on_mesh(normal, point.times)
        sizes = np.full(self.flow.n, float(np.abs(along.x).max()))
        plane = self.across(point, self.dual(along, sizes, np.ones(2)))
        return self.corrected(point, (self.phase(point), plane), CONVERGENCE_TOLERANCE, way)

    def refined(
        self,
        point: OrbitPoint,
        wanted: float,
        normal: OrbitPoint | None = None,
        way: list[NewtonIterate] | None = None,
    ) -> tuple[Corrected, float] | None:
        """The orbit near another on a mesh so fine that halving it changes mesh points and period by less than wanted,
        and by how much it does."""
        found, intervals = self.near(point, normal, way), len(point.K)
        while found is not None:
            again = self.near(on_adapted_mesh(found.point, intervals), normal, way)
            coarse = (again or found).point
            fine = self.near(with_halved_intervals(coarse), normal, way)
            if fine is None:
                return None
            changes = np.abs((fine.point.x[::2] - coarse.x) / coarse.sizes).max()
            error = max(float(changes), abs(fine.point.T / coarse.T - 1))
            intervals *= 2
            if error <= wanted or 2 * intervals > MAX_INTERVALS:
                return fine, error
            found = fine
        return None
