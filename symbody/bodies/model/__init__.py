"""The model that a person writes: one class, one file for each subject.

Calls in, `Mechanism` out by `freeze`.
"""
