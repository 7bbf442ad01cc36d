"""Steady motions: equilibria and relative equilibria, with their symmetries.

`Equations` in, `SteadyMotion` out.
"""
