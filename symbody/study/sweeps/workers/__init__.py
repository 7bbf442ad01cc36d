"""Execution: batches of members in threads, in processes or by Dask.

A `Job` in, a `BatchReport` for each batch out, in any order.
"""
