"""What makes a motion periodic: the flow of the equations, its symmetries, events and drive, as one `OrbitProblem`.

The folder builds an `OrbitProblem` from `Equations` and an `Itinerary`.
"""
