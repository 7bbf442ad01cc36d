"""Contact problems: linear and cone complementarity, and their solvers.

The solvers take a `ContactProblem` and return `ContactForces` with their residual.
"""
