"""Modes of contacts with friction: which contacts are closed, which frictions stick or slip, and the equations of that.

The name of a mode lists its closed contacts and the states of its frictions: "left + floor sticks", "belt slips
backwards"; "free" if there are none.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from ...algebra.calculus.derivatives import jacobian, time_derivative
from ...algebra.graph.cache_owner import CacheOwner
from ...algebra.graph.graph import ZERO, Expr, Symbol, symbol
from ...algebra.graph.matrix import sum_of_products
from ...algebra.graph.walk import substitute_all
from ...derivation.equations.equations import Equations
from ...derivation.forms.constrained import constrained_speeds, force_of_row, with_constraints, with_load
from ...errors import SimulationError, unknown
from ..complementarity.contact_problem import SLIPS, STICKS
from .frictions import Friction
from .impacts import Contact
from .shared_forces import resultant, shared_forces, spanning_rows

FREE: Final = "free"
HELD: Final = "held"  # at the limit of friction, kept from slipping by others
_SENSES: Final = {1: " forwards", -1: " backwards"}
_STATE: Final = re.compile(rf"(.+) ({STICKS}|{SLIPS}|{HELD})( forwards| backwards)?( reversed)?")


@dataclass(frozen=True)
class FrictionState:
    """How a friction is in a mode; sense: of slip along the one direction of a plane (0 in space); sign: of the normal
    force."""

    kind: str
    sense: int = 0
    sign: int = 1

    def __str__(self) -> str:
        return f"{self.kind}{_SENSES.get(self.sense, '')}{' reversed' * (self.sign < 0)}"


@dataclass(frozen=True)
class ContactMode:
    """Closed contacts, and the states of the frictions that act."""

    closed: frozenset[str]
    states: Mapping[str, FrictionState]


@dataclass(frozen=True)
class ModeEquations:
    """Equations of a mode, and the forces in the rows that it holds (closed contacts, and frictions that stick), by the
    names of these."""

    equations: Equations
    forces: Mapping[str, Expr]


class ModeTable(CacheOwner):
    """Contacts and frictions of equations, names of modes, and their equations."""

    def __init__(self, base: Equations, contacts: Sequence[Contact], frictions: Sequence[Friction]) -> None:
        self.base, self.contacts = base, tuple(contacts)
        self.alone = tuple(frictions)
        self.frictions = (*(f for c in contacts for f in c.frictions), *frictions)
        self.owner = {f.name: c.name for c in contacts for f in c.frictions}
        self._made: dict[str, ModeEquations] = {}
        self.forces = {c.name: force_of_row(c.name) for c in contacts}

    def name(self, mode: ContactMode) -> str:
        parts = []
        for c in self.contacts:
            if c.name in mode.closed:
                own = [f"{f.name} {mode.states[f.name]}" for f in c.frictions]
                parts += own if any(f.name == c.name for f in c.frictions) else [c.name, *own]
        parts += [f"{f.name} {mode.states[f.name]}" for f in self.alone if f.name in mode.states]
        return " + ".join(parts) or FREE

    def read(self, name: str) -> ContactMode:
        closed: set[str] = set()
        states: dict[str, FrictionState] = {}
        known = [*(c.name for c in self.contacts), *(f.name for f in self.frictions)]
        for part in [] if name == FREE else name.split(" + "):
            found = None if part in known else _STATE.fullmatch(part)
            what = part if found is None else found[1]
            if what not in known:
                raise unknown(f"contacts of {self.base.name!r}", "contact", what, dict.fromkeys(known), SimulationError)
            if found is None:
                closed.add(part)
                continue
            states[what] = FrictionState(
                found[2], {text: sense for sense, text in _SENSES.items()}.get(found[3], 0), -1 if found[4] else 1
            )
            if what in self.owner:
                closed.add(self.owner[what])
        return ContactMode(frozenset(closed), states)

    # ------------------------------------------------------------------------------------------------ equations

    def normal(self, f: Friction) -> Expr:
        """The force that presses the surfaces of a friction together."""
        if f.name in self.owner:
            return self.forces[self.owner[f.name]]
        return ZERO if f.normal is None else f.normal

    def equations(self, name: str) -> Equations:
        return self.made(name).equations

    def made(self, name: str) -> ModeEquations:
        """Equations of a mode, made when it is first asked for."""
        if name not in self._made:
            self._made[name] = self._of(self.read(name))
        return self._made[name]

    def _of(self, mode: ContactMode) -> ModeEquations:
        closed = {c.name: c.gap for c in self.contacts if c.name in mode.closed}
        sticking = [f for f in self.frictions if _kind(mode, f) == STICKS]
        held = {row: v for f in sticking for row, v in zip(f.rows, f.speeds(self.base), strict=True)}
        made, forces = self._holding(closed, held)
        shared = {force_of_row(row): e for row, e in forces.items()}
        for f in self.frictions:
            if _kind(mode, f) in (SLIPS, HELD):
                made = with_load(made, f"{f.name} friction", self._pushed(f, mode.states[f.name], shared))
        outputs = {s.name: ZERO for n, s in self.forces.items() if n not in mode.closed}
        outputs |= {s.name: e for s, e in shared.items() if e is not s}
        for f in self.frictions:
            if f not in sticking:
                outputs |= self._seen(f, mode, shared)
        ways = [s for f in self.frictions if _kind(mode, f) in (SLIPS, HELD) for s in self.ways(f)]
        return ModeEquations(replace(made, outputs={**made.outputs, **outputs}, p=(*made.p, *ways)), forces)

    def _holding(self, closed: Mapping[str, Expr], held: Mapping[str, Expr]) -> tuple[Equations, dict[str, Expr]]:
        """Equations with closed gaps and sticking speeds, and the forces in these rows: their multipliers, or what
        these share where they are redundant at every state."""
        base, names = self.base, [*closed, *held]
        rates = dict(zip(base.q, base.rates.entries, strict=True))
        speeds = [*(time_derivative(e, rates) for e in closed.values()), *held.values()]
        G = jacobian(speeds, base.u)
        spanning = spanning_rows(base, G, len(closed)) if len(names) > 1 and base.border is None else None
        if spanning is None:
            made = constrained_speeds(with_constraints(base, closed), held)
            return made, {name: force_of_row(name) for name in names}
        gaps = {resultant(names[i]): closed[names[i]] for i in spanning.gaps}
        rest = {resultant(names[i]): held[names[i]] for i in spanning.sticking}
        made = constrained_speeds(with_constraints(base, gaps), rest)
        shared = shared_forces(G, spanning, [force_of_row(name) for name in (*gaps, *rest)])
        return made, dict(zip(names, shared, strict=True))

    def ways(self, f: Friction) -> tuple[Symbol, ...]:
        """Parameters of the modes in which a friction slips in space, or is held at its limit: a direction in which it
        does, or would."""
        if f.is_plane:
            return ()
        plain = re.sub(r"\W+", "_", f.name, flags=re.ASCII).strip("_")
        return tuple(symbol(f"{plain}_way_{k + 1}", "parameter") for k in range(len(f.slip)))

    def along(self, f: Friction, state: FrictionState) -> list[Expr]:
        """Forces along the rows of a friction that slips, or is held at its limit."""
        if state.kind == HELD and not f.is_plane:
            return [-f.law.coefficient(ZERO) * state.sign * self.normal(f) * d for d in self.ways(f)]
        return f.forces(f.speeds(self.base), self.normal(f), state.sense, state.sign)

    def _pushed(self, f: Friction, state: FrictionState, shared: Mapping[Symbol, Expr]) -> dict[Symbol, Expr]:
        G, forces = jacobian(f.speeds(self.base), self.base.u), substitute_all(self.along(f, state), shared)
        pushed = {u: sum_of_products(G.column(j), forces) for j, u in enumerate(self.base.u)}
        return {u: e for u, e in pushed.items() if e is not ZERO}

    def _seen(self, f: Friction, mode: ContactMode, shared: Mapping[Symbol, Expr]) -> dict[str, Expr]:
        """Friction forces as outputs if they are not multipliers, under the names of these."""
        names = [force_of_row(row).name for row in f.rows]
        if f.name not in mode.states:
            return dict.fromkeys(names, ZERO)
        return dict(zip(names, substitute_all(self.along(f, mode.states[f.name]), shared), strict=True))


def _kind(mode: ContactMode, f: Friction) -> str | None:
    return mode.states[f.name].kind if f.name in mode.states else None
