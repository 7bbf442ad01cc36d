"""Periodic orbits: collocation and shooting as one chain of linear maps, Floquet multipliers, families over a
parameter."""
