"""Event handler of contacts with friction: impacts, and transitions between open, sticking and slipping.

Event functions are positive between events: gaps of open contacts, forces of closed ones, slip speeds of what slips, and what is left to the limit of
friction of what sticks. At a zero the complementarity problem of accelerations is solved (`friction_problem.py`) and says how it goes on.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from ..algebra.graph import Expr, as_expr
from ..algebra.matrix import sum_of_products
from ..algebra.walk import free_symbols
from ..emit.run.callable import Array
from ..errors import SimulationError, listed
from .contact_modes import HELD, ContactMode, FrictionState, ModeTable
from .contacts import ContactHandler, Flags
from .event_handlers import EventResult, Instant, Transition
from .events import in_state
from .forms import Form
from .friction_problem import SLIPS, STICKS, Cone, ConeState, FrictionProblem, FrictionSolution
from .frictions import FrictionValues, friction_rows
from .impacts import FINE, ContactValues, Metric, named_impulses
from .impacts import Impact as ImpactFound
from .outcome import Ending
from .segment import Occurrence

NEWTON: Final = "newton"
POISSON: Final = "poisson"
AT_REST: Final = 10  # times the tolerance of speeds: slip in space below this is none
KICK: Final = 0.1  # of that: the slip with which it begins, so that it has a direction
GAIN: Final = 1e-9  # of the kinetic energy that an impact moves: energy that it may gain by rounding


class FrictionHandler(ContactHandler):
    """Contacts of a mode, with friction."""

    def __init__(self, table: ModeTable, form: Form, mode: ContactMode, rtol: float, atol: Array, impacts: str) -> None:
        super().__init__(
            table.base, form, table.contacts, mode.closed, rtol, atol, lambda closed: ", ".join(sorted(closed))
        )
        self._table, self._current, self._impact_law = table, mode, impacts
        self._frictions = friction_rows(table.base, table.frictions)
        self._at = {f.name: k for k, f in enumerate(table.frictions)}
        first, self._places = 0, []
        for f in table.frictions:
            self._places.append(tuple(range(first, first + len(f.slip))))
            first += len(f.slip)
        self._is_driven = self._eq.t in set(free_symbols(self._eq.b, *(c.gap for c in table.contacts)))
        self._broken: set[str] = set()
        self._is_entered = self._has_begun = False
        self._watch_all(form)

    # ------------------------------------------------------------------------------------------------ event functions

    def _watch_all(self, form: Form) -> None:
        """Functions of the mode, and what each is about: (name, "gap", "force", "slip", "limit" or "sign")."""
        eq = form.equations
        lam = {row.name: s for row, s in zip(eq.speed_rows, eq.lam, strict=True)}
        functions: list[tuple[Expr, str, str]] = []
        for c in self.contacts:
            is_closed = c.name in self._current.closed
            functions.append((lam[c.name], c.name, "force") if is_closed else (c.gap, c.name, "gap"))
        for f in self._table.frictions:
            state = self._current.states.get(f.name)
            if state is None:
                continue
            v, N = f.speeds(self._table.base), state.sign * self._table.normal(f)
            if state.kind == SLIPS:
                size = state.sense * v[0] if f.is_plane else sum_of_products(v, self._table.ways(f))
                functions.append((as_expr(size), f.name, "slip"))
            elif state.kind == STICKS:
                limit, forces = f.law.sticking * N, [lam[row] for row in f.rows]
                if f.is_plane:
                    functions += [(limit - forces[0], f.name, "limit"), (limit + forces[0], f.name, "limit")]
                else:
                    functions.append((limit**2 - forces[0] ** 2 - forces[1] ** 2, f.name, "limit"))
            if f.name not in self._table.owner and set(eq.lam).intersection(free_symbols(N)):
                functions.append((N, f.name, "sign"))
        where = f"contacts of {eq.name!r}"
        found = in_state(eq, where, [e for e, _, _ in functions], form.y)
        self.watched = tuple((e, -1) for e in found)
        self._about = [(name, what) for _, name, what in functions]

    def _rest(self, j: int, v: FrictionValues, now: Instant) -> float:
        """Slip of a friction below which it is none: in a plane it is found to rounding."""
        at = slice(self._n_q, self._n_q + self._n_u)
        noise = v.G[list(self._places[j])] * (self._atol[at] + self._rtol * np.abs(now.state[at]))
        return (FINE if self._table.frictions[j].is_plane else AT_REST) * float(np.linalg.norm(noise))

    def tolerance(self, now: Instant) -> Array:
        gaps = dict(zip(self.names, FINE * self._gap_tolerance(self._numbers(now), now), strict=True))
        return np.array([gaps[name] if what == "gap" else 0.0 for name, what in self._about])

    def begin(self, now: Instant, is_beyond: Sequence[bool]) -> EventResult | None:
        # What the event before decided holds, as long as it can. A simulation begins in the mode that is free: there nothing is decided yet.
        self._is_entered = self._has_begun or bool(self._current.closed or self._current.states)
        self._has_begun = True
        try:
            return super().begin(now, is_beyond)
        finally:
            self._is_entered = False

    def handle(self, which: Sequence[int], now: Instant) -> EventResult:
        self._broken = {self._about[k][0] for k in which if self._about[k][1] == "limit"}
        leaving = {self._about[k][0] for k in which if self._about[k][1] == "force"}
        return self._handled(leaving, now)

    # ------------------------------------------------------------------------------------------------ the problem

    def _numbers(self, now: Instant) -> ContactValues:
        if self.contacts:
            return super()._numbers(now)
        none, accelerations = np.zeros(0), self._values(now).accelerations
        return ContactValues(none, np.zeros((0, self._n_q)), none, np.zeros((0, self._n_u)), none, none, accelerations)

    def _values(self, now: Instant) -> FrictionValues:
        return self._frictions(self._impulses.called, now.t, now.state, now.p, now.r)

    def _problem(
        self,
        x: ContactValues,
        v: FrictionValues,
        now: Instant,
        metric: Metric,
        part: Flags,
        b: Array,
        b_slip: Array,
        impulsive: bool,
    ) -> tuple[FrictionProblem, list[int], list[int]]:
        """The problem of some contacts and of their frictions and those without contact; its normals and frictions by number."""
        contacts = [k for k in range(len(self.names)) if part[k]]
        row_of = {self.names[k]: i for i, k in enumerate(contacts)}
        owners = [self._table.owner.get(f.name) for f in self._table.frictions]
        frictions = [j for j, o in enumerate(owners) if (o in row_of if o is not None else True)]
        places = [i for j in frictions for i in self._places[j]]
        G = np.vstack([x.G[contacts], v.G[places]])
        V = metric.ways(G)
        reactions = self._reactions(metric, G, V)
        cones, first = [], len(contacts)
        for j in frictions:
            rows = tuple(range(first, first + len(self._places[j])))
            first += len(rows)
            cones.append(self._cone(j, rows, row_of, v, reactions, len(G), impulsive, self._rest(j, v, now)))
        whole = np.concatenate([b[contacts], b_slip[places]])
        return FrictionProblem(V, whole, tuple(range(len(contacts))), tuple(cones)), contacts, frictions

    def _reactions(self, metric: Metric, G: Array, V: Array) -> Array:
        """Multipliers of the constraints for unit forces: one column for each row of G."""
        columns = [metric.reactions(metric.speeds(V[:, i]), G, np.eye(len(G))[i]) for i in range(len(G))]
        return np.array(columns).T if columns else np.zeros((0, 0))

    def _cone(
        self,
        j: int,
        rows: tuple[int, ...],
        row_of: dict[str, int],
        v: FrictionValues,
        reactions: Array,
        n: int,
        impulsive: bool,
        rest: float,
    ) -> Cone:
        f = self._table.frictions[j]
        owner = row_of[self._table.owner[f.name]] if f.name in self._table.owner else None
        slip = v.slip[list(self._places[j])]
        speed = float(np.linalg.norm(slip))
        moves = not impulsive and speed > 2 * rest + 1e-15
        if owner is not None:
            share, given = np.eye(n)[owner], 0.0
        else:
            slope = v.normal_slope[j]
            share = slope @ reactions if len(slope) else np.zeros(n)
            given = 0.0 if impulsive else float(v.normal[j] + slope @ v.multipliers)
        static = v.kinetic[j] if impulsive else v.static[j]
        return Cone(
            rows, owner, float(v.kinetic[j]), float(static), share, given, float(v.damping[j]) * speed if moves else 0.0,
            slip / speed if moves else None, f.name not in self._broken or impulsive,
        )  # fmt: skip

    # ------------------------------------------------------------------------------------------------ impacts

    def _impact(self, x: ContactValues, now: Instant, touching: Flags, closing: Flags, out: EventResult) -> Instant:
        part = closing | (self._is_closed & touching)
        e = np.where(self._is_slow(x, now, x.restitution) & (self.closed is not None) | ~closing, 0.0, x.restitution)
        if np.any((e < 0) | (e > 1) | ~np.isfinite(e)):
            k = int(np.argmax((e < 0) | (e > 1) | ~np.isfinite(e)))
            raise SimulationError(
                f"contact {self.names[k]!r}: restitution is between 0 and 1, is {e[k]:g} at t = {now.t:g}"
            )
        metric, v = self._impulses.metric(now.t, now.state, now.p, now.r), self._values(now)
        name = listed(n for n, is_closing in zip(self.names, closing, strict=True) if is_closing)
        impulses = self._by_law(x, v, now, metric, part, e)
        if impulses is None:
            out.ending = Ending.SINGULAR
            out.stops = f"no impulse with friction opens contact {name}: constraints or other contacts keep it closed"
            return now
        problem, contacts, frictions, total = impulses
        return self._after_impact(now, metric, (problem, contacts, frictions), total, closing, out)

    def _by_law(
        self, x: ContactValues, v: FrictionValues, now: Instant, metric: Metric, part: Flags, e: Array
    ) -> tuple[FrictionProblem, list[int], list[int], Array] | None:
        """Impulses by Newton's law, v⁺ + e v⁻ >= 0 where they act; or by Poisson's: what compression gave, e times it comes back at least
        (Glocker and Pfeiffer 1995)."""
        newton = self._impact_law == NEWTON
        b = x.speed + e * np.minimum(x.speed, 0.0) if newton else x.speed
        problem, contacts, frictions = self._problem(x, v, now, metric, part, b, v.slip, impulsive=True)
        found = problem.solutions()
        if not found:
            return None
        total = found[0].forces
        if newton or not np.any(e > 0):
            return problem, contacts, frictions, total
        back = np.zeros(len(total))
        back[: len(contacts)] = e[contacts] * total[: len(contacts)]
        speeds = problem.A @ (total + back) + problem.b
        cones = tuple(  # friction acts under what comes back, also where nothing is added to it
            Cone(c.rows, None, c.kinetic, c.static, c.share, c.given + float(c.share @ back)) for c in problem.cones
        )
        expanded = FrictionProblem(problem.V, speeds, problem.normals, cones).solutions()
        return (problem, contacts, frictions, total + back + expanded[0].forces) if expanded else None

    def _after_impact(
        self,
        now: Instant,
        metric: Metric,
        of: tuple[FrictionProblem, list[int], list[int]],
        total: Array,
        closing: Flags,
        out: EventResult,
    ) -> Instant:
        problem, contacts, frictions = of
        u = slice(self._n_q, self._n_q + self._n_u)
        change = metric.speeds(problem.V @ total)
        state = now.state.copy()
        state[u] += change
        before, after = (metric.energy(s[u]) for s in (now.state, state))
        if after - before > GAIN * metric.energy(change) and not self._is_driven:
            out.ending = Ending.ENERGY_GAINED
            out.stops = (
                f"impact of {listed(n for n, c in zip(self.names, closing, strict=True) if c)}: kinetic energy would grow from {before:z.6g} to "
                f"{after:z.6g}; take impacts='poisson'"
            )
            return now
        G = np.zeros((len(total), self._n_u))
        x, v = self._numbers(now), self._values(now)
        places = [i for j in frictions for i in self._places[j]]
        G[:] = np.vstack([x.G[contacts], v.G[places]])
        pushed = np.zeros(len(self.names))
        pushed[contacts] = total[: len(contacts)]
        found = ImpactFound(state[u], pushed, metric.reactions(change, G, total))
        rows = [row for j in frictions for row in self._table.frictions[j].rows]
        given = dict(zip(rows, map(float, total[len(contacts) :]), strict=True))
        impulses = {**named_impulses(self._impulses, self.names, found), **given}
        for k in np.flatnonzero(closing).tolist():
            out.occurrences.append(Occurrence(self.names[k], now.t, now.state, state, impulses))
        out.state, out.after = state, None
        return Instant(now.t, state, now.p, now.r)

    # ------------------------------------------------------------------------------------------------ transitions

    def _at_rest(
        self, x: ContactValues, now: Instant, touching: Flags, leaving: set[str], out: EventResult
    ) -> EventResult:
        if self.closed is None:
            return out
        still = touching & ((np.abs(x.speed) <= 2 * self._speed_noise(x, now) + 1e-15) | self._is_slow(x, now))
        still &= np.array([name not in leaving for name in self.names], dtype=bool)
        metric, v = self._impulses.metric(now.t, now.state, now.p, now.r), self._values(now)
        b = x.G @ x.accelerations + x.bias
        b_slip = v.G @ x.accelerations + v.bias
        problem, contacts, frictions = self._problem(x, v, now, metric, still, b, b_slip, impulsive=False)
        found = self._as_decided(problem, contacts, frictions) or problem.solutions()
        if not found:
            return self._without_acceleration(x, now, still, out)
        if len(found) > 1:
            out.occurrences.append(
                Occurrence(
                    f"{len(found)} accelerations satisfy Coulomb's law (Painlevé): {listed(self._told(s, contacts, frictions) for s in found)}; "
                    "the first is taken", now.t, now.state, now.state,
                )
            )  # fmt: skip
        return self._goes_on(x, v, now, metric, (problem, contacts, frictions), found[0], out)

    def _as_decided(
        self, problem: FrictionProblem, contacts: list[int], frictions: list[int]
    ) -> list[FrictionSolution]:
        """The solution that the mode itself is, where it has just begun and is one."""
        mode, names = self._current, [self.names[k] for k in contacts]
        if not self._is_entered or not mode.closed <= set(names):
            return []
        closed = frozenset(i for i, n in enumerate(names) if n in mode.closed)
        states: list[ConeState | None] = []
        for j, cone in zip(frictions, problem.cones, strict=True):
            s = mode.states.get(self._table.frictions[j].name)
            if s is None and (cone.owner is None or cone.owner in closed):
                return []
            along = cone.direction if s is None or not s.sense else np.array([float(s.sense)])
            states.append(None if s is None else ConeState(STICKS if s.kind == STICKS else SLIPS, along, float(s.sign)))
        found = problem.solved(closed, tuple(states))
        return [] if found is None else [found]

    def _told(self, s: FrictionSolution, contacts: list[int], frictions: list[int]) -> str:
        mode = self._mode_of(s, contacts, frictions, None)
        return self._table.name(mode)

    def _mode_of(
        self, s: FrictionSolution, contacts: list[int], frictions: list[int], problem: FrictionProblem | None
    ) -> ContactMode:
        closed = frozenset(self.names[contacts[i]] for i in s.closed)
        states = {}
        for j, cone in zip(frictions, s.cones, strict=True):
            f = self._table.frictions[j]
            if cone is not None:
                states[f.name] = self._state_of(f.is_plane, cone, problem, s, frictions.index(j))
        return ContactMode(closed, states)

    def _state_of(
        self, is_plane: bool, cone: ConeState, problem: FrictionProblem | None, s: FrictionSolution, at: int
    ) -> FrictionState:
        sense = 0 if cone.direction is None or not is_plane else int(np.sign(cone.direction[0]))
        kind, sign = cone.kind, int(cone.sign)
        if kind == SLIPS and problem is not None and problem.cones[at].direction is None:
            kind = HELD if problem.is_held(at, s) else kind
        return FrictionState(kind, sense, sign)

    def _goes_on(
        self,
        x: ContactValues,
        v: FrictionValues,
        now: Instant,
        metric: Metric,
        of: tuple[FrictionProblem, list[int], list[int]],
        found: FrictionSolution,
        out: EventResult,
    ) -> EventResult:
        problem, contacts, frictions = of
        mode = self._mode_of(found, contacts, frictions, problem)
        now = self._with_slip(x, v, now, metric, (contacts, frictions), found, mode, out)
        ways = self._ways(mode, now)
        if mode == self._current and (self._is_entered or not ways):
            return out
        out.target = Transition(self._table.name(mode), now.state, ways)
        before = self._current
        told = [f"{n} rests" for n in self.names if n in mode.closed - before.closed]
        told += [f"{n} opens" for n in self.names if n in before.closed - mode.closed]
        told += [
            f"{n} {s}"
            for n, s in mode.states.items()
            if before.states.get(n) != s and (s.kind != HELD or n in before.states)
        ]
        out.occurrences += [Occurrence(name, now.t, now.state, now.state) for name in told]
        return out

    def _ways(self, mode: ContactMode, now: Instant) -> dict[str, float]:
        """The directions of slip in space from now on: it ends, or has turned far, where it has no part along them."""
        out: dict[str, float] = {}
        v = self._values(now)
        for j, f in enumerate(self._table.frictions):
            if f.name in mode.states and mode.states[f.name].kind == SLIPS and not f.is_plane:
                slip = v.slip[list(self._places[j])]
                out |= {s.name: float(x) for s, x in zip(self._table.ways(f), slip / np.linalg.norm(slip), strict=True)}
        return out

    def _with_slip(
        self,
        x: ContactValues,
        v: FrictionValues,
        now: Instant,
        metric: Metric,
        among: tuple[list[int], list[int]],
        found: FrictionSolution,
        mode: ContactMode,
        out: EventResult,
    ) -> Instant:
        """Speeds on the constraints of the new mode; what begins to slip in space gets a speed just above none, so that it has a direction."""
        contacts, frictions = among
        rows = [x.G[k] for i, k in enumerate(contacts) if i in found.closed]
        wanted = [-x.speed[k] for i, k in enumerate(contacts) if i in found.closed]
        for j, cone in zip(frictions, found.cones, strict=True):
            f, places = self._table.frictions[j], list(self._places[j])
            if cone is None or mode.states[f.name].kind == HELD:
                continue
            slip, rest = v.slip[places], self._rest(j, v, now)
            if cone.kind == STICKS:
                goal = np.zeros(len(places))
            elif not f.is_plane and cone.direction is not None and np.linalg.norm(slip) <= 2 * rest:
                goal = KICK * rest * cone.direction
            else:
                continue
            rows += [v.G[i] for i in places]
            wanted += list(goal - slip)
        if not rows or not np.any(wanted):
            return now
        W = metric.ways(np.array(rows))
        state = now.state.copy()
        change = np.asarray(np.linalg.lstsq(W.T, np.array(wanted), rcond=1e-11)[0], dtype=np.float64)
        state[self._n_q : self._n_q + self._n_u] += metric.speeds(change)
        out.state, out.after = state, None
        return Instant(now.t, state, now.p, now.r)

    def _without_acceleration(self, x: ContactValues, now: Instant, still: Flags, out: EventResult) -> EventResult:
        """No acceleration satisfies Coulomb's law: an impact without collision, after which what slipped sticks (Génot and Brogliato 1999)."""
        metric, v = self._impulses.metric(now.t, now.state, now.p, now.r), self._values(now)
        problem, contacts, frictions = self._problem(x, v, now, metric, still, x.speed, v.slip, impulsive=True)
        states = tuple(ConeState(STICKS) for _ in problem.cones)
        found = problem.solved(frozenset(problem.normals), states)
        name = listed(self.names[k] for k in contacts)
        if found is None or not np.any(found.forces):
            out.ending = Ending.SINGULAR
            out.stops = (
                f"{name}: no acceleration satisfies Coulomb's law (Painlevé), and no impulse that ends the slip does"
            )
            return out
        told = f"{name}: no acceleration satisfies Coulomb's law (Painlevé), impact without collision"
        out.occurrences.append(Occurrence(told, now.t, now.state, now.state))
        flags = np.zeros(len(self.names), dtype=bool)
        after = self._after_impact(now, metric, (problem, contacts, frictions), found.forces, flags, out)
        return out if out.ending else self._handled_again(after, out)

    def _handled_again(self, now: Instant, out: EventResult) -> EventResult:
        x = self._numbers(now)
        touching, _ = self._touching(x, now)
        return self._at_rest(x, now, touching, set(), out)
