"""Base parameters: the identifiable combinations of inertial parameters, symbolically by rules and numerically by rank.

Mass on the axis of a revolute joint moves in the same way with either body of the joint; so do second moments of a body
on a prismatic joint. Each joint therefore allows parameters of a body to be regrouped with those of its parent (Gautier
and Khalil 1990): for a revolute one about z

    m, mc_z, I_yy -> parent,           I_xx -> I_xx - I_yy

and for a prismatic one all six inertias. Seven parameters remain of a body on a revolute joint, four on a prismatic
one, ten on a free one. Loops tie parameters by the points at which they are closed (`loop_ties.py`). Remaining
parameters without influence, or dependent ones, are found by the rank of Y at random motions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

import symbody as sb

from ...argument_kinds import checked_flags
from ...errors import ModelError
from ...summary import Tabular
from .loop_ties import count_ties
from .moved_parameters import moved_along, moved_whole
from .torque_regressor import Regressor

RANK_TOLERANCE: Final = 1e-9  # singular value, relative to the largest, below which it counts as zero
SAMPLES: Final = 60  # smallest number of random motions
MAX_ROUNDS: Final = 12  # largest number of rounds of additional samples
# number of additional samples, relative to the first ones, that test whether there were enough
ADDED_SAMPLES: Final = 0.25
MAX_ROW_RATIO: Final = 1e4  # size of a row, relative to the usual one, above which it is near a singular configuration
# number of speeds at each configuration of a loop: for terms of accelerations, of speeds, and of gravity
SPEEDS_PER_CONFIGURATION: Final = 3


@dataclass(frozen=True, eq=False, repr=False)
class BaseParameters(Tabular):
    """The identifiable combinations of parameters.

    columns    of Y that are independent and span all others: the minimal regressor is `regressor.chosen(base.columns)`
    formulas   of each of them the grouped parameter, an expression in symbols named as the parameters are, and in those
               of the geometry
    grouping   B with π_base = B π, numbers
    gap        ratio of the singular values on both sides of the rank

    >>> m = sb.Model("pendulum")
    >>> joint = m.revolute("theta", m.ground, m.body("bob", mass=2, com=(0, -1, 0), inertia=(1, 1, 1)))
    >>> base = sb.kits.robots.base_parameters(sb.kits.robots.regressor(sb.derive(m)))
    >>> base.columns, base.formulas
    ((9,), (bob_Izz,))

    See also: `kits.robots.base_parameters`, `kits.robots.regressor`, `kits.robots.identify_robot`.
    """

    regressor: Regressor
    columns: tuple[int, ...]
    formulas: tuple[sb.Expr, ...]
    grouping: np.ndarray
    gap: float

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the base parameters: those of the columns that were kept.

        >>> m = sb.Model("pendulum")
        >>> joint = m.revolute("theta", m.ground, m.body("bob", mass=2, com=(0, -1, 0), inertia=(1, 1, 1)))
        >>> sb.kits.robots.base_parameters(sb.kits.robots.regressor(sb.derive(m))).names
        ('bob_Izz',)
        """
        return tuple(self.regressor.parameters[j] for j in self.columns)

    def __len__(self) -> int:
        return len(self.columns)

    def __str__(self) -> str:
        return "\n".join(f"{n}: {sb.text(e)}" for n, e in zip(self.names, self.formulas, strict=True))


@checked_flags(ModelError)
def base_parameters(Y: Regressor, *, gravity: bool = True, seed: int = 0) -> BaseParameters:
    """Base parameters of a regressor. `gravity=False`: those that are identifiable without gravity.

    >>> m = sb.Model("pendulum")
    >>> joint = m.revolute("theta", m.ground, m.body("bob", mass=1.0, com=(0, -1, 0), inertia=(1, 1, 1)))
    >>> m.gravity(0, -10, 0)
    >>> sb.kits.robots.base_parameters(sb.kits.robots.regressor(sb.derive(m))).formulas
    (bob_mcx, bob_mcy, bob_Izz)

    See also: `kits.robots.regressor`, `kits.robots.BaseParameters`.
    """
    symbols = [sb.symbol(n) for n in Y.parameters]
    grouped = _regrouped_parameters(Y, symbols)
    samples = _enough(Y, seed, gravity)
    count_ties(Y, grouped, symbols, samples)
    kept = [j for j, e in enumerate(grouped) if e.value is None]
    order = [*kept, *(j for j in range(len(symbols)) if j not in kept)]
    columns, coefficients, gap = _independent(samples, order)
    numbers = dict.fromkeys(symbols, 0.0)
    geometry = dict(Y.equations.mechanism.values)
    formulas = []
    B = np.zeros((len(columns), len(symbols)))
    for k, j in enumerate(columns):
        formula = grouped[j]
        for i, beta in coefficients[k].items():
            if i in kept and i != j and grouped[i].value is None:
                formula = formula + beta * grouped[i]
        slopes = sb.gradient(formula, symbols).entries
        B[k] = [float(sb.evaluate(e, {**geometry, **numbers})) for e in slopes]
        formulas.append(_formula(slopes, B[k], symbols))
    return BaseParameters(Y, tuple(columns), tuple(formulas), B, gap)


