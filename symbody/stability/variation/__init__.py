"""First variation of the equations about a motion, with parameters kept symbolic where possible.

`Equations` in, system matrices out.
"""
