"""The gap between two ellipsoids, and the direction in which it is measured.

With S = Σ a_i² e_i e_iᵀ of half axes a_i along e_i, an ellipsoid has the support function h(n) = √(nᵀ S n). The
separation of two of them, their centres d apart, is

    g(n) = n·d - h_a(n) - h_b(n),    d - ∇h_a - ∇h_b = g n  where it is largest

along a unit vector n; g is concave, and its largest value over n is the gap (negative for a slight penetration).
Newton's method on the sphere, from n ~ (S_a + S_b)⁻¹ d,

    (∇²h_a + ∇²h_b + max(g, 0) 1) δ = d - ∇h_a - ∇h_b - g n,     n ← (n + δ) / |n + δ|

converges quadratically from the first step for ratios of half axes up to five.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from ...algebra.graph.functions import maximum, sqrt
from ...algebra.graph.graph import Expr
from ...algebra.graph.matrix import Matrix, cross, dot, vector
from ..frames.frames import Frame
from ..frames.points import Point
from ..frames.vectors import Vector

ITERATIONS: Final = 6  # number of Newton iterations, enough to reach rounding for ratios of half axes up to five
Columns = tuple[Matrix, Matrix, Matrix]  # of a symmetric matrix


@dataclass(frozen=True)
class PlacedEllipsoid:
    frame: Frame
    centre: Point
    half_axes: Matrix


def ellipsoids_near(a: PlacedEllipsoid, b: PlacedEllipsoid, frame: Frame) -> tuple[Matrix, Matrix, Expr]:
    """Normal from b towards a and the nearest point of b, in a frame, and the gap."""
    S = (_squares(a, frame), _squares(b, frame))
    d = (a.centre - b.centre).components(frame)
    n = _unit(_adjugate_times(_sum(*S), d))
    for _ in range(ITERATIONS):
        n = _newton_step(S, d, n)
    first, second = (_reach(s, n) for s in S)
    place = (b.centre - frame.origin).components(frame) + second[1]
    return n, place, dot(n, d) - first[0] - second[0]


def _newton_step(S: tuple[Columns, Columns], d: Matrix, n: Matrix) -> Matrix:
    """One step of Newton's method. Curvatures are zero along n: a multiple of n added there does not change δ across
    it."""
    (ha, pa), (hb, pb) = (_reach(s, n) for s in S)
    apart = d - pa - pb
    gap = dot(n, apart)
    columns = []
    for j, e in enumerate((vector(1, 0, 0), vector(0, 1, 0), vector(0, 0, 1))):
        curved = S[0][j] / ha - (pa[j] / ha) * pa + S[1][j] / hb - (pb[j] / hb) * pb
        columns.append(curved + maximum(gap, 0) * e + ((ha + hb) * n[j]) * n)
    K = (columns[0], columns[1], columns[2])
    determinant = dot(columns[0], cross(columns[1], columns[2]))
    return _unit(n + _adjugate_times(K, apart - gap * n) / determinant)


def _reach(S: Columns, n: Matrix) -> tuple[Expr, Matrix]:
    """h and ∇h."""
    Sn = n[0] * S[0] + n[1] * S[1] + n[2] * S[2]
    h = sqrt(dot(n, Sn))
    return h, Sn / h


def _squares(e: PlacedEllipsoid, frame: Frame) -> Columns:
    """S in a frame."""
    axes = [Vector({e.frame: vector(*(int(i == k) for i in range(3)))}).components(frame) for k in range(3)]
    sized = [a**2 * axis for a, axis in zip(e.half_axes.entries, axes, strict=True)]
    made = [sized[0] * axes[0][j] + sized[1] * axes[1][j] + sized[2] * axes[2][j] for j in range(3)]
    return made[0], made[1], made[2]


def _sum(a: Columns, b: Columns) -> Columns:
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]


def _adjugate_times(S: Columns, v: Matrix) -> Matrix:
    """det(S) S⁻¹ v of a symmetric matrix."""
    return vector(dot(cross(S[1], S[2]), v), dot(cross(S[2], S[0]), v), dot(cross(S[0], S[1]), v))


def _unit(v: Matrix) -> Matrix:
    return v / sqrt(dot(v, v))
