"""Piles on a card: the same step, as kernels with one thread for each body or contact."""
