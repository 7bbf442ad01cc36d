"""Conversion from and to SymPy. Together with `bodies/mechanism/sympy_frames.py` and
`derivation/written/sympy_methods.py` the only files that use SymPy."""
