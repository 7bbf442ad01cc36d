"""Gibbs's and Appell's equations: derivatives of the energy of accelerations (Lennartsson eq. 2.15).

    G = Σ ½ m a·a + ½ α·I α + α·(ω × I ω),   ∂G/∂u' = Q

G is quadratic in u', which stand as symbols: M = ∂²G/∂u'², f = Q - ∂G/∂u' where u' = 0. Terms without u' are left out.
"""

from __future__ import annotations

from ...algebra.calculus.derivatives import gradient, jacobian
from ...algebra.graph.graph import ZERO, Expr
from ...algebra.graph.matrix import Matrix, cross, dot, stack, sum_of_products, zeros
from ...algebra.graph.walk import substitute
from ...bodies.mechanism.mechanism import Mechanism
from ..kinematics.affine_fields import inner
from ..kinematics.deforming_motion import DeformingMotion
from ..kinematics.kinematics import Kinematics, forces_on_rates, wrenches


def gibbs_appell(mechanism: Mechanism, kinematics: Kinematics) -> tuple[Matrix, Matrix]:
    """Mass matrix and right side."""
    accelerations = [u.dot for u in kinematics.u]
    if not accelerations:
        return Matrix(0, 0, ()), Matrix(0, 1, ())
    slopes = gradient(_energy_of_accelerations(mechanism, kinematics), accelerations)
    second = jacobian(slopes, accelerations)
    n = second.rows
    M = Matrix(n, n, tuple(second[min(i, j), max(i, j)] for i in range(n) for j in range(n)))
    return M, _generalized_forces(mechanism, kinematics) - substitute(slopes, dict.fromkeys(accelerations, ZERO))


def _energy_of_accelerations(mechanism: Mechanism, kinematics: Kinematics) -> Expr:
    """G, with a = v' + ω × v and α = ω' in components of the body; ½ ∫ a·a dm of what deforms."""
    bodies, G = [b for b in mechanism.rigid_bodies if not b.mass.is_massless], ZERO
    motions = [(w, v + cross(w, b.mass.p_BoBcm)) for b in bodies for w, v in [kinematics.velocities[b.frame]]]
    rates = kinematics.rate(stack(*(x for motion in motions for x in motion))) if bodies else zeros(0)
    for k, (body, (w, v)) in enumerate(zip(bodies, motions, strict=True)):
        alpha, a = rates[6 * k : 6 * k + 3, :], rates[6 * k + 3 : 6 * k + 6, :] + cross(w, v)
        G = G + body.mass.m * dot(a, a) / 2
        if not body.mass.is_particle:
            I = body.mass.I_BBcm
            G = G + dot(alpha, I @ alpha / 2 + cross(w, I @ w))
    for body in mechanism.elastic_bodies:
        motion = DeformingMotion(body, kinematics)
        G = G + inner(motion.moments, motion.acceleration, motion.acceleration) / 2
    return G


def _generalized_forces(mechanism: Mechanism, kinematics: Kinematics) -> Matrix:
    """Q = ∂(power)/∂u with forces held."""
    out = forces_on_rates(mechanism.loads, kinematics)
    acting = wrenches(mechanism.loads, kinematics)
    J = jacobian([x for f in acting for x in reversed(kinematics.velocities[f])], kinematics.u)
    for k, wrench in enumerate(acting.values()):
        force = (*wrench.force.entries, *wrench.moment.entries)
        part = J[6 * k : 6 * k + 6, :]
        out = [Q + sum_of_products(part.column(j), force) for j, Q in enumerate(out)]
    return Matrix(len(out), 1, tuple(out))
