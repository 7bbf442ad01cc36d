"""Free-body diagrams and kinematic sketches of `Equations`, a `State` or a `Trajectory`, as lines, arrows and text."""
