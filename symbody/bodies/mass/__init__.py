"""Mass, mass centre, inertia and the moments of deformable bodies.

This folder computes `MassProperties` and `Moments` from shapes, densities and surfaces.
"""
