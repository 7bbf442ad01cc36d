"""Shapes that keep the responses between the interfaces of a body in a range of frequencies, and the error of such
responses.

    H(ω) = B (K (1 + i η) - ω² M)⁻¹ Bᵀ,   displacements and turns of interfaces by forces and torques there, in units of
                                          the body's size

Krylov: shapes (K - ω_k² M)⁻¹ Bᵀ match H and its slope at ω_k (moment matching); the next ω_k is where the error is
largest. Balanced: leading eigenvectors of the Gramian ∫ X Xᴴ dω, X = (K (1 + i η) - ω² M)⁻¹ Bᵀ, over the band. M and K
are symmetric, and forces act where displacements are measured, so that it is the Gramian of control and of observation
at once.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse.linalg import splu

from ....errors import ModelError, shown
from ..bodies.finite_body import Array
from .spans import ShapeSpan, SpanQuestion
from .static_solves import FreeSolver

LOSS: Final = 0.02  # η: one percent of damping, so that responses are finite at resonances
CHECKED: Final = 25  # frequencies at which errors are measured
GAUSS: Final = 16  # points over the band for Gramians
INDEPENDENT: Final = 1e-7  # of the largest singular value of snapshots


class Band:
    """A range of angular frequencies, and responses of a free body in it."""

    def __init__(self, where: str, solver: FreeSolver, given: Any) -> None:
        ok = isinstance(given, (tuple, list)) and len(given) == 2 and all(isinstance(x, (int, float)) for x in given)
        if not ok or not 0 <= given[0] < given[1]:
            raise ModelError(f"{where}: band= must be (from, to) in Hz, such as (0, 500); got {shown(given)}")
        self.low, self.high = (2 * np.pi * float(x) for x in given)
        self.solver = solver
        B = solver.body.B
        if not B.shape[0]:
            raise ModelError(f"{where}: a frequency band needs interfaces=, and this body has none")
        size = np.tile([1.0, 1.0, 1.0, *[1 / solver.body.body.extent] * 3], B.shape[0] // 6)
        self.B = sparse.csc_array(sparse.diags_array(size) @ B)
        self.loads = np.asarray(self.B.T.todense())

    @property
    def frequencies(self) -> Array:
        """Where errors are measured: even in the logarithm, from a thousandth of the upper end where the band begins at
        zero."""
        return np.geomspace(max(self.low, 1e-3 * self.high), self.high, CHECKED)

    def snapshot(self, w: float, loss: float = LOSS) -> NDArray[Any]:
        """(K (1 + i η) - ω² M)⁻¹ Bᵀ, less rigid motions."""
        A = self.solver.K * (1 + 1j * loss) - w**2 * self.solver.M if loss else self.solver.K - w**2 * self.solver.M
        found = splu(sparse.csc_matrix(A)).solve(self.loads.astype(A.dtype))
        return self.solver.without_momentum(found)

    def real_snapshot(self, w: float) -> Array:
        """Without loss; where ω is next to zero, the static solution balanced by inertia."""
        return self.solver.flexible(self.loads) if w < 1e-3 * self.high else np.asarray(self.snapshot(w, 0.0))

    def error(self, v: Array, responses: list[NDArray[Any]]) -> Array:
        """‖H - H_r‖ / ‖H‖ of the elastic part of the responses, at each frequency."""
        K, M, b = v.T @ (self.solver.K @ v), v.T @ (self.solver.M @ v), self.B @ v
        out = []
        for w, H in zip(self.frequencies, responses, strict=True):
            reduced = b @ np.linalg.solve(K * (1 + 1j * LOSS) - w**2 * M, b.T)
            out.append(np.linalg.norm(H - reduced, 2) / np.linalg.norm(H, 2))
        return np.array(out)

    def responses(self) -> list[NDArray[Any]]:
        return [np.asarray(self.B @ self.snapshot(w)) for w in self.frequencies]


def krylov(ask: SpanQuestion) -> ShapeSpan:
    """Moment matching: a snapshot where the error is largest, until there are as many shapes as asked for."""
    band, count = _band_and_count(ask, "krylov")
    responses, used = band.responses(), [0.0]
    v = _independent(band, [band.real_snapshot(0.0)], count)
    while v.shape[1] < count and len(used) < CHECKED:
        worst = float(band.frequencies[int(band.error(v, responses).argmax())])
        if worst in used:
            break
        used.append(worst)
        v = _independent(band, [v, band.real_snapshot(worst)], count)
    return _span_with_error(band, v, responses, f"Krylov shape ({len(used)} expansion points)")


def balanced_shapes(ask: SpanQuestion) -> ShapeSpan:
    """Leading eigenvectors of the Gramian over the band, by the points of Gauss."""
    band, count = _band_and_count(ask, "balanced")
    x, w = np.polynomial.legendre.leggauss(GAUSS)
    parts = []
    for place, weight in zip((band.low + band.high) / 2 + (band.high - band.low) / 2 * x, w, strict=True):
        X = np.sqrt(weight) * band.snapshot(float(place))
        parts += [X.real, X.imag]
    return _span_with_error(band, _independent(band, parts, count, scaled=False), band.responses(), "balanced shape")


def _band_and_count(ask: SpanQuestion, method: str) -> tuple[Band, int]:
    if ask.modes is None or ask.count < 1:
        raise ModelError(f"{ask.where}: method={method!r} needs modes=, the number of shapes; got {shown(ask.modes)}")
    return Band(ask.where, ask.solver, ask.band), ask.count


def _independent(band: Band, parts: list[Array], count: int, scaled: bool = True) -> Array:
    """The leading shapes of snapshots in the metric of mass, at most so many; the first part is kept whole where
    snapshots are scaled."""
    X = np.concatenate(parts, axis=1)
    if scaled:
        X = X / np.sqrt(np.einsum("ij,ij->j", X, band.solver.M @ X))
    values, mix = np.linalg.eigh(X.T @ (band.solver.M @ X))
    keep = np.flatnonzero(values > INDEPENDENT**2 * values[-1])[::-1][:count]
    return np.asarray(X @ mix[:, keep] / np.sqrt(values[keep]))


def _span_with_error(band: Band, v: Array, responses: list[NDArray[Any]], name: str) -> ShapeSpan:
    return ShapeSpan(
        v,
        tuple(f"{name} {k}" for k in range(1, v.shape[1] + 1)),
        {"error in band": float(band.error(v, responses).max())},
    )


def band_error(where: str, solver: FreeSolver, given: Any, v: Array) -> float:
    """The largest error of responses over the band, of any shapes without momentum."""
    band = Band(where, solver, given)
    return float(band.error(solver.without_momentum(v), band.responses()).max())
