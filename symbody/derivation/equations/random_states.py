"""Random states that satisfy the constraints, at which `certify` and the tests evaluate equations."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from random import Random
from typing import Any, Final

import numpy as np

from ...algebra.calculus.evaluate import evaluate
from ...algebra.graph.graph import Symbol
from ...algebra.graph.matrix import Matrix
from ...algebra.graph.walk import free_symbols
from ...errors import DerivationError, EvaluationError
from ..rank.loop_closure import Values, closed_loops
from ..rank.regular_configuration import regular
from ..rank.row_space import RowSpace, typical_sizes
from ..rank.small_matrices import Rows, least_norm, size
from .equation_arguments import of_equations
from .equations import Equations

MAX_STARTS: Final = 24  # largest number of random starts for the assembly of loops
ZERO_SPEED: Final = 1e-15  # speed, relative to the speeds drawn, below which it is rounding noise
MAX_CONDITION: Final = 1e4  # largest condition number of the constraints at a regular state


@of_equations
def random_state(equations: Equations, seed: int = 0, values: Mapping[Any, float] | None = None) -> Values:
    """A random consistent state with a value for every symbol: q satisfies phi = 0 (and Euler parameters have unit
    norm), u satisfies Jc u + b = 0. Singular positions are avoided.

    values   values by symbol or name: parameters, inputs and time are kept; coordinates are initial guesses. Other
             parameters have the default values of the mechanism, or random positive values, which are adjusted if loops
             do not close. With holonomic constraints each guess is perturbed slightly, so that different seeds give
             different states.

    >>> m = sb.Model("bead")
    >>> x, y = m.coordinates("x y")
    >>> bead = m.particle("bead", m.ground.point(x, y, 0), mass=1)
    >>> ring = m.constrain("ring", x**2 + y**2 - 1)
    >>> state = sb.derivation.random_state(sb.derive(m), seed=1)
    >>> abs(state[x]**2 + state[y]**2 - 1) < 1e-12, abs(state[x] * state[x.dot] + state[y] * state[y.dot]) < 1e-12
    (True, True)

    See also: `assemble`, `certify`.
    """
    draw, given = Random(seed), _given_values(equations, values or {})
    known = {**equations.variables.of("p").defaults, **given}
    loose = [p for p in equations.p if p not in known]
    best = [math.inf]
    for attempt in range(MAX_STARTS):
        drawn = _random_state_near(equations, draw, known, 1.2 * 0.95**attempt)
        state, found = closed_loops(
            equations, [*equations.q, *loose] if attempt >= MAX_STARTS // 2 else equations.q, drawn
        )
        place = _regular(equations, state, draw) if found.holds and equations.whole.lam else state
        if found.holds and attempt == MAX_STARTS - 1:
            place = place or state
        if found.holds and place is not None and _has_values(equations, place):
            return place
        if not found.holds and np.isfinite(found.F).all() and size(left := found.F.tolist()) < size(best):
            best = left
    raise DerivationError(_why_not(equations, best if math.isfinite(best[0]) else ()))


def condition(equations: Equations, state: Values) -> float:
    """Ratio of the largest singular value of Jc, rows having length one, to the smallest that counts; of the dependent
    speeds' columns where the constraints were eliminated; infinite if the rank is less than elsewhere."""
    whole = equations.whole
    if not whole.lam:
        return 1.0
    kept = set(equations.u) if equations.dependent and not equations.lam else set()
    Jc = np.array([numbers([whole.Jc], state)[0]], dtype=np.float64)[0]
    J = Jc[:, [j for j, u in enumerate(whole.u) if u not in kept]]
    space = RowSpace.of(J, typical_sizes(whole, whole.Jc.entries, Jc, state))
    return space.condition if space.rank >= whole.rows.rank else math.inf


def _regular(equations: Equations, state: Values, draw: Random) -> Values | None:
    """The state, or a neighbour along the constraints where it is singular; None if the neighbour is singular
    too."""
    if condition(equations, state) < MAX_CONDITION:
        return state
    moved = regular(equations.whole, state, draw)
    return moved if moved is not None and condition(equations, moved) < MAX_CONDITION else None


def _has_values(equations: Equations, state: Values) -> bool:
    """Puts speeds into a state that keep the constraints; False if the equations have no value there."""
    try:
        _project_speeds(equations, state)
        numbers([equations.M, equations.f, equations.rates, equations.h], state)
    except (EvaluationError, OverflowError):
        return False
    return True


