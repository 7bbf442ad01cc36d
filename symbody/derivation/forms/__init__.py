"""Equations in other variables: minimal coordinates, added constraints, transformed speeds.

`Equations` in, `Equations` out.
"""
