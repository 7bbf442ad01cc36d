"""3-D scenes of `Equations`, a `State` or a `Trajectory`, as plain data, and the page that shows them."""
