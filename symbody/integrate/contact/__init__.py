"""Contact and friction in event-driven motions: gaps, impacts, modes of sticking and slipping, jamming.

`Contact` and `Friction` in, forces and impulses out.
"""
