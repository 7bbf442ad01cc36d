"""Many motions in one compiled loop, on all cores.

`simulate_batch` takes `Equations` and arrays of initial values and parameters, and returns a `Batch`.
"""
