"""The start of a varied motion on constraints: what is held while one value changes, and what follows.

    phi_q δq + phi_x = 0,    Jc δu + ∂(Jc u + b)/∂q δq + ∂(Jc u + b)/∂x = 0

with δ = 1 of the value that is varied and δ = 0 of those that are held; the others follow. Held are the independent
coordinates and speeds, chosen as `linearize` chooses them; with "nearest", nothing is: the change is the shortest in
the metric of M.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import numpy as np

from ...algebra.calculus.derivatives import jacobian
from ...algebra.graph.graph import Symbol
from ...algebra.graph.matrix import Matrix
from ...derivation.equations.equations import Equations
from ...derivation.rank.row_space import dependent_columns
from ...emit.run.callable import Array, Compiled
from ...errors import SimulationError, listed
from .forms import Form

NEAREST: Final = "nearest"


@dataclass(frozen=True, eq=False)
class VariedStart:
    """Columns ∂(q, u, z)/∂x at the start, for each x of `wrt`; `held` are to be independent beside it."""

    form: Form
    wrt: tuple[Symbol, ...]
    held: frozenset[Symbol]

    @cached_property
    def _program(self) -> Compiled:
        eq = self.form.equations
        phi = Matrix(len(eq.rows.positions), 1, tuple(r.expression for r in eq.rows.positions))
        psi = Matrix(len(eq.lam), 1, tuple(r.expression for r in eq.rows.speeds))
        parts = {"phi_q": jacobian(phi, eq.q), "phi_x": jacobian(phi, self.wrt), "Jc": eq.Jc, "psi_q": jacobian(psi, eq.q),
                 "psi_x": jacobian(psi, self.wrt)}  # fmt: skip
        return self.form.compiled("varied_start", {k: m for k, m in parts.items() if m.entries})

    def columns(self, t: float, y: Array, p: Array) -> Array:
        """One row for each x."""
        eq, out = self.form.equations, []
        numbers = self._numbers(t, y, p) if eq.rows.positions or eq.lam else {}
        for k, x in enumerate(self.wrt):
            dq, dependent = self._follow(eq.q, x, numbers.get("phi_q"), _column(numbers.get("phi_x"), k, x, eq), ())
            rest = _column(numbers.get("psi_x"), k, x, eq)
            if "psi_q" in numbers:
                rest = rest + numbers["psi_q"].reshape(-1, len(eq.q)) @ dq
            du, _ = self._follow(eq.u, x, numbers.get("Jc"), rest, dependent)
            dz = [float(z is x) for z in self.form.y[len(eq.q) + len(eq.u) :]]
            out.append(np.concatenate([dq, du, dz]))
        return np.array(out)

    def higher_column(self, t: float, y: Array, p: Array, rests: Callable[[Array], tuple[Array, Array]]) -> Array:
        """A column of higher order, zero if it is independent; `rests` are the derivatives of the constraints of
        positions and of speeds to that order, with a tentative column."""
        eq, column, numbers = self.form.equations, np.zeros(self.form.n), self._numbers(t, y, p)
        n, m = len(eq.q), len(eq.q) + len(eq.u)
        column[:n], dependent = self._follow(eq.q, eq.t, numbers.get("phi_q"), rests(column)[0], ())
        column[n:m], _ = self._follow(eq.u, eq.t, numbers.get("Jc"), rests(column)[1], dependent)
        return column

    def _numbers(self, t: float, y: Array, p: Array) -> dict[str, Any]:
        names = [o.name for o in self._program.program.outputs]
        found = self._program(t, y, p)
        return dict(zip(names, found if len(names) > 1 else [found], strict=True))

    def _follow(
        self, symbols: Sequence[Symbol], x: Symbol, slopes: Any, rest: Array, paired: Sequence[int]
    ) -> tuple[Array, list[int]]:
        """δ of a group, of which some follow from the rows: slopes δ + rest = 0; and which these are."""
        change = np.array([float(s is x) for s in symbols])
        if slopes is None:
            return change, []
        J = slopes.reshape(-1, len(symbols))
        wanted = {j for j, s in enumerate(symbols) if s is x or s in self.held}
        dependent = dependent_columns(J, self._order(symbols, wanted, paired), wanted)
        if lost := [symbols[j].name for j in dependent if symbols[j] is x or (symbols[j] in self.held)]:
            free = [s.name for j, s in enumerate(symbols) if j not in dependent]
            raise SimulationError(
                f"sensitivities of {self.form.equations.name!r} to {x.name}: the constraints determine {listed(lost)} at the start; "
                f"independent there are {listed(free)}"
            )
        change[dependent] = np.linalg.lstsq(J[:, dependent], -(J @ change + rest), rcond=1e-10)[0]
        return change, dependent

    def _order(self, symbols: Sequence[Symbol], wanted: set[int], paired: Sequence[int]) -> list[int]:
        """Candidates for what follows: rates of coordinates that do, then later ones before earlier, last rates of
        coordinates that are held, and what is to be independent."""
        eq = self.form.equations
        rates = [eq.u.index(eq.q[j].dot) for j in paired if eq.q[j].dot in eq.u]
        soft = {j for j, s in enumerate(symbols) if any(s is h.dot for h in self.held)}
        groups = [rates, range(len(symbols))]
        free = [j for group in groups for j in sorted(group, reverse=True) if j not in wanted and j not in soft]
        return list(dict.fromkeys([*free, *sorted(soft - wanted, reverse=True), *sorted(wanted, reverse=True)]))


def _column(slopes: Any, k: int, x: Symbol, eq: Equations) -> Array:
    """∂rows/∂x for a parameter; zero for what is part of the state, whose own column says it."""
    if slopes is None:
        return np.zeros(1)
    found: Array = slopes[:, k] if slopes.ndim > 1 else np.atleast_1d(slopes)
    return np.zeros_like(found) if x in eq.state else found
