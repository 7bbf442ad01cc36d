"""Links of a mechanism in a pile, as kernels: where they are, how they move and respond, and the speeds that impulses cause.

    u⁺ = u + h u' + M⁻¹ Gᵀ P + M⁻¹ Jcᵀ Λ            P: impulses on the links, Λ: of the constraints

All of it costs what the tree has links: M⁻¹ is that of articulated bodies (`response_tree.py`), and u' without constraints comes
from a program. Constraints are taken into account with K = Jc M⁻¹ Jcᵀ, which has as many rows as there are constraints.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from ...derivation.programs.link_table import POSE
from ...emit.loops.kernel_language import Function, Indices, Known, Numbers
from ...emit.loops.records import Struct
from ...emit.run.callable import Array
from ..complementarity.contact_arrays import indices
from ..complementarity.response_tree import (
    ResponseTree,
    factor_tree,
    response_tree,
    shift_impulse,
    shift_twist,
)
from ..complementarity.semidefinite import semidefinite_factor
from ..time_stepping.moreau_impulses import RETURN
from ..time_stepping.moreau_records import MoreauStep

SIX: Final = 6
LUMP: Final = 10  # numbers of a link's inertia: mass, first moment, moments xx yy zz xy xz yz about its origin
DEPENDENT: Final = 1e-11  # pivots of K below this fraction of its diagonal: constraints that follow from others


class PileLinks(Struct):
    """Links of a mechanism, of which some carry surfaces; is_there 0: it has none, or is not a tree.

    tree          how they respond; it is also part of the contact graph
    base          of each link: the place of its joint in its parent (12 numbers)
    local         of each link from `at` on: the place in the joint, then velocity and angular velocity for each speed; `changes`
                  entries change, those at `changing`, in the order of `found`, which the program computes
    turn, lump    of each link: its rotation matrix, and its inertia
    twist, free   of each link: velocity and angular velocity before the step, and after it without contacts
    carrier       link of each surface, and `surface`: the place of its centre and principal axes in it (12 numbers)
    udot, off     accelerations without constraints; b of Jc u + b, and `phi`, of each of `constraints`; `Jc` by rows
    places        the program of `found`, Jc, off and phi
    T, K, factor  M⁻¹ Jcᵀ by constraints, Jc T, and Cholesky's factor of it
    force, answer generalised forces, and M⁻¹ times these and `load`, impulses on the links
    held          impulses of the constraints
    """

    is_there: Known[int]
    constraints: int
    changes: int
    tree: ResponseTree
    base: Numbers
    local: Numbers
    at: Indices
    changing: Indices
    found: Numbers
    turn: Numbers
    lump: Numbers
    twist: Numbers
    free: Numbers
    carrier: Indices
    surface: Numbers
    udot: Numbers
    off: Numbers
    phi: Numbers
    Jc: Numbers
    T: Numbers
    K: Numbers
    factor: Numbers
    force: Numbers
    answer: Numbers
    load: Numbers
    rest: Numbers
    held: Numbers
    places: Function | None


@dataclass(frozen=True)
class LinkNumbers:
    """A tree of links (`link_table.py`) in numbers, the ground first.

    parents, speeds  of each link: its parent, and the numbers of its speeds
    sizes            entries of each link among `local`, of which those at `changing` depend on coordinates
    base, lumps      of each link: the place of its joint in its parent, and its inertia
    carriers         link of each surface; `surfaces`: its place there
    """

    parents: list[int]
    speeds: list[list[int]]
    sizes: list[int]
    base: Array
    lumps: Array
    local: Array
    changing: list[int]
    carriers: list[int]
    surfaces: Array


def pile_links(links: LinkNumbers | None, node: int, constraints: int, places: Any = None) -> PileLinks:
    """Memory of links, the first of which is `node` of the contact graph; of none."""
    none = np.zeros((1, 1))
    x = links or LinkNumbers([0], [[]], [0], none, none, np.zeros(0), [], [], none)
    count, n, k = len(x.parents), sum(len(own) for own in x.speeds), constraints
    return PileLinks(
        is_there=int(links is not None), constraints=k, changes=len(x.changing), tree=response_tree(x.parents, x.speeds, k, node), base=np.ravel(x.base),
        local=np.append(x.local, 0.0), at=indices(np.cumsum([0, *x.sizes]).tolist()), changing=indices(x.changing), found=np.zeros(len(x.changing) + 1), turn=np.zeros(9 * count),
        lump=np.ravel(x.lumps), twist=np.zeros(SIX * count), free=np.zeros(SIX * count), carrier=indices(x.carriers), surface=np.ravel(x.surfaces),
        udot=np.zeros(n + 1), off=np.zeros(k + 1), phi=np.zeros(k + 1), Jc=np.zeros(k * n + 1), T=np.zeros(k * n + 1), K=np.zeros(k * k + 1), factor=np.zeros(k * k + 1),
        force=np.zeros(n + 1), answer=np.zeros(n + 1), load=np.zeros(SIX * count), rest=np.zeros(n + 1), held=np.zeros(k + 1), places=places,
    )  # fmt: skip


# ------------------------------------------------------------------------------------------------------- places


def place_links(m: PileLinks, u: Numbers) -> None:
    """Places, motion vectors, inertias and responses of all links, and their twists at speeds u."""
    t = m.tree
    for k in range(m.changes):
        m.local[m.changing[k]] = m.found[k]
    for r in range(3):
        t.origin[r] = 0.0
        for c in range(3):
            m.turn[3 * r + c] = 1.0 if r == c else 0.0
    for i in range(1, t.links):
        place_link(m, i)
        set_inertia(m, i)
    factor_tree(t)
    set_twists(m, u, m.twist)


def place_link(m: PileLinks, i: int) -> None:
    """The joint's place in the parent, then the link's in the joint; motion vectors in the ground."""
    t = m.tree
    above = m.turn[9 * t.parent[i] :]
    R = m.turn[9 * i :]
    x = m.local[m.at[i] :]
    base = m.base[POSE * i :]
    for r in range(3):
        t.origin[3 * i + r] = t.origin[3 * t.parent[i] + r]
        for c in range(3):
            t.d[c] = 0.0
            for j in range(3):
                t.d[c] += above[3 * r + j] * base[3 * j + c]
        for c in range(3):
            t.origin[3 * i + r] += above[3 * r + c] * base[9 + c] + t.d[c] * x[9 + c]
            R[3 * r + c] = t.d[0] * x[c] + t.d[1] * x[3 + c] + t.d[2] * x[6 + c]
    for k in range(t.dof[i], t.dof[i + 1]):
        column = m.local[m.at[i] + POSE + SIX * (k - t.dof[i]) :]
        for r in range(3):
            t.S[SIX * k + r] = R[3 * r] * column[0] + R[3 * r + 1] * column[1] + R[3 * r + 2] * column[2]
            t.S[SIX * k + 3 + r] = R[3 * r] * column[3] + R[3 * r + 1] * column[4] + R[3 * r + 2] * column[5]


def set_inertia(m: PileLinks, i: int) -> None:
    """m, h̃ and I of a link in the components of the ground."""
    R = m.turn[9 * i :]
    x = m.lump[LUMP * i :]
    J = m.tree.J[36 * i :]
    for r in range(36):
        J[r] = 0.0
    for r in range(3):
        J[7 * r] = x[0]
    hx = R[0] * x[1] + R[1] * x[2] + R[2] * x[3]
    hy = R[3] * x[1] + R[4] * x[2] + R[5] * x[3]
    hz = R[6] * x[1] + R[7] * x[2] + R[8] * x[3]
    set_skew(J, hx, hy, hz)
    for r in range(3):
        ax = R[3 * r] * x[4] + R[3 * r + 1] * x[7] + R[3 * r + 2] * x[8]
        ay = R[3 * r] * x[7] + R[3 * r + 1] * x[5] + R[3 * r + 2] * x[9]
        az = R[3 * r] * x[8] + R[3 * r + 1] * x[9] + R[3 * r + 2] * x[6]
        for c in range(3):
            J[SIX * (3 + r) + 3 + c] = ax * R[3 * c] + ay * R[3 * c + 1] + az * R[3 * c + 2]


def set_skew(J: Numbers, hx: float, hy: float, hz: float) -> None:
    """The blocks h̃ and -h̃ of an inertia."""
    J[19] = -hz
    J[20] = hy
    J[24] = hz
    J[26] = -hx
    J[30] = -hy
    J[31] = hx
    J[4] = hz
    J[5] = -hy
    J[9] = -hz
    J[11] = hx
    J[15] = hy
    J[16] = -hx


def set_twists(m: PileLinks, u: Numbers, to: Numbers) -> None:
    """Velocity of the origin and angular velocity of each link."""
    t = m.tree
    for r in range(SIX):
        to[r] = 0.0
    for i in range(1, t.links):
        for r in range(SIX):
            t.w[r] = to[SIX * t.parent[i] + r]
        shift_twist(t, i)
        for k in range(t.dof[i], t.dof[i + 1]):
            for r in range(SIX):
                t.w[r] += t.S[SIX * k + r] * u[t.speed[k]]
        for r in range(SIX):
            to[SIX * i + r] = t.w[r]


# ------------------------------------------------------------------------------------------------------- responses


def solve_links(m: PileLinks) -> None:
    """`answer` = M⁻¹ (Gᵀ load + force), without constraints; the changes of twists take the place of `load`."""
    t = m.tree
    for down in range(t.links - 1):
        i = t.links - 1 - down
        for r in range(SIX):
            t.w[r] = m.load[SIX * i + r]
        for back in range(t.dof[i + 1] - t.dof[i]):
            k = t.dof[i + 1] - 1 - back
            m.rest[k] = m.force[t.speed[k]]
            for r in range(SIX):
                m.rest[k] += t.S[SIX * k + r] * t.w[r]
            for r in range(SIX):
                t.w[r] -= t.U[SIX * k + r] * t.D[k] * m.rest[k]
        shift_impulse(t, i)
        for r in range(SIX):
            m.load[SIX * t.parent[i] + r] += t.w[r]
    for r in range(SIX):
        m.load[r] = 0.0
    for i in range(1, t.links):
        answer_joint(m, i)


def answer_joint(m: PileLinks, i: int) -> None:
    """Changes of the speeds of a joint, and of the twist of its link."""
    t = m.tree
    for r in range(SIX):
        t.w[r] = m.load[SIX * t.parent[i] + r]
    shift_twist(t, i)
    for k in range(t.dof[i], t.dof[i + 1]):
        change = m.rest[k]
        for r in range(SIX):
            change -= t.U[SIX * k + r] * t.w[r]
        change = change * t.D[k]
        m.answer[t.speed[k]] = change
        for r in range(SIX):
            t.w[r] += t.S[SIX * k + r] * change
    for r in range(SIX):
        m.load[SIX * i + r] = t.w[r]


# ------------------------------------------------------------------------------------------------------- constraints


def factor_constraints(m: PileLinks, n: int) -> None:
    """T, K and its factor; the modes of the tree, columns of twists of unit energy."""
    k = m.constraints
    for j in range(k):
        clear_loads(m)
        for i in range(n):
            m.force[i] = m.Jc[n * j + i]
        solve_links(m)
        for i in range(n):
            m.T[n * j + i] = m.answer[i]
            m.force[i] = 0.0
        for i in range(SIX * m.tree.links):
            m.tree.Y[k * i + j] = m.load[i]
    for i in range(k):
        for j in range(k):
            m.K[k * i + j] = 0.0
            for r in range(n):
                m.K[k * i + j] += m.Jc[n * i + r] * m.T[n * j + r]
    semidefinite_factor(k, k, 0.0, DEPENDENT, m.K, m.factor)
    for i in range(SIX * m.tree.links):
        solve_lower(k, m.factor, m.tree.Y[k * i :])


def clear_loads(m: PileLinks) -> None:
    for i in range(SIX * m.tree.links):
        m.load[i] = 0.0


def solve_lower(n: int, factor: Numbers, x: Numbers) -> None:
    """L⁻¹ x in place; zero where a pivot is."""
    for i in range(n):
        value = x[i]
        for j in range(i):
            value -= factor[n * i + j] * x[j]
        pivot = factor[n * i + i]
        x[i] = value / pivot if pivot > 0.0 else 0.0


def solve_upper(n: int, factor: Numbers, x: Numbers) -> None:
    """L⁻ᵀ x in place."""
    for down in range(n):
        i = n - 1 - down
        value = x[i]
        for j in range(i + 1, n):
            value -= factor[n * j + i] * x[j]
        pivot = factor[n * i + i]
        x[i] = value / pivot if pivot > 0.0 else 0.0


def hold_constraints(m: PileLinks, n: int, speeds: Numbers) -> None:
    """Speeds + T Λ, so that Jc speeds becomes what is in `held` before, with the opposite sign."""
    k = m.constraints
    for j in range(k):
        for i in range(n):
            m.held[j] += m.Jc[n * j + i] * speeds[i]
    solve_lower(k, m.factor, m.held)
    solve_upper(k, m.factor, m.held)
    for j in range(k):
        for i in range(n):
            speeds[i] -= m.T[n * j + i] * m.held[j]


# ------------------------------------------------------------------------------------------------------- a step


def move_links(m: PileLinks, d: MoreauStep, t: float) -> None:
    """Everything at the midpoint: places, responses, and the change of the speeds without contacts in `d.free`."""
    d.point((t, d.y), (m.udot,))
    if m.places is not None:
        m.places((t, d.y), (m.found, m.Jc, m.off, m.phi))
    n = d.n_u
    place_links(m, d.y[d.n_q :])
    for i in range(n):
        d.free[i] = d.h * m.udot[i]
    if m.constraints > 0:
        factor_constraints(m, n)
        for j in range(m.constraints):
            m.held[j] = m.off[j] + RETURN / d.h * m.phi[j]
            for i in range(n):
                m.held[j] += m.Jc[n * j + i] * d.y[d.n_q + i]
        hold_constraints(m, n, d.free)
    set_twists(m, d.free, m.free)
    for i in range(SIX * m.tree.links):
        m.free[i] += m.twist[i]


def answer_impulses(m: PileLinks, n: int) -> None:
    """`answer`: changes of the speeds due to `load`, along the constraints."""
    for i in range(n):
        m.force[i] = 0.0
    solve_links(m)
    if m.constraints > 0:
        for j in range(m.constraints):
            m.held[j] = 0.0
        hold_constraints(m, n, m.answer)


def place_surface(m: PileLinks, a: int, centre: Numbers, axes: Numbers) -> None:
    """Centre and principal axes of a surface in the ground."""
    i = m.carrier[a]
    R = m.turn[9 * i :]
    x = m.surface[POSE * a :]
    for r in range(3):
        centre[r] = m.tree.origin[3 * i + r]
        for j in range(3):
            centre[r] += R[3 * r + j] * x[9 + j]
        for c in range(3):
            axes[3 * r + c] = R[3 * r] * x[c] + R[3 * r + 1] * x[3 + c] + R[3 * r + 2] * x[6 + c]
