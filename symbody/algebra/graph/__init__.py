"""The expression graph: hash-consed nodes, rules for canonical forms, functions, matrices, and linear solves as nodes.
It builds `Expr` and `Matrix` from numbers and symbols.
"""
