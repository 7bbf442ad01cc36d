"""NumPy's functions called with expressions: operators are left to the expression, all others are refused with the
function to use instead."""

from __future__ import annotations

from typing import Any, Final

from ...errors import ExpressionError, shown

_OPERATORS: Final = {  # NumPy's function, and the methods of the left and of the right operand
    "add": ("__add__", "__radd__"), "subtract": ("__sub__", "__rsub__"), "multiply": ("__mul__", "__rmul__"),
    "divide": ("__truediv__", "__rtruediv__"), "power": ("__pow__", "__rpow__"), "matmul": ("__matmul__", "__rmatmul__"),
    "less": ("__lt__", "__gt__"), "less_equal": ("__le__", "__ge__"), "greater": ("__gt__", "__lt__"), "greater_equal": ("__ge__", "__le__"),
    "equal": ("__eq__", "__eq__"), "not_equal": ("__ne__", "__ne__"),
}  # fmt: skip
_INSTEAD: Final = {
    **{f: f"symbody.{f}" for f in "sqrt exp log sin cos tan sinh cosh tanh sign maximum minimum".split()},
    **{f"arc{f}": f"symbody.a{f}" for f in "sin cos tan tan2".split()},
    "absolute": "abs", "fabs": "abs", "negative": "-", "square": "** 2", "cbrt": "** fraction(1, 3)", "reciprocal": "1 / ...",
}  # fmt: skip


def array_ufunc(self: Any, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
    """For `__array_ufunc__` of a class whose operators take numbers of NumPy: `np.float64(2) * q` is
    `q.__rmul__(2.0)`."""
    name = ufunc.__name__
    if method == "__call__" and not options and name in _OPERATORS and len(inputs) == 2:
        left, right = inputs
        own, reflected = _OPERATORS[name]
        is_left = getattr(type(left), "__array_ufunc__", None) is array_ufunc
        operand, other, called = (left, right, own) if is_left else (right, left, reflected)
        out = getattr(operand, called)(other) if hasattr(operand, called) else NotImplemented
        return name == "not_equal" if out is NotImplemented and called in ("__eq__", "__ne__") else out
    advice = f"use {_INSTEAD[name]}" if name in _INSTEAD else "evaluate(expression, values) gives numbers"
    raise ExpressionError(f"np.{name} takes numbers, and this is an expression: {shown(self)}; {advice}")


array_ufunc.__name__ = "__array_ufunc__"  # the method that it is wherever it is used
