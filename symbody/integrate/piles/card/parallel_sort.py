"""Sorting on a card, as kernels with one thread for each part of the keys: the same order in every run.

A pass of radix sort: each thread counts the digits of its part, sums over counts say where its keys go, and each thread moves
its keys in their order. Nothing is added up by several threads at once, so that no result depends on which of them is first.
"""

from __future__ import annotations

from typing import Final

from ....emit.loops.kernel_language import Indices
from ....emit.loops.records import Struct

PARTS: Final = 256  # threads that sum counts


class DigitSort(Struct):
    """One pass over `size` keys by the digit of a `weight`, by `threads`.

    keys, values     before the pass, `sorted_keys` and `sorted_values` after it
    counts           of each digit and thread; then where its first key goes
    sums             of the counts of a part
    """

    size: int
    threads: int
    digits: int
    weight: int
    keys: Indices
    values: Indices
    sorted_keys: Indices
    sorted_values: Indices
    counts: Indices
    sums: Indices


def digit_of_key(r: DigitSort, k: int) -> int:
    return (r.keys[k] // r.weight) % r.digits


def first_of_part(i: int, size: int, parts: int) -> int:
    """The first of the i-th of so many parts."""
    at = i * ((size + parts - 1) // parts)
    return at if at < size else size


def count_digits(i: int, r: DigitSort) -> None:
    for d in range(r.digits):
        r.counts[d * r.threads + i] = 0
    for k in range(first_of_part(i, r.size, r.threads), first_of_part(i + 1, r.size, r.threads)):
        r.counts[digit_of_key(r, k) * r.threads + i] += 1


def sum_counts(i: int, r: DigitSort) -> None:
    total = 0
    for k in range(first_of_part(i, r.digits * r.threads, PARTS), first_of_part(i + 1, r.digits * r.threads, PARTS)):
        total += r.counts[k]
    r.sums[i] = total


def add_sums(i: int, r: DigitSort) -> None:
    """One thread: the sum of all parts before each."""
    total = i
    for k in range(PARTS):
        own = r.sums[k]
        r.sums[k] = total
        total += own


def place_counts(i: int, r: DigitSort) -> None:
    total = r.sums[i]
    for k in range(first_of_part(i, r.digits * r.threads, PARTS), first_of_part(i + 1, r.digits * r.threads, PARTS)):
        own = r.counts[k]
        r.counts[k] = total
        total += own


def collect_ends(i: int, r: DigitSort) -> None:
    """After the move, a thread for each digit: where it ends, in `sums`."""
    r.sums[i] = r.counts[(i + 1) * r.threads - 1]


def move_keys(i: int, r: DigitSort) -> None:
    for k in range(first_of_part(i, r.size, r.threads), first_of_part(i + 1, r.size, r.threads)):
        at = digit_of_key(r, k) * r.threads + i
        r.sorted_keys[r.counts[at]] = r.keys[k]
        r.sorted_values[r.counts[at]] = r.values[k]
        r.counts[at] += 1
