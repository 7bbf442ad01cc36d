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
from ...algebra.graph.matrix import Matrix, cross, dot, identity, zeros
from ...algebra.graph.sweeps import Fragment, NewSteps, Schedule, sweep_results
from ...algebra.graph.walk import free_symbols
from ...bodies.frames.frames import Frame
from ...bodies.mechanism.mechanism import Mechanism
from ..equations.equations import Equations
from ..kinematics.equal_links import Link, LinkedTree, acting_loads, has_rigid_links, links_of, varying_numbers
from ..kinematics.inertial_parameters import NO_LUMP, Lump
from ..kinematics.kinematics import Kinematics, Wrench
from ..kinematics.linked_loads import MOTION, PLACE, WRENCH, LinkedLoads, LoadType, linked_loads
from ..routes.recursive import subspace_of
from ..routes.repeated_equations import repeated_equations
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
    if len(mechanism.bodies) < MIN_LINKS or not has_rigid_links(mechanism) or not _loads_are_swept(mechanism):
        return None
    tree = swept_tree(mechanism)
    loads = None if tree is None else linked_loads(mechanism, tree.links)
    if tree is None or loads is None:
        return None
    kinematics = Kinematics(mechanism)
    locks = {v.symbol for angles in eq.variables.rotations_by_angles.values() for v in angles}
    loaded = {x.links[i] for x in loads.loads for i in x.acted}
    types: dict[tuple[int, bool], _LinkType] = {}
    for k, x in enumerate(tree.links):
        key = x.kind, k in loaded
        if key not in types:
            types[key] = _LinkType(kinematics, tree, tree.first_of_kind[x.kind], locks, k in loaded)
    found = _SweepMemory(eq, tree, types, loads, loaded, kinematics).accelerations()
    schedule = found[0].args[0].data
    is_large = len(tree.links) >= MANY_LINKS or schedule.operations[1] >= MIN_OPERATIONS
    return found if is_large and repeats_enough(schedule) else None


def _loads_are_swept(mechanism: Mechanism) -> bool:
    """Loads on bodies need places of links in the ground, which pays for many."""
    if not acting_loads(mechanism):
        return True
    return len(mechanism.bodies) >= MANY_LINKS and repeated_equations(mechanism) is None


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
    if (loads := linked_loads(mechanism, tree.links)) is not None:
        used |= dict.fromkeys(loads.slots)
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
_APPLIED = slot_symbols("applied", WRENCH)
_PLACE, _MOTION = slot_symbols("parent_place", PLACE), slot_symbols("parent_motion", MOTION)


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

    def __init__(
        self, kinematics: Kinematics, tree: SweptTree, link: Link, locks: set[Symbol], is_loaded: bool
    ) -> None:
        typed, numbers = tree.typed(link)
        stages = _stages(kinematics, tree.Q, typed, locks, numbers, is_loaded)
        self.fragments: list[StagedFragment] = staged_fragments(stages)


def _stages(
    kinematics: Kinematics, Q: Sequence[Expr], link: Link, locks: set[Symbol], numbers: tuple[Symbol, ...],
    is_loaded: bool,
) -> list[SweepStage]:  # fmt: skip
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
    if is_loaded:
        bias = bias - Wrench(Matrix(3, 1, _APPLIED[:3]), Matrix(3, 1, _APPLIED[3:]))
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
        SweepStage((_SUM, _APPLIED), tuple(filter(None, [to_parent])), (not link.is_first,) * bool(to_parent)),
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


# --------------------------------------------------------------------------------------------------------------- loads


def _placing(kinematics: Kinematics, tree: SweptTree, link: Link, is_moving: bool) -> tuple[Fragment, list[int]]:
    """Place and motion of a link from those of its parent, and the numbers of its inputs: symbols, numbers, place, motion.

    R = R_P R_F,   p = p_P + R_P x,   v = v_P + R_P (ω_P × x + x'),   ω = R_Fᵀ ω_P + s
    """
    typed, numbers = tree.typed(link)
    place: Sequence[Expr] = _PLACE if link.parent >= 0 else (*identity(3).entries, *zeros(3).entries)
    motion: Sequence[Expr] = _MOTION if link.parent >= 0 else zeros(6).entries
    R, p = Matrix(3, 3, tuple(place[:9])), Matrix(3, 1, tuple(place[9:]))
    v, w = Matrix(3, 1, tuple(motion[:3])), Matrix(3, 1, tuple(motion[3:]))
    for f in typed.frames:
        p = p + R @ f.offset
        if is_moving:
            (spin,), drift = kinematics.in_speeds([f.spin]), kinematics.drift(f)
            v, w = v + R @ (cross(w, f.offset) + drift), f.rotation.inwards(w) + spin
        rows = [f.rotation.inwards(Matrix(3, 1, R.row(i))) for i in range(3)]
        R = Matrix(3, 3, tuple(e for row in rows for e in row.entries))
    outputs = [(*R.entries, *p.entries), *([(*v.entries, *w.entries)] if is_moving else [])]
    inputs = [*((s,) for s in typed.slots), numbers, _PLACE, _MOTION]
    used = set(free_symbols(*(e for g in outputs for e in g)))
    chosen = [k for k, g in enumerate(inputs) if not used.isdisjoint(g)]
    return Fragment(tuple(inputs[k] for k in chosen), tuple(outputs), (False,) * len(outputs)), chosen


