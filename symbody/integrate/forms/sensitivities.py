"""Sensitivities: variational equations along with the motion (Lennartsson 6.3).

With y' = F(t, y, p), the column s_j = ∂y/∂x_j for x_j a value at the start or a parameter obeys

    s_j' = ∂F/∂y s_j + ∂F/∂x_j

exactly, on the graph. On constraints other values at the start follow x_j (`varied_starts.py`), and after every step
variations are projected like the state. Across an event g = 0 with new values y⁺ = R(t, y⁻), whose time changes too,

    δt = -(∂g/∂y s⁻ + ∂g/∂x) / g',     s⁺ = ∂R/∂y (s⁻ + F⁻ δt) + ∂R/∂x + ∂R/∂t δt - F⁺ δt
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import numpy as np

from ...algebra.calculus.derivatives import directional_derivative
from ...algebra.graph.graph import ONE, ZERO, Expr, Symbol, symbol
from ...algebra.graph.matrix import Matrix
from ...algebra.graph.walk import substitute_all
from ...derivation.equations.equations import Equations
from ...emit.loops.kernel_language import Function, Known, Numbers
from ...emit.loops.records import Struct
from ...emit.run.callable import Array, Compiled
from ...emit.run.loop_callee import LoopCallee, program_callee
from ...errors import SimulationError
from . import projection
from .bordering import parts
from .forms import Form
from .varied_starts import NEAREST, VariedStart

CARRIED: Final = "carried"  # variations at the start are given: they come from the mode before


@dataclass(frozen=True, eq=False)
class VariedForm(Form):
    """A form with variations: y holds the state, then one column for each of `wrt`.

    held   coordinates and speeds that stay at the start while one of `wrt` changes, as far as constraints allow; None:
           the change is the shortest
    """

    base: Form | None = None
    wrt: tuple[Symbol, ...] = ()
    held: frozenset[Symbol] | None = frozenset()

    @property
    def columns(self) -> list[tuple[Symbol, ...]]:
        n = self.state.n
        return [self.y[n * (j + 1) : n * (j + 2)] for j in range(len(self.wrt))]

    @property
    def state(self) -> Form:
        assert self.base is not None
        return self.base

    @property
    def variations(self) -> VariedForm:
        return self

    @property
    def settles(self) -> bool:
        return self.state.settles

    # ------------------------------------------------------------------------------------------------ variations

    def direction(self, j: int) -> dict[Symbol, Expr]:
        """How everything moves when the j-th of `wrt` does: the state with its column, a parameter by itself."""
        own = dict(zip(self.state.y, self.columns[j], strict=True))
        return own | ({self.wrt[j]: ONE} if self.wrt[j] in self.state.parameters else {})

    @cached_property
    def _settled(self) -> tuple[Compiled, ...]:
        """Variations after those of positions, and after those of speeds, were made to fit the constraints."""
        form, eq = self.state, self.equations
        out = []
        if eq.rows.positions:
            q, _ = projection.new_positions(eq, form.chosen, form.metric)
            out.append(self._varied("varied_positions", eq.q, q))
        if form.chosen:
            u, _ = projection.new_speeds(eq, form.chosen, form.metric)
            out.append(self._varied("varied_speeds", eq.u, u))
        return tuple(out)

    def _varied(self, name: str, changed: Sequence[Symbol], new: Matrix) -> Compiled:
        table = dict(zip(changed, new.entries, strict=True))
        entries: list[Expr] = []
        for j in range(len(self.wrt)):
            direction = self.direction(j)
            moved = directional_derivative(Matrix(len(table), 1, tuple(table.values())), direction)
            found = dict(zip(table, moved.entries, strict=True))
            entries += [found.get(s, direction[s]) for s in self.state.y]
        return self.compiled(name, {"s": entries})

    def start(self, t: float, state: Array, parameters: Array) -> tuple[Array, Array]:
        y, p = self.state.start(t, state, parameters)
        if self.held is not None:
            return np.concatenate([y, self._varied_start.columns(t, y, p).reshape(-1)]), p
        columns = np.array([[1.0 if s is x else 0.0 for s in self.state.y] for x in self.wrt])
        whole = np.concatenate([y, columns.reshape(-1)])
        for f in self._settled:
            whole[len(y) :] = f(t, whole, p)
        return whole, p

    @cached_property
    def _varied_start(self) -> VariedStart:
        return VariedStart(self.state, self.wrt, self.held or frozenset())

    def map_through(self, when: Expr, after: Mapping[Symbol, Expr] | None) -> Mapping[Symbol, Expr] | None:
        """New values of the state at the event when = 0, and after them of its variations: see the head of this
        file."""
        if after is None:
            return None
        form, out = self.state, dict(after)
        table = {s: after.get(s, s) for s in form.y}
        flow: dict[Symbol, Expr] = dict(zip(form.y, form.rates, strict=True)) | {self.equations.t: ONE}
        new, rates_after = Matrix(form.n, 1, tuple(table.values())), substitute_all(list(form.rates), table)
        rate = directional_derivative(when, flow)
        for j, column in enumerate(self.columns):
            delay = _delay(self, j, when, rate)
            moved = directional_derivative(new, _met_rows(self, j, delay, flow)).entries
            out |= {s: e - delay * f for s, e, f in zip(column, moved, rates_after, strict=True)}
        return out

    def saltation(self, when: Expr | None, after: tuple[Expr, ...], target: Form) -> Saltation:
        """How variations pass an event, made once."""
        made: Saltation = self.cached(
            "saltation", (when, after, id(target)), lambda: Saltation(self, when, after, target)
        )
        return made

    def settle(self, p: Array) -> Any:
        inner = self.state.settle(p)
        if inner is None:
            return None
        callees = [program_callee(f, {"p": p}) for f in self._settled]
        first, second = (*callees, None, None)[:2]
        n, w = self.state.n, np.zeros(self.n)
        tangent = Tangent(n=n, k=self.n - n, inner=inner, first=first, second=second, w=w)
        return LoopCallee(settle_all, {}, ("out", "note"), tangent=tangent)


def varied_form(form: Form, wrt: Sequence[str], held: Sequence[str] | str = ()) -> VariedForm:
    """A form that also integrates the sensitivities to values at the start and to parameters, by name; `held` as in
    `simulate`."""
    if not form.rates:
        raise SimulationError(f"form {form.name!r} has no sensitivities; use form='projection'")
    if form.levels:
        raise SimulationError("sensitivities and invariants cannot be asked for at once")
    eq = form.equations
    where, what = f"sensitivities of {eq.name!r}", "value at the start or parameter"
    every = eq.variables.of("q u z p r")
    if held == CARRIED:  # variations of an earlier mode, which may have other variables
        chosen = tuple(every[n].symbol if n in every else symbol(n, "variable") for n in wrt)
    else:
        chosen = tuple(every.symbol(name, where, SimulationError, what) for name in wrt)
    table = eq.variables.of("q u")
    kept = (
        None
        if held in (NEAREST, CARRIED)
        else frozenset(table.symbol(n, f"{where}, held", SimulationError) for n in _names(held))
    )
    columns = [tuple(symbol(f"d_{s.name}_by_{x.name}", "variable") for s in form.y) for x in chosen]
    out = VariedForm(
        form.name, eq, (*form.y, *(s for column in columns for s in column)), (), form.chosen, form.metric, form.tolerance,
        base=form, wrt=chosen, held=kept, choice=form.choice,
    )  # fmt: skip
    F = Matrix(form.n, 1, tuple(form.rates))
    rates = [e for j in range(len(chosen)) for e in directional_derivative(F, out.direction(j)).entries]
    object.__setattr__(out, "rates", [*form.rates, *rates])
    return out


def _names(held: Sequence[str] | str) -> Sequence[str]:
    return [held] if isinstance(held, str) else held


class Tangent(Struct):
    """The way back to the constraints of n variables (`inner`), and programs that make their k variations fit, one
    after the other."""

    n: Known[int]
    k: Known[int]
    inner: Function
    first: Known[Function | None]
    second: Known[Function | None]
    w: Numbers


def settle_all(t: float, y: Numbers, out: Numbers, note: Numbers, tangent: Tangent) -> None:
    """The state back to the constraints, then its variations to their tangent."""
    v = tangent
    v.inner((t, y), (out, note))
    for i in range(v.k):
        out[v.n + i] = y[v.n + i]
    if v.first is not None:
        v.first((t, out), (v.w,))
        for i in range(v.k):
            out[v.n + i] = v.w[i]
    if v.second is not None:
        v.second((t, out), (v.w,))
        for i in range(v.k):
            out[v.n + i] = v.w[i]


# ---------------------------------------------------------------------------------------------------------- events


@dataclass(frozen=True, eq=False)
class Saltation:
    """How variations pass an event: see the head of this file. Made once for an event, called whenever it happens.

    when     the event function; None: a mode that ends as it begins, so that its delays are those of its beginning
    after    new values, of the variables of `target`
    target   the form in which it goes on
    """

    form: VariedForm
    when: Expr | None
    after: tuple[Expr, ...]
    target: Form

    @cached_property
    def _delays(self) -> tuple[Symbol, ...]:
        """Of each variation, where they are given."""
        return tuple(symbol(f"delay_by_{x.name}", "variable") for x in self.form.wrt) if self.when is None else ()

    @cached_property
    def _new_parameters(self) -> tuple[Symbol, ...]:
        """Parameters that only the target has."""
        return tuple(s for s in self.target.parameters if s not in self.form.parameters)

    @cached_property
    def _programs(self) -> tuple[Compiled, Compiled]:
        form, target = self.form, self.target
        flow = dict(zip(form.state.y, form.state.rates, strict=True)) | {form.equations.t: ONE}
        rate = None if self.when is None else directional_derivative(self.when, flow)
        moved, jumped = [], []
        new = Matrix(target.n, 1, self.after)
        for j in range(len(form.wrt)):
            delay = self._delays[j] if rate is None else _delay(form, j, self.when, rate)
            met = _met_rows(form, j, delay, flow) | {s: ONE for s in self._new_parameters if s.name == form.wrt[j].name}
            jumped += list(directional_derivative(new, met).entries)
            moved.append(delay)
        more = {"delays": list(self._delays), "more": list(self._new_parameters)}
        before = form.compiled("at_the_event", {"s": jumped, "delay": moved}, more={k: v for k, v in more.items() if v})
        after = target.compiled("rates", {"dy": list(target.rates)})
        return before, after

    def __call__(self, t: float, before: Array, state_after: Array, p: Array, aside: float) -> Array:
        """Variations after the event; where the state goes on and rates jump, these are taken a little before and after
        it."""
        at_event, flow_after = self._programs
        if aside:
            step = aside * flow_after(t, state_after, p)
            before, state_after = before.copy(), state_after + step
            before[: len(step)] -= step
        s, delay = at_event(t - aside, before, p)
        flow = flow_after(t + aside, state_after, p)
        columns = s.reshape(len(delay), -1) - np.outer(delay, flow)
        return columns.reshape(-1)

    def into(self, t: float, before: Array, p: Array, begun: tuple[Array, Array], delays: Array) -> tuple[Array, Array]:
        """Variations of the target, whose state and parameters are `begun`, and how much later each begins; `delays` are
        those of the beginning of a mode that ends at once."""
        at_event, flow_after = self._programs
        more = [begun[1][self.target.parameters.index(s)] for s in self._new_parameters]
        given = [x for x in (delays if self._delays else (), np.array(more)) if len(x)]
        s, delay = at_event(t, before, *given, p)
        delay = np.atleast_1d(delay)
        columns = s.reshape(len(delay), -1) - np.outer(delay, flow_after(t, *begun))
        return columns.reshape(-1), delay


def _delay(form: VariedForm, j: int, when: Expr | None, rate: Expr) -> Expr:
    """How much later an event comes along the j-th variation."""
    assert when is not None
    return -directional_derivative(when, form.direction(j)) / rate


def _met_rows(form: VariedForm, j: int, delay: Expr, flow: Mapping[Symbol, Expr]) -> dict[Symbol, Expr]:
    """How everything has moved along the j-th variation by the time of the event."""
    direction = form.direction(j)
    met: dict[Symbol, Expr] = {s: direction.get(s, ZERO) + delay * flow[s] for s in flow}
    return met | {x: ONE for x in (form.wrt[j],) if x in form.state.parameters}


def state_on_constraints(form: Form, carried: Sequence[Expr]) -> tuple[Expr, ...]:
    """A state, given as expressions, brought onto the constraints of a form: positions, then speeds by impulses through
    the mass matrix. Positions are on them already; it is their neighbours that may not be."""
    eq = form.equations
    table: dict[Symbol, Expr] = dict(zip(eq.state, carried, strict=True))
    if parts(eq):
        raise SimulationError(
            f"sensitivities of {eq.name!r}: constraints of a mode repeat each other, and derivatives of speeds that they change "
            "are not determined; leave redundant constraints out"
        )
    for rows, symbols, made in (
        (eq.rows.positions, eq.q, projection.new_positions),
        (form.chosen, eq.u, projection.new_speeds),
    ):
        if rows:
            new = substitute_all(list(made(eq, form.chosen, form.metric)[0].entries), table)
            table |= dict(zip(symbols, new, strict=True))
    return tuple(table.values())


def variations_in(y: Array, n: int, count: int) -> Array | None:
    """Of states in rows the variations of the first n variables: row, variable, column; None where there are none."""
    if not count:
        return None
    size = y.shape[1] // (1 + count)
    return y[:, size:].reshape(len(y), count, size)[:, :, :n].transpose(0, 2, 1)


def sensitivity_of(eq: Equations, what: Expr | Matrix, wrt: str) -> tuple[Any, list[Symbol]]:
    """∂what along a variation: an expression in the state, its variations (given as symbols) and the parameters."""
    state = eq.state
    varied_by = [symbol(f"d_{s.name}", "variable") for s in state]
    direction: dict[Symbol, Expr] = dict(zip(state, varied_by, strict=True))
    direction |= {s: ONE for s in eq.variables.of("p r").symbols if s.name == wrt}
    return directional_derivative(what, direction), varied_by
