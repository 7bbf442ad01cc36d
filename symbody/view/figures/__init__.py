"""Figures: what a plot shows as plain data, and its drawing by Matplotlib.

`Trajectory`, `RootLocus`, `Branch` and other results in, `Figure` out.
"""
