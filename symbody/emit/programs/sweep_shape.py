"""Schedules of fragments (`algebra/graph/sweeps.py`) as data of an instruction: each fragment is a program."""

from __future__ import annotations

import hashlib
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from ...algebra.graph.sweeps import Columns, item_places

if TYPE_CHECKING:
    from ...algebra.graph.functions import ExternalFunction
    from .program import Program


@dataclass(frozen=True, eq=False, repr=False)
class SweepShape:
    """Steps over a memory, which begins with the arguments of the instruction.

    fragments   a program for each, with an input and an output for each group
    adds        of each output of each fragment: whether it is added to what is there
    kinds       of each step the number of its fragment
    places      step by step the place of each input, then of each output
    size        numbers in the memory
    results     places of the first items
    columns     steps that are repeated; the other items are their results: the first of all repetitions, the second, ...
    """

    fragments: tuple[Program, ...]
    adds: tuple[tuple[bool, ...], ...]
    kinds: Sequence[int]
    places: Sequence[int]
    size: int
    results: tuple[int, ...]
    columns: Columns | None = None

    @cached_property
    def items(self) -> tuple[int, ...]:
        """Places of the items."""
        return item_places(self.results, self.columns, self.size)

    @cached_property
    def externals(self) -> tuple[ExternalFunction, ...]:
        """External functions called by fragments, each once."""
        return tuple(dict.fromkeys(f for p in self.fragments for f in p.externals))

    @property
    def memory(self) -> int:
        """Numbers in the memory with the results of repetitions."""
        return self.size + (self.columns.size if self.columns else 0)

    def runs(self) -> list[int]:
        """Of each step, how often it runs."""
        n, columns = len(self.kinds), self.columns
        return [1] * n if columns is None else [1] * columns.first + [len(columns.seeds)] * (n - columns.first)

    def width(self, kind: int) -> int:
        """Places in a step."""
        return len(self.fragments[kind].inputs) + len(self.fragments[kind].outputs)

    def steps(self) -> Iterator[tuple[int, Sequence[int]]]:
        """Number of the fragment and places of every step."""
        widths, at = [self.width(k) for k in range(len(self.fragments))], 0
        for kind in self.kinds:
            yield kind, self.places[at : at + widths[kind]]
            at += widths[kind]

    @cached_property
    def digest(self) -> str:
        """Hash of the content."""
        made = [f.digest for f in self.fragments]
        h = hashlib.sha256(repr((made, self.adds, self.size, self.columns, len(self.kinds), len(self.places))).encode())
        for numbers in (self.kinds, self.places, self.results):
            h.update(array("q", numbers).tobytes())
        return h.hexdigest()

    def __repr__(self) -> str:
        return f"<SweepShape of {len(self.kinds)} steps, {self.digest}>"
