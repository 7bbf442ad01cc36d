"""The linear least squares problem of one iteration, with the states between segments eliminated (Bock, 1981).

With gaps g_k = φ_k - w_(k+1) the linearised chain is δw_(k+1) = Φ_k δw_k + Ψ_k δp + g_k, so that every δw_k is A_k δw_0
+ B_k δp + c_k; the remaining unknowns are the first state of each experiment and the parameters.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import lsq_linear

from ...emit.run.callable import Array
from .experiment import Shot

# influence of a component of the first state, relative to the largest, below which it is rounding noise
NEGLIGIBLE_INFLUENCE: Final = 1e-8
# singular value, relative to the largest and for columns of length one, below which it counts as zero
RANK_TOLERANCE: Final = 1e-9


@dataclass(frozen=True)
class CondensedChain:
    """One experiment: rows M_0 δw_0 + M_p δp = rhs, and the recovery of the other states.

    gaps   differences between the ends of segments and the next states
    """

    M_0: Array
    M_p: Array
    rhs: Array
    residuals: Array
    gaps: Array
    A: Array
    B: Array
    c: Array
    links: tuple[
        tuple[Array, Array], ...
    ]  # of each segment: weighted derivatives of its measurements, and of the state after it, by its first state

    def multipliers(self, left: Array) -> Array:
        """The derivative of half the sum of squares by each gap, where `left` are the residuals after the step: by how
        much gaps are worth closing."""
        out, at, back = [], len(left), np.zeros(self.A.shape[1])
        for H, following in reversed(self.links):
            out.append(back)
            back = following.T @ back - H.T @ left[at - len(H) : at]
            at -= len(H)
        return np.concatenate([*reversed(out[1:]), np.zeros(0)])

    def steps(self, first: Array, p: Array) -> Array:
        """δw of all segments."""
        return self.A @ first + self.B @ p + self.c


def condensed_chain(shots: Sequence[Shot], nodes: Array, y: Array, weights: Array) -> CondensedChain:
    """The condensed chain of an experiment. y are measured values, NaN if missing; weights are one over the
    deviation, by
        quantity."""
    n, m = nodes.shape[1], shots[0].y_p.shape[2]
    A, B, c = np.eye(n), np.zeros((n, m)), np.zeros(n)
    rows: list[tuple[Array, ...]] = []
    follows, gaps, links, first = [], [], [], 0
    for k, shot in enumerate(shots):
        follows.append((A, B, c))
        part = y[first : first + len(shot.y)]
        first += len(shot.y)
        there = np.isfinite(part)
        scale = np.broadcast_to(weights, part.shape)[there]
        r = (part - shot.y)[there] * scale
        H, P = shot.y_w[there] * scale[:, None], shot.y_p[there] * scale[:, None]
        rows.append((H @ A, H @ B + P, r - H @ c, r))
        links.append((H, shot.end_w))
        if k + 1 < len(shots):
            gap = shot.end - nodes[k + 1]
            gaps.append(gap)
            A, B, c = shot.end_w @ A, shot.end_w @ B + shot.end_p, shot.end_w @ c + gap
    M_0, M_p, rhs, r = (np.concatenate(parts) for parts in zip(*rows, strict=True))
    As, Bs, cs = (np.array(x) for x in zip(*follows, strict=True))
    return CondensedChain(M_0, M_p, rhs, r, np.array(gaps).reshape(-1), As, Bs, cs, tuple(links))


@dataclass(frozen=True)
class LinearLeastSquares:
    """Rows M δ = rhs of all experiments: parameters first, then the free part of each first state."""

    M: Array
    rhs: Array

    def step(self, low: Array, high: Array, damping: float = 0.0) -> Array:
        """The least squares solution between bounds; what the rows do not determine stays. With damping (Levenberg and
        Marquardt) it is shorter."""
        scale = self._scale
        if damping:
            more = np.sqrt(damping) * np.diag(scale)
            longer = LinearLeastSquares(np.vstack([self.M, more]), np.concatenate([self.rhs, np.zeros(len(more))]))
            return longer.step(low, high)
        if np.isinf(low).all() and np.isinf(high).all():
            return np.asarray(np.linalg.lstsq(self.M / scale, self.rhs, rcond=RANK_TOLERANCE)[0] / scale)
        found = lsq_linear(
            self.M / scale, self.rhs, (np.minimum(low * scale, 0.0), np.maximum(high * scale, 0.0)), method="bvls"
        )
        return np.asarray(found.x / scale)

    @property
    def _scale(self) -> Array:
        """Lengths of the columns; one where an unknown has no influence at all."""
        found = np.linalg.norm(self.M, axis=0)
        return np.where(found > 0, found, 1.0)

    def covariance(self) -> tuple[Array, NDArray[np.bool_]]:
        """(Mᵀ M)⁻¹, and which unknowns the rows do not determine: their variance is infinite."""
        scale = self._scale
        _, s, Vt = np.linalg.svd(self.M / scale, full_matrices=True)
        s = np.concatenate([s, np.zeros(self.M.shape[1] - len(s))])
        good = s > RANK_TOLERANCE * s.max(initial=0.0)
        lost = (np.abs(Vt[~good]) > 1e-6).any(axis=0)
        V = Vt[good].T / s[good]
        C = (V @ V.T) / np.outer(scale, scale)
        C[lost, lost] = np.inf
        return C, lost


def joined_rows(chains: Sequence[CondensedChain], free_starts: Sequence[NDArray[np.intp]]) -> LinearLeastSquares:
    """One least squares problem for all experiments; starts that are held have no column."""
    count, widths = chains[0].M_p.shape[1], [len(f) for f in free_starts]
    M = np.zeros((sum(len(c.rhs) for c in chains), count + sum(widths)))
    row, column = 0, count
    for chain, free, width in zip(chains, free_starts, widths, strict=True):
        rows = slice(row, row + len(chain.rhs))
        M[rows, :count] = chain.M_p
        M[rows, column : column + width] = _without_negligible(chain.M_0[:, free])
        row, column = rows.stop, column + width
    return LinearLeastSquares(M, np.concatenate([c.rhs for c in chains]))


def _without_negligible(starts: Array) -> Array:
    """Derivatives by the first state, with zeros for columns that are rounding noise: the position of a bicycle has
    no influence on its lean, and columns of noise would allow steps of any length."""
    sizes = np.linalg.norm(starts, axis=0)
    return np.asarray(np.where(sizes > NEGLIGIBLE_INFLUENCE * sizes.max(initial=0.0), starts, 0.0))


def step_by_experiment(
    step: Array, parameters: int, chains: Sequence[CondensedChain], free_starts: Sequence[NDArray[np.intp]]
) -> tuple[Array, list[Array]]:
    """δp, and δw of all segments of each experiment, from one step."""
    p, at, out = step[:parameters], parameters, list[Any]()
    for chain, free in zip(chains, free_starts, strict=True):
        first = np.zeros(chain.A.shape[2])
        first[free] = step[at : at + len(free)]
        at += len(free)
        out.append(chain.steps(first, p))
    return p, out
