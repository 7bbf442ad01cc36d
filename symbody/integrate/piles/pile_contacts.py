"""All contacts of a pile at the midpoint of a step, as kernels. The contacts of a body stand together, by the lower
number of a pair; what they had as impulses in the step before is found again by the pair and the feature."""

from __future__ import annotations

from typing import Final

from .broad_phase import bucket_of_cell, is_apart, place_bodies
from .height_field import (
    MOST_TOUCHED,
    SAME,
    ball_on_triangle,
    cell_of_field,
    corner_on_field,
    is_over_field,
    set_triangle,
)
from .hull_contacts import ball_near_hull, hulls_overlap
from .pile_records import BALL, CLOSED, CLUMP, DRUM, HULL, LAWS, MOST_CORNERS, STATE, PileStep
from .round_contacts import ball_near_ball, ball_near_drum, ball_on_plane, drum_on_plane, height_over, set_ball

GROUND: Final = -1


def find_contacts(s: PileStep) -> None:
    set_margin(s)
    place_bodies(s)
    s.contacts = 0
    s.is_full = 0
    for i in range(s.n + s.machine.bodies):
        s.new_start[i] = s.contacts
        for plane in range(s.n_planes):
            touch_plane(s, i, plane)
        if s.field_kind >= 0:
            touch_field(s, i)
        touch_others(s, i)
    s.new_start[s.n + s.machine.bodies] = s.contacts


def set_margin(s: PileStep) -> None:
    """The gap up to which contacts are closed, before boxes are drawn around bodies: a pair that touches is never apart."""
    largest = 0.0
    for i in range(s.n):
        for r in range(3):
            largest = max(largest, abs(s.y[STATE * i + r]))
    s.margin = CLOSED * largest


def touch_others(s: PileStep, i: int) -> None:
    """Pairs of i with higher numbers: in the cells around it, and with what is too large for the grid."""
    g = s.grid
    if g.bucket[i] < 0:
        for j in range(i + 1, s.n + s.fixed):
            touch_pair(s, i, j)
    else:
        for k in range(g.count):
            if g.large[k] > i:
                touch_pair(s, i, g.large[k])
        for dx in range(3):
            for dy in range(3):
                for dz in range(3):
                    touch_cell(s, i, g.at[3 * i] + dx - 1, g.at[3 * i + 1] + dy - 1, g.at[3 * i + 2] + dz - 1)


def touch_cell(s: PileStep, i: int, x: int, y: int, z: int) -> None:
    g = s.grid
    bucket = bucket_of_cell(s, x, y, z)
    for k in range(g.start[bucket], g.start[bucket + 1]):
        j = g.sorted[k]
        if j > i and g.at[3 * j] == x and g.at[3 * j + 1] == y and g.at[3 * j + 2] == z:
            touch_pair(s, i, j)


def touch_pair(s: PileStep, i: int, j: int) -> None:
    """Contacts of two bodies, i < j."""
    if is_own_pair(s, i, j) == 1 or is_apart(s, i, j) == 1:
        return
    touch_balls_of_pair(s, i, j)
    if s.shapes.solids == 1 and s.shapes.form[s.kind[i]] == HULL and s.shapes.form[s.kind[j]] == HULL:
        count = hulls_overlap(s, i, j)
        for c in range(count):
            for r in range(4):
                s.w[3 + r] = s.clip[4 * c + r]
            keep_contact(s, i, j, s.kind[j], s.mark + c, 1.0)


def is_own_pair(s: PileStep, i: int, j: int) -> int:
    """Whether both belong to the mechanism, and are not among its pairs that may touch."""
    if i < s.n or j >= s.n + s.machine.bodies:
        return 0
    return 1 - s.machine.touches[(i - s.n) * s.machine.bodies + j - s.n]


def has_balls(s: PileStep, i: int) -> int:
    if s.shapes.solids == 0:
        return 1
    form = s.shapes.form[s.kind[i]]
    return 0 if form != BALL and form != CLUMP else 1


def balls_of(s: PileStep, i: int) -> int:
    """How many balls a clump has; a ball is one."""
    if s.shapes.clumps == 0:
        return 1
    k = s.kind[i]
    return s.shapes.corner[k + 1] - s.shapes.corner[k] if s.shapes.form[k] == CLUMP else 1


def touch_balls_of_pair(s: PileStep, i: int, j: int) -> None:
    """Contacts of balls of one of two bodies with the other."""
    if has_balls(s, i) == 1:
        for a in range(balls_of(s, i)):
            set_ball(s, i, a, 0)
            touch_ball(s, i, j, MOST_CORNERS * a)
    elif has_balls(s, j) == 1:
        for b in range(balls_of(s, j)):
            set_ball(s, j, b, 0)
            ball_near_solid(s, i)
            keep_contact(s, i, j, s.kind[j], b, -1.0)


