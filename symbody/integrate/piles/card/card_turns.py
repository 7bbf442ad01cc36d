"""Anderson acceleration of sweeps on a card, as kernels: that of `block_sweeps.py`, with all contacts as one island.

The differences of the last turns are rows of dF, dG and dS. Scalar products are summed in two stages by threads with fixed parts, so
that results are reproducible; one thread solves for γ. If the change grows, the memory is cleared: turns that are not valid have
the products of the unit matrix.
"""

from __future__ import annotations

from typing import Final

from ...complementarity.block_sweeps import GROWTH, solve_products
from ...complementarity.contact_graph import MEMORY, ROWS
from ..pile_records import SPEEDS
from .card_records import CardStep

SUMS: Final = 2 * MEMORY + 1  # products with the new difference, with the change itself, and the square of this
MOST_MULTIPLIERS: Final = 32768  # threads that multiply, at most
ADDED_PARTS: Final = 128
NEVER: Final = 1e30  # the square of the change before the first turn


def forget_turns(i: int, d: CardStep) -> None:
    g = d.step.graph
    for m in range(g.memory):
        d.valid[m] = 0.0
        g.gamma[m] = 0.0
        for j in range(g.memory):
            g.products[g.memory * m + j] = 1.0 if m == j else 0.0
    d.valid[g.memory] = NEVER


def keep_forces(i: int, d: CardStep) -> None:
    """Before a sweep: one thread for each force."""
    d.step.graph.kept[i] = d.step.graph.x[i]


def take_forces(i: int, slot: int, d: CardStep) -> None:
    """After a sweep: the change of each force, and its difference to the turn before."""
    g = d.step.graph
    size = ROWS * d.active
    change = (g.x[i] - g.kept[i]) * g.root[i]
    g.dF[slot * size + i] = change - g.F[i]
    g.dG[slot * size + i] = g.x[i] - g.G[i]
    g.F[i] = change
    g.G[i] = g.x[i]


def take_speeds(i: int, slot: int, d: CardStep) -> None:
    g = d.step.graph
    g.dS[slot * SPEEDS * d.step.n + i] = g.s[i] - g.S[i]
    g.S[i] = g.s[i]


def multiply_turns(i: int, slot: int, d: CardStep) -> None:
    """Partial sums of products: each thread takes every `multipliers`-th force."""
    g = d.step.graph
    size = ROWS * d.active
    for r in range(SUMS):
        d.partial[r] = 0.0
    for turn in range((size - i + d.multipliers - 1) // d.multipliers):
        k = i + turn * d.multipliers
        change = g.F[k]
        new = g.dF[slot * size + k]
        for m in range(g.memory):
            own = 0.0
            if d.valid[m] > 0.0 or m == slot:
                own = g.dF[m * size + k]
            d.partial[2 * m] += own * new
            d.partial[2 * m + 1] += own * change
        d.partial[SUMS - 1] += change * change
    for r in range(SUMS):
        d.sums[SUMS * i + r] = d.partial[r]


def add_products(i: int, d: CardStep) -> None:
    """One thread for each sum and part."""
    part = i // SUMS
    size = d.multipliers // ADDED_PARTS
    total = 0.0
    for k in range(size):
        total += d.sums[SUMS * (part * size + k) + i % SUMS]
    d.totals[i] = total


def solve_turns(i: int, slot: int, d: CardStep) -> None:
    """One thread: γ with the smallest change, from the products of all valid turns."""
    g = d.step.graph
    for r in range(SUMS):
        d.partial[r] = 0.0
        for part in range(ADDED_PARTS):
            d.partial[r] += d.totals[SUMS * part + r]
    if d.partial[SUMS - 1] > GROWTH * d.valid[g.memory]:
        forget_turns(i, d)
    else:
        d.valid[slot] = 1.0
        for m in range(g.memory):
            g.right[m] = 0.0
            if d.valid[m] > 0.0:
                g.products[g.memory * m + slot] = d.partial[2 * m]
                g.products[g.memory * slot + m] = d.partial[2 * m]
                g.right[m] = d.partial[2 * m + 1]
        g.filled = g.memory
        solve_products(g, d.more, d.small)
    d.valid[g.memory] = d.partial[SUMS - 1]


def combine_forces(i: int, d: CardStep) -> None:
    g = d.step.graph
    for m in range(g.memory):
        if d.valid[m] > 0.0:
            g.x[i] -= g.gamma[m] * g.dG[m * ROWS * d.active + i]


def combine_speeds(i: int, d: CardStep) -> None:
    g = d.step.graph
    for m in range(g.memory):
        if d.valid[m] > 0.0:
            g.s[i] -= g.gamma[m] * g.dS[m * SPEEDS * d.step.n + i]
