"""`steady`: equilibria and relative equilibria, in closed form where the conditions are linear, else by Newton's
method."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final

import numpy as np

from ...algebra.calculus.derivatives import directional_derivative, jacobian
from ...algebra.calculus.evaluate import evaluate
from ...algebra.calculus.rounding import UNIT_ROUNDOFF
from ...algebra.graph.graph import ONE, ZERO, Expr, Symbol, as_expr
from ...algebra.graph.matrix import Matrix
from ...algebra.graph.walk import evaluation_order, free_symbols, nodes_with, substitute_all
from ...algebra.nonlinear.trust_region import Array, Rank
from ...algebra.nonlinear.zeros import MAX_STARTS, FoundZero, ZeroSearch
from ...derivation.equations.equation_arguments import of_equations
from ...derivation.equations.equations import Equations
from ...derivation.equations.keywords import values_by_name, values_in_si
from ...derivation.equations.sampling import refuse_samples
from ...errors import EvaluationError, ExpressionError, StabilityError, advised_error, finite_number, in_number, listed
from ...integrate.inputs.inputs import with_inputs
from ...integrate.start.state import Start, is_whole_state, start_values
from ..variation.condition_rows import ConditionRow
from ..variation.parameter_samples import (
    Sample,
    array,
    arrays,
    sample_at,
    samples,
    substituted_and_folded,
    vanishing,
    with_exact_entries,
)
from ..variation.pivoting import pivoted_solution
from .conditions import Conditions, conditions
from .steady_motion import SteadyMotion
from .steady_problem import SINGULAR_MASS, SteadyProblem, least_part, parameters_of, steady_problem

MAX_RESIDUAL: Final = 1e-6  # residual of a row, relative to |J| times the unknowns, above which it does not vanish
MOVED: Final = 1e-9  # change of an unknown, relative to its value, from which on it was moved
UNDETERMINED: Final = 1e-6  # component of an unknown in the null space above which it is undetermined


@values_by_name(StabilityError)
@of_equations
def steady(
    equations: Equations, values: Mapping[Any, Any] | None = None, *, zero: Iterable[Any] = (), free: Iterable[Any] = (),
    turning: Any = None, start: Start | None = None, inputs: Mapping[Any, Any] | None = None, options: Mapping[str, Any] | None = None,
    **named: Any,
) -> SteadyMotion:  # fmt: skip
    """Find an equilibrium, or a motion in which only cyclic coordinates grow: `steady(eq, {x.dot: V}, zero=[y, psi,
    phi], V=5.0)`.

    values   of coordinates, speeds, inputs, outputs (by name or symbol), or of expressions in them: numbers, or
             expressions in parameters (new ones too); values of parameters and of the time t that differ from the
             model. Also as keywords
    zero     quantities that are zero; a cyclic coordinate with a value does not drift
    free     additional unknowns: inputs or parameters to find; q.dot of a coordinate that drifts although it is not
             cyclic (the heading of a turning vehicle); or a speed that may be nonzero
    turning  an axis of the ground about which the whole mechanism rotates, "z" or (0, 0, 1), at an unknown rate
             (`motion["turn_z"]` if no coordinate has that rate), or a mapping from axes to rates: {"z": 2.0}
    start    the initial guess, zero by default: values by name or symbol, a `State`, another `SteadyMotion` or its
             values, or a `Trajectory`, whose end is used
    inputs   laws as in `simulate`: the equations of the result are those of the closed loop

    Cyclic coordinates, on which the equations do not depend, may drift; all others are at rest unless you prescribe a
    rate or a speed. Then the motion may follow the symmetries of the equations that have this rate (rotations of the
    whole mechanism about any axis, spins of bodies, shafts that rotate together), in any coordinates. Inputs are zero
    unless they have a value or are free. If the solution follows from linear equations and holds for all parameters,
    the result contains expressions in the parameters. Otherwise it contains numbers: the solution found that is nearest
    to the guess. `outcome` states the result, `distance` the distance from the guess; the printed form shows the
    residual and the quantities that the conditions do not determine.

    >>> x, v, k, g = sb.symbols("x v k g")
    >>> eq = sb.from_equations({x: v, v: g - k * x}, {k: 4.0, g: 9.81})
    >>> rest = sb.steady(eq)
    >>> rest["x"], rest.is_steady
    (g/k, True)

    See also: `steady_motions`, `stability.SteadyMotion`, `linearize`, `branch`.
    """
    refuse_samples(equations, "steady", StabilityError)
    asked = question(equations, values, zero, free, turning, start, inputs)
    closed = _closed_form(asked) if _may_be_closed(asked) else None
    return _refused_in_time(closed or _in_numbers(asked, lambda search: [search.nearest()])[0])


@values_by_name(StabilityError)
@of_equations
def steady_motions(
    equations: Equations, values: Mapping[Any, Any] | None = None, *, count: int = 8, zero: Iterable[Any] = (), free: Iterable[Any] = (),
    turning: Any = None, start: Start | None = None, inputs: Mapping[Any, Any] | None = None, options: Mapping[str, Any] | None = None,
    **named: Any,
) -> tuple[SteadyMotion, ...]:  # fmt: skip
    """Find up to `count` steady motions numerically, the nearest to the guess first. The other arguments are those of
    `steady`.

    Known solutions are removed by deflation, and the search continues from the guess and from points around it. There
    may be solutions that are not found. Motions that differ only in undetermined quantities count as one.

    >>> x, v = sb.symbols("x v", "variable")
    >>> eq = sb.from_equations({x: v, v: 1 - x**2})
    >>> sorted(round(float(rest["x"]), 6) for rest in sb.steady_motions(eq, count=2, start={"x": 0.4}))
    [-1.0, 1.0]

    See also: `steady`, `branch`.
    """
    refuse_samples(equations, "steady_motions", StabilityError)
    asked = question(equations, values, zero, free, turning, start, inputs)
    return tuple(map(_refused_in_time, _in_numbers(asked, lambda search: search.several(count))))


@dataclass(frozen=True)
class SteadyQuestion:
    """A request for steady motions of some equations: conditions, start, values of parameters."""

    equations: Equations
    conditions: Conditions
    begin: Mapping[Symbol, float]
    defaults: Mapping[Symbol, float]
    notes: tuple[str, ...] = ()

    @cached_property
    def _problem(self) -> tuple[SteadyProblem, dict[Symbol, float]]:
        asked = self.conditions
        return steady_problem(self.equations, asked, asked.fixed, asked.all_unknowns)

    @property
    def problem(self) -> SteadyProblem:
        """The rows in numbers; compiled once for all questions about the same things."""
        return self._problem[0]

    @property
    def numbers(self) -> dict[Symbol, float]:
        """Values of the problem's parameters, as far as they are known."""
        return {**self.defaults, **self._problem[1]}

    @property
    def missing(self) -> list[str]:
        return [s.name for s in self.problem.parameters if s not in self.numbers]

    @property
    def search(self) -> ZeroSearch:
        return self.problem.search(self.numbers, self.begin)


