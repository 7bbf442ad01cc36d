"""Inputs of a motion: expressions, functions of time, tables and splines.

What a user gives by name in, expressions and sampled curves out.
"""
