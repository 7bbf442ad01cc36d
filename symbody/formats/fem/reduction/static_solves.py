"""Static solutions of a free body, and its modes of vibration, by one factorisation of its stiffness.

Six rows that no rigid motion leaves at rest are held: K_g. Then K u = f + Bᵀ λ with B u = b has the solutions

    u = K_g⁻¹ (f + Bᵀ λ) + R a,     [B K_g⁻¹ Bᵀ, B R; Rᵀ Bᵀ, 0] [λ; a] = [b - B K_g⁻¹ f; -Rᵀ f]

and without conditions K⁺ = Pᵀ K_g⁻¹ P, P = 1 - M R (Rᵀ M R)⁻¹ Rᵀ: loads are balanced by the inertia of the whole.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any, Final

import numpy as np
from scipy import linalg, sparse
from scipy.sparse.linalg import ArpackError, LinearOperator, eigsh, splu

from ....errors import ModelError
from ....given_files import reason_in_words
from ..bodies.finite_body import Array, Indices
from ..bodies.interfaces import TiedBody

NEGATIVE: Final = 1e-6  # eigenvalue of a mass matrix with ones on its diagonal that seven digits of a file may give
LOOSE: Final = 1e-9  # pivot of the stiffness, of its diagonal, that counts as zero


class FreeSolver:
    """Of a body on which nothing acts but what is given."""

    def __init__(self, where: str, body: TiedBody) -> None:
        self.where, self.body = where, body
        self.M, self.K, self.R = body.mass, body.stiffness, body.rigid
        self._refuse_negative_masses()
        self._inertia = self._factored_inertia()

    def _factored_inertia(self) -> Any:
        """Of Rᵀ M R, six by six."""
        try:
            return linalg.cho_factor(self.R.T @ (self.M @ self.R))
        except (linalg.LinAlgError, ValueError) as reason:
            raise ModelError(
                f"{self.where}: its mass has no moment of inertia about some axis, or is not finite ({reason}): do its nodes coincide, or lie on a line?"
            ) from None

    @cached_property
    def held(self) -> Indices:
        """Six rows whose rigid motions are independent."""
        scale = np.linalg.norm(self.R, axis=0)
        _, _, order = linalg.qr((self.R / scale).T, mode="economic", pivoting=True)
        return np.sort(order[:6])

    @cached_property
    def _free(self) -> Indices:
        return np.setdiff1d(np.arange(self.K.shape[0]), self.held, assume_unique=True)

    def _refuse_negative_masses(self) -> None:
        """A mass matrix may have rows without mass, but no negative eigenvalue beyond the digits of files."""
        body = self.body.body
        d = body.mass.diagonal()
        S = sparse.diags_array(1 / np.sqrt(np.where(d > 0, d, 1.0)))
        lu = _symmetric_factors(sparse.csc_array(S @ body.mass @ S) + NEGATIVE * sparse.eye_array(len(d)))
        if not (lu.perm_r == lu.perm_c).all():
            return
        pivots = lu.U.diagonal()
        if negative := int((pivots < 0).sum()):
            k = int(np.flatnonzero(lu.perm_c == int(pivots.argmin()))[0])
            raise ModelError(
                f"{self.where}: its mass matrix is not positive definite: {negative} negative eigenvalues (least pivot "
                f"{pivots.min():z.3g} of the diagonal, at node {body.labels[body.node_of[k]]}); motions would have negative kinetic energy. "
                "Were entries lost, or mass and stiffness swapped?"
            )

    @cached_property
    def _factors(self) -> Any:
        K = sparse.csc_array(self.K[self._free][:, self._free])
        d = K.diagonal()
        if (d <= 0).any():
            k = int(self._free[int(d.argmin())])
            raise ModelError(
                f"{self.where}: its stiffness matrix is not positive: {self.name_of(k)} has the diagonal "
                f"entry {d.min():z.4g}"
            )
        S = sparse.diags_array(1 / np.sqrt(d))
        lu = _symmetric_factors(S @ K @ S)
        pivots = lu.U.diagonal()
        if (lu.perm_r == lu.perm_c).all():
            self._refuse(pivots, lu.perm_c)
        return lu, S

    def _refuse(self, pivots: Array, order: Indices) -> None:
        """By Sylvester's law, negative pivots are negative eigenvalues; those that vanish are motions without
        stiffness."""
        negative, loose = int((pivots < -LOOSE).sum()), np.flatnonzero(np.abs(pivots) <= LOOSE)
        if negative:
            raise ModelError(
                f"{self.where}: its stiffness matrix is not positive definite: {negative} negative eigenvalues beside the six rigid motions (least pivot {pivots.min():z.3g}). Is it a tangent "
                "stiffness under a load beyond buckling, or a matrix of another kind?"
            )
        if len(loose):
            k = int(self._free[int(np.flatnonzero(order == loose[0])[0])])
            raise ModelError(
                f"{self.where}: its stiffness matrix has {len(loose)} motions without stiffness beside the six rigid ones, such as one of {self.name_of(k)} (pivot {pivots[loose[0]]:z.2g}). "
                "Is a part not connected, is there an internal hinge, or are there rotations that no element resists? Remove these rows"
            )

    def name_of(self, row: int) -> str:
        """The description of a row of v."""
        T = self.body.T
        k = int(T.indices[T.indptr[row]])
        b = self.body.body
        return f"node {b.labels[b.node_of[k]]}, direction {b.direction[k]}"

    def held_solution(self, f: Array) -> Array:
        """K_g⁻¹ f, zero at the rows that are held."""
        lu, S = self._factors
        out = np.zeros_like(f)
        out[self._free] = S @ lu.solve(np.asarray(S @ f[self._free]))
        return out

    def balanced(self, f: Array) -> Array:
        """P f: less the inertia forces of the rigid acceleration that f gives."""
        return f - self.M @ (self.R @ linalg.cho_solve(self._inertia, self.R.T @ f))

    def flexible(self, f: Array) -> Array:
        """K⁺ f, without momentum."""
        return self.without_momentum(self.held_solution(self.balanced(f)))

    def without_momentum(self, u: Array) -> Array:
        """u less the rigid motion that has its momentum and moment of momentum."""
        return u - self.R @ linalg.cho_solve(self._inertia, self.R.T @ (self.M @ u))

    def free_modes(self, count: int) -> tuple[Array, Array]:
        """ω² and Φ, Φᵀ M Φ = 1, beside the six rigid ones."""
        return modes(self.where, self, self.flexible, count, self.K.shape[0] - 6)


def _symmetric_factors(A: Any) -> Any:
    """L U with pivots from the diagonal, where they are not zero."""
    how = {"permc_spec": "MMD_AT_PLUS_A", "diag_pivot_thresh": 0.0, "options": {"SymmetricMode": True}}
    return splu(sparse.csc_matrix(A), **how)


class HeldSolver:
    """Solutions under conditions B u = b."""

    def __init__(self, free: FreeSolver, B: sparse.csc_array) -> None:
        self.free, self.B = free, B
        dense = np.asarray(B.T.todense())
        self.F = free.held_solution(dense)
        top = np.concatenate([B @ self.F, B @ free.R], axis=1)
        low = np.concatenate([(B @ free.R).T, np.zeros((6, 6))], axis=1)
        A = np.concatenate([top, low])
        size = np.concatenate(
            [np.full(len(dense.T), 1 / np.sqrt(max(np.abs(B @ self.F).max(), 1e-300))), np.full(6, 1.0)]
        )
        self._size = size
        scaled = size[:, None] * A * size
        values = np.linalg.svd(scaled, compute_uv=False)
        if values[-1] < 1e-13 * values[0]:
            raise ModelError(
                f"{free.where}: conditions at its interfaces depend on each other (least singular value "
                f"{values[-1] / values[0]:z.2g} of the largest); do two of them have the same nodes?"
            )
        self._inverse = linalg.lu_factor(scaled)

    def __call__(self, f: Array, b: Array | None = None) -> Array:
        u = self.free.held_solution(f)
        right = np.concatenate([-(self.B @ u) if b is None else b - self.B @ u, -(self.free.R.T @ f)])
        s = self._size if right.ndim == 1 else self._size[:, None]
        x = s * linalg.lu_solve(self._inverse, s * right)
        n = self.B.shape[0]
        return u + self.F @ x[:n] + self.free.R @ x[n:]

    def motions(self) -> Array:
        """Static solutions for each motion of the interfaces by one, columns."""
        n = self.B.shape[0]
        return self(np.zeros((self.B.shape[1], n)), np.eye(n))

    def modes(self, count: int) -> tuple[Array, Array]:
        """ω² and Φ of the body held where B u = 0."""
        return modes(self.free.where, self.free, self, count, self.free.K.shape[0] - self.B.shape[0])


def modes(where: str, solver: FreeSolver, inverse: Any, count: int, available: int) -> tuple[Array, Array]:
    """The lowest modes of K φ = ω² M φ through a symmetric inverse, in order, the largest component of each
    positive."""
    if count > available - 1:
        raise ModelError(f"{where}: {count} modes requested, but the matrices have {available}; request fewer")
    n = solver.K.shape[0]
    start = inverse(solver.M @ np.random.default_rng(0).normal(size=n))
    try:
        _, vectors = eigsh(
            solver.K,
            k=count,
            M=solver.M,
            sigma=0.0,
            OPinv=LinearOperator((n, n), matvec=inverse, dtype=float),
            v0=start,
            tol=1e-12,
        )
    except ArpackError as reason:
        raise ModelError(
            f"{where}: modes did not converge ({reason_in_words(reason)}); request fewer, or check for motions without stiffness"
        ) from None
    return _ritz_step(solver, inverse, vectors)


def _ritz_step(solver: FreeSolver, inverse: Any, v: Array) -> tuple[Array, Array]:
    """One step of subspace iteration with Rayleigh and Ritz's method: what Arnoldi's leaves of other modes goes by the
    ratio of their frequencies."""
    v = inverse(solver.M @ v)
    v = v / np.linalg.norm(v, axis=0)
    K, M = v.T @ (solver.K @ v), v.T @ (solver.M @ v)
    values, mix = linalg.eigh((K + K.T) / 2, (M + M.T) / 2)
    v = v @ mix
    return values, v * np.sign(v[np.abs(v).argmax(axis=0), np.arange(v.shape[1])])
