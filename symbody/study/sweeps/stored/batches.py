"""Batches of members: a batch is one task, and one chunk of every array of the study."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Batches:
    """Chunks of an array of members.

    shape   of the study
    chunk   members of a batch along each dimension: 1 ... 1, some, all ... all, so that the members of a batch have
            neighbouring numbers
    """

    shape: tuple[int, ...]
    chunk: tuple[int, ...]

    @property
    def counts(self) -> tuple[int, ...]:
        """Batches along each dimension."""
        return tuple(-(-n // c) for n, c in zip(self.shape, self.chunk, strict=True))

    def __len__(self) -> int:
        return math.prod(self.counts)

    def place(self, k: int) -> tuple[int, ...]:
        """The number of a batch along each dimension."""
        return tuple(map(int, np.unravel_index(k, self.counts)))

    def sizes(self, k: int) -> tuple[int, ...]:
        """SweptMembers of a batch along each dimension: fewer at the ends."""
        return tuple(min(c, n - p * c) for p, n, c in zip(self.place(k), self.shape, self.chunk, strict=True))

    def members(self, k: int) -> range:
        first = tuple(p * c for p, c in zip(self.place(k), self.chunk, strict=True))
        begin = int(np.ravel_multi_index(first, self.shape))
        return range(begin, begin + math.prod(self.sizes(k)))


def batches(shape: tuple[int, ...], most: int) -> Batches:
    """Batches of at most `most` members: as many whole rows of the last dimensions as fit."""
    chunk: list[int] = []
    for n in reversed(shape):
        inside = math.prod(chunk)
        is_whole = inside == math.prod(shape[len(shape) - len(chunk) :])
        chunk.append(max(1, min(n, most // inside)) if is_whole else 1)
    return Batches(shape, tuple(reversed(chunk)))
