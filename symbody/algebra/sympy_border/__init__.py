"""The border with SymPy, in both directions: together with `bodies/mechanism/sympy_frames.py` and `derivation/written/sympy_methods.py` the
only files that know it."""
