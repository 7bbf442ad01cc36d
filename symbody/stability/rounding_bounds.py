"""Bounds of rounding errors of rows and slopes: node by node at first, compiled where they are asked for often."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import chain
from typing import Any, Final

import numpy as np

from ..algebra.graph import Expr, Symbol
from ..algebra.rounding import rounding, rounding_expressions
from ..emit.program.lower import program
from ..emit.run.callable import Array, compile_program

OFTEN: Final = 4  # a compiled function costs about as much as so many evaluations node by node


class RoundingBounds:
    """(w, p) -> for each expression, a bound of the error of its value."""

    def __init__(self, expressions: Sequence[Expr], groups: Mapping[str, Sequence[Symbol]]) -> None:
        self.expressions, self.groups = list(expressions), {k: list(v) for k, v in groups.items()}
        self.asked = 0

    def __call__(self, w: Array, p: Array) -> Array:
        self.asked += 1
        if self.asked > OFTEN and self._compiled is not None:
            found = np.atleast_1d(self._compiled(w, p))
            if np.isfinite(found).all():
                return np.asarray(found)
        values = dict(zip(chain(*self.groups.values()), map(float, (*w, *p)), strict=True))
        return np.array(rounding(self.expressions, values))

    @cached_property
    def _compiled(self) -> Any:
        bounds = rounding_expressions(self.expressions)
        if bounds is None or not bounds:
            return None
        return compile_program(program("steady_rounding", self.groups, {"e": bounds}))
