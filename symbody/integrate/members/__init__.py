"""Many motions in one compiled loop, on all cores.

`Equations` and arrays of starts and parameters in, `Batch` out.
"""
