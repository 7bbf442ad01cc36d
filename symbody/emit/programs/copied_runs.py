"""Numbers that a program only moves, many in a row: loops copy them, where a load and a store for each of thousands would
take LLVM longer than everything else."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Any, Final

from .program import Instruction, Output, Program

MIN_RUN: Final = 16  # numbers in a row from which on a loop copies them


@dataclass(frozen=True)
class CopiedRuns:
    """What is copied.

    arguments   by sweeps block: place in its memory, count, and input group with first position
    results     by sweeps block: output, first position there, count, place in its memory
    inputs      output, first position there, count, and input group with first position
    """

    arguments: dict[int, list[tuple[int, int, tuple[int, int]]]]
    results: dict[int, list[tuple[int, int, int, int]]]
    inputs: list[tuple[int, int, int, tuple[int, int]]]

    def arguments_left(self, block: int, count: int) -> Iterator[int]:
        """Places of arguments in the memory of a block that are not copied."""
        return _outside([(at, n) for at, n, _ in self.arguments.get(block, ())], count)

    def places_left(self, output: int, count: int) -> Iterator[int]:
        """Places in an output that are not copied."""
        spans = [(at, n) for runs in self.results.values() for o, at, n, _ in runs if o == output]
        spans += [(at, n) for o, at, n, _ in self.inputs if o == output]
        return _outside(sorted(spans), count)

    def without_groups(self, *groups: int) -> CopiedRuns:
        """The same without copies from some groups of inputs."""
        arguments = {k: [run for run in runs if run[2][0] not in groups] for k, runs in self.arguments.items()}
        return CopiedRuns(arguments, self.results, [run for run in self.inputs if run[3][0] not in groups])

    @cached_property
    def outputs(self) -> frozenset[tuple[int, int]]:
        """Output and position of every entry that is copied."""
        spans = [(o, first, n) for runs in self.results.values() for o, first, n, _ in runs]
        spans += [(o, first, n) for o, first, n, _ in self.inputs]
        return frozenset((o, at) for o, first, n in spans for at in range(first, first + n))


def copied_runs(p: Program) -> CopiedRuns:
    """Of a program with schedules of fragments; nothing is copied in others."""
    blocks = [k for k, i in enumerate(p.code) if i.op == "sweeps"]
    if not blocks:
        return CopiedRuns({}, {}, [])
    inputs_of = [i.data if i.op == "input" else None for i in p.code]
    arguments = {k: list(_runs([inputs_of[a] for a in p.code[k].args])) for k in blocks}
    results: dict[int, list[tuple[int, int, int, int]]] = {k: [] for k in blocks}
    inputs = []
    for o, output in enumerate(p.outputs):
        for at, count, (group, first) in _runs([inputs_of[v] or _result(p.code, v) for v in output.values]):
            if group < 0:
                results[-1 - group].append((o, at, count, first))
            else:
                inputs.append((o, at, count, (group, first)))
    return CopiedRuns(arguments, results, inputs)


def _result(code: Sequence[Instruction], v: int) -> tuple[int, int] | None:
    """-1 - block and place in memory of a result of loops."""
    i = code[v]
    if i.op == "item" and code[i.args[0]].op == "sweeps":
        return -1 - i.args[0], code[i.args[0]].data.items[i.data]
    return None


def _outside(spans: Sequence[tuple[int, int]], count: int) -> Iterator[int]:
    """Numbers below a count outside of spans (first, length), which are in order."""
    end = 0
    for first, n in spans:
        yield from range(end, first)
        end = first + n
    yield from range(end, count)


def _runs(sources: Sequence[tuple[int, int] | None]) -> Iterator[tuple[int, int, Any]]:
    """First index, length and source of neighbours in one group."""
    begin, before = 0, None
    for k, here in enumerate(chain(sources, [None])):
        if before is not None:
            if here is not None and here[1] == before[1] + 1 and here[0] == before[0]:
                before = here
                continue
            if k - begin >= MIN_RUN:
                yield begin, k - begin, sources[begin]
        begin, before = k, here


def pieces_of_rows(out: Output, at: int, count: int) -> Iterator[tuple[int, int | None, int, int]]:
    """Neighbours of an output by rows, for languages whose matrices have rows and columns: distance from the first, row, first
    column, count. The row is None where the output is flat."""
    if out.is_sparse or len(out.shape) < 2:
        yield 0, None, at, count
        return
    width, done = out.shape[1], 0
    while done < count:
        row, col = divmod(at + done, width)
        n = min(count - done, width - col)
        yield done, row, col, n
        done += n
