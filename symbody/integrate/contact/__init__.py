"""Contact and friction in event-driven motions: gaps, impacts, modes of sticking and slipping, jamming.

The folder computes forces and impulses of `Contact` and `Friction`.
"""
