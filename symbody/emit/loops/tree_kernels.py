"""Derivatives of forward dynamics of a tree of bodies, as loops.

All spatial vectors are in the components and about the origin of one frame, at rest at this instant; angular parts come
first. Degrees of freedom i = 0, 1, ... are numbered so that those beyond one follow it (i .. end_i); S_i is how its
speed moves what is beyond it, parent_i the one before it.

A column varies what is beyond a joint: it turns by a twist s (of a coordinate), or has another speed (S of a speed).
Seen from frames that turn along, only the motion of the joint's base varies, and the articulated bodies answer

    δu'_i = -(K_i·δâ + w_i·δω),   δâ beyond i is δâ + S_i δu'_i,    K = J S / D,  w = Pᵀ S / D,  D = S·J S

where δâ = δa - δv × v does not change along the tree but for the answers themselves, J and P are the articulated
inertia and its counterpart for δω: a single body answers with the wrench J δâ + P δω, P = (-2 ω̃ E - 2 h̃ ũ; -2 p̃) of
its second moments E, first moments h and momentum p.

    by a coordinate   δv = -s × v,   δâ = -s × a - δv × v          v, a of the body before the joint; gravity is an
                      acceleration of the ground
    by a speed        δv = S,        δâ = (v + v_beyond) × S

What is before the joint answers to the wrench g = J δâ + P δω + s ×* F that it feels: δu'_i = -X_i·g with X_i = Σ_k
M⁻¹_ik S_k, k the joints between it and the ground. (Featherstone, Rigid Body Dynamics Algorithms, 2008, ch. 7; Jain,
Robot and Multibody Dynamics, 2011, ch. 9; for inverse dynamics Singh, Russo and Wensing, Efficient analytical
derivatives of rigid-body dynamics, 2022.)
"""

from __future__ import annotations

from .kernel_language import Indices, Known, Numbers
from .records import Struct
from .tree_vectors import (
    add_multiple,
    add_response,
    base_response,
    base_response_at_edge,
    base_wrench,
    clear_all,
    extend_compliance,
    extend_response,
    multiply_transposed,
    negative_products,
    pass_inertia_to_parent,
    shift_response,
    subtract_compliance,
    two_base_responses,
    two_negative_products,
)


class TreeSlopes(Struct):
    """Structure (known), what a program computes of a state, and scratch memory.

    n, columns, more      degrees of freedom; columns of coordinates and then speeds; columns of which only forces
                          depend
    turns                 how many of the columns are of coordinates, each with a `twist`
    lanes, blocks         numbers of a vector, and vectors that hold a number of each degree of freedom
    wide, six             vectors that hold a row of J and of L
    parent, last, end     for each degree of freedom: the one before it (n: the ground), the last of its joint, the end
                          of those beyond it
    lump, forks           where its inertia is among `lumps` (-1: it has none); whether several hang on it
    fork_path, fork_from  for each degree of freedom those between the ground and the last fork before it
    later                 for each degree of freedom: entries of its X from this one on are needed where not before it
    joint, speeds         for each column the first degree of freedom of its joint; for each column of a speed its
                          degree of freedom
    entry_column, entry_row   places of the `slopes` of the forces
    """

    n: Known[int]
    columns: Known[int]
    more: Known[int]
    turns: Known[int]
    lanes: Known[int]
    blocks: Known[int]
    wide: Known[int]
    six: Known[int]
    entries: Known[int]
    parent: Known[Indices]
    last: Known[Indices]
    end: Known[Indices]
    lump: Known[Indices]
    forks: Known[Indices]
    later: Known[Indices]
    fork_path: Known[Indices]
    fork_from: Known[Indices]
    is_single: Known[Indices]
    joint: Known[Indices]
    speeds: Known[Indices]
    columns_of: Known[Indices]
    columns_from: Known[Indices]
    entry_column: Known[Indices]
    entry_row: Known[Indices]
    S: Numbers
    speed: Numbers
    force: Numbers
    falling: Numbers
    lumps: Numbers
    twist: Numbers
    slopes: Numbers
    rate: Numbers
    v: Numbers
    a: Numbers
    F: Numbers
    b: Numbers
    J: Numbers
    K: Numbers
    free: Numbers  # u' where the base does not move
    reciprocal: Numbers  # 1 / D
    row: Numbers
    one: Numbers
    other: Numbers
    base: Numbers  # δâ and δω of each column
    g: Numbers
    P: Numbers
    L: Numbers
    X: Numbers
    inverse: Numbers
    Y: Numbers
    steps: Numbers
    columnwise: Numbers


