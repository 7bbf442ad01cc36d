"""Records of the kernels of piles on a card."""

from __future__ import annotations

from typing import Final

from ....emit.loops.kernel_language import Indices, Known, Mutable, Numbers
from ....emit.loops.records import Struct
from ..pile_records import PileStep
from .parallel_sort import DigitSort

NONE: Final = -2  # the other body of a slot without a contact
COLOURS: Final = 48  # at most, of contacts of a mechanism as many again
MOST_IN_CELL: Final = (
    1024  # bodies in a cell; its width is that of the largest, and others are at least a quarter as wide
)
GROUPS: Final = 4  # of the contacts of a mechanism, at least
PRIME: Final = 2147483647
FACTOR: Final = 1327217885  # PRIME over the golden ratio: neighbours in memory are far apart
CROWDED, WAITING, NOT_FINITE_STATE = 0, 1, 2  # places of flags


class CardStep(Struct):
    """A step on a card. `slots` of each body, those of surfaces of a mechanism last; `count` of those in use, `left` without a colour, `reverse`: contacts in
    slots of lower numbers, `reversed` of them.

    colour     of each slot, -1: none yet; `order`: slots by colours, `active` of them, and the `rank` of each slot there
    found_...  what is found, by slots; fields of `step` are by the order
    flags      1: a body has too many contacts; contacts wait for a colour; a state is not finite
    sums       of the squares of the residual, by `threads`; `totals` of these, by PARTS
    used       of a thread: colours that its neighbours have; waits 1: one has none
    surfaces   of a mechanism, the first fixed bodies; is_carried 0: there are none
    twist      of each surface before the step, `free` after it without contacts, `answer` its change; `response` of all to impulses
               and moments, `wrench`; `wrenches` are parts of the sum
    valid      1 of turns whose differences are remembered, then the square of the last change; `partial` sums of a thread, of `multipliers`
    work       of the contacts on each body in a step
    more       of the diagonal of the least-squares problem, and fraction of it below which a pivot is `small`
    """

    slots: int
    count: Indices
    left: Indices
    reverse: Indices
    reversed: Indices
    colour: Indices
    order: Indices
    rank: Indices
    found_first: Indices
    found_second: Indices
    found_feature: Indices
    found_normal: Numbers
    found_arm: Numbers
    found_gap: Numbers
    found_mu: Numbers
    found_restitution: Numbers
    found_compliance: Numbers
    active: int
    threads: int
    flags: Indices
    sums: Numbers
    totals: Numbers
    used: Indices
    waits: Mutable[int]
    surfaces: int
    is_carried: Known[int]
    twist: Numbers
    free: Numbers
    response: Numbers
    wrench: Numbers
    wrenches: Numbers
    answer: Numbers
    valid: Numbers
    work: Numbers
    partial: Numbers
    multipliers: int
    more: float
    small: float
    step: PileStep
    sort: DigitSort
