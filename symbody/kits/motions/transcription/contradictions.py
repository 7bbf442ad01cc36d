"""Which statements of a problem contradict each other, where its solver found no feasible point, and which depend on each
other, where it cannot compute a step.

At the point z where it ended, constraints are linearised and relaxed,

    minimise Σ s⁺ + s⁻   subject to   l <= g(z) + ∂g/∂z d + s⁺ - s⁻ <= u,   lower <= z + d <= upper

If the sum is positive, the multipliers combine rows and bounds into an inequality that no d satisfies (lemma of Farkas):
those with a multiplier contradict each other, the others have no part in it.

Equations depend on each other if a combination of their gradients is zero: left singular vectors of ∂g/∂z over unknowns
that are free, with a singular value of zero.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import scipy  # loads its parts when they are used
from scipy.sparse import eye_array, hstack, vstack

from ....errors import listed
from .node_functions import Array
from .sparse_program import SparseProgram
from .transcription import PhaseMesh, Transcription

SMALL: Final = 1e-6  # a multiplier, beside those of the rows that are violated, which are one
SECONDS: Final = 10.0
MOST_ROWS: Final = 3000  # of which a singular value decomposition takes seconds
DEPENDENT: Final = 1e-10  # a singular value, relative to the largest, that is zero
WEIGHT: Final = 1e-3  # of a row in a combination of unit length, below which it has no part in it
TIME: Final = "begins when "  # rows of the times of phases that follow each other, as all phases do
MOTION: Final = "equations of motion"  # which every contradiction contains


def contradictory_statements(made: Transcription, z: Array) -> list[str]:
    """The statements that contradict each other near z, by phase; none if they do not, or if the
    linear problem is not solved.
    Equations of motion are part of every contradiction."""
    rows, bounds = _multipliers(made.program, z)
    return _by_phase(made, rows, bounds)


def dependent_statements(made: Transcription, z: Array) -> list[str]:
    """Equations that depend on each other at z, by phase."""
    p = made.program
    equal, free = np.flatnonzero(p.row_low == p.row_high), np.flatnonzero(p.low < p.high)
    if not 0 < len(equal) <= MOST_ROWS:
        return []
    J = p.jacobian_pattern.matrix(p.first(z).jacobian)[equal][:, free].toarray()
    J /= np.maximum(np.abs(J).max(axis=1, keepdims=True), 1e-300)
    left, sizes, _ = np.linalg.svd(J, full_matrices=len(equal) > len(free))
    none = left[:, np.append(sizes, np.zeros(left.shape[1] - len(sizes))) < DEPENDENT * sizes[0]]
    rows = np.zeros(p.linear.shape[0])
    rows[equal] = np.abs(none).max(axis=1, initial=0.0)
    rows[rows < WEIGHT] = 0.0
    return _by_phase(made, rows, np.zeros(made.n))


def falling_directions(made: Transcription) -> list[str]:
    """Names of variables along which the cost of a linear problem falls for ever while all statements go on to hold; none
    in problems with curvature, whose search may still be unbounded.

        minimise ∂c/∂z d   subject to   0 <= A d where rows have a lower end, A d <= 0 where they have an upper end
    """
    p = made.program
    if len(p.hessian_pattern.rows):
        return []
    now, rows = p.first(made.guess), (np.isfinite(p.row_low), np.isfinite(p.row_high))
    A = p.jacobian_pattern.matrix(now.jacobian)
    bounds = np.column_stack([np.where(np.isfinite(p.low), 0.0, -1.0), np.where(np.isfinite(p.high), 0.0, 1.0)])
    sides = vstack([-A[rows[0]], A[rows[1]]])
    found = scipy.optimize.linprog(
        now.gradient, sides, np.zeros(sides.shape[0]), bounds=bounds, options={"time_limit": SECONDS}
    )
    if not found.success or found.fun > -SMALL:
        return []
    return [name for name, at in made.places.items() if np.abs(found.x[at]).max() > SMALL]


def _by_phase(made: Transcription, rows: Array, bounds: Array) -> list[str]:
    """Statements with multipliers, in the words of a message."""
    out = []
    for name, mesh in made.meshes.items():
        told = [*_of_rows(made, mesh, rows), *_of_bounds(mesh, bounds)]
        if abs(bounds[made.duration[name]]) > SMALL:
            told.append("duration")
        if told:
            out.append(f"phase {name!r}: {'; '.join(told)}")
    return out + [f"the range of {s.name}" for s, k in made.parameter.items() if abs(bounds[k]) > SMALL]


def _of_rows(made: Transcription, mesh: PhaseMesh, rows: Array) -> list[str]:
    """Rows that a user stated, those that weigh most first."""
    own = f"{mesh.phase.where}: "
    hidden = {
        MOTION,
        *(name for name, _ in mesh.phase.form.rows),
        *(f"{n} at the start" for n, _ in mesh.phase.form.start_rows),
    }
    found = [
        (-float(np.abs(rows[g.rows]).max(initial=0.0)), g.name.removeprefix(own))
        for g in made.program.groups
        if g.name.startswith(own)
    ]
    told = [name for size, name in sorted(found) if -size > SMALL and name not in hidden]
    return [name for name in told if not name.startswith(TIME)]


def _of_bounds(mesh: PhaseMesh, bounds: Array) -> list[str]:
    """Values at the ends, and bounds on the way, in one item each."""
    last, p = len(mesh.at) - 1, mesh.phase
    parts: dict[str, list[str]] = {"start": [], "end": [], "bounds": []}
    for s, j in mesh.place.items():
        pressed = np.flatnonzero(np.abs(bounds[mesh.index[:, j]]) > SMALL)
        for at, node in (("start", 0), ("end", last)):
            if node in pressed and s in p.ranges[at]:
                parts[at].append(s.name)
        if ((pressed > 0) & (pressed < last)).any():
            parts["bounds"].append(s.name)
    return [f"{at} ({listed(names)})" for at, names in parts.items() if names]


def _multipliers(p: SparseProgram, z: Array) -> tuple[Array, Array]:
    """Of rows and bounds in the relaxed linear problem; zeros if it is not solved."""
    now, (m, n) = p.first(z), p.linear.shape
    both = hstack([p.jacobian_pattern.matrix(now.jacobian), eye_array(m), -eye_array(m)]).tocsr()
    equal = p.row_low == p.row_high
    above, below = (~equal & np.isfinite(r) for r in (p.row_high, p.row_low))
    inequalities: dict[str, Any] = {}
    if above.any() or below.any():
        right = np.concatenate([(p.row_high - now.rows)[above], (now.rows - p.row_low)[below]])
        inequalities = {"A_ub": vstack([both[above], -both[below]]), "b_ub": right}
    found = scipy.optimize.linprog(
        np.concatenate([np.zeros(n), np.ones(2 * m)]),
        A_eq=both[equal], b_eq=(p.row_low - now.rows)[equal], **inequalities,
        bounds=np.vstack([np.column_stack([p.low - z, p.high - z]), np.tile([0.0, np.inf], (2 * m, 1))]),
        method="highs", options={"time_limit": SECONDS},
    )  # fmt: skip
    rows, bounds = np.zeros(m), np.zeros(n)
    if found.status != 0:
        return rows, bounds
    rows[equal] = found.eqlin.marginals
    if inequalities:
        k = int(above.sum())
        rows[above] += found.ineqlin.marginals[:k]
        rows[below] -= found.ineqlin.marginals[k:]
    bounds += found.lower.marginals[:n] + found.upper.marginals[:n]
    return rows, bounds
