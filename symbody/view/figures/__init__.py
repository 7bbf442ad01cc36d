"""Figures: the content of a plot as plain data, and its drawing by Matplotlib.

`Trajectory`, `RootLocus`, `Branch` and other results in, `Figure` out.
"""
