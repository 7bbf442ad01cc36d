"""The border with SymPy, in both directions: together with `bodies/sympy_frames.py` and `derive/sympy_methods.py` the
only files that know it."""
