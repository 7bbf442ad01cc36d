"""Steady motions: equilibria and relative equilibria, with their symmetries.

`steady` takes `Equations` and returns a `SteadyMotion`.
"""
