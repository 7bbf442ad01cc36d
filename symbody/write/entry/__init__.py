"""The functions that users call: one for each target."""
