"""Steps one at a time, for control loops and learning, with their derivatives.

`stepper` takes `Equations` or `Contacts` and a time step, and returns a `Stepper`.
"""
