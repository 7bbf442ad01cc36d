"""Whole motions in steps of one length, as kernels: Runge-Kutta and semi-implicit steps, projection, and every k-th
state or its outputs.

States stay in registers: loops over variables are written out, and the rates of the state stand in one place.
"""

from __future__ import annotations

from typing import Final

from ...emit.loops.kernel_language import Function, Kernel, Known, Mutable, Numbers, is_finite, unrolled
from ...emit.loops.records import Struct
from ..kernels.march_records import DONE, NOT_FINITE, UNSETTLED
from ..kernels.next_switching import SwitchingTimes, next_switching_time
from ..kernels.tableaux import CLASSICAL_4, MIDPOINT, Tableau


class FixedSteps(Struct):
    """A motion of `steps` steps h from time t.

    take      one step, by a kernel of (steps, t, h)
    C, B      tables of a method of which each stage uses the one before it alone: where the next stage is, and weights
    y         the state; start, total, d, w, note   scratch memory
    every     how many steps there are from one sample to the next; `distance` of samples in `samples`
    rates     q' alone, for semi-implicit steps
    settle    brings a state back to the constraints; absent if there are none
    switching   times at which steps are divided
    sample    what is stored instead of the state; absent if it is the state
    """

    n: Known[int]
    n_q: Known[int]
    stages: Known[int]
    C: Known[Numbers]
    B: Known[Numbers]
    take: Known[Kernel]
    steps: int
    every: int
    distance: int
    t: Mutable[float]
    h: float
    y: Numbers
    start: Numbers
    total: Numbers
    d: Numbers
    w: Numbers
    note: Numbers
    samples: Numbers
    rhs: Known[Function]
    rates: Known[Function | None]
    settle: Known[Function | None]
    switching: SwitchingTimes
    sample: Known[Function | None]


def fixed_steps(s: FixedSteps) -> int:
    """All steps: DONE, or why they end before. `s.t` is the time reached."""
    begin = s.t
    row = 0
    left = s.every
    if s.switching.lines_at is not None:
        s.switching.lines_at((s.t, s.y), (s.switching.lines,))
    for step in range(s.steps):
        t = begin + float(step) * s.h
        s.t = begin + float(step + 1) * s.h
        if s.switching.count > 0:
            while t != s.t:
                stop = next_switching_time(s.switching, t, s.t)
                s.take(s, t, s.switching.before - t)
                t = s.t if stop == s.t else s.switching.after
        else:
            s.take(s, t, s.h)
        if s.settle is not None:
            s.settle((s.t, s.y), (s.w, s.note))
            for i in unrolled(s.n):
                s.y[i] = s.w[i]
            if s.note[0] < 0.0:
                return UNSETTLED
        left -= 1
        if left == 0:
            store_sample(s, s.samples[row * s.distance :])
            row += 1
            left = s.every
    status = DONE
    for i in unrolled(s.n):
        if not is_finite(s.y[i]):
            status = NOT_FINITE
    return status


def store_sample(s: FixedSteps, place: Numbers) -> None:
    if s.sample is not None:
        s.sample((s.t, s.y), (place,))
    else:
        for i in unrolled(s.n):
            place[i] = s.y[i]


# ---------------------------------------------------------------------------------------------------------- steps


def runge_kutta(s: FixedSteps, t: float, h: float) -> None:
    """A step of an explicit method whose stages need no other than the one before: k_i = f(y + h c_i k_(i-1)), y + h Σ
    b_i k_i."""
    for i in unrolled(s.n):
        s.start[i] = s.y[i]
        s.total[i] = s.y[i]
    for stage in range(s.stages):
        s.rhs((t + s.C[stage] * h, s.y), (s.d,))
        weight = s.B[stage] * h
        ahead = s.C[stage + 1] * h
        for i in unrolled(s.n):
            s.total[i] = s.total[i] + weight * s.d[i]
            s.y[i] = s.start[i] + ahead * s.d[i]
    for i in unrolled(s.n):
        s.y[i] = s.total[i]


def semi_implicit(s: FixedSteps, t: float, h: float) -> None:
    """Speeds first, then positions with the new speeds (symplectic Euler): u + h u'(t, q, u), q + h q'(q, u)."""
    s.rhs((t, s.y), (s.d,))
    for i in unrolled(s.n_q, s.n):
        s.y[i] = s.y[i] + h * s.d[i]
    if s.rates is not None:
        s.rates((t, s.y), (s.d,))
    for i in unrolled(s.n_q):
        s.y[i] = s.y[i] + h * s.d[i]


class FixedMethod:
    """A method by its kernel and tables, and its order."""

    def __init__(self, order: int, take: Kernel, C: tuple[float, ...] = (0.0,), B: tuple[float, ...] = (0.0,)) -> None:
        self.order, self.take, self.C, self.B = order, take, C, B
        self.needs_rates = take is semi_implicit

    @classmethod
    def of(cls, tableau: Tableau) -> FixedMethod:
        """A method each stage of which uses the one before it alone: its step needs three states of memory instead of one
        for each stage, which registers do not hold, and one place for the rates."""
        stages, weights = tableau.stages, tableau.rows[tableau.stages - 1]
        assert all(set(row) <= {i} for i, row in enumerate(tableau.rows[: stages - 1])), tableau.name
        return cls(
            tableau.order,
            runge_kutta,
            (*tableau.C[:stages], 0.0),
            tuple(float(weights.get(j, 0)) for j in range(stages)),
        )


FIXED_METHODS: Final = {
    "rk4": FixedMethod.of(CLASSICAL_4),
    "midpoint": FixedMethod.of(MIDPOINT),
    "semi-implicit": FixedMethod(1, semi_implicit),
}
