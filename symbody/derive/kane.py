"""Kane's method: projection of every body's balance on its partial velocities (Lennartsson eq. 2.33, Lynch eq. 4.14).

    M = Σ m Jvᵀ Jv + Jωᵀ I Jω
    f = Σ Jvᵀ (F - m a) + Jωᵀ (T - I α - ω × I ω)      a, α: accelerations where u' = 0

Components are in body frames: a = dv/dt + ω × v with dv/dt the rate of the components, taken on the graph.
"""

from __future__ import annotations

from ..algebra.derivatives import jacobian
from ..algebra.graph import ZERO, Expr
from ..algebra.matrix import Matrix, cross, sum_of_products, zeros
from ..bodies.mechanism import Mechanism
from .kinematics import Kinematics, forces_on_rates, wrenches


def kane(mechanism: Mechanism, kinematics: Kinematics) -> tuple[Matrix, Matrix]:
    """Mass matrix and right side."""
    n = len(kinematics.u)
    M: list[Expr] = [ZERO] * (n * n)
    f = forces_on_rates(mechanism.loads, kinematics)
    for frame, wrench in wrenches(mechanism.loads, kinematics).items():
        w, v = kinematics.velocities[frame]
        _project(f, jacobian(v, kinematics.u), wrench.force)
        _project(f, jacobian(w, kinematics.u), wrench.moment)
    for body in mechanism.bodies:
        if body.mass.is_massless:
            continue
        w, v = kinematics.velocities[body.frame]
        m, I = body.mass.m, body.mass.I_BBcm
        v = v + cross(w, body.mass.p_BoBcm)
        _add_products(M, jacobian(v, kinematics.u), lambda c, m=m: m * c)
        _project(f, jacobian(v, kinematics.u), -m * (kinematics.rate_at_constant_speed(v) + cross(w, v)))
        if not body.mass.is_particle:
            _add_products(M, jacobian(w, kinematics.u), lambda c, I=I: I @ c)
            turning = I @ kinematics.rate_at_constant_speed(w) + cross(w, I @ w)
            _project(f, jacobian(w, kinematics.u), -turning)
    return Matrix(n, n, tuple(M)), Matrix(n, 1, tuple(f))


def _add_products(M: list[Expr], J: Matrix, weigh: object) -> None:
    """M += Jᵀ W J, only where columns are not zero, upper triangle mirrored."""
    columns = {j: Matrix(3, 1, J.column(j)) for j in range(J.cols) if any(e is not ZERO for e in J.column(j))}
    for i, a in columns.items():
        weighed = weigh(a)  # type: ignore[operator]
        for j, b in columns.items():
            if j >= i:
                term = sum_of_products(b.entries, weighed.entries)
                M[i * J.cols + j] = M[i * J.cols + j] + term
                if i != j:
                    M[j * J.cols + i] = M[i * J.cols + j]


def _project(f: list[Expr], J: Matrix, force: Matrix) -> None:
    """f += Jᵀ force."""
    if force == zeros(3):
        return
    for j in range(J.cols):
        f[j] = f[j] + sum_of_products(J.column(j), force.entries)
