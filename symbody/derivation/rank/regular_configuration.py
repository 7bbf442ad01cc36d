"""Regular configurations: those that satisfy the constraints, away from singular configurations.

Newton's method is attracted to singular configurations: where there are as many rows as coordinates but fewer are
independent, the iteration ends where the rank is least, and the more loops there are, the more certainly one of them
ends there. So loops are closed one after the other, each repeatedly until it is regular.

Dependent rows are redundant if they are dependent in a whole neighbourhood, and the configuration is singular if they
are dependent only there. With rank r of n coordinates, regular configurations form a surface of n - r dimensions
(constant rank theorem): n - r coordinates can be given other values, and the rank is the same there. Around a singular
configuration there is no such surface.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING, Final

import numpy as np

from ...algebra.graph.graph import ZERO, Symbol
from ...algebra.nonlinear.trust_region import Array
from .loop_closure import Values, closed_loops, slopes_of_positions
from .row_space import RowSpace, numbers_at, pivot_columns, typical_sizes

if TYPE_CHECKING:
    from ..equations.equations import Equations

MIN_SINGULAR_VALUE: Final = 1e-3  # smallest singular value of a configuration that is clearly regular
# displacement of coordinates, in radians or relative to their values, that tests a neighbourhood
PROBE_STEP: Final = 0.03
LEAVING_STEP: Final = 0.3  # displacement of coordinates, in the same units, that leaves a configuration
RETRIES: Final = 4  # number of failures of a loop after which the preceding one is closed again
LOCAL: Final = 3 * RETRIES  # number of failures of a loop after which all that is connected with it is looked at
MAX_FAILURES: Final = 24  # largest number of failures of one loop
# largest number of attempts to leave a singular configuration with a given number of coordinates held
MAX_TRIALS: Final = 6


def regular(eq: Equations, values: Values, random: Random, leaves: bool = False) -> Values | None:
    """A regular configuration near one that satisfies the constraints; None if none is found.

    leaves   look for another one even if this one is regular
    """
    everything = LoopRows(tuple(range(len(eq.rows.positions))), eq.q)
    if not leaves and everything.is_regular(eq, values, random):
        return values
    beside = everything.beside(eq, values, LEAVING_STEP, random) if leaves else None
    return beside or loop_by_loop(eq, values, random) or _elsewhere(eq, everything, values, random)


@dataclass(frozen=True)
class LoopRows:
    """Some of the position-level rows, by their indices, and the coordinates in them."""

    rows: tuple[int, ...]
    q: tuple[Symbol, ...]

    def space(self, eq: Equations, values: Values) -> tuple[RowSpace, Array] | None:
        """Rank of the rows, and the derivatives from which it follows; None if they have no value."""
        entries = slopes_of_positions(eq, self.q, self.rows)
        J = numbers_at(entries, values, len(self.q)) if entries else np.zeros((0, len(self.q)))
        return None if J is None else (RowSpace.of(J, typical_sizes(eq, entries, J, values)), J)

    def is_independent(self, eq: Equations, values: Values) -> bool:
        """Whether the rows are independent in these coordinates beyond doubt."""
        found = self.space(eq, values)
        return found is not None and found[0].rank == len(self.rows) and found[0].smallest > MIN_SINGULAR_VALUE

    def is_regular(self, eq: Equations, values: Values, random: Random) -> bool:
        """Whether the rows are independent, or depend on each other all around in the same way."""
        return self.is_independent(eq, values) or self.beside(eq, values, PROBE_STEP, random) is not None

    def beside(self, eq: Equations, values: Values, by: float, random: Random) -> Values | None:
        """Another configuration of the same rank, in which the coordinates that the rows leave free have other
        values; None around singular configurations."""
        found = self.space(eq, values)
        if found is None or found[0].smallest <= MIN_SINGULAR_VALUE:
            return None
        here, J = found
        pivots = pivot_columns(J / here.sizes[:, None], here.rank)
        free = {self.q[j] for j in range(len(self.q)) if j not in pivots}
        reached, solved = closed_loops(
            eq, [self.q[j] for j in pivots], _perturbed_values(eq, values, free, by, random), self.rows
        )
        there = self.space(eq, reached) if solved.holds else None
        return (
            reached
            if there is not None and there[0].rank == here.rank and there[0].smallest > MIN_SINGULAR_VALUE
            else None
        )


def _perturbed_values(eq: Equations, values: Values, which: set[Symbol], by: float, random: Random) -> Values:
    """Some coordinates perturbed at random: angles in radians, lengths relative to the largest."""
    table = eq.variables.of("q")
    length = max((abs(values[v.symbol]) for v in table if not v.is_angle), default=0.0) or 1.0
    some = {v.symbol: 1.0 if v.is_angle else length / 2 for v in table if v.symbol in which}
    return {**values, **{q: values[q] + unit * random.uniform(-by, by) for q, unit in some.items()}}


# --------------------------------------------------------------------------------------------------------- loop by loop


@dataclass(frozen=True)
class LoopClosure:
    """Rows that close one more loop, with coordinates that no previous loop contains; and all rows connected with it
    so far."""

    new: LoopRows
    whole: LoopRows


def loop_by_loop(eq: Equations, values: Values, random: Random) -> Values | None:
    """Loops closed one after the other; where one cannot be closed in a regular position, some of those before it are
    done again."""
    steps = list(_steps(eq))
    places, failures = [values], [0] * len(steps)
    while len(places) <= len(steps):
        k = len(places) - 1
        place = _with_loop_closed(eq, steps[k], places[-1], random, is_last=failures[k] % LOCAL == LOCAL - 1)
        if place is not None:
            places.append(place)
            continue
        failures[k] += 1
        if failures[k] == MAX_FAILURES:
            return None
        if failures[k] % RETRIES == 0:
            del places[max(1, len(places) - failures[k] // RETRIES) :]
    return places[-1]


def _with_loop_closed(eq: Equations, step: LoopClosure, values: Values, random: Random, is_last: bool) -> Values | None:
    """The values with one more loop closed in a regular configuration: by its own coordinates if they suffice, else
    by all coordinates connected with it.

    Rows that are independent at the start, which is any configuration, and dependent where the loop is closed, mostly
    mean a singular configuration of this loop: another start costs as much as the loop is large, a look at everything
    connected with it as much as the mechanism. So that comes last.
    """
    start = _perturbed_values(eq, values, set(step.new.q or step.whole.q), 1.0, random)
    if step.new.q:
        reached, solved = closed_loops(eq, step.new.q, start, step.new.rows)
        own = step.new.is_independent(eq, reached) if solved.holds else False
        if own or (not is_last and step.new.is_independent(eq, start)):
            return reached if own else None
        if solved.holds:
            return reached if step.whole.is_regular(eq, reached, random) else None
    reached, solved = closed_loops(eq, step.whole.q, start, step.whole.rows)
    return reached if solved.holds and step.whole.is_regular(eq, reached, random) else None


def _steps(eq: Equations) -> Iterator[LoopClosure]:
    """Rows in an order in which each step brings as few new coordinates as the next row has; rows without any come as
    soon as they can."""
    n, m = len(eq.q), len(eq.rows.positions)
    slopes = slopes_of_positions(eq, eq.q)
    inside = [frozenset(j for j in range(n) if slopes[i * n + j] is not ZERO) for i in range(m)]
    left, wholes = list(range(m)), list[tuple[set[int], set[int]]]()
    while left:
        known = set[int]().union(*(q for _, q in wholes))
        new = inside[left[0]] - known
        rows = [i for i in left if inside[i] <= known | new and (i == left[0] or inside[i] & new)]
        left = [i for i in left if i not in rows]
        touched = set[int]().union(*(inside[i] for i in rows))
        joined = [w for w in wholes if w[1] & touched]
        whole = set(rows).union(*(r for r, _ in joined)), touched.union(*(q for _, q in joined))
        wholes = [w for w in wholes if w not in joined] + [whole]
        yield LoopClosure(_loop(eq, rows, new), _loop(eq, *whole))


def _loop(eq: Equations, rows: Sequence[int] | set[int], q: set[int] | frozenset[int]) -> LoopRows:
    return LoopRows(tuple(sorted(rows)), tuple(eq.q[j] for j in sorted(q)))


# ---------------------------------------------------------------------------------------------------------- all at once


def _elsewhere(eq: Equations, everything: LoopRows, values: Values, random: Random) -> Values | None:
    """A regular configuration in which some coordinates, chosen at random, have other values.

    With as many coordinates held as there are degrees of freedom, the constraints have isolated solutions, to which
    Newton's method converges. The rank there confirms the number: n coordinates less the rank of phi.
    """
    here, n = everything.space(eq, values), len(eq.q)
    if here is None:
        return None
    most, least = n - here[0].rank, max(n - len(everything.rows), 0)
    for held in dict.fromkeys(min(k, most) for k in (least, least + 1, least + 2, most)):
        for _ in range(MAX_TRIALS):
            fixed = set(random.sample(eq.q, held))
            start = _perturbed_values(eq, values, set(eq.q), 1.0, random)
            reached, solved = closed_loops(eq, [q for q in eq.q if q not in fixed], start)
            there = everything.space(eq, reached) if solved.holds else None
            if there is not None and n - there[0].rank == held and there[0].smallest > MIN_SINGULAR_VALUE:
                return reached
    return None
