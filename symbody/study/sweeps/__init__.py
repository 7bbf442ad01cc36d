"""Sweeps: varied values, quantities to compute for each member, execution, and results that are written to disk while
they are computed."""