def question(
    equations: Equations, values: Mapping[Any, Any] | None, zero: Iterable[Any], free: Iterable[Any], turning: Any, start: Start | None,
    inputs: Mapping[Any, Any] | None,
) -> SteadyQuestion:  # fmt: skip
    eq, constants = with_inputs(equations, inputs or {}, StabilityError)
    where = f"steady motion of {equations.name!r}"
    near = values_in_si(_start_numbers(start, where), where, StabilityError, eq)
    given, numbers, time = _conditions_and_numbers(eq, {**constants, **(values or {})})
    asked = conditions(eq, given, zero, free, turning, _near(eq, near), time)
    defaults = _defaults(eq, asked, numbers)
    known = _numbers_of_start(eq, near, {getattr(k, "name", k) for k in given}, defaults)
    begin, notes = _start_of_unknowns(eq, asked, known, is_whole_state(start))
    return SteadyQuestion(eq, asked, begin, defaults, (*asked.notes, *notes))


def _start_numbers(start: Start | None, where: str) -> dict[str, Any]:
    """By name; of another steady motion also forces and accelerations, which are not part of a state."""
    is_found = isinstance(start, SteadyMotion) and bool(start.unknowns)
    return start.all_numbers if isinstance(start, SteadyMotion) and is_found else dict(start_values(start, where))


def _numbers_of_start(
    eq: Equations, near: Mapping[str, Any], given: Collection[str], numbers: Mapping[Any, float]
) -> dict[str, float]:
    """Numbers of a start that may contain expressions; fixed symbols are not unknowns and get any number."""
    out: dict[str, float] = {}
    for name, value in near.items():
        missing = [s for s in free_symbols(value) if s not in numbers] if isinstance(value, Expr) else []
        if missing and name not in given:
            raise StabilityError(
                f"steady motion of {eq.name!r}: the start has {name} = {value}, and {in_number(missing, '{} has', '{} have')} no number; "
                f"give it as well, steady(eq, ..., {missing[0]}=...)"
            )
        out[name] = 0.0 if missing else float(evaluate(value, numbers)) if isinstance(value, Expr) else value
    return out


