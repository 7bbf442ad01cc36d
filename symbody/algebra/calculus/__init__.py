"""Calculus on the graph: derivatives, Taylor series, numerical evaluation, rounding-error bounds.

`Expr` in, `Expr` or numbers out.
"""
