"""`steady`: equilibria and relative equilibria, in closed form where the conditions are linear, else by Newton's method."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ..algebra.derivatives import directional_derivative, jacobian
from ..algebra.evaluate import evaluate
from ..algebra.graph import ONE, ZERO, Expr, Symbol, as_expr
from ..algebra.matrix import Matrix
from ..algebra.nonlinear import Solution, System
from ..algebra.portable import Portable
from ..algebra.printing import tree_size_up_to
from ..algebra.rounding import UNIT, rounding
from ..algebra.walk import free_symbols, ordered, scalars, substitute_all
from ..derive.equations import Equations, of_equations
from ..derive.keywords import values_by_name
from ..emit.program.lower import program
from ..emit.run.callable import Array, compile_program
from ..errors import StabilityError, finite_number, listed, unknown
from ..integrate.inputs import with_inputs
from ..integrate.state import Start, State, is_whole_state, start_values
from ..summary import Tabular
from .conditions import ConditionRow, Conditions, conditions
from .parameter_samples import Sample, cleaned, folded, sample_at, samples, vanishing
from .pivoting import solved

STARTS: Final = 16
LONG: Final = 60  # expressions with more parts are not printed
Number = float | Expr


@dataclass(frozen=True, eq=False, repr=False)
class SteadyMotion(Tabular, Portable):
    """An equilibrium or relative equilibrium: only cyclic coordinates change, at constant rates; made by `steady`.

    motion["phi"] is a number, or an expression in the parameters where the motion is known in closed form; names are those of q, u,
    z, the multipliers, inputs, u' and z', which `values` has, and of outputs, which `outputs` has.

    outcome        the result in a sentence
    is_steady      whether the rows vanish
    residual       the largest row, in units of its own terms; `worst` names it
    drifting       coordinates that grow
    undetermined   unknowns that the conditions leave open; they stay where the search started
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

    def __str__(self) -> str:
        shown = [f"{k} = {_text(v)}" for k, v in self.values.items() if _text(v) != "0"]
        rest = "everything else is zero" if len(shown) < len(self.values) else ""
        lines = [f"Steady motion of {self.equations.name!r}: {self.outcome}", *shown, rest]
        if self.drifting:
            lines.append(f"drifting: {listed(self.drifting)}")
        if self.undetermined:
            lines.append(f"not determined, left at the initial guess: {listed(self.undetermined)}")
        return "\n    ".join(x for x in lines if x)

    @cached_property
    def values(self) -> Mapping[str, Number]:
        """Everything by name."""
        eq = self.equations
        own = eq.variables.of("q u u' z z' r lam").symbols
        return {s.name: self._value(s) for s in [*own, *(s for s in self.unknowns if s in eq.p)]}

    def _value(self, s: Symbol) -> Number:
        e = self.expressions.get(s)
        if e is None:
            return self.found[s]
        return float(evaluate(e)) if not free_symbols(e) else e

    def __getitem__(self, name: str) -> Any:
        if name in self.values:
            return self.values[name]
        known = {**self.values, **self.equations.outputs}
        if name not in known:
            raise unknown(f"steady motion of {self.equations.name!r}", "symbol", name, known, StabilityError)
        return self.outputs[name]

    @cached_property
    def outputs(self) -> Mapping[str, Any]:
        """Outputs by name: numbers or expressions, of vectors and matrices lists of these."""
        eq = self.equations
        table = {**self.expressions, **{s: as_expr(x) for s, x in self.found.items()}}
        rows = {n: scalars(e) for n, e in eq.outputs.items()}
        seen = iter(folded(eq.in_own_terms([e for row in rows.values() for e in row]), table))
        parameters = {} if self.is_symbolic else self.defaults
        out: dict[str, Any] = {}
        for name, row in rows.items():
            numbers = [_number_of(e, parameters) for e in (next(seen) for _ in row)]
            out[name] = numbers[0] if isinstance(eq.outputs[name], Expr) else numbers
        return out

    @property
    def drifting(self) -> tuple[str, ...]:
        return tuple(q.name for q in self.conditions.drifting)

    @property
    def is_symbolic(self) -> bool:
        """Whether all values are expressions in the parameters."""
        return self.is_steady and not self.unknowns

    @property
    def parameters(self) -> tuple[Symbol, ...]:
        """Parameters of the model and of the conditions that are not unknowns themselves."""
        return tuple(s for s in parameters_of(self.equations, self.conditions) if s not in self.unknowns)

    @property
    def kinds(self) -> Mapping[str, str]:
        """The kind of each name: those of the equations, and parameters that only the conditions have."""
        return {**{s.name: s.kind for s in self.parameters}, **self.equations.kinds}

    @property
    def state(self) -> State:
        """As numbers, at the default values of the parameters; to start from."""
        eq, numbers = self.equations, {**self.defaults, **self.found}
        out = {}
        for s in eq.variables.of("q u z r p").symbols:
            value = self.expressions.get(s, numbers.get(s))
            if isinstance(value, Expr):
                if missing := [x.name for x in free_symbols(value) if x not in numbers]:
                    raise StabilityError(
                        f"steady motion of {eq.name!r}: {s.name} depends on {listed(missing)}, which have no value; steady(..., {missing[0]}=...)"
                    )
                value = float(evaluate(value, numbers))
            if value is not None:
                out[s] = value
        return State.of(
            eq, {**out, eq.t: float(evaluate(self.expressions.get(eq.t, ZERO)))}, outcome=f"steady: {self.outcome}"
        )

    @cached_property
    def _problem(self) -> _Problem:
        return _Problem(self.equations, self.conditions, self.expressions, self.unknowns)

    def solve(
        self, parameters: Mapping[Symbol, float], start: Mapping[Symbol, float] | None = None
    ) -> dict[Symbol, float]:
        """Values of `unknowns` at other parameters, found from those at hand."""
        if not self.unknowns:
            return {}
        begin = np.array([(start or self.found)[s] for s in self.unknowns])
        reached = self._problem.system(parameters).zero(begin)
        if not reached.holds:
            name, size = self._problem.worst(reached)
            changed = {s.name: v for s, v in parameters.items() if self.defaults.get(s) != v}
            raise StabilityError(
                f"{self.equations.name!r}: no steady motion was found at {listed(f'{k}={v:.6g}' for k, v in changed.items())}, starting "
                f"from the one at hand; {size:.3g} is left in {name}. Go there in smaller steps, or call steady(...) there"
            )
        return dict(zip(self.unknowns, map(float, reached.x), strict=True))

    def slopes(self, parameters: Mapping[Symbol, float], at: Mapping[Symbol, float], by: Symbol) -> dict[Symbol, float]:
        """Rates of change of `unknowns` with a parameter, from the rows staying zero."""
        return self._problem.slopes(parameters, at, by)


