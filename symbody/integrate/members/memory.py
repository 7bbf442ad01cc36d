"""The memory that results of a batch take; too much is refused before allocation."""

from __future__ import annotations

import os

from ...errors import SimulationError

GIGABYTE = 1e9


def machine_memory() -> float:
    """Bytes of memory of this machine; infinite if it is not known."""
    try:
        return float(os.sysconf("SC_PHYS_PAGES")) * float(os.sysconf("SC_PAGE_SIZE"))
    except (AttributeError, ValueError, OSError):
        return float("inf")


def refuse_too_many_numbers(where: str, members: int, times: int, numbers: int) -> None:
    """Results with so many numbers for each member and time must fit into memory."""
    needed, there = 8.0 * members * times * numbers, machine_memory()
    if needed > there:
        raise SimulationError(
            f"{where}: {members} members at {times} times with {numbers} {'number' if numbers == 1 else 'numbers'} each take {needed / GIGABYTE:z.3g} GB, and this "
            f"machine has {there / GIGABYTE:z.3g} GB; take fewer times, keep less of them with outputs=, or let "
            'sb.sweep(..., to="study.zarr") write answers to disk as they come'
        )
