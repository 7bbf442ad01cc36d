"""The zero nearest to a start, several zeros, and zeros that Newton's method alone does not find.

A search tries several methods in turn until one of them reaches a zero, then looks for nearer zeros with the known ones
divided out (deflation). Each zero carries the method that found it and its distance from the start.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import cached_property
from itertools import chain, product
from typing import Final

import numpy as np

from ...summary import counted
from .deflation import KnownZero, deflated_system
from .homotopy import homotopy_end, on_constraints, relaxation_end
from .metric import UnknownsMetric
from .nonlinear import Solution, SolverOutcome, System
from .trust_region import Array, Mask

SAME_ZERO: Final = 1e-6  # largest distance between two zeros that count as one
NEAREST_DISTANCE: Final = 0.05  # distance from the start below which a zero is accepted as the nearest
MAX_FAILURES: Final = 2  # largest number of failed searches for a nearer zero
MAX_DEFLATIONS: Final = 4  # largest number of searches for a nearer zero
START_DISTANCES: Final = (3.0, 10.0, 30.0, 100.0)  # distances of further starts, relative to the sizes of unknowns
FEW_UNKNOWNS: Final = 4  # largest number of unknowns for which zeros are also sought around the start
# distances of starts around the original one, relative to the distance of the nearest known zero
SEARCH_RADII: Final = (0.3, 0.6, 0.9)
MAX_STARTS: Final = 16  # largest number of random starts
PERTURBATION: Final = 1e-2  # perturbation of the start relative to the permitted displacement
MAX_DETOUR: Final = 1.5  # distance, relative to the nearest known zero, at which a relaxation is abandoned
EQUALLY_NEAR: Final = 1.02  # ratio of distances within which zeros count as equally near; the most stable is chosen


class Way(Enum):
    """How a zero was found."""

    NEWTON = "by Newton's method"
    DEFLATION = "by Newton's method, with farther solutions divided out"
    LIFTED = "by Newton's method, with steep terms, such as forces of stiff springs, as unknowns"
    RAMP = "by a ramp of loads: the forces that balance the start were removed gradually"
    RELAXATION = "by dynamic relaxation: the start was released, with friction"
    RESTART = "by Newton's method from another start"


@dataclass(frozen=True)
class FoundZero:
    """A zero or the best approximation to one, the method that found it, its distance from the start, and the point
    from which the method began if that is another one."""

    solution: Solution
    way: Way
    distance: float
    began: Array | None = None

    def in_words(self) -> str:
        """The method and its steps; those of Newton's method that end another way are a refinement."""
        if self.way in (Way.RAMP, Way.RELAXATION):
            refined = f", refined in {counted(self.solution.steps, 'step')}" if self.solution.steps else ""
            return f"{self.way.value}{refined}"
        if self.distance and not self.solution.steps:  # linear unknowns alone were solved for
            return self.way.value
        return f"in {counted(self.solution.steps, 'step')} {self.way.value}"