def _conditions_and_numbers(eq: Equations, values: Mapping[Any, Any]) -> tuple[dict[Any, Any], dict[str, Any], float]:
    """Values that are conditions; values of parameters, by name; the time."""
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


def _refused_in_time(motion: SteadyMotion) -> SteadyMotion:
    """A motion is not steady where a row changes with time alone, or with an input that does not stand still."""
    eq = motion.equations
    moving: dict[Symbol, Expr] = {eq.t: ONE}
    for v in eq.variables.of("r r' r''"):
        if v.rate_of is not None and motion.expressions.get(v.symbol, ZERO) is not ZERO:
            moving[v.rate_of] = motion.expressions[v.symbol]
    rows = _containing(eq, motion.conditions.rows, tuple(moving))
    if not rows or not motion.is_steady:
        return motion
    slopes = substituted_and_folded([directional_derivative(r.expression, moving) for r in rows], motion.expressions)
    at = sample_at(slopes, {**motion.defaults, **motion.found})
    for row, slope in zip(rows, slopes, strict=True):
        if abs(evaluate(slope, at)) > 1e-9:
            said = f"not steady: {row.name} changes with time, by {evaluate(slope, at):z.4g} in a second"
            return replace(motion, outcome=said, is_steady=False, worst=row.name)
    return motion


def _containing(eq: Equations, rows: tuple[ConditionRow, ...], symbols: tuple[Symbol, ...]) -> list[ConditionRow]:
    def found() -> list[int]:
        expressions = [r.expression for r in rows]
        containing = nodes_with(evaluation_order(expressions), symbols)
        return [k for k, e in enumerate(expressions) if e in containing]

    return [rows[k] for k in eq.cached("steady rows with", (tuple(r.expression for r in rows), symbols), found)]


def _near(eq: Equations, start: Mapping[Any, Any]) -> dict[Symbol, float]:
    return {
        q: finite_number(v, f"start of {q.name}", StabilityError)
        for q in eq.q
        for k, v in start.items()
        if k in (q, q.name) and not isinstance(v, Expr)
    }


def _free_parameters(asked: Conditions) -> list[Symbol]:
    return [s for s in asked.all_unknowns if s.kind == "parameter"]


def _defaults(eq: Equations, asked: Conditions, values: Mapping[str, float]) -> dict[Symbol, float]:
    known = eq.variables.of("p").having(parameters_of(eq, asked), "p")
    fixed = {s: float(evaluate(v)) for s, v in asked.fixed.items() if s.kind == "parameter" and not free_symbols(v)}
    return {**known.defaults, **fixed, **known.numbers(values, f"steady motion of {eq.name!r}", StabilityError)}


def _start_of_unknowns(
    eq: Equations, asked: Conditions, start: Mapping[Any, float], is_whole: bool
) -> tuple[dict[Symbol, float], tuple[str, ...]]:
    """The start of the unknowns, and a note about values given for symbols that are not unknowns. Of a whole state,
    the unknowns are used."""
    table = eq.variables.having((s for s in asked.all_unknowns if s not in eq.variables), "p")
    unknowns, where = table.only(asked.all_unknowns), f"steady(start=...) of {eq.name!r}"
    is_whole = is_whole or all(s.name in start for s in eq.variables.of("q u").symbols)
    own = {k: v for k, v in start.items() if k in unknowns}
    others = {} if is_whole else {k: v for k, v in start.items() if k not in unknowns}
    idle = table.of("q u z r p").numbers(
        {k: v for k, v in others.items() if k in table.of("q u z r p")}, where, StabilityError
    )
    unknowns.numbers(
        {k: v for k, v in others.items() if k not in table.of("q u z r p")}, where, StabilityError, "unknown"
    )
    begin = {s: unknowns[s].neutral if s.kind != "speed" else 0.0 for s in asked.all_unknowns}
    begin |= unknowns.numbers(own, where, StabilityError, "unknown")
    notes = (
        (
            f"the start of {in_number((s.name for s in idle), '{} was not used: it is', '{} was not used: they are')} not unknown here",
        )
        if idle
        else ()
    )
    return begin, notes


# ---------------------------------------------------------------------------------------------------- in closed form


