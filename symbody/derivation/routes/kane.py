"""Kane's method: projection of every body's balance on its partial velocities (Lennartsson eq. 2.33, Lynch eq. 4.14).

    M = Σ m Jvᵀ Jv + Jωᵀ I Jω
    f = Σ Jvᵀ (F - m a) + Jωᵀ (τ - I α - ω × I ω)      a, α: accelerations where u' = 0

Bodies that deform have fields of partial velocities and accelerations, whose products are integrated over the mass
(`affine_fields.py`).

Components are in body frames: a = dv/dt + ω × v with dv/dt the rate of the components, taken on the graph.
"""

from __future__ import annotations

from collections.abc import Iterable

from ...algebra.calculus.derivatives import jacobian
from ...algebra.graph.graph import ZERO, Expr
from ...algebra.graph.matrix import Matrix, cross, stack, sum_of_products, zeros
from ...bodies.frames.frames import Frame
from ...bodies.mechanism.mechanism import Body, Mechanism
from ..kinematics.affine_fields import inner
from ..kinematics.deforming_motion import DeformingMotion
from ..kinematics.kinematics import Kinematics, forces_on_rates, wrenches


def kane(mechanism: Mechanism, kinematics: Kinematics) -> tuple[Matrix, Matrix]:
    """Mass matrix and right side."""
    n = len(kinematics.u)
    M: list[Expr] = [ZERO] * (n * n)
    f = forces_on_rates(mechanism.loads, kinematics)
    loaded = wrenches(mechanism.loads, kinematics)
    heavy = [b for b in mechanism.rigid_bodies if not b.mass.is_massless]
    motion = _Motions(kinematics, [*loaded, *(b.frame for b in heavy)], heavy)
    for frame, wrench in loaded.items():
        w, v = kinematics.velocities[frame]
        _project(f, motion.partial(v), wrench.force)
        _project(f, motion.partial(w), wrench.moment)
    for body in heavy:
        w, v = motion.of(body)
        m, I = body.mass.m, body.mass.I_BBcm
        _add_products(M, motion.partial(v), lambda c, m=m: m * c)
        _project(f, motion.partial(v), -m * (motion.rate(v) + cross(w, v)))
        if not body.mass.is_particle:
            _add_products(M, motion.partial(w), lambda c, I=I: I @ c)
            _project(f, motion.partial(w), -(I @ motion.rate(w) + cross(w, I @ w)))
    for body in mechanism.elastic_bodies:
        _add_deforming(M, f, DeformingMotion(body, kinematics))
    return Matrix(n, n, tuple(M)), Matrix(n, 1, tuple(f))


def _add_deforming(M: list[Expr], f: list[Expr], motion: DeformingMotion) -> None:
    """M += ∫ β_i · β_j dm and f -= ∫ β_j · a dm, β_j being the partial velocity fields of a body that deforms."""
    moments, partial, n = motion.moments, motion.partial(motion.kinematics.u), len(f)
    for i, X in partial.items():
        f[i] = f[i] - inner(moments, X, motion.acceleration_at_constant_speed)
        for j, Y in partial.items():
            if j >= i:
                M[i * n + j] = M[i * n + j] + inner(moments, X, Y)
                M[j * n + i] = M[i * n + j]


class _Motions:
    """Partial velocities and rates of all velocities that are needed, from one sweep over the graph each."""

    def __init__(self, kinematics: Kinematics, frames: Iterable[Frame], bodies: Iterable[Body]) -> None:
        self._velocities = kinematics.velocities
        self._centres = {b: self._at_mass_centre(b) for b in bodies}
        vectors = dict.fromkeys([*(x for f in frames for x in self._velocities[f]), *self._centres.values()])
        rows = stack(*vectors) if vectors else zeros(0)
        J, rates = jacobian(rows, kinematics.u), kinematics.rate_at_constant_speed(rows)
        self._J = {x: J[3 * k : 3 * k + 3, :] for k, x in enumerate(vectors)}
        self._rates = {x: rates[3 * k : 3 * k + 3, :] for k, x in enumerate(vectors)}

    def _at_mass_centre(self, body: Body) -> Matrix:
        w, v = self._velocities[body.frame]
        return v + cross(w, body.mass.p_BoBcm)

    def of(self, body: Body) -> tuple[Matrix, Matrix]:
        """Angular velocity, and velocity of the mass centre."""
        return self._velocities[body.frame][0], self._centres[body]

    def partial(self, x: Matrix) -> Matrix:
        return self._J[x]

    def rate(self, x: Matrix) -> Matrix:
        return self._rates[x]


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
