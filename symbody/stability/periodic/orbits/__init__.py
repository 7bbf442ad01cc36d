"""One periodic motion: initial guess, search, and result. `orbit` takes `Equations`, `Modes` or `Contacts` and returns
an `Orbit` or a `HybridOrbit`.
"""
