"""`Equations` from other sources: your own expressions, a Lagrangian, or SymPy's methods."""
