"""Places on curves at which steps have to end, so that they neither lose order nor miss something.

A bend at a knot, where derivative k jumps by Δ_k, is one polynomial on both sides to within

    |Δ_k| (δ/2)^k / (4 k!)        δ: the shorter piece beside it

Below the tolerance the bend is negligible. Where a curve is smooth, runs of one sign of its curvature M, of length L, differ from
straight lines by M L²/8. A run beside one that is several times longer is narrow: steps that are as long as the quiet
stretch before it would not see it, so they end where it begins and where it ends.
"""

from __future__ import annotations

from math import factorial
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ...algebra.graph.functions import LookupTable
from ...emit.run.callable import Array

NARROW: Final = 0.25  # of the run beside it
NOISE: Final = 1e-13  # of the largest value: what second differences may be by rounding


def table_knots(table: LookupTable, tolerance: float) -> Array:
    """Arguments of a piecewise polynomial at which steps end; `tolerance` is a fraction of its largest value."""
    return curve_knots(np.asarray(table.times), np.asarray(table.coefficients), table.is_rate, tolerance)


def curve_knots(x: Array, rows: Array, is_rate: bool, tolerance: float) -> Array:
    """The same from rows of coefficients between x, that of the highest power first."""
    scale = _scale(x, rows)
    if scale == 0.0:
        return np.zeros(0)
    kept = bends(x, rows, is_rate, tolerance * scale)
    if rows.shape[1] > 1:
        kept |= narrow_runs(x, _curvature(x, rows), scale, tolerance)
    return np.ascontiguousarray(x[kept])


def jumps_at_knots(table: LookupTable) -> bool:
    """Whether the value itself jumps: of stairs, and of the last derivative of others."""
    return len(table.coefficients[0]) == 1 or table.is_rate


def bends(x: Array, rows: Array, is_rate: bool, least: float) -> NDArray[np.bool_]:
    """Knots at which a piecewise polynomial jumps or bends by more than `least`; before the first it is constant, and so it
    is after the last."""
    d, terms = np.diff(x), rows.shape[1]
    shorter = np.minimum(np.append(d[:1], d), np.append(d, d[-1:]))
    out = np.zeros(len(x), dtype=bool)
    for k in range(terms):
        right = factorial(k) * rows[:, terms - 1 - k]
        left = _ahead(rows, d, k)
        outside = (right[0], left[-1]) if k == 0 and not is_rate else (0.0, 0.0)
        change = np.append(right, outside[1]) - np.insert(left, 0, outside[0])
        out |= np.abs(change) * (shorter / 2) ** k > (least * 4 * factorial(k) if k else min(least, 1e-12))
    return out


def _ahead(rows: Array, d: Array, k: int) -> Array:
    """Derivative k of each piece at its end."""
    n, out = rows.shape[1] - 1, np.zeros(len(rows))
    for j in range(n - k + 1):  # coefficient of the power n - j
        out = out * d + rows[:, j] * factorial(n - j) / factorial(n - j - k)
    return out


def _curvature(x: Array, rows: Array) -> Array:
    """The second derivative at the knots; of straight lines, that of a curve through their ends."""
    d = np.diff(x)
    if rows.shape[1] > 2:
        return np.append(2.0 * rows[:, -3], _ahead(rows, d, 2)[-1])
    return np.concatenate([[0.0], 2.0 * np.diff(rows[:, 0]) / (d[1:] + d[:-1]), [0.0]])


def _scale(x: Array, rows: Array) -> float:
    return float(max(np.abs(rows[:, -1]).max(), np.abs(_ahead(rows, np.diff(x), 0)).max()))


def narrow_runs(x: Array, curvature: Array, scale: float, tolerance: float) -> NDArray[np.bool_]:
    """Where narrow runs of a curve begin and end, from its second derivative at x."""
    d = np.diff(x)
    shorter = np.minimum(np.append(d[:1], d), np.append(d, d[-1:]))
    sign = np.where(np.abs(curvature) * shorter**2 > NOISE * scale, np.sign(curvature), 0.0)
    first = _run_starts(sign)
    most = np.maximum.reduceat(np.abs(curvature), first)
    is_slight = most * _lengths(x, first) ** 2 / 8 <= tolerance * scale
    sign = np.repeat(np.where(is_slight, 0.0, sign[first]), np.diff(np.append(first, len(x))))
    first = _run_starts(sign)
    out = np.zeros(len(x), dtype=bool)
    if len(first) == 1:
        return out
    lengths, quiet = _lengths(x, first), sign[first] == 0.0
    lengths[0], lengths[-1] = (np.inf if quiet[k] else lengths[k] for k in (0, -1))
    is_narrow = np.minimum(lengths[1:], lengths[:-1]) <= NARROW * np.maximum(lengths[1:], lengths[:-1])
    is_kept = is_narrow | np.append(False, is_narrow[:-1]) | np.append(is_narrow[1:], False)
    at = first[1:] - (quiet[:-1] & ~quiet[1:])
    out[at[is_kept]] = True
    return out


def _run_starts(sign: Array) -> NDArray[np.int64]:
    return np.append(0, np.flatnonzero(np.diff(sign) != 0) + 1)


def _lengths(x: Array, first: NDArray[np.int64]) -> Array:
    """Of runs: from the neighbour before to the one after, since curvature at a knot is that of both pieces beside it."""
    stop = np.append(first[1:], len(x) - 1)
    return np.asarray(x[stop] - x[np.maximum(first - 1, 0)])


def sampled_runs(x: Array, y: Array, tolerance: float) -> Array:
    """Where narrow runs of a smooth curve begin and end, from values at equal distances."""
    scale = float(np.abs(y).max())
    if not (np.isfinite(scale) and scale > 0.0):
        return np.zeros(0)
    curvature = np.zeros(len(x))
    curvature[1:-1] = np.diff(y, 2) / (x[1] - x[0]) ** 2
    return np.asarray(x[narrow_runs(x, curvature, scale, tolerance)])
