"""Steps in the loop language: Runge-Kutta, Radau, variational steps, dense output, and the loop around them.

A `Form`'s right side in, one accepted step out; printed to every target from one text.
"""
