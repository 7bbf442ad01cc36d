"""Implicit steps of members, as kernels: diagonally implicit Runge-Kutta stages by Newton's method, and their derivatives.

    k_i = f(t + c_i h, Y_i),   Y_i = y + h Σ_(j<i) a_ij k_j + h a_ii k_i,   y⁺ = y + h Σ b_i k_i

Once the stages are found, those of the variations are linear, with the same matrix (implicit functions):

    (1 - h a_ii J_i) dk_i = J_i (dy + h Σ_(j<i) a_ij dk_j) + ∂f/∂p dp,   J_i = ∂f/∂y at Y_i
"""

from __future__ import annotations

from typing import Final

from ...algebra.elimination.elimination import general_factor, general_solve
from ...emit.loops.kernel_language import Function, Indices, Mutable, Numbers, is_finite
from ...emit.loops.records import Struct
from ..kernels.march_records import DONE, NOT_CONVERGED, NOT_FINITE, UNSETTLED
from ..kernels.newton_convergence import at_rounding
from ..kernels.next_switching import SwitchingTimes, next_switching_time

MOST_NEWTON_STEPS: Final = 40
CONVERGED: Final = 1e-14  # Newton steps below this fraction of the rates end the iteration (`at_rounding`)
ROUNDING: Final = 1e-8


class ImplicitMembers(Struct):
    """Members `first` to `stop`: rows of starts and ends (n numbers of the state, then `columns` variations of it), of
    parameters (n_p), and of notes.

    length      of a substep; h, that of the step at work, which ends at switching times
    a, b, c     of a method with `stages`
    slopes      program of ∂f/∂(y, parameters), n rows of `width` numbers
    seed        of each column: the parameter that changes with it, -1: none
    k, K        rates of the stages; their variations, column after column
    """

    first: Mutable[int]
    stop: Mutable[int]
    n: int
    n_p: int
    columns: int
    width: int
    stages: int
    substeps: int
    length: float
    h: Mutable[float]
    switching: SwitchingTimes
    a: Numbers
    b: Numbers
    c: Numbers
    starts: Numbers
    given: Numbers
    ends: Numbers
    noted: Numbers
    p: Numbers
    seed: Indices
    rhs: Function
    slopes: Function
    settle: Function | None
    borders: Function | None
    y: Numbers
    Y: Numbers
    f: Numbers
    k: Numbers
    K: Numbers
    J: Numbers
    matrix: Numbers
    pivots: Indices
    step: Numbers
    note: Numbers


def step_implicit_members(m: ImplicitMembers) -> None:
    size = m.n * (1 + m.columns)
    for member in range(m.first, m.stop):
        start = m.starts[member * size :]
        for i in range(size):
            m.y[i] = start[i]
        given = m.given[member * m.n_p :]
        for i in range(m.n_p):
            m.p[i] = given[i]
        if m.borders is not None:
            m.borders((0.0, m.y), ())
        if m.switching.lines_at is not None:
            m.switching.lines_at((0.0, m.y), (m.switching.lines,))
        m.noted[member] = float(run_implicit_member(m, size))
        end = m.ends[member * size :]
        for i in range(size):
            end[i] = m.y[i]


def run_implicit_member(m: ImplicitMembers, size: int) -> int:
    for step in range(m.substeps):
        t = float(step) * m.length
        end = t + m.length
        if m.switching.count > 0:
            while t != end:
                stop = next_switching_time(m.switching, t, end)
                m.h = m.switching.before - t
                after = m.switching.after
                status = implicit_step(m, t, size)
                if status != DONE:
                    return status
                t = end if stop == end else after
        else:
            m.h = m.length
            status = implicit_step(m, t, size)
            if status != DONE:
                return status
    return DONE


def implicit_step(m: ImplicitMembers, t: float, size: int) -> int:
    """A step of length m.h from t."""
    for stage in range(m.stages):
        status = solve_stage(m, t, stage)
        if status != DONE:
            return status
        vary_stage(m, t, stage)
    advance(m)
    if m.settle is not None:
        m.settle((t + m.h, m.y), (m.Y, m.note))
        for i in range(size):
            m.y[i] = m.Y[i]
        if m.note[0] < 0.0:
            return UNSETTLED
    return DONE


def solve_stage(m: ImplicitMembers, t: float, stage: int) -> int:
    """The rates of a stage by Newton's method, from those of the stage before."""
    n = m.n
    k = m.k[stage * n :]
    if stage > 0:
        for i in range(n):
            k[i] = m.k[(stage - 1) * n + i]
    else:
        m.rhs((t, m.y), (k,))
    last = 1e300
    for _ in range(MOST_NEWTON_STEPS):
        at_stage(m, stage)
        m.rhs((t + m.c[stage] * m.h, m.Y), (m.f,))
        stage_matrix(m, t, stage)
        change = 0.0
        largest = 0.0
        for i in range(n):
            m.step[i] = m.f[i] - k[i]
        general_solve(n, m.matrix, m.pivots, m.step)
        for i in range(n):
            k[i] += m.step[i]
            change = max(change, abs(m.step[i]))
            largest = max(largest, abs(k[i]))
        if not is_finite(change + largest):
            return NOT_FINITE
        if at_rounding(change, last, CONVERGED * largest, ROUNDING * largest) == 1:
            return DONE
        last = change
    return NOT_CONVERGED


def at_stage(m: ImplicitMembers, stage: int) -> None:
    for i in range(m.n):
        total = 0.0
        for j in range(stage + 1):
            total += m.a[stage * m.stages + j] * m.k[j * m.n + i]
        m.Y[i] = m.y[i] + m.h * total


def stage_matrix(m: ImplicitMembers, t: float, stage: int) -> None:
    """1 - h a_ii J, factorised."""
    n = m.n
    m.slopes((t + m.c[stage] * m.h, m.Y), (m.J,))
    for i in range(n):
        for j in range(n):
            m.matrix[i * n + j] = -m.h * m.a[stage * m.stages + stage] * m.J[i * m.width + j]
        m.matrix[i * n + i] += 1.0
    general_factor(n, m.matrix, m.pivots)


def vary_stage(m: ImplicitMembers, t: float, stage: int) -> None:
    """Variations of the rates of a stage, at the state where it was found."""
    n = m.n
    if m.columns > 0:
        at_stage(m, stage)
        stage_matrix(m, t, stage)
    for column in range(m.columns):
        at = n * (1 + column)
        for i in range(n):
            total = 0.0
            for j in range(stage):
                total += m.a[stage * m.stages + j] * m.K[(j * m.columns + column) * n + i]
            m.step[i] = m.y[at + i] + m.h * total
        dk = m.K[(stage * m.columns + column) * n :]
        for i in range(n):
            total = 0.0
            if m.seed[column] >= 0:
                total = m.J[i * m.width + n + m.seed[column]]
            for j in range(n):
                total += m.J[i * m.width + j] * m.step[j]
            dk[i] = total
        general_solve(n, m.matrix, m.pivots, dk)


def advance(m: ImplicitMembers) -> None:
    n = m.n
    for stage in range(m.stages):
        for i in range(n):
            m.y[i] += m.h * m.b[stage] * m.k[stage * n + i]
        for column in range(m.columns):
            for i in range(n):
                m.y[n * (1 + column) + i] += m.h * m.b[stage] * m.K[(stage * m.columns + column) * n + i]
