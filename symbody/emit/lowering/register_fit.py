"""The program of several ways to the same results that suits a machine on which values live in registers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, TypeVar

from ..programs.program import Program
from .lower import operations
from .register_order import values_alive, with_fewer_alive
from .straight_line import without_tree_loops

REGISTERS: Final = {
    "float": 200,
    "double": 100,
}  # values that the registers of a GPU thread hold beside addresses and constants
MAX_RELATIVE_COST: Final = 1.3  # programs of up to this many times the fewest operations are tried

Way = TypeVar("Way", bound=Any)  # an expression, a matrix, a sequence or a table of them


def fitting_program(ways: Sequence[Way], made: Callable[[Way, bool], Program], room: int) -> Program:
    """The program of the way with fewest operations; where more than `room` of its values are needed at one time, one
    that needs fewest, also of those without common factors: sums wait for theirs.

    made   the program of a way, with common factors taken out of sums or without
    """
    ways = sorted(ways, key=operations)
    first = made(ways[0], True)
    if most_alive(first) <= room:
        return first
    near = [w for w in ways if operations(w) <= MAX_RELATIVE_COST * operations(ways[0])]
    tried = [first, *(made(w, True) for w in near[1:]), *(made(w, False) for w in near)]
    return min(tried, key=lambda p: (max(room, most_alive(p)), p.cost.total))


def most_alive(made: Program) -> int:
    """Values alive at one time, as a GPU computes them."""
    return values_alive(with_fewer_alive(without_tree_loops(made)))
