"""Mass, mass centre, inertia and the moments of deformable bodies.

Shapes, densities and surfaces in, `MassProperties` and `Moments` out.
"""
