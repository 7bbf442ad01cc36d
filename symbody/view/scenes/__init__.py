"""Scenes: the 3-D picture of a mechanism as plain data, and the page that shows it.

`Equations`, `State` or `Trajectory` in, `Scene` out.
"""
