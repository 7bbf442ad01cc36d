"""Event handler of contacts with friction: impacts, and transitions between open, sticking and slipping.

Event functions are positive between events: gaps of open contacts, forces of closed ones, slip speeds of what slips,
and what is left to the limit of friction of what sticks. At a zero the complementarity problem of accelerations is
solved (`contact_problem.py`) and says how it goes on.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

import numpy as np

from ...algebra.graph.graph import Expr, Symbol, as_expr
from ...algebra.graph.matrix import sum_of_products
from ...algebra.graph.walk import free_symbols, substitute
from ...derivation.equations.own_terms import in_own_terms
from ...derivation.equations.undetermined_forces import LEAST_NORM
from ...emit.run.callable import Array
from ...errors import listed
from ..complementarity.assignment_enumeration import is_enumerable, is_exhaustive
from ..complementarity.assignments import Assignments
from ..complementarity.contact_problem import (
    SLIPS,
    STICKS,
    Cone,
    ConeState,
    ContactForces,
    ContactProblem,
    ContactSolution,
)
from ..complementarity.contact_solvers import ENUMERATION, solutions, solve
from ..complementarity.friction_feedback import friction_feedback
from ..events.event_handlers import EventResult, Instant, Transition
from ..forms.forms import Form
from ..result.outcome import Ending
from ..result.segment import Occurrence
from .contact_modes import HELD, ContactMode, FrictionState, ModeTable
from .contacts import ContactFunction, ContactHandler, Flags, in_terms_of_state, size_of_forces
from .frictions import Friction
from .impact_maps import ImpactMap, ImpulsePhase, impact_cases
from .impacts import FINE, ContactValues, Impact, named_impulses
from .posed_problems import ContactProblems, ContactState, PosedProblem

NEWTON: Final = "newton"
POISSON: Final = "poisson"
KICK: Final = 0.1  # initial slip in space, as a fraction of the slip that counts as zero: it gives slip a direction
SLOW_KICK: Final = 20.0  # the same where slip begins so slowly that integration errors would turn it
SLOW: Final = 1e-3  # a relative acceleration below this fraction of its terms is such a slow beginning
ROUNDING: Final = 1e-14  # relative rounding error of the kinetic energy
GAIN: Final = 1e-9  # energy that an impact may gain by rounding, as a fraction of that of the velocity jump


class FrictionHandler(ContactHandler):
    """Contacts of a mode, with friction."""

    def __init__(self, table: ModeTable, form: Form, mode: ContactMode, rtol: float, atol: Array, impacts: str) -> None:
        self._table, self._current, self._impact_law = table, mode, impacts
        forces = table.made(table.name(mode)).forces
        super().__init__(table.base, form, table.contacts, mode.closed, rtol, atol, forces=forces)
        self._problems = ContactProblems(table, rtol, atol)
        self._is_driven = self._eq.t in set(free_symbols(self._eq.b, *(c.gap for c in table.contacts)))
        self._broken: set[str] = set()
        self._is_entered = self._has_begun = False
        self.uncertain: list[
            tuple[float, float]
        ] = []  # when solutions were neither counted nor certainly one; `feedback`

    # ------------------------------------------------------------------------------------------------ event functions

    def _functions(self, form: Form) -> list[ContactFunction]:
        """Event functions of the mode. Where sticking contacts hold more than they need to, their forces are those of
        least norm."""
        eq = form.equations
        lam = {row.name: s for row, s in zip(eq.rows.speeds, eq.lam, strict=True)}
        total = size_of_forces({**lam, **self._forces})
        made = [
            ContactFunction(c.name, "force", self._forces[c.name], total)
            if c.name in self._current.closed
            else ContactFunction(c.name, "gap", c.gap)
            for c in self.contacts
        ]
        for f in self._table.frictions:
            if f.name in self._current.states:
                made += self._of_friction(f, self._current.states[f.name], total)
        self._about = [(f.name, f.what) for f in made]
        share = None if eq.border is None else LEAST_NORM
        return in_terms_of_state(made, lambda things: in_own_terms(eq, things, solved=True, share=share))

    def _of_friction(self, f: Friction, state: FrictionState, total: Expr) -> list[ContactFunction]:
        table, out = self._table, list[ContactFunction]()
        given = {table.forces[n]: self._forces[n] for n in self._current.closed}
        N = state.sign * substitute(table.normal(f), given)
        if state.kind == SLIPS:
            v = f.speeds(table.base)
            size = state.sense * v[0] if f.is_plane else sum_of_products(v, table.ways(f))
            out.append(ContactFunction(f.name, "slip", as_expr(size)))
        elif state.kind == STICKS:
            limit, forces = f.law.sticking * N, [self._forces[row] for row in f.rows]
            most = (1 + abs(f.law.sticking)) * (total + abs(N))
            if f.is_plane:
                out += [ContactFunction(f.name, "limit", limit + sign * forces[0], most) for sign in (-1, 1)]
            else:
                left = limit**2 - forces[0] ** 2 - forces[1] ** 2
                out.append(ContactFunction(f.name, "limit", left, most**2))
        if f.name not in table.owner and set(table.base.lam).intersection(free_symbols(N)):
            out.append(ContactFunction(f.name, "sign", N, total + abs(N)))
        return out

    def tolerance(self, now: Instant) -> Array:
        gaps = dict(zip(self.names, FINE * self._gap_tolerance(self._numbers(now), now), strict=True))
        return np.array([gaps[name] if what == "gap" else 0.0 for name, what in self._about])

    def begin(self, now: Instant, is_beyond: Sequence[bool]) -> EventResult | None:
        # What the event before decided holds, as long as it can. A simulation begins in the mode that is free: there
        # nothing is decided yet.
        self._is_entered = self._has_begun or bool(self._current.closed or self._current.states)
        self._has_begun = True
        try:
            return super().begin(now, is_beyond)
        finally:
            self._is_entered = False

    def handle(self, which: Sequence[int], now: Instant) -> EventResult:
        self._broken = {self._about[k][0] for k in which if self._about[k][1] == "limit"}
        if self._broken:  # contacts at their friction limit that were held only by the breaking ones now break, too
            self._broken |= {n for n, state in self._current.states.items() if state.kind == HELD}
        leaving = {self._about[k][0] for k in which if self._about[k][1] == "force"}
        if any(
            self._about[k][1] == "slip" for k in which
        ):  # where slip ends, its direction and what it pushes have no value
            leaving = set()
        return self._handled(leaving, now)

    def _numbers(self, now: Instant) -> ContactValues:
        return self._problems.contact_values(now)

    # ------------------------------------------------------------------------------------------------ impacts

    def _impact(self, x: ContactValues, now: Instant, touching: Flags, closing: Flags, out: EventResult) -> Instant:
        part = closing | (self._is_closed & touching)
        e = self._restitutions(x, now, closing)
        s = self._problems.state(now)
        posed, phases, last = impulses_by_law(self._impact_law, self._problems, s, part, e)
        if not last.is_converged:
            name = listed(n for n, is_closing in zip(self.names, closing, strict=True) if is_closing)
            out.ending, out.stops = failed_impact(name, last)
            return now
        bouncing = [n for n, is_closing, x_e in zip(self.names, closing, e, strict=True) if is_closing and x_e > 0]
        is_alone = out.state is None and int(np.sum(closing & ~self._is_closed)) == 1
        if self._is_again(closing):
            out.after = out.after if out.state is not None else {}
        else:
            out.after = self._map(posed, phases, bouncing) if self._varies and is_alone else None
        return self._after_impact(s, posed, total_of(phases), closing, out)

    def _map(
        self, posed: PosedProblem, phases: Sequence[ImpulsePhase], bouncing: Sequence[str]
    ) -> Mapping[Symbol, Expr] | None:
        """Speeds after the impact of one contact that closes, with those that are closed, as expressions."""
        contacts, frictions = (
            [self.names[k] for k in posed.contacts],
            [self._table.frictions[j] for j in posed.frictions],
        )
        cases = impact_cases(phases, contacts, frictions, bouncing if self._impact_law == NEWTON else ())
        if cases is None:
            return None
        table = self._table
        found: dict[Symbol, Expr] = table.cached("impact map", cases, lambda: ImpactMap(table).through(cases))
        return found

    def _after_impact(
        self, s: ContactState, posed: PosedProblem, total: Array, closing: Flags, out: EventResult
    ) -> Instant:
        now, metric, n = s.now, s.metric, len(posed.contacts)
        u = slice(self._n_q, self._n_q + self._n_u)
        change = metric.speeds(posed.problem.V @ total)
        state = now.state.copy()
        state[u] += change
        before, after = (metric.energy(y[u]) for y in (now.state, state))
        if after - before > GAIN * metric.energy(change) + ROUNDING * before and not self._is_driven:
            out.ending = Ending.ENERGY_GAINED
            out.stops = (
                f"impact of {listed(n for n, c in zip(self.names, closing, strict=True) if c)}: kinetic energy would grow from {before:z.6g} to "
                f"{after:z.6g}; use impacts='poisson'"
            )
            return now
        pushed = np.zeros(len(self.names))
        pushed[posed.contacts] = total[:n]
        found = Impact(state[u], pushed, metric.reactions(change, posed.G, total))
        rows = [row for j in posed.frictions for row in self._table.frictions[j].rows]
        given = dict(zip(rows, map(float, total[n:]), strict=True))
        impulses = {**named_impulses(self._impulses, self.names, found), **given}
        for k in np.flatnonzero(closing).tolist():
            out.occurrences.append(Occurrence(self.names[k], now.t, now.state, state, impulses))
        out.state = state
        return Instant(now.t, state, now.p, now.r)

    # ------------------------------------------------------------------------------------------------ transitions

    def _at_rest(
        self, x: ContactValues, now: Instant, touching: Flags, leaving: set[str], out: EventResult
    ) -> EventResult:
        if self.closed is None:
            return out
        still = touching & ((np.abs(x.speed) <= 2 * self._speed_noise(x, now) + 1e-15) | self._is_slow(x, now))
        still &= np.array([name not in leaving for name in self.names], dtype=bool)
        s = self._problems.state(now)
        b = self._parting(x, s.metric)
        b_slip = s.frictions.G @ x.accelerations + s.frictions.bias
        posed = self._problems.posed(s, still, b, b_slip, broken=frozenset(self._broken))
        found = self._as_decided(posed)
        if not found:
            found = solutions(posed.problem)
            if found and not is_enumerable(posed.problem) and (feedback := friction_feedback(posed.problem)) >= 1.0:
                self.uncertain.append((now.t, feedback))
        if not found:
            return self._without_acceleration(s, still, is_exhaustive(posed.problem), out)
        if len(found) > 1:
            several = listed(self._table.name(self._mode_of(one, posed)) for one in found)
            told = f"{len(found)} accelerations satisfy Coulomb's law (Painlevé): {several}; the first is used"
            out.occurrences.append(Occurrence(told, now.t, now.state, now.state))
        return self._goes_on(s, posed, found[0], out)

    def _as_decided(self, posed: PosedProblem) -> list[ContactSolution]:
        """The solution that the mode itself is, where it has just begun and is one."""
        mode, names = self._current, [self.names[k] for k in posed.contacts]
        if not self._is_entered or not mode.closed <= set(names):
            return []
        closed = frozenset(i for i, n in enumerate(names) if n in mode.closed)
        states: list[ConeState | None] = []
        for j, cone in zip(posed.frictions, posed.problem.cones, strict=True):
            s = mode.states.get(self._table.frictions[j].name)
            if s is None and (cone.owner is None or cone.owner in closed):
                return []
            along = cone.direction if s is None or not s.sense else np.array([float(s.sense)])
            states.append(None if s is None else ConeState(STICKS if s.kind == STICKS else SLIPS, along, float(s.sign)))
        found = Assignments(posed.problem).solution(closed, tuple(states))
        return [] if found is None else [found]

    def _mode_of(self, found: ContactSolution, posed: PosedProblem) -> ContactMode:
        closed = frozenset(self.names[posed.contacts[i]] for i in found.closed)
        states = {}
        for at, (j, cone) in enumerate(zip(posed.frictions, found.cones, strict=True)):
            if cone is None:
                continue
            f, kind = self._table.frictions[j], cone.kind
            sense = 0 if cone.direction is None or not f.is_plane else int(np.sign(cone.direction[0]))
            is_new = kind == SLIPS and posed.problem.cones[at].direction is None
            kind = HELD if is_new and Assignments(posed.problem).is_held(at, found) else kind
            states[f.name] = FrictionState(kind, sense, int(cone.sign))
        return ContactMode(closed, states)

    def _goes_on(self, s: ContactState, posed: PosedProblem, found: ContactSolution, out: EventResult) -> EventResult:
        mode, before = self._mode_of(found, posed), self._current
        now = self._with_slip(s, posed, found, mode, out)
        ways = self._ways(mode, now, posed, found)
        if mode == before and (self._is_entered or not ways):
            return out
        out.target = Transition(self._table.name(mode), now.state, ways)
        turned = [f for f in self._table.frictions if not f.is_plane and f.name in {*before.states, *mode.states}]
        if any(before.states.get(f.name) != mode.states.get(f.name) for f in turned):
            out.state, out.after = (
                now.state,
                None,
            )  # where slip in space begins and ends, its direction has no derivative
        told = [f"{n} rests" for n in self.names if n in mode.closed - before.closed]
        told += [f"{n} opens" for n in self.names if n in before.closed - mode.closed]
        changed = {n: state for n, state in mode.states.items() if before.states.get(n) != state}
        told += [f"{n} {state}" for n, state in changed.items() if state.kind != HELD or n in before.states]
        out.occurrences += [Occurrence(name, now.t, now.state, now.state) for name in told]
        return out

    def _ways(self, mode: ContactMode, now: Instant, posed: PosedProblem, found: ContactSolution) -> dict[str, float]:
        """The directions of slip in space from now on: it ends, or has turned far, where it has no part along them. And
        those in which friction is held at its limit."""
        out: dict[str, float] = {}
        v = self._problems.friction_values(now)
        for j, cone in zip(posed.frictions, found.cones, strict=True):
            f = self._table.frictions[j]
            if f.is_plane or cone is None or mode.states[f.name].kind == STICKS:
                continue
            way = cone.direction if mode.states[f.name].kind == HELD else v.slip[self._problems.places[j]]
            assert way is not None
            out |= {x.name: float(d) for x, d in zip(self._table.ways(f), way / np.linalg.norm(way), strict=True)}
        return out

    def _with_slip(
        self, s: ContactState, posed: PosedProblem, found: ContactSolution, mode: ContactMode, out: EventResult
    ) -> Instant:
        """Speeds on the constraints of the new mode; what begins to slip in space gets a speed just above zero, so that
        it has a direction."""
        x, v, now = s.contacts, s.frictions, s.now
        closed = [k for i, k in enumerate(posed.contacts) if i in found.closed]
        rows, wanted = [x.G[k] for k in closed], [-x.speed[k] for k in closed]
        largest = float(np.abs(posed.problem.b).max(initial=0.0)) + 1e-300
        new: list[tuple[list[int], Array, float]] = []  # rows, relative accelerations and slips that count as none
        for j, cone, at in zip(posed.frictions, found.cones, posed.problem.cones, strict=True):
            f, places = self._table.frictions[j], self._problems.places[j]
            if cone is None or mode.states[f.name].kind == HELD:
                continue
            if cone.kind == STICKS:
                rows += [v.G[i] for i in places]
                wanted += list(-v.slip[places])
            elif not f.is_plane and np.linalg.norm(v.slip[places]) <= 2 * self._problems.rest(j, s):
                assert cone.direction is not None
                size = max(float(np.linalg.norm(found.motions[list(at.rows)])), 1e-3 * SLOW * largest)
                new.append((places, size * cone.direction, self._problems.rest(j, s)))
        fastest = max((float(np.linalg.norm(a)) for _, a, _ in new), default=0.0)
        kick = KICK if fastest > SLOW * largest else SLOW_KICK
        after = kick * min((rest / float(np.linalg.norm(a)) for _, a, rest in new), default=0.0)
        for places, a, _ in new:  # all at one time after it begins, so that they go together
            rows += [v.G[i] for i in places]
            wanted += list(after * a - v.slip[places])
        if not rows or not np.any(wanted):
            return now
        W = s.metric.ways(np.array(rows))
        state = now.state.copy()
        change = np.asarray(np.linalg.lstsq(W.T, np.array(wanted), rcond=1e-11)[0], dtype=np.float64)
        state[self._n_q : self._n_q + self._n_u] += s.metric.speeds(change)
        out.after = out.after if out.state is not None else {}
        out.state = state
        return Instant(now.t, state, now.p, now.r)

    def _without_acceleration(self, s: ContactState, still: Flags, is_certain: bool, out: EventResult) -> EventResult:
        """No acceleration satisfies Coulomb's law, or none was found among many contacts: an impact without collision, after which what slipped sticks (Génot
        and Brogliato 1999)."""
        posed = self._problems.posed(s, still, s.contacts.speed, s.frictions.slip, is_impact=True)
        problem, now = posed.problem, s.now
        held = tuple(ConeState(STICKS) for _ in problem.cones)
        found = Assignments(problem).solution(frozenset(problem.normals), held)
        alone = [self._table.frictions[j].name for j in posed.frictions]
        name = listed(self.names[k] for k in posed.contacts) if posed.contacts else f"{listed(alone)} jams"
        none = "no acceleration satisfies Coulomb's law (Painlevé)"
        if not is_certain:
            none = "no acceleration was found that satisfies Coulomb's law"
        if found is None or not np.any(found.forces):
            out.ending = Ending.SINGULAR
            out.stops = f"{name}: {none}, and no impulse that ends the slip does"
            return out
        told = f"{name}: {none}, impact without collision"
        out.occurrences.append(Occurrence(told, now.t, now.state, now.state))
        after = self._after_impact(s, posed, found.forces, np.zeros(len(self.names), dtype=bool), out)
        out.after = None
        if out.ending:
            return out
        x = self._numbers(after)
        return self._at_rest(x, after, self._touching(x, after)[0], set(), out)


def impulses_by_law(
    law: str, problems: ContactProblems, s: ContactState, part: Flags, e: Array
) -> tuple[PosedProblem, tuple[ImpulsePhase, ...], ContactForces]:
    """Phases of impulses, and what the solver of the last one returned: by Newton's law, v⁺ + e v⁻ >= 0 if they act;
    or by Poisson's: what compression gave, e times it comes back at least (Glocker and Pfeiffer 1995)."""
    v = s.contacts.speed
    b = v + (e * np.minimum(v, 0.0) if law == NEWTON else 0.0)
    posed = problems.posed(s, part, b, s.frictions.slip, is_impact=True)
    problem, n = posed.problem, len(posed.contacts)
    found = solve(problem)
    total = found.forces
    first = ImpulsePhase(problem, np.zeros(len(total)), total)
    if not found.is_converged or law == NEWTON or not np.any(e > 0):
        return posed, (first,), found
    back = np.zeros(len(total))
    back[:n] = e[posed.contacts] * total[:n]
    speeds = problem.A @ (total + back) + problem.b
    cones = tuple(  # friction acts under what comes back, also where nothing is added to it
        Cone(c.rows, None, c.kinetic, c.static, c.share, float(c.share @ back)) for c in problem.cones
    )
    expansion = ContactProblem(problem.V, speeds, problem.normals, cones)
    expanded = solve(expansion)
    return posed, (first, ImpulsePhase(expansion, back, expanded.forces, returns=True)), expanded


