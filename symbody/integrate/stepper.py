"""Steps of one length, one at a time or for many members, in machine code: for control, learning and real time."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final

import numpy as np

from ..algebra.graph import Symbol, symbol
from ..algebra.walk import free_symbols, substitute_all
from ..derive.equations import Equations, of_equations
from ..derive.keywords import values_by_name
from ..emit.run.callable import Array
from ..emit.run.workers import cores, share_out
from ..errors import SimulationError, finite_number, listed, shown, unknown
from ..later import later
from .assembly import assemble
from .borders import run_rank
from .choices_of_speeds import UNLIMITED
from .ensemble import EnsembleRows, EnsembleTask, Worker
from .event_table import event_table
from .events import Event
from .impacts import Contact
from .inputs import with_inputs
from .march import AT_EVENT, DONE
from .members import NOTES
from .sensitivities import varied
from .simulate import TABLEAUX, SimulationOptions, choice, form_of
from .state import Start, State, start_values

CLOCK: Final = symbol("time_at_the_step", "parameter")
INPUTS: Final = ("held", "linear")
EXPENSIVE: Final = 64  # members from which on several threads share a step
NO_NUMBER: Final = np.nan
STANDS: Final = (DONE, AT_EVENT)  # endings of steps that were taken


@dataclass(frozen=True, eq=False)
class StepDerivatives:
    """A state after a step, and its derivatives: ∂x⁺/∂x, ∂x⁺/∂r, ∂x⁺/∂p (None where not asked for); with many members,
    one of each in a row.

    >>> x = sb.symbol("x")
    >>> env = sb.stepper(sb.from_equations({x: -x}), 0.1, x=1.0)
    >>> found = env.derivatives(env.start)
    >>> found.state, found.x
    (array([0.904837]), array([[0.904837]]))

    See also: `integrate.Stepper`, `stepper`.
    """

    state: Array
    x: Array | None = None
    r: Array | None = None
    p: Array | None = None


class Stepper:
    """Steps of some equations; made by `stepper`. States are arrays (q, u, z) in the order of `state_names`, or rows of
    them.

    env.step(state, r)           the state after a step with these inputs
    env.derivatives(state, r)    the same with exact derivatives, also through events and impacts
    env.start                    the state at the start; `env.reset(states, mask)` puts members back to it
    env.p                        parameters, in the order of `parameter_names`

    >>> x, v = sb.symbols("x v", "variable")
    >>> env = sb.stepper(sb.from_equations({x: v, v: -x}), 0.1, x=1.0)
    >>> env.state_names, env.start
    (('x', 'v'), array([1., 0.]))
    >>> env.derivatives(env.start).x
    array([[ 0.995004,  0.099833],
           [-0.099833,  0.995004]])

    See also: `stepper`, `integrate.StepDerivatives`.
    """

    def __init__(self, task: EnsembleTask, start: State, is_linear: bool, has_clock: bool, dt: float) -> None:
        eq = task.form.equations
        self.task, self.dt, self._is_linear, self._has_clock = task, dt, is_linear, has_clock
        self.equations, self.form = eq, task.form
        self.start: Array = np.concatenate([start.q, start.u, start.z])
        self.state_names = tuple(s.name for s in eq.state)
        inputs = [s for s in start.equations.r if not s.order] if is_linear else start.equations.r
        self.input_names = tuple(s.name for s in inputs)
        self.parameter_names = tuple(s.name for s in start.equations.p)
        self.varied_names: tuple[str, ...] = ()
        self.p, self.r = start.p.copy(), np.zeros(len(inputs))
        self.row = np.zeros(len(task.form.parameters))
        self.row[: len(eq.p)] = [dict(zip(self.parameter_names, self.p, strict=True)).get(s.name, 0.0) for s in eq.p]
        if task.form.choice is not None:
            self.row[-1] = UNLIMITED
        self._places = [task.form.parameters.index(s) for s in self._input_symbols]
        self._p_places = [eq.p.index(s) for s in start.equations.p]
        self._is_plain = (
            not is_linear and not has_clock and self._places == list(range(len(self.row) - len(inputs), len(self.row)))
        )
        self._first = len(self.row) - len(inputs)
        self._local = threading.local()
        self._varied: dict[tuple[str, ...], Stepper] = {}

    @property
    def _input_symbols(self) -> list[Symbol]:
        """Where inputs go: themselves, or where they are linear, values at the beginning, then slopes."""
        if not self._is_linear:
            return list(self.equations.r)
        return [symbol(f"{n}_{what}", "parameter") for what in ("begin", "slope") for n in self.input_names]

    def __repr__(self) -> str:
        held = "linear" if self._is_linear else "held"
        return (
            f"<Stepper of {self.equations.name}: {self.dt:g} s, {len(self.state_names)} variables, "
            f"{len(self.input_names)} inputs ({held})>"
        )

    # ------------------------------------------------------------------------------------------------ steps

    def step(
        self, state: Any, r: Any = None, r_end: Any = None, *, t: float = 0.0, p: Any = None, out: Any = None
    ) -> Any:
        """The state after a step; for rows of states, with a row of inputs for each or one for all.

        r, r_end   inputs, and where they are linear, those at the end of the step
        t          the time at its beginning, where the equations depend on it
        p          parameters, one row or one for each member; by default `env.p`
        out        an array for the result

        A member that cannot take the step (a rate is not finite, no way back to the constraints) has no numbers in its
        row.

        >>> x = sb.symbol("x", "variable")
        >>> env = sb.stepper(sb.from_equations({x: -x}), 0.5, x=1.0)
        >>> states = env.step(np.array([[1.0], [2.0]]))
        >>> states  # times 1 - h + h²/2 - h³/6 + h⁴/24, of Runge and Kutta
        array([[0.606771],
               [1.213542]])
        >>> env.reset(states, [True, False])
        array([[1.      ],
               [1.213542]])

        See also: `stepper`, `Stepper.derivatives`.
        """
        if isinstance(state, np.ndarray) and state.ndim == 1 and p is None and out is None:
            return self._one(state, r, r_end, t)
        return self._many(state, r, r_end, t, p, out)

    def _one(self, state: Array, r: Any, r_end: Any, t: float) -> Array:
        try:
            one: SingleStep = self._local.one
        except AttributeError:
            one = self._local.one = SingleStep(self)
        one.state[:] = state
        if self._is_plain:
            if r is not None:
                one.parameters[self._first :] = r
        else:
            self._put_inputs(one.parameters, r, r_end, t)
        one.run()
        note = one.note.item(0)
        return one.end.copy() if note in STANDS else np.full(len(state), NO_NUMBER)

    def _put_inputs(self, row: Array, r: Any, r_end: Any, t: Any) -> None:
        n = len(self.input_names)
        given = self.r if r is None else r
        if self._is_linear:
            row[..., self._places[:n]] = given
            row[..., self._places[n:]] = (np.asarray(given if r_end is None else r_end) - given) / self.dt
        elif n:
            row[..., self._places[0] : self._places[0] + n] = given
        if self._has_clock:
            row[..., self.form.parameters.index(CLOCK)] = t

    def _many(self, state: Any, r: Any, r_end: Any, t: Any, p: Any, out: Any) -> Any:
        given = np.asarray(state, dtype=np.float64)
        rows = np.atleast_2d(given)
        if rows.ndim != 2 or rows.shape[1] != len(self.state_names):
            raise SimulationError(
                f"{self}: a state has {len(self.state_names)} numbers ({listed(self.state_names)}), got shape "
                f"{given.shape}"
            )
        bound = self._bound(len(rows))
        bound.y[:], bound.given[:] = rows, self.row
        begin, last = (None if x is None else np.asarray(x, dtype=np.float64) for x in (r, r_end))
        self._put_inputs(bound.given, begin, last, t)
        if p is not None:
            bound.given[:, self._p_places] = p
        many = cores() if len(rows) >= EXPENSIVE else 1
        share_out(bound.run_part, len(rows), many, max(1, len(rows) // (4 * many)))
        bad = ~np.isin(bound.rows.notes[:, 0], STANDS)
        found = np.where(bad[:, None], NO_NUMBER, bound.rows.ends).reshape(given.shape)
        if out is None:
            return found
        out[...] = found
        return out

    def _bound(self, count: int) -> StepRows:
        """Memory for so many members, kept from step to step."""
        kept: StepRows | None = getattr(self._local, "many", None)
        if kept is None or len(kept.y) != count:
            kept = self._local.many = StepRows(self, count)
        return kept

    def reset(self, states: Array, mask: Any, start: Any = None) -> Array:
        """The states with those members put to a start (by default `env.start`) for which the mask is true."""
        return np.where(np.asarray(mask, dtype=bool)[..., None], self.start if start is None else start, states)

    # ------------------------------------------------------------------------------------------------ derivatives

    def derivatives(
        self,
        state: Any,
        r: Any = None,
        r_end: Any = None,
        *,
        t: float = 0.0,
        p: Any = None,
        wrt: Iterable[str] = ("x", "r"),
    ) -> StepDerivatives:
        """A step, and its derivatives with respect to the state ("x"), inputs ("r", those at the beginning where they
        are linear) and parameters ("p").

        They are those of the numerical step itself: stages, events and impacts are differentiated. Of a projection onto
        constraints it is the tangent at its result, which differs by the size of the correction.
        """
        groups, given = tuple(wrt), np.asarray(state, dtype=np.float64)
        if strange := [g for g in groups if g not in ("x", "r", "p")]:
            raise unknown(f"{self}: derivatives", "group", strange[0], ("x", "r", "p"), SimulationError)
        env, n = self._with_variations(groups), len(self.state_names)
        names, rows = env.varied_names, np.atleast_2d(given)
        first = np.array([[float(s == x) for s in self.state_names] for x in names]).reshape(-1)
        whole = np.hstack([rows, np.tile(first, (len(rows), 1))])
        end = env._many(whole, r, r_end, t, p, None)
        slopes = end[:, n:].reshape(len(rows), len(names), n).transpose(0, 2, 1).reshape(*given.shape, len(names))
        found, at = dict[str, Array](), 0
        for g in groups:
            size = {"x": n, "r": len(self.input_names), "p": len(self.parameter_names)}[g]
            found[g] = slopes[..., at : at + size]
            at += size
        return StepDerivatives(end[:, :n].reshape(given.shape), **found)

    def _with_variations(self, groups: tuple[str, ...]) -> Stepper:
        if groups not in self._varied:
            inputs = [s.name for s in self._input_symbols[: len(self.input_names)]]
            names = {"x": list(self.state_names), "r": inputs, "p": list(self.parameter_names)}
            form = varied(self.form, [n for g in groups for n in names[g]], "nearest")
            self._varied[groups] = self._like(form)
        return self._varied[groups]

    def _like(self, form: Any) -> Stepper:
        """The same steps of a form with variations."""
        out = object.__new__(Stepper)
        out.__dict__.update(self.__dict__)
        out.form = form
        out.varied_names = tuple(x.name for x in form.wrt)
        table = self.task.events
        if table is not None:
            table = replace(
                table, maps=tuple(form.map_through(f, m) for f, m in zip(table.functions, table.maps, strict=True))
            )
        atol = np.tile(self.task.atol, 1 + len(form.wrt))
        out.task = replace(self.task, form=form, atol=atol, events=table)
        out.state_names = tuple(s.name for s in form.y)
        out._local = threading.local()
        return out

    # ----------------------------------------------------------------------------------------------- for other packages

    @cached_property
    def jax(self) -> Any:
        """A function step(state, r) of JAX arrays, to be used in `jit`, `vmap` and `grad`.

        >>> x, F = sb.symbol("x", "variable"), sb.symbol("F", "input")
        >>> env = sb.stepper(sb.from_equations({x: F - x}), 0.5, x=1.0)
        >>> try:
        ...     import jax
        ...     jax.config.update("jax_enable_x64", True)
        ...     state = env.jax(env.start, np.zeros(1))
        ... except ModuleNotFoundError:
        ...     state = env.step(env.start)
        >>> round(float(state[0]), 4)
        0.6068

        See also: `Stepper.derivatives`, `write.jax`.
        """
        return later("integrate.step_wrappers", "jax_step")(self)

    @cached_property
    def torch(self) -> Any:
        """A function step(state, r) of PyTorch tensors, with gradients.

        >>> x, F = sb.symbol("x", "variable"), sb.symbol("F", "input")
        >>> env = sb.stepper(sb.from_equations({x: F - x}), 0.5, x=1.0)
        >>> try:
        ...     import torch
        ...     state = env.torch(torch.tensor([1.0], dtype=torch.float64), torch.zeros(1, dtype=torch.float64))
        ... except ModuleNotFoundError:
        ...     state = env.step(env.start)
        >>> round(float(state[0]), 4)
        0.6068

        See also: `Stepper.derivatives`, `write.torch`.
        """
        return later("integrate.step_wrappers", "torch_step")(self)

    def gymnasium(
        self, members: int, reward: Any, *, ends: Any = None, spread: float = 0.05, limit: float = 1.0, steps: int = 200
    ) -> Any:
        """A vector environment of Gymnasium, whose observations are states and whose actions are inputs.

        reward   a function of (states, actions, states after), which gives a number for each member
        ends     a function of states, which says for each member whether it has ended
        spread   of starts around `env.start`, of every variable
        limit    of the actions, to both sides
        steps    after which an episode is cut

        A member that has ended, was cut or has no numbers any more begins anew with its next step.

        >>> x, F = sb.symbol("x", "variable"), sb.symbol("F", "input")
        >>> env = sb.stepper(sb.from_equations({x: F - x}), 0.5, x=1.0)
        >>> try:
        ...     import gymnasium
        ...     count = env.gymnasium(3, lambda before, actions, after: -after[:, 0] ** 2).num_envs
        ... except ModuleNotFoundError:
        ...     count = 3
        >>> count
        3

        See also: `stepper`.
        """
        made = later("integrate.step_wrappers", "vector_environment")
        return made(self, members, reward, ends=ends, spread=spread, limit=limit, steps=steps)


class StepRows:
    """Rows of states and parameters, and a worker on them for each thread that takes part."""

    def __init__(self, env: Stepper, count: int) -> None:
        n = len(env.state_names)
        self.y, self.given = np.zeros((count, n)), np.tile(env.row, (count, 1))
        none = np.zeros((count, 0, n + 2))
        self.rows = EnsembleRows(np.zeros((count, n)), np.zeros((count, n)), np.zeros((count, len(NOTES))), none)
        self._task, self._local = env.task, threading.local()

    @property
    def worker(self) -> Worker:
        try:
            worker: Worker = self._local.worker
        except AttributeError:
            worker = self._local.worker = Worker(self._task, self.y, self.given, None, self.rows, np.ones(1))
        return worker

    def run_part(self, first: int, stop: int) -> None:
        self.worker.run(first, stop)


class SingleStep(StepRows):
    """One state, with everything at hand that a step of it needs."""

    def __init__(self, env: Stepper) -> None:
        super().__init__(env, 1)
        self.state, self.parameters, self.end = self.y[0], self.given[0], self.rows.ends[0]
        self.note = self.rows.notes[0]
        self.worker.run(0, 0)
        self.run = self.worker.prepared(0, 1)


@values_by_name(SimulationError)
@of_equations
def stepper(
    equations: Equations,
    dt: float,
    start: Start | None = None,
    *,
    values: Mapping[Any, float] | None = None,
    method: str = "rk4",
    substeps: int = 1,
    inputs: str = "held",
    events: Sequence[Event | Contact] = (),
    form: str = "auto",
    options: Mapping[str, Any] | None = None,
    **named: float,
) -> Stepper:
    """Steps of length dt, in machine code: `env = stepper(eq, 0.01)`, `state = env.step(state, r)`.

    start      of `env.start`, as in `simulate`; on constraints the nearest state that keeps them
    values     on top of it, by name or symbol, or as keywords; parameters too
    method     rk4, dp5 or dp8, with fixed steps
    substeps   steps of the method in a step dt
    inputs     "held" over a step, or "linear" between those at its beginning and its end
    events     `Event`, whose resets are expressions, and one `Contact`
    form       how constraints are treated, as in `simulate`

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
    if method not in TABLEAUX:
        raise unknown(where, "method", method, TABLEAUX, SimulationError)
    if inputs not in INPUTS:
        raise unknown(where, "way of inputs", inputs, INPUTS, SimulationError)
    if not isinstance(substeps, int) or substeps < 1:
        raise SimulationError(f"{where}: substeps = {shown(substeps)}: a whole number of at least 1")
    first = _start(equations, start, values or {})
    eq, has_clock = _with_clock(_with_lines(equations) if inputs == "linear" else equations)
    step = dt / substeps
    o = choice(eq, SimulationOptions(method=method, form=form, step=step))
    if first.equations.lam and run_rank(first).rank < len(equations.lam):
        raise SimulationError(f"{where}: its constraints depend on each other; take those out that `audit` names")
    made = form_of(eq, o)
    if not made.kind.has_rates or made.kind.is_algebraic:
        raise SimulationError(f"{where}: form={o.form!r} is not for steps of one length; take 'projection'")
    if sum(isinstance(e, Contact) for e in events) > 1:
        raise SimulationError(
            f"{where}: one contact at a time; several, and bodies at rest on each other, are for `simulate_modes`"
        )
    table = event_table(made, tuple(events), "machine code") if events else None
    task = EnsembleTask(
        made, TABLEAUX[method], 0.0, np.array([dt]), o.rtol, np.full(made.n, o.rtol), step, events=table, records=False
    )
    return Stepper(task, first, inputs == "linear", has_clock, float(dt))


