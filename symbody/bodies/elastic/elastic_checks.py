"""Checks of a set of modes: they must be linearly independent and contain no rigid-body motion."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from ...algebra.calculus.evaluate import evaluate
from ...algebra.graph.graph import ZERO, Symbol
from ...algebra.graph.matrix import Matrix, cross, identity, stack, vector
from ...algebra.graph.walk import free_symbols, substitute_all
from ...errors import EvaluationError, ModelError, listed
from ..mass.moments import Moments, trace
from .elastic_body import modal_mass
from .internal_damping import Rows, least_eigenvalue

MAX_NEGATIVE = 1e-6  # largest negative eigenvalue that the rounding of given moments can explain
ZERO_EIGENVALUE = 1e-10  # eigenvalue of a matrix with unit diagonal below which it counts as zero


def refuse_modes(where: str, moments: Moments, q: Sequence[Symbol], K: Matrix) -> None:
    """An error where modes are dependent, move the whole, or have a negative stiffness, at numbers for the symbols."""
    at = [moments.weights.index(x) for x in q]
    M, C, R = modal_mass(moments, q), rigid_coupling(moments, at), rigid_inertia(moments)
    table = dict.fromkeys(q, ZERO)
    things = substitute_all([M, C, R, K], table)
    draw = Random(1)
    try:
        found = evaluate([list(A.entries) for A in things], {s: draw.uniform(0.5, 1.5) for s in free_symbols(*things)})
    except EvaluationError:
        return
    mass, coupling, rigid, stiff = (_rows(A, numbers) for A, numbers in zip(things, found, strict=True))
    for k, x in enumerate(q):
        if mass[k][k] <= 0:
            raise ModelError(f"{where}: the mode of {x} moves no mass: ∫ s · s dm = {mass[k][k]:z.3g}")
    d = [mass[k][k] ** 0.5 for k in range(len(q))]
    least, mixture = least_eigenvalue(_scaled_matrix(mass, d))
    if least < ZERO_EIGENVALUE:
        raise ModelError(
            f"{where}: its modes are not independent: {_sum(q, mixture, d)} is nowhere (least eigenvalue "
            f"{least:z.2g}); leave one out"
        )
    left = [[mass[i][j] - _projection(coupling, rigid, i, j) for j in range(len(q))] for i in range(len(q))]
    least, mixture = least_eigenvalue(_scaled_matrix(left, d))
    if least < -MAX_NEGATIVE:
        raise ModelError(
            f"{where}: its moments belong to no body: moving by {_sum(q, mixture, d)} while the frame gives way would have a negative kinetic energy ({least:z.2g} of that of the modes "
            "alone). Mass, first moments (Ct), moments with the place at rest (Cr) and modal masses (Me) must be integrals over one mass; were they "
            "lumped in different ways, or are units or frames mixed?"
        )
    if least < ZERO_EIGENVALUE:
        raise ModelError(
            f"{where}: its modes contain a motion of the whole as a rigid body: {_sum(q, mixture, d)} deforms nothing (least eigenvalue {least:z.2g}), so its frame is not fixed to it. Use modes that vanish with their slope at a point (tangent), at two points (chord), or whose "
            "momentum and moment of momentum vanish (mean axes)"
        )
    if any(any(row) for row in stiff):
        s = [max(abs(stiff[k][k]), 1e-300) ** 0.5 for k in range(len(q))]
        least, mixture = least_eigenvalue(_scaled_matrix(stiff, s))
        if least < -1e-9:
            raise ModelError(
                f"{where}: its stiffness is negative for {_sum(q, mixture, s)} (eigenvalue {least:z.3g} of a "
                "matrix with ones on the diagonal)"
            )


def _rows(A: Matrix, numbers: Sequence[float]) -> Rows:
    return [[float(x) for x in numbers[i * A.cols : (i + 1) * A.cols]] for i in range(A.rows)]


def rigid_coupling(moments: Moments, at: Sequence[int]) -> Matrix:
    """∫ s_k · (e_i, e_i × s_0) dm, six columns."""
    rows = []
    for k in at:
        G = moments.G(0, k)
        turn = vector(G[1, 2] - G[2, 1], G[2, 0] - G[0, 2], G[0, 1] - G[1, 0])
        rows.append(stack(moments.first[k], turn).T)
    return stack(*rows)


def rigid_inertia(moments: Moments) -> Matrix:
    """[m 1, -c̃; c̃, J] where nothing is deformed."""
    c, S = moments.first[0], moments.G(0, 0)
    J = trace(S) * identity(3) - S
    unit = [vector(*(int(i == j) for j in range(3))) for i in range(3)]
    arm = [cross(e, c) for e in unit]  # velocity of the first moment for a turn about e
    top = [[*(moments.m if i == j else ZERO for j in range(3)), *(arm[j][i] for j in range(3))] for i in range(3)]
    low = [[*(arm[i][j] for j in range(3)), *J.row(i)] for i in range(3)]
    return Matrix(6, 6, tuple(e for row in (*top, *low) for e in row))


def _projection(C: Rows, R: Rows, i: int, j: int) -> float:
    """c_i · R⁺ c_j, with R reduced to its nonzero part by the Gram-Schmidt process on its columns."""
    total, basis = 0.0, _factors(R)
    for b in basis:
        total += sum(x * y for x, y in zip(b, C[i], strict=True)) * sum(x * y for x, y in zip(b, C[j], strict=True))
    return total


def _factors(R: Rows) -> Rows:
    """Vectors b with R⁺ = Σ b bᵀ on the range of R: orthonormal in the metric of R."""
    out: Rows = []
    for k in range(6):
        b = [float(i == k) for i in range(6)]
        for _ in range(2):
            for a in out:
                part = sum(a[i] * R[i][j] * b[j] for i in range(6) for j in range(6))
                b = [x - part * y for x, y in zip(b, a, strict=True)]
        square = sum(b[i] * R[i][j] * b[j] for i in range(6) for j in range(6))
        if square > 1e-12 * max(abs(R[k][k]), 1e-300) and R[k][k] > 0:
            out.append([x / square**0.5 for x in b])
    return out


def _scaled_matrix(A: Rows, d: Sequence[float]) -> Rows:
    return [[A[i][j] / (d[i] * d[j]) for j in range(len(d))] for i in range(len(d))]


def _sum(q: Sequence[Symbol], mixture: Sequence[float], d: Sequence[float]) -> str:
    """The combination of modes of an eigenvector, its largest coefficient scaled to one."""
    parts = [x / y for x, y in zip(mixture, d, strict=True)]
    size = max(parts, key=abs)
    return listed(f"{p / size:z.3g} {x.name}" for p, x in zip(parts, q, strict=True) if abs(p / size) > 1e-6)
