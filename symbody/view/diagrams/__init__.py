"""Diagrams for paper: free-body diagrams and kinematic sketches as lines, arrows and words, and their drawing.

`Equations`, `State` or `Trajectory` in, `Diagram` out.
"""
