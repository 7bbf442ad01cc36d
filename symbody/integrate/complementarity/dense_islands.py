"""Small islands of a contact graph as problems with a dense matrix, as kernels, where sweeps do not converge: Newton's method from the
forces of the sweeps, then the interior-point method with Newton's at the end of its path."""

from __future__ import annotations

from typing import Final

from .contact_arrays import ContactArrays
from .contact_graph import (
    ROWS,
    ContactGraph,
    caused_motion,
    change_forces,
    start_links,
    update_links,
)
from .interior_point import approach_solution
from .proximal_newton import solve_by_proximal_newton

FEW_NEWTON_STEPS: Final = 15  # of an island, from the forces of sweeps with at most the residual FAR
FAR: Final = 1e-2
MOST_NEWTON_STEPS: Final = 60  # from the end of a path of the interior-point method
PATHS: Final = 2  # of an island, at most; each begins `FURTHER` times further inside the cones
FURTHER: Final = 10.0


def solve_densely(g: ContactGraph, k: int, before: float) -> float:
    """A small island on which sweeps do not converge: by Newton's method, and where that takes too long, by the interior-point method
    with Newton's at the end of its path; the residual."""
    p = g.dense
    residual = before
    pose_island(g, k)
    if before <= FAR:
        residual = take_forces(g, k, residual, solve_by_proximal_newton(p, g.near, FEW_NEWTON_STEPS, g.tolerance))
    start = 1.0
    for _ in range(PATHS):
        if residual > g.tolerance:
            if is_conic(p) == 1:
                approach_solution(p, g.near, g.path, start, g.tolerance)
            residual = take_forces(g, k, residual, solve_by_proximal_newton(p, g.near, MOST_NEWTON_STEPS, g.tolerance))
        start = FURTHER * start
    return residual


def take_forces(g: ContactGraph, k: int, before: float, residual: float) -> float:
    """The forces of the dense problem, where their residual is less than before, else they become those of the graph; the residual."""
    if not residual < before:
        set_dense_forces(g, k)
        return before
    count = g.first[k + 1] - g.first[k]
    for at in range(count):
        c = g.order[g.first[k] + at]
        n = g.dense.x[dense_row(count, at, 0)] - g.x[ROWS * c]
        t = g.dense.x[dense_row(count, at, 1)] - g.x[ROWS * c + 1]
        u = g.dense.x[dense_row(count, at, 2)] - g.x[ROWS * c + 2]
        change_forces(g, c, n, t, u)
        g.x[ROWS * c] += n
        g.x[ROWS * c + 1] += t
        g.x[ROWS * c + 2] += u
    update_links(g)
    return residual


def is_conic(p: ContactArrays) -> int:
    """Whether the normal force of every cone is that of its own row."""
    for c in range(p.cones):
        if p.given[c] != 0.0:
            return 0
    return 1


def pose_island(g: ContactGraph, k: int) -> None:
    """The contact problem of an island in dense arrays: normal rows first, then two rows for each cone."""
    p = g.dense
    count = g.first[k + 1] - g.first[k]
    p.n = ROWS * count
    p.normals = count
    p.cones = count
    for i in range(count):
        c = g.order[g.first[k] + i]
        p.first[i] = count + 2 * i
        p.count[i] = 2
        p.fixed[i] = 0
        p.mu[i] = g.mu[c]
        p.given[i] = g.given[c]
        p.mobility[i] = g.mobility[c]
        p.owner[i] = i
        for r in range(ROWS):
            row = dense_row(count, i, r)
            p.b[row] = g.b[ROWS * c + r]
    set_dense_forces(g, k)
    set_couplings(g, k)


def set_dense_forces(g: ContactGraph, k: int) -> None:
    count = g.first[k + 1] - g.first[k]
    for i in range(count):
        for r in range(ROWS):
            g.dense.x[dense_row(count, i, r)] = g.x[ROWS * g.order[g.first[k] + i] + r]


def dense_row(count: int, contact: int, row: int) -> int:
    return contact if row == 0 else count + 2 * contact + row - 1


def set_couplings(g: ContactGraph, k: int) -> None:
    """A of an island, column by column: motions due to unit forces."""
    p = g.dense
    count = g.first[k + 1] - g.first[k]
    for i in range(g.width * g.nodes):
        g.S[i] = g.s[i]
    for j in range(count):
        for q in range(ROWS):
            clear_speeds(g, k)
            change_forces(
                g, g.order[g.first[k] + j], 1.0 if q == 0 else 0.0, 1.0 if q == 1 else 0.0, 1.0 if q == 2 else 0.0
            )
            update_links(g)
            for i in range(count):
                c = g.order[g.first[k] + i]
                for r in range(ROWS):
                    motion = caused_motion(g, c, r)
                    if i == j and r == q:
                        motion += g.soft[c]
                    p.A[dense_row(count, i, r) * p.n + dense_row(count, j, q)] = motion
    for i in range(g.width * g.nodes):
        g.s[i] = g.S[i]
    start_links(g)


def clear_speeds(g: ContactGraph, k: int) -> None:
    for at in range(g.first_member[k], g.first_member[k + 1]):
        for j in range(g.width):
            g.s[g.members[at] * g.width + j] = 0.0
    start_links(g)
