"""Events: zero crossings of expressions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ...algebra.calculus.derivatives import directional_derivative, gradient
from ...algebra.graph.graph import ONE, ZERO, Condition, Expr, Symbol, as_expr
from ...algebra.graph.matrix import Matrix
from ...algebra.graph.portable import Portable
from ...algebra.graph.walk import free_symbols
from ...algebra.printing.printing import outline
from ...argument_kinds import answered_class, checked_flags_of_class
from ...derivation.equations.equations import Equations
from ...derivation.equations.own_terms import in_own_terms
from ...derivation.equations.variables import name_of
from ...emit.cache.program_cache import content_of
from ...emit.run.callable import Array
from ...emit.run.loop_callee import Callee, program_callee
from ...errors import ExpressionError, SimulationError, listed, shown
from ...summary import Introduced, one_line_tag
from ..forms.forms import Form

DIRECTIONS: Final = {"both": 0, "rising": 1, "falling": -1}
ROUNDING_LEVEL: Final = 32 * 2.2e-16  # values of an event function below this fraction of Σ|terms| count as zero
CHATTERING_EVENTS: Final = 40  # number of events that are chattering where they happen within
CHATTERING_TIME: Final = 1e-11  # this fraction of the time to simulate
NEAR_ROUNDING: Final = 4.0  # multiple of the rounding level below which a member of a batch is simulated separately

Python = Callable[[dict[str, float]], Mapping[Any, float] | str | None]


@answered_class
@checked_flags_of_class(SimulationError)
@dataclass(frozen=True, eq=False, repr=False)
class Event(Introduced):
    """A zero crossing of an expression, the event function. It is recorded, and may end the simulation or reset the
    state.

    name        in `sim.events`
    when        the event function: an expression in t, q, u, z, inputs and parameters (and in u', multipliers and
                outputs, whose values are substituted)
    direction   of the crossing in forward time: "rising", "falling" or "both" (or 1, -1, 0, as in SciPy's `solve_ivp`);
                the same events are found in a motion that is integrated backwards
    terminal    whether the simulation ends there (as in `solve_ivp`)
    reset       reset map of the state, {u: -0.8 * u}, in terms of the state before the event; or a Python function that
                receives all values by name and returns the changed ones (None: no change; "stop": end the simulation)
    where       a condition on the state, such as (x > 0) & (u < 1): a crossing while it is false does not count as an
                event

    >>> y, v = sb.symbols("y v", "variable")
    >>> eq = sb.from_equations({y: v, v: -9.81})
    >>> hit = sb.Event("floor", y, "falling", reset={v: -0.5 * v})
    >>> sim = sb.simulate(eq, 1.0, y=1.0, events=[hit])
    >>> [(e.name, round(e.t, 4)) for e in sim.events]
    [('floor', 0.4515), ('floor', 0.903)]

    See also: `simulate`, `Contact`, `Switch`.
    """

    name: str
    when: Expr
    direction: str | int = "both"
    terminal: bool = False
    reset: Mapping[Any, Any] | Python | None = None
    where: Any = None

    def __post_init__(self) -> None:
        check_name(f"event {shown(self.name)}", self.name)
        object.__setattr__(self, "when", as_expr(self.when))
        check_guard(f"event {self.name!r}", self.where)
        object.__setattr__(self, "direction", checked_direction(f"event {self.name!r}", self.direction))
        if not (self.reset is None or isinstance(self.reset, Mapping) or callable(self.reset)):
            raise SimulationError(
                f"event {self.name!r}: reset must be a mapping {{symbol: expression}} or a function; got {shown(self.reset)}"
            )

    def __repr__(self) -> str:
        ends = f"{', terminal' if self.terminal else ''}{', resets the state' if self.reset is not None else ''}"
        guard = "" if self.where is None else f" where {self.where}"
        return one_line_tag(f"Event {self.name}, {self.direction}{ends}: {outline(self.when)} = 0{guard}")

    @property
    def sense(self) -> int:
        """The direction as a number: 1 rising, -1 falling, 0 both.

        >>> sb.Event("floor", sb.symbol("y"), "falling").sense
        -1
        """
        return DIRECTIONS[str(self.direction)]


def check_name(where: str, name: object) -> None:
    if not isinstance(name, str) or not name:
        raise SimulationError(f"{where}: the first argument is a name, a text that is not empty")


def check_guard(what: str, where: object) -> None:
    if where is not None and not isinstance(where, (Condition, bool)):
        raise SimulationError(f"{what}: where must be a condition such as (x > 0) & (u < 1), got {shown(where)}")


def checked_direction(where: str, direction: str | int) -> str:
    """The direction of a zero crossing as a word."""
    words = {sense: word for word, sense in DIRECTIONS.items()}
    word = direction if isinstance(direction, str) else words.get(direction) if isinstance(direction, int) else None
    if word not in DIRECTIONS:
        raise SimulationError(
            f"{where}: direction is 'rising', 'falling' or 'both' (or 1, -1, 0), got {shown(direction)}"
        )
    return str(word)


def changes(eq: Equations, where: str, new: Mapping[Any, Any]) -> dict[Symbol, Expr]:
    """New values of the state as expressions in the state before; keys are symbols or names."""
    state, constant = eq.variables.of("q u z"), eq.variables.of("p r")
    if fixed := [name_of(key) for key in new if key not in state and key in constant]:
        raise SimulationError(
            f"{where}: {fixed[0]} cannot change, the state is {listed(state.names)}; a parameter stays as it is: use an additional "
            "variable z with z' = 0, or `Modes`"
        )
    out = {s: as_expr(v) for s, v in state.resolved(new, where, SimulationError, "state").items()}
    return dict(zip(out, in_state(eq, where, list(out.values())), strict=True))


def in_state(eq: Equations, where: str, expressions: list[Expr], own: Sequence[Symbol] = ()) -> list[Expr]:
    """Expressions in terms of the state: values of u', multipliers and eliminated speeds are put in."""
    found = in_own_terms(eq, expressions, solved=True)
    allowed = {*eq.variables.arguments, *own}
    for e in found:
        if strange := [s for s in free_symbols(e) if s not in allowed]:
            raise SimulationError(
                f"{where}: depends on {listed(strange)}, which {eq.name!r} does not have; it has {listed(eq.variables.arguments)}"
            )
    return found


@dataclass(frozen=True)
class WatchedFunctions(Portable):
    """Event functions, to be pickled together."""

    functions: tuple[Expr, ...]
    sizes: tuple[Expr | None, ...]


class Watch:
    """Event functions with their rates, compiled for a form, and how much of them is rounding: of a function g that is
    a sum of terms e

        ROUNDING (Σ |e| + Σ |∂e/∂x x| + |g' t|)       x: the state, parameters and time; times are rounded too

    Where a function has no derivative (a Python function), its rate counts as unknown and its rounding as zero. Where
    sizes are given, they take the place of the sums.
    """

    def __init__(self, form: Form, functions: Sequence[Expr], sizes: Sequence[Expr | None]) -> None:
        self.count, of = len(functions), content_of(WatchedFunctions(tuple(functions), tuple(sizes)))
        self.program = form.kept("watch", lambda: {"g": [*functions, *rates_of(form, functions)]}, of=of)
        self._sizes = form.kept("sizes", lambda: {"g": sizes_of(form, functions, sizes)}, of=of)

    def callee(self, p: Array) -> Callee:
        return program_callee(self.program, {"p": p})

    def __call__(self, t: float, y: Array, p: Array) -> tuple[Array, Array, Array]:
        """Values, rates, and what of the values is rounding."""
        g = self.program(t, y, p)
        rates = g[self.count :]
        return g[: self.count], rates, ROUNDING_LEVEL * (self._sizes(t, y, p) + np.abs(rates * t))

    def is_near_zero(self, t: float, y: Array, p: Array) -> NDArray[np.bool_]:
        """Of rows of states and parameters, those at which a function is zero within some rounding."""
        g = self.program.batch(t, y, p)
        least = ROUNDING_LEVEL * (self._sizes.batch(t, y, p) + np.abs(g[:, self.count :] * np.reshape(t, (-1, 1))))
        return np.any(np.abs(g[:, : self.count]) <= NEAR_ROUNDING * least, axis=1)


def watched_values(form: Form, functions: Sequence[Expr]) -> tuple[list[Expr], list[Expr]]:
    """Event functions and after them their rates; and the sizes of the terms of each, of which a share is rounding."""
    rates, sizes = rates_of(form, functions), sizes_of(form, functions, [None] * len(functions))
    return [*functions, *rates], [size + abs(r * form.equations.t) for size, r in zip(sizes, rates, strict=True)]


def rates_of(form: Form, functions: Sequence[Expr]) -> list[Expr]:
    """Rates of event functions along the motion."""
    return _rates(functions, _flow(form) | {form.equations.t: ONE})


def sizes_of(form: Form, functions: Sequence[Expr], sizes: Sequence[Expr | None]) -> list[Expr]:
    """Sizes of the terms of event functions, but for those of time: given, or from derivatives."""
    symbols = (*form.y, *form.parameters, form.equations.t)
    pairs = zip(functions, sizes, strict=True)
    return [_size_of_terms(e, symbols) if size is None else abs(size) for e, size in pairs]


def _flow(form: Form) -> dict[Symbol, Expr]:
    """Rates of the state, of those variables that have one."""
    lines = zip(form.y, form.rates, form.algebraic, strict=True)
    return {s: r for s, r, is_algebraic in lines if not is_algebraic}


def _rates(functions: Sequence[Expr], flow: Mapping[Symbol, Expr]) -> list[Expr]:
    """Rates along the flow, all in one sweep; one by one where some of them have none."""
    try:
        known = [{s for s in free_symbols(e) if s.kind not in ("parameter", "input")} <= set(flow) for e in functions]
        moving = [e for e, is_known in zip(functions, known, strict=True) if is_known]
        found = iter(directional_derivative(Matrix(len(moving), 1, tuple(moving)), flow).entries)
        return [next(found) if is_known else ZERO for is_known in known]
    except ExpressionError:
        return [ZERO] if len(functions) == 1 else [r for e in functions for r in _rates([e], flow)]


def _size_of_terms(g: Expr, symbols: Sequence[Symbol]) -> Expr:
    size: Expr = ZERO
    left = [g]
    while left:
        e = left.pop()
        if e.op in ("add", "sub", "neg"):
            left += e.args
        else:
            size = size + abs(e) + _disturbance(e, symbols)
    return size


def _disturbance(e: Expr, symbols: Sequence[Symbol]) -> Expr:
    used = set(free_symbols(e))
    wrt = [s for s in symbols if s in used]
    try:
        slopes = gradient(e, wrt).entries if wrt else ()
    except ExpressionError:
        return ZERO
    return sum((abs(slope * s) for slope, s in zip(slopes, wrt, strict=True)), ZERO)


def watch_of(form: Form, functions: Sequence[Expr], sizes: Sequence[Expr | None] | None = None) -> Watch:
    """Compiled once, and kept as long as the form is."""
    known = tuple(sizes or [None] * len(functions))
    return form.cached("watch", (tuple(functions), known), lambda: Watch(form, functions, known))
