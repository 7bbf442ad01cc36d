"""Curves of orbits: pseudo-arclength steps, with the mesh as fine as at the start."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import Enum
from math import acos, sqrt
from typing import Final

import numpy as np

from ....emit.run.callable import Array
from ...spectra.pencil import Complex
from ..methods.orbit_collocation import CONVERGENCE_TOLERANCE, CollocationProblem
from ..methods.orbit_mesh import all_on_mesh, coarseness, intervals_for, mesh_error, monitor, on_mesh, shared_evenly
from ..methods.shooting import ShootingProblem
from ..orbits.orbit import without_trivial
from ..problem.orbit_problem import Corrected, OrbitPoint, Plane

ACCEPTED_CHANGE: Final = 1e-8  # change in Newton's method that counts as converged; the remaining error is its square
STEPS_PER_MESH: Final = 3  # number of steps between new meshes
TARGET_ITERATIONS: Final = 4  # number of iterations for which the step controller aims
MAX_TURN: Final = 0.35  # largest angle in rad between successive tangents; beyond it the step is halved
MIN_STEP: Final = 1e-5  # smallest step relative to the largest
MAX_REFINEMENT: Final = 1.25  # ratio of wanted to present intervals above which the mesh is changed
MAX_COARSENING: Final = 2.0  # ratio of present to wanted intervals above which the mesh is changed
MIN_INTERVALS: Final = 16  # smallest number of intervals
# amplitude, relative to the largest, below which the orbit has shrunk to a steady motion
VANISHED_AMPLITUDE: Final = 1e-3


class OrbitEnd(Enum):
    """How a family of orbits ended, in one direction.

    >>> [end.name for end in sb.stability.OrbitEnd][:2]
    ['BOUND', 'POINTS']

    See also: `stability.OrbitBranch`, `orbits`.
    """

    BOUND = "reached the bound"
    POINTS = "has as many orbits as allowed"
    STUCK = "no further orbit was found with the smallest step"
    STILL = "ends in a steady motion (Hopf point)"
    CLOSED = "returned to its beginning"
    INTERRUPTED = "was interrupted"


# ends after which the curve can be continued
CONTINUABLE: Final = (OrbitEnd.BOUND, OrbitEnd.POINTS, OrbitEnd.STUCK, OrbitEnd.INTERRUPTED)


@dataclass(frozen=True)
class ValueRange:
    """The interval that the varied value stays in."""

    low: float
    high: float

    @property
    def size(self) -> float:
        return self.high - self.low


@dataclass(frozen=True)
class OrbitCurvePoint:
    """An orbit of a branch: its tangent of length one and the dual row; its multipliers, all and nontrivial; the
    error of its mesh as far as it is known."""

    point: OrbitPoint
    tangent: OrbitPoint
    dual: Plane
    multipliers: Complex
    nontrivial: Complex
    mesh_error: float
    iterations: int = 0

    def turned(self) -> OrbitCurvePoint:
        dual = Plane(-self.dual.weights, -self.dual.scalars, 0.0)
        return replace(self, tangent=self.tangent.scaled(-1.0), dual=dual)


@dataclass(frozen=True)
class OrbitCurve:
    """Orbits of a problem, one of whose values is free."""

    problem: CollocationProblem | ShootingProblem
    range: ValueRange
    step: float
    max_step: float
    tolerance: float = 1e-9
    least: int = MIN_INTERVALS

    def scales_of(self, point: OrbitPoint) -> Array:
        """Of period and varied value, in which steps are measured."""
        return np.array([point.T, self.range.size])

    def made(self, found: Corrected, along: OrbitPoint | None, error: float, exact: bool = False) -> OrbitCurvePoint:
        """A point of the curve, its tangent along another one."""
        point, problem = found.point, self.problem
        dual = problem.dual(found.tangent, point.sizes, self.scales_of(point))
        length = np.sqrt(problem.product(dual, found.tangent))
        s = (1.0 if along is None or problem.product(dual, along) > 0 else -1.0) / length
        tangent, own = found.tangent.scaled(s), Plane(s * dual.weights, s * dual.scalars, 0.0)
        multipliers = problem.multipliers(point, problem.maps(point) if exact else found.maps)
        nontrivial = without_trivial(multipliers, problem.setting.period is not None)[0]
        return OrbitCurvePoint(point, tangent, own, multipliers, nontrivial, error, found.iterations)

    def first(self, point: OrbitPoint, error: float) -> OrbitCurvePoint | None:
        """The start, with its tangent towards larger values."""
        found = self.problem.near(point)
        if found is None or found.is_one_of_many:
            return None
        made = self.made(found, None, error)
        return made if made.tangent.value >= 0 else made.turned()

    def beside(self, point: OrbitPoint, direction: OrbitPoint, part: float, error: float) -> OrbitCurvePoint | None:
        """An orbit of another branch, a part of its size away from a point where branches meet."""
        dual = self.problem.dual(direction, point.sizes, self.scales_of(point))
        length = np.sqrt(self.problem.product(dual, direction))
        guess = point.moved(direction, part / length)
        found = self.problem.corrected(
            guess, (self.problem.phase(point), self.problem.across(guess, dual)), ACCEPTED_CHANGE
        )
        if found is None or not self.range.low <= found.point.value <= self.range.high:
            return None
        return self.made(found, direction, error)

    # ------------------------------------------------------------------------------------------------ the way along

    def followed(self, start: OrbitCurvePoint, most: int) -> Iterator[OrbitCurvePoint | OrbitEnd]:
        """Orbits in the direction of the start's tangent, the start not among them; the last item says how it ended."""
        here, step = start, self.step
        largest, turns = self._amplitude(start.point), 0
        for count in range(most):
            if count % STEPS_PER_MESH == STEPS_PER_MESH - 1:
                here = self._on_new_mesh(here)
            there, step = self._next(here, step)
            if there is None:
                yield OrbitEnd.STUCK
                return
            if self._edge(there) is not None:
                edge = self._end_at_bound(here, there)
                yield from [] if edge is None else [edge]
                yield OrbitEnd.BOUND
                return
            amplitude = self._amplitude(there.point)
            largest = max(largest, amplitude)
            has_shrunk = amplitude < 0.5 * largest
            if amplitude < VANISHED_AMPLITUDE * largest or (has_shrunk and self._went_through_rest(here, there)):
                yield OrbitEnd.STILL
                return
            yield there
            turns += here.tangent.value * there.tangent.value < 0
            if turns > 1 and self._passes(here, there, start):
                yield OrbitEnd.CLOSED
                return
            here = there
        yield OrbitEnd.POINTS

    def measured_anew(self, point: OrbitCurvePoint) -> OrbitCurvePoint:
        """A point of a curve over another interval, with its tangent as long as steps are here."""
        dual = self.problem.dual(point.tangent, point.point.sizes, self.scales_of(point.point))
        s = 1 / np.sqrt(self.problem.product(dual, point.tangent))
        return replace(point, tangent=point.tangent.scaled(s), dual=Plane(s * dual.weights, s * dual.scalars, 0.0))

    def _next(self, here: OrbitCurvePoint, step: float) -> tuple[OrbitCurvePoint | None, float]:
        while step >= MIN_STEP * self.max_step:
            there = self.ahead(here, step)
            if there is not None:
                turned = self._angle(here, there)
                if turned <= MAX_TURN:
                    grown = min(2.0, (TARGET_ITERATIONS / there.iterations) ** 0.7, MAX_TURN / 2 / max(turned, 1e-3))
                    return there, min(self.max_step, step * max(0.4, grown))
            step /= 2
        return None, step

    def _angle(self, here: OrbitCurvePoint, there: OrbitCurvePoint) -> float:
        """Between two tangents, in the metric of the first."""
        own = self.problem.dual(there.tangent, here.point.sizes, self.scales_of(here.point))
        length = sqrt(self.problem.product(own, there.tangent))
        return acos(max(-1.0, min(1.0, self.problem.product(own, here.tangent) / length)))

    def ahead(self, here: OrbitCurvePoint, step: float, exact: bool = False) -> OrbitCurvePoint | None:
        """The orbit a step ahead along the tangent; exactly, where its tangent is that of the orbit itself and not of
        one that is near."""
        guess = here.point.moved(here.tangent, step)
        planes = (self.problem.phase(here.point), self.problem.across(guess, here.dual))
        found = self.problem.corrected(guess, planes, CONVERGENCE_TOLERANCE) if exact else None
        if (
            found is None
        ):  # next to a branch point rows become dependent, and Newton's method does not settle to rounding
            found = self.problem.corrected(guess, planes, ACCEPTED_CHANGE)
        return None if found is None else self.made(found, here.tangent, here.mesh_error, exact)

    def distance(self, here: OrbitCurvePoint, there: OrbitCurvePoint) -> float:
        """Of another orbit along the tangent of the first."""
        is_same = np.array_equal(there.point.times, here.point.times)
        point = there.point if is_same else on_mesh(there.point, here.point.times)
        return self.problem.product(here.dual, point) - self.problem.product(here.dual, here.point)

    def _on_new_mesh(self, here: OrbitCurvePoint) -> OrbitCurvePoint:
        """On a mesh that shares the error evenly, with as many intervals as the tolerance requires."""
        if not here.point.K.shape[1]:
            return here  # points of shooting stay where they are
        count = len(here.point.K)
        density = monitor(here.point)
        coarse = coarseness(here.point, density)
        wanted = max(self.least, intervals_for(coarse, self.tolerance))
        intervals = wanted if not 1 / MAX_COARSENING <= wanted / count <= MAX_REFINEMENT else count
        point, tangent = all_on_mesh([here.point, here.tangent], shared_evenly(here.point, density, intervals))
        dual = self.problem.dual(tangent, here.point.sizes, self.scales_of(point))
        return replace(here, point=point, tangent=tangent, dual=dual, mesh_error=mesh_error(coarse, intervals))

    # ------------------------------------------------------------------------------------------------ ends

    def _edge(self, there: OrbitCurvePoint) -> float | None:
        value = there.point.value
        return self.range.low if value < self.range.low else self.range.high if value > self.range.high else None

    def _end_at_bound(self, here: OrbitCurvePoint, there: OrbitCurvePoint) -> OrbitCurvePoint | None:
        end = self._edge(there)
        return None if end is None else self.at_value(here, there, end)

    def at_value(self, here: OrbitCurvePoint, there: OrbitCurvePoint, value: float) -> OrbitCurvePoint | None:
        """The orbit between two others at which the varied value is given."""
        a, b = here.point.value, there.point.value
        part = 0.0 if b == a else (value - a) / (b - a)
        guess = here.point.moved(here.tangent, part * self.distance(here, there))
        guess = replace(guess, value=value)
        found = self.problem.corrected(
            guess, (self.problem.phase(here.point), self.problem.fixed(guess)), ACCEPTED_CHANGE
        )
        return None if found is None else self.made(found, here.tangent, here.mesh_error, exact=True)

    def _amplitude(self, point: OrbitPoint) -> float:
        low, high = point.extent
        if self.problem.setting.mirror is None:
            return float((high - low).max())
        odd = self.problem.mirror < 0
        return float(np.maximum(high[odd], -low[odd]).max())

    def _went_through_rest(self, here: OrbitCurvePoint, there: OrbitCurvePoint) -> bool:
        """Whether the amplitude was zero between two orbits: they are opposite, or half way it is nearer to half the
        difference of theirs than to the mean. In a Hopf point the varied value turns back, as it does in a fold."""
        if self._is_reversed(here.point, there.point):
            return True
        if here.tangent.value * there.tangent.value > 0:
            return False
        middle = self.ahead(here, self.distance(here, there) / 2)
        if middle is None:
            return False
        a, b, between = (self._amplitude(p.point) for p in (here, there, middle))
        return abs(between - abs(a - b) / 2) < abs(between - (a + b) / 2)

    def _is_reversed(self, here: OrbitPoint, there: OrbitPoint) -> bool:
        """Whether the oscillation has changed its sign, that is, has passed through a steady motion."""
        if len(here.times) != len(there.times) or not here.K.shape[1]:
            return False
        a, b = (self.problem.values(p) for p in (here, there))
        if self.problem.setting.mirror is None:
            a, b = a - a.mean(axis=0), b - b.mean(axis=0)
        else:
            odd = self.problem.mirror < 0
            a, b = a[:, odd], b[:, odd]
        sizes = np.maximum(np.abs(a).max(axis=0), 1e-300)
        return bool(np.sum(a * b / sizes**2) < 0)

    def _passes(self, here: OrbitCurvePoint, there: OrbitCurvePoint, start: OrbitCurvePoint) -> bool:
        """Whether the start lies between two orbits of the curve, with the curve going the same way there."""
        gap = abs(start.point.T / there.point.T - 1) + abs(start.point.value - there.point.value) / self.range.size
        if gap > 0.1 * self.max_step or start.tangent.value * there.tangent.value <= 0:
            return False
        along, far = self.distance(here, start), self.distance(here, there)
        return bool(0 < along <= far and gap < far)
