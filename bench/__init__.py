"""Benchmarks: one table per stage, peers measured in the same run. `python -m bench graph`."""