def _formula(slopes: Sequence[sb.Expr], numbers: np.ndarray, symbols: Sequence[sb.Symbol]) -> sb.Expr:
    """Σ coefficient · parameter; numeric coefficients without rounding errors, symbolic ones in tidy form."""
    total = sb.fraction(0, 1)
    for e, x, s in zip(slopes, numbers, symbols, strict=True):
        if abs(x) > 1e-12:
            total = total + (_rounded_if_integer(float(f"{x:z.12g}")) if not sb.free_symbols(e) else sb.tidy(e)) * s
    return total


# ---------------------------------------------------------------------------------------------------------- rules


def _regrouped_parameters(Y: Regressor, symbols: Sequence[sb.Symbol]) -> list[sb.Expr]:
    """Parameters with those of outer bodies regrouped into them; zero for those that were regrouped."""
    eq = Y.equations
    tree = eq if eq.source is None else eq.source
    table: list[sb.Expr] = list(symbols)
    zero = sb.fraction(0, 1)
    frames = list(Y.frames)
    for b in sorted(range(len(frames)), key=lambda k: -len(Y.carriers[k].path)):
        above = _carrier(Y.carriers, b)
        if above is None:
            continue
        kind, axis, p, R = _joint_between(tree, frames[above], frames[b])
        own, outer = range(10 * b, 10 * b + 10), range(10 * above, 10 * above + 10)
        if kind == "fixed" or kind == "prismatic":
            moved = moved_whole([table[j] for j in own], p, R, with_mass=kind == "fixed")
            left = [zero] * 10 if kind == "fixed" else [*(table[j] for j in own[:4]), *([zero] * 6)]
        elif kind == "revolute":
            moved, left = moved_along([table[j] for j in own], axis, p, R)
        else:
            continue
        for j, e in zip(own, left, strict=True):
            table[j] = e
        for j, e in zip(outer, moved, strict=True):
            table[j] = table[j] + e
    return table


def _carrier(frames: Sequence[sb.Frame], b: int) -> int | None:
    """The body on whose frame another one hangs: the last of its path."""
    path = list(frames[b].path)
    own = [(path.index(f), k) for k, f in enumerate(frames) if k != b and f in path and (f is not frames[b] or k < b)]
    return max(own)[1] if own else None


def _joint_between(eq: sb.Equations, a: sb.Frame, b: sb.Frame) -> tuple[str, int, sb.Matrix, sb.Matrix]:
    """Motion of b in a: kind, axis of b, constant offset (none for prismatic ones), and constant rotation or the
    axis's direction."""
    p, R = (b.origin - a.origin).components(a), a.dcm(b)
    moving = {s for s in sb.free_symbols([*p.entries, *R.entries]) if s.kind == "coordinate"}
    slides = {s for s in sb.free_symbols(p) if s.kind == "coordinate"}
    turns = {s for s in sb.free_symbols(R) if s.kind == "coordinate"}
    if not moving:
        return "fixed", 0, p, R
    if slides and not turns:
        return "prismatic", 0, p, R
    if len(turns) == 1 and not slides:
        steady = [k for k in range(3) if not any(s.kind == "coordinate" for s in sb.free_symbols(R.column(k)))]
        if len(steady) == 1:
            return "revolute", steady[0], p, R
    return "other", 0, p, R


# ---------------------------------------------------------------------------------------------------------- numbers


