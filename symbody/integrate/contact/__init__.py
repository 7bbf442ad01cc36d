"""Contact and friction: gaps, impacts, complementarity problems and their solvers, time stepping.

`Contact` and `Friction` in, forces and impulses out.
"""
