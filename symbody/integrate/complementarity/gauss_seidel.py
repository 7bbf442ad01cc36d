"""Projected Gauss-Seidel for contacts with friction, as a kernel: each contact in turn gets the force that suits the
others (Jourdan, Alart, Jean 1998)."""

from __future__ import annotations

from typing import Final

from .contact_arrays import ContactArrays, contact_residual, normal_row_force, project_cone

MOST_SWEEPS: Final = 20000
STEADY: Final = 1e-14  # sweeps end where no force changes by more than this fraction of the largest


def solve_by_sweeps(p: ContactArrays) -> float:
    """Forces x from those that are there, by sweeps until none changes; the residual."""
    for _ in range(MOST_SWEEPS):
        sweep(p)
        if p.change <= STEADY * p.largest:
            break
    return contact_residual(p)


def sweep(p: ContactArrays) -> None:
    """New forces of all rows, one after another; `change`, `largest` and `miss` are of these."""
    change = 0.0
    largest = 0.0
    for i in range(p.normals):
        new = normal_row_force(p, i)
        p.miss[i] = p.x[i] - new
        change = max(change, abs(p.miss[i]))
        largest = max(largest, new)
        p.x[i] = new
    for c in range(p.cones):
        project_cone(p, c)
        for r in range(p.count[c]):
            i = p.first[c] + r
            p.miss[i] = p.x[i] - p.w[r]
            change = max(change, abs(p.miss[i]))
            largest = max(largest, abs(p.w[r]))
            p.x[i] = p.w[r]
    p.change = change
    p.largest = largest
