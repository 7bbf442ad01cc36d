"""Normal forms for display: expressions as polynomials in atoms, simplified and written back as equal, shorter
expressions. They are not used for computation.
"""
