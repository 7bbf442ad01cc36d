"""A contact problem in the arrays of kernels, and its residual (`contact_problem.py` has the problem, for one state at
a time).

Normal rows come first; a friction cone has one or two rows from `first` on. With v = A x + b and a the largest
eigenvalue of a cone's block of A, solutions are the zeros of the natural map

    x_N - max(0, x_N - v_N / A_NN),        x_T - projection of (x_T - v_T / a) onto the disc |x_T| <= μ N

whose value in a row, times A_NN or a, is the velocity (or acceleration) by which the row misses its law.
"""

from __future__ import annotations

from math import sqrt
from typing import Any, Final

import numpy as np

from ...emit.loops.kernel_language import Indices, Mutable, Numbers
from ...emit.loops.records import Struct

ROUNDING: Final = 1e-12  # a miss below this fraction of Σ|terms| of its row counts as zero
NULL_MOTION: Final = 1e-8  # least scale of the residual, as a fraction of the larger of both
SMALLEST: Final = 1e-300  # keeps divisions finite


class ContactArrays(Struct):
    """n rows, `normals` of them normal rows, and `cones`.

    A, b, x       v = A x + b; x: forces or impulses, the initial guess before a solve
    first, count  of each cone: its first row and number of rows
    mu            friction coefficient of each cone
    given, share  its normal force N = given + share · x
    owner         the normal row whose force N is, or -1: `share` alone says
    mobility      largest eigenvalue a of its block of A
    fixed         1 where the direction of slip is prescribed: `way`, with the viscous force `offset`
    change        largest change of a force in the last sweep; `largest`: the largest force
    motion, terms v by rows, and Σ|terms| of it
    miss          natural map, by rows; `residual`: what a solver that is called from Python left
    w             memory for two numbers
    precision     in single precision, the fraction of numbers to which tolerances are limited; 0 in double precision
    """

    n: Mutable[int]
    normals: Mutable[int]
    cones: Mutable[int]
    A: Numbers
    b: Numbers
    x: Numbers
    first: Indices
    count: Indices
    fixed: Indices
    owner: Indices
    mu: Numbers
    given: Numbers
    share: Numbers
    mobility: Numbers
    way: Numbers
    offset: Numbers
    motion: Numbers
    terms: Numbers
    miss: Numbers
    w: Numbers
    change: Mutable[float]
    largest: Mutable[float]
    residual: Mutable[float]
    precision: float


def contact_arrays(rows: int, cones: int, precision: float = 0.0) -> ContactArrays:
    """Memory for problems of at most so many rows and cones."""
    return ContactArrays(
        n=0, normals=0, cones=0, A=np.zeros(rows * rows + 1), b=np.zeros(rows + 1), x=np.zeros(rows + 1),
        first=indices([0] * cones), count=indices([0] * cones), fixed=indices([0] * cones), owner=indices([-1] * cones), mu=np.zeros(cones + 1),
        given=np.zeros(cones + 1), share=np.zeros(rows * cones + 1), mobility=np.zeros(cones + 1), way=np.zeros(2 * cones + 1),
        offset=np.zeros(cones + 1), motion=np.zeros(rows + 1),
        terms=np.zeros(rows + 1), miss=np.zeros(rows + 1), w=np.zeros(2), precision=precision,
    )  # fmt: skip


def indices(values: list[int]) -> Any:
    """Integers for a kernel, with one more so that no array is empty."""
    return np.array([*values, 0], dtype=np.int64)


# ------------------------------------------------------------------------------------------------------- one row, kernels


def row_motion(p: ContactArrays, i: int) -> float:
    """v_i = (A x + b)_i."""
    out = p.b[i]
    for j in range(p.n):
        out += p.A[i * p.n + j] * p.x[j]
    return out


def normal_force(p: ContactArrays, c: int) -> float:
    """N = given + share · x of a cone."""
    if p.owner[c] >= 0:
        return p.x[p.owner[c]]
    normal = p.given[c]
    for j in range(p.n):
        normal += p.share[c * p.n + j] * p.x[j]
    return normal


