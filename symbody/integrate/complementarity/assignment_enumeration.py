"""Contact problems by enumeration: every assignment of open, stick and slip is tried, and solutions are counted by the
motion they give."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Final

import numpy as np

from .assignments import Assignments
from .contact_problem import SLIPS, Cone, ConeState, ContactProblem, ContactSolution

MOST_ASSIGNMENTS: Final = 600  # problems with more of them are not enumerated
UNKNOWN_DIRECTION: Final = 4  # number of assignments as which a slip counts whose direction is to be found by iteration

Assignment = tuple[frozenset[int], tuple[ConeState | None, ...]]


def is_enumerable(problem: ContactProblem) -> bool:
    """Whether assignments are so few that all are tried."""
    return _count(Assignments(problem)) <= MOST_ASSIGNMENTS


def is_exhaustive(problem: ContactProblem) -> bool:
    """Whether enumeration misses no solution: directions of slip in space are found by an iteration that may fail."""
    return is_enumerable(problem) and all(len(c.rows) == 1 or c.direction is not None for c in problem.cones)


def all_solutions(problem: ContactProblem) -> list[ContactSolution]:
    """All solutions that differ in motion, those with most sticking and fewest open contacts first."""
    of, out = Assignments(problem), list[ContactSolution]()
    for found in _solutions(of):
        if not any(of.is_same_motion(found, other) for other in out):
            out.append(found)
    return out


def first_solution(problem: ContactProblem) -> ContactSolution | None:
    return next(_solutions(Assignments(problem)), None)


def _solutions(of: Assignments) -> Iterator[ContactSolution]:
    return (found for a in _all_assignments(of) if (found := of.solution(*a)) is not None)


def _count(of: Assignments) -> int:
    """Number of assignments, or one above the most."""
    total = 1
    for i in of.problem.normals:
        total *= 1 + int(np.prod([_states_of(of, c) for c in of.problem.cones if c.owner == i]))
        if total > MOST_ASSIGNMENTS:
            return total
    for c in of.problem.cones:
        total *= _states_of(of, c) if c.owner is None else 1
    return total


def _states_of(of: Assignments, c: Cone) -> int:
    return sum(UNKNOWN_DIRECTION if s.kind == SLIPS and s.direction is None else 1 for s in of.options(c))


def _all_assignments(of: Assignments) -> Iterator[Assignment]:
    cones = of.problem.cones
    owned = [[k for k, c in enumerate(cones) if c.owner == i] for i in of.problem.normals]
    choices: list[list[tuple[tuple[int, ...], dict[int, ConeState]]]] = []
    for i, own in zip(of.problem.normals, owned, strict=True):
        states = product(*(of.options(cones[k]) for k in own))
        choices.append([((i,), dict(zip(own, s, strict=True))) for s in states] + [((), {})])
    choices += [[((), {k: s}) for s in of.options(c)] for k, c in enumerate(cones) if c.owner is None]
    for chosen in product(*choices):
        closed = frozenset(i for rows, _ in chosen for i in rows)
        known = {k: s for _, part in chosen for k, s in part.items()}
        yield closed, tuple(known.get(k) for k in range(len(cones)))
