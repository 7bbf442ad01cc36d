"""The step of a pile of balls on a card, as kernels with one thread for each body or contact.

What a body or a contact does is what it does in `pile_step.py` and `block_sweeps.py`: the same kernels. A body has a number of
slots for the contacts that are found with bodies of higher numbers and with walls; they are solved in other memory, side by side. Contacts are divided into colours, so that no body has two of
one colour; the contacts of a colour are swept at the same time, colours one after another. Colours follow from numbers alone
(Jones and Plassmann 1993): the order of threads changes nothing.
"""

from __future__ import annotations

from ....emit.loops.kernel_language import is_finite
from ...complementarity.block_sweeps import sweep_contact
from ...complementarity.contact_graph import ROWS, first_entry, missed_squares, set_diagonal
from ..broad_phase import bucket_of_cell, is_apart, set_box, set_cell
from ..pile_contacts import touch_balls_of_pair, touch_plane
from ..pile_records import PLACE, SPEEDS, STATE, PileStep
from ..pile_step import (
    advance_body,
    ask_for_separation,
    change_speeds,
    is_between_bodies,
    recall_impulse,
    set_contact_rows,
    set_free_speed,
    set_shift,
    store_impulse,
    turn_body,
    work_on_body,
)
from .card_records import (
    COLOURS,
    CROWDED,
    FACTOR,
    GROUPS,
    MOST_IN_CELL,
    NONE,
    NOT_FINITE_STATE,
    PRIME,
    WAITING,
    CardStep,
)
from .card_surfaces import clear_block, is_on_surface, set_surface_rows
from .parallel_sort import PARTS, first_of_part

# ------------------------------------------------------------------------------------------------------- broad phase


def begin_body(i: int, t: float, d: CardStep) -> None:
    """Half a step of a body without contacts, its speeds at the end, its cell; bodies that are too large for the grid are in a bucket
    behind the others."""
    s = d.step
    if i < s.n:
        for j in range(STATE):
            s.before[STATE * i + j] = s.y[STATE * i + j]
        advance_body(s, i, 0)
        set_free_speed(s, i, t)
    if i < s.n or i >= s.n + d.surfaces:
        turn_body(s, i)
    set_box(s, i)
    s.grid.bucket[i] = s.grid.buckets
    if 2.0 * s.shapes.reach[s.kind[i]] <= s.grid.widest:
        set_cell(s, i)
    d.sort.keys[i] = s.grid.bucket[i]
    d.sort.values[i] = i


def set_bucket_starts(i: int, d: CardStep) -> None:
    """Where buckets begin among the sorted bodies; a thread for each of them and one more."""
    g = d.step.grid
    total = d.step.n + d.step.fixed
    before = -1
    if i > 0:
        before = d.sort.keys[i - 1]
    own = g.buckets
    if i < total:
        own = d.sort.keys[i]
    for k in range(before + 1, own + 1):
        g.start[k] = i


def find_contacts_of_body(i: int, d: CardStep) -> None:
    """Of a free body with walls and bodies of higher numbers; of a surface with walls and fixed bodies."""
    s = d.step
    begin = d.slots * i
    s.contacts = begin
    s.capacity = begin + d.slots
    s.is_full = 0
    for plane in range(s.n_planes):
        touch_plane(s, i, plane)
    if i >= s.n:
        for j in range(s.n + d.surfaces, s.n + s.fixed):
            touch_body(s, i, j)
    else:
        for k in range(s.grid.start[s.grid.buckets], s.n + s.fixed):
            touch_body(s, i, s.grid.sorted[k])
        for cell in range(27):
            touch_bodies_of_cell(s, i, cell)
    d.count[i] = s.contacts - begin
    d.left[i] = d.count[i]
    for c in range(begin, begin + d.slots):
        d.colour[c] = -1
        if c >= s.contacts:
            s.second[c] = NONE
    if s.is_full == 1:
        d.flags[CROWDED] = 1


def touch_body(s: PileStep, i: int, j: int) -> None:
    if is_apart(s, i, j) == 0:
        touch_balls_of_pair(s, i, j)


