"""Equations from other sources: written by hand, from a Lagrangian, from SymPy's methods.

Expressions in, `Equations` out.
"""