def sampled_regressor(Y: Regressor, seed: int, gravity: bool = True, part: float = 1.0) -> np.ndarray:
    """Y at random motions, stacked, on the constraints if there are any; or at a fraction of them."""
    eq = Y.equations
    f = sb.compile(Y.program())
    rng = np.random.default_rng(seed)
    n = len(eq.u)
    p = np.array([float(eq.mechanism.values.get(s, 1.0)) for s in eq.p])
    rows = (3 if eq.source is None else 2) * Y.Y.shape[1]  # of loops it is seen whether they were enough
    count = int(part * max(SAMPLES, rows // max(n, 1)))
    out = []
    for q, u in _states(eq, rng, count):
        a = rng.normal(size=n) * 3
        value = np.asarray(f(q, u, a, p, 0.0)).reshape(n, -1)
        if not gravity:
            value = value - np.asarray(f(q, 0 * u, 0 * a, p, 0.0)).reshape(n, -1)
        out.append(value)
    return np.vstack(out)


def _enough(Y: Regressor, seed: int, gravity: bool) -> np.ndarray:
    """Samples of a rank that more of them do not raise: loops may have several ways to be closed."""
    A = _alike(sampled_regressor(Y, seed, gravity))
    for k in range(1, MAX_ROUNDS if Y.equations.source is not None else 1):
        more = np.vstack([A, _alike(sampled_regressor(Y, seed + k, gravity, ADDED_SAMPLES))])
        if _rank(A) == _rank(more):
            break
        A = more
    return A


def _rank(A: np.ndarray) -> int:
    sizes = np.linalg.svd(A, compute_uv=False)
    return int((sizes > RANK_TOLERANCE * sizes[0]).sum()) if len(sizes) else 0


def _alike(A: np.ndarray) -> np.ndarray:
    """Rows scaled to size one, which have the same null space: near singular configurations of a loop they are large
    and would hide all others. Very large ones are left out because of their rounding errors."""
    sizes = np.abs(A).max(axis=1)
    usual = float(np.median(sizes[sizes > 0])) if (sizes > 0).any() else 0.0
    kept = (sizes > 0) & (sizes <= MAX_ROW_RATIO * usual)
    return np.asarray(A[kept] / sizes[kept, None])


def _states(eq: sb.Equations, rng: np.random.Generator, count: int) -> Any:
    """Random q, u; Euler parameters of norm one; configurations that close loops, each with several speeds, since they
    have to be searched for."""
    groups = _euler_parameters(eq)
    speeds = 1 if eq.source is None else SPEEDS_PER_CONFIGURATION
    for _ in range(-(-count // speeds)):
        q = rng.uniform(-2, 2, len(eq.q))
        for g in groups:
            q[g] /= np.linalg.norm(q[g])
        if eq.source is not None:
            start = sb.assemble(eq.source, start={s.name: float(x) for s, x in zip(eq.q, q, strict=True)})
            q = np.array([start[s] for s in eq.q])
        for _ in range(speeds):
            yield q, rng.normal(size=len(eq.u)) * 2


def _euler_parameters(eq: sb.Equations) -> list[list[int]]:
    places = {q: i for i, q in enumerate(eq.q)}
    return [[places[s] for s in norm] for norm in eq.mechanism.norms]


def _independent(A: np.ndarray, order: Sequence[int]) -> tuple[list[int], list[dict[int, float]], float]:
    """Columns of A that are independent of those before them in this order; and for each the coefficients of the others
    in terms of them."""
    scale = np.linalg.norm(A, axis=0)
    scale[scale < RANK_TOLERANCE * max(scale.max(), 1e-300)] = 0.0
    singular = np.linalg.svd(A / np.where(scale > 0, scale, 1.0), compute_uv=False)
    rank = int((singular > RANK_TOLERANCE * singular[0]).sum()) if len(singular) and singular[0] else 0
    below = singular[rank] if rank < len(singular) else 0.0
    gap = float(below / singular[rank - 1]) if rank else 0.0
    chosen: list[int] = []
    Q = np.zeros((A.shape[0], 0))
    for j in order:
        if scale[j] == 0 or len(chosen) == rank:
            continue
        r = A[:, j] / scale[j]
        for _ in range(2):
            r = r - Q @ (Q.T @ r)
        if np.linalg.norm(r) > 1e-6:
            Q = np.column_stack([Q, r / np.linalg.norm(r)])
            chosen.append(j)
    chosen.sort()
    rest = [j for j in range(A.shape[1]) if j not in chosen]
    X = np.linalg.lstsq(A[:, chosen], A[:, rest], rcond=None)[0] if rest else np.zeros((len(chosen), 0))
    X[np.abs(X) < 1e-8] = 0.0
    found = [{i: _rounded_if_integer(X[k, n]) for n, i in enumerate(rest) if X[k, n]} for k in range(len(chosen))]
    return chosen, found, gap


def _rounded_if_integer(x: float) -> float:
    """The nearest integer for a number that differs from it by rounding only."""
    return float(round(x)) if abs(x - round(x)) < 1e-9 else float(x)
