"""Loops around exported functions, in the language of kernels: every target prints them from this text.

A function is called as f((x, directions...), (results...)); t, r and p are passed along implicitly. Variations of the state
lie column after column behind it: entry i of the variation by x_j at the start is X[n + j n + i]; of second ones Ψ_ijk
at n + n² + (j n + k) n + i; and so on.

    Φ' = J Φ                                                     J = ∂f/∂x          (Lennartsson 6.3.2)
    Ψ_jk' = J Ψ_jk + f''[φ_j, φ_k]
    Ω_jkl' = J Ω_jkl + f''[φ_j, Ψ_kl] + f''[φ_k, Ψ_jl] + f''[φ_l, Ψ_jk] + f'''[φ_j, φ_k, φ_l]

Names differ in more than upper and lower case, which some languages ignore. f'' and f''' are directional
derivatives, each a function of its own. A pattern of compressed rows is where each row starts among the entries, and
the end; then the columns of the entries.
"""

from __future__ import annotations

from math import sqrt

from ...emit.ir import Function, Indices, Numbers, is_finite
from ...integrate.forms.projection import MAX_CORRECTIONS

ROUNDING = "rounding"  # an argument of a kernel by this name is the unit roundoff of the numbers that it runs on
DIVERGED = 4  # what `project` returns where corrections do not end


def project(
    n_q: int, n_u: int, rounding: float, x: Numbers, corrected: Numbers, violation: Numbers, positions: Function, speeds: Function
) -> int:  # fmt: skip
    """x onto the constraints: positions by Newton's method, shortest corrections in the metric of M; then speeds, which
    is linear.

    A correction squares what is left: after one of less than 8 sqrt(rounding) nothing is.
    """
    finished: int = 0
    for _turn in range(MAX_CORRECTIONS):
        positions((x,), (corrected, violation))
        worst = violation[0]
        if not is_finite(worst):
            return DIVERGED
        if worst <= 500.0 * rounding:
            finished = 1
            break
        for i in range(n_q):
            x[i] = corrected[i]
        if worst <= 8.0 * sqrt(rounding):
            finished = 1
            break
    if finished == 0:
        return DIVERGED
    speeds((x,), (corrected, violation))
    if not is_finite(violation[0]):
        return DIVERGED
    for k in range(n_u):
        x[n_q + k] = corrected[k]
    return 0


def variational_start(n: int, total: int, state: Numbers, X: Numbers) -> None:
    """The state, the identity for its variations, zeros for those of higher order."""
    for i in range(n):
        X[i] = state[i]
    for k in range(n, total):
        X[k] = 0.0
    for j in range(n):
        X[n + j * n + j] = 1.0


def variational(n: int, X: Numbers, Xdot: Numbers, Jx: Numbers, pattern: Indices, rhs_and_jacobian: Function) -> None:
    """x' = f, Φ' = J Φ."""
    rhs_and_jacobian((X,), (Xdot, Jx))
    for j in range(n):
        for i in range(n):
            total: float = 0.0
            for e in range(pattern[i], pattern[i + 1]):
                total = total + Jx[e] * X[n + j * n + pattern[n + 1 + e]]
            Xdot[n + j * n + i] = total


def variational_jacobian(
    n: int, X: Numbers, values: Numbers, Jx: Numbers, Hx: Numbers, J_pattern: Indices, H_pattern: Indices, jacobian: Function,
    bending: Function,
) -> None:  # fmt: skip
    """Derivatives of the variational system, row after row: those of x' by the state; for each column of Φ the
    derivatives of J φ by the state, then J in the place of that column (Lennartsson 6.17)."""
    jacobian((X,), (Jx,))
    at: int = J_pattern[n]
    for k in range(at):
        values[k] = Jx[k]
    for j in range(n):
        bending((X, X[n + j * n :]), (Hx,))
        for i in range(n):
            for e in range(H_pattern[i], H_pattern[i + 1]):
                values[at] = Hx[e]
                at = at + 1
            for d in range(J_pattern[i], J_pattern[i + 1]):
                values[at] = Jx[d]
                at = at + 1


