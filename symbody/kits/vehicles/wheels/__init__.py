"""A wheel between a tyre and a road, and the torques that drive and brake it.

A body with a `Tyre` and a `Road` in, loads of the model and a `WheelContact` out.
"""
