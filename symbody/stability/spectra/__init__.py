"""Eigenvalues and eigenvectors, root loci, stability charts, frequency responses.

Matrices in, `Spectrum`, `RootLocus`, `StabilityChart` out.
"""
