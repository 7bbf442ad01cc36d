"""`simulate`: a method at work on a form, from start to outcome.

`Equations`, times and options in, `Trajectory` out.
"""
