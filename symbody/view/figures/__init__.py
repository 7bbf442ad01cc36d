"""Figures of `Trajectory`, `RootLocus`, `Branch` and other results: the content as plain data, and its drawing by
Matplotlib.
"""
