"""The one solver of nonlinear equations: trust region, continuation, deflation, homotopy, minimum-norm linear solves.

A `System` of functions on arrays in, a `Zero` with its outcome out; knows nothing of the graph.
"""
