"""The point nearest to a given one at which some rows vanish, with a part of the unknowns held; whole turns."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ...algebra.nonlinear.nonlinear import Solution, System
from ...algebra.nonlinear.trust_region import is_turned
from ...emit.run.callable import Array

Numbers = NDArray[np.intp]
Function = Callable[[Array], tuple[Array, Array]]

MAX_ATTEMPTS: Final = 30  # random starts, each farther away, before a search fails
MAX_NEARER_ATTEMPTS: Final = 24  # random starts where a solution is known, but beyond a singular position


@dataclass(frozen=True)
class Found:
    """Where a search ended: all unknowns, and what the solver says of those that were free."""

    x: Array
    solution: Solution

    @property
    def left(self) -> Array:
        """Values of the rows there."""
        return self.solution.F

    @property
    def holds(self) -> bool:
        return self.solution.holds

    @property
    def size(self) -> float:
        size = float(np.linalg.norm(self.left))
        return size if np.isfinite(size) else np.inf


@dataclass(frozen=True)
class Search:
    """Rows r(x) = 0 with slopes J(x), of which the variables numbered `free` may move; distances are weighted.

        least over x of  Σ w_j (x_j - start_j)²   under   r(x) = 0

    rounding   x -> what each row can be off by
    """

    rows: Function
    start: Array
    free: Numbers
    weights: Array
    rounding: Callable[[Array], Array]

    @cached_property
    def _system(self) -> System:
        return System(
            self._rows_of_free, 1 / np.sqrt(self.weights[self.free]), rounding=lambda y: self.rounding(self._all(y))
        )

    def _all(self, y: Array) -> Array:
        x = self.start.copy()
        x[self.free] = y
        return x

    def _rows_of_free(self, y: Array) -> tuple[Array, Array]:
        r, J = self.rows(self._all(y))
        return r, J[:, self.free]

    def distance(self, x: Array) -> float:
        return float(np.linalg.norm((x - self.start) * np.sqrt(self.weights)))

    def onto(self, x: Array) -> Found:
        """The zero that is reached from a point."""
        solution = self._system.zero(x[self.free])
        return Found(self._all(solution.x), solution)

    def along(self, found: Found) -> Found:
        """From a point at which the rows vanish along them to the nearest to the start."""
        solution = self._system.slid(found.solution, self.start[self.free])
        return Found(self._all(solution.x), solution)

    # ------------------------------------------------------------------------------------------------ several starts

    def first(self) -> tuple[Found, int]:
        """The first configuration on the rows, and the number of the start that led to it: the start itself, then
        others, each a little further from it at random. If there is none, what came nearest to that.

        Where the way led through a singular position, a configuration on the side of the start comes first: elbow up
        stays up.
        """
        best = self.onto(self.start)
        if not len(self.free) or (best.holds and self._is_on_side(best.x)):
            return best, 0
        random, number = np.random.default_rng(1), 0 if best.holds else MAX_ATTEMPTS
        spread = self.spread(random)
        for attempt in range(1, MAX_NEARER_ATTEMPTS if best.holds else MAX_ATTEMPTS):
            found = self.onto(self.moved(random, spread * min(1.0, 0.02 * 1.3**attempt)))
            if found.holds and (not best.holds or self._is_on_side(found.x)):
                return found, attempt
            best = best if best.holds else min(best, found, key=lambda f: f.size)
        return best, number

    def _is_on_side(self, x: Array) -> bool:
        """Whether rows that determine everything are oriented as they are at the start."""
        before, after = (self.rows(at)[1][:, self.free] for at in (self.start, x))
        return not is_turned(before, after)

    def moved(self, random: np.random.Generator, by: Array) -> Array:
        """The start, with what is free moved at random."""
        x = self.start.copy()
        x[self.free] += random.uniform(-1, 1, len(self.free)) * by
        return x

    def spread(self, random: np.random.Generator) -> Array:
        """How far each free variable may be from its start: half a turn, or for variables other than angles as far as
        rows can be off by turning."""
        angles = np.array([is_periodic(self.rows, self.start, j) for j in self.free], dtype=bool)
        x = self.moved(random, np.where(angles, np.pi, 0.0))
        off = np.abs(self.rows(x)[0])
        length = max(float(np.nanmax(off, initial=0.0)), float(np.max(np.abs(self.start), initial=0.0)), 1e-3)
        return np.where(angles, np.pi, length)


def unwound(rows: Function, x: Array, start: Array, free: Numbers) -> Array:
    """The same with whole turns taken away from what is further than half a turn from the start and may turn without
    changing a row."""
    for j in free:
        turns = round((start[j] - x[j]) / (2 * np.pi))
        if turns and is_periodic(rows, x, j):
            x = x.copy()
            x[j] += 2 * np.pi * turns
    return x


def is_periodic(rows: Function, x: Array, j: int) -> bool:
    """Whether a whole turn of one variable leaves the rows and their slopes as they were."""
    turned = x.copy()
    turned[j] += 2 * np.pi
    before, after = rows(x), rows(turned)
    return all(np.allclose(a, b, rtol=1e-9, atol=1e-9) for a, b in zip(before, after, strict=True))
