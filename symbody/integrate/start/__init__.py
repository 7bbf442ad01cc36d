"""Starts that satisfy the constraints: assembly of configurations and of speeds.

`Equations` and some values in, `State` out.
"""
