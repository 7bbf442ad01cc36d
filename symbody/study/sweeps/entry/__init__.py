"""`sweep`, and functions based on it: sensitivity indices and objectives. Sweeps take equations or a `Study`, values
and questions, and return a `SweepResult`.
"""