def touch_bodies_of_cell(s: PileStep, i: int, cell: int) -> None:
    """Bodies of higher numbers in one of the cells around a body."""
    g = s.grid
    x = g.at[3 * i] + cell // 9 - 1
    y = g.at[3 * i + 1] + (cell // 3) % 3 - 1
    z = g.at[3 * i + 2] + cell % 3 - 1
    bucket = bucket_of_cell(s, x, y, z)
    if g.start[bucket + 1] - g.start[bucket] > MOST_IN_CELL:
        s.is_full = 1
    for k in range(g.start[bucket], end_of_bucket(s, bucket)):
        j = g.sorted[k]
        if j > i and g.at[3 * j] == x and g.at[3 * j + 1] == y and g.at[3 * j + 2] == z:
            touch_body(s, i, j)


def end_of_bucket(s: PileStep, bucket: int) -> int:
    """Bodies that overlap by the thousand are not looked at one by one."""
    g = s.grid
    last = g.start[bucket] + MOST_IN_CELL
    return last if last < g.start[bucket + 1] else g.start[bucket + 1]


def find_reverse(i: int, d: CardStep) -> None:
    """Contacts with a body that are in slots of lower numbers."""
    s = d.step
    g = s.grid
    d.reversed[i] = 0
    for cell in range(27):
        x = g.at[3 * i] + cell // 9 - 1
        y = g.at[3 * i + 1] + (cell // 3) % 3 - 1
        z = g.at[3 * i + 2] + cell % 3 - 1
        bucket = bucket_of_cell(s, x, y, z)
        for k in range(g.start[bucket], end_of_bucket(s, bucket)):
            j = g.sorted[k]
            if j < i and g.at[3 * j] == x and g.at[3 * j + 1] == y and g.at[3 * j + 2] == z:
                keep_reverse(d, i, j)


def keep_reverse(d: CardStep, i: int, j: int) -> None:
    for c in range(d.slots * j, d.slots * j + d.count[j]):
        if d.step.second[c] == i:
            if d.reversed[i] < d.slots:
                d.reverse[d.slots * i + d.reversed[i]] = c
                d.reversed[i] += 1
            else:
                d.flags[CROWDED] = 1


# ------------------------------------------------------------------------------------------------------- colours


def colour_contacts(i: int, d: CardStep) -> None:
    """Colours for those contacts of a body that do not wait for others; `left` of them have none."""
    if d.left[i] == 0:
        return
    left = 0
    for c in range(d.slots * i, d.slots * i + d.count[i]):
        if d.colour[c] < 0:
            colour_contact(c, d)
            left += d.waits
    d.left[i] = left


def colour_contact(c: int, d: CardStep) -> None:
    """The first colour that no neighbour of higher priority has, as soon as all of these have one."""
    s = d.step
    for k in range(COLOURS):
        d.used[k] = 0
    d.waits = 0
    if s.first[c] < s.n:
        see_colours(d, c, s.first[c])
    if is_between_bodies(s, c) == 1:
        see_colours(d, c, s.second[c])
    if d.waits == 1:
        d.flags[WAITING] = 1
        return
    own = is_on_surface(d, c) * (c // d.slots + c % d.slots) % GROUPS  # fewer of them are swept at the same time
    while own < COLOURS - 1 and d.used[own] == 1:
        own += 1
    if d.used[own] == 1:
        d.flags[CROWDED] = 1
    d.colour[c] = own


def see_colours(d: CardStep, c: int, i: int) -> None:
    """Colours of the other contacts of a body; those of surfaces have colours of their own."""
    own = is_on_surface(d, c)
    for k in range(d.count[i] + d.reversed[i]):
        e = d.slots * i + k
        if k >= d.count[i]:
            e = d.reverse[d.slots * i + k - d.count[i]]
        if is_before(e, c) == 1 and is_on_surface(d, e) == own:
            colour = d.colour[e]
            if colour < 0:
                d.waits = 1
            else:
                d.used[colour] = 1


def is_before(e: int, c: int) -> int:
    """Whether a contact has a higher priority than another: by squares of multiples, in which neighbours have no order; then by
    numbers."""
    one = ((e + 1) * FACTOR) % PRIME
    other = ((c + 1) * FACTOR) % PRIME
    one = (one * one) % PRIME
    other = (other * other) % PRIME
    return 1 if one > other or (one == other and e > c) else 0


def class_of(c: int, d: CardStep) -> int:
    """The colour of a contact; those of surfaces come after others."""
    return d.colour[c] + COLOURS * is_on_surface(d, c)


def count_colours(i: int, d: CardStep) -> None:
    """A pass of the sort by colours (`parallel_sort.py`), whose keys are those of the contacts of a part of the bodies."""
    r = d.sort
    for k in range(r.digits):
        r.counts[k * r.threads + i] = 0
    for body in range(first_of_part(i, r.size, r.threads), first_of_part(i + 1, r.size, r.threads)):
        for c in range(d.slots * body, d.slots * body + d.count[body]):
            r.counts[class_of(c, d) * r.threads + i] += 1


def order_contacts(i: int, d: CardStep) -> None:
    r = d.sort
    for body in range(first_of_part(i, r.size, r.threads), first_of_part(i + 1, r.size, r.threads)):
        for c in range(d.slots * body, d.slots * body + d.count[body]):
            at = class_of(c, d) * r.threads + i
            d.order[r.counts[at]] = c
            r.counts[at] += 1


# ------------------------------------------------------------------------------------------------------- contacts


def pose_contact(i: int, d: CardStep) -> None:
    """The i-th contact in the order: its rows and the impulse of the step before; one with a wall has a block of zeros for the same
    body."""
    s = d.step
    g = s.graph
    c = d.order[i]
    d.rank[c] = i
    s.first[i] = d.found_first[c]
    s.second[i] = d.found_second[c]
    s.feature[i] = d.found_feature[c]
    s.gap[i] = d.found_gap[c]
    s.restitution[i] = d.found_restitution[c]
    s.compliance[i] = d.found_compliance[c]
    g.mu[i] = d.found_mu[c]
    for r in range(3):
        s.normal[3 * i + r] = d.found_normal[3 * c + r]
        s.arm[3 * i + r] = d.found_arm[3 * c + r]
    if is_on_surface(d, i) == 1:
        set_surface_rows(d, i)
    else:
        set_contact_rows(s, i, 2 * i)
        if is_between_bodies(s, i) == 0:
            g.places[2 * i + 1] = g.places[2 * i]
            clear_block(g, 2 * i + 1)
        set_diagonal(g, i)
    recall_impulse(s, i)


def gather_speeds(i: int, d: CardStep) -> None:
    """s = V x of a body, over its contacts in their order."""
    g = d.step.graph
    for j in range(SPEEDS):
        g.s[SPEEDS * i + j] = 0.0
    for k in range(d.count[i]):
        gather_block(d, i, d.rank[d.slots * i + k], 0)
    for k in range(d.reversed[i]):
        gather_block(d, i, d.rank[d.reverse[d.slots * i + k]], 1)


def gather_block(d: CardStep, i: int, c: int, second: int) -> None:
    g = d.step.graph
    V = g.V[first_entry(g, 2 * c + second) :]
    for r in range(ROWS):
        for j in range(SPEEDS):
            g.s[SPEEDS * i + j] += V[(SPEEDS * r + j) * g.stride] * g.x[ROWS * c + r]


def sweep_colour(i: int, first: int, d: CardStep) -> None:
    sweep_contact(d.step.graph, first + i)


def add_residuals(i: int, d: CardStep) -> None:
    """Sums over every so many contacts: of what they miss, and of both scales."""
    g = d.step.graph
    g.free = 0.0
    g.pushed = 0.0
    square = 0.0
    for turn in range((d.active - i + d.threads - 1) // d.threads):
        square += missed_squares(g, i + turn * d.threads)
    d.sums[3 * i] = square
    d.sums[3 * i + 1] = g.free
    d.sums[3 * i + 2] = g.pushed


def add_sums_of_residuals(i: int, d: CardStep) -> None:
    """The same of a part of these sums."""
    for r in range(3):
        total = 0.0
        for k in range(first_of_part(i, d.threads, PARTS), first_of_part(i + 1, d.threads, PARTS)):
            total += d.sums[3 * k + r]
        d.totals[3 * i + r] = total


# ------------------------------------------------------------------------------------------------------- end of the step


def forget_impulse(c: int, d: CardStep) -> None:
    d.step.old_second[c] = NONE


def keep_impulse(i: int, d: CardStep) -> None:
    """The impulse of the i-th contact in the order, in its slot."""
    store_impulse(d.step, i, d.order[i])


def change_body(i: int, d: CardStep) -> None:
    """Speeds after the step."""
    s = d.step
    d.work[i] = work_on_body(s, i)
    change_speeds(s, i)
    for j in range(SPEEDS):
        s.shift[SPEEDS * i + j] = 0.0
        if not is_finite(s.y[STATE * i + PLACE + j]):
            d.flags[NOT_FINITE_STATE] = 1


def add_work(i: int, d: CardStep) -> None:
    """Sums over every so many bodies, in place of what contacts miss."""
    total = 0.0
    for turn in range((d.step.n - i + d.threads - 1) // d.threads):
        total += d.work[i + turn * d.threads]
    d.sums[3 * i] = total
    d.sums[3 * i + 1] = 0.0
    d.sums[3 * i + 2] = 0.0


def begin_separation(i: int, d: CardStep) -> None:
    ask_for_separation(d.step, i)


def end_separation(i: int, d: CardStep) -> None:
    set_shift(d.step, i)


def restore_body(i: int, d: CardStep) -> None:
    """Back to the state before the step."""
    for j in range(STATE):
        d.step.y[STATE * i + j] = d.step.before[STATE * i + j]


def end_body(i: int, d: CardStep) -> None:
    advance_body(d.step, i, 1)
