"""Newton's method for an orbit on a mesh: one call of machine code for each iteration.

Unknowns are values at the mesh, slopes at Gauss points, and two scalars, the period and what is varied; rows those of
the collocation, n that close the orbit, and two over the whole of it. Beside the change of the unknowns there is the
direction in which they move when the last of the rows is given up: the tangent of a branch of orbits.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from ....algebra.elimination.elimination import solve_columns
from ....emit.loops.kernel_language import Known, Mutable, Numbers
from ....emit.loops.records import Struct
from ....emit.run.callable import Array
from ....integrate.forms.compile_effort import Effort
from .chain import COLUMNS, ROWS, SCALARS, Chain, ChainSolver, back_substitute, reduce_chain
from .collocation import STAGES, Collocation, condense, gauss
from .damped_steps import damped_steps

LINEARISE: Final = 0
ITERATE: Final = 1
SUBSTITUTE: Final = 2
ASSEMBLE: Final = 3
APPLY: Final = 4


class NewtonRows(Struct):
    """An iteration, or another `task`.

    ends       rows that close the orbit, in δx_0, δx_N, δs, 1; the first `closing` of them are linear in x_0 and x_N
               alone
    scalars, right    of the rows over the whole orbit: their parts in period and varied value, and right sides
    value      what is varied; it is also p[place] where place is not negative
    sizes      of the states, for `note`: the size of the change
    small      rows in both ends and scalars, with two right sides
    ahead, slopes, s   the tangent: values, slopes, scalars
    """

    n: Known[int]
    m: Known[int]
    intervals: int
    closing: Mutable[int]
    place: int
    task: Mutable[int]
    collocation: Collocation
    chain: Chain
    ends: Numbers
    scalars: Numbers
    right: Numbers
    value: Numbers
    p: Numbers
    sizes: Numbers
    small: Numbers
    dK: Numbers
    ahead: Numbers
    slopes: Numbers
    s: Numbers
    note: Numbers


def run_task(o: NewtonRows) -> None:
    """One of the tasks: in one function, so that what they share is compiled once."""
    if o.task == LINEARISE:
        linearise(o)
    elif o.task == ITERATE:
        iterate(o)
    elif o.task == ASSEMBLE:
        linearise(o)
        assemble_rows(o)
    else:
        back_substitute(o.chain)
        slopes_of(o, o.dK)
        if o.task == APPLY:
            apply_change(o)


def linearise(o: NewtonRows) -> None:
    """The rows of an iteration, reduced to both ends and the scalars."""
    if o.place >= 0:
        o.p[o.place] = o.value[0]
    condense(o.collocation)
    last = COLUMNS - 1
    for r in range(ROWS):
        for k in range(SCALARS):
            o.chain.d[r * COLUMNS + k] = o.chain.d[r * COLUMNS + k] + o.scalars[r * SCALARS + k]
        now = o.scalars[r * SCALARS] * o.collocation.T[0] + o.scalars[r * SCALARS + 1] * o.value[0]
        o.chain.d[r * COLUMNS + last] = o.chain.d[r * COLUMNS + last] + now - o.right[r]
    reduce_chain(o.chain)
    n = o.n
    width = 2 * n + COLUMNS
    for i in range(o.closing):
        gap = 0.0
        for k in range(n):
            end = o.ends[i * width + n + k] * o.collocation.x[o.intervals * n + k]
            gap = gap + o.ends[i * width + k] * o.collocation.x[k] + end
        o.ends[i * width + width - 1] = gap


def iterate(o: NewtonRows) -> None:
    """Change the unknowns once; note[0] is by how much, note[1] the relative change of the period."""
    n = o.n
    linearise(o)
    assemble_rows(o)
    size = 2 * n + SCALARS
    solve_columns(2 * o.n + SCALARS, 2 * o.n + SCALARS + 2, o.small)
    width = size + 2
    for back in range(2):
        column = size + 1 - back  # the tangent first: what is left in the chain is the change
        for k in range(n):
            o.chain.x[k] = o.small[k * width + column]
            o.chain.x[o.intervals * n + k] = o.small[(n + k) * width + column]
        for k in range(SCALARS):
            o.chain.s[k] = o.small[(2 * n + k) * width + column]
        o.chain.s[SCALARS] = float(back)
        back_substitute(o.chain)
        slopes_of(o, o.dK)
        if back == 0:
            for i in range((o.intervals + 1) * n):
                o.ahead[i] = o.chain.x[i]
            for i in range(o.intervals * o.m * n):
                o.slopes[i] = o.dK[i]
            for k in range(SCALARS):
                o.s[k] = o.chain.s[k]
    apply_change(o)


def assemble_rows(o: NewtonRows) -> None:
    """Rows of the chain, those over the whole orbit, those of the ends; right sides of Newton's method and of the
    tangent."""
    n = o.n
    size = 2 * n + SCALARS
    width = size + 2
    long = 3 * n + COLUMNS
    for i in range(n + ROWS):
        source = i if i < n else n + i
        for k in range(n):
            o.small[i * width + k] = o.chain.work[source * long + 2 * n + k]
            o.small[i * width + n + k] = o.chain.work[source * long + k]
        for k in range(SCALARS):
            o.small[i * width + 2 * n + k] = o.chain.work[source * long + 3 * n + k]
        o.small[i * width + size] = -o.chain.work[source * long + 3 * n + SCALARS]
        o.small[i * width + size + 1] = 1.0 if i == n + ROWS - 1 else 0.0
    for i in range(n):
        row = (n + ROWS + i) * width
        for k in range(size):
            o.small[row + k] = o.ends[i * (size + 1) + k]
        o.small[row + size] = -o.ends[i * (size + 1) + size]
        o.small[row + size + 1] = 0.0


def slopes_of(o: NewtonRows, dK: Numbers) -> None:
    """δK of all intervals, from the changes in the chain."""
    n = o.n
    right = n + COLUMNS
    for j in range(o.intervals):
        for i in range(o.m * n):
            row = (j * o.m * n + i) * right
            total = 0.0
            for k in range(n):
                total = total + o.collocation.V[row + k] * o.chain.x[j * n + k]
            for k in range(COLUMNS):
                total = total + o.collocation.V[row + n + k] * o.chain.s[k]
            dK[j * o.m * n + i] = total


def apply_change(o: NewtonRows) -> None:
    n = o.n
    most = 0.0
    for j in range(o.intervals + 1):
        for k in range(n):
            o.collocation.x[j * n + k] = o.collocation.x[j * n + k] + o.chain.x[j * n + k]
            most = max(most, abs(o.chain.x[j * n + k]) / o.sizes[k])
    for i in range(o.intervals * o.m * n):
        o.collocation.K[i] = o.collocation.K[i] + o.dK[i]
    o.note[0] = most
    o.note[1] = abs(o.chain.s[0] / o.collocation.T[0])
    o.collocation.T[0] = o.collocation.T[0] + o.chain.s[0]
    o.value[0] = o.value[0] + o.chain.s[1]


class NewtonSolver:
    """Memory for orbits on N intervals, and the loops ready to run. `rates` is a callee (t, x) -> f, J, ft, fp, that
    reads p."""

    def __init__(self, n: int, intervals: int, rates: Any, p: Array, place: int | None, effort: Effort) -> None:
        m, right, size = STAGES, n + COLUMNS, 2 * n + SCALARS
        self.n, self.intervals, self.chain, self._effort = n, intervals, ChainSolver(n, intervals, effort), effort
        c, a, b, _ = gauss(m)
        self.times, self.T, self.value = np.zeros(intervals + 1), np.zeros(2), np.zeros(1)
        self.x, self.K = np.zeros((intervals + 1, n)), np.zeros((intervals, m, n))
        self.weights = np.zeros((ROWS, intervals, m, n))
        self.ends, self.scalars, self.right = np.zeros((n, size + 1)), np.zeros((ROWS, SCALARS)), np.zeros(ROWS)
        self.sizes, self.note, self._small = np.ones(n), np.zeros(2), np.zeros((size, size + 2))
        self.ahead, self.slopes, self.s, self._dK = self.x.copy(), self.K.copy(), np.zeros(SCALARS), self.K.copy()
        made = self.chain.record
        collocation = Collocation(
            n=n, m=m, intervals=intervals, c=tuple(c), a=tuple(a.reshape(-1)), b=tuple(b), times=self.times, T=self.T, x=self.x.reshape(-1),
            K=self.K.reshape(-1), weights=self.weights.reshape(-1), point=np.zeros(n), f=np.zeros(n), J=np.zeros(n * n), ft=np.zeros(n),
            fp=np.zeros(n), W=np.zeros(m * n * (m * n + right)), V=np.zeros(intervals * m * n * right), A=made.A, C=made.C, g=made.g, d=made.d,
            rates=rates,
        )  # fmt: skip
        self._record = NewtonRows(
            n=n, m=m, intervals=intervals, closing=0, place=-1 if place is None else place, collocation=collocation, chain=made,
            ends=self.ends.reshape(-1), scalars=self.scalars.reshape(-1), right=self.right, value=self.value, p=p, sizes=self.sizes,
            small=self._small.reshape(-1), dK=self._dK.reshape(-1), ahead=self.ahead.reshape(-1), slopes=self.slopes.reshape(-1), s=self.s,
            note=self.note,
        )  # fmt: skip
        self._performed = effort.loop(run_task, o=self._record)

    def close(self, rows: Array, closing: int) -> None:
        """Rows of the ends; the first `closing` are linear in both ends."""
        self.ends[:] = rows
        self._record.closing = closing

    def iterate(self) -> tuple[float, float]:
        """One iteration: by how much the states changed, and the period, in parts of their sizes."""
        self._perform(ITERATE)
        return float(self.note[0]), float(self.note[1])

    def iterate_damped(self) -> tuple[float, float]:
        """The same with a damped step, for orbits that are not isolated (`damped_steps.py`)."""
        self._perform(ASSEMBLE)
        n, size = self.n, len(self._small)
        sizes = np.concatenate([self.sizes, self.sizes, [abs(self.T[0]), max(abs(self.value[0]), 1.0)]])
        found = damped_steps(self._small[:, :size], self._small[:, size:], sizes)
        ends, tangent = ((v[:n], v[n : 2 * n], v[2 * n :]) for v in found.T)
        self.ahead[:], self.slopes[:] = self.direction(tangent[0], tangent[1], np.append(tangent[2], 0.0))
        self.s[:] = tangent[2]
        self.chain.x[0], self.chain.x[-1], self.chain.s[:] = ends[0], ends[1], np.append(ends[2], 1.0)
        self._perform(APPLY)
        return float(self.note[0]), float(self.note[1])

    def linearise(self) -> None:
        """The chain at what x, K and T hold, with nothing changed."""
        self._perform(LINEARISE)

    def _perform(self, task: int) -> None:
        self._record.task = task
        self._effort.run(self._performed)

    def direction(self, first: Array, last: Array, s: Array) -> tuple[Array, Array]:
        """Changes of values and slopes with those of the ends and scalars."""
        chain = self.chain
        chain.x[0], chain.x[-1], chain.s[:] = first, last, s
        self._perform(SUBSTITUTE)
        return chain.x.copy(), self._dK.copy()
