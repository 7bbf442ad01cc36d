"""Event handler of contacts: impacts at closing gaps, and the set of closed contacts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ...algebra.graph.graph import ZERO, Expr, Symbol
from ...derivation.equations.equations import Equations
from ...emit.run.callable import Array
from ...errors import SimulationError, listed
from ..complementarity.contact_problem import ContactProblem
from ..complementarity.contact_solvers import solve
from ..events.event_handlers import EventResult, Instant, Transition
from ..events.events import in_state
from ..forms.forms import Form
from ..forms.impulses import Metric
from ..result.outcome import Ending
from ..result.segment import Occurrence
from ..start.state import State
from .contact_checks import check_contacts
from .impacts import (
    FINE,
    MAX_IMPACTS,
    Contact,
    ContactValues,
    Impulses,
    impact,
    impact_map,
    impulses_of,
    named_impulses,
)

Flags = NDArray[np.bool_]
ROUNDING: Final = 1e-12  # gap accelerations below this fraction of Σ|terms| count as zero


@dataclass(frozen=True)
class ContactFunction:
    """An event function of a contact or friction.

    what   "gap", "force", "slip", "limit" or "sign"
    size   of its terms, of which a share is rounding; None if its derivatives determine it
    """

    name: str
    what: str
    function: Expr
    size: Expr | None = None


class ContactHandler:
    """Impacts where gaps close; in `Contacts` also which contacts stay closed."""

    is_one_sided = True

    def __init__(
        self,
        eq: Equations,
        form: Form,
        contacts: Sequence[Contact],
        closed: frozenset[str] | None,
        rtol: float,
        atol: Array,
        mode: Callable[[frozenset[str]], str] = str,
        forces: Mapping[str, Expr] | None = None,
    ) -> None:
        """eq: equations with all contacts open; closed: names of those that are constraints of the form, None where
        contacts never rest; forces: in these."""
        for c in contacts:
            c.check(eq)
        self._eq, self.contacts, self.closed = eq, tuple(contacts), closed
        self._impulses: Impulses = impulses_of(eq, contacts)
        self._n_q, self._n_u = len(eq.q), len(eq.u)
        self._rtol, self._atol, self._mode, self._forces = rtol, atol, mode, forces or {}
        self._varies = form.variations is not None  # then impacts give their maps too
        self.names = [c.name for c in contacts]
        self._hit: set[str] = set()  # contacts that are closed or had an impact, at one event
        functions = self._functions(form)
        self.watched: tuple[tuple[Expr, int], ...] = tuple((f.function, -1) for f in functions)
        self.sizes: tuple[Expr | None, ...] = tuple(f.size for f in functions)

    def _functions(self, form: Form) -> list[ContactFunction]:
        """Event functions: gaps of open contacts and forces of closed ones."""
        total = size_of_forces(self._forces)
        made = [
            ContactFunction(c.name, "force", self._forces[c.name], total)
            if c.name in (self.closed or ())
            else ContactFunction(c.name, "gap", c.gap)
            for c in self.contacts
        ]
        where = f"contacts of {self._eq.name!r}"
        return in_terms_of_state(made, lambda things: in_state(form.equations, where, things, form.y))

    def begin(self, now: Instant, is_beyond: Sequence[bool]) -> EventResult | None:
        x = self._numbers(now)
        if not self.contacts:
            return self.handle((), now)
        if self.closed is None:
            check_contacts(self.contacts, (), self._state(now))
        deep = x.gap < -10 * np.maximum(self._gap_tolerance(x, now), 1e-12)
        if deep.any():
            k = int(np.argmin(x.gap))
            raise SimulationError(
                f"contact {self.names[k]!r} of {self._eq.name!r}: the bodies are inside each other at t = "
                f"{now.t:g}, gap = {x.gap[k]:z.3g}; contacts.separated(start) is the start with bodies pushed apart"
            )
        return self.handle((), now)

    def _state(self, now: Instant) -> State:
        q, u, z = np.split(now.state, [self._n_q, self._n_q + self._n_u])
        return State(self._eq, now.t, q, u, z, now.r, now.p)

    def handle(self, which: Sequence[int], now: Instant) -> EventResult:
        return self._handled({self.names[k] for k in which} & (self.closed or set()), now)

    def _handled(self, leaving: set[str], now: Instant) -> EventResult:
        out = EventResult()
        self._hit = set(self.closed or ())
        for _ in range(MAX_IMPACTS):
            x = self._numbers(now)
            touching, closing = self._touching(x, now)
            if not closing.any():
                return self._at_rest(x, now, touching, leaving, out)
            now = self._impact(x, now, touching, closing, out)
            if out.ending:
                return out
        out.ending, out.stops = Ending.CHATTERING, f"{MAX_IMPACTS} impacts of {listed(self.names)} at one time"
        return out

    def _numbers(self, now: Instant) -> ContactValues:
        return self._impulses.numbers(now.t, now.state, now.p, now.r)

    def tolerance(self, now: Instant) -> Array:
        x = self._numbers(now)
        return np.where(self._is_closed, 0.0, FINE * self._gap_tolerance(x, now))

    @property
    def _is_closed(self) -> Flags:
        return np.array([name in (self.closed or ()) for name in self.names])

    # ------------------------------------------------------------------------------------------------ impacts

    def _touching(self, x: ContactValues, now: Instant) -> tuple[Flags, Flags]:
        touching = x.gap <= FINE * self._gap_tolerance(x, now) + 1e-15
        noise = self._speed_noise(x, now) / np.where(self._is_closed, FINE, 1.0)  # constraints are kept to tolerances
        return touching, touching & (x.speed < -noise)

    def _gap_tolerance(self, x: ContactValues, now: Instant) -> Array:
        n = self._n_q
        return np.abs(x.slope) @ (self._atol[:n] + self._rtol * np.abs(now.state[:n]))

    def _speed_noise(self, x: ContactValues, now: Instant) -> Array:
        at = slice(self._n_q, self._n_q + self._n_u)
        return FINE * (np.abs(x.G) @ (self._atol[at] + self._rtol * np.abs(now.state[at])))

    def _restitutions(self, x: ContactValues, now: Instant, closing: Flags) -> Array:
        """Of each contact in an impact: zero where it does not close, or so slowly that it stays closed."""
        e = np.where(self._is_slow(x, now, x.restitution) & (self.closed is not None) | ~closing, 0.0, x.restitution)
        if np.any(wrong := (e < 0) | (e > 1) | ~np.isfinite(e)):
            k = int(np.argmax(wrong))
            raise SimulationError(
                f"contact {self.names[k]!r}: restitution is between 0 and 1, is {e[k]:g} at t = {now.t:g}"
            )
        return e

    def _impact(self, x: ContactValues, now: Instant, touching: Flags, closing: Flags, out: EventResult) -> Instant:
        metric = self._impulses.metric(now.t, now.state, now.p, now.r)
        part = closing | (self._is_closed & touching)
        e = self._restitutions(x, now, closing)
        u = slice(self._n_q, self._n_q + self._n_u)
        found = impact(metric, x, now.state[u], part, e)
        if found is None:
            blocked = listed(n for n, is_closing in zip(self.names, closing, strict=True) if is_closing)
            out.ending = Ending.SINGULAR
            out.stops = f"no impulse opens contact {blocked}: constraints or other contacts keep it closed"
            return now
        state = now.state.copy()
        state[u] = found.u
        impulses = named_impulses(self._impulses, self.names, found)
        for k in np.flatnonzero(closing).tolist():
            out.occurrences.append(Occurrence(self.names[k], now.t, now.state, state, impulses))
        if self._is_again(closing):
            out.after = out.after if out.state is not None else {}
        else:
            out.after = self._after(part, e, found.impulses, out) if self._varies else None
        out.state = state
        return Instant(now.t, state, now.p, now.r)

    def _is_again(self, closing: Flags) -> bool:
        """Whether these contacts are closed, or have just had an impact, so that only rounding is left of their speeds."""
        names = {n for n, is_closing in zip(self.names, closing, strict=True) if is_closing}
        known, self._hit = self._hit, self._hit | names
        return names <= known

    def _after(self, part: Flags, e: Array, impulses: Array, out: EventResult) -> Mapping[Symbol, Expr] | None:
        """Speeds after the impact of one contact that closes, and of those that are closed, as expressions; None where
        more close at one time."""
        if out.state is not None or int(np.sum(part & ~self._is_closed)) != 1:
            return None
        pushing = [k for k in np.flatnonzero(part).tolist() if impulses[k] > 0]
        restitution = {self.names[k]: self.contacts[k].restitution if e[k] else ZERO for k in pushing}
        return impact_map(self._eq, *(self.contacts[k] for k in pushing), restitution=restitution)

    # ------------------------------------------------------------------------------------------------ rest

    def _is_slow(self, x: ContactValues, now: Instant, restitution: Array | float = 1.0) -> Flags:
        """Whether a flight at this speed would rise by less than the tolerance: v² / 2a."""
        pressing = np.maximum(-(x.G @ x.accelerations + x.bias), 0.0)
        return (restitution * x.speed) ** 2 <= 2 * pressing * self._gap_tolerance(x, now)

    def _at_rest(
        self, x: ContactValues, now: Instant, touching: Flags, leaving: set[str], out: EventResult
    ) -> EventResult:
        """The contacts that are closed from now on: they touch, do not separate (beyond tolerance), and transmit
        pressure.

        A lam + (G u' + bias) >= 0,   lam >= 0,   one of them zero for each
        """
        if self.closed is None:
            return out
        still = touching & ((np.abs(x.speed) <= 2 * self._speed_noise(x, now) + 1e-15) | self._is_slow(x, now))
        still &= np.array([name not in leaving for name in self.names])
        closed: set[str] = set()
        if still.any():
            metric = self._impulses.metric(now.t, now.state, now.p, now.r)
            W = metric.ways(x.G[still])
            found = solve(ContactProblem(W, self._parting(x, metric)[still], tuple(range(W.shape[1]))))
            if not found.is_converged:
                out.ending, out.stops = (
                    Ending.SINGULAR,
                    f"contacts {listed(self.names)} press against each other and no impulse separates them",
                )
                return out
            is_closed = still.copy()
            is_closed[still] = found.forces > 1e-10 * np.max(found.forces, initial=0.0)
            closed = {name for name, is_one in zip(self.names, is_closed, strict=True) if is_one}
            now = self._without_speed(metric, x, now, is_closed, out)
        if closed != self.closed:
            state = now.state
            out.target = Transition(self._mode(frozenset(closed)), state)
            out.occurrences += [
                Occurrence(f"{n} rests", now.t, state, state) for n in self.names if n in closed - self.closed
            ]
            out.occurrences += [
                Occurrence(f"{n} opens", now.t, state, state) for n in self.names if n in self.closed - closed
            ]
        return out

    def _parting(self, x: ContactValues, metric: Metric) -> Array:
        """Accelerations of gaps, G u' + bias, with all contacts open; zero if rounding has decided their sign. A
        contact whose force has come to zero opens with such a one, and would close again for nothing: elastic forces
        and the forces of other contacts are many times its own."""
        found = x.G @ x.accelerations + x.bias
        rounding = ROUNDING * (metric.sizes(x.G, x.accelerations) + np.abs(x.bias))
        return np.where(np.abs(found) <= rounding, 0.0, found)

    def _without_speed(
        self, metric: Metric, x: ContactValues, now: Instant, closed: Flags, out: EventResult
    ) -> Instant:
        """Speeds that keep the closed contacts closed; what they lose is below the tolerance."""
        if not np.any(closed) or np.all(x.speed[closed] == 0.0):
            return now
        W = metric.ways(x.G[closed])
        state = now.state.copy()
        lost = np.asarray(np.linalg.lstsq(W.T, -x.speed[closed], rcond=None)[0], dtype=np.float64)
        state[self._n_q : self._n_q + self._n_u] += metric.speeds(lost)
        out.after = out.after if out.state is not None else {}
        out.state = state
        return Instant(now.t, state, now.p, now.r)


def size_of_forces(forces: Mapping[str, Expr]) -> Expr:
    """Σ |λ|, of which a share is the rounding of every force: they come from one solve."""
    return sum((abs(e) for e in forces.values()), ZERO)


def in_terms_of_state(
    made: Sequence[ContactFunction], solved: Callable[[list[Expr]], list[Expr]]
) -> list[ContactFunction]:
    """Functions and sizes with the values of multipliers put in."""
    sizes = iter(solved([f.function for f in made] + [f.size for f in made if f.size is not None]))
    functions = [next(sizes) for _ in made]
    return [
        replace(f, function=e, size=None if f.size is None else next(sizes))
        for f, e in zip(made, functions, strict=True)
    ]


def check_names(eq: Equations, contacts: Sequence[Contact]) -> None:
    names = [c.name for c in contacts]
    if twice := [n for n in dict.fromkeys(names) if names.count(n) > 1]:
        raise SimulationError(
            f"simulate {eq.name!r}: several contacts are called {listed(twice)}; give each its own name="
        )
