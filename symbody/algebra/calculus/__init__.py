"""Calculus on the graph: derivatives, Taylor series, numerical evaluation, rounding-error bounds.

This folder takes `Expr` and returns `Expr` or numbers.
"""
