"""Stages of explicit Runge-Kutta methods (Hairer, Nørsett, Wanner I, II.1), on plain arrays: the one text of the step,
run and printed by everything that steps.

    w_i = y + h Σ_{j<i} a_ij k_j,   k_i = f(t + c_i h, w_i),   y⁺ = w_s

A and C are those of a `Tableau`: row i of A is a_i, row s is b, and `width` is the length of its rows. Stage i of k
begins at k[i n].
"""

from __future__ import annotations

from ...emit.loops.kernel_language import Function, Numbers, unrolled


def stage_state(n: int, width: int, number: int, h: float, A: Numbers, k: Numbers, y: Numbers, w: Numbers) -> None:
    """w_i of stage i = `number`, from the k before it; of number s, the end of the step."""
    for i in range(n):
        x = 0.0
        for j in unrolled(number):
            x = x + A[number * width + j] * k[j * n + i]
        w[i] = y[i] + h * x


def fixed_step(
    n: int, stages: int, t: float, h: float, table: Numbers, y: Numbers, w: Numbers, k: Numbers, d: Numbers, rhs: Function
) -> None:  # fmt: skip
    """y after one step h from time t.

    table   the step of a `Tableau` as books print it, row after row: c_i, a_i0, a_i1, ...; in the last row 1, b_0, b_1, ...
    w, d    memory for n numbers each; k, for `stages` times n
    rhs     rhs((t, y), (d,)): the rates d of a state
    """
    for number in unrolled(stages):
        stage_state(n, stages + 1, number, h, table[1:], k, y, w)
        rhs((t + table[number * (stages + 1)] * h, w), (d,))
        for i in range(n):
            k[number * n + i] = d[i]
    stage_state(n, stages + 1, stages, h, table[1:], k, y, w)
    for i in range(n):
        y[i] = w[i]
