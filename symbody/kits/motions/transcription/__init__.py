"""A problem on a mesh as a sparse nonlinear program, its solution, and its errors."""
