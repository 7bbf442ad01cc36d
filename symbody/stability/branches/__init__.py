"""Branches of steady motions: continuation, folds, branch points, Hopf points.

A `SteadyMotion` in, `Branch` out.
"""
