"""From equations and numbers to a trajectory."""
