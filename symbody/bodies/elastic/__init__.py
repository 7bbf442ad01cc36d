"""Elastic bodies from shape functions: beams, their strain energy, damping and mean axes.

Shape functions in, `ElasticBody` out.
"""
