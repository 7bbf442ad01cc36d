"""Contacts and frictions of a state as complementarity problems: for accelerations and for impacts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ...emit.run.callable import Array
from ..complementarity.contact_problem import Cone, ContactProblem
from ..events.event_handlers import Instant
from ..forms.impulses import Metric
from .contact_modes import ModeTable
from .frictions import FrictionValues, friction_rows
from .impacts import FINE, ContactValues, Impulses, impulses_of

AT_REST: Final = 10  # slip in space below this multiple of the speed tolerances counts as zero


@dataclass(frozen=True)
class ContactState:
    """Numbers of contacts and frictions in one state, and what impulses do there."""

    now: Instant
    contacts: ContactValues
    frictions: FrictionValues
    metric: Metric


@dataclass(frozen=True)
class PosedProblem:
    """A problem, and the numbers of the contacts and frictions that are in it, in the order of its rows; G: these
    rows."""

    problem: ContactProblem
    contacts: list[int]
    frictions: list[int]
    G: Array


class ContactProblems:
    """Contacts and frictions of equations, compiled, with the tolerances by which speeds count as zero."""

    def __init__(self, table: ModeTable, rtol: float, atol: Array) -> None:
        eq = self._eq = table.base
        self.table, self._rtol = table, rtol
        self._atol_u = atol[len(eq.q) : len(eq.q) + len(eq.u)]
        self.impulses: Impulses = impulses_of(eq, table.contacts)
        self._rows = friction_rows(eq, table.frictions)
        self.names = [c.name for c in table.contacts]
        first = 0
        self.places: list[list[int]] = []  # rows of each friction
        for f in table.frictions:
            self.places.append(list(range(first, first + len(f.slip))))
            first += len(f.slip)

    def contact_values(self, now: Instant) -> ContactValues:
        if self.names:
            return self.impulses.numbers(now.t, now.state, now.p, now.r)
        none, n_q, n_u = np.zeros(0), len(self._eq.q), len(self._eq.u)
        return ContactValues(
            none, np.zeros((0, n_q)), none, np.zeros((0, n_u)), none, none, self.friction_values(now).accelerations
        )

    def friction_values(self, now: Instant) -> FrictionValues:
        return self._rows(self.impulses.called, now.t, now.state, now.p, now.r)

    def state(self, now: Instant) -> ContactState:
        metric = self.impulses.metric(now.t, now.state, now.p, now.r)
        return ContactState(now, self.contact_values(now), self.friction_values(now), metric)

    def rest(self, j: int, s: ContactState) -> float:
        """Slip speed of a friction that counts as zero: in a plane, where slip is known to rounding, it is smaller."""
        n = len(self._eq.q)
        u = s.now.state[n : n + len(self._eq.u)]
        noise = s.frictions.G[self.places[j]] * (self._atol_u + self._rtol * np.abs(u))
        return (FINE if self.table.frictions[j].is_plane else AT_REST) * float(np.linalg.norm(noise))

    def posed(
        self, s: ContactState, part: NDArray[np.bool_], b: Array, b_slip: Array, *, is_impact: bool = False,
        broken: frozenset[str] = frozenset(),
    ) -> PosedProblem:  # fmt: skip
        """The problem of the contacts in `part`, of their frictions, and of those that are always together.

        is_impact   of impulses and speeds after it; else of forces and accelerations
        broken      frictions that have just broken away, and do not stick
        """
        contacts = [k for k in range(len(self.names)) if part[k]]
        row_of = {self.names[k]: i for i, k in enumerate(contacts)}
        owners = [self.table.owner.get(f.name) for f in self.table.frictions]
        frictions = [j for j, o in enumerate(owners) if o is None or o in row_of]
        places = [i for j in frictions for i in self.places[j]]
        G = np.vstack([s.contacts.G[contacts], s.frictions.G[places]])
        V = s.metric.ways(G)
        reactions = self._reactions(s, G, V)
        cones, first = [], len(contacts)
        for j in frictions:
            rows = tuple(range(first, first + len(self.places[j])))
            first += len(rows)
            cones.append(self._cone(j, rows, row_of, s, reactions, is_impact, broken))
        problem = ContactProblem(
            V, np.concatenate([b[contacts], b_slip[places]]), tuple(range(len(contacts))), tuple(cones)
        )
        return PosedProblem(problem, contacts, frictions, G)

    def _reactions(self, s: ContactState, G: Array, V: Array) -> Array:
        """Multipliers of the constraints for unit forces: one column for each row of G."""
        if not self._eq.lam:
            return np.zeros((0, len(G)))
        columns = [s.metric.reactions(s.metric.speeds(V[:, i]), G, np.eye(len(G))[i]) for i in range(len(G))]
        return np.array(columns).T if columns else np.zeros((len(self._eq.lam), 0))

    def _cone(
        self, j: int, rows: tuple[int, ...], row_of: dict[str, int], s: ContactState, reactions: Array, is_impact: bool,
        broken: frozenset[str],
    ) -> Cone:  # fmt: skip
        f, v, n = self.table.frictions[j], s.frictions, reactions.shape[1]
        slip = v.slip[self.places[j]]
        speed = float(np.linalg.norm(slip))
        if (owner := self.table.owner.get(f.name)) is not None:
            share, given = np.eye(n)[row_of[owner]], 0.0
        else:
            slope = v.normal_slope[j]
            share = slope @ reactions if len(slope) else np.zeros(n)
            given = 0.0 if is_impact else float(v.normal[j] + slope @ v.multipliers)
        at = None if owner is None else row_of[owner]
        moves = speed > 2 * self.rest(j, s) + 1e-15
        if is_impact:  # what slips before it may end its slip, under the kinetic coefficient
            return Cone(rows, at, float(v.kinetic[j]), float((v.kinetic if moves else v.static)[j]), share, given)
        return Cone(
            rows, at, float(v.kinetic[j]), float(v.static[j]), share, given, float(v.damping[j]) * speed if moves else 0.0,
            slip / speed if moves else None, f.name not in broken,
        )  # fmt: skip
