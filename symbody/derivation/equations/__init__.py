"""The equations of motion and their tables of variables, rows and quantities.

M, f, Jc and a mechanism in, `Equations` out.
"""
