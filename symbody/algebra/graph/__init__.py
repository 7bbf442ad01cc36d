"""The expression graph: hash-consed nodes, the rules that make them canonical, functions, matrices and linear solves as nodes.

Numbers and symbols in, `Expr` and `Matrix` out.
"""
