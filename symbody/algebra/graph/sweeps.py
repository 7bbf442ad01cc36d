"""Repeated expressions as one node of the graph: fragments, and a schedule that runs them over a memory of numbers.

A fragment is a straight-line function of groups of numbers. A step of a schedule is a fragment with the place of each
of its groups in one memory, which begins with the arguments of the node. What is repeated ten thousand times is one
fragment and ten thousand rows of places: a recursion over a tree has a few fragments for each type of link, and sweeps
from the root to the leaves or back are orders of steps.

A group is written once, or added to by several steps after its first; it is read only after that.

For a Jacobian the last steps are repeated, once for each column (`Columns`).
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from operator import itemgetter
from typing import Any

from .cache_owner import CacheOwner
from .graph import Expr, Symbol, as_expr, intern
from .walk import evaluation_order


@dataclass(frozen=True, eq=False)
class Fragment(CacheOwner):
    """A function of groups of numbers.

    inputs    symbols, group by group
    outputs   expressions in them, group by group
    adds      of each output: whether it is added to what is there
    """

    inputs: tuple[tuple[Symbol, ...], ...]
    outputs: tuple[tuple[Expr, ...], ...]
    adds: tuple[bool, ...]

    @property
    def width(self) -> int:
        """Places in a step."""
        return len(self.inputs) + len(self.outputs)


@dataclass(frozen=True)
class Columns:
    """The last steps of a schedule, repeated: each time one of some places holds 1 and the others 0.

    first     number of the first step that is repeated
    seeds     these places
    results   places of the results of each repetition
    """

    first: int
    seeds: tuple[int, ...]
    results: tuple[int, ...]

    @property
    def size(self) -> int:
        """Results of all repetitions."""
        return len(self.seeds) * len(self.results)


@dataclass(frozen=True, eq=False)
class Schedule(CacheOwner):
    """Steps over a memory.

    fragments   the functions
    kinds       of each step the number of its fragment
    places      step by step the place of each input, then of each output
    size        numbers in the memory; the arguments of the node are the first
    results     places of the first items of the node
    columns     steps that are repeated; the other items are their results: the first of all repetitions, the second, ...
    """

    fragments: tuple[Fragment, ...]
    kinds: tuple[int, ...]
    places: tuple[int, ...]
    size: int
    results: tuple[int, ...]
    columns: Columns | None = None

    def steps(self) -> list[tuple[int, tuple[int, ...]]]:
        """Number of the fragment and places of every step."""
        out, at = [], 0
        for kind in self.kinds:
            end = at + self.fragments[kind].width
            out.append((kind, self.places[at:end]))
            at = end
        return out

    @cached_property
    def operations(self) -> tuple[int, int]:
        """Of all fragments, each once, and of all steps."""
        count = [sum(bool(n.args) for n in evaluation_order(e for g in f.outputs for e in g)) for f in self.fragments]
        of_steps = sum(count[kind] for kind in self.kinds)
        if (repeated := self.columns) is not None:
            of_steps += (len(repeated.seeds) - 1) * sum(count[kind] for kind in self.kinds[repeated.first :])
        return sum(count), of_steps

    @cached_property
    def digest(self) -> str:
        """Hash of the content, the same in every process."""
        keys = [[[e.key for e in g] for g in (*f.inputs, *f.outputs)] for f in self.fragments]
        tables = (
            self.kinds,
            self.places,
            self.size,
            self.results,
            keys,
            [f.adds for f in self.fragments],
            self.columns,
        )
        return hashlib.sha256(repr(tables).encode()).hexdigest()

    def __repr__(self) -> str:
        return f"<Schedule of {len(self.kinds)} steps, {len(self.fragments)} fragments, {self.digest}>"


def items_of_steps(
    schedule: Schedule,
    arguments: Sequence[Any],
    zero: Any,
    one: Any,
    run: Callable[[int, Sequence[int], list[Any]], None],
) -> list[Any]:
    """The items of a schedule, step after step, the steps of columns once for each.

    run   (number of the fragment, places, memory) runs one step
    """
    memory = [*arguments, *[zero] * (schedule.size - len(arguments))]
    steps, columns = schedule.steps(), schedule.columns
    for kind, places in steps if columns is None else steps[: columns.first]:
        run(kind, places, memory)
    out, found = [memory[at] for at in schedule.results], list[list[Any]]()
    if columns is None:
        return out
    for seed in columns.seeds:
        memory[seed] = one
        for kind, places in steps[columns.first :]:
            run(kind, places, memory)
        found.append([memory[at] for at in columns.results])
        memory[seed] = zero
    return [*out, *(x for row in zip(*found, strict=True) for x in row)]


class NewSteps:
    """Steps of a schedule that is being made."""

    def __init__(self) -> None:
        self.fragments: list[Fragment] = []
        self.numbers: dict[Fragment, int] = {}
        self.kinds: list[int] = []
        self.places: list[int] = []

    def add(self, fragment: Fragment, places: Sequence[int]) -> None:
        if fragment not in self.numbers:
            self.numbers[fragment] = len(self.fragments)
            self.fragments.append(fragment)
        self.kinds.append(self.numbers[fragment])
        self.places += places

    def schedule(self, size: int, results: Sequence[int], columns: Columns | None = None) -> Schedule:
        kinds, places = tuple(self.kinds), tuple(self.places)
        return Schedule(tuple(self.fragments), kinds, places, size, tuple(results), columns)


def chosen_places(chosen: Sequence[int]) -> Callable[[Sequence[int]], tuple[int, ...]]:
    """A function that takes some places out of those of a step."""
    return itemgetter(*chosen) if len(chosen) > 1 else lambda places: tuple([places[k] for k in chosen])


def item_places(results: tuple[int, ...], columns: Columns | None, size: int) -> tuple[int, ...]:
    """Places of all items; results of repetitions are kept behind the memory."""
    return results if columns is None else (*results, *range(size, size + columns.size))


def sweep_results(schedule: Schedule, arguments: Sequence[Expr]) -> tuple[Expr, ...]:
    """The results of a schedule as items of one node."""
    block = intern("sweeps", tuple(as_expr(a) for a in arguments), schedule)
    return tuple(intern("item", (block,), k) for k in range(len(schedule.results)))