def normal_row_force(p: ContactArrays, i: int) -> float:
    """max(0, x_N - v_N / A_NN)."""
    return max(0.0, p.x[i] - row_motion(p, i) / max(p.A[i * p.n + i], SMALLEST))


def project_cone(p: ContactArrays, c: int) -> None:
    """x_T - v_T / a of a cone, projected onto its disc, into w; where the direction of slip is prescribed, -(μ N +
    offset) along it."""
    for r in range(p.count[c]):
        i = p.first[c] + r
        p.motion[i] = row_motion(p, i)
    project_onto_disc(p, c)


def project_onto_disc(p: ContactArrays, c: int) -> None:
    """The same with v_T in `motion`."""
    limit = p.mu[c] * abs(normal_force(p, c))
    size = 0.0
    for r in range(p.count[c]):
        i = p.first[c] + r
        p.w[r] = -(limit + p.offset[c]) * p.way[2 * c + r]
        if p.fixed[c] == 0:
            p.w[r] = p.x[i] - p.motion[i] / p.mobility[c]
        size += p.w[r] * p.w[r]
    size = sqrt(size)
    if p.fixed[c] == 0 and size > limit:
        for r in range(p.count[c]):
            p.w[r] *= limit / size


# ------------------------------------------------------------------------------------------------------- residual


def contact_residual(p: ContactArrays) -> float:
    """How far x is from a solution, without unit: the velocities by which rows miss their laws, in the norm √Σ v² / A_ii
    of kinetic energy, as a fraction of the velocities b without contact forces, or of A_ii x_i, whichever is less.
    Zero where only rounding is left.

    Beside forces alone it would not do: in a stack of bodies of unequal masses, forces that are off by 1 % may move
    the light ones as fast as without contact. Beside b alone neither: in a fast slide normal forces hardly show.
    """
    for i in range(p.n):
        set_motion(p, i)
    for i in range(p.normals):
        p.miss[i] = p.x[i] - max(0.0, p.x[i] - p.motion[i] / max(p.A[i * p.n + i], SMALLEST))
    for c in range(p.cones):
        project_onto_disc(p, c)
        for r in range(p.count[c]):
            p.miss[p.first[c] + r] = p.x[p.first[c] + r] - p.w[r]
    square = 0.0
    for i in range(p.n):
        a = max(p.A[i * p.n + i], SMALLEST)
        missed = a * abs(p.miss[i]) - max(ROUNDING, 0.1 * p.precision) * p.terms[i]
        if not missed <= 0.0:
            square += missed * missed / a
    return 0.0 if square == 0.0 else sqrt(square) / residual_scale(p)


def sweep_residual(p: ContactArrays) -> float:
    """The same from the changes in the last sweep, which it left in `miss`; rounding is in it."""
    square = 0.0
    for i in range(p.n):
        square += p.A[i * p.n + i] * p.miss[i] * p.miss[i]
    return 0.0 if square == 0.0 else sqrt(square) / residual_scale(p)


def residual_scale(p: ContactArrays) -> float:
    """√Σ b² / A_ii or √Σ A_ii x_i², whichever is less, but not much less."""
    free = 0.0
    pushed = 0.0
    for i in range(p.n):
        a = max(p.A[i * p.n + i], SMALLEST)
        free += p.b[i] * p.b[i] / a
        pushed += a * p.x[i] * p.x[i]
    return max(sqrt(min(free, pushed)), NULL_MOTION * sqrt(max(free, pushed)), SMALLEST)


def set_motion(p: ContactArrays, i: int) -> None:
    """v_i = (A x + b)_i, and the sum of the absolute values of its terms."""
    motion = p.b[i]
    terms = abs(motion)
    for j in range(p.n):
        term = p.A[i * p.n + j] * p.x[j]
        motion += term
        terms += abs(term)
    p.motion[i] = motion
    p.terms[i] = terms
