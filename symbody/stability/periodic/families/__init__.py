"""Families of periodic motions over one value, special orbits on them, and their curves over two values.

An `OrbitBranch` or a `SpecialOrbitCurve` starts from an `Orbit`.
"""
