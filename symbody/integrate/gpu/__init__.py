"""Whole motions on a GPU.

`Equations` and arrays in, `CudaMotions` out.
"""
