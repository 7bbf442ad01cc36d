"""`sweep`, and what is made of sweeps: sensitivity indices and objectives.

Equations or a `Study`, values and questions in, a `SweepResult` out.
"""
