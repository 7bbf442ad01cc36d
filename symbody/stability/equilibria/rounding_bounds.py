"""Rounding bounds of rows and their derivatives: evaluated node by node at first, compiled after many evaluations."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, Final

import numpy as np

from ...algebra.calculus.rounding import rounding, rounding_expressions
from ...algebra.graph.graph import Expr, Node, Symbol, symbol
from ...algebra.graph.walk import evaluation_order
from ...emit.lowering.lower import program
from ...emit.run.callable import Array, compile_program

COMPILED_FROM: Final = 20  # number of evaluations node by node that cost about as much as compiling


class RoundingBounds:
    """(w, sizes, p) -> rounding bound of each expression, with w rounded relative to sizes."""

    def __init__(self, expressions: Sequence[Expr], unknowns: Sequence[Symbol], parameters: Sequence[Symbol]) -> None:
        self.expressions, self.unknowns, self.parameters = list(expressions), list(unknowns), list(parameters)
        self.asked = 0

    def __call__(self, w: Array, sizes: Array, p: Array) -> Array:
        self.asked += 1
        if self.asked > COMPILED_FROM and self._compiled_bounds is not None:
            found = np.atleast_1d(self._compiled_bounds(w, sizes, p))
            if np.isfinite(found).all():
                return np.asarray(found)
        values = dict(zip((*self.unknowns, *self.parameters), map(float, (*w, *p)), strict=True))
        beside = dict(zip(self.unknowns, map(float, sizes), strict=True))
        return np.array(rounding(self.expressions, values, beside, self._order))

    @cached_property
    def _order(self) -> list[Node]:
        return evaluation_order(self.expressions)

    @cached_property
    def _compiled_bounds(self) -> Any:
        sizes = [symbol(f"steady_size_{k}") for k in range(len(self.unknowns))]
        bounds = rounding_expressions(self.expressions, dict(zip(self.unknowns, sizes, strict=True)))
        if bounds is None or not bounds:
            return None
        groups = {"w": self.unknowns, "sizes": sizes, "p": self.parameters}
        return compile_program(program("steady_rounding", groups, {"e": bounds}, as_written=True), is_quick=True)