def tree_derivatives(t: TreeSlopes) -> None:
    """∂u'/∂x column by column, entry i of column k at columnwise[k * blocks * lanes + i]."""
    _motions(t)
    _bodies(t)
    _inwards(t)
    _outwards(t)
    _inverse(t)
    _bases(t)
    _before(t)
    _beyond(t)
    _forces(t)


# ------------------------------------------------------------------------------------------ products of spatial vectors


def moved_by(v: Numbers, s: Numbers, y: Numbers) -> None:
    """v × s of two motions."""
    y[0] = v[1] * s[2] - v[2] * s[1]
    y[1] = v[2] * s[0] - v[0] * s[2]
    y[2] = v[0] * s[1] - v[1] * s[0]
    y[3] = v[1] * s[5] - v[2] * s[4] + v[4] * s[2] - v[5] * s[1]
    y[4] = v[2] * s[3] - v[0] * s[5] + v[5] * s[0] - v[3] * s[2]
    y[5] = v[0] * s[4] - v[1] * s[3] + v[3] * s[1] - v[4] * s[0]


def turned_by(v: Numbers, f: Numbers, y: Numbers) -> None:
    """v ×* f of a motion and a wrench."""
    y[0] = v[1] * f[2] - v[2] * f[1] + v[4] * f[5] - v[5] * f[4]
    y[1] = v[2] * f[0] - v[0] * f[2] + v[5] * f[3] - v[3] * f[5]
    y[2] = v[0] * f[1] - v[1] * f[0] + v[3] * f[4] - v[4] * f[3]
    y[3] = v[1] * f[5] - v[2] * f[4]
    y[4] = v[2] * f[3] - v[0] * f[5]
    y[5] = v[0] * f[4] - v[1] * f[3]


def momentum(x: Numbers, v: Numbers, y: Numbers) -> None:
    """Angular momentum and momentum of a lump (m, h, E_xx, E_yy, E_zz, E_xy, E_xz, E_yz), I = tr E - E."""
    y[0] = (x[5] + x[6]) * v[0] - x[7] * v[1] - x[8] * v[2] + x[2] * v[5] - x[3] * v[4]
    y[1] = (x[4] + x[6]) * v[1] - x[7] * v[0] - x[9] * v[2] + x[3] * v[3] - x[1] * v[5]
    y[2] = (x[4] + x[5]) * v[2] - x[8] * v[0] - x[9] * v[1] + x[1] * v[4] - x[2] * v[3]
    y[3] = x[0] * v[3] + v[1] * x[3] - v[2] * x[2]
    y[4] = x[0] * v[4] + v[2] * x[1] - v[0] * x[3]
    y[5] = x[0] * v[5] + v[0] * x[2] - v[1] * x[1]


# --------------------------------------------------------------------------------------------- one body after the other


def _motions(t: TreeSlopes) -> None:
    """Velocities, and accelerations where u' = 0."""
    ground = 6 * t.n
    for c in range(6):
        t.v[ground + c] = 0.0
        t.a[ground + c] = 0.0
        t.b[ground + c] = 0.0
    for c in range(3):
        t.a[ground + 3 + c] = t.falling[c]
    for i in range(t.n):
        for c in range(6):
            t.v[6 * i + c] = t.v[6 * t.parent[i] + c] + t.S[8 * i + c] * t.speed[i]
    for i in range(t.n):
        moved_by(t.v[6 * t.last[i] :], t.S[8 * i :], t.rate[6 * i :])
        for c in range(6):
            t.a[6 * i + c] = t.a[6 * t.parent[i] + c] + t.rate[6 * i + c] * t.speed[i]


