"""Preview drivers and manoeuvres: how a vehicle is steered.

A `PlanePath` or a few numbers in, inputs of a simulation out.
"""
