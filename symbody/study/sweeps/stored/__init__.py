"""Storage of answers on disk while they are computed, and the `SweepResult` that reads them."""
