"""Damping of elastic coordinates: proportional to mass and stiffness, or by mode."""

from __future__ import annotations

import math
from collections.abc import Sequence
from random import Random
from typing import Any

from ...algebra.calculus.evaluate import evaluate
from ...algebra.calculus.symmetric_eigen import symmetric_eigen
from ...algebra.elimination.elimination import definite_pivots
from ...algebra.graph.functions import sqrt
from ...algebra.graph.graph import ZERO, as_expr
from ...algebra.graph.matrix import Matrix
from ...algebra.graph.walk import free_symbols
from ...errors import ModelError, listed, shown

Rows = list[list[float]]


def rayleigh_damping(where: str, factors: Any, M: Matrix, K: Matrix) -> Matrix:
    """D = α M + β K."""
    if not isinstance(factors, (tuple, list)) or len(factors) != 2:
        raise ModelError(f"{where}: rayleigh= must be (alpha, beta) of D = alpha M + beta K, got {shown(factors)}")
    alpha, beta = (as_expr(x) for x in factors)
    return alpha * M + beta * K


def modal_damping(where: str, ratios: Any, M: Matrix, K: Matrix) -> Matrix:
    """D = M Φ diag(2 ζ ω) Φᵀ M, Φᵀ M Φ = 1, of the modes of M and K, block by block.

    Symbols stay symbols where they scale the modes of a block only: with d_i = √M_ii and κ = K_11 / M_11 the matrices
    M_ij / (d_i d_j) and K_ij / (κ d_i d_j) are then numbers.
    """
    n, D = M.rows, [[ZERO] * M.rows for _ in range(M.rows)]
    if isinstance(ratios, (tuple, list)) and len(ratios) != n:
        raise ModelError(f"{where}: modal_damping= must be one ratio, or {n} of them; got {shown(ratios)}")
    zeta = [as_expr(r) for r in (ratios if isinstance(ratios, (tuple, list)) else [ratios] * n)]
    if soft := [k + 1 for k in range(n) if K[k, k] is ZERO]:
        raise ModelError(
            f"{where}: modal_damping= needs a stiffness, and mode {soft[0]} has none; give stiffness=, or damping="
        )
    for at in _blocks(M, K):
        hats = _numbers(where, M, K, at)
        squares, modes = eigenmodes(*hats)
        kappa = sqrt(K[at[0], at[0]] / M[at[0], at[0]])
        for i, a in enumerate(at):
            for j, b in enumerate(at):
                entry = ZERO
                for w2, phi, z in zip(squares, modes, (zeta[k] for k in at), strict=True):
                    lever = [sum(row[k] * phi[k] for k in range(len(at))) for row in hats[0]]
                    entry = entry + z * as_expr(2 * math.sqrt(max(w2, 0.0)) * lever[i] * lever[j])
                D[a][b] = kappa * (M[a, a] if a == b else sqrt(M[a, a] * M[b, b])) * entry
    return Matrix(n, n, tuple(e for row in D for e in row))


def _blocks(M: Matrix, K: Matrix) -> list[list[int]]:
    """Coordinates that M or K tie together."""
    left, out = list(range(M.rows)), []
    while left:
        block = [left.pop(0)]
        for k in block:
            tied = [j for j in left if M[k, j] is not ZERO or K[k, j] is not ZERO]
            block += tied
            left = [j for j in left if j not in tied]
        out.append(sorted(block))
    return out


def _numbers(where: str, M: Matrix, K: Matrix, at: Sequence[int]) -> tuple[Rows, Rows]:
    """M and K of a block as numbers, in units of the block; refused if they depend on the values of symbols."""
    entries = [A[i, j] for A in (M, K) for i in at for j in at]
    symbols, found = free_symbols(*entries), []
    for seed in range(3 if symbols else 1):
        draw, n = Random(seed), len(at)
        values = [float(x) for x in evaluate(entries, {s: draw.uniform(0.5, 1.5) for s in symbols})]
        m, k = values[: n * n], values[n * n :]
        d = [math.sqrt(m[i * n + i]) for i in range(n)]
        kappa = k[0] / m[0]
        found.append([m[i * n + j] / (d[i] * d[j]) for i in range(n) for j in range(n)])
        found[-1] += [k[i * n + j] / (kappa * d[i] * d[j]) for i in range(n) for j in range(n)]
    size = max(map(abs, found[0]))
    if any(abs(a - b) > 1e-9 * size for other in found[1:] for a, b in zip(found[0], other, strict=True)):
        raise ModelError(
            f"{where}: its modes depend on the values of {listed(symbols)} and are not known before these are; give rayleigh=(alpha, beta), or "
            "damping=, a matrix"
        )
    n = len(at)
    return tuple([found[0][o + n * i : o + n * i + n] for i in range(n)] for o in (0, n * n))  # type: ignore[return-value]


def eigenmodes(M: Rows, K: Rows) -> tuple[list[float], Rows]:
    """ω² and Φ of K φ = ω² M φ with φ · M φ = 1, in order of ω (Cholesky, then Jacobi's rotations)."""
    n = len(M)
    L = _cholesky(M)
    half = [_forwards(L, [K[i][j] for i in range(n)]) for j in range(n)]  # columns of L⁻¹ K
    A = [_forwards(L, [half[j][i] for j in range(n)]) for i in range(n)]  # rows of L⁻¹ K L⁻ᵀ
    values, vectors = symmetric_eigen([[(A[i][j] + A[j][i]) / 2 for j in range(n)] for i in range(n)])
    order = sorted(range(n), key=lambda k: values[k])
    return [values[k] for k in order], [_backwards(L, [vectors[i][k] for i in range(n)]) for k in order]


def least_eigenvalue(A: Rows) -> tuple[float, list[float]]:
    """The least eigenvalue of a symmetric matrix, and its eigenvector."""
    values, vectors = symmetric_eigen(A)
    k = min(range(len(values)), key=lambda i: values[i])
    return values[k], [row[k] for row in vectors]


def _cholesky(M: Rows) -> Rows:
    """L √D of M = L D Lᵀ."""
    n, a = len(M), [x for row in M for x in row]
    for i, pivot in enumerate(D := definite_pivots(n, a)):
        if pivot <= 1e-14 * M[i][i]:
            raise ModelError(
                f"modes are not independent: pivot {pivot:z.3g} of {M[i][i]:z.3g} in row {i + 1} of the mass matrix"
            )
    return [[a[i * n + j] * math.sqrt(D[j]) for j in range(i)] + [math.sqrt(D[i])] for i in range(n)]


def _forwards(L: Rows, b: Sequence[float]) -> list[float]:
    x: list[float] = []
    for i, row in enumerate(L):
        x.append((b[i] - sum(row[k] * x[k] for k in range(i))) / row[i])
    return x


def _backwards(L: Rows, b: Sequence[float]) -> list[float]:
    n = len(b)
    x = [0.0] * n
    for i in reversed(range(n)):
        x[i] = (b[i] - sum(L[k][i] * x[k] for k in range(i + 1, n))) / L[i][i]
    return x
