"""The Moreau-Jean step, as a kernel, with its derivatives.

    q_m = q + h/2 q'(u),   w = u + h u'(q_m, u),   u⁺ = w + M⁻¹ Hᵀ Λ,   q⁺ = q_m + h/2 q'(u⁺)

Λ are the impulses of the contacts that are closed at the midpoint and of the frictions, with Newton's law of restitution
(Moreau 1988, Jean 1999). Motions (`time_stepping.py`) and steppers take this step; both judge its residual.

Euler parameters are normalised at the midpoint too: bodies are rigid there, and contacts of one body that stick do not
contradict each other.
"""

from __future__ import annotations

from math import sqrt

from ...emit.loops.kernel_language import is_finite
from ..complementarity.semismooth_newton import TOLERANCE
from ..kernels.march_records import DONE, NOT_CONVERGED, NOT_FINITE
from ..kernels.next_switching import SwitchingTimes, next_switching_time
from .moreau_impulses import come_to_rest, evaluate_midpoint, solve_impulses
from .moreau_records import MoreauStep, StepVariations
from .step_variations import (
    chain_variations,
    keep_midpoint,
    vary_first_half,
    vary_length,
    vary_rotations,
    vary_second_half,
    vary_speeds,
)


def moreau_step(s: MoreauStep, v: StepVariations, t: float, after: float) -> float:
    """A step from t; the residual of its impulses. Derivatives go with each part of it; `after` is the time from the
    beginning of inputs that are linear to the midpoint."""
    vary_first_half(s, v, t)
    advance_positions(s, t)
    vary_length(s, v)
    vary_rotations(s, v)
    normalize_rotations(s)
    evaluate_midpoint(s, t)
    residual = solve_impulses(s)
    keep_midpoint(s, v)
    come_to_rest(s)
    change_speeds(s)
    vary_speeds(s, v, t + 0.5 * s.h)
    vary_second_half(s, v, t + s.h)
    advance_positions(s, t + s.h)
    vary_length(s, v)
    vary_rotations(s, v)
    normalize_rotations(s)
    chain_variations(s, v, after)
    return residual


def next_part(s: MoreauStep, w: SwitchingTimes, t: float, end: float, length: float) -> float:
    """Let the next `moreau_step` end at the next switching time before the `end` of a step of some length. The time at which
    what follows it begins."""
    if w.count > 0:
        stop = next_switching_time(w, t, end)
        s.h = w.before - t
        return end if stop == end else w.after
    s.h = length
    return end


def step_status(s: MoreauStep, residual: float) -> int:
    """DONE, NOT_FINITE, or NOT_CONVERGED if the residual is not that of a solution."""
    if is_state_finite(s) == 0:
        return NOT_FINITE
    return DONE if residual <= max(TOLERANCE, 100.0 * s.problem.precision) else NOT_CONVERGED


def forget(s: MoreauStep) -> None:
    """Begin without impulses of a step before; frictions stick."""
    for i in range(s.rows):
        s.before[i] = 0.0
    for c in range(s.cones):
        s.held[c] = 1


def advance_positions(s: MoreauStep, t: float) -> None:
    """q + h/2 q'(u), half a step on."""
    if s.rates is not None:
        s.rates((t, s.y), (s.qdot,))
        for i in range(s.n_q):
            s.y[i] += 0.5 * s.h * s.qdot[i]


def change_speeds(s: MoreauStep) -> None:
    p = s.problem
    for i in range(s.n_u):
        s.y[s.n_q + i] += s.free[i]
    for i in range(s.rows):
        s.before[i] = 0.0
    for j in range(p.n):
        k = s.row[j]
        impulse = p.x[j] + s.viscous[j]
        s.before[k] = p.x[j]
        for i in range(s.n_u):
            s.y[s.n_q + i] += s.X[k * s.n_u + i] * impulse


def normalize_rotations(s: MoreauStep) -> None:
    for e in range(s.rotations):
        square = 0.0
        for i in range(4):
            square += s.y[s.turns[4 * e + i]] * s.y[s.turns[4 * e + i]]
        size = sqrt(square)
        for i in range(4):
            s.y[s.turns[4 * e + i]] /= size


def is_state_finite(s: MoreauStep) -> int:
    found = 1
    for i in range(s.n):
        if not is_finite(s.y[i]):
            found = 0
    return found