def _number_of(e: Expr, numbers: Mapping[Symbol, float]) -> Number:
    return float(evaluate(e, numbers)) if all(s in numbers for s in free_symbols(e)) else e


def _text(value: Number) -> str:
    if isinstance(value, Expr):
        return str(value) if tree_size_up_to(LONG, [value]) < LONG else f"<{len(ordered([value]))} operations>"
    return "0" if abs(value) < 1e-13 else f"{value:.10g}"


@of_equations
@values_by_name(StabilityError)
def steady(
    equations: Equations, values: Mapping[Any, Any] | None = None, *, zero: Iterable[Any] = (), free: Iterable[Any] = (),
    start: Start | None = None, inputs: Mapping[Any, Any] | None = None, options: Mapping[str, Any] | None = None, **named: Any,
) -> SteadyMotion:  # fmt: skip
    """An equilibrium, or a motion in which only cyclic coordinates grow: `steady(eq, {x.dot: V}, zero=[y, psi, phi], V=5.0)`.

    values   of coordinates, speeds, inputs, outputs (by name or symbol), or of expressions in them: numbers, or expressions in parameters (new ones
             too); numbers of parameters, and of the time t, where they are not those of the model. By name also as keywords
    zero     what has the value zero; a coordinate that has a value does not drift
    free     unknown beside the state and the multipliers: inputs or parameters to be found; q.dot of a coordinate that is to drift
             although it is not cyclic (the heading of a vehicle that turns)
    start    where the search begins, where zero is not near: values by name or symbol, a `State`, another `SteadyMotion`, the end of a
             `Trajectory`
    inputs   laws as in `simulate`: the equations of the result are those of the closed loop

    Cyclic coordinates, on which no entry of the equations depends, may drift; all others stand still. Inputs are zero unless they have a value or are free. Where the rest
    follows from linear equations alone, and holds for all parameters, the result has expressions in the parameters; otherwise it has
    numbers. `outcome` says what happened; the residual is shown, and what the conditions left open.
    """
    eq, constants = with_inputs(equations, inputs or {}, StabilityError)
    near = start_values(start, f"steady motion of {equations.name!r}")
    given, numbers, time = _sorted(eq, {**constants, **(values or {})})
    asked = conditions(eq, given, zero, free, _near(eq, near), time)
    begin = _started(eq, asked, _unknowns_only(asked, near) if is_whole_state(start) else near)
    defaults = _defaults(eq, asked, numbers)
    closed = None if _free_parameters(asked) else _closed_form(eq, asked, begin, defaults)
    return _refused_in_time(closed or _by_newton(eq, asked, begin, defaults))


