"""Execution: batches of members in threads, in processes or by Dask.

A `Job` gives a `BatchReport` for each batch, in any order.
"""
