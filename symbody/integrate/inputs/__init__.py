"""Inputs of a motion: expressions, functions of time, tables and splines.

The folder turns user arguments into expressions and sampled curves.
"""
