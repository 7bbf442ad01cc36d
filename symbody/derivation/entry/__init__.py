"""`derive`: choose a route, derive, check.

`Model` in, `Equations` out.
"""
