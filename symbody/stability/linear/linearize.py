"""`linearize`: from equations and an operating point to a `LinearSystem`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, replace
from typing import Any

import numpy as np

from ...algebra.calculus.derivatives import jacobian
from ...algebra.calculus.evaluate import evaluate
from ...algebra.graph.graph import ZERO, Expr, Symbol, as_expr
from ...algebra.graph.matrix import Matrix, stack, zeros
from ...algebra.graph.node_table import gc_paused
from ...algebra.graph.walk import evaluation_order, free_symbols, substitute_all
from ...algebra.normal_forms.tidy import tidied_entries
from ...derivation.equations.additional_rates import variable_rates
from ...derivation.equations.equation_arguments import of_equations
from ...derivation.equations.equations import Equations
from ...derivation.equations.keywords import by_name, values_by_name, values_in_si
from ...derivation.equations.named_rows import output_rows
from ...derivation.equations.own_terms import in_own_terms
from ...derivation.equations.sampling import refuse_samples
from ...derivation.equations.variables import name_of
from ...errors import StabilityError, listed, shown, with_article
from ...integrate.inputs.inputs import with_inputs
from ...integrate.start.state import State
from ..equilibria.steady import steady
from ..equilibria.steady_motion import SteadyMotion
from ..equilibria.symmetries import Symmetry
from ..variation.condition_rows import ConditionRow, position_rows, speed_rows
from ..variation.first_variation import Variation, input_columns, slopes_of, variation
from ..variation.parameter_samples import arrays, sample_at, samples, substituted_and_folded, with_exact_entries
from ..variation.pivoting import pivoted_solution
from ..variation.system_matrices import PARTS, RECOVERY, FullSystem, LateFullSystem
from .lazy_matrices import ROTATION, LateMatrix, LateParts
from .linear_system import LinearSystem
from .loop_numbers import loop_parts, refuse_unsteady
from .reduced_numbers import EliminatedVariables, reduced_arrays
from .reduction import Partition, ReducedMatrices, chosen_partition, reduced_matrices
from .state_choice import cyclic_states

MANY_CONSTRAINTS = 8  # number of constraints from which a system about a numerical motion is reduced numerically
SINGULAR_E = 1e-12  # reciprocal condition number of E below which it counts as singular
ZERO_RATE = 1e-13  # rate below which it counts as zero
MOST_READ = 200  # number of nodes up to which the entries of a system are tidied
CONSTRAINT_TOLERANCE = 1e-7  # violation relative to their terms below which the constraints count as satisfied


@values_by_name(StabilityError)
@of_equations
def linearize(
    equations: Equations, about: SteadyMotion | State | Mapping[Any, Any], *, values: Mapping[Any, float] | None = None,
    independent: Iterable[Symbol | str] = (), outputs: Mapping[str, Any] | None = None, drop: str | Iterable[Symbol | str] = (),
    moving: bool = False, inputs: Mapping[Any, Any] | None = None, options: Mapping[str, Any] | None = None, **named: float,
) -> LinearSystem:  # fmt: skip
    """Linearise the equations about a motion: E x' = A x + B r + B1 r' + B2 r'', y = C x + D r + D1 r' + D2 r'', for x
    = (independent q, independent u, z).

    about         a steady motion, or a state, or values of coordinates, speeds, variables and inputs by name or symbol
                  (others are zero)
    independent   coordinates and speeds to keep as states if constraints allow a choice (a coordinate implies its rate)
    outputs       expressions by name, which may contain accelerations, multipliers and reactions; by default those of
                  the model
    drop          states to drop on which no other depends: names, or "cyclic" for all such coordinates
    moving        the values belong to a motion that is not steady; the result is its linearisation at that instant
    inputs        laws as in `simulate`, which close the loop; find the steady motion with the same laws
    values        parameter values that differ from the model, by name or symbol; also as keywords
    options       any of these arguments by name, for names that also exist in the model

    Constraints, multipliers and accelerations are eliminated at the operating point, including the derivatives of
    constraint forces. For a rotating motion the states are taken in axes that rotate with it: x and y of a vehicle in a
    circle, or Euler parameters of a spinning satellite, also have constant coefficients. If the operating point is
    known in closed form, so are the entries of the result.

    >>> m = sb.Model("pendulum")
    >>> p = m.parameters(l=1.0, m=0.5, g=9.81)
    >>> bob = m.body("bob", mass=p.m, com=(0, -p.l, 0))
    >>> joint = m.revolute("theta", m.ground, bob)
    >>> m.gravity(0, -p.g, 0)
    >>> lin = sb.linearize(sb.derive(m), {})
    >>> lin.E, lin.A
    (matrix([[1, 0], [0, m*l**2]]), matrix([[0, 1], [-m*g*l, 0]]))
    >>> abs(lin.eigenvalues(l=0.25))
    array([6.264184, 6.264184])

    See also: `steady`, `LinearSystem`, `linear_system`.
    """
    numbers = dict(values or {})
    eq, constants = with_inputs(equations, inputs or {}, StabilityError)
    refuse_samples(eq, "linearize", StabilityError)
    if isinstance(about, Mapping):
        where = f"linearisation of {eq.name!r}"
        given = values_in_si(by_name(about, where, StabilityError), where, StabilityError, eq)
        about = {**constants, **given}
    elif not isinstance(about, (State, SteadyMotion)):
        raise StabilityError(
            f"linearisation of {eq.name!r}: about= must be a steady motion, a state or values by name, got {shown(about)}"
        )
    elif eq is not equations and about.equations is equations:
        about, numbers = _of_open_loop(eq, about, numbers)
    if isinstance(about, State):
        about, numbers = _from_state(eq, about, numbers)
    with gc_paused():
        if isinstance(about, SteadyMotion):
            about = _checked_motion(eq, about)
        system = None if tuple(independent) else _in_loops(eq, about, numbers, moving, outputs)
        if system is not None:
            return _without(system, drop)
        if isinstance(about, SteadyMotion):
            motion: SteadyMotion | None = about
            point, defaults = dict(about.expressions), _parameters(eq, about, numbers)
            turning: Iterable[Symbol] = about.conditions.turning
        elif moving:
            motion, turning = None, eq.u
            defaults = _parameters(eq, None, numbers)
            point = _point_of_motion(eq, about, defaults)
        else:
            motion = _motion_at_point(eq, about, numbers)
            point, defaults, turning = dict(motion.expressions), dict(motion.defaults), motion.conditions.turning
        system = _linear_system(eq, point, defaults, motion, independent, turning, outputs)
    return _without(system, drop)


def _without(system: LinearSystem, drop: str | Iterable[Symbol | str]) -> LinearSystem:
    names = cyclic_states(system) if drop == "cyclic" else [drop] if isinstance(drop, str) else list(drop)
    return system.without(*names) if names else system


def _in_loops(
    eq: Equations, about: SteadyMotion | Mapping[Any, Any], numbers: Mapping[str, float], moving: bool,
    outputs: Mapping[str, Any] | None,
) -> LinearSystem | None:  # fmt: skip
    """Of many links without constraints, x' = A x + B r from programs in loops; None for other equations, and for
    motions that turn."""
    motion = about if isinstance(about, SteadyMotion) else None
    rows = output_rows(eq.outputs if outputs is None else outputs)
    defaults = _parameters(eq, motion, numbers)
    if isinstance(about, SteadyMotion):
        unknowns = about.unknowns
        point: Mapping[Symbol, Any] = {**about.expressions, **about.found}
        if any(_bends(s) for s, _ in about.conditions.along):
            return None
    else:
        unknowns, point = (), _state(eq, about)
    found = loop_parts(eq, point, defaults, rows, unknowns)
    if found is None:
        return None
    if motion is None and not moving:
        refuse_unsteady(eq, found)
    parts: dict[str, Any] = {name: LateMatrix.part(found, name) for name in (*PARTS, *RECOVERY)}
    states = tuple(s.name for s in found.state)

    def first_variation() -> Variation:
        if isinstance(about, SteadyMotion):
            at = {s: e for s, e in about.expressions.items() if s not in unknowns}
        else:
            at = _point_of_motion(eq, about, defaults)
        return variation(eq, _in_the_state(eq, rows), at)

    full = LateFullSystem(tuple(s.name for s in eq.q), tuple(s.name for s in eq.u), first_variation)
    return LinearSystem(
        eq.name, states, tuple(s.name for s in found.inputs), tuple(rows), variables=states, defaults=defaults, full=full,
        about=motion, **parts,
    )  # fmt: skip


def _linear_system(
    eq: Equations, point: Mapping[Symbol, Expr], defaults: Mapping[Symbol, float], motion: SteadyMotion | None,
    independent: Iterable[Symbol | str], turning: Iterable[Symbol], outputs: Mapping[str, Any] | None,
) -> LinearSystem:  # fmt: skip
    rows = output_rows(eq.outputs if outputs is None else outputs)
    if motion is not None and motion.unknowns and len(eq.lam) >= MANY_CONSTRAINTS:
        return _known_by_numbers(eq, point, defaults, motion, independent, turning, rows)
    seen = _in_the_state(eq, rows)
    unknowns = motion.unknowns if motion is not None else ()
    v = variation(eq, seen, {s: e for s, e in point.items() if s not in unknowns})
    near = {**defaults, **(motion.found if motion is not None else {})}
    in_closed_form = motion is not None and motion.is_symbolic
    if in_closed_form:
        v = v.mapped(lambda matrices: with_exact_entries(matrices, near))
    sample = sample_at(_everything(v), near)
    cyclic = () if motion is None else motion.conditions.cyclic
    kept = chosen_partition(eq, v, sample, independent, () if motion is None else turning, cyclic)
    small = _seen_along(eq, reduced_matrices(v, kept, sample), kept, motion)
    k = len(eq.variables.inputs)
    parts = _by_name(small, k)
    matrices = list(parts.values())
    shown = _short_forms(with_exact_entries(matrices, near) if in_closed_form else matrices)
    parts = dict(zip(parts, shown, strict=True))
    return _system(eq, parts, tuple(seen), v, kept, defaults, motion)


def _short_forms(matrices: Sequence[Matrix]) -> Sequence[Matrix]:
    """Matrices in tidy form, where they are small enough to be read: milliseconds."""
    entries = [e for m in matrices for e in m.entries]
    if len(evaluation_order(entries)) > MOST_READ:
        return matrices
    short = iter(tidied_entries(entries).entries)
    return [Matrix(m.rows, m.cols, tuple(next(short) for _ in m.entries)) for m in matrices]


def _by_name(small: ReducedMatrices, k: int) -> dict[str, Matrix]:
    """Matrices by their names in a linear system; columns of inputs, rates and second rates apart."""
    split = {
        f"{name}{i or ''}": m[:, k * i : k * i + k]
        for name, m in (("B", small.B), ("D", small.D), ("Tr", small.Tr))
        for i in range(3)
    }
    return {"E": small.E, "A": small.A, "C": small.C, "T": small.T, **split}


def _system(
    eq: Equations, parts: Mapping[str, Matrix], seen: tuple[str, ...], v: Variation, kept: Partition, defaults: Mapping[Symbol, float],
    motion: SteadyMotion | None,
) -> LinearSystem:  # fmt: skip
    q, u, z = (tuple(s.name for s in group) for group in (eq.q, eq.u, eq.z))
    full = FullSystem(q, u, z, tuple(s.name for s in eq.lam), v, (kept.q, kept.u))
    return LinearSystem(
        eq.name, (*(q[j] for j in kept.q), *(u[j] for j in kept.u), *z), tuple(s.name for s in eq.variables.inputs), seen,
        variables=(*q, *u, *z), defaults=defaults, about=motion, full=full,
        **{name: parts[name] for name in (*PARTS, *RECOVERY)},
    )  # fmt: skip


def _known_by_numbers(
    eq: Equations, point: Mapping[Symbol, Expr], defaults: Mapping[Symbol, float], motion: SteadyMotion,
    independent: Iterable[Symbol | str], turning: Iterable[Symbol], rows: Mapping[str, Expr],
) -> LinearSystem:  # fmt: skip
    """For a numerical motion with many constraints: the first variation is evaluated and reduced in arrays; entries
    become expressions only when requested."""
    known, near = {s: e for s, e in point.items() if s not in motion.unknowns}, {**defaults, **motion.found}
    v = variation(eq, {}, known)
    sample = sample_at(_everything(v), near)
    numbers = dict(zip((f.name for f in fields(v)), arrays(_everything(v), sample), strict=True))
    kept = chosen_partition(eq, v, sample, independent, turning, motion.conditions.cyclic, numbers)
    elimination = EliminatedVariables.of(numbers, kept.q, kept.u)
    has_rates = np.linalg.cond(reduced_arrays(numbers, elimination)["E"]) < 1 / SINGULAR_E
    more = _output_slopes(eq, rows, known, has_rates)
    if (turn := _turning(eq, motion)) is not None:
        more[ROTATION] = turn
    at = arrays(list(more.values()), sample_at(list(more.values()), near))
    numbers |= dict(zip(more, at, strict=True))
    matrices = {**{f.name: getattr(v, f.name) for f in fields(v)}, **more}
    parameters = tuple(s for s in free_symbols(*matrices.values()) if s not in motion.unknowns)

    def expressions() -> dict[str, Matrix]:
        whole = variation(eq, _in_the_state(eq, rows), known)
        return _by_name(_seen_along(eq, reduced_matrices(whole, kept, sample), kept, motion), len(eq.variables.inputs))

    source = LateParts(
        matrices, elimination, len(eq.variables.inputs), parameters, motion.unknowns, near, numbers, expressions
    )
    parts = {name: LateMatrix.part(source, name) for name in (*PARTS, *RECOVERY)}
    return _system(eq, parts, tuple(rows), v, kept, defaults, motion)


def _output_slopes(
    eq: Equations, rows: Mapping[str, Expr], known: Mapping[Symbol, Expr], has_rates: bool
) -> dict[str, Matrix]:
    """Of outputs, also by accelerations, which follow from the reduced equations where these have all rates; multipliers
    in them are written out."""
    plain = _in_own_rates(eq, rows)
    left = [n for n, e in plain.items() if has_rates and "multiplier" not in {s.kind for s in free_symbols(e)}]
    seen = _in_the_state(eq, {n: e for n, e in rows.items() if n not in left})
    seen |= dict(zip(left, in_own_terms(eq, [plain[n] for n in left]), strict=True))
    groups: dict[str, Any] = {"q": eq.q, "u": eq.u, "z": eq.z, "r": input_columns(eq)}
    if has_rates:
        groups["du"] = tuple(s.dot for s in eq.u)
    made = substituted_and_folded([slopes_of([seen[n] for n in rows], wrt) for wrt in groups.values()], dict(known))
    return {f"out_{name}": m for name, m in zip(groups, made, strict=True)}


def _seen_along(eq: Equations, small: ReducedMatrices, kept: Partition, motion: SteadyMotion | None) -> ReducedMatrices:
    """Variations seen from axes that go along with the motion, in which coefficients do not change with time.

    A motion along symmetries is x(t) = exp(t Y) x(0), Y = Σ ωk Yk. Variations are carried along as ξ = exp(-t DY) δx,
    so that E ξ' = (A - E DY) ξ, DY at the operating point (Marsden, Lectures on Mechanics, ch. 5).
    """
    slopes = None if motion is None else _turning(eq, motion)
    if slopes is None:
        return small
    rows = [*kept.q, *(len(eq.q) + j for j in kept.u)]
    n, nz = slopes.cols, len(eq.z)
    turn = Matrix(len(rows), n, tuple(slopes[i, j] for i in rows for j in range(n)))
    return replace(
        small,
        A=small.A - small.E @ stack(turn @ small.T[:n, :], zeros(nz, small.T.cols)),
        B=small.B - small.E @ stack(turn @ small.Tr[:n, :], zeros(nz, small.Tr.cols)),
    )


def _turning(eq: Equations, motion: SteadyMotion) -> Matrix | None:
    """DY of the coordinates and speeds, where the motion drifts along nonlinear symmetries."""
    along = [(s, rate) for s, rate in motion.conditions.along if _bends(s)]
    if not along:
        return None
    states = eq.variables.of("q u").symbols
    known = {s: e for s, e in motion.expressions.items() if s not in motion.unknowns}
    parts = [rate * jacobian([{**s.q, **s.u}.get(x, ZERO) for x in states], states) for s, rate in along]
    total = sum(parts[1:], start=parts[0])
    return Matrix(total.rows, total.cols, tuple(substitute_all([*total.entries], known)))


def _bends(s: Symmetry) -> bool:
    """Whether states change at rates that depend on the state, as in a rotation; a shift of coordinates has constant
    rates."""
    return any(e.op != "const" for e in (*s.q.values(), *s.u.values()))


def _in_the_state(eq: Equations, rows: Mapping[str, Expr]) -> dict[str, Expr]:
    """Outputs with what accelerations, multipliers and rates of variables in them are."""
    rows = _in_own_rates(eq, rows)
    kinds = {s.kind for s in free_symbols(*rows.values())}
    is_solved = not kinds.isdisjoint(("acceleration", "multiplier"))
    return dict(zip(rows, in_own_terms(eq, list(rows.values()), solved=is_solved), strict=True))


def _in_own_rates(eq: Equations, rows: Mapping[str, Expr]) -> Mapping[str, Expr]:
    """Outputs with what rates of variables in them are."""
    dz = [z.dot for z in eq.z]
    if not any(s in dz for s in free_symbols(*rows.values())):
        return rows
    found = dict(zip(dz, variable_rates(eq).entries, strict=True))
    return dict(zip(rows, substitute_all(list(rows.values()), found), strict=True))


def _everything(v: Variation) -> list[Matrix]:
    return [getattr(v, f.name) for f in fields(v)]


def _parameters(eq: Equations, motion: SteadyMotion | None, values: Mapping[str, float]) -> dict[Symbol, float]:
    """Values of the model or of a steady motion, overridden by those that are given."""
    table, where = eq.variables.of("p"), f"linearisation of {eq.name!r}"
    if motion is not None:
        table = table.having(motion.parameters, "p").only(motion.parameters)
    if others := [name for name in values if name not in table and name in eq.kinds]:
        raise StabilityError(
            f"{where}: {others[0]} is {with_article(eq.kinds[others[0]])}, not a parameter; its value at the operating "
            "point goes into `about`"
        )
    before = table.defaults if motion is None else motion.defaults
    return {**before, **table.numbers(values, where, StabilityError)}


# ---------------------------------------------------------------------------------------------------- operating points


def _checked_motion(eq: Equations, motion: SteadyMotion) -> SteadyMotion:
    if motion.equations is not eq:
        raise StabilityError(
            f"linearisation of {eq.name!r}: the steady motion is that of other equations ({motion.equations.name!r})"
        )
    if not motion.is_steady:
        raise StabilityError(
            f"linearisation of {eq.name!r}: there is no steady motion to linearise about: {motion.outcome}"
        )
    return motion


def _of_open_loop(
    eq: Equations, about: SteadyMotion | State, values: Mapping[str, float]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """A motion of the open loop as a point of the closed loop, and its parameters where no others are given."""
    state = about if isinstance(about, State) else about.state
    known = {s.name: e for s, e in about.expressions.items()} if isinstance(about, SteadyMotion) else {}
    names = eq.variables.of("q u z r").names
    parameters = {s.name: state[s] for s in eq.p}
    return {n: known[n] if n in known else state[n] for n in names} | {eq.t.name: state.t}, {**parameters, **values}


def _from_state(
    eq: Equations, state: State, values: Mapping[str, float]
) -> tuple[dict[Symbol, float], dict[str, float]]:
    """A state as values by symbol, and its parameters where no others are given. Speeds that are zero to rounding are
    zero."""
    if state.equations is not eq:
        raise StabilityError(
            f"linearisation of {eq.name!r}: the state is that of other equations ({state.equations.name!r})"
        )
    u = np.where(np.abs(state.u) > 1e-13 * np.abs(state.u).max(initial=0.0), state.u, 0.0)
    groups = ((eq.q, state.q), (eq.u, u), (eq.z, state.z), (eq.r, state.r))
    point = {s: float(v) for symbols, numbers in groups for s, v in zip(symbols, numbers, strict=True)}
    parameters = {s.name: float(v) for s, v in zip(eq.p, state.p, strict=True)}
    return {**point, eq.t: state.t}, {**parameters, **values}


def _state(eq: Equations, about: Mapping[Any, Any]) -> dict[Symbol, Any]:
    """Values by symbol; accelerations that are zero, as in the values of a steady motion, are redundant."""
    accelerations = set(eq.variables.of("u'").names)
    said = {k: v for k, v in about.items() if not (name_of(k) in accelerations and v == 0)}
    return eq.variables.of("q u z r t").resolved(said, f"linearisation of {eq.name!r}", StabilityError)


def _motion_at_point(eq: Equations, about: Mapping[Any, Any], values: Mapping[str, float]) -> SteadyMotion:
    """The point as a steady motion, with multipliers and variables found for it; refused where it is not steady."""
    state = _state(eq, about)
    time = {"t": state.pop(eq.t)} if eq.t in state else {}
    held = {**dict.fromkeys(eq.variables.of("q u").symbols, 0), **state}
    _refuse_off(
        eq,
        [*position_rows(eq), *speed_rows(eq)],
        {**held, eq.t: time.get("t", 0)},
        _parameters(eq, None, values),
    )
    drifting = _drifting(eq, held)
    fixed = {s: v for s, v in held.items() if s not in drifting}
    try:
        motion = steady(eq, {**fixed, **values, **time}, start=drifting)
    except StabilityError as refused:
        if all(held[u] == 0 for u in eq.u):
            raise
        raise StabilityError(f"{refused}; pass moving=True if this is a point of a motion") from None
    left = [
        q
        for q, v in drifting.items()
        if motion.is_steady
        and as_expr(v).value is not None
        and abs(motion[q.name] - float(v)) > 1e-9 * max(1.0, abs(float(v)))
    ]
    if left:
        raise StabilityError(
            f"linearisation of {eq.name!r}: the point is not steady: with the speeds that are given {listed(left)} would be elsewhere. Find one by "
            "steady(eq, ...), or pass moving=True if this is a point of a motion"
        )
    if not motion.is_steady:
        raise StabilityError(
            f"linearisation of {eq.name!r}: the point is not steady: {motion.outcome}. Find one by steady(eq, ...), or pass moving=True if this is a point of a motion"
        )
    return motion


def _drifting(eq: Equations, held: Mapping[Symbol, Any]) -> dict[Symbol, Any]:
    """Coordinates that change at a point, as those of a vehicle on its way do: the motion may be steady all the same,
    along a symmetry."""
    rates = substituted_and_folded(list(eq.rates.entries), held)
    return {
        q: held[q] for q, rate in zip(eq.q, rates, strict=True) if rate.value is None or abs(rate.value) > ZERO_RATE
    }


def _refuse_off(
    eq: Equations, rows: list[ConditionRow], point: Mapping[Symbol, Any], numbers: Mapping[Symbol, float]
) -> None:
    """Points that are not on the constraints, where numbers are known."""
    if not rows:
        return
    slopes = jacobian([r.expression for r in rows], eq.q)
    *misses, slopes = substituted_and_folded([*(r.expression for r in rows), slopes], point)
    for k, (row, miss) in enumerate(zip(rows, misses, strict=True)):
        if any(s not in numbers for s in free_symbols(miss, *slopes.row(k))):
            continue
        off, *terms = evaluate([miss, *slopes.row(k)], numbers)
        if abs(off) > CONSTRAINT_TOLERANCE * max(1.0, *map(abs, terms)):
            raise StabilityError(
                f"linearisation of {eq.name!r}: the point is not on the constraints, {row.name} is violated by {off:z.4g}; steady(eq, start=...) finds one that is"
            )


def _point_of_motion(eq: Equations, about: Mapping[Any, Any], numbers: Mapping[Symbol, float]) -> dict[Symbol, Expr]:
    """The state with its accelerations, rates and multipliers."""
    state: dict[Any, Expr] = {s: as_expr(v) for s, v in _state(eq, about).items()}
    state = {**dict.fromkeys(eq.variables.of("q u z r r' r'' t").symbols, ZERO), **state}
    _refuse_off(eq, [*position_rows(eq), *speed_rows(eq)], state, numbers)
    state |= _rates_of_variables(eq, state, numbers)
    found = substitute_all([*eq.udot.entries, *eq.multipliers.entries], state)
    return state | dict(zip((*(u.dot for u in eq.u), *eq.lam), found, strict=True))


def _rates_of_variables(
    eq: Equations, state: Mapping[Symbol, Expr], numbers: Mapping[Symbol, float]
) -> dict[Symbol, Expr]:
    dz: tuple[Any, ...] = tuple(z.dot for z in eq.z)
    if not dz:
        return {}
    rows = substitute_all(list(eq.h.entries), state)
    slopes = jacobian(rows, dz)
    if set(free_symbols(slopes)) & set(dz):
        raise StabilityError(
            f"linearisation of {eq.name!r}: the additional equations are not linear in {listed(dz)}; give a "
            "steady motion"
        )
    right = substitute_all([-e for e in rows], dict.fromkeys(dz, ZERO))
    solution = pivoted_solution(slopes, Matrix(len(right), 1, tuple(right)), samples([slopes, *right], numbers, 1)[0])
    names = [row.name for row in eq.rows.additional]
    _refuse_off(
        eq, [ConditionRow(f"equation {names[k]!r}", e, "loads") for k, e in zip(solution.rows, solution.left.entries, strict=True)], {}, numbers
    )  # fmt: skip
    return dict(zip(dz, solution.x.entries, strict=True))
