"""Mathematics without mechanics: the expression graph, derivatives, linear solves, printing, and conversion from and to
SymPy."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..later import offer
from .graph import portable as _portable  # noqa: F401  (expressions pickle themselves)
from .printing import formulas as _formulas  # noqa: F401  (and print themselves)

if TYPE_CHECKING:
    from .calculus.accumulated_hessians import accumulated_hessian
    from .calculus.accumulation import accumulated_jacobian
    from .calculus.derivatives import derivative, directional_derivative, gradient, jacobian, sparsity, time_derivative
    from .calculus.evaluate import evaluate
    from .calculus.rounding import rounding
    from .calculus.symmetric_eigen import symmetric_eigen
    from .calculus.taylor import linearized
    from .graph.functions import (
        ExternalFunction,
        acos,
        asin,
        atan,
        atan2,
        cos,
        cosh,
        equal,
        exp,
        log,
        maximum,
        minimum,
        sign,
        sin,
        sinh,
        sqrt,
        tan,
        tanh,
        where,
    )
    from .graph.graph import PI as pi  # noqa: N811  (the usual name)
    from .graph.graph import Condition, Expr, Symbol, as_expr, fraction, symbol, symbols
    from .graph.linear import Factors, determinant, factorize, solve
    from .graph.matrix import Matrix, cross, diagonal, dot, identity, matrix, outer, skew, stack, vector, zeros
    from .graph.node_table import gc_paused
    from .graph.walk import free_symbols, resolve, substitute
    from .normal_forms.tidy import tidy
    from .printing.mathml import mathml
    from .printing.printing import Sequence, latex, operations, sequence, text, unshared_operations
    from .sympy_border.from_sympy import from_sympy
    from .sympy_border.simplified import simplified
    from .sympy_border.source import sympy_source
    from .sympy_border.sympy_form import SympyForm
    from .sympy_border.to_sympy import to_sympy

__all__ = [  # noqa: RUF022  (in order of flow)
    "derivative", "directional_derivative", "gradient", "jacobian", "accumulated_hessian", "accumulated_jacobian", "sparsity", "time_derivative", "evaluate", "rounding",
    "ExternalFunction", "acos", "asin", "atan", "atan2", "cos", "cosh", "equal", "exp", "log", "maximum", "minimum",
    "sign", "sin", "sinh", "sqrt", "tan", "tanh", "where", "pi", "Condition", "Expr", "Symbol", "as_expr", "fraction",
    "symbol", "symbols", "gc_paused", "Factors", "determinant", "factorize", "solve", "symmetric_eigen", "Matrix", "cross", "diagonal", "dot",
    "identity", "matrix", "outer", "skew", "stack", "vector", "zeros", "Sequence", "latex", "mathml", "operations", "unshared_operations", "sequence", "text",
    "SympyForm", "from_sympy", "simplified", "to_sympy", "sympy_source", "linearized", "tidy", "free_symbols", "resolve", "substitute",
]  # fmt: skip

offer(__name__)
