"""The ten inertial parameters of a body (m, mc, I_o) in other frames and on its ancestors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import symbody as sb

_INERTIA: Final = {(0, 0): 4, (0, 1): 5, (1, 1): 6, (0, 2): 7, (1, 2): 8, (2, 2): 9}


def _tensor(own: Sequence[sb.Expr]) -> sb.Matrix:
    return sb.matrix([[own[_INERTIA[min(i, j), max(i, j)]] for j in range(3)] for i in range(3)])


def _ten_parameters(m: Any, h: sb.Matrix, I: sb.Matrix) -> list[Any]:
    return [m, *h.entries, *(I[i, j] for i, j in _INERTIA)]


def moved_whole(own: Sequence[sb.Expr], p: sb.Matrix, R: sb.Matrix, with_mass: bool) -> list[sb.Expr]:
    """Of a body that keeps its orientation: its inertia, and where it is fixed its mass, in the frame before."""
    turned = R @ _tensor(own) @ R.T
    zero = sb.fraction(0, 1)
    if not with_mass:
        return _ten_parameters(zero, sb.vector(0, 0, 0), turned)
    m, h = own[0], R @ sb.vector(*own[1:4])
    square = m * sb.outer(p, p) + sb.outer(p, h) + sb.outer(h, p)
    trace = square[0, 0] + square[1, 1] + square[2, 2]
    return _ten_parameters(m, h + m * p, turned + trace * sb.identity(3) - square)


def moved_along(own: Sequence[sb.Expr], axis: int, p: sb.Matrix, R: sb.Matrix) -> tuple[list[sb.Expr], list[sb.Expr]]:
    """Mass on the axis, in the parent frame, and the remainder: m = 0, no first moment along the axis, one inertia
    across it zero.

    Mass dm(s) at p + s e has ∫ r rᵀ dm = m p pᵀ + h (p eᵀ + e pᵀ) + P e eᵀ.
    """
    zero = sb.fraction(0, 1)
    e = sb.matrix([[x] for x in R.column(axis)])
    i, j = (k for k in range(3) if k != axis)
    m, h, P = own[0], own[1 + axis], own[_INERTIA[j, j]]
    square = m * sb.outer(p, p) + h * (sb.outer(p, e) + sb.outer(e, p)) + P * sb.outer(e, e)
    trace = m * sb.dot(p, p) + 2 * h * sb.dot(p, e) + P
    moved = _ten_parameters(m, m * p + h * e, trace * sb.identity(3) - square)
    left = list(own)
    left[0], left[1 + axis], left[_INERTIA[j, j]] = zero, zero, zero
    left[_INERTIA[i, i]] = own[_INERTIA[i, i]] - P
    return moved, left