def failed_impact(name: str, found: ContactForces) -> tuple[Ending, str]:
    """Why contacts have no impact: where all assignments were tried there are no impulses, else none were found."""
    if found.solver == ENUMERATION:
        text = f"no impulse with friction opens contact {name}: constraints or other contacts keep it closed"
        return Ending.SINGULAR, text
    text = (
        f"no impulses were found with which contact {name} opens, by {found.solver} with a residual of {found.residual:z.2g}; "
        "less friction, restitution 0, or method='moreau' with step=... may help"
    )
    return Ending.NOT_CONVERGED, text


def total_of(phases: Sequence[ImpulsePhase]) -> Array:
    """Impulses of all phases."""
    return np.sum([phase.given + phase.found for phase in phases], axis=0)


def uncertain_note(handlers: Iterable[object]) -> dict[str, None]:
    """The note on transitions at which solutions were neither counted nor certainly one."""
    found = sorted(x for h in handlers if isinstance(h, FrictionHandler) for x in h.uncertain)
    if not found:
        return {}
    times = f"at {len(found)} transition{'s' * (len(found) > 1)}, first at t = {found[0][0]:z.6g},"
    worst = max(feedback for _, feedback in found)
    below = f"; below {1 / worst:z.2g} times the friction there is only one" if np.isfinite(worst) else ""
    text = f"{times} contacts were too many to count the solutions of Coulomb's law, and the one used may not be the only one{below}"
    return {text: None}