@dataclass(frozen=True)
class ZeroSearch:
    """Zeros of a system about a start.

    metric       distances between points
    inertia      P of dynamic relaxation, if there is one
    instability  x -> number of unstable directions of a zero: of zeros that are equally near, the most stable is chosen
    shaken       largest displacement of the unknowns when no zero is found from the start
    is_true      x -> whether a zero of the rows is a solution of the original problem
    lifted       the same rows with additional unknowns after the others, which make them less steep, where that helps
    ties         rows that are constraints: the start may be off them
    home         a point where rows are likely to have values, used if they have none at the start
    """

    system: System
    metric: UnknownsMetric
    start: Array
    inertia: Callable[[Array], Array] | None = None
    instability: Callable[[Solution], float] | None = None
    shaken: Array | None = None
    home: Array | None = None
    ties: Mask | None = None
    is_true: Callable[[Array], bool] | None = None
    lifted: Callable[[], System | None] | None = None
    spent: list[int] = field(default_factory=list)

    @property
    def evaluations(self) -> int:
        return sum(self.spent)

    def nearest(self) -> FoundZero:
        """The nearest zero among those found; without one, the best approximation."""
        if (close := self._close()) is not None:
            return close
        first = self._first()
        if not first.solution.holds or first.distance <= NEAREST_DISTANCE:
            return first
        found, failures = [first], 0
        found += [f for f in self._from_elsewhere(first) if self._is_new(f, found)]
        origin = self.start if first.began is None else first.began
        for _ in range(MAX_DEFLATIONS):
            more = self._without(found, origin)
            if more is None or more.distance >= min(f.distance for f in found):
                failures += 1
            if more is None or failures >= MAX_FAILURES:
                break
            found.append(more)
        found += [more] if more is not None else []
        for place in self._around(origin, found):
            reached = self._zero(self.system, place)
            if reached.holds and self._is_true(reached):
                found.append(self._located_zero(reached, Way.RESTART))
        if (fallen := self._stable_neighbour(found, origin)) is not None:
            found.append(fallen)
        return self._nearest_of(found)

    def _around(self, origin: Array, found: list[FoundZero]) -> Iterator[Array]:
        """Places at parts of the least distance, at random and along each unknown, from which nearer zeros are looked
        for where there are so few unknowns that this costs little."""
        draw, n = np.random.default_rng(3), len(origin)
        if n > FEW_UNKNOWNS:
            return
        random = ((part, draw.normal(size=n)) for part in SEARCH_RADII * 3)
        along = product(SEARCH_RADII[1:], (*np.eye(n), *-np.eye(n)))
        for part, away in chain(random, along):
            size = self.metric.distance(origin + away, origin)
            if 0 < size < np.inf:
                yield origin + part * min(f.distance for f in found) / size * away

    def _from_elsewhere(self, first: FoundZero) -> Iterator[FoundZero]:
        """Zeros that Newton's method finds from the start itself where stiff springs were lifted; from a neighbour
        of the start on the constraints; from home, where that is no farther than the zeros found so far."""
        origins = [self.start] if first.way is Way.LIFTED else []
        if self.ties is not None and self.ties.any():
            with np.errstate(all="ignore"):
                closed = on_constraints(self._counting_system(), self.start, self.ties, self.metric)
            origins += [] if np.array_equal(closed, self.start) else [closed]
        if self.home is not None and self.metric.distance(self.home, self.start) < first.distance:
            origins.append(self.home)
        for origin in origins:
            found = self._zero(self.system, origin)
            if found.holds and self._is_true(found):
                yield self._located_zero(found, Way.RESTART)

    def _close(self) -> FoundZero | None:
        """The zero next to the start, where plain steps lead to one."""
        found = self.system.close_zero(self.start)
        if found is None:
            return None
        self.spent.append(found.evaluations)
        if self.metric.distance(found.x, self.start) > NEAREST_DISTANCE or not self._is_true(found):
            return None
        return self._located_zero(found, Way.NEWTON)

    def _stable_neighbour(self, found: list[FoundZero], origin: Array) -> FoundZero | None:
        """The stable zero to which the start relaxes, if the zero found is unstable."""
        best = self._nearest_of(found)
        if self.inertia is None or self.instability is None or self.instability(best.solution) == 0:
            return None
        with np.errstate(all="ignore"):
            x = relaxation_end(
                self._counting_system(), self._let_go(origin), self.inertia, self.metric, MAX_DETOUR * best.distance
            )
        reached = None if x is None else self._zero(self.system, x)
        is_new = reached is not None and reached.holds and self._is_true(reached)
        return self._located_zero(reached, Way.RELAXATION) if is_new and reached is not None else None

    def several(self, count: int) -> list[FoundZero]:
        """At most `count` zeros, the nearest first."""
        found = [self.nearest()]
        if not found[0].solution.holds:
            return found
        for start in self._starts():
            while len(found) < count:
                more = self._without(found, start)
                if more is None:
                    break
                found.append(more)
        for start in self._afar(found):
            reached = self._located_zero(self._zero(self.system, start), Way.RESTART)
            if len(found) < count and reached.solution.holds and self._is_true(reached.solution):
                found += [reached] if self._is_new(reached, found) else []
        return sorted(found, key=lambda f: f.distance)

    def _afar(self, found: list[FoundZero]) -> Iterator[Array]:
        """Places far from the zeros found, along each unknown, in powers of ten of its size: the fast precession of a
        top is far from the slow one. Where there are few unknowns; none other are worth the time."""
        x = found[0].solution.x
        sizes = np.maximum(np.abs(x), 1.0 if self.shaken is None else np.maximum(np.abs(self.shaken), 1.0))
        if len(x) <= FEW_UNKNOWNS:
            for far, k, sign in product(START_DISTANCES, range(len(x)), (1.0, -1.0)):
                yield x + sign * far * sizes[k] * np.eye(len(x))[k]

    # ------------------------------------------------------------------------------------------------ ways to a zero

    def _first(self) -> FoundZero:
        best: Solution | None = None
        for way, start, steps in self._ways():
            found = self._zero(self.system, start)
            found = replace(found, steps=found.steps + steps)
            if found.holds and self._is_true(found):
                return replace(self._located_zero(found, way), began=start if way is Way.RESTART else None)
            if found.holds:
                found = replace(found, outcome=SolverOutcome.UNTRUE)
            if best is None or (np.isfinite(found.F).all() and not best.size <= found.size):
                best = found
        assert best is not None
        return self._located_zero(best, Way.NEWTON)

    def _ways(self) -> Iterator[tuple[Way, Array, int]]:
        """Points to begin at, each made when those before have led nowhere, and Newton's steps that led to them."""
        if (lifted := self._from_lifted()) is not None:
            yield Way.LIFTED, *lifted
        yield Way.NEWTON, self.start, 0
        counted = self._counting_system()
        with np.errstate(all="ignore"):
            settled = self.system.settled(self.start)
            if (x := homotopy_end(counted, settled, self.metric)) is not None:
                yield Way.RAMP, x, 0
            if (
                self.inertia is not None
                and (x := relaxation_end(counted, self._let_go(self.start), self.inertia, self.metric)) is not None
            ):
                yield Way.RELAXATION, x, 0
        if self.home is not None and not np.isfinite(self.system.function(self.start)[0]).all():
            for part in (0.8, 0.6, 0.4, 0.2, 0.05):
                yield Way.RESTART, self.home + part * (self.start - self.home), 0
        for start in self._starts():
            yield Way.RESTART, start, 0

    @cached_property
    def _lifted_system(self) -> System | None:
        return None if self.lifted is None else self.lifted()

    def _from_lifted(self) -> tuple[Array, int] | None:
        lifted = self._lifted_system
        if lifted is None or lifted.linear is None:
            return None
        n = len(self.start)
        found = self._zero(lifted, np.concatenate([self.start, np.zeros(len(lifted.linear) - n)]))
        return (found.x[:n], found.steps) if found.holds else None

    def _let_go(self, start: Array) -> Array:
        """Next to a start: on top of a hill, nothing would move."""
        shaken = (
            0.0
            if self.shaken is None
            else PERTURBATION * self.shaken * np.random.default_rng(2).uniform(-1, 1, len(self.start))
        )
        return self.system.settled(start + shaken)

    def _starts(self) -> Iterator[Array]:
        draw, n = np.random.default_rng(1), len(self.start)
        shaken = np.zeros(n) if self.shaken is None else self.shaken
        for k in range(1, MAX_STARTS):
            yield self.start + shaken * draw.uniform(-1, 1, n) * 0.2 * k

    def _without(self, known: Iterable[FoundZero], start: Array) -> FoundZero | None:
        """Another zero, from a start with the known zeros divided out."""
        system = self._lifted_system or self.system
        more = 0 if system.linear is None else len(system.linear) - len(start)
        zeros = [KnownZero.of(f.solution, self.metric).longer(more) for f in known]
        apart = replace(deflated_system(system, zeros, self.metric.longer(more)), max_steps=60)
        rough = self._zero(apart, np.append(start, np.zeros(more)))
        if not np.isfinite(rough.F).all():
            return None
        found = self._zero(self.system, rough.x[: len(start)])
        if not found.holds or not self._is_true(found):
            return None
        reached = self._located_zero(found, Way.DEFLATION)
        return reached if self._is_new(reached, known) else None

    def _is_new(self, reached: FoundZero, known: Iterable[FoundZero]) -> bool:
        return all(self.metric.distance(reached.solution.x, f.solution.x) >= SAME_ZERO for f in known)

    def _is_true(self, found: Solution) -> bool:
        return self.is_true is None or self.is_true(found.x)

    def _zero(self, system: System, start: Array) -> Solution:
        found = system.zero(start)
        self.spent.append(found.evaluations)
        return found

    def _counting_system(self) -> System:
        def function(x: Array) -> tuple[Array, Array]:
            self.spent.append(1)
            return self.system.function(x)

        return replace(self.system, function=function)

    def _located_zero(self, solution: Solution, way: Way) -> FoundZero:
        """The zero with angles within half a turn of the start; where zeros are not isolated, the nearest of them."""
        if solution.holds:
            x = self.metric.unwound(solution.x, self.start)
            solution = solution if np.array_equal(x, solution.x) else self._zero(self.system, x)
            if solution.null_space.size:
                solution = self._with_unchanged_unknowns(solution)
                before = solution.evaluations
                sized = replace(self.system, sizes=np.where(np.isfinite(self.metric.sizes), self.metric.sizes, 1.0))
                solution = sized.slid(solution, np.where(np.isfinite(self.metric.sizes), self.start, solution.x))
                self.spent.append(solution.evaluations - before)
        return FoundZero(solution, way, self.metric.distance(solution.x, self.start))

    def _with_unchanged_unknowns(self, solution: Solution) -> Solution:
        """The same zero with unknowns that returned close to their start set exactly to it: where zeros are not
        isolated, steps end a root of the rounding away from points from which others can be reached."""
        is_back = np.isfinite(self.metric.sizes) & (np.abs(self.metric.difference(solution.x, self.start)) < SAME_ZERO)
        x = np.where(is_back, self.start, solution.x)
        if np.array_equal(x, solution.x):
            return solution
        snapped = self._zero(self.system, x)
        is_same = snapped.holds and self.metric.distance(snapped.x, solution.x) < 10 * SAME_ZERO
        return snapped if is_same else solution

    def _nearest_of(self, found: list[FoundZero]) -> FoundZero:
        """The nearest; of those about as near, the most stable; of those exactly as near, as in a symmetric system,
        deterministically the one with the larger first unknown in which they differ."""
        near = _within(EQUALLY_NEAR, found)
        if len(near) > 1 and self.instability is not None:
            ranks = [self.instability(f.solution) for f in near]
            near = [f for f, rank in zip(near, ranks, strict=True) if rank == min(ranks)]
        best, *others = _within(1 + SAME_ZERO, near)
        for f in others:
            apart = self.metric.difference(f.solution.x, best.solution.x)
            differs = np.flatnonzero(np.isfinite(apart) & (np.abs(apart) > SAME_ZERO))
            if differs.size and apart[differs[0]] > 0:
                best = f
        return best


def _within(factor: float, found: list[FoundZero]) -> list[FoundZero]:
    least = min(f.distance for f in found)
    return [f for f in found if f.distance <= factor * least]
