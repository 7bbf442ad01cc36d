"""Schedules of fragments without what is zero everywhere: in a plane four of six components of every velocity are.

One pass over the steps finds which numbers of the memory are zero, one back which are needed. Fragments that meet the
same zeros stay one fragment.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from ..graph.graph import ZERO, Expr
from ..graph.sweeps import Fragment, NewSteps, Schedule
from ..graph.walk import free_symbols, substitute

MAX_VARIANTS: Final = 4  # fragments from one, on average, up to which a schedule is changed

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
    is_zero, kept = bytearray(schedule.size), set(schedule.results)
    for p in zeros:
        is_zero[p] = 1
    written: set[int] = set()
    fragments: dict[object, tuple[Fragment, list[int], list[bytes]]] = {}
    out: list[Step] = []
    for kind, places in schedule.steps():
        f = schedule.fragments[kind]
        n = len(f.inputs)
        masks = tuple([bytes(is_zero[at : at + len(g)]) for g, at in zip(f.inputs, places, strict=False)])
        adds = tuple([a and at in written for a, at in zip(f.adds, places[n:], strict=True)])
        is_result = tuple([at in kept for at in places[n:]])
        key = kind, masks, adds, is_result
        if key not in fragments:
            fragments[key] = _fragment_with_zeros(f, masks, adds, is_result)
        fragment, chosen, found = fragments[key]
        for at, mask, added in zip(places[n:], found, adds, strict=True):
            if not added:
                is_zero[at : at + len(mask)] = mask
            elif 0 in mask:
                is_zero[at : at + len(mask)] = bytes(
                    a & b for a, b in zip(is_zero[at : at + len(mask)], mask, strict=True)
                )
        if fragment.outputs:
            written.update([places[k] for k in chosen if k >= n])
            out.append((fragment, tuple([places[k] for k in chosen])))
    return out


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
    fragments: dict[object, tuple[Fragment, list[tuple[int, int]], list[list[int]]]] = {}
    out: list[Step] = []
    for f, places in reversed(steps):
        n = len(f.inputs)
        masks = tuple([bytes(needed[at : at + len(g)]) for g, at in zip(f.outputs, places[n:], strict=True)])
        if (f, masks) not in fragments:
            fragments[f, masks] = _needed_fragment(f, masks)
        fragment, chosen, reads = fragments[f, masks]
        if fragment.outputs:
            for (k, _), entries in zip(chosen, reads, strict=False):
                at = places[k]
                for i in entries:
                    needed[at + i] = 1
            out.append((fragment, tuple([places[k] + i for k, i in chosen])))
    out.reverse()
    return out


def _needed_fragment(
    f: Fragment, masks: Sequence[bytes]
) -> tuple[Fragment, list[tuple[int, int]], list[list[int]]]:  # fmt: skip
    """The fragment that writes only what is needed; of its groups the place among those of a step and the first entry;
    and which entries of its inputs it reads."""
    parts = [
        (k, first, end)
        for k, (g, mask, adds) in enumerate(zip(f.outputs, masks, f.adds, strict=True))
        for first, end in _runs([m and not (adds and e is ZERO) for e, m in zip(g, mask, strict=True)])
    ]
    outputs = [f.outputs[k][first:end] for k, first, end in parts]
    split = Fragment(f.inputs, tuple(outputs), tuple(f.adds[k] for k, _, _ in parts))
    made, chosen = _chosen_groups(split, outputs, split.adds, range(len(parts)))
    used, n = set(free_symbols(*(e for g in made.outputs for e in g))), len(f.inputs)
    starts = [(k, 0) if k < n else (n + parts[k - n][0], parts[k - n][1]) for k in chosen]
    return made, starts, [[i for i, x in enumerate(g) if x in used] for g in made.inputs]


def _runs(wanted: Sequence[object]) -> list[tuple[int, int]]:
    """First and end of neighbours that are wanted."""
    out: list[tuple[int, int]] = []
    for k, w in enumerate(wanted):
        if w and out and out[-1][1] == k:
            out[-1] = (out[-1][0], k + 1)
        elif w:
            out.append((k, k + 1))
    return out
