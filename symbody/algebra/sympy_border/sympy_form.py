"""`SympyForm`: expressions in SymPy with their shared parts."""

from __future__ import annotations

from typing import Any, NamedTuple

import sympy


class SympyForm(NamedTuple):
    """Expressions in SymPy, as `sympy.cse` gives them: (symbol, value) in order of evaluation, then the result.

    >>> x = sb.symbol("x")
    >>> form = sb.to_sympy(sb.sin(x + 1) * sb.exp(x + 1))
    >>> form.intermediates, form.result
    ([(z1, x + 1)], exp(z1)*sin(z1))

    See also: `to_sympy`.
    """

    intermediates: list[tuple[sympy.Symbol, Any]]
    result: Any
