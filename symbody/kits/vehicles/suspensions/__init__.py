"""Suspensions, steering, bushings and anti-roll bars by their hardpoints, and suspension kinematics.

`Hardpoints` in, a `Corner` with its bodies and joints in the model out.
"""
