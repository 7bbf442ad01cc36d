"""Sensitivities: variational equations along with the motion (Lennartsson 6.3).

With y' = F(t, y, p), the column s_j = ∂y/∂x_j for x_j a value at the start or a parameter obeys

    s_j' = ∂F/∂y s_j + ∂F/∂x_j

exactly, on the graph. On constraints other values at the start follow x_j (`varied_starts.py`), and after every step
variations are projected like the state. Across an event g = 0 with new values y⁺ = R(t, y⁻), whose time changes too,

    δt = -(∂g/∂y s⁻ + ∂g/∂x) / g',     s⁺ = ∂R/∂y (s⁻ + F⁻ δt) + ∂R/∂x + ∂R/∂t δt - F⁺ δt

Variations of higher order, s_jk = ∂²y/∂x_j∂x_k and so on, follow by the same derivative once more: with D_k along y → s_k,
s_j → s_jk, x_k → 1 (`variation_orders.py`), s_jk' = D_k (s_j'), and at events s⁺_jk = D_k s⁺_j - (s⁺_j)' δt_k along
everything as it is met at the event.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
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
from .projection_work import ProjectionWork
from .variation_orders import Index, all_derivatives, column_indices, direction_table
from .varied_starts import NEAREST, VariedStart

CARRIED: Final = "carried"  # variations at the start are given: they come from the mode before


@dataclass(frozen=True, eq=False)
class VariedForm(Form):
    """A form with variations: y holds the state, then one column for each of `wrt`, then those of higher order.

    order  the highest order of variations
    held   coordinates and speeds that stay at the start while one of `wrt` changes, as far as constraints allow; None:
           the change is the shortest
    """

    base: Form | None = None
    wrt: tuple[Symbol, ...] = ()
    held: frozenset[Symbol] | None = frozenset()
    order: int = 1

    @cached_property
    def indices(self) -> list[Index]:
        """Which of `wrt` each column is the derivative with respect to."""
        return column_indices(len(self.wrt), self.order)

    @cached_property
    def columns(self) -> list[tuple[Symbol, ...]]:
        n = self.state.n
        return [self.y[n * (j + 1) : n * (j + 2)] for j in range(len(self.indices))]

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
        """How everything moves when the j-th of `wrt` does: the state with its column, a parameter alone."""
        table = direction_table(self.state.y, dict(zip(self.indices, self.columns, strict=True)), j)
        return table | ({self.wrt[j]: ONE} if self.wrt[j] in self.state.parameters else {})

    def derivatives(self, of: Matrix) -> dict[Index, Matrix]:
        """All derivatives of functions of the state and of the parameters, by column."""
        return all_derivatives(of, self.indices, [self.direction(j) for j in range(len(self.wrt))])

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
        moved, entries = self.derivatives(Matrix(len(changed), 1, new.entries)), list[Expr]()
        for index, column in zip(self.indices, self.columns, strict=True):
            found = dict(zip(changed, moved[index].entries, strict=True))
            entries += [found.get(s, own) for s, own in zip(self.state.y, column, strict=True)]
        return self.compiled(name, {"s": entries})

    def start(self, t: float, state: Array, parameters: Array) -> tuple[Array, Array]:
        y, p = self.state.start(t, state, parameters)
        if self.held is not None:
            first = self._varied_start.columns(t, y, p)
            return np.concatenate([y, first.reshape(-1), self._higher_start(t, y, first, p)]), p
        columns = np.array([[1.0 if s is x else 0.0 for s in self.state.y] for x in self.wrt])
        whole = np.concatenate([y, columns.reshape(-1), np.zeros(self.n - len(y) - columns.size)])
        for f in self._settled:
            whole[len(y) :] = f(t, whole, p)
        return whole, p

    @cached_property
    def _varied_start(self) -> VariedStart:
        """Derivatives of higher order need one choice of what is independent, for all of `wrt`."""
        together = frozenset(self.wrt if self.order > 1 else ()) & frozenset(self.equations.variables.of("q u").symbols)
        return VariedStart(self.state, self.wrt, (self.held or frozenset()) | together)

    def _higher_start(self, t: float, y: Array, first: Array, p: Array) -> Array:
        """Columns of higher order: zero of what is independent, others follow from derivatives of the constraints."""
        whole, n = np.zeros(self.n), len(y)
        whole[: n + first.size] = *y, *first.reshape(-1)
        if not (self.equations.rows.positions or self.equations.lam):
            return whole[n + first.size :]
        for k in range(len(self.wrt), len(self.indices)):
            whole[n * (k + 1) : n * (k + 2)] = self._varied_start.higher_column(t, y, p, self._rests(t, whole, p, k))
        return whole[n + first.size :]

    def _rests(self, t: float, whole: Array, p: Array, k: int) -> Callable[[Array], tuple[Array, Array]]:
        """Derivatives of the constraints of positions and of speeds that belong to column k, as functions of that
        column."""
        n, rows = self.state.n, len(self.equations.rows.positions)

        def rests(column: Array) -> tuple[Array, Array]:
            whole[n * (k + 1) : n * (k + 2)] = column
            found = np.reshape(self._varied_constraints(t, whole, p), (len(self.indices), -1))[k]
            return found[:rows], found[rows:]

        return rests

    @cached_property
    def _varied_constraints(self) -> Compiled:
        eq = self.equations
        own = [*(r.expression for r in eq.rows.positions), *(r.expression for r in eq.rows.speeds)]
        found = self.derivatives(Matrix(len(own), 1, tuple(own)))
        return self.compiled("varied_constraints", {"rows": [e for i in self.indices for e in found[i].entries]})

    def map_through(self, when: Expr, after: Mapping[Symbol, Expr] | None) -> Mapping[Symbol, Expr] | None:
        """New values of the state at the event when = 0, and after them of its variations: see the head of this
        file."""
        if after is None:
            return None
        new = Matrix(self.state.n, 1, tuple(after.get(s, s) for s in self.state.y))
        found = self.through(when, new)
        return dict(after) | {
            s: e
            for i, column in zip(self.indices, self.columns, strict=True)
            for s, e in zip(column, found[i].entries, strict=True)
        }

    def map_at_time(self, after: Mapping[Symbol, Expr]) -> Mapping[Symbol, Expr]:
        """Variations behind a reset at a time that does not depend on the state: s⁺ = ∂R/∂y s⁻ + ∂R/∂x."""
        moved, out = self.derivatives(Matrix(len(after), 1, tuple(after.values()))), dict[Symbol, Expr]()
        for index, column in zip(self.indices, self.columns, strict=True):
            found, own = dict(zip(after, moved[index].entries, strict=True)), zip(self.state.y, column, strict=True)
            out |= {name: found[s] for s, name in own if s in found}
        return out

    def through(self, when: Expr, new: Matrix) -> dict[Index, Matrix]:
        """New values of the state at the event when = 0, under (), and of all its variations."""
        form, table = self.state, dict(zip(self.state.y, new.entries, strict=True))
        flow: dict[Symbol, Expr] = dict(zip(self.y, self.rates, strict=True)) | {self.equations.t: ONE}
        delays = [_delay(self, j, when, directional_derivative(when, flow)) for j in range(len(self.wrt))]
        met = [_met_rows(self, j, delay, flow) for j, delay in enumerate(delays)]
        found: dict[Index, Matrix] = {(): new}
        for index in self.indices:
            one_less, last = index[:-1], index[-1]
            begin = form.n * (self.indices.index(one_less) + 1 if one_less else 0)
            rates = substitute_all(list(self.rates[begin : begin + form.n]), table)
            moved = directional_derivative(found[one_less], met[last]).entries
            entries = (e - delays[last] * f for e, f in zip(moved, rates, strict=True))
            found[index] = Matrix(form.n, 1, tuple(entries))
            table |= dict(zip(self.columns[self.indices.index(index)], found[index].entries, strict=True))
        return found

    def saltation(self, when: Expr | None, after: tuple[Expr, ...], target: Form) -> Saltation:
        """How variations pass an event, made once."""
        made: Saltation = self.cached(
            "saltation", (when, after, id(target)), lambda: Saltation(self, when, after, target)
        )
        return made

    def settle(self, p: Array, work: ProjectionWork | None = None) -> Any:
        inner = self.state.settle(p, work)
        if inner is None:
            return None
        callees = [program_callee(f, {"p": p}) for f in self._settled]
        first, second = (*callees, None, None)[:2]
        n, w = self.state.n, np.zeros(self.n)
        tangent = Tangent(n=n, k=self.n - n, inner=inner, first=first, second=second, w=w)
        return LoopCallee(settle_all, {}, ("out", "note"), tangent=tangent)


def varied_form(form: Form, wrt: Sequence[str], held: Sequence[str] | str = (), order: int = 1) -> VariedForm:
    """A form that also integrates the sensitivities to values at the start and to parameters, by name; `held` as in
    `simulate`, up to an order."""
    if not form.rates:
        raise SimulationError(f"form {form.name!r} has no sensitivities; use form='projection'")
    if form.levels:
        raise SimulationError("sensitivities and invariants cannot be combined")
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
    if order > 1 and kept is None and (eq.rows.positions or eq.lam):
        raise SimulationError(
            f"{where}: held={held!r} is for derivatives of first order; name what is held, or nothing"
        )
    by = ["_".join(chosen[k].name for k in index) for index in column_indices(len(chosen), order)]
    columns = [tuple(symbol(f"d_{s.name}_by_{name}", "variable") for s in form.y) for name in by]
    out = VariedForm(
        form.name, eq, (*form.y, *(s for column in columns for s in column)), (), form.chosen, form.metric, form.tolerance,
        base=form, wrt=chosen, held=kept, order=order, choice=form.choice,
    )  # fmt: skip
    rates = out.derivatives(Matrix(form.n, 1, tuple(form.rates)))
    object.__setattr__(out, "rates", [*form.rates, *(e for i in out.indices for e in rates[i].entries)])
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

    @cached_property
    def _all_orders(self) -> Compiled:
        found = self.form.through(self.when, Matrix(self.target.n, 1, self.after))  # type: ignore[arg-type]
        return self.form.compiled("through_the_event", {"s": [e for i in self.form.indices for e in found[i].entries]})

    def __call__(self, t: float, before: Array, state_after: Array, p: Array, aside: float) -> Array:
        """Variations after the event; where the state goes on and rates jump, these are taken a little before and after
        it."""
        if self.form.order > 1:
            return self._of_higher_order(t, before, p, aside)
        at_event, flow_after = self._programs
        if aside:
            step = aside * flow_after(t, state_after, p)
            before, state_after = before.copy(), state_after + step
            before[: len(step)] -= step
        s, delay = at_event(t - aside, before, p)
        flow = flow_after(t + aside, state_after, p)
        columns = s.reshape(len(delay), -1) - np.outer(delay, flow)
        return columns.reshape(-1)

    def _of_higher_order(self, t: float, before: Array, p: Array, aside: float) -> Array:
        if aside:
            raise SimulationError(
                f"sensitivities of {self.form.equations.name!r}: at t = {t:g} the rates jump while the state goes on; derivatives of order "
                f"{self.form.order} are not defined by one border there. Take sensitivity_order=1, or a smooth law instead of the jump"
            )
        found: Array = self._all_orders(t, before, p)
        return found

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
    """Of states in rows the variations of the first n variables: row, variable, one of `count` columns; None if there
    are none."""
    if not count:
        return None
    size = y.shape[1] // (1 + count)
    return y[:, size:].reshape(len(y), count, size)[:, :, :n].transpose(0, 2, 1)


def sensitivity_of(
    eq: Equations, what: Expr | Matrix, wrt: Sequence[str]
) -> tuple[Any, dict[tuple[str, ...], list[Symbol]]]:
    """∂what along variations: an expression in the state, its variations (given as symbols, by what they are
    differentiated with respect to) and the parameters."""
    names = sorted(set(wrt))
    columns = {
        index: [symbol(f"d_{s.name}_by_{'_'.join(names[k] for k in index)}", "variable") for s in eq.state]
        for index in column_indices(len(names), len(wrt))
    }
    given = {s.name: s for s in eq.variables.of("p r").symbols}
    found: Any = what
    for name in sorted(wrt):
        table = direction_table(eq.state, columns, names.index(name))
        found = directional_derivative(found, table | ({given[name]: ONE} if name in given else {}))
    return found, {tuple(names[k] for k in index): column for index, column in columns.items()}
