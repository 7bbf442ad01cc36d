"""The conditions that a state has to meet, as compiled functions of it, with the names of those that ask for them.

phi(q, t, p) = 0,   eᵀe - 1 = 0 for every set e of Euler parameters      positions
Jc u + b = 0                                                             speeds
h(q, u, z, r, t, p) = 0, where no rate z' stands in it                   additional equations
"""

from __future__ import annotations

from functools import cached_property
from typing import Any, Final, NamedTuple

import numpy as np

from ..algebra.derivatives import jacobian
from ..algebra.walk import free_symbols
from ..derive.equations import Equations
from ..emit.run.callable import Array, Compiled
from ..emit.run.dynamics import Dynamics

RANK: Final = 1e-7
"""A direction counts as constrained where its singular value exceeds this part of the largest, rows being scaled to length one. A
configuration found to rounding is exact to 1e-8 only where it is singular, so that nothing smaller could be told from zero."""


class DependentRow(NamedTuple):
    """A row that follows from others."""

    row: int
    others: tuple[int, ...]


class Rows:
    """Values and slopes of the conditions of some equations. Every function takes t, q, u, z, r, p."""

    def __init__(self, equations: Equations) -> None:
        self.equations = equations
        self.positions, self.speeds = equations.position_rows, equations.speed_rows
        rates = {z.dot for z in equations.z}
        self.additional = tuple(
            row for row in equations.additional_rows if not rates.intersection(free_symbols(row.expression))
        )

    def _called(self, f: Compiled, t: float, q: Array, u: Array, z: Array, r: Array, p: Array) -> Any:
        groups = {"t": t, "q": q, "u": u, "z": z, "r": r, "p": p}
        return f(*(groups[g.name] for g in f.program.inputs))

    # ------------------------------------------------------------------------------------------------ positions

    @cached_property
    def _position_function(self) -> Compiled:
        entries = [row.expression for row in self.positions]
        slopes = jacobian(entries, self.equations.q)
        return Dynamics(self.equations).function("positions", {"phi": entries, "slopes": slopes})

    def position(self, *state: Any) -> tuple[Array, Array]:
        """phi and the norms of Euler parameters, and their derivatives with respect to q."""
        if not self.positions:
            return np.zeros(0), np.zeros((0, len(self.equations.q)))
        phi, slopes = self._called(self._position_function, *state)
        return phi, slopes.reshape(len(phi), -1)

    # ------------------------------------------------------------------------------------------------ speeds

    @cached_property
    def _speed_function(self) -> Compiled:
        return Dynamics(self.equations).function("speeds", {"Jc": self.equations.Jc, "b": self.equations.b})

    def speed(self, *state: Any) -> tuple[Array, Array]:
        """Jc and b."""
        if not self.speeds:
            return np.zeros((0, len(self.equations.u))), np.zeros(0)
        Jc, b = self._called(self._speed_function, *state)
        return Jc.reshape(len(b), -1), b

    @cached_property
    def _rate_function(self) -> Compiled:
        return Dynamics(self.equations).function("rates", {"N": self.equations.N, "n": self.equations.n})

    def rate(self, *state: Any) -> tuple[Array, Array]:
        """N and n of q' = N u + n."""
        N, n = self._called(self._rate_function, *state)
        return N.reshape(len(n), -1), n

    # ------------------------------------------------------------------------------------------------ additional equations

    @cached_property
    def _additional_function(self) -> Compiled:
        entries = [row.expression for row in self.additional]
        slopes = jacobian(entries, self.equations.z)
        return Dynamics(self.equations).function("additional", {"h": entries, "slopes": slopes})

    def addition(self, *state: Any) -> tuple[Array, Array]:
        """Additional equations without rates, and their derivatives with respect to z."""
        if not self.additional:
            return np.zeros(0), np.zeros((0, len(self.equations.z)))
        h, slopes = self._called(self._additional_function, *state)
        return h, slopes.reshape(len(h), -1)


def rows_of(equations: Equations) -> Rows:
    """The conditions of these equations; each is compiled when it is first asked for, and kept as long as the equations are."""
    return equations.cached("rows", (), lambda: Rows(equations))


# ---------------------------------------------------------------------------------------------------------- dependence


def dependences(J: Array) -> tuple[DependentRow, ...]:
    """The rows of a matrix that follow from others, later rows before earlier ones; as many as its rank (by `RANK`) is short of them.

    The left null space has a vector for each dependence. Rows are redundant together where their part of it is regular; there they
    can be written as combinations of the others.
    """
    if not len(J):
        return ()
    U, s, _ = np.linalg.svd(J / sizes_of_rows(J)[:, None])
    rank = int(np.sum(s > RANK * max(s[0], 1e-300)))
    null = U[:, rank:]
    chosen = _independent_from_below(null)
    weights = np.linalg.solve(null[chosen].T, null.T).T if chosen else null
    return tuple(
        DependentRow(i, tuple(k for k in range(len(J)) if k not in chosen and abs(weights[k, j]) > 1e-6))
        for j, i in enumerate(chosen)
    )


def sizes_of_rows(J: Array) -> Array:
    """Scales that make rows comparable: their length; but a row that is nothing beside the largest stays so."""
    sizes = np.linalg.norm(J, axis=1)
    largest = np.max(sizes, initial=0.0)
    return np.where(sizes > 1e-9 * largest, sizes, largest or 1.0)


def _independent_from_below(vectors: Array) -> list[int]:
    """As many rows as there are columns, independent of each other, the last ones that are."""
    chosen: list[int] = []
    basis = np.zeros((0, vectors.shape[1]))
    for i in reversed(range(len(vectors))):
        rest = vectors[i] - basis.T @ (basis @ vectors[i])
        if len(chosen) < vectors.shape[1] and np.linalg.norm(rest) > 1e-5:
            chosen.append(i)
            basis = np.linalg.qr(vectors[chosen].T)[0].T
    return chosen
