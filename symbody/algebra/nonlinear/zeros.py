"""The zero nearest to a start, several zeros, and zeros that Newton's method alone does not find.

A search goes through ways to a zero until one of them leads there, and then looks for nearer zeros with the known ones
divided out. What is found is said with the way that led to it and the distance from the start.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import cached_property
from itertools import chain, product
from typing import Final

import numpy as np

from .deflation import KnownZero, deflated
from .homotopy import on_constraints, ramped, relaxed
from .metric import UnknownsMetric
from .nonlinear import Solution, SolverOutcome, System
from .trust_region import Array, Mask

SAME: Final = 1e-6  # zeros that are no farther apart are one
NEAR: Final = 0.05  # a zero at this distance is taken for the nearest
TRIES: Final = 2  # searches for a nearer zero that may fail
MORE: Final = 4  # searches for a nearer zero altogether
FEW: Final = 4  # unknowns: zeros are looked for around the start too,
PARTS: Final = (0.3, 0.6, 0.9)  # at these parts of the least distance that is known
STARTS: Final = 16
NUDGE: Final = 1e-2
AROUND: Final = 1.5  # a way that leads farther than so many times the least distance ends at nothing nearer
TIE: Final = 1.02  # distances within this factor of the least are equal: the more stable zero is taken


class Way(Enum):
    """How a zero was found."""

    NEWTON = "by Newton's method"
    DEFLATION = "by Newton's method, with farther solutions divided out"
    LIFTED = "by Newton's method, with forces of stiff springs as unknowns"
    RAMP = "by a ramp of loads: what holds the start was taken away slowly"
    RELAXATION = "by dynamic relaxation: the start was let go, against friction"
    RESTART = "by Newton's method from another start"


@dataclass(frozen=True)
class FoundZero:
    """A zero, or what came nearest to one; the way to it, its distance from the start, and where the way began if that
    is another place."""

    solution: Solution
    way: Way
    distance: float
    began: Array | None = None


@dataclass(frozen=True)
class ZeroSearch:
    """Zeros of a system about a start.

    metric       distances between points
    inertia      P of dynamic relaxation, where there is one
    instability  x -> in how many directions a zero is unstable: of zeros that are equally near, the most stable is
                 taken
    shaken       how far unknowns may be moved where nothing is found from the start
    is_true      x -> whether a zero there is one of what the rows stand for
    lifted       the same rows with further unknowns after the others, in which they are less steep, where that is of
                 use
    ties         rows that are constraints: the start may be off them
    home         where rows are more likely to have values than at the start, if they have none there
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
        """The zero nearest to the start among those that are found; where there is none, what came nearest to one."""
        if (close := self._close()) is not None:
            return close
        first = self._first()
        if not first.solution.holds or first.distance <= NEAR:
            return first
        found, failures = [first], 0
        found += [f for f in self._from_elsewhere(first) if self._is_new(f, found)]
        origin = self.start if first.began is None else first.began
        for _ in range(MORE):
            more = self._without(found, origin)
            if more is None or more.distance >= min(f.distance for f in found):
                failures += 1
            if more is None or failures >= TRIES:
                break
            found.append(more)
        found += [more] if more is not None else []
        for place in self._around(origin, found):
            reached = self._zero(self.system, place)
            if reached.holds and self._is_true(reached):
                found.append(self._found(reached, Way.RESTART))
        if (fallen := self._stable_neighbour(found, origin)) is not None:
            found.append(fallen)
        return self._preferred(found)

    def _around(self, origin: Array, found: list[FoundZero]) -> Iterator[Array]:
        """Places at parts of the least distance, at random and along each unknown, from which nearer zeros are looked
        for where there are so few unknowns that this costs little."""
        draw, n = np.random.default_rng(3), len(origin)
        if n > FEW:
            return
        random = ((part, draw.normal(size=n)) for part in PARTS * 3)
        along = product(PARTS[1:], (*np.eye(n), *-np.eye(n)))
        for part, away in chain(random, along):
            size = self.metric.distance(origin + away, origin)
            if 0 < size < np.inf:
                yield origin + part * min(f.distance for f in found) / size * away

    def _from_elsewhere(self, first: FoundZero) -> Iterator[FoundZero]:
        """Zeros that Newton's method leads to from the start itself, where stiff springs were lifted; from next to it
        on the constraints; from home, where that is no farther than what was found."""
        origins = [self.start] if first.way is Way.LIFTED else []
        if self.ties is not None and self.ties.any():
            with np.errstate(all="ignore"):
                closed = on_constraints(self._counted(), self.start, self.ties, self.metric)
            origins += [] if np.array_equal(closed, self.start) else [closed]
        if self.home is not None and self.metric.distance(self.home, self.start) < first.distance:
            origins.append(self.home)
        for origin in origins:
            found = self._zero(self.system, origin)
            if found.holds and self._is_true(found):
                yield self._found(found, Way.RESTART)

    def _close(self) -> FoundZero | None:
        """The zero next to the start, where plain steps lead to one."""
        found = self.system.close_zero(self.start)
        if found is None:
            return None
        self.spent.append(found.evaluations)
        if self.metric.distance(found.x, self.start) > NEAR or not self._is_true(found):
            return None
        return self._found(found, Way.NEWTON)

    def _stable_neighbour(self, found: list[FoundZero], origin: Array) -> FoundZero | None:
        """Where the start falls to, if what was found is unstable."""
        best = self._preferred(found)
        if self.inertia is None or self.instability is None or self.instability(best.solution) == 0:
            return None
        with np.errstate(all="ignore"):
            x = relaxed(self._counted(), self._let_go(origin), self.inertia, self.metric, AROUND * best.distance)
        reached = None if x is None else self._zero(self.system, x)
        is_new = reached is not None and reached.holds and self._is_true(reached)
        return self._found(reached, Way.RELAXATION) if is_new and reached is not None else None

    def several(self, count: int) -> list[FoundZero]:
        """Up to so many zeros, the nearest first."""
        found = [self.nearest()]
        if not found[0].solution.holds:
            return found
        for start in self._starts():
            while len(found) < count:
                more = self._without(found, start)
                if more is None:
                    break
                found.append(more)
        return sorted(found, key=lambda f: f.distance)

    # ------------------------------------------------------------------------------------------------ ways to a zero

    def _first(self) -> FoundZero:
        best: Solution | None = None
        for way, start in self._ways():
            found = self._zero(self.system, start)
            if found.holds and self._is_true(found):
                return replace(self._found(found, way), began=start if way is Way.RESTART else None)
            if found.holds:
                found = replace(found, outcome=SolverOutcome.UNTRUE)
            if best is None or (np.isfinite(found.F).all() and not best.size <= found.size):
                best = found
        assert best is not None
        return self._found(best, Way.NEWTON)

    def _ways(self) -> Iterator[tuple[Way, Array]]:
        """Points to begin at, each made when those before have led nowhere."""
        if (x := self._from_lifted()) is not None:
            yield Way.LIFTED, x
        yield Way.NEWTON, self.start
        counted = self._counted()
        with np.errstate(all="ignore"):
            settled = self.system.settled(self.start)
            if (x := ramped(counted, settled, self.metric)) is not None:
                yield Way.RAMP, x
            if (
                self.inertia is not None
                and (x := relaxed(counted, self._let_go(self.start), self.inertia, self.metric)) is not None
            ):
                yield Way.RELAXATION, x
        if self.home is not None and not np.isfinite(self.system.function(self.start)[0]).all():
            for part in (0.8, 0.6, 0.4, 0.2, 0.05):
                yield Way.RESTART, self.home + part * (self.start - self.home)
        for start in self._starts():
            yield Way.RESTART, start

    @cached_property
    def _lifted_system(self) -> System | None:
        return None if self.lifted is None else self.lifted()

    def _from_lifted(self) -> Array | None:
        lifted = self._lifted_system
        if lifted is None or lifted.linear is None:
            return None
        n = len(self.start)
        found = self._zero(lifted, np.concatenate([self.start, np.zeros(len(lifted.linear) - n)]))
        return found.x[:n] if found.holds else None

    def _let_go(self, start: Array) -> Array:
        """Next to a start: on top of a hill, nothing would move."""
        shaken = (
            0.0
            if self.shaken is None
            else NUDGE * self.shaken * np.random.default_rng(2).uniform(-1, 1, len(self.start))
        )
        return self.system.settled(start + shaken)

    def _starts(self) -> Iterator[Array]:
        draw, n = np.random.default_rng(1), len(self.start)
        shaken = np.zeros(n) if self.shaken is None else self.shaken
        for k in range(1, STARTS):
            yield self.start + shaken * draw.uniform(-1, 1, n) * 0.2 * k

    def _without(self, known: Iterable[FoundZero], start: Array) -> FoundZero | None:
        """Another zero, from a start with those that are known divided out."""
        system = self._lifted_system or self.system
        more = 0 if system.linear is None else len(system.linear) - len(start)
        zeros = [KnownZero.of(f.solution, self.metric).longer(more) for f in known]
        apart = replace(deflated(system, zeros, self.metric.longer(more)), max_steps=60)
        rough = self._zero(apart, np.append(start, np.zeros(more)))
        if not np.isfinite(rough.F).all():
            return None
        found = self._zero(self.system, rough.x[: len(start)])
        if not found.holds or not self._is_true(found):
            return None
        reached = self._found(found, Way.DEFLATION)
        return reached if self._is_new(reached, known) else None

    def _is_new(self, reached: FoundZero, known: Iterable[FoundZero]) -> bool:
        return all(self.metric.distance(reached.solution.x, f.solution.x) >= SAME for f in known)

    def _is_true(self, found: Solution) -> bool:
        return self.is_true is None or self.is_true(found.x)

    def _zero(self, system: System, start: Array) -> Solution:
        found = system.zero(start)
        self.spent.append(found.evaluations)
        return found

    def _counted(self) -> System:
        def function(x: Array) -> tuple[Array, Array]:
            self.spent.append(1)
            return self.system.function(x)

        return replace(self.system, function=function)

    def _found(self, solution: Solution, way: Way) -> FoundZero:
        """Angles within half a turn of the start; where zeros are not alone, the nearest of them."""
        if solution.holds:
            x = self.metric.unwound(solution.x, self.start)
            solution = solution if np.array_equal(x, solution.x) else self._zero(self.system, x)
            if solution.null_space.size:
                solution = self._snapped(solution)
                before = solution.evaluations
                sized = replace(self.system, sizes=np.where(np.isfinite(self.metric.sizes), self.metric.sizes, 1.0))
                solution = sized.slid(solution, np.where(np.isfinite(self.metric.sizes), self.start, solution.x))
                self.spent.append(solution.evaluations - before)
        return FoundZero(solution, way, self.metric.distance(solution.x, self.start))

    def _snapped(self, solution: Solution) -> Solution:
        """The same zero, with unknowns exactly where they started that came back to next to there: where zeros are not
        alone, steps end a root of rounding beside those from which others can be reached."""
        is_back = np.isfinite(self.metric.sizes) & (np.abs(self.metric.difference(solution.x, self.start)) < SAME)
        x = np.where(is_back, self.start, solution.x)
        if np.array_equal(x, solution.x):
            return solution
        snapped = self._zero(self.system, x)
        is_same = snapped.holds and self.metric.distance(snapped.x, solution.x) < 10 * SAME
        return snapped if is_same else solution

    def _preferred(self, found: list[FoundZero]) -> FoundZero:
        """The nearest; of those about as near the most stable; of those just as near, as in a symmetric system, always
        the same, whatever the last bit of their distances says: that with the larger first unknown in which they
        differ."""
        near = _within(TIE, found)
        if len(near) > 1 and self.instability is not None:
            ranks = [self.instability(f.solution) for f in near]
            near = [f for f, rank in zip(near, ranks, strict=True) if rank == min(ranks)]
        best, *others = _within(1 + SAME, near)
        for f in others:
            apart = self.metric.difference(f.solution.x, best.solution.x)
            differs = np.flatnonzero(np.isfinite(apart) & (np.abs(apart) > SAME))
            if differs.size and apart[differs[0]] > 0:
                best = f
        return best


def _within(factor: float, found: list[FoundZero]) -> list[FoundZero]:
    least = min(f.distance for f in found)
    return [f for f in found if f.distance <= factor * least]
