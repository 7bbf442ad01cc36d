"""A bound by which a contact problem with friction has one solution at most."""

from __future__ import annotations

import numpy as np

from .contact_problem import ContactProblem

DEPENDENT = (
    1e-7  # normal forces that other forces with the same motion change by more than this fraction are not determined
)


def friction_feedback(problem: ContactProblem) -> float:
    """How much friction can act back on the forces it is under: below one there is one motion at most.

    Of two solutions λ and λ + δ, δᵀ A δ <= Σ μ |ΔN| |ΔwT|: normal rows add nothing above zero (complementarity), a
    cone at most μ |ΔN| |ΔwT| (its work is -μ N |wT| in each, and no less with the other's force). With v = V δ,
    ΔN = z·v where z = V⁺ᵀ share, ΔwT = V_Tᵀ v, and any positive numbers t of the cones,

        |v|² <= Σ μ |z·v| |V_Tᵀ v| <= vᵀ K v,    K = ½ Σ (t μ² z zᵀ + V_T V_Tᵀ / t)

    so that v = 0 if the largest eigenvalue of K, which this is, is below one. Infinite where other forces with
    the same motion have other normal forces, and for static coefficients above kinetic ones.
    """
    n = len(problem.V)
    under, across = np.zeros((n, n)), np.zeros((n, n))
    for c in problem.cones:
        own = problem.V[:, list(c.rows)]
        if c.direction is None and c.may_stick and c.static != c.kinetic:
            return np.inf
        z = c.limit * np.asarray(np.linalg.lstsq(problem.V.T, c.share, rcond=1e-11)[0])
        if np.abs(problem.V.T @ z - c.limit * c.share).max() > DEPENDENT * np.abs(c.share).max() * c.limit:
            return np.inf
        if np.any(z) and np.any(own):
            t = float(np.linalg.norm(own, 2) / np.linalg.norm(z))
            under += t * np.outer(z, z)
            across += own @ own.T / t
    p, q = (float(np.linalg.norm(x, 2)) for x in (under, across))
    return float(np.linalg.norm(under * np.sqrt(q / p) + across * np.sqrt(p / q), 2)) / 2 if p > 0.0 else 0.0
