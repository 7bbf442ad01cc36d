"""Solves that share their factors, joined into one instruction with several right sides.

Derivatives solve for many right sides with one matrix. Together, each number of the factors is loaded once for all of
them, and a vector register holds one number of several right sides, without the short loops and remainders that one
alone has.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from ..programs.instruction_order import depth_first
from ..programs.program import Instruction, Program

ZERO: Final = Instruction("const", (), 0.0)
MAX_RIGHT_SIDES: Final = 64  # right sides of one solve: more would not stay in the cache


def with_joined_solves(p: Program) -> Program:
    """The same program, solves joined where none of them needs the result of another; itself if there are none."""
    if not any(i.op == "solve" for i in p.code):
        return p
    parts = [part for group in _groups(p.code) for part in _parts(group) if len(part) > 1]
    if not parts:
        return p
    code = list(p.code)
    where: dict[int, tuple[int, int]] = {}  # solve -> solve that it is joined into, place of its first item
    for part in parts:
        first, n = part[0], p.code[p.code[part[0]].args[0]].data.n
        code[first] = code[first].of((code[first].args[0], *(a for k in part for a in p.code[k].args[1:])))
        where |= {k: (first, place * n) for place, k in enumerate(part)}
    for k, i in enumerate(p.code):
        if i.op == "item" and i.args[0] in where:
            solve, start = where[i.args[0]]
            code[k] = Instruction("item", (solve,), start + i.data)
    return in_order(p, code, [o.values for o in p.outputs], p.labels)


def _groups(code: Sequence[Instruction]) -> Iterable[list[int]]:
    """Solves with the same factors and the same depth, which is how many solves lie one after the other on the way to
    them.

    Of two solves of one depth neither needs the other, not even by way of what both are joined with. Those whose right
    sides begin with zeros come last: there the first rows can be skipped.
    """
    depth: list[int] = []
    groups: dict[tuple[int, bool, int], list[int]] = {}
    for k, i in enumerate(code):
        before = max((depth[a] for a in i.args), default=0)
        depth.append(before + (i.op == "solve"))
        if i.op == "solve":
            groups.setdefault((i.args[0], i.data, before), []).append(k)
    return [sorted(group, key=lambda k: leading_zeros(code, code[k], [0])) for group in groups.values()]


def _parts(group: Sequence[int]) -> Iterable[Sequence[int]]:
    """Parts of about equal size."""
    count = -(-len(group) // MAX_RIGHT_SIDES)
    size = -(-len(group) // count)
    return (group[k : k + size] for k in range(0, len(group), size))


def in_order(
    p: Program, code: Sequence[Instruction], outputs: Sequence[Sequence[int]], labels: Mapping[int, str]
) -> Program:
    """A program of other instructions, such that a value is computed shortly before it is used, and those that nothing
    uses are gone."""
    order = depth_first((v for values in outputs for v in values), {k: i.args for k, i in enumerate(code)})
    number = {k: at for at, k in enumerate(order)}
    return replace(
        p,
        code=tuple(code[k].of(tuple(number[a] for a in code[k].args)) for k in order),
        outputs=tuple(
            replace(o, values=tuple(number[v] for v in values)) for o, values in zip(p.outputs, outputs, strict=True)
        ),
        labels={number[k]: label for k, label in labels.items() if k in number},
    )


def leading_zeros(code: Sequence[Instruction], solve: Instruction, sides: Iterable[int]) -> int:
    """Number of leading rows that are zero in all of these right sides."""
    n = code[solve.args[0]].data.n
    columns = [solve.args[1 + r * n : 1 + (r + 1) * n] for r in sides]
    return next((row for row in range(n) if any(code[c[row]] != ZERO for c in columns)), n)


# ---------------------------------------------------------------------------------------------------- memory


@dataclass(frozen=True)
class Lot:
    """Right sides that one call of a kernel takes side by side: entry i of right side r lies at `at + i * width + r -
    first`."""

    first: int
    count: int
    width: int  # at least count: places beyond are there for the sake of registers
    at: int

    @property
    def sides(self) -> range:
        return range(self.first, self.first + self.count)

    def place(self, r: int, i: int) -> int:
        return self.at + i * self.width + r - self.first


@dataclass(frozen=True)
class Layout:
    """Memory layout of the right sides of a solve, and then of its solutions."""

    n: int
    lots: tuple[Lot, ...]

    @property
    def size(self) -> int:
        return self.n * sum(lot.width for lot in self.lots)

    def places(self) -> list[int]:
        """Of each entry, in the order of the program."""
        return [lot.place(r, i) for lot in self.lots for r in lot.sides for i in range(self.n)]

    def place(self, item: int) -> int:
        r, i = divmod(item, self.n)
        return next(lot.place(r, i) for lot in self.lots if r in lot.sides)


def right_side_layout(n: int, count: int, widths: Sequence[int], fewest: int) -> Layout:
    """Of `count` right sides of n numbers: in lots of the least width that holds all, or of the largest; single where
    fewer than `fewest` are left."""
    lots: list[Lot] = []
    first = at = 0
    while first < count:
        left = count - first
        width = next((w for w in widths if w >= left), widths[-1]) if left >= fewest else 1
        lots.append(Lot(first, min(left, width), width, at))
        first, at = first + lots[-1].count, at + n * width
    return Layout(n, tuple(lots))
