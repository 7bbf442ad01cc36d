"""Inertia of deforming bodies for recursions: momenta, inertia wrenches and forces on the fields of deformation, by the
fewest operations.

With H_k = ∫ s s_kᵀ dm = Σ h_l G_lk and its rate at fixed s_k, K_k = Σ h_l' G_lk,

    force    = m a + A mc + 2 ω × mc' + Σ h_k'' g_k
    moment   = axial of a mcᵀ + A S + 2 ω̃ S1ᵀ + S2ᵀ,     S = Σ h_k H_k,  S1 = Σ h_k' H_k,  S2 = Σ h_k'' H_k
    on s_k   = g_k·a + tr(A H_k) + 2 tr(ω̃ K_k) + Σ h_l'' tr G_lk

(Wallrapp's Ct, Cr, Me, Gr, Ge and Oe in one; Shabana, Dynamics of Multibody Systems, chapter 5.)
"""

from __future__ import annotations

from functools import cached_property

from ...algebra.calculus.derivatives import jacobian
from ...algebra.graph.graph import ZERO, Expr
from ...algebra.graph.matrix import Matrix, cross, dot, sum_of_products, zeros
from ...algebra.graph.walk import substitute_all
from ...bodies.frames.frames import Frame
from ...bodies.mass.moments import trace
from ...bodies.mechanism.mechanism import Body, Mechanism
from .composite_bodies import InertiaComposite
from .frame_motions import Acceleration
from .kinematics import Kinematics, Wrench


class ElasticInertia:
    """The inertia of one deforming body. `columns`: nonzero entries of ∂h'/∂u by number of the speed, each by number
    of the field."""

    def __init__(self, body: Body, kinematics: Kinematics) -> None:
        assert body.moments is not None
        self.frame: Frame = body.frame
        self.moments = body.moments
        self.kinematics = kinematics
        weights = Matrix(len(self.moments.weights), 1, self.moments.weights)
        self.rates: Matrix = kinematics.rate(weights)
        J = jacobian(self.rates, kinematics.u)
        self.columns = {
            j: {k: e for k, e in enumerate(J.column(j)) if e is not ZERO}
            for j in range(J.cols)
            if any(e is not ZERO for e in J.column(j))
        }

    @property
    def rigid(self) -> InertiaComposite:
        """The instantaneous rigid-body inertia of the deformed body."""
        return InertiaComposite(self.moments.m, self.moments.first_moment, self.moments.inertia)

    @cached_property
    def _traces(self) -> dict[tuple[int, int], Expr]:
        return {(k, l): t for k, l, G in self.moments.pairs if (t := trace(G)) is not ZERO}

    @cached_property
    def _H(self) -> list[Matrix]:  # noqa: N802  (notation)
        return self._against(self.moments.weights)

    def _against(self, factors: tuple[Expr, ...]) -> list[Matrix]:
        """Σ_l c_l G_lk for each k."""
        out = [zeros(3, 3)] * len(factors)
        for l, k, G in self.moments.pairs:
            if factors[l] is not ZERO:
                out[k] = out[k] + factors[l] * G
        return out

    # ------------------------------------------------------------------------------------------------ mass matrix

    def momentum(self, j: int) -> Wrench:
        """∫ d dm and ∫ s × d dm of the deformation d = Σ c_k s_k by speed j."""
        column = self.columns[j]
        force, T = zeros(3), zeros(3, 3)
        for k, c in column.items():
            force, T = force + c * self.moments.first[k], T + c * self._H[k]
        return Wrench(force, _axial(T.T))

    def inner(self, i: int, j: int) -> Expr:
        """∫ d_i · d_j dm."""
        a, b = self.columns[i], self.columns[j]
        total = ZERO
        for k, c in a.items():
            row = [(e, self._traces[k, l]) for l, e in b.items() if (k, l) in self._traces]
            if row:
                total = total + c * sum_of_products([e for e, _ in row], [t for _, t in row])
        return total

    # ------------------------------------------------------------------------------------------------ inertia forces

    def forces(self, motion: Acceleration, at_constant_speed: bool) -> tuple[Wrench, dict[int, Expr]]:
        """The inertia wrench on the frame, and the inertia forces on the speeds that deform the body, by number."""
        k = self.kinematics
        second: Matrix = (k.rate_at_constant_speed if at_constant_speed else k.rate)(self.rates)
        on_fields = self._on_fields(motion, second)
        forces = {
            j: sum_of_products(list(column.values()), [on_fields[f] for f in column])
            for j, column in self.columns.items()
        }
        return self._wrench(motion, second), forces

    def prescribed(self) -> list[Expr]:
        """h' where u = 0."""
        return substitute_all(list(self.rates.entries), dict.fromkeys(self.kinematics.u, ZERO))

    def on_fields(self, motion: Acceleration, at_constant_speed: bool) -> list[Expr]:
        k = self.kinematics
        return self._on_fields(motion, (k.rate_at_constant_speed if at_constant_speed else k.rate)(self.rates))

    def _wrench(self, motion: Acceleration, second: Matrix) -> Wrench:
        m, c = self.moments, self.moments.first_moment
        drift, gain = m.weighted(self.rates.entries), m.weighted(second.entries)
        force = m.m * motion.a + motion.A @ c + 2 * cross(motion.w, drift) + gain
        S1, S2 = self._combination(self.rates), self._combination(second)
        T = motion.A @ m.second_moment + 2 * _cross_columns(motion.w, S1.T) + S2.T
        return Wrench(force, cross(c, motion.a) + _axial(T))

    def _combination(self, factors: Matrix) -> Matrix:
        """Σ c_k H_k."""
        total = zeros(3, 3)
        for c, H in zip(factors.entries, self._H, strict=True):
            if c is not ZERO:
                total = total + c * H
        return total

    def _on_fields(self, motion: Acceleration, second: Matrix) -> list[Expr]:
        K, out = self._against(self.rates.entries), []
        for k, g in enumerate(self.moments.first):
            own = dot(g, motion.a) + _product_trace(motion.A, self._H[k]) + 2 * dot(motion.w, _axial(K[k].T))
            terms = [(d, self._traces[l, k]) for l, d in enumerate(second.entries) if (l, k) in self._traces]
            out.append(own + sum_of_products([d for d, _ in terms], [t for _, t in terms]) if terms else own)
        return out


def elastic_inertias(mechanism: Mechanism, kinematics: Kinematics) -> list[ElasticInertia]:
    return [ElasticInertia(b, kinematics) for b in mechanism.elastic_bodies]


def _axial(T: Matrix) -> Matrix:
    """∫ s × x dm of T = ∫ x sᵀ dm."""
    return Matrix(3, 1, (T[2, 1] - T[1, 2], T[0, 2] - T[2, 0], T[1, 0] - T[0, 1]))


def _cross_columns(w: Matrix, T: Matrix) -> Matrix:
    """w̃ T, column by column."""
    columns = [cross(w, Matrix(3, 1, T.column(j))) for j in range(3)]
    return Matrix(3, 3, tuple(columns[j][i] for i in range(3) for j in range(3)))


def _product_trace(A: Matrix, B: Matrix) -> Expr:
    """tr(A B)."""
    return sum_of_products(A.entries, B.T.entries)
