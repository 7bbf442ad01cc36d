"""Blocks of unknowns of a sparse symmetric matrix, and the order in which they are eliminated.

Unknowns that are coupled in a row, as loops one behind the other, are eliminated one by one in the order of least degree.
Those that are coupled in a plane fill the matrix in: then neighbours in the elimination tree (Duff, Erisman, Reid, Direct
Methods for Sparse Matrices, ch. 10) are joined to blocks of equal size, so that one step does the work of many.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from itertools import accumulate
from typing import Final

from .least_degree import least_degree_order

BLOCK: Final = 6  # unknowns of a joined block
MANY_UPDATES: Final = 10  # of the matrix in the elimination of one unknown, on average, from which on they are joined


class BlockOrder:
    """Groups of unknowns in blocks.

    members   numbers of the groups in each block
    sizes     of the blocks; joined ones are filled up to `BLOCK` unknowns
    starts    of the blocks, one behind the other, and the end of the last
    block     of each group, and its `offset` there
    order     of the blocks, and the number of each one's `step`
    below     of each block those after it that it is coupled with when its turn comes, in their order
    """

    def __init__(self, rows: Sequence[int], near: Sequence[Set[int]]) -> None:
        order, below = _least_degree_and_below(near)
        updates = sum(len(x) * (len(x) + 1) // 2 for x in below)
        self.is_joined = updates > MANY_UPDATES * len(rows)
        self.members = _joined_groups(rows, order, below) if self.is_joined else [[g] for g in range(len(rows))]
        self.rows = rows
        self.used = [sum(rows[g] for g in groups) for groups in self.members]
        self.sizes = [BLOCK] * len(self.used) if self.is_joined else self.used
        self.starts = [0, *accumulate(self.sizes)]
        self.block, self.offset = [0] * len(rows), [0] * len(rows)
        for b, groups in enumerate(self.members):
            for g, at in zip(groups, accumulate([0, *(rows[g] for g in groups)]), strict=False):
                self.block[g], self.offset[g] = b, at
        if self.is_joined:
            order, below = _least_degree_and_below(self._coupled_blocks(near))
        self.order, self.below = order, below
        self.step = _places(order)

    def _coupled_blocks(self, near: Sequence[Set[int]]) -> list[set[int]]:
        out: list[set[int]] = [set() for _ in self.members]
        for g, others in enumerate(near):
            out[self.block[g]].update([self.block[i] for i in others])
        for b, others in enumerate(out):
            others.discard(b)
        return out

    def place(self, group: int) -> int:
        """Of the first unknown of a group, in blocks one behind the other."""
        return self.starts[self.block[group]] + self.offset[group]

    def in_turn(self, groups: Iterable[int]) -> list[int]:
        """Groups in the order of their elimination."""
        return sorted(groups, key=lambda g: (self.step[self.block[g]], self.offset[g]))


def _places(order: Sequence[int]) -> list[int]:
    step = [0] * len(order)
    for at, k in enumerate(order):
        step[k] = at
    return step


def _least_degree_and_below(near: Sequence[Set[int]]) -> tuple[list[int], list[list[int]]]:
    """The order of least degree, and of each unknown those after it that it is coupled with by then."""
    order = least_degree_order(near)
    step, left = _places(order), [set(x) for x in near]
    below: list[list[int]] = [[] for _ in order]
    for k in order:
        below[k] = sorted([i for i in left[k] if step[i] > step[k]], key=step.__getitem__)
        if below[k]:
            left[below[k][0]].update(below[k][1:])  # all others meet them by way of the first
    return order, below


def _joined_groups(rows: Sequence[int], order: Sequence[int], below: Sequence[Sequence[int]]) -> list[list[int]]:
    """Unknowns joined with those before them in the elimination tree, as long as they have room in one block."""
    children: list[list[int]] = [[] for _ in order]
    for k in order:
        if below[k]:
            children[below[k][0]].append(k)
    out: list[list[int]] = []
    growing: dict[int, list[int]] = {}
    for k in order:
        block, size = [k], rows[k]
        for child in sorted([growing.pop(c) for c in children[k] if c in growing], key=len):
            more = sum(rows[i] for i in child)
            if size + more <= BLOCK:
                block, size = [*child, *block], size + more
            else:
                out.append(child)
        growing[k] = block
    return out + list(growing.values())
