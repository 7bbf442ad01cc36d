"""`simulate`: equations, numbers and a time -> Trajectory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import isfinite
from typing import Any, Final

import numpy as np

from ...algebra.graph.cache_owner import CacheOwner
from ...derivation.equations.equations import Equations, of_equations
from ...derivation.equations.keywords import values_by_name
from ...derivation.equations.variables import ARGUMENTS
from ...emit.run.callable import Array
from ...errors import SimulationError, finite_number, listed, shown, unknown
from ..contact.impacts import Contact
from ..contact.jamming import jammed_start, told_where_it_jams
from ..events.breaks import breaks_between
from ..events.event_handlers import EventHandler
from ..events.events import Event
from ..forms.borders import RunRank, bordered, run_rank
from ..forms.form_kinds import DISCRETE, FORMS
from ..forms.forms import Form, conserved
from ..forms.null_space import space_form
from ..forms.sensitivities import variations_in, varied
from ..inputs.inputs import with_inputs
from ..kernels import tableaux
from ..result.outcome import Ending, Outcome
from ..result.record import Record
from ..result.segment import Segment
from ..result.trajectory import Trajectory
from ..start.state import OFF, Start, State, is_whole_state, start_values
from .adaptation import FIRST, IMPLICIT, Adaptation
from .diagnosis import diagnosed, unbounded
from .event_loop import ChatteringDetector, EventLoop, handlers_of
from .idle_machines import give_back, taken
from .implicit import any_form, follows, radau_machine
from .machine import Machine, Task, explicit_machine
from .passages import coarse_note, jump
from .run import Leg, Progress, drive
from .stiffness import is_stiff, stiffness_note
from .variational import discrete_form, variational_machine

TABLEAUX: Final = {"dp5": tableaux.DORMAND_PRINCE_5, "dp8": tableaux.DORMAND_PRINCE_8, "rk4": tableaux.CLASSICAL_4}
METHODS: Final = {name: t.name for name, t in TABLEAUX.items()} | {
    "radau": "Radau IIA, order 5, implicit",
    "variational": "midpoint rule for the action, symplectic",
}


@dataclass(frozen=True)
class SimulationOptions(CacheOwner):
    """Options of `simulate`."""

    method: str = "auto"
    form: str = "auto"
    rtol: float = 1e-8
    atol: Any = None
    step: float | None = None
    order: int | None = None
    first_step: float | None = None
    max_step: float = np.inf
    max_growth: float = 10.0
    metric: str = "mass"
    alpha: float = 10.0
    beta: float = 10.0
    independent: tuple[Any, ...] = ()
    project: bool = False
    invariants: tuple[Any, ...] = ()
    sensitivities: tuple[str, ...] = ()
    held: tuple[str, ...] | str = ()
    max_steps: int = 10**9
    max_memory: float = 2.0**30
    max_size: float = 1e8
    progress: bool | None = None
    adapts: bool = False  # whether the method may change on the way: it was "auto"

    def by(self, method: str, adapts: bool) -> SimulationOptions:
        """The same with the method that the start decides."""
        return self.cached("method", (method, adapts), lambda: replace(self, method=method, adapts=adapts))


@values_by_name(SimulationError)
@of_equations
def simulate(
    equations: Equations,
    t: Any,
    start: Start | None = None,
    *,
    values: Mapping[Any, float] | None = None,
    inputs: Mapping[Any, Any] | None = None,
    events: Sequence[Event | Contact] = (),
    method: str = "auto",
    form: str = "auto",
    rtol: float = 1e-8,
    atol: Any = None,
    step: float | None = None,
    order: int | None = None,
    first_step: float | None = None,
    max_step: float = np.inf,
    max_growth: float = 10.0,
    metric: str = "mass",
    alpha: float = 10.0,
    beta: float = 10.0,
    independent: Sequence[Any] = (),
    project: bool = False,
    invariants: Sequence[Any] = (),
    sensitivities: Sequence[Any] = (),
    held: Sequence[Any] | str = (),
    max_steps: int = 10**9,
    max_memory: float = 2.0**30,
    max_size: float = 1e8,
    progress: bool | None = None,
    options: Mapping[str, Any] | None = None,
    **named: float,
) -> Trajectory:
    """The motion from a start over a time: `simulate(eq, 10, q1=0.5, q1_dot=2, m1=3, rtol=1e-10)`.

    t            its end, or begin and end (two numbers in a tuple or list), and every step is kept; or the times at
                 which states are wanted: an array of any length, or more than two numbers. An end alone lies after the
                 time of the start, which a `State` or a `Trajectory` brings with it (0 without one)
    start        a `State` (`assemble` finds one on the constraints), a `SteadyMotion`, a `Trajectory` (its end), or
                 values by name or symbol
    values       on top of them, by name or symbol; also as keywords where the name is not that of an option: q1=0.5,
                 q1_dot=2, m1=3
    inputs       for each input a number; an expression, which is differentiated where the equations contain rates of
                 the input; samples (times, values), a cubic spline, (times, values, "linear"), or (times, values,
                 "held"): each value up to the next time, where a step ends; a Python function of t or of (t, q, u),
                 which returns the number, or a tuple of it and its rates
    events       zero crossings of expressions: `Event`, and impacts: `Contact`
    method       dp5, dp8: Dormand-Prince 5(4), 8(5,3) (RK45 and DOP853 of SciPy's `solve_ivp`); rk4 with a fixed step;
                 radau: implicit, for stiff systems and differential-algebraic equations; variational: a fixed step,
                 symplectic
    form         how constraints are treated; see `symbody.integrate.forms.forms`
    rtol, atol   tolerances of the local error; atol is one number, or one for each name, and rtol by default
    step         a fixed step: no error control
    order        of method "variational": 2, 4 or 6
    first_step   length of the first step that error control tries; by default it is chosen
    max_step     upper bound of the steps that error control chooses
    max_growth   upper bound of the ratio of a step to the one before
    max_steps    the simulation ends after so many, with an outcome that says so
    max_memory   bytes for results: beyond it the polynomials between steps are dropped, then all but every 2nd, 4th,
                 8th or 16th step, then the simulation ends; where times are given, only the states at these are kept
    max_size     the simulation ends where a variable has grown exponentially, or faster, to so many times its size at
                 the start (1 at least)
    metric       of projections: "mass", or "unit"
    alpha, beta  of Baumgarte's stabilisation
    independent  speeds, or coordinates whose rates they are, that form "partition" takes as independent where they are
                 good for it
    project      in forms partition, qr and svd: bring positions back to the constraints after every step as well
    invariants   "energy" (with the work of loads that have no potential), or expressions that stay as they are at the
                 start
    sensitivities  initial values and parameters, by name: derivatives of the motion with respect to them are integrated
                   too
    held         on constraints, coordinates and speeds at the start that stay while one of these changes and the others
                 follow: by default the independent ones as `linearize` chooses them; "nearest": none, the change is the
                 shortest in the metric of M
    progress     show a line with the time left; by default in a terminal, when it takes more than two seconds
    options      any of these by name: {"alpha": 5}, where the model has an alpha too

    >>> m = sb.Model("pendulum")
    >>> p = m.parameters(l=1.0, m=0.5, g=9.81)
    >>> bob = m.body("bob", mass=p.m, com=(0, -p.l, 0))
    >>> joint = m.revolute("theta", m.ground, bob)
    >>> m.gravity(0, -p.g, 0)
    >>> sim = sb.simulate(sb.derive(m), 2.0, theta=0.5, l=0.8)
    >>> bool(sim.outcome), sim.final["theta"]
    (True, 0.410221)
    >>> sim.at([0.5, 1.0])["theta"]
    array([-0.076484, -0.477068])

    See also: `Trajectory`, `Event`, `assemble`, `simulate_batch`, `plot`.
    """
    asked = SimulationOptions(
        method,
        form,
        rtol,
        atol,
        step,
        order,
        first_step,
        max_step,
        max_growth,
        metric,
        alpha,
        beta,
        tuple(independent),
        project,
        tuple(invariants),
        tuple(str(s) for s in sensitivities),
        held if isinstance(held, str) else tuple(str(s) for s in held),
        max_steps,
        max_memory,
        max_size,
        progress,
    )
    eq, constants = with_inputs(equations, inputs or {})
    state = _started(eq, start, {**constants, **(values or {})})
    _refuse_moving_constants(state)
    begin, end, times = span(eq, t, state.t)
    if begin != state.t:
        state = replace(state, t=begin)
    picked = prepared(eq, asked)
    check_steps(asked, begin, end)
    check_start(state)
    try:
        simulation = Simulation(eq, picked, state, end, times)
    except SimulationError:
        if (stuck := jammed_start(state)) is None:
            raise
        return stuck
    handlers = handlers_of(simulation.form, events, picked.rtol, simulation.atol, end > begin)
    return Trajectory.of(told_where_it_jams(simulation.run(handlers)))


# ---------------------------------------------------------------------------------------------------- options and start


def _started(eq: Equations, start: Start | None, values: Mapping[Any, float]) -> State:
    if isinstance(start, State) and start.equations is eq and not values:
        return start
    known = start_values(start, f"simulate {eq.name!r}")
    laws = {s.name for s in eq.dependent if s.kind == "input"}
    if twice := [name for key in values if (name := getattr(key, "name", key)) in laws]:
        raise SimulationError(
            f"simulate {eq.name!r}: {twice[0]} has a value, and a law in inputs=; leave out one of them"
        )
    if is_whole_state(start):  # inputs that became functions are not in the equations any more
        known = {k: v for k, v in known.items() if k in eq.variables.of(ARGUMENTS)}
    return State.of(eq, {**known, **values})


def _refuse_moving_constants(state: State) -> None:
    """Rates of inputs that are numbers, and so do not change while the mechanism moves."""
    eq = state.equations
    if moving := [(s, x) for s, x in zip(eq.r, state.r, strict=True) if s.order and x]:
        s, x = moving[0]
        raise SimulationError(
            f"simulate {eq.name!r}: {s.name} = {x:g} at the start, but {s.stem} is a constant; give it as a function of time, as in "
            f"inputs={{{s.stem!r}: {x:g} * eq.t}}"
        )


def span(eq: Equations, t: Any, now: float) -> tuple[float, float, Array | None]:
    """Begin (now, where it is not said), end, and the times at which states are wanted (None: at every step)."""
    times: Array | None = None
    try:
        given = np.asarray(t, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise SimulationError(
            f"simulate {eq.name!r}: t is the end, (begin, end), or an array of times, all finite; got {shown(t)}"
        ) from None
    if given.ndim == 0:
        begin, end = now, float(given)
        if now and end < now:
            raise SimulationError(
                f"simulate {eq.name!r}: the start is at t = {now:z.9g}, later than the end t = {shown(t)}; t=({now:z.9g}, {now + abs(end):z.9g}) goes on for "
                f"{abs(end):z.9g}, t=({now:z.9g}, {end:z.9g}) goes backwards, t=(0, {end:z.9g}) takes this state as that at t = 0"
            )
    elif isinstance(t, (tuple, list)) and len(t) == 2:
        begin, end = float(given[0]), float(given[1])
    elif given.ndim == 1 and len(given) >= 2:
        begin, end, times = float(given[0]), float(given[-1]), given
        if not (np.all(np.diff(given) > 0) or np.all(np.diff(given) < 0)):
            raise SimulationError(f"simulate {eq.name!r}: times must increase (or decrease) throughout")
    else:
        raise SimulationError(f"simulate {eq.name!r}: t is the end, (begin, end), or an array of times; got {shown(t)}")
    if not (isfinite(begin) and isfinite(end) and (times is None or np.all(np.isfinite(times)))):
        raise SimulationError(f"simulate {eq.name!r}: t must be finite, got {shown(t)}")
    if begin == end:
        raise SimulationError(f"simulate {eq.name!r}: t goes nowhere, from {begin:g} to {end:g}")
    return begin, end, times


def check_options(o: SimulationOptions) -> None:
    for name in ("rtol", "alpha", "beta", "step", "first_step", "max_step", "max_growth", "max_size", "max_memory"):
        value = getattr(o, name)
        if value is not None and not (name.startswith("max") and value == np.inf):
            finite_number(value, name, SimulationError)
    if not 0 < o.rtol < 1 or o.rtol < 1e-14:
        raise SimulationError(f"rtol = {shown(o.rtol)} is not between 1e-14 (rounding) and 1")
    if o.step is not None and not 0 < o.step < np.inf:
        raise SimulationError(f"step = {shown(o.step)}: a fixed step is a positive number")
    if o.first_step is not None and not (o.first_step > 0 and o.step is None):
        raise SimulationError(
            f"first_step = {shown(o.first_step)}: a positive number, for steps that error control chooses; "
            "step= is a fixed one"
        )
    if not o.max_step > 0:
        raise SimulationError(f"max_step = {shown(o.max_step)} must be positive")
    if not o.max_growth > 1:
        raise SimulationError(f"max_growth = {shown(o.max_growth)}: a step may grow by a factor larger than 1")
    if not o.max_size > 1:
        raise SimulationError(f"max_size = {shown(o.max_size)}: a variable may grow by a factor larger than 1")
    if not o.max_steps >= 1 or not o.max_memory > 0:
        raise SimulationError(f"max_steps = {shown(o.max_steps)}, max_memory = {shown(o.max_memory)} must be positive")
    for name in ("alpha", "beta"):
        if not 0 <= getattr(o, name) < np.inf:
            raise SimulationError(f"{name} = {shown(getattr(o, name))} must be finite and not negative")
    if o.metric not in ("mass", "unit"):
        raise SimulationError(f"metric is 'mass' or 'unit', got {shown(o.metric)}")


def check_steps(o: SimulationOptions, begin: float, end: float) -> None:
    """A step must change the time."""
    least = float(np.spacing(max(abs(begin), abs(end))))
    for name, step in (("step", o.step), ("first_step", o.first_step), ("max_step", o.max_step)):
        if step is not None and step < least:
            raise SimulationError(
                f"{name} = {shown(step)} is lost in rounding: times near {max(abs(begin), abs(end)):g} are "
                f"{least:z.3g} apart"
            )


def prepared(eq: Equations, o: SimulationOptions) -> SimulationOptions:
    """Options that were checked, with form and method chosen: what a motion needs that depends on the equations and the
    question alone, and not on numbers of the start. Kept with the equations, since many a motion takes less time than
    that."""

    def made() -> SimulationOptions:
        check_options(o)
        return choice(eq, o)

    try:
        hash(o)
    except TypeError:  # tolerances by name, or what is refused
        return made()
    return eq.cached("options", o, made)


def choice(eq: Equations, o: SimulationOptions) -> SimulationOptions:
    """The options with form and method chosen where they are "auto"."""
    form = o.form
    if form == "auto":
        form = "minimal" if not eq.lam else "projection" if eq.augmented.is_linear_in_multipliers else "ggl"
    if form not in FORMS:
        raise unknown(f"simulate {eq.name!r}", "form", form, FORMS, SimulationError)
    if eq.lam and form == "minimal":
        raise SimulationError(
            f"simulate {eq.name!r}: it has constraints ({listed(eq.lam)}); use `minimal(equations)`, or another form"
        )
    method = _method(eq, o, form)
    if method == "variational" and o.form == "auto":
        form = DISCRETE
    picked = replace(o, form=form, method=method)
    _check_method(eq, picked)
    return picked


def _method(eq: Equations, o: SimulationOptions, form: str) -> str:
    """The method, or "auto" where stiffness at the start decides."""
    if o.method != "auto":
        return o.method
    if FORMS[form].is_discrete:
        return "variational"
    return "auto" if follows(eq) and not FORMS[form].is_algebraic else "radau"


def _check_method(eq: Equations, o: SimulationOptions) -> None:
    where, kind = f"simulate {eq.name!r}", FORMS[o.form]
    if o.method not in (*METHODS, "auto"):
        raise unknown(where, "method", o.method, METHODS, SimulationError)
    if o.method in ("rk4", "variational") and o.step is None:
        raise SimulationError(f"method={o.method!r} has no error control: give it a fixed step=...")
    if o.order is not None and o.method != "variational":
        raise SimulationError(f"{where}: order= is for method='variational', not for {o.method!r}")
    if (o.method == "variational") != kind.is_discrete:
        raise SimulationError(
            f"{where}: method='variational' and form={DISCRETE!r} go together, got {o.method!r}, {o.form!r}"
        )
    if o.method in TABLEAUX and (kind.is_algebraic or not follows(eq)):
        raise SimulationError(
            f"{where}: there are algebraic equations (form {o.form!r}), which method={o.method!r} cannot "
            "solve; use 'radau'"
        )
    if o.method == "radau" and not kind.has_rates:
        raise SimulationError(
            f"{where}: method='radau' needs rates as expressions, which form={o.form!r} has not; use "
            "'projection', 'ggl', ..."
        )
    if o.sensitivities and (kind.is_algebraic or kind.is_discrete or not follows(eq)):
        raise SimulationError(f"{where}: sensitivities are for forms without algebraic equations; take 'projection'")


def check_start(state: State) -> None:
    v = state.violation
    if not v.is_small:
        row, size, level = (
            (v.position_row, v.position, "position") if v.position > OFF else (v.speed_row, v.speed, "speed")
        )
        raise SimulationError(
            f"simulate {state.equations.name!r}: the start misses constraint {row!r} by {size:z.3g} at the level of {level}; "
            f"start=assemble(equations, ...{', inputs=...' * bool(state.equations.dependent)}) finds a state on the constraints near it"
        )


# ------------------------------------------------------------------------------------------------------- the simulation


def form_of(eq: Equations, o: SimulationOptions, rank: RunRank | None = None) -> Form:
    """The form asked for; kept as long as the equations are, because making and compiling it takes longer than many a
    simulation.

    rank   of the constraints; without, all are independent
    """
    rank = rank or RunRank.full(eq)
    about = (o.form, o.order, o.metric, o.alpha, o.beta, o.independent)
    key: tuple[Any, ...] = (*about, o.project, o.invariants, o.sensitivities, o.held)
    if rank.rank < len(eq.lam):
        key = (*key, rank.key)
    return eq.cached("form", key, lambda: _made(eq, o, rank))


def _made(eq: Equations, o: SimulationOptions, rank: RunRank) -> Form:
    """Forms that take multipliers as unknowns have those of independent rows; others complete what redundant rows leave
    singular."""
    if FORMS[o.form].is_discrete or FORMS[o.form].is_algebraic:
        return _of_rows(eq, o, rank.independent, rank.rank)
    form = _of_rows(bordered(eq, rank), o, tuple(range(len(eq.lam))), rank.rank)
    return varied(form, o.sensitivities, o.held) if o.sensitivities else form


def _of_rows(eq: Equations, o: SimulationOptions, chosen: tuple[int, ...], rank: int) -> Form:
    invariants, kind = conserved(eq, o.invariants), FORMS[o.form]
    if kind.has_speeds:
        if o.sensitivities:
            raise SimulationError(f"simulate {eq.name!r}: sensitivities are not for form={o.form!r}; take 'projection'")
        return space_form(
            o.form, eq, rank, independent=o.independent, projects=o.project, metric=o.metric, kept=invariants
        )
    if o.independent or o.project:
        raise SimulationError(f"simulate {eq.name!r}: independent= and project= are not for form={o.form!r}")
    if kind.is_discrete:
        if o.invariants:
            raise SimulationError(f"simulate {eq.name!r}: invariants are not for form={o.form!r}, which keeps its own")
        return discrete_form(eq, chosen, o.order or 2)
    return any_form(o.form, eq, chosen, metric=o.metric, alpha=o.alpha, beta=o.beta, kept=invariants)


def machine_of(method: str, task: Task) -> Machine:
    if method == IMPLICIT:
        return radau_machine(task)
    return variational_machine(task) if method == "variational" else explicit_machine(TABLEAUX[method], task)


def explicit_method(o: SimulationOptions) -> str:
    """The explicit method for the tolerance."""
    return "dp8" if o.rtol < 1e-6 else "dp5"


def absolute_tolerances(eq: Equations, form: Form, o: SimulationOptions) -> Array:
    """Of each variable of a form."""
    out = np.full(form.n, o.rtol)
    if o.atol is None:
        return out
    if isinstance(o.atol, Mapping):
        table = eq.variables.of("q u z").having(form.y, "z")
        for s, value in table.numbers(o.atol, f"atol of {eq.name!r}", SimulationError, "variable").items():
            out[form.y.index(s)] = value
    else:
        out[:] = finite_number(o.atol, "atol", SimulationError)
    if not np.all(out > 0):
        raise SimulationError(f"atol = {shown(o.atol)}: tolerances must be positive")
    return out


def choices_in_words(o: SimulationOptions, is_changed: bool = False) -> dict[str, str]:
    """What was picked."""
    return {
        "form": f"form {o.form} ({FORMS[o.form].title})",
        "method": f"method {o.method} ({METHODS[o.method]}){', later changed' if is_changed else ''}",
        "tolerance": f"step {o.step:g}" if o.step else f"rtol {o.rtol:g}",
    }


def told(
    form: Form,
    o: SimulationOptions,
    ending: Ending,
    t: float,
    y: Array,
    p: Array,
    begin: float,
    steps: int,
    is_explicit: bool = True,
) -> Outcome:
    """The outcome of a motion that ended in a state, with what can be said of it."""
    outcome = diagnosed(form, ending, t, y, p, is_explicit)
    if ending in (Ending.TOO_MANY_STEPS, Ending.INTERRUPTED) and o.method in TABLEAUX and form.rates:
        mean = (outcome.t - begin) / max(steps, 1)
        outcome = replace(outcome, detail=stiffness_note(form, outcome.t, y, p, mean) or outcome.detail)
    return outcome


class Simulation:
    """One simulation in one mode, from a start that is checked; `events` is its event loop."""

    events: EventLoop | None = None

    def __init__(self, eq: Equations, o: SimulationOptions, state: State, end: float, times: Array | None) -> None:
        self.eq, self.options, self.state, self.end, self.times = eq, o, state, end, times
        self.rank = run_rank(state)
        self.form = form = form_of(eq, o, self.rank)
        s = state
        self.y, self.p = self.form.start(s.t, np.concatenate([s.q, s.u, s.z]), np.concatenate([s.p, s.r]))
        self.atol = absolute_tolerances(eq, form, o)
        if o.method == "auto":
            adapts = o.step is None and bool(form.rates) and form.kind.has_rates
            stiff = adapts and not o.sensitivities and is_stiff(form, s.t, self.y, self.p, end - s.t)
            self.options = o.by(IMPLICIT if stiff else self._explicit, adapts)

    @property
    def _explicit(self) -> str:
        return explicit_method(self.options)

    def run(
        self,
        handlers: Sequence[EventHandler] = (),
        chattering: ChatteringDetector | None = None,
        mode: str = "",
        used: float = 0.0,
    ) -> Segment:
        """used: memory for results that stretches in other modes have taken."""
        o, s, form = self.options, self.state, self.form
        events = (
            EventLoop(form, self.p, handlers, chattering or ChatteringDetector(self.end - s.t), self.end > s.t)
            if handlers
            else None
        )
        watch, sense = (events.callee(), events.sense) if events else (None, ())
        task = Task(
            form, self.p, self.y, s.t, self.end, o.rtol, self.atol, o.step, o.max_step, o.max_growth, self.times, watch, sense,
            o.max_size, *((FIRST, TABLEAUX[self._explicit].reach) if o.adapts else ()),
        )  # fmt: skip
        adaptation = Adaptation(self._explicit, machine_of) if o.adapts else None
        machine = taken(o.method, task, machine_of)
        if o.first_step is not None:
            machine.steps.h = np.copysign(o.first_step, self.end - s.t)
        record = Record(o.max_memory - used)
        progress = Progress(o.progress, s.t, self.eq.name)
        leg, self.events = Leg(machine, record, breaks_between(self.eq, s.t, self.end)), events
        try:
            ending = events.begin(leg) if events else None
            if events and events.target is not None:
                ending = Ending.STOPPED
            if ending is None:
                ending = drive(
                    leg, o.max_steps, (lambda k: events.occurred(leg, k)) if events else None, adaptation, progress
                )
            if events and ending is Ending.REACHED:
                ending = events.finish(leg) or ending
        finally:
            progress.done()
        form.raise_pending()
        if events:
            events.raise_pending()
        self.machine = leg.machine
        segment = self._segment(leg.machine, record, ending, mode, adaptation.notes if adaptation else ())
        if leg.machine is machine and events is None:
            give_back(o.method, machine)
        return segment

    def _segment(self, machine: Machine, record: Record, ending: Ending, mode: str, changes: Sequence[str]) -> Segment:
        eq, s, o = self.eq, self.state, self.options
        n = len(s.q) + len(s.u) + len(s.z)
        if self.times is None:
            t, y = record.rows()
        else:
            y = machine.memory.points.copy()
            t = self.times[: len(y)].copy()
        choices = choices_in_words(o, bool(changes))
        occurrences = tuple(self.events.occurrences) if self.events else ()
        if self.events and self.events.detail:
            outcome = Outcome(ending, machine.t, self.events.detail)
        elif ending is Ending.UNBOUNDED:
            outcome = unbounded(self.form, machine.steps.growth, machine.t, machine.y, self.p)
        else:
            outcome = told(
                self.form, o, ending, machine.t, machine.y, self.p, s.t, record.statistics.steps, machine.is_explicit
            )
        if outcome and (wrong := jump(machine.method, s, o.rtol)):
            outcome = Outcome(Ending.JUMPED, outcome.t, wrong)
        if notes := [*changes, *filter(None, [record.note, coarse_note(machine.method, o.rtol)])]:
            outcome = replace(outcome, notes=(*outcome.notes, *notes))
        return Segment(
            eq, t, y[:, :n], s.p, s.r, outcome, mode, record.statistics, choices, occurrences, tuple(record.pieces()),
            variations_in(y, n, len(o.sensitivities)), o.sensitivities,
        )  # fmt: skip