def _may_be_closed(asked: SteadyQuestion) -> bool:
    """Whether rows can vanish with coordinates where the search would begin, all else from linear equations; in
    numbers, where these cost nothing since the same has been computed before."""
    if _free_parameters(asked.conditions):
        return False
    problem = asked.problem
    if not problem.is_compiled or asked.missing:
        return True
    w, p = problem.point(asked.begin), problem.numbers(asked.numbers)
    places = {s: k for k, s in enumerate(problem.unknowns)}
    for stage in ("speeds", "accelerations", "loads"):
        rows = [k for k, row in enumerate(problem.rows) if row.stage == stage]
        columns = [places[s] for s in asked.conditions.unknowns[stage]]
        F, J = problem.rows_and_slopes(w, p)
        if rows and columns:
            w[columns] -= np.linalg.lstsq(J[np.ix_(rows, columns)], F[rows], rcond=1e-12)[0]
    F, J = problem.rows_and_slopes(w, p)
    return not bool((np.abs(F) > MAX_RESIDUAL * (1 + np.abs(J) @ np.maximum(np.abs(w), 1.0))).any())


def _closed_form(asked: SteadyQuestion) -> SteadyMotion | None:
    """Coordinates at the start of the search, everything else from linear equations; None if that does not hold
    for all parameters."""
    conditions, begin, defaults = asked.conditions, asked.begin, asked.defaults
    table: dict[Symbol, Expr] = dict(conditions.fixed)
    table |= {s: as_expr(begin[s]) for s in conditions.unknowns["coordinates"]}
    try:
        values = substituted_and_folded([r.expression for r in conditions.rows], table)
    except ExpressionError:  # some row has no value there, such as a spring of no length
        return None
    rows = dict(zip(conditions.rows, values, strict=True))
    if not _all_vanish([e for r, e in rows.items() if r.stage == "coordinates"], defaults):
        return None
    undetermined: list[Symbol] = []
    for stage in ("speeds", "accelerations", "loads"):
        here = substituted_and_folded([e for r, e in rows.items() if r.stage == stage], table)
        found = _linear_solution(here, conditions.unknowns[stage], defaults, begin)
        if found is None:
            return None
        table |= found[0]
        undetermined += found[1]
    if undetermined:
        undetermined = _left_open(conditions, table, defaults)
    if not _is_true(asked, table):
        return None
    loose = _coordinates_at_start(conditions)
    (tidy,) = with_exact_entries([Matrix(len(table), 1, tuple(table.values()))], defaults)
    table = dict(zip(table, tidy.entries, strict=True))
    return SteadyMotion(
        asked.equations, conditions, table, defaults, "holds for all parameters; every row vanishes identically", True, 0.0,
        undetermined=tuple(dict.fromkeys(s.name for s in (*loose, *undetermined))), notes=asked.notes,
    )  # fmt: skip


def _is_true(asked: SteadyQuestion, table: Mapping[Symbol, Expr]) -> bool:
    """Whether the coordinates see all forces; asked in numbers, where the mass matrix looks singular at the point."""
    eq, known = asked.equations, asked.defaults
    M, Jc = substituted_and_folded([eq.M, eq.Jc], table)
    if any(s not in known for s in free_symbols(M, Jc)) or asked.missing:
        return True
    if least_part(*arrays([M, Jc], known)) > SINGULAR_MASS:
        return True
    problem = asked.problem
    return problem.is_true(problem.system(asked.numbers), problem.numbers(asked.numbers), problem.point(asked.begin))


def _all_vanish(things: list[Expr], defaults: Mapping[Symbol, float]) -> bool:
    """False also where they have no value, such as with divisions by what the solution makes zero."""
    try:
        return all(vanishing(things, defaults)) if things else True
    except EvaluationError:
        return False


def _linear_solution(
    rows: list[Expr], unknowns: tuple[Symbol, ...], defaults: Mapping[Symbol, float], begin: Mapping[Symbol, float]
) -> tuple[dict[Symbol, Expr], list[Symbol]] | None:
    """Unknowns determined by linear rows; those left open keep their start values."""
    slopes = jacobian(rows, unknowns) if unknowns else Matrix(len(rows), 0, ())
    if set(free_symbols(slopes)) & set(unknowns):
        return None
    right = substitute_all([-e for e in rows], dict.fromkeys(unknowns, ZERO)) if unknowns else [-e for e in rows]
    if not unknowns:
        return ({}, []) if _all_vanish(right, defaults) else None
    sample: Sample = samples([slopes, *right], defaults, 1)[0]
    solution = pivoted_solution(slopes, Matrix(len(right), 1, tuple(right)), sample)
    if not _all_vanish(list(solution.left.entries), defaults):
        return None
    free = [unknowns[j] for j in solution.free]
    if held := {s: as_expr(begin[s]) for s in free if begin[s] != 0}:
        rest = tuple(s for s in unknowns if s not in held)
        again = _linear_solution(
            substituted_and_folded(rows, held), rest, defaults, {**begin, **dict.fromkeys(free, 0.0)}
        )
        return None if again is None else (held | again[0], free)
    return dict(zip(unknowns, solution.x.entries, strict=True)), free


