"""Places in the memory of a schedule that are used again once what lies there was read for the last time.

Velocities and accelerations of a link are passed on to the links that hang on it and never read again. In a schedule each of
them has a place of its own, as derivatives need it; a program writes them over and over into the same few places, which
stay in the cache.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ..programs.sweep_shape import SweepShape

Whole = NDArray[np.int64]
NEVER: Final = np.iinfo(np.int32).max  # a step that does not occur


def with_reused_places(shape: SweepShape, arguments: int) -> SweepShape:
    """The same steps over less memory. Arguments stay where they are; results, and what is read or added to before it is
    written, keep a place of their own. Schedules with steps that are repeated (`columns`) remain as they are."""
    if shape.columns is not None or not shape.kinds:
        return shape
    places = np.array(shape.places, dtype=np.int64)
    memory = _BlocksOfPlaces(shape, arguments, list(_uses(shape, places)))
    moved = memory.moves()
    return replace(
        shape,
        kinds=array("i", shape.kinds),
        places=array("i", (places + moved[places]).astype(np.intc).tobytes()),
        size=memory.size,
        results=tuple([p + int(moved[p]) for p in shape.results]),
    )


@dataclass(frozen=True)
class _GroupUse:
    """A group of a fragment in all steps of it.

    steps     their numbers, increasing
    at        of each step the first place of the group
    width     of the group
    entries   which of its entries are read or written
    how       READ, WRITTEN or ADDED
    """

    steps: Whole
    at: Whole
    width: int
    entries: Whole
    how: str


READ, WRITTEN, ADDED = "read", "written", "added"


def _uses(shape: SweepShape, places: Whole) -> Iterator[_GroupUse]:
    widths = np.array([shape.width(k) for k in range(len(shape.fragments))], dtype=np.int64)
    kinds = np.array(shape.kinds, dtype=np.int64)
    rows = np.cumsum(widths[kinds]) - widths[kinds]
    for kind, (program, adds) in enumerate(zip(shape.fragments, shape.adds, strict=True)):
        steps = np.flatnonzero(kinds == kind)
        read = {i.data for i in program.code if i.op == "input"}
        groups: list[tuple[int, Any, str]] = [
            (len(g), [k for k in range(len(g)) if (n, k) in read], READ) for n, g in enumerate(program.inputs)
        ]
        sizes = [len(o.values) for o in program.outputs]
        groups += [(n, range(n), ADDED if is_added else WRITTEN) for n, is_added in zip(sizes, adds, strict=True)]
        for k, (width, entries, how) in enumerate(groups):
            yield _GroupUse(steps, places[rows[steps] + k], width, np.array(entries, dtype=np.int64), how)


class _BlocksOfPlaces:
    """Blocks of places that groups have in common, and the steps from the first to the last that uses each."""

    def __init__(self, shape: SweepShape, arguments: int, uses: list[_GroupUse]) -> None:
        n = shape.size
        is_joined = np.zeros(n, dtype=bool)  # to the place before
        written, used, last = (np.full(n, x, dtype=np.int32) for x in (NEVER, NEVER, -1))
        for u in uses:
            is_joined[_spread(u.at, np.arange(1, u.width))] = True
            at, steps = _spread(u.at, u.entries), np.repeat(u.steps, len(u.entries))
            first = written if u.how == WRITTEN else used
            is_earlier = steps < first[at]
            first[at[is_earlier][::-1]] = steps[is_earlier][::-1]  # of equal places the last one counts, the first step
            is_later = steps > last[at]
            last[at[is_later]] = steps[is_later]
        is_own = used <= written
        is_own[(used == NEVER) & (written == NEVER)] = False
        is_own[list(shape.results)] = True
        is_own[:arguments] = True
        self.begins = np.flatnonzero(~is_joined)
        self.sizes = np.diff(self.begins, append=n)
        self.is_own = np.logical_or.reduceat(is_own, self.begins)
        self.first = np.minimum.reduceat(written, self.begins)
        self.last = np.maximum.reduceat(last, self.begins)
        self.size = n

    def moves(self) -> Whole:
        """Of each place the distance to its new one; `size` is that of the new memory."""
        base = np.zeros(len(self.begins), dtype=np.int64)
        own = np.flatnonzero(self.is_own)
        base[own] = np.cumsum(self.sizes[own]) - self.sizes[own]
        self.size = int(self.sizes[own].sum())
        others = np.flatnonzero(~self.is_own & (self.last >= 0))
        base[others] = self._shared(others)
        return np.repeat(base - self.begins, self.sizes)

    def _shared(self, blocks: Whole) -> list[int]:
        """New places of blocks, each free again for one of the same size in the step after its last."""
        first, last, sizes = (x[blocks].tolist() for x in (self.first, self.last, self.sizes))
        out = [0] * len(first)
        free: dict[int, list[int]] = {size: [] for size in set(sizes)}
        ended = iter(np.argsort(last, kind="stable").tolist())
        next_end = next(ended, -1)
        for k in np.argsort(first, kind="stable").tolist():
            while last[next_end] < first[k]:
                free[sizes[next_end]].append(out[next_end])
                next_end = next(ended, -1)
            known = free[sizes[k]]
            if known:
                out[k] = known.pop()
            else:
                out[k] = self.size
                self.size += sizes[k]
        return out


def _spread(at: Whole, entries: Whole) -> Whole:
    """Places of these entries of every group, group after group."""
    return (at[:, None] + entries).ravel()
