"""Branches of steady motions: continuation, folds, branch points, Hopf points.

A `Branch` starts from a `SteadyMotion`.
"""
