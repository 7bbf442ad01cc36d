"""Time stepping of contacts and friction by the Moreau-Jean scheme, and its derivatives: from the velocities at the
start of a step to velocities and impulses at its end.
"""
