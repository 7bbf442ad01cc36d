"""Sampled laws: inputs that are evaluated at equal intervals of time from the state, and held between them."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from math import floor, isfinite
from typing import Any, Final

from ...algebra.graph.functions import maximum, minimum, where
from ...algebra.graph.graph import ONE, ZERO, Expr, Symbol, as_expr, symbol
from ...algebra.graph.walk import free_symbols, substitute_all
from ...algebra.printing.printing import outline
from ...argument_kinds import answered_class
from ...derivation.equations.equations import Equations
from ...derivation.equations.own_terms import in_own_symbols, in_own_terms
from ...derivation.equations.sampling import SampledVariables
from ...errors import SimulationError, SymbodyError, finite_number, listed, shown
from ...summary import Introduced, one_line_tag

DUE: Final = 1e-9  # fraction of the interval: a sample this near is due
MAX_HELD: Final = 1000  # values that wait in the queue of a delay

Law = Expr | float | Callable[..., Any]


@answered_class
@dataclass(frozen=True, eq=False, repr=False)
class SampledLaw(Introduced):
    """A law of an input as a digital controller computes it: sampled every T, delayed, limited, and held until the next
    value (zero-order hold).

        w_k = law(t_k, x(t_k)),   t_k = t_0 + k T
        input(t) = w_k  for  t_k + delay <= t < t_k + T + delay

    law      an expression in t, q, u, z, outputs, inputs, parameters and `memory`; or a Python function of t or of (t,
             q, u), without side effects, as in `simulate`. Other sampled inputs in it have the values that they hold
    every    the interval T in s; samples begin when the motion begins
    delay    in s, from a sample to its effect: transport and computing time. Until then the input is 0
    limits   (lowest, highest) of the value
    rate     the largest change per second, from sample to sample
    memory   variables of the law that are kept from sample to sample: {symbol: next value}, such as the integral of a deviation
             {i: i + T * (x_ref - x)}, with `i = sb.symbol("i", "variable")`. It starts at 0, or at `simulate(..., i=1.0)`;
             the law uses the value before the update

    A motion is divided at the samples, so that the law is evaluated exactly there, also in batches, steppers and exports.
    The input is `sim["F"]`; the values that are held are additional variables.

    >>> m = sb.Model("cart")
    >>> F = m.input("F")
    >>> rail = m.prismatic("x", m.ground, m.body("cart", mass=1.0), actuation=F)
    >>> eq = sb.derive(m)
    >>> law = sb.SampledLaw(-4 * rail.q - 2 * rail.q.dot, every=0.1, delay=0.05, limits=(-2.0, 2.0))
    >>> sim = sb.simulate(eq, 1.0, x=1.0, inputs={"F": law})
    >>> sim.at([0.04, 0.06, 0.14])["F"], sim.final["x"]
    (array([ 0., -2., -2.]), 0.231496)
    >>> law.waiting, law.limited(F, F), law.content == law.content  # how `simulate` reads it
    ((0, 0.05), minimum(2, maximum(-2, F)), True)

    See also: `simulate`, `closed_loop`, `Event`, `stepper`.
    """

    law: Law
    every: float
    delay: float = 0.0
    limits: Sequence[Any] | None = None
    rate: Any = None
    memory: Mapping[Any, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name, least in (("every", "positive"), ("delay", "not negative")):
            value = finite_number(getattr(self, name), f"sampled law: {name}", SimulationError)
            if value < 0 or (value == 0 and name == "every"):
                raise SimulationError(f"sampled law: {name} = {shown(value)} s: it must be {least}")
            object.__setattr__(self, name, value)
        if self.delay / self.every > MAX_HELD:
            raise SimulationError(
                f"sampled law: delay = {self.delay:g} s are more than {MAX_HELD} samples of {self.every:g} s; sample less often, or model the delay as a "
                "lag (m.variable)"
            )
        if self.limits is not None:
            object.__setattr__(self, "limits", _checked_limits(self.limits))
        if self.rate is not None and not isinstance(self.rate, Expr) and not (float(self.rate) > 0):
            raise SimulationError(f"sampled law: rate = {shown(self.rate)} per second: it must be positive")
        if not isinstance(self.law, Expr) and not callable(self.law):
            object.__setattr__(self, "law", as_expr(self.law))

    def __repr__(self) -> str:
        law = outline(self.law) if isinstance(self.law, Expr) else getattr(self.law, "__name__", "Python function")
        late = f", {self.delay:g} s late" if self.delay else ""
        return one_line_tag(f"SampledLaw every {self.every:g} s{late}: {law}")

    @property
    def content(self) -> Hashable:
        """The cache key: what it is made of."""
        law = self.law if isinstance(self.law, Hashable) else id(self.law)
        limits = None if self.limits is None else tuple(self.limits)
        return (
            law,
            self.every,
            self.delay,
            limits,
            self.rate,
            tuple((str(k), as_expr(v)) for k, v in self.memory.items()),
        )

    @property
    def waiting(self) -> tuple[int, float]:
        """The delay as whole intervals, and the rest in s."""
        whole = floor(self.delay / self.every + DUE)
        rest = self.delay - whole * self.every
        return whole, rest if rest > DUE * self.every else 0.0

    def limited(self, value: Expr, before: Expr) -> Expr:
        """A new value within the limits, and within the change that the rate allows."""
        if self.rate is not None:
            step = as_expr(self.rate) * self.every
            value = minimum(maximum(value, before - step), before + step)
        if self.limits is not None:
            value = minimum(maximum(value, as_expr(self.limits[0])), as_expr(self.limits[1]))
        return value


def _checked_limits(limits: Any) -> tuple[Any, Any]:
    if not isinstance(limits, (tuple, list)) or len(limits) != 2:
        raise SimulationError(f"sampled law: limits must be (lowest, highest), got {shown(limits)}")
    low, high = limits
    numbers = [x for x in limits if not isinstance(x, Expr)]
    if any(not isinstance(x, (int, float)) or not isfinite(x) for x in numbers):
        raise SimulationError(f"sampled law: limits must be two numbers or expressions, got {shown(limits)}")
    if len(numbers) == 2 and low > high:
        raise SimulationError(f"sampled law: limits = {shown(limits)}: the lowest value is above the highest")
    return low, high


# ------------------------------------------------------------------------------------------------- laws in equations


@dataclass(frozen=True)
class HeldInputs:
    """What sampled laws add to equations: the variables with their rates, the inputs that hold them, the samples."""

    rates: Mapping[Symbol, Expr]
    inputs: Mapping[Symbol, Expr]
    sampling: SampledVariables


def sampled_inputs(
    eq: Equations,
    laws: Mapping[Symbol, SampledLaw],
    called: Callable[[Symbol, Callable[..., Any]], Expr],
    error: type[SymbodyError],
) -> HeldInputs:
    """Variables and samples of laws.

    called   the call of a Python function as an expression
    """
    held: dict[Symbol, Expr] = {s: _new(eq, f"{s.name}_held") for s in laws}
    clocks: dict[tuple[float, float], tuple[Symbol, Symbol | None]] = {}
    after: dict[Symbol, Expr] = {}
    for s, law in laws.items():
        rest = law.waiting[1]
        if (law.every, rest) not in clocks:
            number = len(clocks) + 1 + (0 if eq.sampling is None else len(eq.sampling.clocks))
            clocks[law.every, rest] = (
                _new(eq, f"clock_{number}"),
                _new(eq, f"clock_{number}_phase") if rest else None,
            )
        after |= _values(eq, s, law, held, clocks[law.every, rest], called, error)
    for (every, rest), (clock, phase) in clocks.items():
        wait: Expr = as_expr(every) if phase is None else where(phase < 0.5, rest, every - rest)
        after[clock] = where(is_due(clock, every), clock + wait, clock)
        if phase is not None:
            after[phase] = where(is_due(clock, every), 1 - phase, phase)
    ticking = tuple(clock for clock, _ in clocks.values())
    rates: dict[Symbol, Expr] = {s: -ONE if s in ticking else ZERO for s in after}
    return HeldInputs(rates, held, SampledVariables(tuple(s.name for s in laws), ticking, after))


def is_due(clock: Symbol, every: float) -> Any:
    """Whether a clock has counted down to its sample, to rounding."""
    return clock < DUE * every


def _values(
    eq: Equations,
    s: Symbol,
    law: SampledLaw,
    held: Mapping[Symbol, Expr],
    clock: tuple[Symbol, Symbol | None],
    called: Callable[[Symbol, Callable[..., Any]], Expr],
    error: type[SymbodyError],
) -> dict[Symbol, Expr]:
    """New values of the variables of one law: its memory, the queue of its delay, and the value that is held."""
    where_it_is = f"input {s.name!r} of {eq.name!r}, sampled"
    ticks, phase = clock
    memory = {_memory_symbol(eq, k, where_it_is, error): as_expr(v) for k, v in law.memory.items()}
    value = called(s, law.law) if callable(law.law) else as_expr(law.law)
    written = in_own_symbols(eq, [value, *memory.values(), *_bounds(law)])
    alike = {symbol(m.name, "parameter"): m for m in memory}
    value, *rest = in_own_terms(eq, substitute_all(written, {**alike, **held}), solved=True)
    updates = dict(zip(memory, rest, strict=False))
    _refuse_unknown(eq, (value, *rest), {*memory, *held.values()}, where_it_is, error)
    whole, late = law.waiting
    out = held[s]
    assert isinstance(out, Symbol)
    queue = [_new(eq, f"{s.name}_waiting_{k + 1}") for k in range(whole + (1 if late else 0))]
    line = [*queue, out]
    new = law.limited(value, line[0])
    is_now = is_due(ticks, law.every)
    samples = is_now if phase is None else is_now & (phase < 0.5)
    acts = is_now if phase is None else is_now & (phase > 0.5)
    found = {m: where(samples, e, m) for m, e in updates.items()}
    for k, w in enumerate(line):
        when = acts if w is out and late else samples
        found[w] = where(when, new if k == 0 else line[k - 1], w)
    return found


def _bounds(law: SampledLaw) -> list[Expr]:
    return [x for x in (*(law.limits or ()), law.rate) if isinstance(x, Expr)]


def _memory_symbol(eq: Equations, key: Any, where_it_is: str, error: type[SymbodyError]) -> Symbol:
    name = getattr(key, "name", key)
    if not isinstance(name, str) or not name.isidentifier():
        raise error(f"{where_it_is}: memory must be {{symbol: next value}}, got the key {shown(key)}")
    return _new(eq, name, f"{where_it_is}: memory")


def _new(eq: Equations, name: str, where_it_is: str = "sampled law") -> Symbol:
    """A variable that the equations do not have yet."""
    if name in eq.variables.names:
        raise SimulationError(f"{where_it_is}: {eq.name!r} already has a {eq.variables[name].kind} {name!r}; rename it")
    return symbol(name, "variable")


def _refuse_unknown(
    eq: Equations, values: Sequence[Expr], own: set[Any], where_it_is: str, error: type[SymbodyError]
) -> None:
    allowed = {*eq.variables.arguments, *own}
    if strange := [x for x in free_symbols(*values) if x not in allowed and x.kind != "parameter"]:
        raise error(
            f"{where_it_is}: the law depends on {listed(strange)}; it may depend on t, coordinates, speeds, variables, outputs, "
            "inputs, parameters and its memory"
        )
