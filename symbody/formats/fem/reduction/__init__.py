"""Reduction to a few shapes: static solves, modes, a frequency band, stress stiffening, interpolation over parameters.

A `FiniteElements` in, a `ReducedBody` out.
"""
