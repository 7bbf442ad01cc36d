"""Points of contact of convex polyhedra, as kernels: with half-spaces, with balls, and with each other.

Two polyhedra overlap unless a normal of a face, or the common normal of two edges, separates them. The axis along which
they overlap least is the normal. Edges count where their arcs cross on the Gauss map (Gregorius 2013). On a face, the
opposite face is clipped to it, and the corners that are below it are the points of contact.
"""

from __future__ import annotations

from math import sqrt
from typing import Final

from ...emit.loops.kernel_language import Numbers
from .pile_records import MOST_CORNERS, ROOM, STATE, PileStep
from .round_contacts import height_over

FACE_PREFERRED: Final = 0.02  # two edges meet only where they overlap less than faces do by this fraction
DEPTH_TOLERANCE: Final = 1e-12  # depths that differ by less count as equal [m]
EVERYWHERE: Final = 1e300  # a reach that leaves out no edge


def set_world_hull(s: PileStep, i: int, room: Numbers) -> None:
    """Corners of a hull in the ground frame, then normals and distances of its faces from ROOM on."""
    k = s.kind[i]
    begin = s.shapes.corner[k]
    for c in range(s.shapes.corner[k + 1] - begin):
        for r in range(3):
            x = s.y[STATE * i + r]
            for j in range(3):
                x += s.turn[9 * i + 3 * r + j] * s.shapes.corners[3 * (begin + c) + j]
            room[3 * c + r] = x
    begin = s.shapes.face[k]
    for f in range(s.shapes.face[k + 1] - begin):
        distance = s.shapes.face_planes[4 * (begin + f) + 3]
        for r in range(3):
            n = 0.0
            for j in range(3):
                n += s.turn[9 * i + 3 * r + j] * s.shapes.face_planes[4 * (begin + f) + j]
            room[ROOM + 4 * f + r] = n
            distance += n * s.y[STATE * i + r]
        room[ROOM + 4 * f + 3] = distance


# ------------------------------------------------------------------------------------------------------- with a ball


def ball_near_hull(s: PileStep, j: int) -> None:
    """From the hull j towards the first ball in `ball`: the point of the hull that is nearest to the centre, found in the hull's axes."""
    k = s.kind[j]
    x = s.ball[4:]
    set_in_axes(s, j, x)
    best = -1e300
    for f in range(s.shapes.face[k], s.shapes.face[k + 1]):
        distance = height_over(s.shapes.face_planes[4 * f :], x)
        if distance > best:
            best = distance
            for r in range(3):
                s.w[r] = s.shapes.face_planes[4 * f + r]
    s.w[6] = best - s.ball[3]
    if best > 0.0 and s.w[6] <= 0.0:
        nearest_on_faces(s, k, x)
    else:
        for r in range(3):
            s.w[3 + r] = x[r] - best * s.w[r]
    set_in_ground(s, j)


def set_in_axes(s: PileStep, j: int, to: Numbers) -> None:
    """The centre of the first ball from that of a body, in the axes of this."""
    for r in range(3):
        to[r] = 0.0
        for c in range(3):
            to[r] += s.turn[9 * j + 3 * c + r] * (s.ball[c] - s.y[STATE * j + c])


def set_in_ground(s: PileStep, j: int) -> None:
    """Normal and point in w from the axes of a body."""
    for r in range(6):
        s.w[7 + r] = s.w[r]
    for r in range(3):
        s.w[r] = 0.0
        s.w[3 + r] = s.y[STATE * j + r]
        for c in range(3):
            s.w[r] += s.turn[9 * j + 3 * r + c] * s.w[7 + c]
            s.w[3 + r] += s.turn[9 * j + 3 * r + c] * s.w[10 + c]