def _sorted(eq: Equations, values: Mapping[Any, Any]) -> tuple[dict[Any, Any], dict[str, Any], float]:
    """Values that are conditions; numbers of parameters, by name; the time."""
    new = {s.name for x in values.values() if isinstance(x, Expr) for s in free_symbols(x) if s.kind == "parameter"}
    parameters = {s.name for s in eq.p} | (new - eq.kinds.keys())
    given: dict[Any, Any] = {}
    numbers: dict[str, Any] = {}
    time = 0.0
    for key, value in values.items():
        if key == eq.t.name:
            time = float(value)
        elif key in parameters and not (isinstance(value, Expr) and free_symbols(value)):
            numbers[key] = value
        else:
            given[key] = value
    return given, numbers, time


def _unknowns_only(asked: Conditions, start: Mapping[Any, float]) -> dict[Any, float]:
    """The unknowns among the values of a whole state."""
    names = {s.name for s in asked.all_unknowns}
    return {k: v for k, v in start.items() if k in names}


def _refused_in_time(motion: SteadyMotion) -> SteadyMotion:
    """A motion is not steady where a row changes with time alone, or with an input that does not stand still."""
    eq = motion.equations
    moving: dict[Symbol, Expr] = {eq.t: ONE}
    for v in eq.variables.of("r r' r''"):
        if v.rate_of is not None and motion.expressions.get(v.symbol, ZERO) is not ZERO:
            moving[v.rate_of] = motion.expressions[v.symbol]
    rows = [r for r in motion.conditions.rows if not moving.keys().isdisjoint(free_symbols(r.expression))]
    if not rows or not motion.is_steady:
        return motion
    slopes = folded([directional_derivative(r.expression, moving) for r in rows], motion.expressions)
    at = sample_at(slopes, {**motion.defaults, **motion.found})
    for row, slope in zip(rows, slopes, strict=True):
        if abs(evaluate(slope, at)) > 1e-9:
            said = f"not steady: {row.name} changes with time, by {evaluate(slope, at):.4g} in a second"
            return replace(motion, outcome=said, is_steady=False, worst=row.name)
    return motion


def _near(eq: Equations, start: Mapping[Any, float]) -> dict[Symbol, float]:
    return {
        q: finite_number(v, f"start of {q.name}", StabilityError)
        for q in eq.q
        for k, v in start.items()
        if k in (q, q.name)
    }


def _free_parameters(asked: Conditions) -> list[Symbol]:
    return [s for s in asked.all_unknowns if s.kind == "parameter"]


def parameters_of(eq: Equations, asked: Conditions) -> list[Symbol]:
    """Parameters of the model, then those that only the conditions have."""
    more = free_symbols(*asked.fixed.values(), *(r.expression for r in asked.rows if r.name.startswith("given ")))
    return list(dict.fromkeys([*eq.p, *(s for s in more if s.kind == "parameter")]))


def _defaults(eq: Equations, asked: Conditions, values: Mapping[str, float]) -> dict[Symbol, float]:
    known = eq.variables.of("p").having(parameters_of(eq, asked), "p")
    fixed = {s: float(evaluate(v)) for s, v in asked.fixed.items() if s.kind == "parameter" and not free_symbols(v)}
    return {**known.defaults, **fixed, **known.numbers(values, f"steady motion of {eq.name!r}", StabilityError)}


def _started(eq: Equations, asked: Conditions, start: Mapping[Any, float]) -> dict[Symbol, float]:
    more = (s for s in asked.all_unknowns if s.kind == "parameter")
    unknowns = eq.variables.having(more, "p").only(asked.all_unknowns)
    begin = {s: unknowns[s].neutral for s in asked.all_unknowns}
    return begin | unknowns.numbers(start, f"steady(start=...) of {eq.name!r}", StabilityError, "unknown")


# ---------------------------------------------------------------------------------------------------- in closed form


