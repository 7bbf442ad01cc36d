"""Families of periodic motions over one value, special orbits on them, and their curves over two values.

An `Orbit` in, an `OrbitBranch` or a `SpecialOrbitCurve` out.
"""