def variational2(
    n: int, X: Numbers, Xdot: Numbers, Jx: Numbers, f2: Numbers, pattern: Indices,
    rhs_and_jacobian: Function, second: Function,
) -> None:  # fmt: skip
    """x' = f, Φ' = J Φ, Ψ_jk' = J Ψ_jk + f''[φ_j, φ_k]. Ψ is symmetric in j and k: one of each pair is read, both are
    written."""
    variational(n, X, Xdot, Jx, pattern, rhs_and_jacobian)
    psi = n + n * n
    for j in range(n):
        for k in range(j, n):
            second((X, X[n + j * n :], X[n + k * n :]), (f2,))
            for i in range(n):
                rate = f2[i]
                for e in range(pattern[i], pattern[i + 1]):
                    rate = rate + Jx[e] * X[psi + (j * n + k) * n + pattern[n + 1 + e]]
                Xdot[psi + (j * n + k) * n + i] = rate
                Xdot[psi + (k * n + j) * n + i] = rate


def variational3(
    n: int, X: Numbers, Xdot: Numbers, Jx: Numbers, f2: Numbers, f3: Numbers, pattern: Indices,
    rhs_and_jacobian: Function, second: Function, third: Function,
) -> None:  # fmt: skip
    """The same, and the rates of third variations, symmetric in j, k and l."""
    variational2(n, X, Xdot, Jx, f2, pattern, rhs_and_jacobian, second)
    psi = n + n * n
    omega = psi + n * n * n
    for j in range(n):
        for k in range(j, n):
            for m in range(k, n):
                third((X, X[n + j * n :], X[n + k * n :], X[n + m * n :]), (f3,))
                second((X, X[n + j * n :], X[psi + (k * n + m) * n :]), (f2,))
                for i in range(n):
                    f3[i] = f3[i] + f2[i]
                second((X, X[n + k * n :], X[psi + (j * n + m) * n :]), (f2,))
                for i in range(n):
                    f3[i] = f3[i] + f2[i]
                second((X, X[n + m * n :], X[psi + (j * n + k) * n :]), (f2,))
                for i in range(n):
                    rate = f3[i] + f2[i]
                    for e in range(pattern[i], pattern[i + 1]):
                        rate = rate + Jx[e] * X[omega + ((j * n + k) * n + m) * n + pattern[n + 1 + e]]
                    Xdot[omega + ((j * n + k) * n + m) * n + i] = rate
                    Xdot[omega + ((j * n + m) * n + k) * n + i] = rate
                    Xdot[omega + ((k * n + j) * n + m) * n + i] = rate
                    Xdot[omega + ((k * n + m) * n + j) * n + i] = rate
                    Xdot[omega + ((m * n + j) * n + k) * n + i] = rate
                    Xdot[omega + ((m * n + k) * n + j) * n + i] = rate


def variational_residual(
    n: int, X: Numbers, Xdot: Numbers, residual: Numbers, D: Numbers, pattern: Indices, derivatives: Function
) -> None:
    """Implicit form: R(x, x') = 0, and ∂R/∂x Φ + ∂R/∂x' Φ' = 0, one column after the other. D = ∂R/∂(x, x')."""
    derivatives((X, Xdot), (residual, D))
    for j in range(n):
        for i in range(n):
            total: float = 0.0
            for e in range(pattern[i], pattern[i + 1]):
                k = pattern[n + 1 + e]
                if k < n:
                    total = total + D[e] * X[n + j * n + k]
                else:
                    total = total + D[e] * Xdot[j * n + k]
            residual[n * (j + 1) + i] = total


def variational_residual_with_multipliers(
    n: int, c: int, X: Numbers, Xdot: Numbers, Lam: Numbers, residual: Numbers, D: Numbers, pattern: Indices, derivatives: Function
) -> None:  # fmt: skip
    """Implicit form: R(x, x', lam) = 0, and ∂R/∂x Φ + ∂R/∂x' Φ' + ∂R/∂lam Λ = 0, one column after the other. D =
    ∂R/∂(x, x', lam).

    c   constraints: R has n + c rows; column j of Λ, the variation of the multipliers, stands at Lam[c + j c]
    """
    derivatives((X, Xdot, Lam), (residual, D))
    for j in range(n):
        for i in range(n + c):
            total: float = 0.0
            for e in range(pattern[i], pattern[i + 1]):
                k = pattern[n + c + 1 + e]
                if k < n:
                    total = total + D[e] * X[n + j * n + k]
                else:
                    if k < 2 * n:
                        total = total + D[e] * Xdot[j * n + k]
                    else:
                        total = total + D[e] * Lam[c + j * c + k - 2 * n]
            residual[(n + c) * (j + 1) + i] = total
