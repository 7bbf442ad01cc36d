"""Schedules of fragments without what is zero everywhere: in a plane four of six components of every velocity are.

One pass over the steps finds which numbers of the memory are zero, one back which are needed. Fragments that meet the
same zeros stay one fragment.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from operator import add, and_
from typing import Final

from ..graph.graph import ZERO, Expr
from ..graph.sweeps import Fragment, NewSteps, Schedule, chosen_places
from ..graph.walk import free_symbols, substitute

MAX_VARIANTS: Final = 4  # fragments from one, on average, up to which a schedule is changed

_RESULT: Final = 1  # states of a place: a result begins there,
_WRITTEN: Final = 2  # a step has written to it

Step = tuple[Fragment, tuple[int, ...]]


def without_zeros(schedule: Schedule, zeros: Iterable[int]) -> Schedule:
    """The same results where some arguments are zero; the same schedule where fragments become too many."""
    steps = _needed_steps(schedule, _with_zeros(schedule, zeros))
    made = NewSteps()
    for fragment, places in steps:
        made.add(fragment, places)
    if len(made.fragments) > MAX_VARIANTS * len(schedule.fragments):
        return schedule
    return made.schedule(schedule.size, schedule.results)


def _with_zeros(schedule: Schedule, zeros: Iterable[int]) -> list[Step]:
    """Steps in which zeros are put in; groups of zeros alone are not written, but where they are results."""
    is_zero, state = bytearray(schedule.size), bytearray(schedule.size)
    for p in zeros:
        is_zero[p] = 1
    for p in schedule.results:
        state[p] = _RESULT
    sizes = [[len(g) for g in f.inputs] for f in schedule.fragments]
    variants: dict[object, _Variant] = {}
    out: list[Step] = []
    for kind, places in schedule.steps():
        n = len(sizes[kind])
        zeros_in = b"".join([is_zero[at : at + size] for size, at in zip(sizes[kind], places, strict=False)])
        key = kind, zeros_in, bytes([state[at] for at in places[n:]])
        if (made := variants.get(key)) is None:
            made = variants[key] = _variant(schedule.fragments[kind], *key[1:])
        for k, mask, is_added in made.zeros:
            at, end = places[k], places[k] + len(mask)
            is_zero[at:end] = bytes(map(and_, is_zero[at:end], mask)) if is_added else mask
        for k in made.written:
            state[places[k]] |= _WRITTEN
        if made.fragment.outputs:
            out.append((made.fragment, made.places(places)))
    return out


@dataclass(frozen=True)
class _Variant:
    """A fragment that meets some zeros.

    places    its places, from those of a step
    written   which of the places of a step are those of its outputs
    zeros     place of an output among those of a step, which of its entries are zero, whether they are added to others;
              without outputs of which no entry is zero and that are the first at their place
    """

    fragment: Fragment
    places: Callable[[Sequence[int]], tuple[int, ...]]
    written: list[int]
    zeros: list[tuple[int, bytes, bool]]


def _variant(f: Fragment, zeros_in: bytes, states: bytes) -> _Variant:
    n, left = len(f.inputs), iter(zeros_in)
    masks = [bytes(islice(left, len(g))) for g in f.inputs]
    adds = [a and bool(state & _WRITTEN) for a, state in zip(f.adds, states, strict=True)]
    fragment, chosen, found = _fragment_with_zeros(f, masks, adds, [bool(state & _RESULT) for state in states])
    zeros = [(n + k, m, a) for k, (m, a) in enumerate(zip(found, adds, strict=True)) if f.adds[k] or 1 in m]
    return _Variant(fragment, chosen_places(chosen), [k for k in chosen if k >= n], zeros)


def _fragment_with_zeros(
    f: Fragment, masks: Sequence[bytes], adds: Sequence[bool], is_result: Sequence[bool]
) -> tuple[Fragment, list[int], list[bytes]]:
    """The fragment, which of the places of a step are its own, and which entries of each output are zero."""
    zeros = {x: ZERO for g, m in zip(f.inputs, masks, strict=True) for x, is_zero in zip(g, m, strict=True) if is_zero}
    outputs: list[list[Expr]] = (
        substitute([list(g) for g in f.outputs], zeros) if zeros else [list(g) for g in f.outputs]
    )
    found = [bytes(e is ZERO for e in g) for g in outputs]
    chosen = [k for k, (m, r) in enumerate(zip(found, is_result, strict=True)) if r or 0 in m]
    return *_chosen_groups(f, outputs, adds, chosen), found


def _chosen_groups(
    f: Fragment, outputs: Sequence[Sequence[Expr]], adds: Sequence[bool], chosen: Sequence[int]
) -> tuple[Fragment, list[int]]:
    """A fragment of some outputs and of the inputs that these need, and its places among those of a step."""
    used = set(free_symbols(*(e for k in chosen for e in outputs[k])))
    groups = [k for k, g in enumerate(f.inputs) if not used.isdisjoint(g)]
    made = Fragment(
        tuple(f.inputs[k] for k in groups), tuple(tuple(outputs[k]) for k in chosen), tuple(adds[k] for k in chosen)
    )
    return made, [*groups, *(len(f.inputs) + k for k in chosen)]


def _needed_steps(schedule: Schedule, steps: Sequence[Step]) -> list[Step]:
    """Steps of which something is read later, or a result."""
    needed = bytearray(schedule.size)
    for p in schedule.results:
        needed[p] = 1
    parts: dict[object, _NeededPart] = {}
    out: list[Step] = []
    for f, places in reversed(steps):
        ends = places[len(f.inputs) :]
        key = f, b"".join([needed[at : at + len(g)] for g, at in zip(f.outputs, ends, strict=True)])
        if (part := parts.get(key)) is None:
            part = parts[key] = _needed_part(*key)
        if part.fragment.outputs:
            for k, first, mask in part.reads:
                at = places[k] + first
                needed[at : at + len(mask)] = mask
            chosen = part.places(places)
            out.append((part.fragment, tuple(map(add, chosen, part.offsets)) if part.is_moved else chosen))
    out.reverse()
    return out


@dataclass(frozen=True)
class _NeededPart:
    """A fragment that writes only what is needed.

    places, offsets   its places, from those of a step, and what is added to them
    reads             entries that it reads without a gap: place among those of a step, first entry, a 1 for each
    """

    fragment: Fragment
    places: Callable[[Sequence[int]], tuple[int, ...]]
    offsets: list[int]
    reads: list[tuple[int, int, bytes]]

    @cached_property
    def is_moved(self) -> bool:
        """Whether something is added to a place."""
        return any(self.offsets)


def _needed_part(f: Fragment, needed: bytes) -> _NeededPart:
    left = iter(needed)
    parts = [
        (k, first, end)
        for k, (g, adds) in enumerate(zip(f.outputs, f.adds, strict=True))
        for first, end in _runs([m and not (adds and e is ZERO) for e, m in zip(g, islice(left, len(g)), strict=True)])
    ]
    outputs = [f.outputs[k][first:end] for k, first, end in parts]
    split = Fragment(f.inputs, tuple(outputs), tuple(f.adds[k] for k, _, _ in parts))
    made, chosen = _chosen_groups(split, outputs, split.adds, range(len(parts)))
    used, n = set(free_symbols(*(e for g in made.outputs for e in g))), len(f.inputs)
    starts = [(k, 0) if k < n else (n + parts[k - n][0], parts[k - n][1]) for k in chosen]
    reads = [
        (k, first, b"\1" * (end - first))
        for (k, _), g in zip(starts, made.inputs, strict=False)
        for first, end in _runs([x in used for x in g])
    ]
    return _NeededPart(made, chosen_places([k for k, _ in starts]), [i for _, i in starts], reads)


def _runs(wanted: Sequence[object]) -> list[tuple[int, int]]:
    """First and end of neighbours that are wanted."""
    out: list[tuple[int, int]] = []
    for k, w in enumerate(wanted):
        if w and out and out[-1][1] == k:
            out[-1] = (out[-1][0], k + 1)
        elif w:
            out.append((k, k + 1))
    return out
