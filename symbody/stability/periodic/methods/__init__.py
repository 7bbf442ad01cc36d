"""The two methods for orbits: collocation with mesh refinement, and multiple shooting.

An `OrbitProblem` and a rough `OrbitPoint` in, a converged `OrbitPoint` with its multipliers out.
"""
