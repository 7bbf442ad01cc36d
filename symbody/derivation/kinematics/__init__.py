"""Velocities and accelerations of every frame and body, and inertia gathered along the tree.

`Mechanism` in, `Kinematics` out.
"""
