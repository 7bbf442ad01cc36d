"""Laws of springs and dampers of MJCF files."""

from __future__ import annotations

from collections.abc import Sequence

import symbody as sb

from ..robot.link_frames import ZERO


def rotation_vector(e: Sequence[sb.Expr], start: Sequence[float] = (1.0, 0.0, 0.0, 0.0)) -> list[sb.Expr]:
    """φ = 2 atan2(|v|, w) v/|v|, of Euler parameters (w, v) seen from a start; w ≥ 0, so that it is the shorter way."""
    a, b = start, e
    w = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3]
    v = [
        a[0] * b[1] - a[1] * b[0] - a[2] * b[3] + a[3] * b[2],
        a[0] * b[2] + a[1] * b[3] - a[2] * b[0] - a[3] * b[1],
        a[0] * b[3] - a[1] * b[2] + a[2] * b[1] - a[3] * b[0],
    ]
    square = v[0] * v[0] + v[1] * v[1] + v[2] * v[2]
    size = sb.sqrt(sb.where(square > 0, square, 1))
    ratio = sb.where(square > 0, 2 * sb.atan2(size, sb.where(w < 0, -w, w)) / size, 2) * sb.where(w < 0, -1, 1)
    return [ratio * x for x in v]


def spring_polynomial(k: Sequence[float], x: sb.Expr) -> tuple[sb.Expr, sb.Expr]:
    """Force -(k₁ x + k₂ x² + k₃ x³) and its potential."""
    terms = [(c, n) for n, c in enumerate(k, 1) if c]
    return sum((-c * x**n for c, n in terms), ZERO), sum((c * x ** (n + 1) / (n + 1) for c, n in terms), ZERO)


def damper_polynomial(c: Sequence[float], v: sb.Expr) -> sb.Expr:
    """Force -(c₁ v + c₂ v |v| + c₃ v³)."""
    powers = v, v * abs(v), v**3
    return sum((-x * p for x, p in zip(c, powers, strict=False) if x), ZERO)


def polynomial(coefficients: Sequence[float], x: sb.Expr) -> sb.Expr:
    total: sb.Expr = ZERO
    for c in reversed(coefficients):
        total = total * x + c
    return total