def _left_open(asked: Conditions, table: Mapping[Symbol, Expr], defaults: Mapping[Symbol, float]) -> list[Symbol]:
    """Unknowns that all rows together leave open: those of a later stage may determine what its own does not."""
    unknowns = [s for s in asked.all_unknowns if s not in asked.unknowns["coordinates"]]
    slopes = substituted_and_folded([jacobian([r.expression for r in asked.rows], unknowns)], table)[0]
    J = array(slopes, samples([slopes], defaults, 1)[0])
    return [s for s, x in zip(unknowns, Rank.of(J).loose, strict=True) if x > UNDETERMINED]


def _coordinates_at_start(asked: Conditions) -> list[Symbol]:
    """Cyclic coordinates, which stay at the start."""
    seen = set(free_symbols(*(r.expression for r in asked.rows)))
    return [q for q in asked.unknowns["coordinates"] if q in asked.drifting or q not in seen]


# ---------------------------------------------------------------------------------------------------- in numbers


def _in_numbers(asked: SteadyQuestion, found_by: Callable[[ZeroSearch], list[FoundZero]]) -> list[SteadyMotion]:
    eq = asked.equations
    problem = asked.problem
    if missing := asked.missing:
        raise advised_error(
            StabilityError,
            (
                f"steady motion of {eq.name!r}: no value for {listed(missing)}, and the motion is not known in "
                "closed form; give "
            ),
            f"steady(..., {missing[0]}=...)",
            f"--set {missing[0]}=...",
        )
    search = asked.search
    return [_motion(asked, problem, found, search) for found in found_by(search)]


def _motion(asked: SteadyQuestion, problem: SteadyProblem, found: FoundZero, search: ZeroSearch) -> SteadyMotion:
    best, unknowns = found.solution, problem.unknowns
    name, size = problem.worst(best) if len(best.F) else ("", 0.0)
    loose = [s.name for s, x in zip(unknowns, best.loose, strict=True) if x > UNDETERMINED]
    freedom = f"rank {best.rank} of {len(problem.rows)} rows in {len(unknowns)} unknowns"
    far = f"{found.distance:z.4g} from the start" if found.distance else "at the start"
    said = (
        f"found {found.in_words()}, {far}, {freedom}, largest row {abs(size):z.2g} ({name})"
        if best.holds
        else f"not found from {MAX_STARTS} starts; the closest has a residual of {size:z.4g} in {name}, {freedom}; {best.outcome.value}{_inputs_at_zero(asked, name)}"
        if unknowns
        else f"all values are given, with a residual of {size:z.4g} in {name}{_inputs_at_zero(asked, name)}"
    )
    return SteadyMotion(
        asked.equations, asked.conditions, asked.conditions.fixed, asked.defaults, said, best.holds, best.size * UNIT_ROUNDOFF, name, tuple(loose), unknowns,
        dict(zip(unknowns, map(float, best.x), strict=True)), found.distance, search.evaluations, asked.notes,
        _starts_of_moved_unknowns(asked, unknowns, best.x, loose),
    )  # fmt: skip


def _inputs_at_zero(asked: SteadyQuestion, row: str) -> str:
    """Advice where inputs that are zero act in the row that does not vanish."""
    seen = free_symbols(*(r.expression for r in asked.conditions.rows if r.name == row))
    zero = [s.name for s in asked.equations.r if s in seen and not s.order and asked.conditions.fixed.get(s) is ZERO]
    if not zero:
        return ""
    return f"; {in_number(zero, 'input {} acts there and is', 'inputs {} act there and are')} zero: free={zero} would find {in_number(zero, 'its value', 'their values')}"


def _starts_of_moved_unknowns(
    asked: SteadyQuestion, unknowns: Sequence[Symbol], x: Array, loose: Sequence[str]
) -> dict[str, float]:
    """Where unknowns that the conditions leave open were at the start, as far as the search moved them: with others
    they determine each other."""
    pairs = [(s.name, asked.begin.get(s, 0.0), float(v)) for s, v in zip(unknowns, x, strict=True) if s.name in loose]
    return {name: before for name, before, now in pairs if abs(now - before) > MOVED * max(1.0, abs(before))}