def nearest_on_faces(s: PileStep, k: int, x: Numbers) -> None:
    """The nearest point of the faces that a centre outside is above."""
    least = 1e300
    for f in range(s.shapes.face[k], s.shapes.face[k + 1]):
        if height_over(s.shapes.face_planes[4 * f :], x) > 0.0:
            square = nearest_on_face(s, s.shapes.corner[k], f, x)
            if square < least:
                least = square
                for r in range(3):
                    s.w[3 + r] = s.w[7 + r]
    distance = sqrt(least)
    for r in range(3):
        s.w[r] = (x[r] - s.w[3 + r]) / max(distance, 1e-300)
    s.w[6] = distance - s.ball[3]


def nearest_on_face(s: PileStep, first: int, f: int, x: Numbers) -> float:
    """The point of a face nearest to x, in w[7:10]; the square of its distance. Corners of the hull are from `first` on."""
    plane = s.shapes.face_planes[4 * f :]
    height = height_over(plane, x)
    for r in range(3):
        s.w[7 + r] = x[r] - height * plane[r]
    begin = s.shapes.loop_at[f]
    count = s.shapes.loop_at[f + 1] - begin
    least = 1e300
    is_inside = 1
    for c in range(count):
        a = s.shapes.corners[3 * (first + s.shapes.loops[begin + c]) :]
        b = s.shapes.corners[3 * (first + s.shapes.loops[begin + (c + 1) % count]) :]
        if beyond_edge(plane, a, b, x) > 0.0:
            is_inside = 0
            square = nearest_on_edge(s, a, b, x)
            if square < least:
                least = square
                for r in range(3):
                    s.w[7 + r] = s.w[10 + r]
    return height * height if is_inside == 1 else least


def beyond_edge(normal: Numbers, a: Numbers, b: Numbers, x: Numbers) -> float:
    """How far x is beyond the edge from a to b of a face, times its length; negative: on the side of the face."""
    ux = b[0] - a[0]
    uy = b[1] - a[1]
    uz = b[2] - a[2]
    nx = uy * normal[2] - uz * normal[1]
    ny = uz * normal[0] - ux * normal[2]
    nz = ux * normal[1] - uy * normal[0]
    return nx * (x[0] - a[0]) + ny * (x[1] - a[1]) + nz * (x[2] - a[2])


def nearest_on_edge(s: PileStep, a: Numbers, b: Numbers, x: Numbers) -> float:
    along = 0.0
    length = 0.0
    for r in range(3):
        u = b[r] - a[r]
        along += u * (x[r] - a[r])
        length += u * u
    t = max(0.0, min(1.0, along / max(length, 1e-300)))
    square = 0.0
    for r in range(3):
        s.w[10 + r] = a[r] + t * (b[r] - a[r])
        square += (x[r] - s.w[10 + r]) * (x[r] - s.w[10 + r])
    return square


# ------------------------------------------------------------------------------------------------------- two hulls


def hulls_overlap(s: PileStep, i: int, j: int) -> int:
    """How many points of contact there are, in `clip` (x, y, z, gap each): none where an axis separates the hulls. The normal
    from j towards i is in w, and the feature in `mark`.

    Two edges that overlap least are as near to each other as the hulls overlap, so that edges further from the box around the
    other hull are left out. That holds where the hulls overlap: a point of contact inside both proves it, without one all
    edges are tried.
    """
    set_world_hull(s, i, s.one)
    set_world_hull(s, j, s.two)
    a = s.kind[i]
    b = s.kind[j]
    own = best_face(s, a, b, s.one, s.two)
    gap_own = s.w[6]
    if gap_own > s.margin:
        return 0
    other = best_face(s, b, a, s.two, s.one)
    gap_other = s.w[6]
    if gap_other > s.margin:
        return 0
    deepest = max(gap_own, gap_other)
    beyond = deepest + FACE_PREFERRED * abs(deepest) + DEPTH_TOLERANCE
    is_own = 1 if gap_own >= gap_other - FACE_PREFERRED * abs(gap_other) else 0
    count = edge_point(s, i, j, beyond, abs(deepest))
    if count < 0:
        count = face_points(s, a, b, own, other, is_own)
    if count > 0 and is_in_both(s, a, b, count) == 0:
        count = edge_point(s, i, j, beyond, EVERYWHERE)
        if count < 0:
            count = face_points(s, a, b, own, other, is_own)
    return count


