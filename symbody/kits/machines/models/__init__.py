"""Whole machines as models: a wind turbine."""