def _load_fragment(x: LoadType, adds: tuple[bool, ...]) -> tuple[Fragment, list[tuple[str, int]]]:
    """The wrenches of a load, added to those of others or not, and its inputs by name."""
    named: dict[tuple[str, int], tuple[Symbol, ...]] = {("slot", i): (s,) for i, s in enumerate(x.slots)}
    named |= {("numbers", 0): x.numbers}
    named |= {("place", i): g for i, g in enumerate(x.places)} | {("motion", i): g for i, g in enumerate(x.motions)}
    used = set(free_symbols(*(e for g in x.wrenches for e in g)))
    chosen = [name for name, g in named.items() if not used.isdisjoint(g)]
    inputs = tuple(named[name] for name in chosen)
    return Fragment(inputs, tuple(x.wrenches), adds), chosen


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

    def __init__(
        self, eq: Equations, tree: SweptTree, types: dict[tuple[int, bool], _LinkType], loads: LinkedLoads,
        loaded: set[int], kinematics: Kinematics,
    ) -> None:  # fmt: skip
        self.eq, self.tree, self.links, self.types = eq, tree, tree.links, types
        self.loads, self.loaded, self.kinematics = loads, loaded, kinematics
        self.arguments = [*tree.arguments, *(e for x in loads.loads for e in x.numbers)]
        self.symbols = tree.symbols
        self.symbol_place = {s: k for k, s in enumerate(self.symbols)}
        self.size = len(self.arguments)
        self.udot = self._take(len(eq.u))
        self.kinds = [(x.kind, k in loaded) for k, x in enumerate(self.links)]
        self.applied = {k: self._take(WRENCH) for k in sorted(loaded)}
        self.places = [self._link_places(k, at) for k, at in enumerate(tree.first_number)]

    def _take(self, n: int) -> int:
        self.size += n
        return self.size - n

    def _link_places(self, k: int, numbers: int) -> _LinkPlaces:
        below = self.links[k].has_children
        kept = [f.keeps for f in self.types[self.kinds[k]].fragments]
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
                link, first = self.links[k], numbers[self.kinds[k]]
                if fragments[first + sweep].outputs:
                    kinds.append(first + sweep)
                    places += self._step(sweep, k, link)
            if sweep == 0 and self.loads.loads:
                more = self._steps_of_loads()
                kinds += [len(fragments) + kind for kind in more.kinds]
                places += more.places
                fragments += more.fragments
        n = len(self.eq.u)
        results = tuple(range(self.udot, self.udot + n))
        schedule = Schedule(tuple(fragments), tuple(kinds), tuple(places), self.size, results)
        arguments = self.arguments
        zeros = [k for k, e in enumerate(arguments) if e is ZERO]
        return Matrix(n, 1, sweep_results(without_zeros(schedule, zeros), arguments))

    def _step(self, sweep: int, k: int, link: Link) -> list[int]:
        """Places of the groups of one step."""
        staged, own = self.types[self.kinds[k]].fragments[sweep], self.places[k]
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
                out.append(self.applied[k] if group else own.children)
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

    def _steps_of_loads(self) -> NewSteps:
        """Places and motions of links, and the wrenches of loads on them."""
        steps = NewSteps()
        has_place, has_motion = self._ways()
        first = self.tree.first_of_kind
        placing: dict[tuple[int, bool], tuple[Fragment, list[int]]] = {}
        place: dict[int, int] = {}
        motion: dict[int, int] = {}
        for k in sorted(has_place):
            link, is_moving = self.links[k], k in has_motion
            if (link.kind, is_moving) not in placing:
                placing[link.kind, is_moving] = _placing(self.kinematics, self.tree, first[link.kind], is_moving)
            fragment, chosen = placing[link.kind, is_moving]
            above = [self.places[k].numbers, place.get(link.parent, -1), motion.get(link.parent, -1)]
            known = [*(self.symbol_place[s] for s in link.slots), *above]
            place[k] = self._take(PLACE)
            if is_moving:
                motion[k] = self._take(MOTION)
            steps.add(fragment, [*(known[i] for i in chosen), place[k], *([motion[k]] if is_moving else [])])
        made: dict[tuple[int, tuple[bool, ...]], tuple[Fragment, list[tuple[str, int]]]] = {}
        numbers, written = len(self.tree.arguments), set[int]()
        for x in self.loads.loads:
            adds = tuple(x.links[i] in written for i in x.acted)
            written.update(x.links[i] for i in x.acted)
            if (x.kind, adds) not in made:
                made[x.kind, adds] = _load_fragment(self.loads.types[x.kind], adds)
            fragment, names = made[x.kind, adds]
            inputs = []
            for name, i in names:
                if name == "slot":
                    inputs.append(self.symbol_place[x.slots[i]])
                elif name == "numbers":
                    inputs.append(numbers)
                else:
                    inputs.append((place if name == "place" else motion)[x.links[i]])
            steps.add(fragment, [*inputs, *(self.applied[x.links[i]] for i in x.acted)])
            numbers += len(x.numbers)
        return steps

    def _ways(self) -> tuple[set[int], set[int]]:
        """Links of which loads need the place, and the motion: those in them, and all down to the ground."""
        needed: tuple[set[int], set[int]] = set(), set()
        for x in self.loads.loads:
            own = self.loads.types[x.kind]
            used = set(free_symbols(*(e for g in own.wrenches for e in g)))
            for i, link in enumerate(x.links):
                is_moving = not used.isdisjoint(own.motions[i])
                if not (is_moving or not used.isdisjoint(own.places[i])):
                    continue
                for found in needed[: 1 + is_moving]:
                    k = link
                    while k >= 0 and k not in found:
                        found.add(k)
                        k = self.links[k].parent
        return needed
