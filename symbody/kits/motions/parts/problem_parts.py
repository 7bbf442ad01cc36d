"""Phases of a motion and what connects them, as they are stated: ranges, conditions, costs."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final

import numpy as np

import symbody as sb

from ....argument_kinds import answered_class
from ....errors import finite_number, shown
from ....summary import Summarized, Summary, counted, listing, summary_rows
from .phase_forms import PhaseForm, checked_range, in_si, narrow, phase_form, range_text, refuse_disjoint, unit_of

Range = tuple[float, float]
FREE: Final[Range] = (-float("inf"), float("inf"))
ENDS: Final = ("start", "end")


@dataclass(frozen=True, eq=False)
class NamedTerm:
    """An expression with a name: a path constraint, a condition at an end, an integral, or a cost with its weight."""

    name: str
    expression: sb.Expr
    range: Range = FREE
    at: str = ""
    weight: float = 1.0


@answered_class
class Phase(Summarized):
    """A part of a motion with the same equations; made by `Problem.phase`. Statements return the phase, so that they can
    follow each other.

    `duration` is a symbol, for conditions and costs; `equations`, `form` and `parameters` are the arguments of the constructor.

    >>> x, v, F = sb.symbols("x v F", kind="variable")
    >>> eq = sb.from_equations({x: v, v: F}, inputs=[F])
    >>> problem = sb.kits.motions.Problem("cart")
    >>> push = problem.phase("push", eq, duration=(0.1, 10))
    >>> push.start(x=0, v=0).end(x=1, v=0).bounds(F=(-1, 1)).cost("time", integral=1)
    <Phase push of cart: 2 states, 1 input, duration 0.1 to 10 s
      states: 2 (x, v)
      inputs: 1 (F)
      costs: 1 (time)>

    See also: `kits.motions.Problem`.
    """

    def __init__(
        self, owner: str, name: str, eq: sb.Equations, duration: Any, form: str, values: Mapping[Any, Any]
    ) -> None:
        self.owner, self.name, self.equations = owner, name, eq
        self.where = f"motion {owner!r}, phase {name!r}"
        self.duration = sb.symbol(f"duration_of_{name}")
        self.begin = sb.symbol(f"begin_of_{name}")
        self.duration_range = checked_range(duration, f"{self.where}, duration", lambda: "s")
        if not self.duration_range[0] > 0:
            raise sb.ModelError(
                f"{self.where}: a duration must be positive, got {shown(duration)}; give (low, high) with a small positive low"
            )
        self._form_name, self._with_rates = form, dict[sb.Symbol, None]()
        self.form: PhaseForm = phase_form(eq, form, (), self.where)
        self.parameters = {**eq.variables.of("p").defaults, **eq.variables.of("p").numbers(values, self.where)}
        self.ranges: dict[str, dict[sb.Symbol, Range]] = {"path": {}, "start": {}, "end": {}}
        self.paths: list[NamedTerm] = []
        self.products: list[NamedTerm] = []
        self.conditions: list[NamedTerm] = []
        self.integrals: list[NamedTerm] = []
        self.costs: list[NamedTerm] = []
        self.guesses: dict[sb.Symbol, Any] = {}

    def _summary(self) -> Summary:
        low, high = self.duration_range
        span = f"{low:g} s" if low == high else f"{low:g} to {high:g} s"
        form = self.form
        rows = summary_rows(
            states=listing(form.states),
            inputs=listing(form.inputs),
            paths=listing(t.name for t in self.paths),
            conditions=listing(t.name for t in self.conditions),
            costs=listing(t.name for t in self.costs),
        )
        counts = f"{counted(len(form.states), 'state')}, {counted(len(form.inputs), 'input')}"
        return Summary(f"Phase {self.name} of {self.owner}: {counts}, duration {span}", rows)

    def _known(self) -> dict[str, sb.Symbol]:
        return {s.name: s for s in self.form.node}

    def _narrowed(self, which: str, values: Mapping[Any, Any] | None, named: Mapping[str, Any]) -> Phase:
        given = {**(values or {}), **named}
        narrow(self.ranges[which], self._known(), given, f"{self.where}, {which}", self.equations)
        return self

    def start(self, values: Mapping[Any, Any] | None = None, **named: Any) -> Phase:
        """Values at the start, by name or symbol: a number, or a range (low, high), in which None means unbounded.
        Numbers may have units: "30 deg"."""
        return self._narrowed("start", values, named)

    def end(self, values: Mapping[Any, Any] | None = None, **named: Any) -> Phase:
        """Values at the end, as for `start`."""
        return self._narrowed("end", values, named)

    def bounds(self, values: Mapping[Any, Any] | None = None, **named: Any) -> Phase:
        """Ranges (low, high) of states, inputs and, in the implicit form, multipliers and accelerations, at all times."""
        return self._narrowed("path", values, named)

    def rates(self, values: Mapping[Any, Any] | None = None, **named: Any) -> Phase:
        """Ranges of the rates of inputs: such an input is a state, and its rate, F_dot, an unknown function of time.

        >>> x, v, F = sb.symbols("x v F", kind="variable")
        >>> push = sb.kits.motions.Problem("cart").phase("push", sb.from_equations({x: v, v: F}, inputs=[F]), 2.0)
        >>> [s.name for s in push.rates(F=(-5, 5)).form.states]
        ['x', 'v', 'F']
        """
        given = {getattr(k, "name", k): v for k, v in {**(values or {}), **named}.items()}
        table = self.equations.variables.of("r")
        symbols = {table.symbol(k, f"{self.where}, rates"): v for k, v in given.items()}
        self._with_rates.update(dict.fromkeys(symbols))
        self.form = phase_form(self.equations, self._form_name, self._with_rates, self.where)
        return self._narrowed("path", {s.dot: v for s, v in symbols.items()}, {})

    def path(self, name: str, expression: Any, low: float | None = None, high: float | None = None) -> Phase:
        """low <= expression <= high at all nodes; an expression of states, inputs, time, multipliers, the name of an
        output, or text in the language of model files: "F * x_dot".

        >>> x, v, F = sb.symbols("x v F", kind="variable")
        >>> push = sb.kits.motions.Problem("cart").phase("push", sb.from_equations({x: v, v: F}, inputs=[F]), 2.0)
        >>> push = push.path("power", F * v, high=1).condition("energy", v**2 / 2, (0, 1)).integral("work", F * v, 0.5)
        >>> push = push.guess(x=[0, 1], F=0.1)
        >>> [t.name for t in (*push.paths, *push.conditions, *push.integrals)], len(push.guesses)
        (['power', 'energy', 'work'], 2)
        """
        where = f"{self.where}, path {name!r}"
        if low is None and high is None:
            raise sb.ModelError(f"{where}: give low=, high= or both")
        self.paths.append(NamedTerm(name, self.form.expression(expression, where), checked_range((low, high), where)))
        return self

    def complementary(self, name: str, first: Any, second: Any) -> Phase:
        """Two nonnegative quantities, one of which is zero at each time: a contact force and its gap, where
        the order of contacts is not known. `solve` begins with first · second <= ε for a large ε and tightens it
        (Scholtes 2001). With implicit Euler, method="radau" and degree=1, impacts take one interval (Posa, Cantu and
        Tedrake 2014).

        >>> y, v, N = sb.symbols("y v N", kind="variable")
        >>> eq = sb.from_equations({y: v, v: N - 9.81}, inputs=[N])
        >>> problem = sb.kits.motions.Problem("drop")
        >>> fall = problem.phase("fall", eq, 1.0).start(y=1, v=0).complementary("floor", N, y)
        >>> motion = fall.cost("force", integral=N**2, weight=1e-6) and problem.solve(50, method="radau", degree=1)
        >>> bool(motion.outcome), abs(float(motion["y"][-1])) < 1e-3, float((motion["N"] * motion["y"]).max()) < 1e-5
        (True, True, True)
        """
        where = f"{self.where}, complementary {name!r}"
        a, b = (self.form.expression(e, where) for e in (first, second))
        for word, e in (("first", a), ("second", b)):
            self.paths.append(NamedTerm(f"{name}, {word}", e, (0.0, float("inf"))))
        self.products.append(NamedTerm(name, a * b))
        return self

    def condition(self, name: str, expression: Any, value: Any = 0.0, *, at: str = "end") -> Phase:
        """An expression that has a value, or is in a range (low, high), at the start or at the end."""
        where = f"{self.where}, condition {name!r}"
        if at not in ENDS:
            raise sb.ModelError(f"{where}: at= is 'start' or 'end', got {shown(at)}")
        self.conditions.append(
            NamedTerm(name, self.form.expression(expression, where), checked_range(value, where), at)
        )
        return self

    def integral(self, name: str, expression: Any, value: Any) -> Phase:
        """An integral over the phase that has a value, or is in a range (low, high): a length, an amount of fuel."""
        where = f"{self.where}, integral {name!r}"
        self.integrals.append(NamedTerm(name, self.form.expression(expression, where), checked_range(value, where)))
        return self

    def cost(
        self, name: str, *, integral: Any = None, start: Any = None, end: Any = None, weight: float = 1.0
    ) -> Phase:
        """A term of the cost with a name: the integral of an expression over the phase, or its value at an end.

        weight   factor of the term in the sum
        """
        where = f"{self.where}, cost {name!r}"
        given = {k: v for k, v in (("", integral), ("start", start), ("end", end)) if v is not None}
        if len(given) != 1:
            raise sb.ModelError(f"{where}: give one of integral=, start= and end=")
        ((at, thing),) = given.items()
        factor = finite_number(weight, f"{where}, weight", sb.ModelError)
        self.costs.append(NamedTerm(name, self.form.expression(thing, where), FREE, at, factor))
        return self

    def track(self, name: str, measured: Mapping[Any, Any], *, weight: float = 1.0) -> Phase:
        """A tracking cost ∫ Σ (y - y*(t))² dt of quantities and measurements, by name, symbol or output: (times, values), with
        straight lines between them. Times are those of the motion.

        >>> x, v, F = sb.symbols("x v F", kind="variable")
        >>> problem = sb.kits.motions.Problem("cart")
        >>> follow = problem.phase("follow", sb.from_equations({x: v, v: F}, inputs=[F]), 1.0)
        >>> follow = follow.track("data", {"x": ([0, 1], [0.2, 0.4])}).bounds(F=(-1, 1))
        >>> motion = problem.solve(5)
        >>> motion.objective < 1e-6, float(motion["v"][0])
        (True, 0.2)
        """
        where, total = f"{self.where}, track {name!r}", sb.algebra.as_expr(0)
        if not measured:
            raise sb.ModelError(f"{where}: nothing is tracked; give {{name: (times, values)}}")
        for k, (key, pair) in enumerate(measured.items()):
            try:
                times, values = (np.asarray(a, dtype=float) for a in pair)
                fits = times.ndim == 1 and times.shape == values.shape and len(times) > 1 and np.diff(times).min() > 0
            except (TypeError, ValueError):
                fits = False
            if not fits or not np.isfinite([times, values]).all():
                raise sb.ModelError(
                    f"{where}, {getattr(key, 'name', key)}: expected (times, values) of one length with increasing times, got {shown(pair)}"
                )
            table = sb.integrate.interpolation(
                f"measured_{self.name}_{name}_{k}".replace(" ", "_"), times, values, "linear"
            )
            total = total + (self.form.expression(key, where) - table(self.equations.t)) ** 2
        return self.cost(name, integral=total, weight=weight)

    def avoid(self, name: str, point: Any, centre: Any, radius: float) -> Phase:
        """An obstacle: |point - centre| >= radius at all nodes. Two components are a cylinder, three a ball. The search
        stays on the side on which the guess passes; give one where the straight line leads through the obstacle.

        point    a sequence of expressions, as point.position().components(m.ground)[:2]
        centre   numbers, or expressions of parameters and time

        >>> x, y, a, b = sb.symbols("x y a b", kind="variable")
        >>> problem = sb.kits.motions.Problem("around")
        >>> go = problem.phase("go", sb.from_equations({x: a, y: b}, inputs=[a, b]), 1.0).avoid("post", (x, y), (1, 0), 0.5)
        >>> go = go.start(x=0, y=0).end(x=2, y=0).guess(y=[0, 1, 0]).cost("length", integral=a**2 + b**2)
        >>> motion = problem.solve(20)
        >>> bool(motion.outcome), float(((motion["x"] - 1) ** 2 + motion["y"] ** 2).min())
        (True, 0.25)
        """
        where = f"{self.where}, obstacle {name!r}"
        r = finite_number(radius, f"{where}, radius", sb.ModelError)
        if r <= 0:
            raise sb.ModelError(f"{where}: radius= must be positive, got {shown(radius)}")
        try:
            pairs = list(zip(point, centre, strict=True))
        except (TypeError, ValueError):
            pairs = []
        if len(pairs) not in (2, 3):
            raise sb.ModelError(
                f"{where}: point and centre have two or three components, got {shown(point)} and {shown(centre)}"
            )
        parts = [(self.form.expression(a, where), self.form.expression(b, where)) for a, b in pairs]
        return self.path(name, sum(((a - b) ** 2 for a, b in parts), sb.algebra.as_expr(0)), low=r**2)

    def guess(self, values: Mapping[Any, Any] | None = None, **named: Any) -> Phase:
        """Values near which the search begins, by name: a number, or numbers at equal distances in time. Without one, a
        state is guessed on the straight line between its start and its end."""
        given, known = {**(values or {}), **named}, {**self._known(), "duration": self.duration}
        for key, value in given.items():
            name = getattr(key, "name", key)
            narrow({}, known, {name: 0.0}, f"{self.where}, guess", self.equations)
            unit = partial(unit_of, self.equations, known[name])
            items = [
                in_si(x, f"{self.where}, guess of {name}", unit)
                for x in (value if isinstance(value, list) else [value])
            ]
            try:
                numbers = np.atleast_1d(np.asarray(items if isinstance(value, list) else items[0], dtype=float))
            except (TypeError, ValueError):
                numbers = np.full(1, np.nan)
            if numbers.ndim != 1 or not numbers.size or not np.isfinite(numbers).all():
                raise sb.ModelError(f"{self.where}, guess of {name}: expected finite numbers, got {shown(value)}")
            self.guesses[known[name]] = numbers
        return self


def range_at(phase: Phase, symbol: sb.Symbol, which: str) -> Range:
    """The range of an unknown of a node: at all times ("path"), or at an end as well."""
    low, high = phase.ranges["path"].get(symbol, FREE)
    if which == "path":
        return low, high
    own = phase.ranges[which].get(symbol, FREE)
    message = (
        f"{phase.where}: {symbol.name} is {range_text(own)} at the {which}, but its bounds are {range_text((low, high))}; "
        "widen one of them"
    )
    refuse_disjoint(own, (low, high), message)
    least = max(low, own[0])
    return least, max(min(high, own[1]), least)


def statements(phase: Phase) -> tuple[Any, ...]:
    """All statements about a phase, to find out whether it has changed."""
    terms = (*phase.paths, *phase.products, *phase.conditions, *phase.integrals, *phase.costs)
    ranges = tuple(tuple(r.items()) for r in phase.ranges.values())
    guesses = tuple((s, g.tobytes()) for s, g in phase.guesses.items())
    return phase.name, phase.form, phase.duration_range, tuple(phase.parameters.items()), ranges, terms, guesses


def with_own_parameters(phase: Phase) -> Phase:
    """A phase for a motion, which keeps its values of parameters when those of the problem change."""
    made = copy(phase)
    made.parameters = dict(phase.parameters)
    return made


@dataclass(frozen=True, eq=False)
class PhaseLink:
    """How a phase begins where another one ends: for each of its states what it is there, in symbols of the phase
    before; states of an impact follow from the impulses instead."""

    before: Phase
    after: Phase
    values: Mapping[sb.Symbol, sb.Expr]
    earlier: Mapping[str, sb.Symbol]  # states of the phase before, by name in the one that begins
    impulses: Mapping[str, Range] | None = None
    cones: Mapping[str, tuple[str, float]] = field(default_factory=dict)  # friction of impulses
    closes_cycle: bool = False  # time does not go on


@dataclass(frozen=True, eq=False)
class Repetition:
    """The end of the last phase is the start of the first: sign and name of the state at the start, by state at the
    end."""

    first: Phase
    last: Phase
    pairs: Mapping[sb.Symbol, tuple[float, sb.Symbol]]
