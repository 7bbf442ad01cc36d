"""Normal forms for reading: expressions as polynomials in atoms, tidied and written back short.

`Expr` in, an equal and shorter `Expr` out; used for display only, not for computation.
"""