def edge_point(s: PileStep, i: int, j: int, beyond: float, reach: float) -> int:
    """1: the point of contact of two edges; 0: two edges separate the hulls; -1: no edges overlap less than `beyond`."""
    if best_edges(s, i, j, beyond, reach) == 0:
        return -1
    if s.w[6] > s.margin:
        return 0
    for r in range(3):
        s.clip[r] = s.w[3 + r]
        s.w[r] = -s.w[r]
    s.clip[3] = s.w[6]
    s.mark = 1000000
    return 1


def face_points(s: PileStep, a: int, b: int, own: int, other: int, is_own: int) -> int:
    """Points of contact of the best face of the first hull, or of the second."""
    if is_own == 1:
        for r in range(3):
            s.w[r] = -s.one[ROOM + 4 * own + r]
        s.mark = 1000 * (1 + own)
        return clip_faces(s, a, own, b, s.one, s.two)
    for r in range(3):
        s.w[r] = s.two[ROOM + 4 * other + r]
    s.mark = -1000 * (1 + other)
    return clip_faces(s, b, other, a, s.two, s.one)


def is_in_both(s: PileStep, a: int, b: int, count: int) -> int:
    """Whether one of so many points in `clip` is in both hulls."""
    for c in range(count):
        if is_inside(s, a, s.one, s.clip[4 * c :]) == 1 and is_inside(s, b, s.two, s.clip[4 * c :]) == 1:
            return 1
    return 0


def is_inside(s: PileStep, k: int, room: Numbers, point: Numbers) -> int:
    for f in range(s.shapes.face[k + 1] - s.shapes.face[k]):
        if height_over(room[ROOM + 4 * f :], point) > s.margin:
            return 0
    return 1


def best_face(s: PileStep, a: int, b: int, one: Numbers, two: Numbers) -> int:
    """The face of the hull `one` that is furthest from `two`; its gap in w[6]."""
    best = 0
    gap = -1e300
    for f in range(s.shapes.face[a + 1] - s.shapes.face[a]):
        lowest = 1e300
        for c in range(s.shapes.corner[b + 1] - s.shapes.corner[b]):
            lowest = min(lowest, height_over(one[ROOM + 4 * f :], two[3 * c :]))
            if lowest <= gap:
                break
        if lowest > gap:
            gap = lowest
            best = f
        if gap > s.margin:
            s.w[6] = gap
            return best
    s.w[6] = gap
    return best


def best_edges(s: PileStep, i: int, j: int, beyond: float, reach: float) -> int:
    """1 where two edges, each within `reach` of the box around the other hull, are further apart than `beyond`: normal from the
    first hull, point and gap in w."""
    a = s.kind[i]
    b = s.kind[j]
    is_found = 0
    gap = beyond
    for e in range(s.shapes.edge[a], s.shapes.edge[a + 1]):
        if is_edge_near(s, e, s.one, j, reach) == 0:
            continue
        for f in range(s.shapes.edge[b], s.shapes.edge[b + 1]):
            if is_edge_near(s, f, s.two, i, reach) == 1 and arcs_cross(s, e, f) == 1:
                found = edge_gap(s, e, f, gap)
                if found > gap:
                    gap = found
                    is_found = 1
                    for r in range(7):
                        s.w[r] = s.w[7 + r]
    return is_found


def is_edge_near(s: PileStep, e: int, room: Numbers, j: int, reach: float) -> int:
    """Whether the box around an edge is within `reach` of the box around a body."""
    p = 3 * s.shapes.edges[4 * e]
    q = 3 * s.shapes.edges[4 * e + 1]
    for r in range(3):
        if min(room[p + r], room[q + r]) > s.grid.high[3 * j + r] + reach:
            return 0
        if max(room[p + r], room[q + r]) < s.grid.low[3 * j + r] - reach:
            return 0
    return 1


