"""Others who integrate the same systems: SciPy, SUNDIALS, Exudyn, and a plain loop in C."""
