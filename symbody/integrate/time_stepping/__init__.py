"""Time stepping of contacts and friction by the scheme of Moreau and Jean, and its derivatives.

Velocities at the start of a step in, velocities and impulses at its end out.
"""
