"""Motions that switch between sets of equations: contact modes, `Switch`, `Modes`.

`Contacts` or `Modes` in, `Trajectory` out.
"""
