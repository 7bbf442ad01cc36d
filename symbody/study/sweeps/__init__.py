"""Sweeps: varied values, questions to each member, execution, and results that are written to disk as they are
computed."""