def _bodies(t: TreeSlopes) -> None:
    """J: rows of inertia, P, and the wrench where u' = 0."""
    for i in range(t.n):
        own = t.J[6 * i * t.wide * t.lanes :]
        clear_all(6 * t.wide, own)
        if t.lump[i] >= 0:
            lump = t.lumps[10 * t.lump[i] :]
            momentum(lump, t.v[6 * i :], t.one)
            body_rows(t.wide * t.lanes, lump, t.v[6 * i :], t.one, own)
            _wrench(lump, t.v[6 * i :], t.a[6 * i :], t.one, t.other, t.F[6 * i :])
            for r in range(6):
                own[r * t.wide * t.lanes + 9] = t.F[6 * i + r]


def body_rows(row: int, x: Numbers, v: Numbers, p: Numbers, J: Numbers) -> None:
    """Inertia and P of one body, p its momentum."""
    J[0] = x[5] + x[6]
    J[1] = -x[7]
    J[2] = -x[8]
    J[4] = -x[3]
    J[5] = x[2]
    J[row] = -x[7]
    J[row + 1] = x[4] + x[6]
    J[row + 2] = -x[9]
    J[row + 3] = x[3]
    J[row + 5] = -x[1]
    J[2 * row] = -x[8]
    J[2 * row + 1] = -x[9]
    J[2 * row + 2] = x[4] + x[5]
    J[2 * row + 3] = -x[2]
    J[2 * row + 4] = x[1]
    J[3 * row + 1] = x[3]
    J[3 * row + 2] = -x[2]
    J[3 * row + 3] = x[0]
    J[4 * row] = -x[3]
    J[4 * row + 2] = x[1]
    J[4 * row + 4] = x[0]
    J[5 * row] = x[2]
    J[5 * row + 1] = -x[1]
    J[5 * row + 5] = x[0]
    hu = x[1] * v[3] + x[2] * v[4] + x[3] * v[5]  # h̃ ũ = u hᵀ - (h·u) 1
    J[6] = 2 * (v[2] * x[7] - v[1] * x[8] - v[3] * x[1] + hu)
    J[7] = 2 * (v[2] * x[5] - v[1] * x[9] - v[3] * x[2])
    J[8] = 2 * (v[2] * x[9] - v[1] * x[6] - v[3] * x[3])
    J[row + 6] = 2 * (v[0] * x[8] - v[2] * x[4] - v[4] * x[1])
    J[row + 7] = 2 * (v[0] * x[9] - v[2] * x[7] - v[4] * x[2] + hu)
    J[row + 8] = 2 * (v[0] * x[6] - v[2] * x[8] - v[4] * x[3])
    J[2 * row + 6] = 2 * (v[1] * x[4] - v[0] * x[7] - v[5] * x[1])
    J[2 * row + 7] = 2 * (v[1] * x[7] - v[0] * x[5] - v[5] * x[2])
    J[2 * row + 8] = 2 * (v[1] * x[8] - v[0] * x[9] - v[5] * x[3] + hu)
    J[3 * row + 7] = 2 * p[5]
    J[3 * row + 8] = -2 * p[4]
    J[4 * row + 6] = -2 * p[5]
    J[4 * row + 8] = 2 * p[3]
    J[5 * row + 6] = 2 * p[4]
    J[5 * row + 7] = -2 * p[3]


def _wrench(lump: Numbers, v: Numbers, a: Numbers, p: Numbers, q: Numbers, f: Numbers) -> None:
    """I a + v ×* p, p being the momentum."""
    momentum(lump, a, q)
    turned_by(v, p, f)
    for c in range(6):
        f[c] = f[c] + q[c]


