"""`SteadyMotion`: an equilibrium or relative equilibrium, and how it was found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Final

import numpy as np

from ...algebra.calculus.evaluate import evaluate
from ...algebra.graph.graph import ZERO, Expr, Symbol
from ...algebra.graph.portable import Portable
from ...algebra.graph.walk import evaluation_order, free_symbols, scalars
from ...algebra.printing.printing import tree_size_up_to
from ...argument_kinds import answered_class
from ...derivation.equations.equations import Equations
from ...derivation.equations.own_terms import in_own_terms
from ...errors import StabilityError, in_number, listed, unknown
from ...integrate.start.state import State
from ...summary import SearchOutcome, Tabular
from ..variation.parameter_samples import substituted_and_folded
from .conditions import Conditions
from .steady_problem import SteadyProblem, parameters_of, steady_problem

MAX_PRINTED: Final = 60  # largest tree size of an expression that is printed
Number = float | Expr


@answered_class
@dataclass(frozen=True, eq=False, repr=False)
class SteadyMotion(Tabular, Portable):
    """An equilibrium or relative equilibrium, in which only cyclic coordinates change, at constant rates; returned by
    `steady`.

    motion["phi"] is a number, or an expression in the parameters if the whole motion is known in closed form; names are
    those of q, u, z, the multipliers, inputs, u' and z', which `values` has, and of outputs, which `outputs` has.

    outcome        a sentence that states the result; true if the motion was found: `if motion.outcome:`
    is_steady      whether the equations are satisfied
    residual       the largest residual, relative to its terms; `worst` names the row
    drifting       coordinates that grow
    distance       from the guess to the solution: the root of the sum of squares of all changes, of angles in radians,
                   of others in units of comparable effect on the equations; multipliers and accelerations are not
                   included
    evaluations    number of evaluations of the equations and their Jacobian in the search
    notes          notes on values that keep a coordinate at rest, and on unused guesses
    undetermined   unknowns that the conditions do not determine; they keep their initial guess, except for those in
                   `moved`
    moved          guesses of undetermined unknowns that are related to each other: the motion is one of many
    expressions    closed-form values by symbol; `found` has the numbers of the `unknowns`
    defaults       parameter values used in the search
    conditions     the prescribed conditions

    >>> m = sb.Model("mass on a spring")
    >>> k, g = m.parameters("k g", 100.0, 9.81)
    >>> joint = m.prismatic("y", m.ground, m.body("mass", mass=2), axis="y", stiffness=k)
    >>> m.gravity(0, -g, 0)
    >>> rest = sb.steady(sb.derive(m))
    >>> rest["y"], rest["y_dot"], rest.is_steady
    (-0.1962, 0.0, True)

    See also: `steady`, `linearize`, `branch`.
    """

    equations: Equations
    conditions: Conditions
    expressions: Mapping[Symbol, Expr]  # of fixed and solved symbols; numbers, or in terms of parameters
    defaults: Mapping[Symbol, float]  # of parameters
    outcome: str
    is_steady: bool
    residual: float
    worst: str = ""
    undetermined: tuple[str, ...] = ()
    unknowns: tuple[Symbol, ...] = ()  # solved for by Newton's method at given parameters
    found: Mapping[Symbol, float] = field(default_factory=dict)  # their values at the defaults
    distance: float = 0.0
    evaluations: int = 0
    notes: tuple[str, ...] = ()
    moved: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "outcome", SearchOutcome(self.outcome, self.is_steady))

    def __str__(self) -> str:
        shown = [f"{k} = {_text(v)}" for k, v in self.values.items() if _text(v) != "0"]
        rest = "" if len(shown) == len(self.values) else "all others are zero" if shown else "all values are zero"
        lines = [f"Steady motion of {self.equations.name!r}: {self.outcome}", *shown, rest, *self._outputs_text()]
        if self.drifting:
            lines.append(f"drifting: {listed(self.drifting)}")
        if left := [name for name in self.undetermined if name not in self.moved]:
            lines.append(f"not determined, left at the initial guess: {listed(left)}")
        if self.moved:
            said = listed(f"{name} from {before:z.7g}" for name, before in self.moved.items())
            lines.append(f"one of many, near the initial guess; moved: {said}. Values that are given are held")
        return "\n    ".join(x for x in (*lines, *self.notes) if x)

    def _outputs_text(self) -> list[str]:
        if not self.is_steady:
            return []
        rows = ((n, x if isinstance(x, list) else [x]) for n, x in self.outputs.items())
        return [f"output {n} = {', '.join(map(_text, row))}" for n, row in rows]

    @cached_property
    def values(self) -> Mapping[str, Number]:
        """All values by name.

        >>> m = sb.Model("mass on a spring")
        >>> k, g = m.parameters("k g", 100.0, 9.81)
        >>> joint = m.prismatic("y", m.ground, m.body("mass", mass=2), axis="y", stiffness=k)
        >>> m.gravity(0, -g, 0)
        >>> m.output("drop", -joint.q)
        >>> rest = sb.steady(sb.derive(m))
        >>> rest.values["y"], rest.outputs, rest.drifting, rest.moved, rest.is_symbolic, rest.parameters
        (-0.1962, {'drop': 0.1962}, (), {}, False, (k, g))
        >>> rest.state["y"], rest.all_numbers["k"], rest.kinds["k"]
        (-0.1962, 100.0, 'parameter')
        >>> at = rest.numbers({k: 200.0, g: 9.81})
        >>> (y,) = rest.unknowns
        >>> rest.solve(at), rest.slopes(at, {y: -0.0981}, k)[y]  # m g / k²
        ({y: -0.0981}, 0.0004905)
        >>> rest.at(at, [-0.0981])["y"], rest.rows_of_names["y"], rest.output_rows, type(rest.problem).__name__
        (-0.0981, y, {'drop': (-y,)}, 'SteadyProblem')

        See also: `steady`, `linearize`.
        """
        own, known = self.equations.variables.of("q u u' z z' r lam").symbols, self._known_numbers
        named = dict.fromkeys([*own, *self.conditions.all_unknowns])
        return {s.name: _number_of(self.expressions.get(s, s), known) for s in named}

    @cached_property
    def _known_numbers(self) -> Mapping[Symbol, float]:
        """Numbers of what other values are expressed in; none of parameters where all values are expressions in them."""
        return {**({} if self.is_symbolic else self.defaults), **self.found}

    def __getitem__(self, key: str | Symbol) -> Any:
        name = key.name if isinstance(key, Symbol) else key
        if name in self.values:
            return self.values[name]
        known = {**self.values, **self.equations.outputs}
        if name not in known:
            raise unknown(f"steady motion of {self.equations.name!r}", "symbol", name, known, StabilityError)
        return self.outputs[name]

    @cached_property
    def outputs(self) -> Mapping[str, Any]:
        """Outputs by name: numbers or expressions, or lists of these for vectors and matrices."""
        out: dict[str, Any] = {}
        for name, row in self.output_rows.items():
            numbers = [_number_of(e, self._known_numbers) for e in row]
            out[name] = numbers[0] if isinstance(self.equations.outputs[name], Expr) else numbers
        return out

    @cached_property
    def output_rows(self) -> Mapping[str, tuple[Expr, ...]]:
        """Entries of the outputs as expressions in the parameters and the numerical unknowns."""
        eq = self.equations
        rows = {n: scalars(e) for n, e in eq.outputs.items()}
        seen = iter(
            substituted_and_folded(in_own_terms(eq, [e for row in rows.values() for e in row]), self.expressions)
        )
        return {name: tuple(next(seen) for _ in row) for name, row in rows.items()}

    @cached_property
    def rows_of_names(self) -> Mapping[str, Expr]:
        """Coordinates, speeds, variables, inputs and entries of outputs (place[0]) as expressions in the parameters and
        the unknowns."""
        eq = self.equations
        out = {s.name: self.expressions.get(s, s) for s in eq.variables.of("q u z r").symbols}
        for name, row in self.output_rows.items():
            is_one = isinstance(eq.outputs[name], Expr)
            out |= {name if is_one else f"{name}[{k}]": e for k, e in enumerate(row)}
        return out

    @property
    def drifting(self) -> tuple[str, ...]:
        """Coordinates that grow, at constant rates."""
        return tuple(q.name for q in self.conditions.drifting)

    @property
    def is_symbolic(self) -> bool:
        """Whether all values are expressions in the parameters."""
        return self.is_steady and not self.unknowns

    @property
    def parameters(self) -> tuple[Symbol, ...]:
        """Parameters of the model and of the conditions, except those that are unknowns."""
        return tuple(s for s in parameters_of(self.equations, self.conditions) if s not in self.unknowns)

    @property
    def kinds(self) -> Mapping[str, str]:
        """The kind of each name: those of the equations, and parameters that appear only in the conditions."""
        return {**{s.name: s.kind for s in self.parameters}, **self.equations.kinds}

    @cached_property
    def all_numbers(self) -> dict[str, float]:
        """All numerical values by name, including parameters."""
        known = {**self.defaults, **self.found}
        fixed = {s: e for s, e in self.expressions.items() if all(x in known for x in free_symbols(e))}
        fixed_numbers = zip(fixed, evaluate(list(fixed.values()), known), strict=True)
        return {s.name: float(x) for s, x in (*known.items(), *fixed_numbers)}

    @property
    def state(self) -> State:
        """The motion as a `State` at the default parameter values, to start a simulation from."""
        eq, numbers = self.equations, {**self.defaults, **self.found}
        out = {}
        for s in eq.variables.of("q u z r p").symbols:
            value = self.expressions.get(s, numbers.get(s))
            if isinstance(value, Expr):
                if missing := [x.name for x in free_symbols(value) if x not in numbers]:
                    raise StabilityError(
                        f"steady motion of {eq.name!r}: {s.name} depends on {in_number(missing, '{}, which has', '{}, which have')} no "
                        f"value; steady(..., {missing[0]}=...)"
                    )
                value = float(evaluate(value, numbers))
            if value is not None:
                out[s] = value
        return State.of(
            eq, {**out, eq.t: float(evaluate(self.expressions.get(eq.t, ZERO)))}, outcome=f"steady: {self.outcome}"
        )

    @cached_property
    def _problem(self) -> tuple[SteadyProblem, dict[Symbol, float]]:
        return steady_problem(self.equations, self.conditions, self.expressions, self.unknowns)

    @property
    def problem(self) -> SteadyProblem:
        """The equations of the motion as compiled functions of unknowns and parameters."""
        return self._problem[0]

    def numbers(self, parameters: Mapping[Symbol, float] | None = None) -> dict[Symbol, float]:
        """Values of the parameters of the problem: the defaults or given values, and numbers from the conditions."""
        return {**self.defaults, **(parameters or {}), **self._problem[1]}

    def at(
        self, parameters: Mapping[Symbol, float], w: Sequence[float], outcome: str = "found from another"
    ) -> SteadyMotion:
        """The motion of the same problem at other parameters with unknowns w, which must satisfy the equations
        there."""
        found = dict(zip(self.unknowns, map(float, w), strict=True))
        return replace(self, defaults={**self.defaults, **parameters}, found=found, outcome=outcome)

    def solve(
        self, parameters: Mapping[Symbol, float], start: Mapping[Symbol, float] | None = None
    ) -> dict[Symbol, float]:
        """Values of `unknowns` at other parameters, found by a search from the present values."""
        if not self.unknowns:
            return {}
        if start is None and all(self.defaults.get(s) == v for s, v in parameters.items()):
            return dict(self.found)  # at hand: what the conditions leave open must not move
        begin = np.array([(start or self.found)[s] for s in self.unknowns])
        reached = self.problem.system(self.numbers(parameters)).zero(begin)
        if not reached.holds:
            name, size = self.problem.worst(reached)
            changed = {s.name: v for s, v in parameters.items() if self.defaults.get(s) != v}
            raise StabilityError(
                f"{self.equations.name!r}: no steady motion was found at {listed(f'{k}={v:z.6g}' for k, v in changed.items())}, starting "
                f"from the one at hand; {size:z.3g} is left in {name}. Go there in smaller steps, or call steady(...) there"
            )
        return dict(zip(self.unknowns, map(float, reached.x), strict=True))

    def slopes(self, parameters: Mapping[Symbol, float], at: Mapping[Symbol, float], by: Symbol) -> dict[Symbol, float]:
        """Derivatives of `unknowns` with respect to a parameter, by implicit differentiation."""
        return self.problem.slopes(self.numbers(parameters), at, by)


def _number_of(e: Expr, numbers: Mapping[Symbol, float]) -> Number:
    return float(evaluate(e, numbers)) if all(s in numbers for s in free_symbols(e)) else e


def _text(value: Number) -> str:
    if isinstance(value, Expr):
        return (
            str(value)
            if tree_size_up_to(MAX_PRINTED, [value]) < MAX_PRINTED
            else f"<{len(evaluation_order([value]))} operations>"
        )
    return "0" if abs(value) < 1e-13 else f"{value:z.10g}"
