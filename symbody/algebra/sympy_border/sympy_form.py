"""`SympyForm`: expressions in SymPy with their shared parts."""

from __future__ import annotations

from typing import Any, NamedTuple

import sympy


class SympyForm(NamedTuple):
    """Expressions in SymPy, as `sympy.cse` gives them: (symbol, value) in order of evaluation, then the result."""

    intermediates: list[tuple[sympy.Symbol, Any]]
    result: Any