def _inwards(t: TreeSlopes) -> None:
    """Articulated bodies, with P and the wrench as further columns of J."""
    size = 6 * t.wide * t.lanes
    for m in range(t.n):
        i: int = t.n - 1 - m
        multiply_transposed(t.wide, t.S[8 * i :], t.J[size * i :], t.row)
        d = 0.0
        for c in range(6):
            d = d + t.row[c] * t.S[8 * i + c]
        t.reciprocal[i] = 1 / d
        t.row[9] = t.row[9] - t.force[i]
        for c in range(9):
            t.K[9 * i + c] = t.row[c] * t.reciprocal[i]
        t.free[i] = -t.row[9] * t.reciprocal[i]
        if t.parent[i] < t.n:
            own = t.J[size * i :]
            pass_inertia_to_parent(t.wide, t.K[9 * i :], t.row, own, t.J[size * t.parent[i] :])
            for c in range(3):
                for r in range(6):
                    t.P[8 * (3 * i + c) + r] = own[r * t.wide * t.lanes + 6 + c]


def _outwards(t: TreeSlopes) -> None:
    """Accelerations, and the wrench F on what is beyond each degree of freedom."""
    for i in range(t.n):
        p: int = t.parent[i]
        x = t.free[i]
        for c in range(6):
            x = x - t.K[9 * i + c] * t.b[6 * p + c]
        for c in range(6):
            t.b[6 * i + c] = t.b[6 * p + c] + t.S[8 * i + c] * x
            t.a[6 * i + c] = t.a[6 * i + c] + t.b[6 * i + c]
    for i in range(t.n):
        if t.lump[i] >= 0:
            momentum(t.lumps[10 * t.lump[i] :], t.b[6 * i :], t.one)
            for c in range(6):
                t.F[6 * i + c] = t.F[6 * i + c] + t.one[c]
        else:
            for c in range(6):
                t.F[6 * i + c] = 0.0
    for m in range(t.n):
        j: int = t.n - 1 - m
        if t.parent[j] < t.n:
            for c in range(6):
                t.F[6 * t.parent[j] + c] = t.F[6 * t.parent[j] + c] + t.F[6 * j + c]


def _bases(t: TreeSlopes) -> None:
    """Of each column the variation of the joint's base, and the wrench that it feels."""
    for b in range(t.n):
        if t.is_single[b] > 0:
            _single_base(t, b, t.parent[b], t.columns_of[t.columns_from[b]], t.columns_of[t.columns_from[b] + 1])
        else:
            for j in range(t.columns_from[b], t.columns_from[b + 1]):
                _base(t, b, t.parent[b], t.columns_of[j])


