"""How the bodies of a tree with joints respond to impulses, as kernels: the contact solver's part of a mechanism.

The links of the tree are nodes of the contact graph. Each has the change of its twist s = (v, ω) about its own origin, in the
components of the ground. A unit impulse f = (force, moment) on link i changes it by Ω_i f, and passes to its parent, and from
there on to others, through the joint:

    inwards    f ← X (1 - U Sᵀ / D) f              outwards   δs ← (1 - S Uᵀ / D) Xᵀ δs

S: motion vectors of the joint, U = J S, D = Sᵀ U with the articulated inertia J, X: shift between the origins. So sweeps over
contacts need no matrix: a cursor walks from link to link, takes along the impulses that it has left behind (`pending`), and
brings each link up to date when it arrives there, from what its parent's twist was when the cursor last left (`left`). The walk
from one contact to the next costs the number of joints between them. What hangs on the ground by different joints is a tree of its own, with a
cursor of its own. (Articulated bodies: Featherstone, Rigid Body Dynamics
Algorithms, 2008, ch. 7; Ω is the inverse of the inertia of the whole tree at a link: Kreutz-Delgado, Jain, Rodriguez 1992.)

Constraints, such as those that close loops, add modes: columns Y of twists due to their impulses, of unit energy, and

    s = (of the tree) + Y κ,     κ = -Yᵀ f                 f: all impulses on the links

The ground is link 0, which does not move.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from ...emit.loops.kernel_language import Indices, Known, Mutable, Numbers
from ...emit.loops.records import Struct
from .contact_arrays import indices

SIX: Final = 6  # numbers of a twist, and of an impulse with its moment


class ResponseTree(Struct):
    """Links 0 (the ground) to `links` - 1, parents first, each with the degrees of freedom of its joint.

    is_there        0: the contact graph has no mechanism
    node            of the graph, of link 0
    parent, depth   of each link; `dof`: where its degrees of freedom begin, and one more
    speed           number of the speed of each degree of freedom
    origin          of each link, in the ground
    S, U, D         of each degree of freedom: motion vector, J S, and 1 / D
    J, response     of each link: articulated inertia, and Ω
    modes           columns of `Y` (links x 6 x modes); `mode_nodes`: nodes that hold κ, after those of the links
    root            of each link: the first of its tree; `at`, for these: the link where its cursor is
    moved           1: impulses have been put on links since all were up to date
    pending, left   of each link: impulses not yet passed on to its parent, and the twist of its parent when it was left
    route           links on the way outwards
    w, d            an impulse or twist that is passed on, and the way between two origins
    """

    is_there: Known[int]
    node: int
    links: int
    modes: int
    mode_nodes: int
    parent: Indices
    depth: Indices
    dof: Indices
    speed: Indices
    origin: Numbers
    S: Numbers
    U: Numbers
    D: Numbers
    J: Numbers
    response: Numbers
    Y: Numbers
    root: Indices
    at: Indices
    moved: Mutable[int]
    pending: Numbers
    left: Numbers
    route: Indices
    w: Numbers
    d: Numbers


def response_tree(parents: list[int], dofs: list[list[int]], modes: int, node: int) -> ResponseTree:
    """Memory for a tree: the parent of each link (its own for link 0), and numbers of the speeds of its joint."""
    links = len(parents)
    depth, root = [0] * links, [0] * links
    for i in range(1, links):
        depth[i] = depth[parents[i]] + 1
        root[i] = root[parents[i]] or i
    starts = np.cumsum([0, *[len(x) for x in dofs]]).tolist()
    n = starts[-1]
    return ResponseTree(
        is_there=int(links > 1), node=node, links=links, modes=modes, mode_nodes=-(-modes // SIX), parent=indices(parents), depth=indices(depth),
        dof=indices(starts), speed=indices([j for x in dofs for j in x]), origin=np.zeros(3 * links), S=np.zeros(SIX * n + 1), U=np.zeros(SIX * n + 1), D=np.zeros(n + 1),
        J=np.zeros(36 * links), response=np.zeros(36 * links), Y=np.zeros(SIX * modes * links + 1), root=indices(root), at=indices([0] * links), moved=0, pending=np.zeros(SIX * links),
        left=np.zeros(SIX * links), route=indices([0] * links), w=np.zeros(SIX), d=np.zeros(3),
    )  # fmt: skip


def no_response_tree(node: int = 0) -> ResponseTree:
    """`node`: as many as the graph has."""
    return response_tree([0], [[]], 0, node)


# ------------------------------------------------------------------------------------------------------- the factors


def factor_tree(t: ResponseTree) -> None:
    """U, D and Ω, from the inertias of the links in J, which become articulated ones."""
    for down in range(t.links - 1):
        i = t.links - 1 - down
        J = t.J[36 * i :]
        for back in range(t.dof[i + 1] - t.dof[i]):
            eliminate_motion(t, t.dof[i + 1] - 1 - back, J)
        set_way(t, i)
        add_shifted_inertia(t.d, J, t.J[36 * t.parent[i] :])
    for r in range(36):
        t.response[r] = 0.0
    for i in range(1, t.links):
        set_response(t, i)


def eliminate_motion(t: ResponseTree, k: int, J: Numbers) -> None:
    """J - U Uᵀ / D of a degree of freedom."""
    S = t.S[SIX * k :]
    U = t.U[SIX * k :]
    pivot = 0.0
    for r in range(SIX):
        U[r] = 0.0
        for c in range(SIX):
            U[r] += J[SIX * r + c] * S[c]
        pivot += S[r] * U[r]
    t.D[k] = 1.0 / pivot if pivot > 0.0 else 0.0
    for r in range(SIX):
        part = U[r] * t.D[k]
        for c in range(SIX):
            J[SIX * r + c] -= part * U[c]


def set_way(t: ResponseTree, i: int) -> None:
    """From the origin of the parent to that of a link, in d."""
    for r in range(3):
        t.d[r] = t.origin[3 * i + r] - t.origin[3 * t.parent[i] + r]


def add_shifted_inertia(d: Numbers, J: Numbers, to: Numbers) -> None:
    """The inertia about a point that is d away: first its columns, then its rows (J is overwritten)."""
    for r in range(SIX):
        a = J[SIX * r :]
        a[3] += d[1] * a[2] - d[2] * a[1]
        a[4] += d[2] * a[0] - d[0] * a[2]
        a[5] += d[0] * a[1] - d[1] * a[0]
    for c in range(SIX):
        J[18 + c] += d[1] * J[12 + c] - d[2] * J[6 + c]
        J[24 + c] += d[2] * J[c] - d[0] * J[12 + c]
        J[30 + c] += d[0] * J[6 + c] - d[1] * J[c]
    for r in range(36):
        to[r] += J[r]


def set_response(t: ResponseTree, i: int) -> None:
    """Ω of a link from that of its parent: shifted, then with the motions of its joint."""
    to = t.response[36 * i :]
    before = t.response[36 * t.parent[i] :]
    set_way(t, i)
    d = t.d
    for r in range(36):
        to[r] = before[r]
    for r in range(SIX):
        a = to[SIX * r :]
        a[0] += a[4] * d[2] - a[5] * d[1]
        a[1] += a[5] * d[0] - a[3] * d[2]
        a[2] += a[3] * d[1] - a[4] * d[0]
    for c in range(SIX):
        to[c] += to[24 + c] * d[2] - to[30 + c] * d[1]
        to[6 + c] += to[30 + c] * d[0] - to[18 + c] * d[2]
        to[12 + c] += to[18 + c] * d[1] - to[24 + c] * d[0]
    for k in range(t.dof[i], t.dof[i + 1]):
        add_motion(t, k, to)


def add_motion(t: ResponseTree, k: int, to: Numbers) -> None:
    """(1 - S Uᵀ / D) Ω (1 - U Sᵀ / D) + S Sᵀ / D."""
    S = t.S[SIX * k :]
    U = t.U[SIX * k :]
    along = 0.0
    for r in range(SIX):
        t.w[r] = 0.0
        for c in range(SIX):
            t.w[r] += to[SIX * r + c] * U[c]
        along += U[r] * t.w[r]
    part = t.D[k] + t.D[k] * t.D[k] * along
    for r in range(SIX):
        for c in range(SIX):
            to[SIX * r + c] += S[r] * S[c] * part - t.D[k] * (S[r] * t.w[c] + t.w[r] * S[c])


# ------------------------------------------------------------------------------------------------------- through a joint


def pass_inwards(t: ResponseTree, i: int) -> None:
    """An impulse on a link, in w, as one on its parent."""
    for back in range(t.dof[i + 1] - t.dof[i]):
        k = t.dof[i + 1] - 1 - back
        along = 0.0
        for r in range(SIX):
            along += t.S[SIX * k + r] * t.w[r]
        along = along * t.D[k]
        for r in range(SIX):
            t.w[r] -= t.U[SIX * k + r] * along
    shift_impulse(t, i)


def shift_impulse(t: ResponseTree, i: int) -> None:
    """An impulse in w with its moment about the origin of a link, and then about that of its parent."""
    set_way(t, i)
    t.w[3] += t.d[1] * t.w[2] - t.d[2] * t.w[1]
    t.w[4] += t.d[2] * t.w[0] - t.d[0] * t.w[2]
    t.w[5] += t.d[0] * t.w[1] - t.d[1] * t.w[0]


def shift_twist(t: ResponseTree, i: int) -> None:
    """A twist in w about the origin of the parent of a link, and then about that of the link."""
    set_way(t, i)
    t.w[0] += t.w[4] * t.d[2] - t.w[5] * t.d[1]
    t.w[1] += t.w[5] * t.d[0] - t.w[3] * t.d[2]
    t.w[2] += t.w[3] * t.d[1] - t.w[4] * t.d[0]


def pass_outwards(t: ResponseTree, i: int) -> None:
    """A change of the twist of the parent of a link, in w, as one of the link."""
    shift_twist(t, i)
    for k in range(t.dof[i], t.dof[i + 1]):
        along = 0.0
        for r in range(SIX):
            along += t.U[SIX * k + r] * t.w[r]
        along = along * t.D[k]
        for r in range(SIX):
            t.w[r] -= t.S[SIX * k + r] * along


def add_response(t: ResponseTree, i: int, f: Numbers, to: Numbers) -> None:
    """Ω f of a link."""
    W = t.response[36 * i :]
    for r in range(SIX):
        total = 0.0
        for c in range(SIX):
            total += W[SIX * r + c] * f[c]
        to[r] += total


# ------------------------------------------------------------------------------------------------------- the cursor


def start_walk(t: ResponseTree, s: Numbers) -> None:
    """The cursors on the first links of their trees; all twists, in s, are up to date."""
    t.moved = 0
    for i in range(t.links):
        t.at[i] = i
        for r in range(SIX):
            t.pending[SIX * i + r] = 0.0
            t.left[SIX * i + r] = s[SIX * t.parent[i] + r]


def climb(t: ResponseTree, s: Numbers, i: int) -> None:
    """The cursor from a link to its parent."""
    p = t.parent[i]
    for r in range(SIX):
        t.w[r] = t.pending[SIX * i + r]
        t.pending[SIX * i + r] = 0.0
    pass_inwards(t, i)
    add_response(t, p, t.w, s[SIX * p :])
    for r in range(SIX):
        t.pending[SIX * p + r] += t.w[r]
        t.left[SIX * i + r] = s[SIX * p + r]


def catch_up(t: ResponseTree, s: Numbers, i: int) -> None:
    """The twist of a link, from the change of its parent's since it was left."""
    for r in range(SIX):
        now = s[SIX * t.parent[i] + r]
        t.w[r] = now - t.left[SIX * i + r]
        t.left[SIX * i + r] = now
    pass_outwards(t, i)
    for r in range(SIX):
        s[SIX * i + r] += t.w[r]


def walk_to(t: ResponseTree, s: Numbers, link: int) -> None:
    """The cursor of its tree to a link: inwards to what both have in common, then outwards."""
    count = 0
    i = link
    at = t.at[t.root[link]]
    while at != i:
        if t.depth[i] > t.depth[at]:
            t.route[count] = i
            count += 1
            i = t.parent[i]
        else:
            climb(t, s, at)
            at = t.parent[at]
    for back in range(count):
        catch_up(t, s, t.route[count - 1 - back])
    t.at[t.root[link]] = link


def end_walk(t: ResponseTree, s: Numbers) -> None:
    """The cursors to the first links, and all twists up to date."""
    for i in range(1, t.links):
        if t.parent[i] == 0:
            walk_to(t, s, i)
    for i in range(1, t.links):
        if t.parent[i] > 0:
            catch_up(t, s, i)
        else:
            for r in range(SIX):
                t.pending[SIX * i + r] = 0.0
    t.moved = 0
