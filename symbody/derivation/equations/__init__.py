"""The equations of motion and their tables of variables, rows and quantities.

This folder builds `Equations` from M, f, Jc and a mechanism.
"""
