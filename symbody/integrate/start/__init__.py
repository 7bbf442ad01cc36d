"""Consistent initial states: assembly of configurations and speeds. `assemble` takes `Equations` and some values and
returns a `State`.
"""
