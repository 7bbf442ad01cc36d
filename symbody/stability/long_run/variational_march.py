"""A motion with its variational equations by a fixed step and repeated orthogonalisation, as a loop in machine code.

    x' = f(t, x),   V' = (∂f/∂x) V,   d' = tr ∂f/∂x

After a fixed number of steps V = Q R; V continues as Q, and the diagonal of R is recorded (Benettin, Galgani,
Giorgilli, Strelcyn 1980).
"""

from __future__ import annotations

from math import sqrt

import numpy as np

from ...emit.loops.kernel_language import Function, Known, Numbers
from ...emit.loops.records import Struct
from ...emit.run.callable import Array
from ...emit.run.loop_callee import LoopCallee
from ...integrate.kernels.stages import fixed_step
from ...integrate.kernels.tableaux import DORMAND_PRINCE_8
from ..periodic.problem.orbit_flow import OrbitFlow


class VariationalRates(Struct):
    """Rates of n states and m directions.

    f, J, ft, fp   what `rates` gives: f and its derivatives by state, time and parameter
    """

    n: Known[int]
    m: Known[int]
    f: Numbers
    J: Numbers
    ft: Numbers
    fp: Numbers
    rates: Function


def variational_rates(t: float, y: Numbers, dy: Numbers, o: VariationalRates) -> None:
    """Rates of the state, of the directions, and the divergence."""
    n = o.n
    o.rates((t, y), (o.f, o.J, o.ft, o.fp))
    trace = 0.0
    for q in range(n):
        dy[q] = o.f[q]
        trace = trace + o.J[q * n + q]
    for column in range(o.m):
        at = n * (column + 1)
        for q in range(n):
            value = 0.0
            for l in range(n):
                value = value + o.J[q * n + l] * y[at + l]
            dy[at + q] = value
    dy[n * (o.m + 1)] = trace


class VariationalSteps(Struct):
    """A motion with directions.

    n, m         states, directions; `size` of y
    rounds       times that directions are made orthogonal; `steps` before each
    table        of the method
    clock        time, and the length of a step
    y            the state, the directions one after another, and the integral of the divergence
    k, w, d      memory for a step
    growth       the diagonal of R, a row for each round; `divergence` its integral over each round
    """

    n: Known[int]
    m: Known[int]
    size: Known[int]
    stages: Known[int]
    rounds: int
    steps: int
    table: Known[Numbers]
    clock: Numbers
    y: Numbers
    k: Numbers
    w: Numbers
    d: Numbers
    growth: Numbers
    divergence: Numbers
    rhs: Function


def variational_rounds(o: VariationalSteps) -> None:
    """All rounds."""
    h = o.clock[1]
    for row in range(o.rounds):
        o.y[o.size - 1] = 0.0
        for _step in range(o.steps):
            fixed_step(o.size, o.stages, o.clock[0], h, o.table, o.y, o.w, o.k, o.d, o.rhs)
            o.clock[0] = o.clock[0] + h
        o.divergence[row] = o.y[o.size - 1]
        orthogonalise(o, row)


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
        flow.effort.improve()  # its steps are many
        size = n * (m + 1) + 1
        self._clock, self._y = np.zeros(2), np.zeros(size)
        self.growth, self.divergence, self._m = np.zeros((rounds, m)), np.zeros(rounds), m
        rates = VariationalRates(
            n=n, m=m, f=np.zeros(n), J=np.zeros(n * n), ft=np.zeros(n), fp=np.zeros(n), rates=flow.callee(p)
        )
        rhs = LoopCallee(variational_rates, {}, ("dy",), o=rates)
        record = VariationalSteps(
            n=n, m=m, size=size, stages=table.stages, rounds=rounds, steps=steps, table=table.butcher, clock=self._clock,
            y=self._y, k=np.zeros(table.stages * size), w=np.zeros(size), d=np.zeros(size), growth=self.growth.reshape(-1),
            divergence=self.divergence, rhs=rhs,
        )  # fmt: skip
        self._loop, self._n = LoopCallee(variational_rounds, {}, o=record), n

    def run(self, t: float, h: float, x: Array, V: Array) -> tuple[Array, Array]:
        """From a time on with steps h; the state and the directions at the end. What grew is in `growth` and
        `divergence`."""
        self._clock[:] = t, h
        self._y[: self._n], self._y[self._n : -1] = x, V.T.reshape(-1)
        self._loop.run()
        return self._y[: self._n].copy(), self._y[self._n : -1].reshape(self._m, self._n).T.copy()