def _closed_form(
    eq: Equations, asked: Conditions, begin: Mapping[Symbol, float], defaults: Mapping[Symbol, float]
) -> SteadyMotion | None:
    """Coordinates where the search would begin, all else from linear equations; None where that does not hold for all parameters."""
    table: dict[Symbol, Expr] = dict(asked.fixed)
    table |= {s: as_expr(begin[s]) for s in asked.unknowns["coordinates"]}
    rows = dict(zip(asked.rows, folded([r.expression for r in asked.rows], table), strict=True))
    if not _all_vanish([e for r, e in rows.items() if r.stage == "coordinates"], defaults):
        return None
    undetermined: list[Symbol] = []
    for stage in ("speeds", "accelerations", "loads"):
        here = folded([e for r, e in rows.items() if r.stage == stage], table)
        found = _linear_solution(here, asked.unknowns[stage], begin, defaults)
        if found is None:
            return None
        table |= found[0]
        undetermined += found[1]
    loose = _untouched(asked)
    (tidy,) = cleaned([Matrix(len(table), 1, tuple(table.values()))], defaults)
    table = dict(zip(table, tidy.entries, strict=True))
    return SteadyMotion(
        eq, asked, table, defaults, "holds for all parameters; every row vanishes identically", True, 0.0,
        undetermined=tuple(s.name for s in (*loose, *undetermined)),
    )  # fmt: skip


def _all_vanish(things: list[Expr], defaults: Mapping[Symbol, float]) -> bool:
    return all(vanishing(things, defaults)) if things else True


def _linear_solution(
    rows: list[Expr], unknowns: tuple[Symbol, ...], begin: Mapping[Symbol, float], defaults: Mapping[Symbol, float]
) -> tuple[dict[Symbol, Expr], list[Symbol]] | None:
    """Unknowns in which the rows are linear; those that they leave open stay where the search begins."""
    slopes = jacobian(rows, unknowns) if unknowns else Matrix(len(rows), 0, ())
    if set(free_symbols(slopes)) & set(unknowns):
        return None
    right = substitute_all([-e for e in rows], dict.fromkeys(unknowns, ZERO)) if unknowns else [-e for e in rows]
    if not unknowns:
        return ({}, []) if _all_vanish(right, defaults) else None
    sample: Sample = samples([slopes, *right], defaults, 1)[0]
    solution = solved(slopes, Matrix(len(right), 1, tuple(right)), sample)
    if not _all_vanish(list(solution.left.entries), defaults):
        return None
    free = [unknowns[j] for j in solution.free]
    if held := {s: as_expr(begin[s]) for s in free if begin[s]}:
        others = tuple(s for s in unknowns if s not in held)
        rest = _linear_solution(folded(rows, held), others, begin, defaults)
        return None if rest is None else ({**held, **rest[0]}, free)
    return dict(zip(unknowns, solution.x.entries, strict=True)), free


def _untouched(asked: Conditions) -> list[Symbol]:
    """Cyclic coordinates, which stay at the initial guess."""
    seen = set(free_symbols(*(r.expression for r in asked.rows)))
    return [q for q in asked.unknowns["coordinates"] if q in asked.drifting or q not in seen]


# ---------------------------------------------------------------------------------------------------- by Newton's method


