"""Runs on constraints that depend on each other: their rank, and borders that go along with the motion.

The border B of equations (`derivation/rank/saddle_point.py`) is a set of parameters in a run. Its numbers do not change the
motion, as long as nᵀ B is regular for the combinations n of rows that vanish. These turn as the mechanism moves, so
after every step B follows them:

    n = S̃⁻¹ B,   S̃ = S + σ B Bᵀ,   S = Jc M⁻¹ Jcᵀ        then B_i ← sizes_i² n_i, made orthonormal in units of the
                  sizes
"""

from __future__ import annotations

from dataclasses import replace
from math import sqrt

import numpy as np

from ...algebra.graph.graph import Symbol, symbol
from ...algebra.graph.linear import factorize
from ...algebra.graph.matrix import Matrix
from ...derivation.equations.equations import Equations
from ...derivation.rank.saddle_point import Border
from ...emit.loops.kernel_language import Function, Indices, Known, Numbers
from ...emit.loops.records import Struct
from ...emit.run.callable import Array
from ..elimination_kernels.complete_pivoting import eliminate_completely, vanishing_combination
from ..start.branch_rank import RunRank
from ..start.constraint_rows import rows_of
from .accelerations import inertia, rows


def bordered_equations(eq: Equations, found: RunRank) -> Equations:
    """Equations whose border is made of parameters, for constraints that depend on each other; otherwise as they
    are."""
    if found.rank == len(eq.lam):
        return eq if eq.border is None else eq.cached("bordered", None, lambda: replace(eq, border=None))
    return eq.cached("bordered", found.key, lambda: replace(eq, border=_symbols(eq, found)))


def _symbols(eq: Equations, found: RunRank) -> Border:
    m, k, sizes = len(eq.lam), len(eq.phi.entries), found.sizes
    inner = None
    if k < m and found.holonomic < k:
        inner = Border(_grid("border_of_positions", k, k - found.holonomic), sizes[:k])
    return Border(_grid("border", m, m - found.rank), sizes, inner)


def _grid(name: str, m: int, n: int) -> Matrix:
    return Matrix(m, n, tuple(symbol(f"{name}_{i + 1}_{j + 1}", "parameter") for i in range(m) for j in range(n)))


def parts(eq: Equations) -> list[Border]:
    """The borders that are parameters of a run: of all rows, then of holonomic ones if these have their own."""
    found = [] if eq.border is None else [eq.border, eq.border.positions]
    return [b for b in found if b is not None and isinstance(b.B.entries[0], Symbol)]


def border_parameters(eq: Equations) -> tuple[Symbol, ...]:
    return tuple(s for b in parts(eq) for s in b.B.entries if isinstance(s, Symbol))


def border_numbers(eq: Equations, t: float, state: Array, parameters: Array) -> Array:
    """The parameters of the borders at a state: null vectors of the rows there."""
    n_q, n_u, n_z, n_p = len(eq.q), len(eq.u), len(eq.z), len(eq.p)
    q, u, z = np.split(state[: n_q + n_u + n_z], [n_q, n_q + n_u])
    Jc, _ = rows_of(eq).speed(t, q, u, z, parameters[n_p : n_p + len(eq.r)], parameters[:n_p])
    return np.concatenate([_fitting(b, Jc) for b in parts(eq)])


def _fitting(border: Border, Jc: Array) -> Array:
    sizes, k = np.array(border.sizes), border.B.rows
    U = np.linalg.svd(Jc[:k] / sizes[:, None])[0]
    fitting: Array = (U[:, k - border.B.cols :] * sizes[:, None]).ravel()
    return fitting


def null_vectors(eq: Equations, metric: str) -> list[Matrix]:
    """S̃⁻¹ B of each border, as expressions."""
    out = []
    for border in parts(eq):
        J = rows(eq.Jc, tuple(range(border.B.rows)))
        pushed = factorize(inertia(eq), "definite").solve(J.T) if metric == "mass" else J.T
        out.append(factorize(border.filled(J @ pushed), "definite").solve(border.B))
    return out


# --------------------------------------------------------------------------------------------------------- at any state


