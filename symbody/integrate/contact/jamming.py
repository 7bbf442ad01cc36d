"""Jamming: friction under the force of a constraint that acts back on that force as much as the constraint itself.

With lam the multipliers in loads, M u' = f0 + (Jc + W)ᵀ lam, a unit of each adds X lam to them: X is what the
constraints answer to the forces W. Then (1 - X) lam is what there would be without friction, and

    det(1 - X) = det(Jc M⁻¹ (Jc + W)ᵀ) / det(Jc M⁻¹ Jcᵀ)

is one without friction and positive as long as forces follow from the state as they do without it. Where it reaches
zero they grow without bound; beyond there is no acceleration that satisfies the law, or several (Painlevé 1895).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ...algebra.graph.graph import ONE
from ...algebra.graph.walk import substitute_all
from ...derivation.equations.equations import Equations
from ...derivation.equations.own_terms import in_own_terms
from ...emit.run.callable import Array
from ...errors import in_number
from ..result.outcome import Ending, Outcome
from ..result.quantities import GROUPS, StateRows, StatesInRows, evaluated_quantities
from ..result.segment import Segment
from ..result.trajectory import Trajectory
from ..start.state import State

NEARLY_JAMMED: Final = 0.02  # det(1 - X) below which jamming is the reason why a motion cannot go on
CHUNK: Final = 2000  # number of states that are evaluated at a time
Solve = Callable[[Array, Array], Array]
RANK: Final = 1e-13  # eigenvalues below this fraction of the largest are rounding


def with_jamming_outcome(segment: Segment) -> Segment:
    """A motion with friction as a load: it ends where friction jams; a motion that begins beyond has a note."""
    eq = segment.equations
    if eq.augmented.W is None or not len(segment):
        return segment
    margin = margins(segment)
    beyond = np.flatnonzero(~(margin > 0))
    # where a load is not linear in multipliers, it has found a force of some sign that satisfies the law
    if eq.augmented.is_linear_in_multipliers and len(beyond) and beyond[0] > 0:
        return _segment_before(segment, int(beyond[0]))
    if not segment.outcome and margin[-1] < NEARLY_JAMMED:
        segment = replace(segment, outcome=jamming_outcome(eq, segment.outcome.t))
    if eq.augmented.is_linear_in_multipliers and len(beyond):
        segment = replace(segment, outcome=replace(segment.outcome, notes=(*segment.outcome.notes, _start_note(eq))))
    return segment


def _segment_before(segment: Segment, k: int) -> Segment:
    """The motion before its k-th state."""
    events = tuple(e for e in segment.events if e.t < segment.t[k])
    return replace(
        segment.taken(slice(k)), events=events, outcome=jamming_outcome(segment.equations, float(segment.t[k - 1]))
    )


def jammed_start(state: State) -> Trajectory | None:
    """A motion that has no acceleration at its start, because friction jams there; None if it does not."""
    if state.equations.augmented.W is None:
        return None
    if margins(Segment.of_state(state, Outcome(Ending.REACHED, state.t)))[0] > NEARLY_JAMMED:
        return None
    return Trajectory.of(Segment.of_state(state, jamming_outcome(state.equations, state.t)))


def jamming_outcome(eq: Equations, t: float) -> Outcome:
    return Outcome(
        Ending.JAMMED, t, f"friction acts back on {_force_names(eq)} as much as the constraints do (Painlevé); exact friction in `Contacts` "
        "has an impact without collision there",
    )  # fmt: skip


def _start_note(eq: Equations) -> str:
    return (
        f"friction acts back on {_force_names(eq)} by more than the constraints do: it jams (Painlevé), and no acceleration, or "
        "several, satisfy its law; exact friction in `Contacts` decides which"
    )


def _force_names(eq: Equations) -> str:
    return in_number([s.name for s in eq.augmented.multipliers_in_loads], "{}", "{}")


def is_jammed(states: StateRows) -> NDArray[np.bool_]:
    """Whether friction acts back on its normal forces by more than constraints do, in each state; not where a state has
    no numbers."""
    is_known = np.atleast_1d(np.isfinite(np.hstack([states.q, states.u, states.z])).all(axis=1))
    out = np.zeros(len(is_known), dtype=np.bool_)
    known = replace(states, **{g: getattr(states, g)[is_known] for g in GROUPS})
    out[is_known] = ~(margins(known) > 0.0)
    return out


def margins(states: StatesInRows) -> Array:
    """det(1 - X) in every state; where loads are not linear in multipliers, the least for forces of either sign."""
    eq = states.equations
    assert eq.augmented.W is not None
    signs = (ONE,) if eq.augmented.is_linear_in_multipliers else (ONE, -ONE)
    pushes = [substitute_all([eq.augmented.W], dict.fromkeys(eq.lam, s))[0] for s in signs]
    M, Jc, *W = evaluated_quantities(states, "jamming", (), lambda: in_own_terms(eq, [eq.M, eq.Jc, *pushes]))
    own = [eq.lam.index(s) for s in eq.augmented.multipliers_in_loads]
    solved = _regular_solution if eq.border is None else _least_norm_solution
    parts = [slice(at, at + CHUNK) for at in range(0, len(M), CHUNK)]
    found = [[_margin(M[rows], Jc[rows], w[rows], own, solved) for rows in parts] for w in W]
    return np.min([np.concatenate(f) if f else np.zeros(0) for f in found], axis=0)


def _margin(M: Array, Jc: Array, W: Array, own: list[int], solved: Solve) -> Array:
    """Coordinates are measured so that inertias are about one, and rows of the constraints so that they have length one:
    the determinant does not change, and what is rounding does not depend on units."""
    n, k = M.shape[-1], Jc.shape[-2]
    inertia = np.diagonal(M, axis1=1, axis2=2)
    d = 1 / np.sqrt(np.where(inertia > 0, inertia, 1.0))
    Jc, W = Jc * d[:, None, :], W * d[:, None, :]
    length = np.linalg.norm(Jc, axis=2, keepdims=True)
    scale = 1 / np.where(length > 0, length, 1.0)
    K = np.zeros((len(M), n + k, n + k))
    K[:, :n, :n], K[:, n:, :n] = M * d[:, :, None] * d[:, None, :], Jc * scale
    K[:, :n, n:] = np.swapaxes(K[:, n:, :n], 1, 2)
    right = np.zeros((len(M), n + k, len(own)))
    right[:, :n] = np.swapaxes((W * scale)[:, own], 1, 2)
    answers = -solved(K, right)[:, n:][:, own]
    return np.asarray(np.linalg.det(np.eye(len(own)) - answers))


def _regular_solution(K: Array, right: Array) -> Array:
    try:
        return np.asarray(np.linalg.solve(K, right))
    except np.linalg.LinAlgError:  # in one of the states
        return _least_norm_solution(K, right)


def _least_norm_solution(K: Array, right: Array) -> Array:
    """Solutions of least norm of symmetric systems, of which constraints that depend on each other leave some singular:
    K = Q Λ Qᵀ, without the parts where Λ is rounding."""
    values, Q = np.linalg.eigh(K)
    sizes = np.abs(values)
    is_regular = sizes > RANK * sizes.max(axis=1, keepdims=True)
    parts = np.swapaxes(Q, 1, 2) @ right
    return np.asarray(Q @ np.where(is_regular[..., None], parts / np.where(is_regular, values, 1.0)[..., None], 0.0))
