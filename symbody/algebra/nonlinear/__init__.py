"""The one solver of nonlinear equations: trust region, continuation, deflation, homotopy, minimum-norm linear solves.

It takes a `System` of functions of arrays and returns a `Zero` with its outcome. It is independent of the graph.
"""
