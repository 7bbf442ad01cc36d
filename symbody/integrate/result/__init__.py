"""What a motion leaves: segments, quantities by name, violations, outcome.

Accepted steps in, `Trajectory` out.
"""
