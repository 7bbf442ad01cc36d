"""Caches that belong to an object: `equations.cached("form", key, make)`.

A table beside the object, even one with weak keys, would keep the object alive wherever a value refers back to its key:
forms refer to their equations. Therefore the object holds its own cache, and cycles between the two are collected with
it.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from threading import Lock
from typing import Any, Final, TypeVar

T = TypeVar("T")

# largest number of entries of one kind, so that programs that are not used again do not accumulate
MAX_ENTRIES: Final = 64
_MISSING: Final = object()
_lock = Lock()  # for the few operations that reorder a table; never held while something is made


class CacheOwner:
    """An object that owns everything derived from it, each result computed once."""

    def cached(self, kind: str, key: Hashable, make: Callable[[], T], most: int = MAX_ENTRIES) -> T:
        """The result of `make` under this kind and key, computed at the first call; the least recently used of more
        than `most` of a kind is dropped.

        >>> x = sb.symbol("x", "variable")
        >>> eq = sb.from_equations({x: -x})
        >>> made = eq.cached("names", "short", lambda: [s.name for s in eq.state])
        >>> eq.cached("names", "short", list) is made  # not made again
        True
        """
        kept: dict[Hashable, Any] = self.__dict__.setdefault("_caches", {}).setdefault(kind, {})
        with _lock:
            if (found := kept.pop(key, _MISSING)) is not _MISSING:
                kept[key] = found
                return found
        made = make()
        with _lock:
            made = kept.setdefault(key, made)  # another thread may have been first
            while len(kept) > most:
                del kept[next(iter(kept))]
        return made
