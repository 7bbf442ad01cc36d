"""Ranks and row spaces of constraint Jacobians, and configurations at which they are regular."""
