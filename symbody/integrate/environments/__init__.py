"""Environments for learning: steps of many members with observations, rewards, ends and random starts, in machine code.

`environment` takes a `Stepper` and expressions, and returns an `Environment`.
"""
