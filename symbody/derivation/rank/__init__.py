"""Ranks of constraint Jacobians, and configurations at which they are regular.

Rows of expressions in, rank and row space out.
"""