class _Problem:
    """Rows and their Jacobian, compiled, as functions of unknowns and parameters."""

    def __init__(
        self, eq: Equations, asked: Conditions, expressions: Mapping[Symbol, Expr], unknowns: tuple[Symbol, ...]
    ) -> None:
        self.eq, self.fixed, self.unknowns = eq, expressions, unknowns
        self.rows: list[ConditionRow] = list(asked.rows)
        self.expressions = folded([r.expression for r in self.rows], expressions)
        self.parameters = [s for s in parameters_of(eq, asked) if s not in unknowns]

    @cached_property
    def _slopes(self) -> Matrix:
        return jacobian(self.expressions, self.unknowns)

    @cached_property
    def _unfolded_slopes(self) -> Matrix:
        return jacobian([r.expression for r in self.rows], self.unknowns)

    @cached_property
    def _compiled(self) -> Any:
        outputs = {"r": self.expressions, "J": [*self._slopes.entries]}
        groups = {"w": list(self.unknowns), "p": list(self.parameters)}
        return compile_program(program("steady_rows", groups, outputs))

    @cached_property
    def _linear(self) -> NDArray[np.bool_]:
        """Multipliers and accelerations, where rows are linear in all of them together."""
        linear = [s.kind in ("multiplier", "acceleration") for s in self.unknowns]
        columns = [self._slopes.column(j) for j, is_linear in enumerate(linear) if is_linear]
        met = {s for s in free_symbols(*(e for c in columns for e in c)) if s.kind in ("multiplier", "acceleration")}
        return np.array(linear, dtype=bool) & (not met.intersection(self.unknowns))

    def system(self, parameters: Mapping[Symbol, float]) -> System:
        """The rows at numbers for the parameters."""
        p = np.array([parameters[s] for s in self.parameters])
        shape = len(self.rows), len(self.unknowns)

        def rows_and_slopes(w: Array) -> tuple[Array, Array]:
            r, J = self._compiled(w, p)
            return r, J.reshape(shape)

        def bounds(things: Sequence[Expr], w: Array) -> Array:
            """Before anything is folded in: sin(π) of a value that was given is a rounded zero, not a number of its own."""
            values = dict(zip((*self.unknowns, *self.parameters), map(float, (*w, *p)), strict=True))
            known = dict(zip(self.fixed, evaluate(list(self.fixed.values()), values), strict=True))
            return np.array(rounding(things, {**values, **known}))

        return System(
            rows_and_slopes, linear=self._linear,
            rounding=_once(lambda w: bounds([r.expression for r in self.rows], w)),
            slope_rounding=_once(lambda w: bounds(self._unfolded_slopes.entries, w).reshape(shape)),
        )  # fmt: skip

    def worst(self, reached: Solution) -> tuple[str, float]:
        return self.rows[reached.worst].name, float(reached.F[reached.worst])

    def slopes(self, parameters: Mapping[Symbol, float], at: Mapping[Symbol, float], by: Symbol) -> dict[Symbol, float]:
        p = np.array([parameters[s] for s in self.parameters])
        w = np.array([at[s] for s in self.unknowns])
        _, J = self._compiled(w, p)
        if by not in self._compiled_by:
            self._compiled_by[by] = self._by(by)
        right = np.atleast_1d(self._compiled_by[by](w, p))
        scaled = J.reshape(len(self.rows), len(self.unknowns))
        step = np.linalg.lstsq(scaled, -right, rcond=1e-11)[0]
        return dict(zip(self.unknowns, map(float, step), strict=True))

    @cached_property
    def _compiled_by(self) -> dict[Symbol, Any]:
        """Derivatives of the rows, by the parameter that they are with respect to."""
        return {}

    def _by(self, parameter: Symbol) -> Any:
        outputs = {"r_p": [*jacobian(self.expressions, [parameter]).entries]}
        groups = {"w": list(self.unknowns), "p": list(self.parameters)}
        return compile_program(program("steady_slopes", groups, outputs))


def _once(function: Callable[[Array], Array]) -> Callable[[Array], Array]:
    """The same function, which keeps its last value: bounds cost more than many steps, and are asked for twice at the end."""
    last: list[tuple[bytes, Array]] = []

    def kept(w: Array) -> Array:
        key = w.tobytes()
        if not last or last[0][0] != key:
            last[:] = [(key, function(w))]
        return last[0][1]

    return kept


def _by_newton(
    eq: Equations, asked: Conditions, begin: Mapping[Symbol, float], defaults: Mapping[Symbol, float]
) -> SteadyMotion:
    unknowns = asked.all_unknowns
    problem = _Problem(eq, asked, asked.fixed, unknowns)
    if missing := [s.name for s in problem.parameters if s not in defaults]:
        raise StabilityError(
            f"steady motion of {eq.name!r}: no value for {listed(missing)}, and the motion is not known in closed form; give "
            f"steady(..., {missing[0]}=...)"
        )
    best, _ = problem.system(defaults).first_zero(_starts(asked, begin))
    name, size = problem.worst(best) if len(best.F) else ("", 0.0)
    loose = [s.name for s, x in zip(unknowns, best.loose, strict=True) if x > 1e-6]
    freedom = f"rank {best.rank} of {len(problem.rows)} rows in {len(unknowns)} unknowns"
    said = (
        f"found in {best.steps} steps, {freedom}, largest row {abs(size):.2g} ({name})"
        if best.holds
        else f"not found from {STARTS} starts; nearest: {size:.4g} is left in {name}, {freedom}; {best.outcome.value}"
    )
    return SteadyMotion(
        eq, asked, asked.fixed, defaults, said, best.holds, best.size * UNIT, name, tuple(loose), unknowns,
        dict(zip(unknowns, map(float, best.x), strict=True)),
    )  # fmt: skip


def _starts(asked: Conditions, begin: Mapping[Symbol, float]) -> Iterator[Array]:
    draw = np.random.default_rng(1)
    first = np.array([begin[s] for s in asked.all_unknowns])
    shaken = ("coordinate", "speed", "parameter")
    moved = np.array([s.kind in shaken and s not in asked.drifting for s in asked.all_unknowns], dtype=bool)
    yield first
    for k in range(1, STARTS):
        yield first + moved * draw.uniform(-1, 1, len(first)) * 0.2 * k
