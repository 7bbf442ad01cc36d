"""The regular part of rows that are dependent, in unknowns that are not all determined."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import qr

from ..algebra.trust_region import Rank, Scales
from ..emit.run.callable import Array


@dataclass(frozen=True)
class RegularPart:
    """Independent rows and determined unknowns, as many of them: J[rows][:, unknowns] is square and regular where it was chosen.

    rows       numbers of rows; the others follow from them
    unknowns   numbers of unknowns; the others are held: they are open, or one of several that only together are
    """

    rows: NDArray[np.intp]
    unknowns: NDArray[np.intp]

    @classmethod
    def of(cls, J: Array) -> RegularPart:
        """By pivots of QR, in balanced units."""
        scales, rank = Scales.of(J), Rank.of(J)
        null = rank.null_space / scales.columns[:, None]
        held = qr(null.T, mode="r", pivoting=True)[1][: null.shape[1]] if null.size else np.zeros(0, dtype=np.intp)
        unknowns = np.setdiff1d(np.arange(J.shape[1]), held)
        A = (scales.rows[:, None] * J * scales.columns)[:, unknowns]
        rows = qr(A.T, mode="r", pivoting=True)[1][: len(unknowns)] if A.size else np.zeros(0, dtype=np.intp)
        return cls(np.sort(rows), unknowns)

    def of_rows(self, F: Array) -> Array:
        return F[self.rows]

    def of_slopes(self, J: Array) -> Array:
        return J[np.ix_(self.rows, self.unknowns)]

    def placed(self, change: Array, length: int) -> Array:
        """A change of the determined unknowns among all of them."""
        out = np.zeros(length)
        out[self.unknowns] = change
        return out
