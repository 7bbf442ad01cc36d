"""The table in which every node exists once (hash consing), held by weak references, and its counters."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import count
from typing import Any, Final

from ...errors import NodeLimitError

serials = count(1)


class TableEntry(weakref.ref):  # type: ignore[type-arg]
    """Weak reference to a node, with the key of its table entry."""

    __slots__ = ("key",)
    key: Any


class _Table(dict[Any, TableEntry]):
    """The nodes of one operation, by their arguments (and data)."""

    __slots__ = ("forget",)

    def __init__(self) -> None:
        # Between the death of a node and this call the key may have been filed anew: only the dead node's own entry
        # goes.
        def forget(entry: TableEntry, table: dict[Any, TableEntry] = self) -> None:
            if table.get(entry.key) is entry:
                table.pop(entry.key, None)

        self.forget = forget

    def filed(self, node: Any, key: Any) -> Any:
        """Enter a new node into the table; returns the equal one if another thread has entered one in the
        meantime."""
        entry = TableEntry(node, self.forget)
        entry.key = key
        while (first := self.setdefault(key, entry)) is not entry:
            if (known := first()) is not None:
                return known
            self.forget(first)
        return node


class _Tables(dict[str, _Table]):
    def __missing__(self, op: str) -> _Table:
        return self.setdefault(op, _Table())


tables = _Tables()


MOST_UNTRAVERSED: Final = 2_000_000  # objects made before pauses end, up to which nothing is collected


class _Pauses:
    """Objects made since the last collection, about, and all that were there then. `are_left_alone` once the user has frozen
    some: `gc` counts frozen objects one by one, so they are counted once."""

    made = 0
    before = 0
    are_left_alone = False


def _end_of_pause() -> None:
    """Take the objects of a pause for old ones. The collector would traverse all of them first, in a sixth of the time in
    which they were made; now it does so when as many were made as there were before."""
    _Pauses.are_left_alone = _Pauses.are_left_alone or gc.get_freeze_count() > 0
    if _Pauses.are_left_alone:
        return
    young, (limit, *_) = gc.get_count(), gc.get_threshold()
    _Pauses.made += young[0] + limit * young[1]
    is_due = _Pauses.made > max(MOST_UNTRAVERSED, _Pauses.before)
    if is_due:
        gc.collect()
    gc.freeze()  # all objects become permanent
    if is_due:
        _Pauses.made, _Pauses.before = 0, gc.get_freeze_count()
    gc.unfreeze()  # and then old


@contextmanager
def gc_paused() -> Iterator[None]:
    """Pause the garbage collector while many nodes are created. It would traverse them repeatedly, although nodes form
    no cycles.

    >>> x = sb.symbol("x")
    >>> with sb.algebra.gc_paused():
    ...     e = sum(sb.sin(k * x) for k in range(100))
    >>> sb.algebra.operations(e)
    295

    See also: `derive`.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            _end_of_pause()
            gc.enable()


def live_nodes() -> int:
    """Number of nodes that exist in this process."""
    return sum(len(t) for t in tables.values())


def nodes_made() -> int:
    """Serial number of the next node: the difference of two calls is how many nodes were made in between (plus the
    calls themselves)."""
    return next(serials)


_most_nodes: ContextVar[int | None] = ContextVar("most_nodes", default=None)


@contextmanager
def node_limit(most: int) -> Iterator[None]:
    """Refuse to go on when `nodes_made` is past a number: for expressions in files, where a short text may expand to
    many nodes."""
    before = _most_nodes.set(most)
    try:
        yield
    finally:
        _most_nodes.reset(before)


def check_node_limit() -> None:
    """Asked by long computations on the way."""
    most = _most_nodes.get()
    if most is not None and nodes_made() > most:
        raise NodeLimitError("the expressions have more nodes than allowed")
