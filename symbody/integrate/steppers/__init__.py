"""Steps one at a time, for control loops and learning, with their derivatives.

`Equations` or `Contacts` and a step in, `Stepper` out.
"""
