"""Five independent derivations of M and f: recursive, Kane, Lagrange, Newton-Euler, Gibbs-Appell.

Each route takes `Kinematics` and returns the mass matrix and the right side.
"""
