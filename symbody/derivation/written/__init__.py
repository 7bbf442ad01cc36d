"""Equations that come from elsewhere: written by hand, from a Lagrangian, from SymPy's methods.

Expressions in, `Equations` out.
"""
