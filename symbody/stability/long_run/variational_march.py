"""Steps of a motion with its variational equations, and orthogonal directions kept apart, as a loop in machine code.

    x' = f(t, x),   V' = (∂f/∂x) V,   d' = tr ∂f/∂x

by an explicit Runge-Kutta method with a fixed step. After so many steps V = Q R; V goes on as Q, and the diagonal of R
is noted (Benettin, Galgani, Giorgilli, Strelcyn 1980).
"""

from __future__ import annotations

from math import sqrt
from typing import Final

import numpy as np

from ...emit.loops.language import Function, Known, Numbers
from ...emit.loops.records import Struct
from ...emit.run.callable import Array
from ...emit.run.loop_callee import LoopCallee
from ...integrate.kernels.tableaux import DORMAND_PRINCE_8
from ..periodic.orbit_flow import OrbitFlow

STAGES: Final = DORMAND_PRINCE_8.stages


class VariationalSteps(Struct):
    """A motion with directions.

    n, m         states, directions
    rounds       times that directions are made orthogonal; `steps` before each
    A, c         coefficients of the stages, the last row that of the step itself
    clock        time, and the length of a step
    y            the state, the directions one after another, and the integral of the divergence
    k, w         stages, and the state of one
    growth       the diagonal of R, a row for each round; `divergence` its integral over each round
    """

    n: Known[int]
    m: Known[int]
    stages: Known[int]
    rounds: int
    steps: int
    A: Known[Numbers]
    c: Known[Numbers]
    clock: Numbers
    y: Numbers
    k: Numbers
    w: Numbers
    f: Numbers
    J: Numbers
    ft: Numbers
    fp: Numbers
    growth: Numbers
    divergence: Numbers
    rates: Function


def march(o: VariationalSteps) -> None:
    """All rounds."""
    size = o.n * (o.m + 1) + 1
    for row in range(o.rounds):
        o.y[size - 1] = 0.0
        for _step in range(o.steps):
            step(o)
        o.divergence[row] = o.y[size - 1]
        orthogonalise(o, row)


def step(o: VariationalSteps) -> None:
    """One step of the method."""
    size = o.n * (o.m + 1) + 1
    h = o.clock[1]
    for i in range(o.stages + 1):
        for l in range(size):
            value = 0.0
            for j in range(i):
                value = value + o.A[i * o.stages + j] * o.k[j * size + l]
            o.w[l] = o.y[l] + h * value
        if i < o.stages:
            derivative(o, i, o.clock[0] + o.c[i] * h)
    for l in range(size):
        o.y[l] = o.w[l]
    o.clock[0] = o.clock[0] + h


def derivative(o: VariationalSteps, i: int, t: float) -> None:
    """A stage: rates of the state, of the directions, and the divergence."""
    n = o.n
    size = n * (o.m + 1) + 1
    o.rates((t, o.w), (o.f, o.J, o.ft, o.fp))
    trace = 0.0
    for q in range(n):
        o.k[i * size + q] = o.f[q]
        trace = trace + o.J[q * n + q]
    for column in range(o.m):
        at = n * (column + 1)
        for q in range(n):
            value = 0.0
            for l in range(n):
                value = value + o.J[q * n + l] * o.w[at + l]
            o.k[i * size + at + q] = value
    o.k[i * size + size - 1] = trace


def orthogonalise(o: VariationalSteps, row: int) -> None:
    """V = Q R by Gram and Schmidt, twice, which is orthogonal to rounding; the lengths are noted."""
    n = o.n
    for column in range(o.m):
        at = n * (column + 1)
        for _again in range(2):
            for other in range(column):
                inner = 0.0
                for q in range(n):
                    inner = inner + o.y[n * (other + 1) + q] * o.y[at + q]
                for q in range(n):
                    o.y[at + q] = o.y[at + q] - inner * o.y[n * (other + 1) + q]
        length = 0.0
        for q in range(n):
            length = length + o.y[at + q] * o.y[at + q]
        length = sqrt(length)
        o.growth[row * o.m + column] = length
        for q in range(n):
            o.y[at + q] = o.y[at + q] / length


class VariationalMarch:
    """Memory for a motion of a flow with m directions, and the loop ready to run."""

    def __init__(self, flow: OrbitFlow, p: Array, m: int, rounds: int, steps: int) -> None:
        n, table = flow.n, DORMAND_PRINCE_8
        size = n * (m + 1) + 1
        rows = [{}, *table.a[:STAGES]]
        A = tuple(float(row.get(j, 0)) for row in rows for j in range(STAGES))
        self._clock, self._y = np.zeros(2), np.zeros(size)
        self.growth, self.divergence, self._m = np.zeros((rounds, m)), np.zeros(rounds), m
        record = VariationalSteps(
            n=n, m=m, stages=STAGES, rounds=rounds, steps=steps, A=A, c=tuple(map(float, (0.0, *table.c[: STAGES - 1]))), clock=self._clock, y=self._y,
            k=np.zeros(STAGES * size), w=np.zeros(size), f=np.zeros(n), J=np.zeros(n * n), ft=np.zeros(n), fp=np.zeros(n),
            growth=self.growth.reshape(-1), divergence=self.divergence, rates=flow.callee(p),
        )  # fmt: skip
        self._loop, self._n = LoopCallee(march, {}, o=record), n

    def run(self, t: float, h: float, x: Array, V: Array) -> tuple[Array, Array]:
        """From a time on with steps h; the state and the directions at the end. What grew is in `growth` and
        `divergence`."""
        self._clock[:] = t, h
        self._y[: self._n], self._y[self._n : -1] = x, V.T.reshape(-1)
        self._loop.run()
        return self._y[: self._n].copy(), self._y[self._n : -1].reshape(self._m, self._n).T.copy()
