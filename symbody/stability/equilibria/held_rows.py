"""Rows with one more unknown, from compiled rows in which it is a parameter: a branch is followed with the machine code of
the steady motion that it begins with, where that code takes long to make."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from ...algebra.calculus.derivatives import jacobian
from ...algebra.graph.graph import Expr, Symbol
from ...algebra.graph.matrix import Matrix
from ...algebra.graph.walk import free_symbols, substitute_all
from ...emit.run.callable import Array
from .rounding_bounds import RoundingBounds

if TYPE_CHECKING:
    from .steady_problem import SteadyProblem


class HeldRows:
    """(w and v, p) -> F and [∂F/∂w, ∂F/∂v], of the problem `held`, F(w, p and v).

    name     what v is called in the held problem
    column   ∂F/∂v
    """

    def __init__(self, held: SteadyProblem, name: Symbol, freed: Symbol, column: list[Expr]) -> None:
        self.held, self.name, self.freed, self.column = held, name, freed, column
        self._place = held.parameters.index(name)
        self._by = held.slopes_by((name,))

    @classmethod
    def of(cls, held: SteadyProblem, whole: SteadyProblem) -> HeldRows | None:
        """The rows of `whole`; None where those of the other problem are short, not compiled, or others."""
        if not held.is_compiled or held.unknowns != whole.unknowns[:-1] or held.tabulated_rounding is None:
            return None
        freed, more = whole.unknowns[-1], [s for s in held.parameters if s not in whole.parameters]
        if len(more) != 1 or tuple(s for s in held.parameters if s is not more[0]) != whole.parameters:
            return None
        (name,) = more
        if [*substitute_all(held.expressions, {name: freed})] != whole.expressions:
            return None
        return cls(held, name, freed, list(jacobian(whole.expressions, (freed,)).entries))

    def __call__(self, w: Array, p: Array) -> tuple[Array, Array]:
        at = w[:-1], np.insert(p, self._place, w[-1])
        F, J = self.held.rows_and_slopes(*at)
        return F, np.hstack([J, self._by(*at)])

    def buffers(self) -> None:
        """Nothing to prepare: the held problem makes its machine code when it is first called."""

    @cached_property
    def slope_matrix(self) -> Matrix:
        """∂F/∂(w, v) as expressions."""
        J = self.held.slope_matrix
        if self.name is not self.freed and self.name in free_symbols(J):
            (J,) = substitute_all([J], {self.name: self.freed})
        return Matrix(J.rows, J.cols + 1, tuple(e for i, e in enumerate(self.column) for e in (*J.row(i), e)))

    def rounding(self, output: int, w: Array, sizes: Array, p: Array) -> Array:
        """Bounds of the rows (0) or of their slopes (1)."""
        values, beside = (np.insert(p, self._place, x[-1]) for x in (w, sizes))
        assert self.held.tabulated_rounding is not None
        bounds = self.held.tabulated_rounding.bounds((w[:-1], values), (sizes[:-1], beside))[output]
        if output == 0:
            return bounds
        return np.hstack([bounds.reshape(self.held.shape), self._column_rounding(w, sizes, p)[:, None]])

    @cached_property
    def _column_rounding(self) -> RoundingBounds:
        others = tuple(s for s in self.held.parameters if s is not self.name)
        return RoundingBounds(self.column, (*self.held.unknowns, self.freed), others)
