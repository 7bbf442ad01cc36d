"""A Moreau-Jean step in reverse mode, as kernels: the gradient of a cost with respect to the state before the step from that
with respect to the state after it.

With ȳ the gradient after the step and r = ū⁺, the derivatives of the branch (`step_variations.py`) are taken from the left:

    ζ = B⁻ᵀ Xᵀ r,   b = -Cᵀ ζ,   c = wᵀ ζ,   s = r + Gᵀ b,   a = Eᵀ s

    ȳ at the midpoint = s by the speeds, and ∂/∂θ (-aᵀ F + bᵀ V + cᵀ μN + h z̄ᵀ z') of one program

so that one solve with one right side takes the place of all columns. θ is the state with inputs and parameters behind it.
"""

from __future__ import annotations

from math import sqrt

from ...emit.loops.kernel_language import Function, Numbers
from ...emit.loops.records import Struct
from .moreau_impulses import come_to_rest, evaluate_midpoint, product, solve_impulses
from .moreau_records import MoreauStep, StepVariations
from .moreau_step import advance_positions, change_speeds, normalize_rotations
from .step_variations import add_multiple, keep_midpoint, set_branch_responses, set_central_responses


class StepPullback(Struct):
    """Memory of a step in reverse mode; θ has `width` numbers.

    bar          gradient with respect to θ: after the step, then before it
    rates        program of ∂/∂θ of bar · q'
    point        program of ∂/∂θ at the midpoint, of a, b, c and h z̄
    start, half  θ before the step and half a step on, where rotations are not normalised; `late`, `end` the same for the second
                 half
    kept         midpoint and impulses; its Z, W and limits_to are ζ, b and c by active rows
    push         s; `by_row` b and `by_cone` c of the mechanism; `drift` h z̄
    out          what a program gave
    """

    width: int
    bar: Numbers
    rates: Function | None
    point: Function
    start: Numbers
    half: Numbers
    late: Numbers
    end: Numbers
    kept: StepVariations
    push: Numbers
    by_row: Numbers
    by_cone: Numbers
    drift: Numbers
    out: Numbers


def pull_step(s: MoreauStep, g: StepPullback, t: float) -> float:
    """A step from t forwards and back: the residual of its impulses; `bar` is that before the step, the state that after it."""
    residual = step_with_parts(s, g, t)
    pull_rotations(s, g.end, g.bar)
    pull_rates(s, g, t + s.h, g.late)
    pull_speeds(s, g, t + 0.5 * s.h)
    pull_rotations(s, g.half, g.bar)
    pull_rates(s, g, t, g.start)
    return residual


def step_with_parts(s: MoreauStep, g: StepPullback, t: float) -> float:
    """The step, with what its gradient needs."""
    copy_numbers(g.width, s.y, g.start)
    advance_positions(s, t)
    copy_numbers(g.width, s.y, g.half)
    normalize_rotations(s)
    evaluate_midpoint(s, t)
    residual = solve_impulses(s)
    copy_numbers(g.width, s.y, g.kept.y)
    keep_midpoint(s, g.kept)
    come_to_rest(s)
    change_speeds(s)
    copy_numbers(g.width, s.y, g.late)
    for i in range(s.n_u):
        g.kept.after[i] = s.y[s.n_q + i]
    advance_positions(s, t + s.h)
    copy_numbers(g.width, s.y, g.end)
    normalize_rotations(s)
    return residual


def pull_rates(s: MoreauStep, g: StepPullback, t: float, y: Numbers) -> None:
    """q + h/2 q'(θ)."""
    if g.rates is not None:
        g.rates((t, y, g.bar), (g.out,))
        add_multiple(g.width, 0.5 * s.h, g.out, g.bar)


def pull_speeds(s: MoreauStep, g: StepPullback, middle: float) -> None:
    """Speeds after the step, and variables, of what is at its midpoint."""
    first = s.n_q + s.n_u
    pull_impulses(s, g)
    for i in range(s.n - first):
        g.drift[i] = s.h * g.bar[first + i]
    v = g.kept
    g.point((middle, v.y, s.h, v.impulses, v.part, v.static, v.after, g.push, g.by_row, g.by_cone, g.drift), (g.out,))
    for i in range(s.n_u):
        g.bar[s.n_q + i] = g.push[i]
    add_multiple(g.width, 1.0, g.out, g.bar)


def pull_impulses(s: MoreauStep, g: StepPullback) -> None:
    """b, c and s from the speeds of `bar`."""
    p = s.problem
    b = s.branches
    v = g.kept
    speeds = g.bar[s.n_q :]
    for i in range(p.n):
        b.row[i] = i
        b.column[i] = i
        v.D[i] = product(s.X[s.row[i] * s.n_u :], speeds, s.n_u)
    if s.softened is not None:
        set_central_responses(p, b, v, 1)
    else:
        set_branch_responses(p, b, v, 1)
    spread_responses(s, g)


def spread_responses(s: MoreauStep, g: StepPullback) -> None:
    """From active rows and cones to those of the mechanism."""
    p = s.problem
    for k in range(s.rows):
        g.by_row[k] = 0.0
    for c in range(s.cones):
        g.by_cone[c] = 0.0
    for i in range(s.n_u):
        g.push[i] = g.bar[s.n_q + i]
    for i in range(p.n):
        g.by_row[s.row[i]] = g.kept.W[i]
        add_multiple(s.n_u, g.kept.W[i], s.G[s.row[i] * s.n_u :], g.push)
    for c in range(p.cones):
        g.by_cone[s.cone[c]] = g.kept.limits_to[c]


def pull_rotations(s: MoreauStep, y: Numbers, bar: Numbers) -> None:
    """Euler parameters e / |e|, with e before they were normalised: (1 - ê êᵀ) ē / |e|."""
    for e in range(s.rotations):
        places = s.turns[4 * e :]
        square = 0.0
        along = 0.0
        for i in range(4):
            square += y[places[i]] * y[places[i]]
            along += y[places[i]] * bar[places[i]]
        for i in range(4):
            bar[places[i]] = (bar[places[i]] - along / square * y[places[i]]) / sqrt(square)


def copy_numbers(n: int, a: Numbers, out: Numbers) -> None:
    for i in range(n):
        out[i] = a[i]
