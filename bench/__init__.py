"""Benchmarks: one table per stage, peers measured in the same run. `python -m bench graph`."""

import os

# Libraries of linear algebra in one thread: on cores that others use too, threads of a small matrix wait for each other
# a hundred times as long as they work. Set before NumPy is loaded.
for _name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_name, "1")
