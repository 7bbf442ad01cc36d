"""Contact problems by pivoting: from the assignment of some forces, the inequality that is violated most changes it, one
after another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ...emit.run.callable import Array
from .assignments import INEQUALITY, Assignments, is_direction_unknown, unit
from .contact_problem import SLIPS, STICKS, Cone, ConeState, ContactProblem, ContactSolution

MOST_PIVOTS: Final = 200


def assignment_of_forces(problem: ContactProblem, x: Array, coefficients: Sequence[float]) -> ContactSolution:
    """The assignment nearest to some forces: what neither presses nor moves is closed, and sticks."""
    motions = problem.A @ x + problem.b
    still = np.abs(motions) <= INEQUALITY * (np.abs(problem.A) @ np.abs(x) + np.abs(problem.b))
    closed = frozenset(i for i in problem.normals if x[i] > 0.0 or still[i])
    states = (_state(c, x, closed, mu, still) for c, mu in zip(problem.cones, coefficients, strict=True))
    return ContactSolution(x, motions, closed, tuple(states))


def _state(c: Cone, x: Array, closed: frozenset[int], coefficient: float, still: NDArray[np.bool_]) -> ConeState | None:
    if c.owner is not None and c.owner not in closed:
        return None
    rows, sign = list(c.rows), 1.0 if c.normal_force(x) >= 0 else -1.0
    if c.direction is not None:
        return ConeState(SLIPS, c.direction, sign)
    if c.may_stick and (c.is_inside(x, coefficient) or np.all(still[rows])):
        return ConeState(STICKS, None, sign)
    return ConeState(SLIPS, unit(-x[rows]) if len(rows) == 1 else None, sign)


def pivoted_solution(problem: ContactProblem, near: ContactSolution) -> ContactSolution | None:
    """The solution next to an assignment; None if pivots come back to where they were."""
    of, closed, states, seen = Assignments(problem), near.closed, near.cones, set[Any]()
    for _ in range(MOST_PIVOTS):
        key = (closed, tuple(s and (s.kind, s.sign, s.direction is None or tuple(s.direction)) for s in states))
        if key in seen:
            return None
        seen.add(key)
        found = of.without_inequalities(closed, states, near.forces)
        worst = None if found is None else of.worst_inequality(found)
        if found is not None and worst is None:
            return found
        if found is None or worst is None:  # no direction in which friction lets these slip
            pairs = zip(problem.cones, states, strict=True)
            states = tuple(of.options(c)[0] if is_direction_unknown(s) else s for c, s in pairs)
        else:
            closed, states = _changed_assignment(of, found, states, *worst)
    return None


def _changed_assignment(
    of: Assignments, found: ContactSolution, states: tuple[ConeState | None, ...], what: str, at: int
) -> tuple[frozenset[int], tuple[ConeState | None, ...]]:
    """The assignment in which a contact opens or closes, or a cone begins or ends to slip."""
    cones = list(states)
    if what == "normal":
        is_closed = at in found.closed
        for k, c in enumerate(of.problem.cones):
            if c.owner == at:
                cones[k] = None if is_closed else of.options(c)[0]
        return (found.closed - {at} if is_closed else found.closed | {at}), tuple(cones)
    c, s = of.problem.cones[at], cones[at]
    assert s is not None
    if what == "sign":
        cones[at] = replace(s, sign=-s.sign)
    elif s.kind == SLIPS and c.may_stick:
        cones[at] = ConeState(STICKS, None, s.sign)
    else:
        force = found.forces[list(c.rows)]
        back = -force if s.kind == STICKS else force
        cones[at] = ConeState(SLIPS, unit(back) if len(c.rows) == 1 else None, s.sign)
    return found.closed, tuple(cones)
