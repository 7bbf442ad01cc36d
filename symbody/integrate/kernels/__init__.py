"""Steps and linear algebra in the loop language: Runge-Kutta, Radau, eliminations, dense output.

A `Form`'s right side in, one accepted step out; printed to every target from one text.
"""
