"""Whole motions on a GPU.

`cuda_motions` takes `Equations` and returns `CudaMotions`.
"""
