"""Newton's and Euler's equations of free bodies, projected by global Jacobians (Jourdain; Neweul-M², eq. 1).

    J_r = ∂r/∂q N,   J_w = [axial(∂R/∂q_j Rᵀ)] N
    M = Σ J_rᵀ m J_r + J_wᵀ I J_w
    f = Σ J_rᵀ (F - m a) + J_wᵀ (τ - I α - ω × I ω)      a, α: accelerations where u' = 0

All is in components of the ground: positions and rotation matrices are differentiated, inertia tensors are rotated.
"""

from __future__ import annotations

from typing import NamedTuple

from ...algebra.calculus.derivatives import jacobian
from ...algebra.graph.graph import ZERO, Expr
from ...algebra.graph.matrix import Matrix, cross, stack, sum_of_products
from ...bodies.mass.moments import Moments
from ...bodies.mechanism.mechanism import Body, Mechanism
from ..kinematics.affine_fields import AffineField, inner
from ..kinematics.deforming_motion import entries_of, field_of, placed_field
from ..kinematics.kinematics import Kinematics, Wrench, forces_on_rates
from ..kinematics.placements import Displacement, Placement, axial, displacements, ground_wrenches, placements


def newton_euler(mechanism: Mechanism, kinematics: Kinematics) -> tuple[Matrix, Matrix]:
    """Mass matrix and right side."""
    frames = placements(mechanism)
    acting = ground_wrenches(mechanism.loads, kinematics, frames)
    bodies = [b for b in mechanism.rigid_bodies if not b.mass.is_massless]
    centres = [_at_mass_centre(b, frames[b.frame]) for b in bodies]
    N = jacobian([mechanism.rates[q] for q in mechanism.q], kinematics.u)
    by_q = displacements(mechanism, [*(frames[f] for f in acting), *centres])
    moved = [Displacement(d.slide @ N, d.turn @ N) for d in by_q]
    sums = _Sums(len(kinematics.u), forces_on_rates(mechanism.loads, kinematics))
    for J, wrench in zip(moved, acting.values(), strict=False):
        sums.push(J, wrench)
    motions = _ground_motions(centres, kinematics)
    for b, place, motion, J in zip(bodies, centres, motions, moved[len(acting) :], strict=True):
        I = place.R @ b.mass.I_BBcm @ place.R.T
        sums.push(J, Wrench(-(motion.a * b.mass.m), -(I @ motion.alpha + cross(motion.w, I @ motion.w))))
        sums.weigh(J.slide, J.slide * b.mass.m)
        sums.weigh(J.turn, I @ J.turn)
    for b in mechanism.elastic_bodies:
        sums.add_deforming(b.moments, *_fields(placed_field(b, frames[b.frame]), mechanism, N, kinematics))  # type: ignore[arg-type]
    return sums.matrices()


def _at_mass_centre(body: Body, place: Placement) -> Placement:
    return Placement(place.R, place.r + place.R @ body.mass.p_BoBcm)


def _fields(
    places: AffineField, mechanism: Mechanism, N: Matrix, kinematics: Kinematics
) -> tuple[dict[int, AffineField], AffineField]:
    """Of places r + Σ (h_k R) s_k: how they move with each speed, and their accelerations where u' = 0. No angular
    velocity is used."""
    entries = entries_of(places)
    J = jacobian(entries, mechanism.q, mode="forward") @ N
    moved = {j: field_of(places, J.column(j)) for j in range(J.cols) if any(e is not ZERO for e in J.column(j))}
    second = kinematics.rate_at_constant_speed(kinematics.rate(Matrix(len(entries), 1, tuple(entries))))
    return moved, field_of(places, second.entries)


class _Motion(NamedTuple):
    """Angular velocity; a and α where u' = 0. In components of the ground."""

    w: Matrix
    a: Matrix
    alpha: Matrix


def _ground_motions(places: list[Placement], kinematics: Kinematics) -> list[_Motion]:
    """Positions and rotation matrices differentiated twice, all in one sweep each."""
    if not places:
        return []
    n = 3 * len(places)
    turning = kinematics.rate(stack(*(p.R for p in places)))
    spins = stack(*(axial(turning[3 * k : 3 * k + 3, :], p.R) for k, p in enumerate(places)))
    rates = kinematics.rate_at_constant_speed(stack(kinematics.rate(stack(*(p.r for p in places))), spins))
    spans = [slice(k, k + 3) for k in range(0, n, 3)]
    return [_Motion(spins[s, :], rates[:n, :][s, :], rates[n:, :][s, :]) for s in spans]


class _Sums:
    """M and f during summation."""

    def __init__(self, n: int, f: list[Expr]) -> None:
        self.n, self.f = n, f
        self.upper: dict[tuple[int, int], Expr] = {}

    def push(self, moved: Displacement, wrench: Wrench) -> None:
        self.project(moved.slide, wrench.force)
        self.project(moved.turn, wrench.moment)

    def project(self, J: Matrix, force: Matrix) -> None:
        """f += Jᵀ force."""
        for j in range(self.n):
            self.f[j] = self.f[j] + sum_of_products(J.column(j), force.entries)

    def add_deforming(self, moments: Moments, moved: dict[int, AffineField], acceleration: AffineField) -> None:
        """M += ∫ J_i · J_j dm, f -= ∫ J_i · a dm."""
        for i, X in moved.items():
            self.f[i] = self.f[i] - inner(moments, X, acceleration)
            for j, Y in moved.items():
                if j >= i:
                    self.upper[i, j] = self.upper.get((i, j), ZERO) + inner(moments, X, Y)

    def weigh(self, J: Matrix, WJ: Matrix) -> None:
        """M += Jᵀ (W J), upper triangle."""
        moving = [j for j in range(self.n) if any(e is not ZERO for e in J.column(j))]
        for i in moving:
            for j in moving:
                if j >= i:
                    term = sum_of_products(J.column(i), WJ.column(j))
                    self.upper[i, j] = self.upper[i, j] + term if (i, j) in self.upper else term

    def matrices(self) -> tuple[Matrix, Matrix]:
        n = self.n
        M = tuple(self.upper.get((min(i, j), max(i, j)), ZERO) for i in range(n) for j in range(n))
        return Matrix(n, n, M), Matrix(n, 1, tuple(self.f))
