"""Chains of linear maps around a loop, in machine code: condensed collocation, Newton steps, multipliers.

Slopes of an orbit interval by interval in, its next Newton step or its Floquet multipliers out; no mechanics.
"""
