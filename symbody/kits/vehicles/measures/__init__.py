"""Measures of handling and standard tests.

A `LinearSystem`, a branch of steady turns or a model in, a frozen result with its table out.
"""
