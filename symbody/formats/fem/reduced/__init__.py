"""Reduced bodies, stresses along a motion, and files of reduced bodies.

A `ReducedBody`, which `Model.elastic_from` takes, and its files in and out.
"""