def arcs_cross(s: PileStep, e: int, f: int) -> int:
    """Whether two edges are opposite on the Gauss map: then they span a face of the Minkowski difference."""
    p = 3 * s.shapes.edges[4 * e]
    q = 3 * s.shapes.edges[4 * e + 1]
    k = 3 * s.shapes.edges[4 * f]
    m = 3 * s.shapes.edges[4 * f + 1]
    A = ROOM + 4 * s.shapes.edges[4 * e + 2]
    B = ROOM + 4 * s.shapes.edges[4 * e + 3]
    C = ROOM + 4 * s.shapes.edges[4 * f + 2]
    D = ROOM + 4 * s.shapes.edges[4 * f + 3]
    cba = 0.0
    dba = 0.0
    adc = 0.0
    bdc = 0.0
    for r in range(3):
        u = s.one[q + r] - s.one[p + r]
        v = s.two[m + r] - s.two[k + r]
        cba -= s.two[C + r] * u
        dba -= s.two[D + r] * u
        adc += s.one[A + r] * v
        bdc += s.one[B + r] * v
    return 1 if cba * dba < 0.0 and adc * bdc < 0.0 and cba * bdc > 0.0 else 0


def edge_gap(s: PileStep, e: int, f: int, beyond: float) -> float:
    """Distance of two edges along their common normal away from the first hull; normal, nearest point and gap in w[7:14]
    where it is above `beyond`."""
    p = 3 * s.shapes.edges[4 * e]
    q = 3 * s.shapes.edges[4 * e + 1]
    k = 3 * s.shapes.edges[4 * f]
    m = 3 * s.shapes.edges[4 * f + 1]
    ux = s.one[q] - s.one[p]
    uy = s.one[q + 1] - s.one[p + 1]
    uz = s.one[q + 2] - s.one[p + 2]
    vx = s.two[m] - s.two[k]
    vy = s.two[m + 1] - s.two[k + 1]
    vz = s.two[m + 2] - s.two[k + 2]
    nx = uy * vz - uz * vy
    ny = uz * vx - ux * vz
    nz = ux * vy - uy * vx
    size = sqrt(nx * nx + ny * ny + nz * nz)
    uu = ux * ux + uy * uy + uz * uz
    vv = vx * vx + vy * vy + vz * vz
    if size <= 1e-6 * sqrt(uu * vv):
        return -1e300
    A = ROOM + 4 * s.shapes.edges[4 * e + 2]
    B = ROOM + 4 * s.shapes.edges[4 * e + 3]
    outward = nx * (s.one[A] + s.one[B]) + ny * (s.one[A + 1] + s.one[B + 1]) + nz * (s.one[A + 2] + s.one[B + 2])
    size = -size if outward < 0.0 else size
    nx = nx / size
    ny = ny / size
    nz = nz / size
    wx = s.two[k] - s.one[p]
    wy = s.two[k + 1] - s.one[p + 1]
    wz = s.two[k + 2] - s.one[p + 2]
    gap = nx * wx + ny * wy + nz * wz
    if gap <= beyond:
        return gap
    uv = ux * vx + uy * vy + uz * vz
    uw = ux * wx + uy * wy + uz * wz
    vw = vx * wx + vy * wy + vz * wz
    t = (uw * vv - vw * uv) / (uu * vv - uv * uv)
    s.w[7] = nx
    s.w[8] = ny
    s.w[9] = nz
    s.w[10] = s.one[p] + t * ux + 0.5 * gap * nx
    s.w[11] = s.one[p + 1] + t * uy + 0.5 * gap * ny
    s.w[12] = s.one[p + 2] + t * uz + 0.5 * gap * nz
    s.w[13] = gap
    return gap


# ------------------------------------------------------------------------------------------------------- clipping


