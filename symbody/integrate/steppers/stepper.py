"""Steps of one length, one at a time or for many members, in machine code: for control, learning and real time."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, Final, cast

import numpy as np

from ...algebra.graph.graph import Symbol
from ...argument_kinds import answered_class, checked_flags
from ...derivation.equations.equations import Equations
from ...emit.run.callable import Array
from ...errors import SimulationError, finite_number, listed, shown, unknown
from ...later import GONE_IN, RenamedWarning, later
from ...summary import Introduced, counted
from ..contact.impacts import impulses_of
from ..events.switching_times import undivided_note, unknown_note
from ..events.valid_region import valid_region
from ..result.outcome import Ending, Outcome, Statistics
from ..result.segment import Segment
from ..result.trajectory import Trajectory
from ..start.state import State
from .contact_members import NOTES
from .contact_step_derivatives import STEP_LENGTH
from .contact_steps import ContactSteps, slope_symbol, start_symbol
from .reverse_steps import pulled_back
from .second_order_members import second_order_step
from .second_order_steps import SecondOrderSteps
from .step_results import StepDerivatives, StepImpulses, names_of_marked
from .step_schemes import ACCEPTED, CLOCK, SingleStep, StepRows, StepScheme
from .tangent_space import tangent_columns, tangent_rows

NO_NUMBER: Final = np.nan


def _notes(eq: Equations) -> tuple[str, ...]:
    return tuple(filter(None, (undivided_note(eq, "steps", is_for_any_time=True), unknown_note(eq))))


def _places(names: Sequence[str], wanted: Sequence[str]) -> slice | list[int]:
    """Where they stand among the names: a slice where they stand together, so that nothing is copied."""
    at = [names.index(n) for n in wanted if n in names]
    return slice(at[0], at[-1] + 1) if at and at == list(range(at[0], at[-1] + 1)) else at


@answered_class
class Stepper(Introduced):
    """A compiled time step of equations; returned by `stepper`. States are arrays (q, u, z) in the order of
    `state_names`, or rows of them.

    env.step(state, r)           the state after a step with these inputs
    env.derivatives(state, r)    the same with exact derivatives, including events and impacts
    env.second_derivatives(state, v, r)  their change along v, of steps with contacts
    env.pullback(state, bar, r)  the same with the gradient of bar · x⁺ (reverse mode)
    env.impulses(state, r)       the same with the impulses of contacts, where there are any
    env.trajectory(states)       states that follow each other as a `Trajectory`, with its scene and figures
    env.start                    the state at the start; `env.reset(states, mask)` puts members back to it
    env.p                        parameters, in the order of `parameter_names`
    env.notes                    notes on functions of time that the step length does not resolve

    >>> x, v = sb.symbols("x v", "variable")
    >>> env = sb.stepper(sb.from_equations({x: v, v: -x}), 0.1, x=1.0)
    >>> env.state_names, env.start
    (('x', 'v'), array([1., 0.]))
    >>> env.derivatives(env.start).x
    array([[ 0.995004,  0.099833],
           [-0.099833,  0.995004]])
    >>> m = sb.Model("ball")
    >>> y = m.coordinate("y")
    >>> ball = m.particle("ball", m.ground.point(0, y, 0), mass=2.0)
    >>> m.gravity(0, -9.81, 0)
    >>> env = sb.stepper(sb.Contacts(sb.derive(m), sb.Contact("floor", y)), 0.01)
    >>> env.impulses(env.start).impulses  # h m g
    array([0.1962])

    See also: `stepper`, `integrate.StepDerivatives`, `integrate.StepImpulses`.
    """

    def __init__(self, scheme: StepScheme, start: State, is_linear: bool, has_clock: bool, dt: float) -> None:
        self.scheme, self.dt, self._is_linear, self._has_clock = scheme, dt, is_linear, has_clock
        self.equations, self.own_equations = scheme.equations, start.equations
        self.start: Array = np.concatenate([start.q, start.u, start.z])
        self.state_names = tuple(s.name for s in scheme.variables)
        inputs = [s for s in start.equations.r if not s.order] if is_linear else start.equations.r
        self.input_names = tuple(s.name for s in inputs)
        self.parameter_names = tuple(s.name for s in start.equations.p)
        self.p, self.r = start.p.copy(), np.zeros(len(inputs))
        self.row = scheme.row(dict(zip(self.parameter_names, self.p, strict=True)))
        self._places = [scheme.parameters.index(s) for s in self._input_symbols]
        self._p_places = [scheme.parameters.index(s) for s in start.equations.p]
        self._first = len(self.row) - len(inputs)
        self._is_plain = not is_linear and not has_clock and self._places == list(range(self._first, len(self.row)))
        self._shape = (len(self.state_names),)
        self._region = valid_region(start.equations)
        self.notes = _notes(start.equations)
        self._local = threading.local()
        self._varied: dict[tuple[str, ...], Stepper] = {}
        self._first_variations: Array = np.zeros(0)
        self._column_places: dict[str, slice | list[int]] = {}
        self.recipe: tuple[Any, ...] = ()  # a function and its arguments

    def __reduce__(self) -> Any:
        """Made again from what it was made of: machine code stays in its process."""
        return self.recipe

    @property
    def _input_symbols(self) -> list[Symbol]:
        """Where inputs go: themselves, or where they are linear, values at the beginning, then slopes."""
        if not self._is_linear:
            return list(self.equations.r)
        return [of(n) for of in (start_symbol, slope_symbol) for n in self.input_names]

    def __repr__(self) -> str:
        held = "linear" if self._is_linear else "held"
        return (
            f"<Stepper of {self.equations.name}: {self.dt:g} s, {len(self.state_names)} variables, "
            f"{len(self.input_names)} inputs ({held})>"
        )

    # ------------------------------------------------------------------------------------------------ steps

    def step(
        self, state: Any, r: Any = None, r_end: Any = None, *, t: Any = 0.0, p: Any = None, out: Any = None
    ) -> Any:
        """The state after a step; for rows of states, with a row of inputs for each or one for all.

        r, r_end   inputs, and where they are linear, those at the end of the step
        t          the time at its beginning, where the equations depend on it; one for all members, or for each
        p          parameters, one row or one for each member, or some by name; by default `env.p`
        out        an array for the result

        A member that cannot take the step (a rate is not finite, no way back to the constraints), or leaves the region in
        which the model is valid (`Model.valid_while`), has NaN in its row.

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
        if isinstance(state, np.ndarray) and state.shape == self._shape and p is None and out is None:
            return self._one(state, r, r_end, t)
        return self._many(state, r, r_end, t, p, out)

    def _one(self, state: Array, r: Any, r_end: Any, t: float) -> Array:
        try:
            one: SingleStep = self._local.one
        except AttributeError:
            one = self._local.one = SingleStep(self.scheme, self.row)
            one.state[len(state) :] = self._first_variations
        one.state[: len(state)] = state
        if not self._is_plain:
            self._put_inputs(one.parameters, self._numbers(r), self._numbers(r if r_end is None else r_end), t)
        elif self.input_names:
            one.parameters[self._first :] = self._numbers(r)
        one.run()
        note = one.note.item(0)
        found = one.end.copy() if note in ACCEPTED else np.full(len(one.end), NO_NUMBER)
        return found if self._region is None else self._valid(found[None], one.given, t)[0]

    def _valid(self, ends: Array, given: Array, t: Any) -> Array:
        """States after steps, without numbers where the model is not valid."""
        if self._region is None:
            return ends
        n, inputs = len(self.start), np.zeros(len(self._region.inputs))
        is_left = self._region.is_left(np.asarray(t) + self.dt, ends[:, :n], inputs, given[:, self._p_places])
        return np.where(is_left.any(axis=1)[:, None], NO_NUMBER, ends)

    def _numbers(self, r: Any) -> Any:
        """Inputs, zero if none are given."""
        if r is None:
            return self.r
        if isinstance(r, (list, tuple)) and len(r) == len(self.input_names) and all(type(x) is float for x in r):
            return r
        given = self._array(r, "r")
        if given.ndim == 0 or given.shape[-1] != len(self.input_names):
            raise SimulationError(
                f"{self}: it has {counted(len(self.input_names), 'input')} ({listed(self.input_names)}), got r of shape "
                f"{given.shape}"
            )
        return given

    def _array(self, value: Any, what: str) -> Array:
        try:
            return np.asarray(value, dtype=np.float64)
        except (TypeError, ValueError):
            raise SimulationError(f"{self}: {what} must be numbers, got {shown(value)}") from None

    def _row_for_each(self, given: Array, count: int, what: str) -> Array:
        """One row for all members, or one for each."""
        if given.ndim > 2 or (given.ndim == 2 and len(given) not in (1, count)):
            raise SimulationError(
                f"{self}: {what} is one row, or one for each of {count} states; got shape {given.shape}"
            )
        return given

    def _parameters(self, p: Any, count: int) -> Array:
        """Parameters of all members, from rows of them or from some by name."""
        if isinstance(p, Mapping):
            row = self.p.copy()
            for name, value in p.items():
                key = getattr(name, "name", name)
                if key not in self.parameter_names:
                    raise unknown(f"{self}: p", "parameter", key, self.parameter_names, SimulationError)
                row[self.parameter_names.index(key)] = finite_number(value, f"{self}: {key}", SimulationError)
            return row
        given = self._array(p, "p")
        if given.ndim == 0 or given.shape[-1] != len(self.parameter_names):
            names = f"{counted(len(self.parameter_names), 'parameter')} ({listed(self.parameter_names)})"
            raise SimulationError(f"{self}: it has {names}, got p of shape {given.shape}")
        return self._row_for_each(given, count, "p")

    def _put_inputs(self, row: Array, r: Any, r_end: Any, t: Any) -> None:
        n = len(self.input_names)
        if self._is_linear:
            row[..., self._places[:n]] = r
            row[..., self._places[n:]] = (np.asarray(r_end) - r) / self.dt
        elif n:
            row[..., self._places[0] : self._places[0] + n] = r
        if self._has_clock:
            row[..., self.scheme.parameters.index(CLOCK)] = t

    def _many(self, state: Any, r: Any, r_end: Any, t: Any, p: Any, out: Any) -> Any:
        given = self._array(state, "a state")
        rows = self._taken(given, r, r_end, t, p)
        found = self._valid(rows.ends_of_taken_steps(), rows.given, t).reshape(*given.shape[:-1], len(self.state_names))
        if out is None:
            return found
        out[...] = found
        return out

    def _taken(self, given: Array, r: Any, r_end: Any, t: Any, p: Any) -> StepRows:
        """The steps of one state or of rows of them, in memory that the next call uses again."""
        rows = np.atleast_2d(given)
        if rows.ndim != 2 or rows.shape[1:] != self._shape:
            raise SimulationError(
                f"{self}: a state has {len(self.state_names)} numbers ({listed(self.state_names)}), got shape "
                f"{given.shape}"
            )
        bound = self._bound(len(rows))
        bound.y[:, : rows.shape[1]], bound.given[:] = rows, self.row
        first, last = (
            self._row_for_each(np.asarray(self._numbers(x)), len(rows), "r") for x in (r, r if r_end is None else r_end)
        )
        self._put_inputs(bound.given, first, last, t)
        if p is not None:
            bound.given[:, self._p_places] = self._parameters(p, len(rows))
        bound.run_all()
        return bound

    def _bound(self, count: int) -> StepRows:
        """Memory for so many members, kept from step to step."""
        kept: StepRows | None = getattr(self._local, "many", None)
        if kept is None or len(kept.y) != count:
            kept = self._local.many = StepRows(self.scheme, self.row, count)
            kept.y[:, self._shape[0] :] = self._first_variations
        return kept

    def reset(self, states: Array, mask: Any, start: Any = None) -> Array:
        """The states, with members for which the mask is true reset to a start (by default `env.start`)."""
        return np.where(np.asarray(mask, dtype=bool)[..., None], self.start if start is None else start, states)

    def trajectory(self, states: Any, *, t: float = 0.0, p: Any = None) -> Trajectory:
        """States that follow each other, one step apart from the time t on, as a trajectory: `.scene()` shows them, `.plot()`
        draws them. Inputs of the steps are not known to it: what depends on them has no value (NaN).

        >>> x, v = sb.symbols("x v", "variable")
        >>> env = sb.stepper(sb.from_equations({x: v, v: -x}), 0.1, x=1.0)
        >>> states = [env.start]
        >>> for _ in range(3):
        ...     states.append(env.step(states[-1]))
        >>> env.trajectory(states)[x**2 + v**2].round(6)
        array([1., 1., 1., 1.])

        See also: `Trajectory`, `simulate`.
        """
        rows = self._array(states, "states")
        if rows.ndim != 2 or rows.shape[1:] != self._shape:
            raise SimulationError(
                f"{self}: states of a trajectory are rows of {len(self.state_names)} numbers ({listed(self.state_names)}), got "
                f"shape {rows.shape}"
            )
        eq, times = self.own_equations, t + self.dt * np.arange(len(rows), dtype=np.float64)
        given = self.p if p is None else self._parameters(p, 1).reshape(-1)
        r = np.full(len(eq.r), NO_NUMBER)
        ended = Outcome(Ending.REACHED, float(times[-1]))
        return Trajectory.of(Segment(eq, times, rows, given, r, ended, statistics=Statistics(len(rows) - 1)))

    # ------------------------------------------------------------------------------------------------ derivatives

    @checked_flags(SimulationError)
    def derivatives(
        self,
        state: Any,
        r: Any = None,
        r_end: Any = None,
        *,
        t: float = 0.0,
        p: Any = None,
        wrt: Iterable[str] = ("x", "r"),
        is_tangent: bool = False,
    ) -> StepDerivatives:
        """A step, and its derivatives with respect to the state ("x"), inputs ("r"; where they are linear, those at the
        beginning, "r_end" those at the end) and parameters ("p"); of steps with contacts also to their length ("dt").

        They are those of the numerical step itself: stages, events and impacts are differentiated. Of a projection onto
        constraints it is the tangent at its result, which differs by the size of the correction. With contacts they are
        those of the branch that the step is on: which contacts are closed, press, stick and slip. At a state where
        another branch begins a step has no derivative, and this is one of the sides; `one_sided` names the contacts.

        is_tangent   rows and columns of Euler parameters are replaced by those of small rotations about the axes of the
                     body, three for four, in their places

        Where no `r_end` is given, inputs at the end are those at the beginning and change with them.

        >>> m = sb.Model("ball")
        >>> y = m.coordinate("y")
        >>> ball = m.particle("ball", m.ground.point(0, y, 0), mass=2.0)
        >>> m.gravity(0, -10.0, 0)
        >>> env = sb.stepper(sb.Contacts(sb.derive(m), sb.Contact("floor", y)), 0.01)
        >>> env.derivatives(np.array([-1e-3, 0.0])).x  # it rests on the floor
        array([[1.   , 0.005],
               [0.   , 0.   ]])
        >>> env.derivatives(np.array([0.0, 0.0])).one_sided  # if it were higher, it would fall
        ('floor',)

        See also: `Stepper.pullback`, `integrate.StepDerivatives`.
        """
        groups, given = tuple(wrt), np.asarray(state, dtype=np.float64)
        env, n = self._with_variations(groups, r_end is not None), len(self.state_names)
        if given.shape == self._shape and p is None:
            end = env._one(given, r, r_end, t)
            notes, slopes = env._local.one.note, end[n:].reshape(-1, n).T
        else:
            end = env._many(given, r, r_end, t, p, None)
            notes = env._local.many.notes.reshape(*given.shape[:-1], -1)
            slopes = end[..., n:].reshape(*given.shape[:-1], -1, n).swapaxes(-1, -2)
        if self._is_linear:
            found = {g: self._columns(g, env, slopes, r_end is not None) for g in groups}
        else:
            found = {g: slopes[..., env._column_places[g]] for g in groups}
        after = end[..., :n].reshape(given.shape)
        if is_tangent and (turns := [[v.index for v in e] for e in self.equations.variables.quaternions]):
            found = {g: tangent_rows(J, after, turns) for g, J in found.items()}
            if "x" in found:
                found["x"] = tangent_columns(found["x"], given, turns)
        return StepDerivatives(after, **found, one_sided=self._one_sided(notes))

    @checked_flags(SimulationError)
    def second_derivatives(
        self,
        state: Any,
        along: Any,
        r: Any = None,
        *,
        t: float = 0.0,
        p: Any = None,
        wrt: Iterable[str] = ("x", "r"),
    ) -> StepDerivatives:
        """The change of `derivatives` of a step with contacts along a direction: ∂²x⁺/∂x² v in `x`, and the same for "r", "p".

        along   the direction: v for the state, or `{"x": v, "r": ..., "p": ...}`

        They are exact, on the branch that the step is on: the equations of its contacts are differentiated twice. Equations
        without contacts have such steps as `sb.Contacts(eq)`.

        >>> m = sb.Model("pendulum")
        >>> joint = m.revolute("q", m.ground, m.body("bob", mass=1, com=(0, -1, 0)))
        >>> m.gravity(0, -10, 0)
        >>> env = sb.stepper(sb.Contacts(sb.derive(m)), 0.1, q=np.pi / 2)
        >>> env.second_derivatives(env.start, along=[1.0, 0.0]).x.round(12)  # h g sin(q + h u / 2), times 1, h/2 and h/2
        array([[0.05  , 0.0025],
               [1.    , 0.05  ]])

        See also: `Stepper.derivatives`, `Dynamics.second_derivatives`.
        """
        given = self._array(state, "a state")
        inputs = {"r": r, "t": t, "p": p}

        def rows() -> Array:
            return self._taken(given, r, r, t, p).given.copy()

        return second_order_step(self, self._second_order, given, along, tuple(wrt), inputs, rows)

    def _second_order(self, groups: tuple[str, ...]) -> SecondOrderSteps:
        """Programs and memory of this thread, kept from call to call."""
        env = self._with_variations(groups, False)
        try:
            kept: SecondOrderSteps = env._local.second
        except AttributeError:
            kept = env._local.second = SecondOrderSteps(
                cast("ContactSteps", env.scheme), self.row, env._first_variations
            )
        return kept

    def pullback(
        self,
        state: Any,
        bar: Any,
        r: Any = None,
        r_end: Any = None,
        *,
        t: float = 0.0,
        p: Any = None,
        wrt: Iterable[str] = ("x", "r"),
    ) -> StepDerivatives:
        """A step, and the gradients of bar · x⁺ with respect to the groups `wrt` (vector-Jacobian products): the reverse
        mode, for gradients of a cost through many steps.

        bar   the gradient of the cost with respect to the state after the step, a row for each member

        >>> x, F = sb.symbols("x F")
        >>> env = sb.stepper(sb.from_equations({x: F - x}, inputs=[F]), 0.1)
        >>> found = env.pullback([1.0], [2.0], [0.0])
        >>> found.x, found.r
        (array([1.809675]), array([0.190325]))

        See also: `Stepper.derivatives`.
        """
        given, pulled = np.asarray(state, dtype=np.float64), self._array(bar, "bar")
        if pulled.shape != given.shape:
            raise SimulationError(
                f"{self}: bar has one number for each of the state, got shape {pulled.shape} for {given.shape}"
            )
        return pulled_back(self.derivatives, given, pulled, {"r": r, "r_end": r_end, "p": p}, t, tuple(wrt))

    def _one_sided(self, notes: Array) -> tuple[Any, ...]:
        """Names of contacts and frictions at the border of their branch, of each member where there are many."""
        scheme = self.scheme
        return (
            names_of_marked(scheme.owner_names, notes[..., NOTES + scheme.rows :])
            if isinstance(scheme, ContactSteps)
            else ()
        )

    def _columns(self, group: str, env: Stepper, slopes: Array, has_end: bool) -> Array:
        """Derivatives with respect to a group, of those with respect to variables of the machine code."""
        if group not in ("r", "r_end"):
            return slopes[..., env._column_places[group]]
        ends, begins = slopes[..., env._column_places["slopes"]] / self.dt, slopes[..., env._column_places["begins"]]
        if group == "r_end":
            return ends
        return begins - ends if has_end else begins

    def _group(self, group: str) -> list[str]:
        """Names of the variables of the machine code that belong to a group."""
        if group == "dt":
            return [STEP_LENGTH.name]
        if group in ("r", "r_end"):
            return [s.name for s in self._input_symbols]
        return list(self.state_names if group == "x" else self.parameter_names)

    def _with_variations(self, groups: tuple[str, ...], has_end: bool) -> Stepper:
        if groups not in self._varied or (has_end is False and "r_end" in groups):
            known = (
                "x",
                "r",
                *(["r_end"] if has_end else []),
                "p",
                *(["dt"] if isinstance(self.scheme, ContactSteps) else []),
            )
            if strange := [g for g in groups if g not in known]:
                raise unknown(f"{self}: derivatives", "group", strange[0], known, SimulationError)
            by_group = {g: self._group(g) for g in groups}
            names = list(dict.fromkeys(n for g in groups for n in by_group[g]))
            out = self._varied[groups] = object.__new__(Stepper)
            out.__dict__.update(self.__dict__)
            out.scheme = self.scheme.varied(names)
            out.state_names = tuple(s.name for s in out.scheme.variables)
            out._local = threading.local()
            out._first_variations = np.array([[float(s == x) for s in self.state_names] for x in names]).reshape(-1)
            if self._is_linear:
                by_group |= {"begins": [start_symbol(n).name for n in self.input_names]}
                by_group |= {"slopes": [slope_symbol(n).name for n in self.input_names]}
            out._column_places = {g: _places(names, wanted) for g, wanted in by_group.items()}
        return self._varied[groups]

    # ------------------------------------------------------------------------------------------------ contacts

    def impulses(self, state: Any, r: Any = None, r_end: Any = None, *, t: float = 0.0, p: Any = None) -> StepImpulses:
        """A step, and the impulses of its contacts and frictions.

        >>> m = sb.Model("ball")
        >>> y = m.coordinate("y")
        >>> ball = m.particle("ball", m.ground.point(0, y, 0), mass=2.0)
        >>> m.gravity(0, -10.0, 0)
        >>> env = sb.stepper(sb.Contacts(sb.derive(m), sb.Contact("floor", y)), 0.01)
        >>> found = env.impulses(env.start)
        >>> found.impulses  # m g dt
        array([0.2])
        """
        if not isinstance(self.scheme, ContactSteps):
            raise SimulationError(f"{self}: it has no contacts; `stepper(Contacts(eq, ...), dt)` has")
        given = np.asarray(state, dtype=np.float64)
        taken = self._taken(given, r, r_end, t, p)
        impulses, residual = taken.notes[:, NOTES : NOTES + self.scheme.rows].copy(), taken.notes[:, 1].copy()
        ends = self._valid(taken.ends_of_taken_steps(), taken.given, t)
        gaps = self._gaps(self.scheme, t + self.dt, ends, self.p if p is None else self._parameters(p, len(ends)))
        if given.ndim == 1:
            impulses, residual, gaps = impulses[0], residual[0], gaps[0]
        return StepImpulses(ends.reshape(given.shape), self.scheme.row_names, impulses, residual, gaps)

    def _gaps(self, scheme: ContactSteps, t: float, states: Array, p: Array) -> Array:
        eq, contacts = scheme.equations, scheme.table.contacts
        if not contacts:
            return np.zeros((len(states), 0))
        find, still = impulses_of(eq, contacts).gaps, np.zeros(len(eq.r))
        rows = zip(states, np.broadcast_to(p, (len(states), len(self.p))), strict=True)
        return np.array([find(t, y[: len(eq.state)], of, still) for y, of in rows])

    # ----------------------------------------------------------------------------------------------- for other packages

    @cached_property
    def jax(self) -> Any:
        """A function step(state, r, p) of JAX arrays, to be used in `jit`, `vmap`, `jvp` and `grad`.

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
        return later("integrate.steppers.step_wrappers", "jax_step")(self)

    @cached_property
    def torch(self) -> Any:
        """A function step(state, r, p) of PyTorch tensors, with gradients.

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
        return later("integrate.steppers.step_wrappers", "torch_step")(self)

    def gymnasium(
        self, members: int, reward: Any, *, ends: Any = None, spread: float = 0.05, limit: float = 1.0, steps: int = 200
    ) -> Any:
        """A vector environment of Gymnasium, whose observations are states and whose actions are inputs. Replaced by
        `environment(stepper, members, reward=...).gymnasium`, whose rewards are expressions; this one works until 0.3.

        reward   a function of (states, actions, states after), which gives a number for each member
        ends     a function of states, which says for each member whether it has ended
        spread   of starts around `env.start`, of every variable
        limit    of the actions, to both sides
        steps    after which an episode is cut

        A member that has ended, was cut or has no numbers any more begins anew with its next step.

        >>> x, F = sb.symbol("x", "variable"), sb.symbol("F", "input")
        >>> env = sb.stepper(sb.from_equations({x: F - x}), 0.5, x=1.0)
        >>> import warnings
        >>> with warnings.catch_warnings():
        ...     warnings.simplefilter("ignore")
        ...     try:
        ...         import gymnasium
        ...         count = env.gymnasium(3, lambda before, actions, after: -after[:, 0] ** 2).num_envs
        ...     except ModuleNotFoundError:
        ...         count = 3
        >>> count
        3

        See also: `environment`, `integrate.Environment`.
        """
        said = "Stepper.gymnasium is now sb.environment(stepper, members, reward=...).gymnasium; the old name goes in"
        warnings.warn(f"{said} {GONE_IN}", RenamedWarning, stacklevel=3)
        made = later("integrate.steppers.step_wrappers", "vector_environment")
        return made(self, members, reward, ends=ends, spread=spread, limit=limit, steps=steps)
