"""`linearize` and the `LinearSystem` it returns.

`linearize` takes `Equations` and a steady motion.
"""
