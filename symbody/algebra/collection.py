"""Python's garbage collector, out of the way while many nodes are made.

Graphs and programs have no cycles: what nobody uses any more is freed at once. The collector finds nothing in them, but
looks at all that lives again and again, which took a quarter of the time of making large programs.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def without_collection() -> Iterator[None]:
    """No collection until the end; where somebody has switched the collector off, it stays so."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
