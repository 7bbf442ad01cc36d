"""`assemble`: a state that keeps the constraints, from values for a part of it and rough values for others.

    least Σ w (q - start)²   under  phi(q, t, p) = 0,  eᵀe = 1
    least Σ w (u - start)²   under  Jc u + b = 0
    least Σ w (z - start)²   under  h(q, u, z, r, t, p) = 0 if no rate stands in it

each with the values that are given held as they are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final

import numpy as np

from ...algebra.calculus.rounding import rounding
from ...algebra.graph.names import rate_name
from ...algebra.graph.walk import free_symbols
from ...algebra.nonlinear.trust_region import SingularValues
from ...derivation.equations.equation_arguments import of_equations
from ...derivation.equations.equations import Equations
from ...derivation.equations.keywords import values_by_name
from ...derivation.equations.named_rows import NamedRow
from ...derivation.rank.row_space import RANK_TOLERANCE, sizes_of_rows
from ...emit.run.callable import Array
from ...errors import AssemblyError, SymbodyError, advised_error, in_number, listed
from ..inputs.inputs import with_inputs
from .assemblies import Assemblies, goes_on
from .branch_rank import MANY_PLACED
from .configuration_search import Found, Numbers, Search, is_periodic, unwound
from .constraint_rows import Rows, rows_of
from .given_outputs import GivenOutputs, given_outputs
from .open_joints import contradiction, only_singular, open_joints, too_much_given
from .sparse_constraints import dependences
from .sparse_search import SparseSearch, nearest_speeds
from .state import (
    MAX_START_VIOLATION,
    Amount,
    Start,
    State,
    default_values,
    is_whole_state,
    named_values,
    require_parameters,
    start_values,
)
from .state_search import state_search

NORM_ERROR: Final = 1e-3  # of given Euler parameters, that is taken for rounding in the last digits written
PRESCRIBED_WEIGHT: Final = 1e4  # of values that contradict the constraints, in the search for the nearest


@values_by_name(AssemblyError)
@of_equations
def assemble(
    equations: Equations,
    values: Mapping[Any, float] | None = None,
    *,
    start: Start | None = None,
    weights: Mapping[Any, float] | None = None,
    inputs: Mapping[Any, Any] | None = None,
    options: Mapping[str, Any] | None = None,
    **named: Amount,
) -> State:
    """Find a state that satisfies the constraints on positions and speeds to rounding.

    values    values to keep exactly, by name or symbol: coordinates, speeds (crank_dot), additional variables, inputs,
              parameters, time t, and outputs (inverse kinematics: tip_x=0.4; an acceleration, a reaction or an energy:
              a=2.0); also as keywords where the name is not that of an option
    start     guesses of other values (or a whole state: a `State`, a `SteadyMotion`, the end of a `Trajectory`). The
              result is the nearest consistent state; the guess selects one of several configurations. All other values
              start at zero, Euler parameters at the identity
    weights   weight of each other value in the distance (1 by default): the larger, the less it changes
    inputs    laws as in `simulate`, where constraints contain inputs: the state is on the constraints that the
              simulation with these will have

    Speeds that are not rates may also be given by the rates of coordinates. Raises `AssemblyError` if the constraints
    cannot be satisfied, and names the joints that stay open or the contradictory values.

    >>> m = sb.Model("bead")
    >>> x, y = m.coordinates("x y")
    >>> bead = m.particle("bead", m.ground.point(x, y, 0), mass=1.0)
    >>> ring = m.constrain("ring", x**2 + y**2 - 1)
    >>> state = sb.assemble(sb.derive(m), x=0.6, x_dot=0.8, start={"y": 1.0})
    >>> state["y"], state["y_dot"]
    (0.8, -0.6)

    See also: `all_assemblies`, `State`, `integrate.violation`, `simulate`.
    """
    return _nearest_state(equations, values or {}, start, weights or {}, inputs or {}, is_explained=True)


@values_by_name(AssemblyError, label="assemble")
@of_equations
def unexplained_assembly(
    equations: Equations,
    values: Mapping[Any, float] | None = None,
    *,
    start: Start | None = None,
    inputs: Mapping[Any, Any] | None = None,
    options: Mapping[str, Any] | None = None,
    **named: Amount,
) -> State:
    """`assemble` for one attempt of several: what keeps the constraints open is not looked for, which is another
    search."""
    return _nearest_state(equations, values or {}, start, {}, inputs or {}, is_explained=False)


def _nearest_state(
    equations: Equations,
    values: Mapping[Any, float],
    start: Start | None,
    weights: Mapping[Any, float],
    inputs: Mapping[Any, Any],
    is_explained: bool,
) -> State:
    eq, constants = with_inputs(equations, inputs, AssemblyError)
    wanted = given_outputs(eq, {**constants, **values})
    q, how = _configuration(_task(wanted.positions, wanted.given, start, weights), is_explained)
    return _state(wanted, _task(wanted.speeds, wanted.given, start, weights), q, how)


@values_by_name(AssemblyError)
@of_equations
def all_assemblies(
    equations: Equations,
    values: Mapping[Any, float] | None = None,
    *,
    start: Start | None = None,
    weights: Mapping[Any, float] | None = None,
    inputs: Mapping[Any, Any] | None = None,
    tries: int | None = None,
    seed: int = 0,
    options: Mapping[str, Any] | None = None,
    **named: Amount,
) -> Assemblies:
    """All different states that `assemble` finds from random guesses, nearest to the guess first.

    tries   how many random starts; None goes on until each state was met twice (from 60 to 3000)
    seed    which random starts

    Whole turns, the sign of Euler parameters and the two ways to write a rotation in three angles make no difference. That none is missing is not certain: `found.times`
    says how often each was met, `found.unseen` how likely one more start is to find a new one.

    >>> m = sb.Model("bead")
    >>> x, y = m.coordinates("x y")
    >>> bead = m.particle("bead", m.ground.point(x, y, 0), mass=1.0)
    >>> ring = m.constrain("ring", x**2 + y**2 - 1)
    >>> sorted(round(s["y"], 6) for s in sb.all_assemblies(sb.derive(m), x=0.6, tries=10))
    [-0.8, 0.8]

    See also: `assemble`, `State`.
    """
    eq, constants = with_inputs(equations, inputs or {}, AssemblyError)
    wanted = given_outputs(eq, {**constants, **(values or {})})
    task, completed = (_task(e, wanted.given, start, weights or {}) for e in (wanted.positions, wanted.speeds))
    search, random = _position_search(task), np.random.default_rng(seed)
    first, how = _configuration(task)
    spread, twice = search.spread(random), _angles_twice(task, search)
    found, times, tried = [first], [1], 0
    while len(search.free) and (goes_on(times, tried) if tries is None else tried < tries):
        tried += 1
        reached = search.onto(search.moved(random, spread))
        if reached.holds:
            q = _nearest_equivalent(task, search, reached).x
            same = next((k for k, other in enumerate(found) if _is_same(task, search, twice, q, other)), None)
            if same is None:
                found.append(q)
                times.append(1)
            else:
                times[same] += 1
    order = sorted(range(len(found)), key=lambda k: search.distance(found[k]))
    return Assemblies((_state(wanted, completed, found[k], how) for k in order), [times[k] for k in order], tried)


def neighbouring_state(equations: Equations, values: Mapping[Any, float], start: State) -> State | None:
    """A state with these values that keeps the constraints, reached from one nearby without further attempts; None if
    there is none."""
    task = _task(equations, values, start, {})
    search = _position_search(task)
    found = search.onto(search.start)
    if not found.holds:
        return None
    try:
        u = _speeds(task, found.x)
        z = _additional(task, found.x, u)
    except AssemblyError:
        return None
    return State(equations, task.known["t"], found.x, u, z, task.numbers("r"), task.numbers("p"), "from a neighbour")


# ---------------------------------------------------------------------------------------------------------- the problem


@dataclass(frozen=True)
class _AssemblyTask:
    """Prescribed values (`held`) and the initial guess, by identifier; `known` has both."""

    equations: Equations
    rows: Rows
    held: Mapping[str, float]
    known: Mapping[str, float]
    weights: Mapping[str, float]

    def numbers(self, group: str) -> Array:
        return np.array([self.known[s.name] for s in getattr(self.equations, group)], dtype=np.float64)

    def free(self, group: str) -> Numbers:
        names = [s.name for s in getattr(self.equations, group)]
        return np.array([j for j, n in enumerate(names) if n not in self.held], dtype=np.intp)

    def weight(self, group: str) -> Array:
        return np.array([self.weights.get(s.name, 1.0) for s in getattr(self.equations, group)])

    def named(self, group: str) -> dict[str, float]:
        """Prescribed values of a group."""
        return {n: self.held[n] for s in getattr(self.equations, group) if (n := s.name) in self.held}

    def rounding(self, rows: Sequence[NamedRow], group: str, x: Array) -> Array:
        """Residual that rounding allows in some rows where a group of symbols has these values."""
        values = {s: self.known[s.name] for g in "quzrp" for s in getattr(self.equations, g)}
        values |= dict(zip(getattr(self.equations, group), map(float, x), strict=True))
        return np.array(rounding([r.expression for r in rows], {**values, self.equations.t: self.known["t"]}))

    @property
    def rates(self) -> dict[int, float]:
        """Rates to keep exactly that are not speeds, by the index of their coordinate."""
        speeds = {u.name for u in self.equations.u}
        names = {j: rate_name(q.name, 1) for j, q in enumerate(self.equations.q)}
        return {j: self.held[n] for j, n in names.items() if n in self.held and n not in speeds}


def _task(
    eq: Equations, given: Mapping[Any, float], start: Start | None, weights: Mapping[Any, float]
) -> _AssemblyTask:
    where = f"assembly of {eq.name!r}"
    held = named_values(eq, given, where, rates=True)
    movable = eq.variables.of("q u z")
    near = start_values(start, where)
    if is_whole_state(start):
        near = {n: x for n, x in near.items() if n in movable}
    rough = {n: x for n, x in named_values(eq, near, f"{where}, start", rates=True).items() if n not in held}
    weight = named_values(eq, weights, f"{where}, weights", rates=True)
    for what, names in (("start", rough), ("weights", weight)):
        if both := [n for n in names if n in held]:
            raise AssemblyError(f"{where}: {listed(both)} cannot be held as given and be in {what}; give one of them")
        if fixed := [n for n in names if n not in movable]:
            raise AssemblyError(
                f"{where}: {what} is for coordinates, speeds and additional variables that are unknown; {in_number(fixed, '{} is', '{} are')} not"
            )
    if wrong := [f"{n} = {w:g}" for n, w in weight.items() if w <= 0]:
        raise AssemblyError(
            f"{where}: weights must be positive, got {listed(wrong)}; give values that must not change by name"
        )
    held = _with_orientations(eq, held, where)
    _refuse_directions_left_open(eq, held, rough, where)
    known = default_values(eq) | rough | held
    known |= _identities_not_meant(eq, {*rough, *held})
    require_parameters(eq, known)
    return _AssemblyTask(eq, rows_of(eq), held, known, weight)


def _with_orientations(eq: Equations, held: dict[str, float], where: str) -> dict[str, float]:
    """Euler parameters that make a whole orientation, up to rounding, are normalised; those that are not given are then
    zero."""
    for e in eq.variables.quaternions:
        names = [v.name for v in e]
        given = {n: held[n] for n in names if n in held}
        size = float(np.linalg.norm(list(given.values())))
        if given and abs(size - 1) <= NORM_ERROR:
            held |= {n: given.get(n, 0.0) / size for n in names}
        elif len(given) == len(names) or size > 1:
            raise advised_error(
                AssemblyError,
                (
                    f"{where}: Euler parameters {listed(f'{n} = {v:g}' for n, v in given.items())} of norm "
                    f"{size:g}, which must be 1"
                ),
                "; give them by start={...} to have them normalised",
                f"; divided by it they are {listed(f'{n} = {v / size:z.10g}' for n, v in given.items())}",
            )
    return held


def _refuse_directions_left_open(
    eq: Equations, held: Mapping[str, float], rough: Mapping[str, float], where: str
) -> None:
    """Some Euler parameters of a joint, with two or more others that nothing determines: a turn by a known angle about no
    known axis."""
    for e in eq.variables.quaternions:
        names, own = [v.name for v in e], {v.symbol for v in e}
        given, left = [n for n in names if n in held], [n for n in names if n not in held]
        tied = [r for r in eq.rows.positions if own & set(free_symbols(r.expression))]
        if given and len(left) > 1 and not any(rough.get(n) for n in left) and len(tied) == 1:
            raise AssemblyError(
                f"{where}: {listed(f'{n} = {held[n]:g}' for n in given)} {'leaves' if len(given) == 1 else 'leave'} open which of many "
                f"orientations is meant; give {listed(left)} too, or by start={{...}} the direction in which they are to be found"
            )


def _identities_not_meant(eq: Equations, said: set[str]) -> dict[str, float]:
    """Where some of a set of Euler parameters are given, the initial guess of the others is zero, the first one
    included."""
    first = [e[0].name for e in eq.variables.quaternions if any(v.name in said for v in e)]
    return {n: 0.0 for n in first if n not in said}


# ---------------------------------------------------------------------------------------------------------- positions


def _position_search(task: _AssemblyTask) -> Search:
    rest = [task.numbers(g) for g in "uzrp"]

    def rows(q: Array) -> tuple[Array, Array]:
        return task.rows.position(task.known["t"], q, *rest)

    rounding = partial(task.rounding, task.rows.positions, "q")
    return Search(rows, task.numbers("q"), task.free("q"), task.weight("q"), rounding)


def _configuration(task: _AssemblyTask, is_explained: bool = True) -> tuple[Array, str]:
    """Coordinates that satisfy the constraints, and a sentence on how they were found."""
    if (near := _in_loops(task, is_explained)) is not None:
        return near
    search = _position_search(task)
    found, attempt = search.first()
    if not found.holds and is_explained:
        raise _why_open(task, search, found)
    if not found.holds:
        raise AssemblyError(f"assembly of {task.equations.name!r}: the constraints do not close")
    return _nearest_equivalent(task, search, found).x, _how(task, attempt)


def _in_loops(task: _AssemblyTask, is_explained: bool) -> tuple[Array, str] | None:
    """The nearest configuration of constraints in loops, and how it was found; None of others, and where none is reached and there
    are so few coordinates that one is searched for from random starts."""
    loops = task.rows.sparse
    if loops is None or loops.coordinates is None:
        return None
    rest = [task.numbers(g) for g in "uzrp"]

    def rows(q: Array) -> tuple[Array, Any]:
        state = (task.known["t"], q, *rest)
        return task.rows.residuals(*state)[0], loops.position_slopes(*state)

    search = SparseSearch(rows, task.numbers("q"), task.free("q"), task.weight("q"))
    found, attempt = search.first(loops.alike_starts(search.start, search.free) if is_explained else ())
    if found.holds:
        return search.onto(loops.unwound(found.x, search.start, rows, search.free)).x, _how(task, attempt)
    if len(found.x) <= MANY_PLACED:
        return None
    where, held, named = f"assembly of {task.equations.name!r}", task.named("q"), task.rows.positions
    if np.abs(found.left).max() <= MAX_START_VIOLATION:
        s, V = dependences(rows(found.x)[1])
        raise only_singular(where, named, V[:, 0], float(s[0]))
    if held and is_explained and (closed := search.without_held().nearest()).holds:
        there = {q.name: v for q, v in zip(task.equations.q, closed.x.tolist(), strict=True) if q.name in held}
        raise too_much_given(where, held, len(closed.x) - len(named), there, found.left, named)
    raise open_joints(where, found.left, named)


def _how(task: _AssemblyTask, attempt: int) -> str:
    if not task.rows.positions:
        return "no constraint on positions"
    if attempt == 0:
        return "assembled from the start"
    return (
        f"assembled from a start moved at random ({attempt + 1} attempts): from the start itself the constraints do not close, or only "
        "beyond a singular position"
    )


def _nearest_equivalent(task: _AssemblyTask, search: Search, found: Found) -> Found:
    """The nearest to the start of those configurations that go over into the one found: along the constraints, by whole
    turns, by sign."""
    x = unwound(search.rows, search.along(found).x, search.start, search.free)
    free = set(search.free.tolist())
    for places in _orientations(task):
        turned = x.copy()
        turned[places] *= -1
        is_nearer = x[places] @ search.start[places] < 0
        if is_nearer and free.issuperset(places) and np.allclose(search.rows(turned)[0], search.rows(x)[0], atol=1e-9):
            x = turned
    return search.onto(x)


def _is_same(task: _AssemblyTask, search: Search, twice: Sequence[tuple[list[int], float]], a: Array, b: Array) -> bool:
    """Whether two configurations are equal up to whole turns, signs of Euler parameters, and the two ways to write a
    rotation in three angles."""
    b = b.copy()
    for places in _orientations(task):
        b[places] *= 1.0 if a[places] @ b[places] >= 0 else -1.0
    for places, middle in twice:
        other = _other_angles(b, places, middle)
        b = min(b, other, key=lambda x: float(np.abs(np.remainder((a - x)[places] + np.pi, 2 * np.pi) - np.pi).max()))
    differs = np.abs(a - b) > 1e-6
    turned = np.abs(np.remainder(a - b + np.pi, 2 * np.pi) - np.pi) <= 1e-6
    return all(turned[j] and is_periodic(search.rows, a, int(j)) for j in np.flatnonzero(differs))


def _orientations(task: _AssemblyTask) -> list[list[int]]:
    """Numbers of the coordinates in each set of Euler parameters."""
    return [[v.index for v in e] for e in task.equations.variables.quaternions]


def _angles_twice(task: _AssemblyTask, search: Search) -> list[tuple[list[int], float]]:
    """Coordinates that turn something one after another, where these are free, and π or 0: with angles a, b, c the
    rotation by a + π, π - b, c + π is the same where the first and third axis are perpendicular, that by a + π, -b,
    c + π where they are the same."""
    free = set(search.free.tolist())
    triples = [[v.index for v in angles] for angles in task.equations.variables.rotations_by_angles.values()]
    draw = np.random.default_rng(5)
    x = search.start + draw.uniform(-1, 1, len(search.start))
    rows = search.rows(x)[0]
    return [
        (places, middle)
        for places in triples
        if free.issuperset(places)
        for middle in (np.pi, 0.0)
        if np.allclose(search.rows(_other_angles(x, places, middle))[0], rows, rtol=1e-9, atol=1e-9)
    ]


def _other_angles(x: Array, places: list[int], middle: float) -> Array:
    """The other angles of the same rotation."""
    a, b, c = places
    out = x.copy()
    out[a], out[b], out[c] = x[a] + np.pi, middle - x[b], x[c] + np.pi
    return out


def _why_open(task: _AssemblyTask, search: Search, best: Found) -> SymbodyError:
    """Values that contradict the constraints, where they close without; otherwise the joints that stay open."""
    held, where = task.named("q"), f"assembly of {task.equations.name!r}"
    near = _closed_without(task, search, best, held) if held else None
    if near is None:
        return open_joints(where, best.left, task.rows.positions)
    free = len(near) - SingularValues.of(search.rows(near)[1]).rank(RANK_TOLERANCE)
    there = {q.name: x for q, x in zip(task.equations.q, near, strict=True) if q.name in held}
    return too_much_given(where, held, free, there, best.left, task.rows.positions)


def _closed_without(task: _AssemblyTask, search: Search, best: Found, held: Mapping[str, float]) -> Array | None:
    """A configuration near to the values that were held, if there is one without holding them."""
    everything, weights = np.arange(len(search.start)), task.weight("q")
    loose = replace(search, free=everything, weights=weights)
    meant = np.array([PRESCRIBED_WEIGHT if q.name in held else 1.0 for q in task.equations.q])
    faithful = replace(loose, weights=weights * meant)
    found = [faithful.along(f).x for f in (loose.onto(best.x), loose.onto(search.start)) if f.holds]
    return min(found, key=faithful.distance, default=None)


# ---------------------------------------------------------------------------------------------------------- speeds


def _speeds(task: _AssemblyTask, q: Array) -> Array:
    """Speeds nearest to their start that keep Jc u + b = 0 and the rates that are held."""
    state = (task.known["t"], q, *(task.numbers(g) for g in "uzrp"))
    rows, loops = list(task.rows.speeds), task.rows.sparse
    is_sparse = loops is not None and not task.rates
    nearest = nearest_speeds if is_sparse else _least
    A, b = loops.speed(*state) if loops is not None and is_sparse else task.rows.speed(*state)
    if task.rates:
        N, n = task.rows.rate(*state)
        for j, value in task.rates.items():
            A, b = np.vstack([A, N[j]]), np.append(b, n[j] - value)
            rate = task.equations.rates[j] - value
            rows.append(NamedRow(f"{rate_name(task.equations.q[j].name, 1)} = {value:g}", "rate", rate))
    u, left, is_exact = nearest(A, b, task.numbers("u"), task.free("u"), task.weight("u"))
    if is_exact:
        return u
    where, held = f"assembly of {task.equations.name!r}", {**task.named("u"), **_named_rates(task)}
    k = len(task.rows.speeds)
    there, _, closes = nearest(A[:k], b[:k], u, np.arange(len(u)), task.weight("u"))
    if held and closes:
        free = len(u) - (k if is_sparse else SingularValues.of(A[:k]).rank(RANK_TOLERANCE))
        at = dict(zip((s.name for s in task.equations.u), there, strict=True))
        raise too_much_given(where, held, free, {n: at[n] for n in held if n in at}, left, rows, True)
    raise AssemblyError(contradiction(where, left, rows, True))


def _named_rates(task: _AssemblyTask) -> dict[str, float]:
    return {rate_name(task.equations.q[j].name, 1): value for j, value in task.rates.items()}


def _least(A: Array, b: Array, u: Array, free: Numbers, weights: Array) -> tuple[Array, Array, bool]:
    """The u nearest to the given one with A u + b = 0, what is left of it, and whether that is rounding."""
    scale = 1 / np.sqrt(weights[free])
    sizes = sizes_of_rows(A)
    u = u.copy()
    terms = float(np.max((np.abs(A) @ np.abs(u) + np.abs(b)) / sizes, initial=0.0))
    for _ in range(2):  # the second time takes away rounding of the first
        off = (A @ u + b) / sizes
        if len(off) and len(free):
            u[free] -= scale * np.linalg.lstsq(A[:, free] * scale / sizes[:, None], off, rcond=RANK_TOLERANCE)[0]
    left = A @ u + b
    return u, left, bool(np.max(np.abs(left / sizes), initial=0.0) <= 1e-10 * terms)


# ---------------------------------------------------------------------------------------------------------- the rest


def _state(wanted: GivenOutputs, task: _AssemblyTask, q: Array, how: str) -> State:
    """The state with these coordinates; where outputs are given that need more than coordinates or speeds alone, the
    nearest state with these values."""
    found = _complete_state(task, q, how)
    return wanted.state(_together(wanted, task, found) if wanted.others else found)


def _together(wanted: GivenOutputs, task: _AssemblyTask, state: State) -> State:
    eq = task.equations
    rates = [NamedRow(f"{rate_name(eq.q[j].name, 1)} = {x:g}", "rate", eq.rates[j] - x) for j, x in task.rates.items()]
    rows = (*wanted.positions.rows.positions, *task.rows.speeds, *task.rows.additional, *rates, *wanted.others)
    search = state_search(eq, rows, {**task.known, **state.values}, task.held, task.weights)
    found, attempt = search.first()
    if not found.holds:
        asked = listed(row.name for row in wanted.others)
        raise AssemblyError(contradiction(f"assembly of {eq.name!r} with {asked} as given", found.left, rows))
    x = search.along(found).x
    n_q, n_u = len(eq.q), len(eq.u)
    said = f"{state.outcome}; {listed(row.name for row in wanted.others)} found for the state as a whole"
    said += f" ({attempt + 1} attempts)" if attempt else ""
    return replace(state, q=x[:n_q], u=x[n_q : n_q + n_u], z=x[n_q + n_u :], outcome=said)


def _complete_state(task: _AssemblyTask, q: Array, how: str) -> State:
    """The state with these coordinates: speeds, then additional variables; the outcome notes redundant constraints."""
    u = _speeds(task, q)
    eq = task.equations
    z = _additional(task, q, u)
    state = State(eq, task.known["t"], q, u, z, task.numbers("r"), task.numbers("p"), how)
    notes = [f"{name!r} follows from {listed(map(repr, others)) if others else 'nothing else: it is always satisfied'}"
             for name, others in state.redundant.items()]  # fmt: skip
    if not notes:
        return state
    return replace(
        state, outcome=f"{how}; {len(notes)} of {len(eq.lam)} constraints are redundant here: {'; '.join(notes)}"
    )


def _additional(task: _AssemblyTask, q: Array, u: Array) -> Array:
    """Additional variables: algebraic ones so that their equations hold, the others as they start."""
    rows = partial(_addition, task, q, u)
    rounding = partial(task.rounding, task.rows.additional, "z")
    search = Search(rows, task.numbers("z"), task.free("z"), task.weight("z"), rounding)
    found, _ = search.first()
    if not found.holds:
        raise AssemblyError(
            contradiction(
                f"assembly of {task.equations.name!r}, additional equations", found.left, task.rows.additional
            )
        )
    return search.along(found).x


def _addition(task: _AssemblyTask, q: Array, u: Array, z: Array) -> tuple[Array, Array]:
    return task.rows.addition(task.known["t"], q, u, z, task.numbers("r"), task.numbers("p"))
