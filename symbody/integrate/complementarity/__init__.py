"""Contact problems: linear and cone complementarity, and their solvers.

`ContactProblem` in, `ContactForces` with their residual out.
"""
