"""`linearize` and the `LinearSystem` it returns.

`Equations` and a steady motion in, `LinearSystem` out.
"""
