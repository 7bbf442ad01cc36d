"""Motions that switch between sets of equations: contact modes, `Switch`, `Modes`.

`simulate_modes` takes `Contacts` or `Modes` and returns a `Trajectory`.
"""
