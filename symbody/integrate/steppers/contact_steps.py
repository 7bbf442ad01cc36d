"""Steps of equations with contacts and frictions for a stepper: Moreau-Jean, in machine code (`contact_members.py`)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from ...algebra.graph.graph import Symbol, symbol
from ...algebra.graph.walk import free_symbols
from ...derivation.equations.equations import Equations
from ...emit.run.callable import Array, Compiled
from ...emit.run.loop_callee import program_callee
from ..complementarity.contact_arrays import indices
from ..contact.contact_modes import ModeTable
from ..forms.compile_effort import Effort
from ..time_stepping.moreau_programs import moreau_record, moreau_switching, sparse_entries
from ..time_stepping.moreau_records import StepVariations
from .contact_members import NOTES, ContactMembers, step_contact_members
from .contact_step_derivatives import NO_DERIVATIVES, STEP_LENGTH, DerivativePrograms, step_derivatives
from .step_schemes import CLOCK, StepRows


@dataclass(frozen=True, eq=False)
class ContactSteps:
    """Steps of length h, so many in one of the stepper; inputs that are linear have slopes beside them.

    smoothing, energy   ε and κ of each row, of steps on the central path
    """

    table: ModeTable
    h: float
    substeps: int
    is_linear: bool
    smoothing: float = 0.0
    energy: tuple[float, ...] = ()
    wrt: tuple[Symbol, ...] = ()

    @property
    def equations(self) -> Equations:
        return self.table.base

    @property
    def variables(self) -> tuple[Symbol, ...]:
        state = self.equations.state
        return (*state, *(symbol(f"d_{s.name}_by_{x.name}", "variable") for x in self.wrt for s in state))

    @cached_property
    def parameters(self) -> tuple[Symbol, ...]:
        eq = self.equations
        if not self.is_linear:
            return (CLOCK, *eq.variables.constants)
        given = [s for s in eq.r if not s.order]
        return (CLOCK, *eq.p, *(start_symbol(s.name) for s in given), *(slope_symbol(s.name) for s in given))

    @cached_property
    def n_notes(self) -> int:
        return NOTES + self.rows + len(self.owner_names)

    @cached_property
    def owner_names(self) -> tuple[str, ...]:
        """Of contacts, then of frictions."""
        return (*(c.name for c in self.table.contacts), *(f.name for f in self.table.frictions))

    @cached_property
    def rows(self) -> int:
        """Of contacts, then of frictions."""
        return len(self.table.contacts) + sum(len(f.slip) for f in self.table.frictions)

    @property
    def row_names(self) -> tuple[str, ...]:
        return (*(c.name for c in self.table.contacts), *(name for f in self.table.frictions for name in f.rows))

    @cached_property
    def has_clock(self) -> bool:
        """Whether anything depends on time."""
        eq, table = self.equations, self.table
        parts = [eq.rates, eq.M, eq.f, eq.phi, eq.Jc, eq.b, eq.c, eq.h]
        parts += [c.gap for c in table.contacts] + [c.restitution for c in table.contacts]
        parts += [
            x for f in table.frictions for x in (*f.slip, f.law.sticking, f.law.damping, f.normal) if x is not None
        ]
        return eq.t in free_symbols(*parts)

    def row(self, values: Mapping[str, float]) -> Array:
        return np.array([values.get(s.name, 0.0) for s in self.parameters])

    def varied(self, names: Sequence[str]) -> ContactSteps:
        known = {s.name: s for s in (*self.equations.state, *self.parameters, STEP_LENGTH)}
        return replace(self, wrt=tuple(known[n] for n in names))

    @property
    def derivatives(self) -> DerivativePrograms:
        return step_derivatives(self.table, self.seeds, self.smoothing, self.h)

    def worker(self, rows: StepRows) -> ContactWorker:
        return ContactWorker(self, rows)

    # ------------------------------------------------------------------------------------------------ inputs

    def place(self, s: Symbol) -> int:
        """Where the value of an input, or of a rate of one, stands among the parameters; -1: it is zero."""
        if not self.is_linear:
            return self.parameters.index(s)
        wanted = start_symbol(s.name) if not s.order else slope_symbol(s.stem) if s.order == 1 else None
        return self.parameters.index(wanted) if wanted in self.parameters else -1

    def slope_place(self, s: Symbol) -> int:
        return self.parameters.index(slope_symbol(s.name)) if self.is_linear and not s.order else -1

    @cached_property
    def seeds(self) -> tuple[Symbol, ...]:
        """Parameters and inputs of the equations, and times, that change with a column."""
        eq, moved = self.equations, {self.parameters.index(s) for s in self.wrt if s in self.parameters}
        inputs = (s for s in eq.r if {self.place(s), self.slope_place(s)} & moved)
        return (*(s for s in self.wrt if s in eq.p), *inputs, *self._times)

    @cached_property
    def _times(self) -> tuple[Symbol, ...]:
        """The length of a step and the time, where a column is with respect to that length."""
        if STEP_LENGTH not in self.wrt:
            return ()
        return (STEP_LENGTH, self.equations.t) if self.has_clock else (STEP_LENGTH,)

    def seed_place(self, s: Symbol) -> int:
        """Where it stands in θ, the state and the seeds; -1: it does not change."""
        return len(self.equations.state) + self.seeds.index(s) if s in self._times else -1

    def changes(self) -> tuple[Array, Array]:
        """Of the seeds with each column: constant ones, and those that grow with time."""
        constant, growing = np.zeros((2, len(self.seeds), len(self.wrt)))
        for j, x in enumerate(self.wrt):
            at = self.parameters.index(x) if x in self.parameters else None
            for i, s in enumerate(self.seeds[: len(self.seeds) - len(self._times)]):
                is_input = s in self.equations.r
                constant[i, j] = float(
                    at is not None and at == (self.place(s) if is_input else self.parameters.index(s))
                )
                growing[i, j] = float(at is not None and is_input and at == self.slope_place(s))
        return constant, growing


def start_symbol(name: str) -> Symbol:
    """The parameter for the value of an input at the beginning of a step, where inputs are linear."""
    return symbol(f"{name}_begin", "parameter")


def slope_symbol(name: str) -> Symbol:
    return symbol(f"{name}_slope", "parameter")


class ContactWorker:
    """Memory and machine code of one thread."""

    def __init__(self, scheme: ContactSteps, rows: StepRows) -> None:
        eq, columns = scheme.equations, len(scheme.wrt)
        p, r = np.zeros(len(eq.p) + 1), np.zeros(len(eq.r) + 1)
        steps = moreau_record(scheme.table, p, r, remembers=False, smoothing=scheme.smoothing, h=scheme.h)
        steps.energy[: len(scheme.energy)] = scheme.energy
        self.record = ContactMembers(
            width=len(scheme.variables), n_given=len(scheme.parameters), n_notes=scheme.n_notes, n_p=len(eq.p), n_r=len(eq.r),
            substeps=scheme.substeps, length=scheme.h, switching=moreau_switching(eq).record(p, r), starts=rows.y, given=rows.given, ends=rows.ends, noted=rows.notes, p=p, r=r,
            at=indices([scheme.place(s) for s in eq.r]), slope_at=indices([scheme.slope_place(s) for s in eq.r]), steps=steps,
            variations=_variations_record(scheme, columns, {"p": p, "r": r}),
        )  # fmt: skip
        self._effort = Effort()
        if columns and (point := scheme.derivatives.point) is not None:
            self._effort.with_code(point)
        self._members = self._effort.loop(step_contact_members, m=self.record)

    def run(self, first: int, stop: int) -> None:
        self.record.first, self.record.stop = first, stop
        self._effort.run(self._members)

    def prepared(self, first: int, stop: int) -> Callable[[], None]:
        self.record.first, self.record.stop = first, stop
        return self._effort.prepared(self._members)


def _variations_record(scheme: ContactSteps, columns: int, given: Mapping[str, Array]) -> StepVariations:
    eq, rows, cones = scheme.equations, scheme.rows, len(scheme.table.frictions)
    n, n_u = len(eq.state), len(eq.u)
    width = n + len(scheme.seeds)
    derivatives = scheme.derivatives if columns else NO_DERIVATIVES
    constant, growing = scheme.changes()
    sides = n_u + len(eq.lam)
    entries = {name: sparse_entries(places) for name, places in derivatives.places.items()}
    return StepVariations(
        columns=columns, seeds=len(scheme.seeds), width=width, sides=sides, y=np.zeros(n), S=np.zeros(n * columns + 1),
        J=np.zeros(n * width + 1), unit=indices(varied_alone(scheme, constant, growing)), is_first=1, constant=_padded_array(constant), growing=_padded_array(growing),
        length=scheme.seed_place(STEP_LENGTH), clock=scheme.seed_place(eq.t), by_step=scheme.wrt.index(STEP_LENGTH) if STEP_LENGTH in scheme.wrt else -1,
        rates=_program_callee(derivatives.rates, given), point=_program_callee(derivatives.point, given), **entries,
        E=np.zeros(n_u * sides + 1), impulses=np.zeros(rows + 1), part=np.zeros(rows + 1), static=np.zeros(cones + 1),
        active=indices([0] * (rows + 1)), after=np.zeros(n_u + 1), Z=np.zeros(rows * n_u + 1), W=np.zeros(rows * n_u + 1),
        limits_to=np.zeros(cones * n_u + 1), D=np.zeros(max(width, rows) * n_u + 1), border=np.zeros(len(scheme.owner_names) + 1), memory=np.zeros(max(rows * n_u, n) + 1),
    )  # fmt: skip


def varied_alone(scheme: ContactSteps, constant: Array, growing: Array) -> list[int]:
    """For each column the number in θ whose change it is, or -1 if it is not the change of one number alone."""
    state = scheme.equations.state
    out = []
    for j, x in enumerate(scheme.wrt):
        seeds = np.flatnonzero(constant[:, j]).tolist()
        if x in state:
            out.append(state.index(x))
        else:
            out.append(len(state) + seeds[0] if len(seeds) == 1 and not growing[:, j].any() else -1)
    return out


def _padded_array(x: Array) -> Array:
    return np.append(x.ravel(), 0.0)


def _program_callee(f: Compiled | None, given: Mapping[str, Array]) -> Any:
    return None if f is None else program_callee(f, given)