class Fitting(Struct):
    """Borders of (m, k) and (m2, k2) entries for rows of n speeds, in p from `first` on, made anew for a state.

    constraints    program of Jc; memory for it, and for its factors with the order of their rows and columns
    vectors        memory for null vectors
    """

    n: int
    m: int
    k: int
    m2: int
    k2: int
    first: int
    constraints: Function
    sizes: Numbers
    p: Numbers
    Jc: Numbers
    factors: Numbers
    rows: Indices
    columns: Indices
    quality: Numbers
    weights: Numbers
    vectors: Numbers


def fit_borders(t: float, y: Numbers, f: Fitting) -> None:
    """Borders at a state, whatever they were before: combinations of rows that vanish there."""
    f.constraints((t, y), (f.Jc,))
    fit(f, f.m, f.k, f.p[f.first :])
    if f.k2 > 0:
        fit(f, f.m2, f.k2, f.p[f.first + f.m * f.k :])


def fit(f: Fitting, m: int, k: int, border: Numbers) -> None:
    """The k combinations of the first m rows, in units of their sizes, that vanish; the border stays as it is where the
    rows have a lower rank."""
    for i in range(m):
        f.rows[i] = i
        for j in range(f.n):
            f.factors[i * f.n + j] = f.Jc[i * f.n + j] / f.sizes[i]
    for j in range(f.n):
        f.columns[j] = j
    rank = eliminate_completely(m, f.n, m - k, f.n, 0.0, f.factors, f.rows, f.columns, f.quality)
    if rank < m - k:
        return
    for j in range(k):
        for i in range(m):
            f.weights[i] = 0.0
        vanishing_combination(f.n, rank, rank + j, f.factors, f.rows, f.weights)
        for i in range(m):
            f.vectors[i * k + j] = f.weights[i] / f.sizes[i]
    follow(m, k, f.sizes, f.vectors, border)


# ----------------------------------------------------------------------------------------------------- along the motion


class Following(Struct):
    """The way back to the constraints (`inner`), and after it borders of (m, k) and (m2, k2) entries, in p from `first`
    on, that follow.

    vectors   null vectors of both, one after the other
    sizes     of the rows
    """

    n: Known[int]
    m: Known[int]
    k: Known[int]
    m2: Known[int]
    k2: Known[int]
    first: Known[int]
    inner: Function
    vectors: Function
    sizes: Numbers
    p: Numbers
    w: Numbers


def settle_and_follow(t: float, y: Numbers, out: Numbers, note: Numbers, following: Following) -> None:
    """Back to the constraints; the borders are those of the new state."""
    f = following
    f.inner((t, y), (out, note))
    if note[0] < 0.0:
        return
    f.vectors((t, out), (f.w,))
    follow(f.m, f.k, f.sizes, f.w, f.p[f.first :])
    if f.k2 > 0:
        follow(f.m2, f.k2, f.sizes, f.w[f.m * f.k :], f.p[f.first + f.m * f.k :])


def keep_state(t: float, y: Numbers, out: Numbers, note: Numbers, n: int) -> None:
    """The identity, in place of a projection, for forms without one."""
    for i in range(n):
        out[i] = y[i]
    note[0] = 0.0


def follow(m: int, k: int, sizes: Numbers, null: Numbers, border: Numbers) -> None:
    """Border vectors from null vectors, orthonormal in units of the sizes; they stay what they are where one is not
    finite."""
    total = 0.0
    for i in range(m * k):
        total = total + null[i] * null[i]
    if not total <= 1e300:
        return
    for j in range(k):
        for i in range(m):
            null[i * k + j] = null[i * k + j] * sizes[i]
        for l in range(j):
            part = 0.0
            for i in range(m):
                part = part + null[i * k + l] * null[i * k + j]
            for i in range(m):
                null[i * k + j] = null[i * k + j] - part * null[i * k + l]
        length = 0.0
        for i in range(m):
            length = length + null[i * k + j] * null[i * k + j]
        length = sqrt(length)
        for i in range(m):
            null[i * k + j] = null[i * k + j] / length
    for i in range(m):
        for j in range(k):
            border[i * k + j] = null[i * k + j] * sizes[i]