def touch_ball(s: PileStep, i: int, j: int, feature: int) -> None:
    """The first ball in `ball`, which is one of i, with j."""
    if has_balls(s, j) == 1:
        for b in range(balls_of(s, j)):
            set_ball(s, j, b, 1)
            ball_near_ball(s)
            keep_contact(s, i, j, s.kind[j], feature + b, 1.0)
    else:
        ball_near_solid(s, j)
        keep_contact(s, i, j, s.kind[j], feature, 1.0)


def ball_near_solid(s: PileStep, j: int) -> None:
    if s.shapes.form[s.kind[j]] == HULL:
        ball_near_hull(s, j)
    else:
        ball_near_drum(s, j)


def touch_plane(s: PileStep, i: int, plane: int) -> None:
    k = s.kind[i]
    kind = s.plane_kind[plane]
    if height_over(s.planes[4 * plane :], s.y[STATE * i :]) > s.shapes.reach[k] + s.margin:
        return
    if has_balls(s, i) == 1:
        for a in range(balls_of(s, i)):
            set_ball(s, i, a, 0)
            ball_on_plane(s, plane)
            keep_contact(s, i, GROUND, kind, s.n_planes * a + plane, 1.0)
        return
    if s.shapes.form[k] == DRUM:
        for feature in range(6):
            drum_on_plane(s, i, plane, feature)
            keep_contact(s, i, GROUND, kind, s.n_planes * feature + plane, 1.0)
    if s.shapes.form[k] == HULL:
        for c in range(s.shapes.corner[k], s.shapes.corner[k + 1]):
            set_corner(s, i, c)
            s.w[6] = height_over(s.planes[4 * plane :], s.w[3:])
            for r in range(3):
                s.w[r] = s.planes[4 * plane + r]
            keep_contact(s, i, GROUND, kind, s.n_planes * (c - s.shapes.corner[k]) + plane, 1.0)


def set_corner(s: PileStep, i: int, c: int) -> None:
    """A corner of a hull in the ground frame, in w[3:6]."""
    for r in range(3):
        s.w[3 + r] = s.y[STATE * i + r]
        for j in range(3):
            s.w[3 + r] += s.turn[9 * i + 3 * r + j] * s.shapes.corners[3 * c + j]


def touch_field(s: PileStep, i: int) -> None:
    k = s.kind[i]
    if has_balls(s, i) == 1:
        for a in range(balls_of(s, i)):
            set_ball(s, i, a, 0)
            touch_triangles(s, i, a)
    else:
        for c in range(s.shapes.corner[k], s.shapes.corner[k + 1]):
            set_corner(s, i, c)
            for r in range(3):
                s.one[r] = s.w[3 + r]
            if is_over_field(s, s.one) == 1:
                corner_on_field(s, s.one)
                keep_contact(s, i, GROUND, s.field_kind, -1 - (c - s.shapes.corner[k]), 1.0)


def touch_triangles(s: PileStep, i: int, part: int) -> None:
    """The first ball in `ball` with the triangles in its box; points that are there already are left out."""
    radius = s.ball[3]
    reach = radius + s.margin
    x = s.ball[0]
    y = s.ball[1]
    begin = s.contacts
    first = 2 * part * s.field_shape[0] * s.field_shape[1]
    for a in range(cell_of_field(s, 0, x - reach), cell_of_field(s, 0, x + reach) + 1):
        for b in range(cell_of_field(s, 1, y - reach), cell_of_field(s, 1, y + reach) + 1):
            for half in range(2):
                set_triangle(s, a, b, half)
                ball_on_triangle(s)
                if s.contacts - begin < MOST_TOUCHED and is_new_point(s, begin, SAME * radius) == 1:
                    keep_contact(s, i, GROUND, s.field_kind, -1 - (first + 2 * (a * s.field_shape[1] + b) + half), 1.0)


def is_new_point(s: PileStep, begin: int, near: float) -> int:
    for c in range(begin, s.contacts):
        if s.second[c] == GROUND:
            farthest = 0.0
            for r in range(3):
                farthest = max(farthest, abs(s.arm[3 * c + r] - s.w[3 + r]))
            if farthest <= near:
                return 0
    return 1


def keep_contact(s: PileStep, i: int, j: int, kind: int, feature: int, sign: float) -> None:
    """The contact that is in w, where its gap is closed; sign -1: its normal is towards j."""
    if s.w[6] > s.margin:
        return
    if s.contacts >= s.capacity:
        s.is_full = 1
        return
    c = s.contacts
    s.first[c] = i
    s.second[c] = j
    s.feature[c] = feature
    s.gap[c] = s.w[6]
    for r in range(3):
        s.normal[3 * c + r] = sign * s.w[r]
        s.arm[3 * c + r] = s.w[3 + r]
    law = LAWS * (s.kind[i] * s.kinds + kind)
    s.graph.mu[c] = s.laws[law]
    s.restitution[c] = s.laws[law + 1]
    s.compliance[c] = s.laws[law + 2]
    s.contacts = c + 1