def _single_base(t: TreeSlopes, b: int, p: int, k: int, m: int) -> None:
    """Of a joint with one degree of freedom: columns k of its coordinate and m of its speed."""
    moved_by(t.v[6 * p :], t.rate[6 * b :], t.one)
    moved_by(t.a[6 * p :], t.S[8 * b :], t.other)
    for c in range(6):
        t.base[9 * k + c] = t.one[c] + t.other[c]
        t.base[9 * m + c] = 2 * t.rate[6 * b + c]
    for c in range(3):
        t.base[9 * k + 6 + c] = t.rate[6 * b + c]
        t.base[9 * m + 6 + c] = t.S[8 * b + c]
    if p < t.n:
        turned_by(t.S[8 * b :], t.F[6 * b :], t.one)
        own = t.J[6 * t.wide * t.lanes * b :]
        L = t.L[6 * t.six * t.lanes * p :]
        base_wrench(t.wide, t.six, 8 // t.lanes, t.base[9 * k :], own, t.P[24 * b :], t.g[8 * k :])
        base_wrench(t.wide, t.six, 8 // t.lanes, t.base[9 * m :], own, t.P[24 * b :], t.g[8 * m :])
        for c in range(6):
            t.g[8 * k + c] = t.g[8 * k + c] + t.one[c]
        subtract_compliance(t.six, t.g[8 * k :], L, t.base[9 * k :])
        subtract_compliance(t.six, t.g[8 * m :], L, t.base[9 * m :])
    else:
        for c in range(6):
            t.g[8 * k + c] = 0.0
            t.g[8 * m + c] = 0.0


def _base(t: TreeSlopes, b: int, p: int, k: int) -> None:
    """Of a column of any joint."""
    last: int = t.last[b]
    for c in range(6):
        t.other[c] = 0.0
    if k < t.turns:
        moved_by(t.twist[6 * k :], t.v[6 * p :], t.one)
        moved_by(t.one, t.v[6 * p :], t.base[9 * k :])
        for c in range(3):
            t.base[9 * k + 6 + c] = -t.one[c]
        moved_by(t.twist[6 * k :], t.a[6 * p :], t.one)
        for c in range(6):
            t.base[9 * k + c] = t.base[9 * k + c] - t.one[c]
        turned_by(t.twist[6 * k :], t.F[6 * last :], t.other)
    else:
        speed: int = t.speeds[k - t.turns]
        for c in range(6):
            t.one[c] = t.v[6 * p + c] + t.v[6 * last + c]
        moved_by(t.one, t.S[8 * speed :], t.base[9 * k :])
        for c in range(3):
            t.base[9 * k + 6 + c] = t.S[8 * speed + c]
    if p < t.n:
        base_wrench(
            t.wide, t.six, 8 // t.lanes, t.base[9 * k :], t.J[6 * t.wide * t.lanes * b :], t.P[24 * b :], t.g[8 * k :]
        )
        for c in range(6):
            t.g[8 * k + c] = t.g[8 * k + c] + t.other[c]
        subtract_compliance(t.six, t.g[8 * k :], t.L[6 * t.six * t.lanes * p :], t.base[9 * k :])
    else:
        for c in range(6):
            t.g[8 * k + c] = 0.0


# ------------------------------------------------------------------------------------- every pair of degrees of freedom


def _inverse(t: TreeSlopes) -> None:
    """M⁻¹ row by row, M⁻¹_bi = -X_i·K_b with X of the one before b; X of entries before b; L = -∂a/∂wrench, which is Σ
    S_k X_k on the way from the ground."""
    length = t.blocks * t.lanes
    size = 6 * t.six * t.lanes
    clear_all(6 * t.blocks, t.X[6 * length * t.n :])
    clear_all(6 * t.six, t.L[size * t.n :])
    for b in range(t.n):
        own = t.X[6 * length * b :]
        row = t.inverse[length * b :]
        multiply_transposed(t.six, t.K[9 * b :], t.L[size * t.parent[b] :], t.row)
        x = t.reciprocal[b]
        for c in range(6):
            x = x + t.row[c] * t.K[9 * b + c]
        extend_response(
            t.blocks,
            (b + t.lanes - 1) // t.lanes,
            t.K[9 * b :],
            t.S[8 * b :],
            t.X[6 * length * t.parent[b] :],
            row,
            own,
        )
        row[b] = x
        for c in range(6):
            own[c * length + b] = x * t.S[8 * b + c] - t.row[c]
            t.one[c] = 0.0
        t.one[6] = x
        extend_compliance(
            t.six, t.S[8 * b :], t.row, t.one[6:], t.S[8 * b :], t.row, t.L[size * t.parent[b] :], t.L[size * b :]
        )
        for j in range(t.fork_from[b], t.fork_from[b + 1]):
            at: int = t.fork_path[j]
            for c in range(6):
                t.one[c] = t.one[c] + row[at] * t.S[8 * at + c]
            if t.forks[at] > 0:
                for c in range(6):
                    t.X[(6 * at + c) * length + b] = t.one[c]
        for i in range(b):
            t.inverse[i * length + b] = row[i]


def _before(t: TreeSlopes) -> None:
    """Answers to the wrench on what is before a joint: of everything that is not beyond it."""
    length = t.blocks * t.lanes
    for b in range(t.n):
        x = t.X[6 * length * t.parent[b] :]
        add_response(t.blocks, t.later[b] // t.lanes, t.S[8 * b :], t.inverse[length * b :], x, t.X[6 * length * b :])
    for b in range(t.n):
        x = t.X[6 * length * t.parent[b] :]
        stop: int = (b + t.lanes - 1) // t.lanes
        start: int = t.end[b] // t.lanes
        for j in range(t.columns_from[b], t.columns_from[b + 1] - 1, 2):
            one: int = t.columns_of[j]
            two: int = t.columns_of[j + 1]
            y = t.columnwise[length * one :]
            z = t.columnwise[length * two :]
            two_negative_products(t.blocks, 0, stop, t.g[8 * one :], t.g[8 * two :], x, y, z)
            two_negative_products(t.blocks, start, t.blocks, t.g[8 * one :], t.g[8 * two :], x, y, z)
        if (t.columns_from[b + 1] - t.columns_from[b]) % 2 > 0:
            only: int = t.columns_of[t.columns_from[b + 1] - 1]
            negative_products(t.blocks, 0, stop, t.g[8 * only :], x, t.columnwise[length * only :])
            negative_products(t.blocks, start, t.blocks, t.g[8 * only :], x, t.columnwise[length * only :])


def _beyond(t: TreeSlopes) -> None:
    """Answers of what is beyond a joint to the motion of its base, Y: to δâ and δω of the base that is reached on the
    way inwards."""
    length = t.blocks * t.lanes
    clear_all(9 * t.blocks, t.Y)
    for i in range(length):
        t.steps[i] = 0.0
        t.steps[length + i] = 1.0
        t.steps[2 * length + i] = 0.0
    for i in range(t.n):
        b: int = t.n - 1 - i
        down = t.steps[2 * length - t.end[b] :]
        shift_response(
            t.blocks, b // t.lanes, (t.end[b] + t.lanes - 1) // t.lanes, t.S[8 * b :], t.K[9 * b :], down, t.Y
        )
        for c in range(9):
            t.Y[c * length + b] = t.K[9 * b + c]
        low: int = (b + t.lanes - 1) // t.lanes
        high: int = t.end[b] // t.lanes
        for j in range(t.columns_from[b], t.columns_from[b + 1] - 1, 2):
            one: int = t.columns_of[j]
            two: int = t.columns_of[j + 1]
            two_base_responses(
                t.blocks,
                low,
                high,
                t.base[9 * one :],
                t.base[9 * two :],
                t.Y,
                t.columnwise[length * one :],
                t.columnwise[length * two :],
            )
        if (t.columns_from[b + 1] - t.columns_from[b]) % 2 > 0:
            only: int = t.columns_of[t.columns_from[b + 1] - 1]
            base_response(t.blocks, low, high, t.base[9 * only :], t.Y, t.columnwise[length * only :])
        if t.lanes > 1:
            _edges(t, b, low, high)


def _edges(t: TreeSlopes, b: int, low: int, high: int) -> None:
    """The vectors that are partly beyond a joint."""
    length = t.blocks * t.lanes
    up = t.steps[length - b :]
    down = t.steps[2 * length - t.end[b] :]
    for j in range(t.columns_from[b], t.columns_from[b + 1]):
        k: int = t.columns_of[j]
        if b % t.lanes > 0:
            base_response_at_edge(t.blocks, low - 1, t.base[9 * k :], t.Y, up, down, t.columnwise[length * k :])
        if t.end[b] % t.lanes > 0:
            base_response_at_edge(t.blocks, high, t.base[9 * k :], t.Y, up, down, t.columnwise[length * k :])


def _forces(t: TreeSlopes) -> None:
    """M⁻¹ times the slopes of the forces."""
    length = t.blocks * t.lanes
    for k in range(t.columns, t.columns + t.more):
        clear_all(t.blocks, t.columnwise[length * k :])
    for e in range(t.entries):
        add_multiple(
            t.blocks, t.slopes[e:], t.inverse[length * t.entry_row[e] :], t.columnwise[length * t.entry_column[e] :]
        )


def in_rows(n: int, length: int, first: int, count: int, rows: Indices, columnwise: Numbers, out: Numbers) -> None:
    """Some columns as a matrix, row after row; rows[i] is the row of degree of freedom i."""
    for i in range(n):
        row = out[rows[i] * count :]
        for k in range(count):
            row[k] = columnwise[(first + k) * length + i]
