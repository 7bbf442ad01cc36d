"""The shape of a tree of bodies: what `loops/tree_kernels.py` knows of it when it is translated, and how much memory it
takes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from .splitting import CACHE_LINE

ROW: Final = 10  # numbers in a row of an articulated inertia: six, three for angular velocities, one for the wrench
INPUTS: Final = ("S", "speed", "force", "falling", "lumps", "twist", "slopes")


@dataclass(frozen=True)
class TreeShape:
    """Structure of a tree and of the derivatives that are wanted.

    parent, last   for each degree of freedom: the one before it (n: the ground), and the last of its joint
    lump           number of its lump, -1 if it has none
    rows           the row of each degree of freedom in results, which is the number of its speed
    joint          for each coordinate the first degree of freedom of its joint
    groups         first column and number of columns of each result; columns are coordinates, then speeds, then others
    entries        column and row (a degree of freedom) of the slopes of forces that are not zero
    """

    parent: tuple[int, ...]
    last: tuple[int, ...]
    lump: tuple[int, ...]
    rows: tuple[int, ...]
    joint: tuple[int, ...]
    groups: tuple[tuple[int, int], ...]
    more: int
    entries: tuple[tuple[int, int], ...]

    @property
    def n(self) -> int:
        return len(self.parent)

    @property
    def columns(self) -> int:
        return len(self.joint) + self.n

    @cached_property
    def paths(self) -> list[list[int]]:
        """For each degree of freedom those between it and the ground, from the ground on."""
        out: list[list[int]] = []
        for p in self.parent:
            out.append([*out[p], p] if p < self.n else [])
        return out

    @cached_property
    def forks(self) -> list[bool]:
        return [self.parent.count(i) > 1 for i in range(self.n)]

    @cached_property
    def fork_paths(self) -> list[list[int]]:
        """Paths as far as the last fork."""
        out = []
        for path in self.paths:
            forks = [k for k, i in enumerate(path) if self.forks[i]]
            out.append(path[: forks[-1] + 1] if forks else [])
        return out

    @property
    def joints(self) -> list[int]:
        """For each column of a coordinate or speed the first degree of freedom of its joint."""
        first = [next(k for k in range(self.n) if self.last[k] == self.last[i]) for i in range(self.n)]
        return [*self.joint, *(first[self.rows.index(j)] for j in range(self.n))]

    def _later(self) -> list[int]:
        """For each degree of freedom where the first of those that hang on it, however far, ends: X is of use to what
        comes after."""
        out = [self.n] * self.n
        for i in reversed(range(self.n)):
            p = self.parent[i]
            if p < self.n:
                out[p] = min(out[p], out[i], self.ends[i])
        return out

    @cached_property
    def ends(self) -> list[int]:
        end = list(range(1, self.n + 1))
        for i in reversed(range(self.n)):
            if self.parent[i] < self.n:
                end[self.parent[i]] = max(end[self.parent[i]], end[i])
        return end

    def sizes(self) -> dict[str, int]:
        """Numbers in each array of inputs."""
        n, turns = self.n, len(self.joint)
        count = 10 * sum(k >= 0 for k in self.lump)
        return dict(zip(INPUTS, (8 * n, n, n, 3, count, 6 * turns, len(self.entries)), strict=True))

    @property
    def results(self) -> int:
        """Items of the block: the results one after the other, each row after row."""
        return self.n * sum(count for _, count in self.groups)

    def items(self, group: int) -> range:
        first = self.n * sum(count for _, count in self.groups[:group])
        return range(first, first + self.n * self.groups[group][1])

    def blocks(self, lanes: int) -> int:
        """Vectors for a number of each degree of freedom; an odd number, so that columns do not meet in the processor's
        cache."""
        return -(-self.n // lanes) | 1

    def memory(self, lanes: int) -> dict[str, int]:
        """Numbers in each array, inputs first."""
        n, length, wide = self.n, self.blocks(lanes) * lanes, -(-ROW // lanes) * lanes
        vectors = 6 * (n + 1)
        scratch = {
            "v": vectors, "a": vectors, "F": vectors, "b": vectors, "J": 6 * n * wide, "K": 9 * n, "free": n, "reciprocal": n, "row": max(wide, 16),
            "one": 8, "other": 8, "base": 9 * self.columns + 8, "g": 8 * self.columns, "P": 24 * n, "rate": vectors, "L": 6 * (n + 1) * -(-6 // lanes) * lanes, "X": 6 * (n + 1) * length, "inverse": n * length,
            "Y": 9 * length, "steps": 3 * length + lanes, "columnwise": (self.columns + self.more) * length,
        }  # fmt: skip
        return self.sizes() | scratch

    def places(self, lanes: int) -> tuple[dict[str, int], int]:
        """Where each array begins, and the size of all: inputs one after the other, the rest at lines of the cache."""
        out, at, inputs = {}, 0, self.sizes()
        for name, size in self.memory(lanes).items():
            at = at if name in inputs else -(-at // CACHE_LINE) * CACHE_LINE
            out[name], at = at, at + size
        return out, at

    def known(self, lanes: int) -> dict[str, Any]:
        """Values of the known fields of `TreeSlopes`."""
        n, joint = self.n, self.joints
        by_joint = [[k for k, j in enumerate(joint) if j == i] for i in range(n)]
        return {
            "n": n, "columns": self.columns, "more": self.more, "turns": len(self.joint), "entries": len(self.entries),
            "lanes": lanes, "blocks": self.blocks(lanes), "wide": -(-ROW // lanes), "six": -(-6 // lanes),
            "parent": self.parent, "last": self.last, "end": tuple(self.ends), "lump": self.lump,
            "forks": tuple(map(int, self.forks)),
            "later": tuple(self._later()), "fork_path": _flat_table(self.fork_paths), "fork_from": _starts(self.fork_paths),
            "is_single": tuple(int(self.last[i] == i and len(by_joint[i]) == 2) for i in range(n)), "joint": tuple(joint), "speeds": tuple(self.rows.index(j) for j in range(n)),
            "columns_of": _flat_table(by_joint), "columns_from": _starts(by_joint),
            "entry_column": _flat_table([[c for c, _ in self.entries]]), "entry_row": _flat_table([[r for _, r in self.entries]]),
        }  # fmt: skip

    @cached_property
    def operations(self) -> tuple[int, int]:
        """Additions and multiplications, of one degree of freedom and one pair after the other."""
        n, columns, lumps = self.n, self.columns, sum(k >= 0 for k in self.lump)
        size = [e - i for i, e in enumerate(self.ends)]
        bodies = 30 * n + 100 * lumps + 150 * n + 30 * n + 120 * n
        bases = columns * (6 * 15 + 36) + 60 * len(self.joint)
        pairs = (
            12 * n * n // 2
            + sum(6 * (n - k) for k in self._later())
            + 6 * sum(map(len, self.fork_paths))
            + 16 * sum(size)
        )
        pairs += sum(6 * (n - size[j]) + 9 * size[j] for j in self.joints) + n * len(self.entries)
        return bodies + bases + pairs, bodies + bases + pairs


def _flat_table(lists: Sequence[Sequence[int]]) -> tuple[int, ...]:
    """All in a row; a table is never empty."""
    return tuple(x for part in lists for x in part) or (0,)


def _starts(lists: Sequence[Sequence[int]]) -> tuple[int, ...]:
    out = [0]
    for part in lists:
        out.append(out[-1] + len(part))
    return tuple(out)
