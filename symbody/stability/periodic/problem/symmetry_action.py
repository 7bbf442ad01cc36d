"""The action of symmetries on states, as of a mechanism that is rotated about the vertical.

    x ↦ S_α x = exp(Σ α_i Y_i) x,   the state at 1 of  x' = Σ α_i Y_i(x)  from x,   with its derivative

An orbit closes up to such an action: S_α x(T) = x(0). So do gaits on a circle, and pendulums whose swing precesses.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any, Final

import numpy as np

from ....algebra.calculus.derivatives import jacobian
from ....algebra.graph.graph import Expr, Symbol
from ....algebra.graph.walk import free_symbols
from ....emit.lowering.lower import program
from ....emit.run.callable import Array, compile_program
from ....integrate.kernels.tableaux import DORMAND_PRINCE_8

STEPS_PER_RADIAN: Final = 16  # number of integration steps for a displacement by one radian
CONVERGENCE_TOLERANCE: Final = 1e-14  # change of α that counts as converged
MAX_ITERATIONS: Final = 30  # largest number of Gauss-Newton iterations
ACCEPTED_DISTANCE: Final = 1e-3  # distance, relative to the sizes of states, at which the first start is accepted
MAX_SYMMETRIES: Final = 3  # largest number of symmetries for which all combinations of starts are tried
# starts of α in radians; Euler parameters return after two full rotations
STARTS: Final = np.linspace(-2 * np.pi, 2 * np.pi, 33)


class SymmetryAction:
    """States moved along some vector fields, for equations with numbers p."""

    def __init__(self, fields: Sequence[Sequence[Expr]], x: Sequence[Symbol], groups: dict[str, Any]) -> None:
        self.count, self.n = len(fields), len(x)
        entries = [e for field in fields for e in field]
        slopes = jacobian(entries, x)
        self.is_affine = set(x).isdisjoint(free_symbols(slopes))
        self._program = compile_program(program("symmetry_fields", groups, {"Y": entries, "DY": slopes}))

    def fields(self, x: Array, p: Array) -> tuple[Array, Array]:
        """Directions along the symmetries at a state, and their slopes."""
        Y, DY = self._program(0.0, x, p)
        return np.reshape(Y, (self.count, self.n)), np.reshape(DY, (self.count, self.n, self.n))

    def moved(self, x: Array, alpha: Array, p: Array) -> tuple[Array, Array]:
        """A state moved by α along the symmetries, and the derivative of that."""
        steps = int(np.ceil(STEPS_PER_RADIAN * float(np.abs(alpha).sum()))) if np.any(alpha) else 0
        y = np.column_stack([x, np.eye(self.n)])
        for _ in range(steps):
            y = self._step(y, alpha / steps, p)
        return y[:, 0].copy(), y[:, 1:].copy()

    def all_moved(self, x: Array, alpha: Array, p: Array) -> Array:
        """States in rows, moved."""
        if not self.is_affine:
            return np.array([self.moved(row, alpha, p)[0] for row in x])
        first, D = self.moved(x[0], alpha, p)
        return np.asarray(first + (x - x[0]) @ D.T)

    def _step(self, y: Array, alpha: Array, p: Array) -> Array:
        k: list[Array] = []
        table = DORMAND_PRINCE_8
        for row in ({}, *table.rows[: table.stages]):
            at = y + sum((float(a) * k[j] for j, a in row.items()), start=np.zeros_like(y))
            if len(k) == table.stages:
                return at
            Y, DY = self.fields(at[:, 0], p)
            k.append(np.column_stack([alpha @ Y, np.tensordot(alpha, DY, 1) @ at[:, 1:]]))
        return y

    def nearest(self, x: Array, to: Array, p: Array, sizes: Array, near: Array | None = None) -> Array:
        """α by which x is moved as near as possible to another state; `near` one that is known, if there is one."""
        first = self._refined_displacement(x, np.zeros(self.count) if near is None else near, to, p, sizes)
        if near is not None or self._off(x, first, to, p, sizes) <= ACCEPTED_DISTANCE:
            return first
        few = STARTS if self.count == 1 else STARTS[::8]  # a large turn: one start may lead elsewhere
        starts = [np.array(a) for a in product(few, repeat=self.count)] if self.count <= MAX_SYMMETRIES else []
        best = sorted(starts, key=lambda a: self._off(x, a, to, p, sizes))[:2]
        found = [first, *(self._refined_displacement(x, a, to, p, sizes) for a in best)]
        return min(found, key=lambda a: self._off(x, a, to, p, sizes))

    def _off(self, x: Array, alpha: Array, to: Array, p: Array, sizes: Array) -> float:
        return float(np.linalg.norm((self.moved(x, alpha, p)[0] - to) / sizes))

    def _refined_displacement(self, x: Array, alpha: Array, to: Array, p: Array, sizes: Array) -> Array:
        for _ in range(MAX_ITERATIONS):
            there = self.moved(x, alpha, p)[0]
            Y = self.fields(there, p)[0]
            change = np.linalg.lstsq((Y / sizes).T, (there - to) / sizes, rcond=1e-9)[0]
            alpha = alpha - change
            if float(np.abs(change).max()) <= CONVERGENCE_TOLERANCE:
                break
        return np.asarray(alpha)
