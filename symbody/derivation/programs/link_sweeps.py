"""Articulated bodies of trees with many equal links: fragments for each type of link, and the steps that run them.

Three sweeps (see `articulated_bodies.py`): velocities from the ground outwards, articulated inertia and bias inwards,
accelerations outwards. The expressions of a link contain symbols for what comes from its parent (angular velocity,
acceleration) and from its children (27 numbers: the blocks I, H, L of their inertia, force and moment).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from ...algebra.calculus.staged_fragments import StagedFragment, SweepStage, staged_fragments
from ...algebra.calculus.sweep_zeros import without_zeros
from ...algebra.calculus.written_solves import written_out
from ...algebra.graph.functions import value_where
from ...algebra.graph.graph import ZERO, Expr, Symbol, symbol
from ...algebra.graph.linear import MIN_PIVOT
from ...algebra.graph.matrix import Matrix, cross, dot, zeros
from ...algebra.graph.sweeps import Fragment, Schedule, sweep_results
from ...algebra.graph.walk import free_symbols
from ...bodies.frames.frames import Frame
from ...bodies.mechanism.mechanism import Mechanism
from ..equations.equations import Equations
from ..kinematics.equal_links import Link, LinkedTree, is_local, links_of, varying_numbers
from ..kinematics.inertial_parameters import NO_LUMP, Lump
from ..kinematics.kinematics import Kinematics, Wrench
from ..routes.recursive import subspace_of
from .articulated_bodies import (
    ArticulatedInertia,
    TreeJoint,
    falling,
    frame_velocity_terms,
    inwards,
    outwards,
    own_inertia,
)

MIN_LINKS: Final = 12  # of smaller trees the unrolled program is used
MIN_COPIES: Final = 2  # links of one type on average: with fewer, there is little to repeat
MIN_OPERATIONS: Final = 3500  # from which on a call of the loops takes no longer than unrolled code
MANY_LINKS: Final = 40  # from which on loops are used in any case: compiling takes a third of the time
MANY_UNEQUAL_LINKS: Final = (
    60  # from which on types have numbers as arguments: code with these written into it is faster
)
MIN_REPEATED: Final = 2  # operations of all steps, in those of all fragments
MAX_SLOTS: Final = 64  # symbols of a link

_UPPER: Final = tuple((i, j) for i in range(3) for j in range(i, 3))


def swept_accelerations(eq: Equations) -> Matrix | None:
    """u' of a tree with equal links as items of one node; None if too little is repeated, or where the recursion of a
    link needs more than its own symbols."""
    return None if eq.mechanism.constraints else swept_tree_accelerations(eq)


def swept_tree_accelerations(eq: Equations) -> Matrix | None:
    """The same of a mechanism with constraints, as if it had none."""
    return eq.cached("swept accelerations", (), lambda: _accelerations(eq))


def _accelerations(eq: Equations) -> Matrix | None:
    mechanism = eq.mechanism
    if len(mechanism.bodies) < MIN_LINKS or not is_local(mechanism):
        return None
    tree = swept_tree(mechanism)
    if tree is None:
        return None
    kinematics = Kinematics(mechanism)
    locks = {v.symbol for angles in eq.variables.rotations_by_angles.values() for v in angles}
    types = {kind: _LinkType(kinematics, tree, x, locks) for kind, x in tree.first_of_kind.items()}
    found = _SweepMemory(eq, tree, types).accelerations()
    schedule = found[0].args[0].data
    is_large = len(tree.links) >= MANY_LINKS or schedule.operations[1] >= MIN_OPERATIONS
    return found if is_large and repeats_enough(schedule) else None


def repeats_enough(schedule: Schedule) -> bool:
    """Whether its steps execute enough of the operations that are compiled for it."""
    once, all_steps = schedule.operations
    return all_steps >= MIN_REPEATED * once


@dataclass(frozen=True)
class SweptTree:
    """Links, generalised forces on their speeds, and the arguments of sweeps over them: symbols, gravity as an acceleration
    of the ground, numbers of all links.

    varying        by kind the places of the numbers, among those of a link, for which the type has symbols
    first_number   of each link the place of its first number among the arguments
    """

    links: list[Link]
    Q: list[Expr]
    symbols: list[Symbol]
    falling: Matrix
    numbers: list[Expr]
    varying: dict[int, list[int]]
    first_number: list[int]

    @property
    def arguments(self) -> list[Expr]:
        return [*self.symbols, *self.falling.entries, *self.numbers]

    @property
    def first_of_kind(self) -> dict[int, Link]:
        return {x.kind: x for x in reversed(self.links)}

    def typed(self, link: Link) -> tuple[Link, tuple[Symbol, ...]]:
        """A link with symbols in place of its varying numbers, and these symbols."""
        varying = self.varying[link.kind]
        own = dict(zip(varying, slot_symbols("number", len(varying)), strict=True))
        if varying:
            link = link.with_symbols([own.get(k, x) for k, x in enumerate(link.numbers)])
        return link, tuple(own.values())


def swept_tree(mechanism: Mechanism) -> SweptTree | None:
    """The tree of a mechanism with equal links; None if there are too few, or with too many symbols."""
    tree = _repeated_links(mechanism)
    if tree is None or max(len(x.slots) for x in tree.links) > MAX_SLOTS:
        return None
    used = dict.fromkeys(s for x in tree.links for s in x.slots)
    moving = dict.fromkeys((*mechanism.q, *mechanism.u))
    symbols = [*(s for s in moving if s in used), *(s for s in used if s not in moving)]
    varying = varying_numbers(tree.links)
    numbers: list[Expr] = []
    first: list[int] = []
    for x in tree.links:
        first.append(len(symbols) + 3 + len(numbers))
        numbers += [x.numbers[k] for k in varying[x.kind]]
    return SweptTree(tree.links, tree.Q, symbols, falling(mechanism), numbers, varying, first)


def _repeated_links(mechanism: Mechanism) -> LinkedTree | None:
    """The links of a tree, those of one type with the same numbers where there are enough, else with any numbers."""
    for are_loose in (False, True):
        tree = links_of(mechanism, are_loose)
        if tree is None or len(tree.links) < (MANY_UNEQUAL_LINKS if are_loose else MIN_LINKS):
            return None
        if MIN_COPIES * len({x.kind for x in tree.links}) <= len(tree.links):
            return tree
    return None


# ----------------------------------------------------------------------------------------------------- one type of link


def slot_symbols(name: str, n: int) -> tuple[Symbol, ...]:
    return tuple(symbol(f"{name}_{k}", "material") for k in range(n))


_W, _A, _SUM = slot_symbols("parent_w", 3), slot_symbols("parent_a", 6), slot_symbols("children", 27)


def _numbers(J: ArticulatedInertia, w: Wrench) -> tuple[Expr, ...]:
    """What a link leaves to its parent."""
    return (
        *(J.I[i, j] for i, j in _UPPER), *J.H.entries, *(J.L[i, j] for i, j in _UPPER), *w.force.entries, *w.moment.entries,
    )  # fmt: skip


def _from_numbers(x: Sequence[Expr]) -> tuple[ArticulatedInertia, Wrench]:
    at = {p: k for k, p in enumerate(_UPPER)}
    places = [at[min(i, j), max(i, j)] for i in range(3) for j in range(3)]
    I, L = (Matrix(3, 3, tuple(part[k] for k in places)) for part in (x[:6], x[15:21]))
    wrench = Wrench(Matrix(3, 1, tuple(x[21:24])), Matrix(3, 1, tuple(x[24:27])))
    return ArticulatedInertia(I, Matrix(3, 3, tuple(x[6:15])), L), wrench


class _LinkType:
    """The fragments of the three sweeps for one type of link."""

    def __init__(self, kinematics: Kinematics, tree: SweptTree, link: Link, locks: set[Symbol]) -> None:
        typed, numbers = tree.typed(link)
        self.fragments: list[StagedFragment] = staged_fragments(_stages(kinematics, tree.Q, typed, locks, numbers))


def _stages(
    kinematics: Kinematics, Q: Sequence[Expr], link: Link, locks: set[Symbol], numbers: tuple[Symbol, ...]
) -> list[SweepStage]:
    number = {kinematics.u[j]: j for j in link.speeds}
    is_on_ground = link.parent < 0
    w = zeros(3) if is_on_ground else Matrix(3, 1, _W)
    excess, subspaces = {}, {}
    axes: list[Matrix] = []
    for f in link.frames:
        (spin,), drift = kinematics.in_speeds([f.spin]), kinematics.drift(f)
        w, excess[f] = frame_velocity_terms(f, w, spin, drift, kinematics)
        subspaces[f] = subspace_of(f, spin, drift, number)
        axes = [f.rotation.inwards(a) for a in axes]
        turned = [s for s in free_symbols(spin) if s in number and coordinate_of(kinematics, s) in locks]
        axes += [subspaces[f].columns[number[s]][0] for s in turned]
    last, lump = link.frames[-1], NO_LUMP
    for m in link.masses:
        lump = lump + Lump.of(m)
    J, bias = own_inertia(lump, w)
    if link.has_children:
        more, below = _from_numbers(_SUM)
        J, bias = J + more, bias + below
    inertias: dict[Frame, ArticulatedInertia] = {last: J}
    biases: dict[Frame, Wrench] = {last: bias_with_guard(bias, axes)}
    joints: dict[Frame, TreeJoint] = {}
    for f in reversed(link.frames):
        joints[f] = inwards(f, inertias, biases, subspaces[f], Q, excess[f])
    udot: dict[int, Expr] = {}
    motion = (zeros(3), Matrix(3, 1, _A[3:])) if is_on_ground else (Matrix(3, 1, _A[:3]), Matrix(3, 1, _A[3:]))
    for f in link.frames:
        motion = outwards(f, motion, joints[f], excess[f], udot)
    parent = link.frames[0].parent
    assert parent is not None
    found = [
        tuple(w.entries) if link.has_children else (),
        () if is_on_ground else _numbers(inertias[parent], biases[parent]),
        (*motion[0].entries, *motion[1].entries) if link.has_children else (),
        tuple(udot[j] for j in link.speeds),
    ]
    w_out, to_parent, a_out, rates = written_out(found)
    known = tuple((s,) for s in link.slots)
    return [
        SweepStage((*known, numbers, _W), tuple(filter(None, [w_out])), (False,) * bool(w_out)),
        SweepStage((_SUM,), tuple(filter(None, [to_parent])), (not link.is_first,) * bool(to_parent)),
        SweepStage((_A,), tuple(filter(None, [a_out, *((e,) for e in rates)])), (False,) * (bool(a_out) + len(rates))),
    ]


def coordinate_of(kinematics: Kinematics, speed: Symbol) -> Symbol | None:
    """The coordinate whose rate a speed is."""
    return symbol(speed.stem, "coordinate", speed.order - 1) if speed.order else None


def bias_with_guard(bias: Wrench, axes: Sequence[Matrix]) -> Wrench:
    """Where the three axes of a joint with three angles are in one plane to rounding, nothing has a value."""
    if len(axes) != 3:
        return bias
    volume = dot(axes[0], cross(axes[1], axes[2]))
    guard = value_where(volume * volume > MIN_PIVOT, ZERO, of=volume)
    return replace(bias, moment=bias.moment.map(lambda e: e + guard))


# ---------------------------------------------------------------------------------------------------- places and steps


@dataclass
class _LinkPlaces:
    """Where the groups of one link begin."""

    numbers: int
    w: int
    children: int
    a: int
    kept: list[int]


class _SweepMemory:
    """The memory of a schedule, and its steps."""

    def __init__(self, eq: Equations, tree: SweptTree, types: dict[int, _LinkType]) -> None:
        self.eq, self.tree, self.links, self.types = eq, tree, tree.links, types
        self.symbols = tree.symbols
        self.symbol_place = {s: k for k, s in enumerate(self.symbols)}
        self.size = len(tree.arguments)
        self.udot = self._take(len(eq.u))
        self.places = [self._link_places(x, at) for x, at in zip(self.links, tree.first_number, strict=True)]

    def _take(self, n: int) -> int:
        self.size += n
        return self.size - n

    def _link_places(self, link: Link, numbers: int) -> _LinkPlaces:
        below = link.has_children
        kept = [f.keeps for f in self.types[link.kind].fragments]
        return _LinkPlaces(
            numbers, self._take(3 * below), self._take(27 * below), self._take(6 * below),
            [self._take(n) for n in kept],
        )  # fmt: skip

    def accelerations(self) -> Matrix:
        numbers = {kind: 3 * k for k, kind in enumerate(self.types)}
        fragments: list[Fragment] = [f.fragment for t in self.types.values() for f in t.fragments]
        kinds: list[int] = []
        places: list[int] = []
        for sweep, order in enumerate((range(len(self.links)), range(len(self.links))[::-1], range(len(self.links)))):
            for k in order:
                link = self.links[k]
                if fragments[numbers[link.kind] + sweep].outputs:
                    kinds.append(numbers[link.kind] + sweep)
                    places += self._step(sweep, k, link)
        n = len(self.eq.u)
        results = tuple(range(self.udot, self.udot + n))
        schedule = Schedule(tuple(fragments), tuple(kinds), tuple(places), self.size, results)
        arguments = self.tree.arguments
        zeros = [k for k, e in enumerate(arguments) if e is ZERO]
        return Matrix(n, 1, sweep_results(without_zeros(schedule, zeros), arguments))

    def _step(self, sweep: int, k: int, link: Link) -> list[int]:
        """Places of the groups of one step."""
        staged, own = self.types[link.kind].fragments[sweep], self.places[k]
        above = self.places[link.parent] if link.parent >= 0 else None
        out = []
        for stage, group in staged.inputs:
            if group < 0:
                out.append(own.kept[stage])
            elif stage == 0 and group < len(link.slots):
                out.append(self.symbol_place[link.slots[group]])
            elif stage == 0 and group == len(link.slots):
                out.append(own.numbers)
            elif stage == 1:
                out.append(own.children)
            elif above is None:
                out.append(len(self.symbols) - 3 * (stage == 2))
            else:
                out.append(above.w if stage == 0 else above.a)
        if sweep == 0:
            out += [own.w] * link.has_children
        elif sweep == 1:
            out += [] if above is None else [above.children]
        else:
            out += [*[own.a] * link.has_children, *(self.udot + j for j in link.speeds)]
        return out + [own.kept[sweep]] * bool(staged.keeps)
