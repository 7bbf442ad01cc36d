"""Tyre laws: linear, brush, TMeasy, Magic Formula, and their property files.

A `Tyre` is a function from `Slip` to `TyreForces`, all of them expressions.
"""
