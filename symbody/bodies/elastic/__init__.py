"""Elastic bodies from shape functions: beams, their strain energy, damping and mean axes.

This folder turns shape functions into an `ElasticBody`.
"""
