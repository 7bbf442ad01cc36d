"""Targets that are Python modules: NumPy, JAX, PyTorch, CasADi, SymPy."""
