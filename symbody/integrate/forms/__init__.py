"""Forms of the equations for integration: the state, its rates, and the projection onto the constraints. The folder
turns `Equations` into a `Form`.
"""
