"""Normal forms for reading: expressions as polynomials in atoms, tidied and written back short.

`Expr` in, an equal and shorter `Expr` out; nothing that is computed uses it.
"""
