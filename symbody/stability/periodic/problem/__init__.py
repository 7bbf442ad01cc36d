"""What makes a motion periodic: the flow of the equations, its symmetries, events and drive, as one `OrbitProblem`.

`Equations` and an `Itinerary` in, an `OrbitProblem` out.
"""
