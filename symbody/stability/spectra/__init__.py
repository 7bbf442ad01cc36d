"""Eigenvalues and eigenvectors, root loci, stability charts, frequency responses.

The folder computes `Spectrum`, `RootLocus` and `StabilityChart` from matrices.
"""
