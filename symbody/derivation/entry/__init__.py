"""`derive` and its checks: from a `Model` to `Equations`."""
