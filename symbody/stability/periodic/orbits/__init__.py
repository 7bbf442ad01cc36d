"""One periodic motion: its start, the search, and the result.

`Equations`, `Modes` or `Contacts` in, an `Orbit` or a `HybridOrbit` out.
"""
