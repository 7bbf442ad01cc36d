"""Answers on disk as they are computed, and the result read from there.

`Answers` in, a `SweepResult` out.
"""
