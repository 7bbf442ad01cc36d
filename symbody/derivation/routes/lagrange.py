"""Lagrange's equations: energies and their derivatives on the graph.

    d/dt ∂T/∂q' - ∂T/∂q = Q - ∂V/∂q

T is a function of q, q' and t. With p = ∂T/∂q', projection on the speeds (q' = N u + n) gives

    M = Nᵀ ∂p/∂q' N
    f = Nᵀ (Q - ∂V/∂q + ∂T/∂q - p')      p': rate of p where u' = 0, that is, q'' = N' u + n'

Loads that have a potential enter by it. All others enter by their virtual work, from positions: F · ∂r/∂q + τ · w with
∂R/∂q Rᵀ = w̃.
"""

from __future__ import annotations

from functools import cached_property

from ...algebra.calculus.derivatives import gradient, jacobian, time_derivative
from ...algebra.graph.graph import ZERO, Expr
from ...algebra.graph.matrix import Matrix, cross, dot, sum_of_products
from ...algebra.graph.walk import free_symbols
from ...bodies.frames.frames import Frame
from ...bodies.frames.rotations import Cosines, Rotation
from ...bodies.mechanism.mechanism import Load, Mechanism
from ..kinematics.affine_fields import inner
from ..kinematics.deforming_motion import DeformingMotion
from ..kinematics.kinematics import Kinematics
from ..kinematics.placements import displacements, ground_wrenches, placements


def lagrange(mechanism: Mechanism, kinematics: Kinematics) -> tuple[Matrix, Matrix]:
    """Mass matrix and right side."""
    q = mechanism.q
    if not q:
        return Matrix(0, 0, ()), Matrix(0, 1, ())
    terms = EnergyTerms(kinetic_energy(mechanism, RateMotion(mechanism)), mechanism, kinematics)
    forces = terms.forces + generalized_forces(mechanism, kinematics)
    N = jacobian([mechanism.rates[x] for x in q], kinematics.u)
    return symmetric_from_upper(N.T @ (terms.inertia @ N)), N.T @ forces


class EnergyTerms:
    """Derivatives of a kinetic energy T(q, q', t), by coordinate.

    momenta   p = ∂T/∂q', in rates q'
    inertia   ∂p/∂q', in speeds
    forces    ∂T/∂q - p' where u' = 0, in speeds
    """

    def __init__(self, energy: Expr, mechanism: Mechanism, kinematics: Kinematics) -> None:
        q = mechanism.q
        dots = [x.dot for x in q]
        slopes = gradient(energy, [*q, *dots])
        self.momenta = slopes[len(q) :, :]
        accelerations = [kinematics.rate_at_constant_speed(mechanism.rates[x]) for x in q]
        along = {**dict(zip(q, dots, strict=True)), **dict(zip(dots, accelerations, strict=True))}
        inertial = slopes[: len(q), :] - time_derivative(self.momenta, along)
        (self.forces,) = kinematics.in_speeds([inertial])
        (self.inertia,) = kinematics.in_speeds([symmetric_from_upper(jacobian(self.momenta, dots))])


class RateMotion(Kinematics):
    """Motion of the frames with q' as symbols. A spin given by speeds of its own is taken from the rotation instead."""

    def __init__(self, mechanism: Mechanism) -> None:
        super().__init__(mechanism)
        self.u = tuple(q.dot for q in mechanism.q)
        self.rates = {q: q.dot for q in mechanism.q}
        self._replaced = {}

    @cached_property
    def spins(self) -> dict[Frame, Matrix]:
        """Angular velocity of each frame in its parent, in own components."""
        return {f: _by_rates(f.rotation).spin() for f in self.mechanism.frames}


def _by_rates(rotation: Rotation) -> Rotation:
    def own_speeds(factor: object) -> bool:
        known = factor.known_spin if isinstance(factor, Cosines) else None
        return known is not None and any(s.kind == "speed" and s.order == 0 for s in free_symbols(known))

    return Rotation(
        tuple(Cosines(f.matrix) if isinstance(f, Cosines) and own_speeds(f) else f for f in rotation.factors)
    )


def kinetic_energy(mechanism: Mechanism, kinematics: Kinematics) -> Expr:
    """T = Σ ½ m v·v + ½ ω·I ω of the mass centres, ½ ∫ v·v dm of what deforms, in the rates or speeds that the
    kinematics uses."""
    total = ZERO
    for body in mechanism.elastic_bodies:
        motion = DeformingMotion(body, kinematics)
        total = total + inner(motion.moments, motion.velocity, motion.velocity) / 2
    for body in mechanism.rigid_bodies:
        if body.mass.is_massless:
            continue
        w, v = kinematics.velocities[body.frame]
        v = v + cross(w, body.mass.p_BoBcm)
        total = total + body.mass.m * dot(v, v) / 2
        if not body.mass.is_particle:
            total = total + dot(w, body.mass.I_BBcm @ w) / 2
    return total


def generalized_forces(mechanism: Mechanism, kinematics: Kinematics) -> Matrix:
    """Q - ∂V/∂q, one for each coordinate."""
    potential, others = ZERO, []
    for load in mechanism.loads:
        if load.potential is not None:
            potential = potential + load.potential
        else:
            others.append(load)
    out = -gradient(potential, mechanism.q)
    given = [sum((load.on_rates[x] for load in others if x in load.on_rates), ZERO) for x in mechanism.q]
    return (
        out + Matrix(len(given), 1, tuple(kinematics.in_speeds(given))) + _virtual_work(others, mechanism, kinematics)
    )


def _virtual_work(loads: list[Load], mechanism: Mechanism, kinematics: Kinematics) -> Matrix:
    """Σ F · ∂r/∂q + moment · w."""
    places = placements(mechanism)
    acting = ground_wrenches(loads, kinematics, places)
    out = [ZERO] * len(mechanism.q)
    moved = displacements(mechanism, [places[f] for f in acting])
    for wrench, (slide, turn) in zip(acting.values(), moved, strict=True):
        for j in range(len(out)):
            work = sum_of_products(slide.column(j), wrench.force.entries)
            out[j] = out[j] + work + sum_of_products(turn.column(j), wrench.moment.entries)
    return Matrix(len(out), 1, tuple(out))


def symmetric_from_upper(A: Matrix) -> Matrix:
    """A symmetric matrix from the upper triangle, so that equal entries are one node."""
    return Matrix(A.rows, A.cols, tuple(A[min(i, j), max(i, j)] for i in range(A.rows) for j in range(A.cols)))
