"""Velocities and accelerations of every frame and body, and composite inertias along the tree. It computes `Kinematics`
from a `Mechanism`.
"""