def _why_not(equations: Equations, left: Sequence[float]) -> str:
    names = [row.name for row in equations.rows.positions]
    worst = max(range(len(left)), key=lambda k: abs(left[k]), default=None)
    if worst is None:
        return (
            f"{equations.name!r}: the equations have no value at random states; give values={{...}} near which "
            "they have"
        )
    return (
        f"{equations.name!r}: no state was found that keeps the constraints; the nearest misses by {abs(left[worst]):z.3g} in "
        f"{names[worst]}. Give lengths that let the loops close, and coordinates to start from, with values={{...}}"
    )


def _given_values(equations: Equations, values: Mapping[Any, float]) -> Values:
    known = equations.variables.having(equations.whole.u, "u").having(_symbols(equations), "p")
    return dict(known.numbers(values, f"random state of {equations.name!r}", DerivationError, "symbol"))


def _symbols(equations: Equations) -> list[Symbol]:
    named = equations.variables.of("q u z r p t").symbols
    found = free_symbols(equations.M, equations.f, equations.Jc, equations.c, equations.h, equations.rates)
    return list(dict.fromkeys([*named, *found, *equations.variables.of("z' r' r''").symbols]))


# ---------------------------------------------------------------------------------------------------- drawing

_RANGES: Final = {"parameter": (0.8, 1.5), "time": (0.1, 2.0)}


def _random_state_near(equations: Equations, draw: Random, known: Values, spread: float) -> Values:
    state: Values = {s: draw.uniform(*_RANGES.get(s.kind, (-spread, spread))) for s in _symbols(equations)}
    shaken = set(equations.q) if equations.phi.rows else set()
    state |= {s: v + (draw.uniform(-0.2, 0.2) if s in shaken else 0.0) for s, v in known.items()}
    _draw_inertias(equations, draw, state, known)
    for e in equations.variables.quaternions:
        size = math.sqrt(sum(state[v.symbol] ** 2 for v in e))
        state |= {v.symbol: state[v.symbol] / size for v in e}
    return state


def _draw_inertias(equations: Equations, draw: Random, state: Values, known: Values) -> None:
    """Symbols of inertia tensors get numbers that a body can have: products small, drawn until the tensor is
    positive."""
    for b in equations.mechanism.rigid_bodies:
        I = b.mass.I_BBcm
        free = [s for s in free_symbols(I) if s not in known and s.kind == "parameter"]
        products = [e for e in (I[0, 1], I[0, 2], I[1, 2]) if e in free]
        for _ in range(100 if free else 0):
            state |= {s: draw.uniform(0.8, 1.5) for s in free} | {s: draw.uniform(-0.15, 0.15) for s in products}
            if _is_positive(numbers([I], state)[0]):
                break


def _is_positive(I: Rows) -> bool:
    minor = I[0][0] * I[1][1] - I[0][1] ** 2
    det = I[2][2] * minor - I[0][0] * I[1][2] ** 2 - I[1][1] * I[0][2] ** 2 + 2 * I[0][1] * I[1][2] * I[0][2]
    return I[0][0] >= 0 and minor >= 0 and det >= 0


def numbers(matrices: Sequence[Matrix], values: Mapping[Any, Any]) -> list[list[list[Any]]]:
    """Values of matrices, each as a list of rows."""
    flat = evaluate([list(m.entries) for m in matrices], values)
    return [[v[i * m.cols : (i + 1) * m.cols] for i in range(m.rows)] for m, v in zip(matrices, flat, strict=True)]


# ---------------------------------------------------------------------------------------------------- projecting


def _project_speeds(equations: Equations, state: Values) -> None:
    if not equations.lam:
        return
    J, (b,) = numbers([equations.Jc, equations.b.T], state)
    drawn = max((abs(state[u]) for u in equations.u), default=0.0)
    for _ in range(2):  # the second time takes away what damping left
        miss = [
            sum(x * state[u] for x, u in zip(row, equations.u, strict=True)) + e for row, e in zip(J, b, strict=True)
        ]
        for u, x in zip(equations.u, least_norm(J, miss, 1e-14), strict=True):
            state[u] -= x
    state |= {u: 0.0 for u in equations.u if abs(state[u]) < ZERO_SPEED * drawn}