def _start(eq: Equations, start: Start | None, values: Mapping[Any, float]) -> State:
    if eq.lam or eq.position_rows:
        return assemble(eq, start=start, values=values)
    known = {} if start is None else dict(start_values(start, f"stepper of {eq.name!r}"))
    return State.of(eq, {**known, **values})


def _with_lines(eq: Equations) -> Equations:
    """Inputs that are straight lines over a step, whose values at its beginning and slopes are parameters."""
    laws = {
        s: symbol(f"{s.name}_begin", "parameter") + symbol(f"{s.name}_slope", "parameter") * eq.t
        for s in eq.r
        if not s.order
    }
    return with_inputs(eq, laws)[0]


def _with_clock(eq: Equations) -> tuple[Equations, bool]:
    """Equations whose time counts from the beginning of a step, with the time there as a parameter; as they are where
    they do not depend on time."""
    names = list(eq.outputs)
    parts = [eq.rates, eq.M, eq.f, eq.phi, eq.Jc, eq.b, eq.c, eq.h, *(eq.outputs[n] for n in names)]
    if eq.t not in free_symbols(*parts):
        return eq, False
    table = {eq.t: eq.t + CLOCK}
    rates, M, f, phi, Jc, b, c, h, *outputs = substitute_all(parts, table)
    return replace(
        eq, rates=rates, M=M, f=f, phi=phi, Jc=Jc, b=b, c=c, h=h, outputs=dict(zip(names, outputs, strict=True)), p=(*eq.p, CLOCK),
        dependent=eq.composed(table),
    ), True  # fmt: skip
