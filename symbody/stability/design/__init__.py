"""Feedback and parameters by design: LQR, pole placement, eigenvalue targets.

Linear system in, `Feedback` or `Design` out.
"""
