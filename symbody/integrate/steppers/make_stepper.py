"""`stepper`: a `Stepper` for equations, by one of its schemes: explicit with events, implicit, or time stepping of contacts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from ...algebra.graph.graph import symbol
from ...algebra.graph.walk import free_symbols, substitute_all
from ...derivation.equations.equation_arguments import of_equations_or
from ...derivation.equations.equations import Equations
from ...derivation.equations.keywords import values_by_name
from ...derivation.equations.own_terms import composed
from ...derivation.equations.sampling import refuse_samples
from ...errors import SimulationError, finite_number, listed, shown, unknown
from ...options import OptionSet
from ...simulation_options import SimulationOptions
from ..contact.contact_checks import check_contacts
from ..contact.contact_modes import ModeTable
from ..contact.impacts import Contact
from ..events.events import Event
from ..events.switching_times import step_switching_times
from ..inputs.inputs import with_inputs
from ..kernels.tableaux import TABLEAUX, Tableau, tableau_of
from ..members.ensemble import EnsembleTask
from ..members.event_table import event_table
from ..modes.modes import Contacts
from ..run import typed_calls
from ..run.form_and_method import AUTO, choice, form_of
from ..start.branch_rank import run_rank
from ..start.consistent_start import consistent_start, start_request
from ..start.state import Amount, Start, State
from ..time_stepping.moreau_programs import moreau_programs
from ..time_stepping.time_stepping import METHOD, check_law
from .contact_steps import ContactSteps, slope_symbol, start_symbol
from .ensemble_steps import EnsembleSteps
from .implicit_steps import IMPLICIT, ImplicitSteps
from .step_schemes import CLOCK
from .stepper import Stepper

INPUTS: Final = ("held", "linear")
FORM_OPTIONS: Final = (
    "form",
    "metric",
    "alpha",
    "beta",
    "independent",
    "project",
    "constraint_tolerance",
    "invariants",
)


@values_by_name(
    SimulationError, options=OptionSet(SimulationOptions, ("method", *FORM_OPTIONS)), checked_as=typed_calls.stepper
)
@of_equations_or(Contacts)
def stepper(
    equations: Equations | Contacts,
    dt: float,
    start: Start | None = None,
    *,
    values: Mapping[Any, float] | None = None,
    method: str | Tableau = AUTO,
    substeps: int = 1,
    inputs: str = "held",
    smoothing: float = 0.0,
    events: Sequence[Event | Contact] = (),
    options: SimulationOptions,
    **named: Amount,
) -> Stepper:
    """A compiled stepper with time step dt: `env = stepper(eq, 0.01)`, `state = env.step(state, r)`.

    equations  or `Contacts`: any number of contacts and frictions, by time stepping
    start      the state `env.start`, as in `simulate`, also with constraints
    values     values that replace those of `start`, by name or symbol, or as keywords; also of parameters
    method     rk4 (the default), dp5, dp8 or an `integrate.Tableau`, with fixed steps; implicit-midpoint (order 2, symmetric, energy does
               not drift) and sdirk3 (order 3, L-stable) for stiff equations; moreau for contacts
    substeps   steps of the method in a step dt
    inputs     "held" over a step, or "linear" between those at its beginning and its end
    smoothing  for contacts: a length ε over which they close. Every contact then pushes, even at a distance, with an impulse x that satisfies
               x (v + ε/h exp(gap/ε)) = κ, κ = (ε/h)² / A with the inverse inertia A at the start, and friction stays inside its
               cone, so that gradients pass the making and breaking of contacts; for ε → 0 they tend to those of exact steps
    events     `Event`, whose resets are expressions, and one `Contact`; several contacts alone are those of `Contacts`
    options    any option by name, or `SimulationOptions`

    >>> x, v, F = sb.symbols("x v F")
    >>> eq = sb.from_equations({x: v, v: F - x}, inputs=[F])
    >>> env = sb.stepper(eq, 0.1, x=1.0)
    >>> env.step(env.start, [0.5])
    array([ 0.997502, -0.049917])

    See also: `simulate`, `integrate.Stepper`, `simulate_batch`.
    """
    where = f"stepper of {equations.name!r}"
    if not finite_number(dt, "dt", SimulationError) > 0:
        raise SimulationError(f"{where}: dt = {shown(dt)}: a step has a positive length")
    if inputs not in INPUTS:
        raise unknown(where, "way of inputs", inputs, INPUTS, SimulationError)
    if not isinstance(substeps, int) or substeps < 1:
        raise SimulationError(f"{where}: substeps = {shown(substeps)}: a whole number of at least 1")
    if not finite_number(smoothing, "smoothing", SimulationError) >= 0:
        raise SimulationError(f"{where}: smoothing = {shown(smoothing)}: a length over which contacts close, or 0")
    lengths = StepLengths(float(dt), substeps, inputs == "linear", float(smoothing))
    base = equations.base if isinstance(equations, Contacts) else equations
    return _stepper_from(equations, method, options, tuple(events), lengths, _state_at_start(base, start, values or {}))


def _stepper_from(
    equations: Equations | Contacts,
    method: str | Tableau,
    options: SimulationOptions,
    events: tuple[Event | Contact, ...],
    lengths: StepLengths,
    first: State,
) -> Stepper:
    """The stepper of a consistent start; pickles are read by it."""
    made = _contacting_or_smooth(equations, method, options, events, lengths, first)
    made.recipe = (_stepper_from, (equations, method, options, events, lengths, first))
    return made


def _contacting_or_smooth(
    equations: Equations | Contacts,
    method: str | Tableau,
    options: SimulationOptions,
    events: tuple[Event | Contact, ...],
    lengths: StepLengths,
    first: State,
) -> Stepper:
    where = f"stepper of {equations.name!r}"
    if isinstance(equations, Contacts) or _has_several_contacts(events, where):
        contacts = equations if isinstance(equations, Contacts) else Contacts(equations, *events)  # type: ignore[arg-type]
        if (isinstance(equations, Contacts) and events) or options.given:
            raise SimulationError(
                f"{where}: contacts take no events= and no {listed((f'{k}=' for k in options.given), 7) or 'form='}; constraints hold at the level of speeds"
            )
        return _contact_stepper(contacts, method, lengths, first)
    if lengths.smoothing:
        raise SimulationError(f"{where}: smoothing= is for steps with contacts, `stepper(Contacts(eq, ...), dt)`")
    return _smooth_stepper(equations, method, options, events, lengths, first)


@dataclass(frozen=True)
class StepLengths:
    """Of a stepper: dt, its parts, whether inputs are linear over it, and the length over which contacts close."""

    dt: float
    substeps: int
    is_linear: bool
    smoothing: float = 0.0

    @property
    def h(self) -> float:
        return self.dt / self.substeps


def _has_several_contacts(events: Sequence[Event | Contact], where: str) -> bool:
    contacts = [e for e in events if isinstance(e, Contact)]
    if len(contacts) > 1 and len(contacts) < len(events):
        others = listed(e.name for e in events if e not in contacts)
        raise SimulationError(f"{where}: several contacts, and the events {others} beside them; take either")
    return len(contacts) > 1


def _contact_stepper(contacts: Contacts, method: str | Tableau, lengths: StepLengths, first: State) -> Stepper:
    where = f"stepper of {contacts.name!r}"
    if method not in (AUTO, METHOD):
        raise unknown(f"{where}, which has contacts", "method", method, (METHOD,), SimulationError)
    check_law(contacts.impacts, where)
    check_contacts(contacts.table.contacts, contacts.table.frictions, first)
    energy = _central_energies(contacts.table, lengths, first) if lengths.smoothing else ()
    scheme = ContactSteps(contacts.table, lengths.h, lengths.substeps, lengths.is_linear, lengths.smoothing, energy)
    return Stepper(scheme, first, lengths.is_linear, scheme.has_clock, lengths.dt)


def _central_energies(table: ModeTable, lengths: StepLengths, first: State) -> tuple[float, ...]:
    """κ = (ε/h)² / A_ii of each row, with A = G M⁻¹ Gᵀ at the start; a friction has one."""
    for f in table.frictions:
        if f.law.sticking is not f.law.coefficient(symbol("slip_speed", "variable")):
            raise SimulationError(
                f"friction {f.name!r}: smoothing= takes friction with one coefficient; `Coulomb(mu)` without static= has that"
            )
    programs, n = moreau_programs(table), len(table.base.u)
    groups = {
        "t": first.t,
        "x": np.concatenate([first.q, first.u, first.z]),
        "r": np.zeros(len(table.base.r)),
        "p": first.p,
    }
    found = programs.point(*(groups[g.name] for g in programs.point.program.inputs))
    outputs = dict(zip((o.name for o in programs.point.program.outputs), found, strict=True))
    G, X = (np.reshape(outputs[k], -1)[: programs.rows * n].reshape(-1, n) for k in ("G", "X"))
    return tuple(float((lengths.smoothing / lengths.h) ** 2 / a) if a > 0 else 1.0 for a in (G * X).sum(axis=1))


def _smooth_stepper(
    equations: Equations,
    method: str | Tableau,
    options: SimulationOptions,
    events: Sequence[Event | Contact],
    lengths: StepLengths,
    first: State,
) -> Stepper:
    where = f"stepper of {equations.name!r}"
    method = "rk4" if method == AUTO else method
    tableau = tableau_of(method)
    if tableau is None and method not in IMPLICIT:
        raise unknown(where, "method", method, (*TABLEAUX, *IMPLICIT), SimulationError)
    eq, has_clock = _with_clock(_with_lines(equations) if lengths.is_linear else equations)
    o = choice(eq, replace(options, method=tableau or "rk4", step=lengths.h))
    made = form_of(eq, o, run_rank(first))
    if not made.kind.has_rates or made.kind.is_algebraic:
        raise SimulationError(f"{where}: form={o.form!r} is not for steps of one length; take 'projection'")
    if tableau is None:
        refuse_samples(eq, f"stepper with method={method!r}", SimulationError)
        if events:
            raise SimulationError(f"{where}: method={method!r} takes no events; take one of {listed(TABLEAUX)}")
        steps = ImplicitSteps(made, IMPLICIT[str(method)], lengths.h, lengths.substeps)
        return Stepper(steps, first, lengths.is_linear, has_clock, lengths.dt)
    table = event_table(made, tuple(events), "machine code") if events else None
    task = EnsembleTask(
        made, tableau, 0.0, np.array([lengths.dt]), o.rtol, np.full(made.n, o.rtol), lengths.h, events=table, records=False, fits_borders=True,
        switching=step_switching_times(made, bool(events)),
    )  # fmt: skip
    return Stepper(EnsembleSteps(task), first, lengths.is_linear, has_clock, lengths.dt)


def _state_at_start(eq: Equations, start: Start | None, values: Mapping[str, float]) -> State:
    return consistent_start(eq, start_request(eq, start, values)).state


def _with_lines(eq: Equations) -> Equations:
    """Inputs that are straight lines over a step, whose values at its beginning and slopes are parameters."""
    laws = {s: start_symbol(s.name) + slope_symbol(s.name) * eq.t for s in eq.r if not s.order}
    return with_inputs(eq, laws)[0]


def _with_clock(eq: Equations) -> tuple[Equations, bool]:
    """Equations whose time counts from the beginning of a step, with the time there as a parameter; as they are where
    they do not depend on time."""
    names = list(eq.outputs)
    parts = [eq.rates, eq.M, eq.f, eq.phi, eq.Jc, eq.b, eq.c, eq.h, *(eq.outputs[n] for n in names)]
    if eq.t not in free_symbols(*parts, *(eq.sampling.after.values() if eq.sampling else ())):
        return eq, False
    table = {eq.t: eq.t + CLOCK}
    rates, M, f, phi, Jc, b, c, h, *outputs = substitute_all(parts, table)
    return replace(
        eq, rates=rates, M=M, f=f, phi=phi, Jc=Jc, b=b, c=c, h=h, outputs=dict(zip(names, outputs, strict=True)), p=(*eq.p, CLOCK),
        dependent=composed(eq, table), sampling=None if eq.sampling is None else eq.sampling.substituted(table),
    ), True  # fmt: skip