def clip_faces(s: PileStep, a: int, face: int, b: int, one: Numbers, two: Numbers) -> int:
    """Points of the face of `two` opposite to a face of `one`, within its edges and below it; how many, in `clip`. Where rounding
    leaves none, the lowest corner."""
    lowest = lowest_corner(s, b, one[ROOM + 4 * face :], two)
    opposite = opposite_face(s, b, lowest, one[ROOM + 4 * face :], two)
    at = s.shapes.loop_at[s.shapes.face[b] + opposite]
    count = s.shapes.loop_at[s.shapes.face[b] + opposite + 1] - at
    for c in range(count):
        for r in range(3):
            s.clip[4 * c + r] = two[3 * s.shapes.loops[at + c] + r]
    begin = s.shapes.loop_at[s.shapes.face[a] + face]
    edges = s.shapes.loop_at[s.shapes.face[a] + face + 1] - begin
    for c in range(edges):
        p = 3 * s.shapes.loops[begin + c]
        q = 3 * s.shapes.loops[begin + (c + 1) % edges]
        count = clip_at_edge(s, ROOM + 4 * face, p, q, one, count)
    kept = points_below(s, one[ROOM + 4 * face :], count)
    if kept == 0:
        for r in range(3):
            s.clip[r] = two[3 * lowest + r]
        kept = points_below(s, one[ROOM + 4 * face :], 1)
    return kept


def lowest_corner(s: PileStep, b: int, plane: Numbers, two: Numbers) -> int:
    """The corner of `two` that is furthest below a plane."""
    lowest = 0
    least = 1e300
    for c in range(s.shapes.corner[b + 1] - s.shapes.corner[b]):
        height = height_over(plane, two[3 * c :])
        if height < least:
            least = height
            lowest = c
    return lowest


def opposite_face(s: PileStep, b: int, corner: int, normal: Numbers, two: Numbers) -> int:
    """The face of `two` most opposite to a normal, of those at a corner: on sharp hulls another may be more opposite, and above."""
    opposite = 0
    least = 1e300
    for f in range(s.shapes.face[b + 1] - s.shapes.face[b]):
        along = 0.0
        for r in range(3):
            along += normal[r] * two[ROOM + 4 * f + r]
        if along < least and has_corner(s, s.shapes.face[b] + f, corner) == 1:
            least = along
            opposite = f
    return opposite


def has_corner(s: PileStep, face: int, corner: int) -> int:
    for c in range(s.shapes.loop_at[face], s.shapes.loop_at[face + 1]):
        if s.shapes.loops[c] == corner:
            return 1
    return 0


def points_below(s: PileStep, plane: Numbers, count: int) -> int:
    """Of so many points in `clip` those below a plane, halfway to it, with their heights; how many."""
    kept = 0
    for c in range(count):
        height = height_over(plane, s.clip[4 * c :])
        if height <= s.margin:
            for r in range(3):
                s.clip[4 * kept + r] = s.clip[4 * c + r] - 0.5 * height * plane[r]
            s.clip[4 * kept + 3] = height
            kept += 1
    return kept


def clip_at_edge(s: PileStep, plane: int, p: int, q: int, one: Numbers, count: int) -> int:
    """The polygon `clip` on the inner side of an edge (Sutherland and Hodgman 1974); how many corners it has."""
    kept = 0
    for c in range(count):
        after = (c + 1) % count
        here = beyond_edge(one[plane:], one[p:], one[q:], s.clip[4 * c :])
        there = beyond_edge(one[plane:], one[p:], one[q:], s.clip[4 * after :])
        if here <= 0.0 and kept < MOST_CORNERS:
            for r in range(3):
                s.clipped[4 * kept + r] = s.clip[4 * c + r]
            kept += 1
        if here * there < 0.0 and kept < MOST_CORNERS:
            t = here / (here - there)
            for r in range(3):
                s.clipped[4 * kept + r] = s.clip[4 * c + r] + t * (s.clip[4 * after + r] - s.clip[4 * c + r])
            kept += 1
    for c in range(kept):
        for r in range(3):
            s.clip[4 * c + r] = s.clipped[4 * c + r]
    return kept
