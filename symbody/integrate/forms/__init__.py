"""Forms of the equations that can be integrated: what the state is, its rates, and the way back to the constraints.

`Equations` in, `Form` out.
"""
