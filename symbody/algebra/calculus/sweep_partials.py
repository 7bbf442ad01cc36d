"""Partial derivatives of every fragment of a schedule (`graph/sweeps.py`) by what it reads, behind its values.

A step computes y = f(x), where x are numbers that earlier steps wrote. With all these numbers as unknowns of their own, a
linear system in the derivatives of a schedule is sparse: a row for each number, with ∂f/∂x beside it. Entries whose
derivative is zero everywhere have no place.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..graph.graph import ZERO
from ..graph.sweeps import Fragment, NewSteps, Schedule
from .derivatives import jacobian

Template = list[tuple[int, int, int, int]]  # group and number of what is written, and of what is read


@dataclass(frozen=True)
class SweepPartials:
    """A schedule that also computes partial derivatives, `count` numbers from the place `first` on.

    rows, columns   places of the number that a step writes (or adds to), and of the one by which it is differentiated
    """

    schedule: Schedule
    first: int
    rows: list[int]
    columns: list[int]

    @property
    def count(self) -> int:
        return len(self.rows)


def sweep_partials(schedule: Schedule, moving: Sequence[int]) -> SweepPartials:
    """Partial derivatives by the arguments at some places, and by everything that depends on them."""
    depends = bytearray(schedule.size)
    for k in moving:
        depends[k] = 1
    made: dict[object, tuple[Fragment, Template]] = {}
    steps, at = NewSteps(), schedule.size
    rows: list[int] = []
    columns: list[int] = []
    for kind, places in schedule.steps():
        f = schedule.fragments[kind]
        n = len(f.inputs)
        masks = tuple([bytes(depends[p : p + len(g)]) for g, p in zip(f.inputs, places, strict=False)])
        if (kind, masks) not in made:
            made[kind, masks] = _with_partials(f, masks)
        fragment, template = made[kind, masks]
        steps.add(fragment, (*places, at) if template else places)
        at += len(template)
        own = [places[n + g] + i for g, i, _, _ in template]
        rows += own
        columns += [places[g] + i for _, _, g, i in template]
        for p in own:
            depends[p] = 1
    return SweepPartials(steps.schedule(at, schedule.results), schedule.size, rows, columns)


def _with_partials(f: Fragment, masks: Sequence[bytes]) -> tuple[Fragment, Template]:
    """A fragment with its partial derivatives as its last output, and what each of them is of."""
    read = [(g, i) for g, mask in enumerate(masks) for i, is_live in enumerate(mask) if is_live]
    written = [(g, i) for g, group in enumerate(f.outputs) for i in range(len(group))]
    if not read or not written:
        return f, []
    J = jacobian([f.outputs[g][i] for g, i in written], [f.inputs[g][i] for g, i in read])
    found = [(J[r, c], (*of, *by)) for r, of in enumerate(written) for c, by in enumerate(read) if J[r, c] is not ZERO]
    if not found:
        return f, []
    outputs = (*f.outputs, tuple(e for e, _ in found))
    return Fragment(f.inputs, outputs, (*f.adds, False)), [place for _, place in found]
