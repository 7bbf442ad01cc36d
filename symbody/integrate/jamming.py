"""Jamming: friction under the force of a constraint that acts back on that force as much as the constraint itself.

With lam the multipliers in loads, M u' = f0 + (Jc + W)ᵀ lam, a unit of each adds X lam to them: X is what the
constraints answer to the forces W. Then (1 - X) lam is what there would be without friction, and

    det(1 - X) = det(Jc M⁻¹ (Jc + W)ᵀ) / det(Jc M⁻¹ Jcᵀ)

is one without friction and positive as long as forces follow from the state as they do without it. Where it reaches
zero they grow without bound; beyond there is no acceleration that satisfies the law, or several (Painlevé 1895).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np

from ..algebra.graph import ONE
from ..algebra.matrix import Matrix
from ..algebra.walk import substitute_all
from ..derive.equations import Equations
from ..emit.run.callable import Array
from ..emit.run.dynamics import Dynamics
from ..errors import in_number
from .outcome import Ending, Outcome
from .segment import Segment
from .state import State
from .trajectory import Trajectory

NEAR: Final = 0.02  # of what there is without friction: where a motion cannot go on, less than this is the reason
CHUNK: Final = 2000  # states at a time
RANK: Final = 1e-15  # of the largest eigenvalue: those below it are rounding


def told_where_it_jams(segment: Segment) -> Segment:
    """A motion with friction as a load: it ends where that jams; where it begins beyond, a note says so."""
    eq = segment.equations
    if eq.W is None or not len(segment):
        return segment
    margin = margins(segment)
    if not segment.outcome and margin[-1] < NEAR:
        return replace(segment, outcome=jammed(eq, segment.outcome.t))
    if (
        not eq.is_linear_in_multipliers
    ):  # the sign of a force is not stored, and it has found one that satisfies the law
        return segment
    if margin[0] <= 0:
        return replace(segment, outcome=replace(segment.outcome, notes=(*segment.outcome.notes, _begins(eq))))
    beyond = np.flatnonzero(~(margin > 0))
    return _until(segment, int(beyond[0])) if len(beyond) else segment


def _until(segment: Segment, k: int) -> Segment:
    """The motion before its k-th state."""
    events = tuple(e for e in segment.events if e.t < segment.t[k])
    return replace(segment.taken(slice(k)), events=events, outcome=jammed(segment.equations, float(segment.t[k - 1])))


def jammed_start(state: State) -> Trajectory | None:
    """A motion that has no acceleration at its start, because friction jams there; None where it does not."""
    if state.equations.W is None:
        return None
    if margins(Segment.of_state(state, Outcome(Ending.REACHED, state.t)))[0] > NEAR:
        return None
    return Trajectory.of(Segment.of_state(state, jammed(state.equations, state.t)))


def jammed(eq: Equations, t: float) -> Outcome:
    return Outcome(
        Ending.JAMMED, t, f"friction acts back on {_forces(eq)} as much as the constraints do (Painlevé); exact friction in `Contacts` "
        "has an impact without collision there",
    )  # fmt: skip


def _begins(eq: Equations) -> str:
    return (
        f"friction acts back on {_forces(eq)} by more than the constraints do: it jams (Painlevé), and no acceleration, or "
        "several, satisfy its law; exact friction in `Contacts` says which"
    )


def _forces(eq: Equations) -> str:
    return in_number([s.name for s in eq.multipliers_in_loads], "{}", "{}")


def margins(segment: Segment) -> Array:
    """det(1 - X) at every time; where loads are not linear in multipliers, the least for forces of either sign."""
    eq = segment.equations
    assert eq.W is not None
    signs = (ONE,) if eq.is_linear_in_multipliers else (ONE, -ONE)
    pushes = [substitute_all([eq.W], dict.fromkeys(eq.lam, s))[0] for s in signs]
    M, Jc, *W = _values(segment, [eq.M, eq.Jc, *pushes])
    own = [eq.lam.index(s) for s in eq.multipliers_in_loads]
    return np.min([_margin(M, Jc, w, own) for w in W], axis=0)


def _values(segment: Segment, wanted: list[Matrix]) -> list[Array]:
    """Matrices in all states of a motion."""
    eq, s = segment.equations, segment
    outputs = {f"out{i}": m for i, m in enumerate(wanted)}
    f = eq.cached("jamming", tuple(wanted), lambda: Dynamics(eq).function("jamming", outputs))
    q, u, z = np.split(s.y, [len(eq.q), len(eq.q) + len(eq.u)], axis=1)
    groups = {"t": s.t, "q": q, "u": u, "z": z, "p": s.p, "r": s.r}
    found = f.batch(*(groups[g.name] for g in f.program.inputs))
    return [np.reshape(x, (len(s.t), *m.shape)) for x, m in zip(found, wanted, strict=True)]


def _margin(M: Array, Jc: Array, W: Array, own: list[int]) -> Array:
    n, k, parts = M.shape[-1], Jc.shape[-2], []
    for at in range(0, len(M), CHUNK):
        rows = slice(at, at + CHUNK)
        m = len(M[rows])
        K = np.zeros((m, n + k, n + k))
        K[:, :n, :n], K[:, n:, :n] = M[rows], Jc[rows]
        K[:, :n, n:] = np.swapaxes(Jc[rows], 1, 2)
        right = np.zeros((m, n + k, len(own)))
        right[:, :n] = np.swapaxes(W[rows][:, own], 1, 2)
        answers = -_solved(K, right)[:, n:][:, own]
        parts.append(np.linalg.det(np.eye(len(own)) - answers))
    return np.concatenate(parts)


def _solved(K: Array, right: Array) -> Array:
    """Solutions of least norm of symmetric systems, of which constraints that depend on each other leave some singular:
    K = Q Λ Qᵀ, without the parts where Λ is rounding."""
    values, Q = np.linalg.eigh(K)
    sizes = np.abs(values)
    is_regular = sizes > RANK * sizes.max(axis=1, keepdims=True)
    parts = np.swapaxes(Q, 1, 2) @ right
    return np.asarray(Q @ np.where(is_regular[..., None], parts / np.where(is_regular, values, 1.0)[..., None], 0.0))
