"""Five independent derivations of M and f: recursive, Kane, Lagrange, Newton-Euler, Gibbs-Appell.

`Kinematics` in, mass matrix and right side out.
"""
