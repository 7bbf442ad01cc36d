"""Articulated bodies of trees with many equal links: fragments for each type of link, and the steps that run them.

Three sweeps (see `articulated_bodies.py`): velocities from the ground outwards, articulated inertia and bias inwards,
accelerations outwards. `link_types.py` has their fragments.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from operator import add
from typing import Final

from ...algebra.calculus.block_elimination import StepMemory
from ...algebra.calculus.sweep_zeros import without_zeros
from ...algebra.graph.graph import ZERO, Expr, Symbol
from ...algebra.graph.matrix import Matrix
from ...algebra.graph.sweeps import Fragment, Schedule, chosen_places, sweep_results
from ...bodies.mechanism.mechanism import Mechanism
from ..equations.equations import Equations
from ..kinematics.equal_links import Link, LinkedTree, acting_loads, has_rigid_links, links_of, varying_numbers
from ..kinematics.kinematics import Kinematics
from ..kinematics.linked_loads import WRENCH, LinkedLoads, linked_loads
from ..routes.repeated_equations import repeated_equations
from .articulated_bodies import falling
from .link_types import AT_A, AT_CHILDREN, AT_W, LinkType, slot_symbols
from .load_steps import LoadSteps

MIN_LINKS: Final = 12  # of smaller trees the unrolled program is used
MIN_COPIES: Final = 2  # links of one type on average: with fewer, there is little to repeat
MIN_OPERATIONS: Final = 3500  # from which on a call of the loops takes no longer than unrolled code
MANY_LINKS: Final = 40  # from which on loops are used in any case: compiling takes a third of the time
MANY_UNEQUAL_LINKS: Final = (
    60  # from which on types have numbers as arguments: code with these written into it is faster
)
MIN_REPEATED: Final = 2  # operations of all steps, in those of all fragments
MAX_SLOTS: Final = 64  # symbols of a link


def swept_accelerations(eq: Equations) -> Matrix | None:
    """u' of a tree with equal links as items of one node; None if too little is repeated, or where the recursion of a
    link needs more than its own symbols."""
    return None if eq.mechanism.constraints else swept_tree_accelerations(eq)


def swept_tree_accelerations(eq: Equations) -> Matrix | None:
    """The same of a mechanism with constraints, as if it had none."""
    return eq.cached("swept accelerations", (), lambda: _accelerations(eq))


def _accelerations(eq: Equations) -> Matrix | None:
    mechanism = eq.mechanism
    if len(mechanism.bodies) < MIN_LINKS or not has_rigid_links(mechanism):
        return None
    if acting_loads(mechanism) and repeated_equations(mechanism) is not None:  # loads between equal trees, type by type
        return None
    tree = swept_tree(mechanism)
    loads = None if tree is None else linked_loads(mechanism, tree.links)
    if tree is None or loads is None:
        return None
    # written out, forces that depend on positions contain the angles of all links on the way
    is_long = loads.coordinates_inside(tree.links) >= len(tree.links)
    if loads.loads and not is_long and len(tree.links) < MANY_LINKS:
        return None
    kinematics = Kinematics(mechanism)
    locks = {v.symbol for angles in eq.variables.rotations_by_angles.values() for v in angles}
    loaded = loads.acted
    types: dict[tuple[int, bool], LinkType] = {}
    for k, x in enumerate(tree.links):
        key = x.kind, k in loaded
        if key not in types:
            types[key] = LinkType(kinematics, tree, tree.first_of_kind[x.kind], locks, k in loaded)
    found = _SweepMemory(eq, tree, types, loads, loaded, kinematics).accelerations()
    schedule = found[0].args[0].data
    is_large = is_long or len(tree.links) >= MANY_LINKS or schedule.operations[1] >= MIN_OPERATIONS
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


# ---------------------------------------------------------------------------------------------------- places and steps


_StepOfType = tuple[int, Callable[[Sequence[int]], tuple[int, ...]], tuple[int, ...]]
"""Number of its fragment, what each place is counted from, and the distances from there."""
# What places are counted from, of each link: the memory, that of the link, that of its parent, its numbers, the wrench
# applied to it; its symbols and the accelerations of its speeds follow.
_MEMORY, _OWN, _ABOVE, _NUMBERS, _WRENCH, _SLOTS = range(6)


class _SweepMemory:
    """The memory of a schedule, and its steps."""

    def __init__(
        self, eq: Equations, tree: SweptTree, types: dict[tuple[int, bool], LinkType], loads: LinkedLoads,
        loaded: frozenset[int], kinematics: Kinematics,
    ) -> None:  # fmt: skip
        self.eq, self.tree, self.links, self.types = eq, tree, tree.links, types
        self.loads, self.loaded, self.kinematics = loads, loaded, kinematics
        self.arguments = [*tree.arguments, *(e for x in loads.loads for e in x.numbers)]
        self.symbols = tree.symbols
        self.symbol_place = {s: k for k, s in enumerate(self.symbols)}
        self.memory = StepMemory(len(self.arguments))
        self._take = self.memory.take
        self.udot = self._take(len(eq.u))
        self.kinds = [(x.kind, k in loaded) for k, x in enumerate(self.links)]
        self.applied = {k: self._take(WRENCH) for k in sorted(loaded)}
        self.base = [self._take(types[kind].kept[-1]) for kind in self.kinds]

    def accelerations(self) -> Matrix:
        fragments: list[Fragment] = [f.fragment for t in self.types.values() for f in t.fragments]
        kinds: list[int] = []
        places: list[int] = []
        origins = self._origins()
        for sweep in range(3):
            steps = self._steps_of_types(sweep)
            for k in reversed(range(len(self.links))) if sweep == 1 else range(len(self.links)):
                if (found := steps[self.kinds[k]]) is not None:
                    kind, chosen, distances = found
                    kinds.append(kind)
                    places += map(add, chosen(origins[k]), distances)
            if sweep == 0 and self.loads.loads:
                self._put_loads()
                more = self.memory.steps
                kinds += [len(fragments) + kind for kind in more.kinds]
                places += more.places
                fragments += more.fragments
        n = len(self.eq.u)
        results = tuple(range(self.udot, self.udot + n))
        schedule = Schedule(tuple(fragments), tuple(kinds), tuple(places), self.memory.size, results)
        arguments = self.arguments
        zeros = [k for k, e in enumerate(arguments) if e is ZERO]
        return Matrix(n, 1, sweep_results(without_zeros(schedule, zeros), arguments))

    def _origins(self) -> list[tuple[int, ...]]:
        """What the places of each link are counted from."""
        base, symbol_place, udot = self.base, self.symbol_place, self.udot
        return [
            (0, base[k], base[x.parent], first, self.applied.get(k, 0),
             *[symbol_place[s] for s in x.slots], *[udot + j for j in x.speeds])
            for k, (x, first) in enumerate(zip(self.links, self.tree.first_number, strict=True))
        ]  # fmt: skip

    def _steps_of_types(self, sweep: int) -> dict[tuple[int, bool], _StepOfType | None]:
        """The steps of one sweep by type; None where nothing is computed."""
        first = self.tree.first_of_kind
        steps: dict[tuple[int, bool], _StepOfType | None] = {}
        for number, (kind, t) in enumerate(self.types.items()):
            if t.fragments[sweep].fragment.outputs:
                places = self._places_of_type(sweep, t, first[kind[0]])
                chosen = chosen_places([origin for origin, _ in places])
                steps[kind] = 3 * number + sweep, chosen, tuple([distance for _, distance in places])
            else:
                steps[kind] = None
        return steps

    def _places_of_type(self, sweep: int, t: LinkType, link: Link) -> list[tuple[int, int]]:
        """Of each group of a step what its place is counted from, and the distance from there."""
        staged, kept = t.fragments[sweep], t.kept
        out = []
        for stage, group in staged.inputs:
            if group < 0:
                out.append((_OWN, kept[stage]))
            elif stage == 0 and group < len(link.slots):
                out.append((_SLOTS + group, 0))
            elif stage == 0 and group == len(link.slots):
                out.append((_NUMBERS, 0))
            elif stage == 1:
                out.append((_WRENCH, 0) if group else (_OWN, AT_CHILDREN))
            elif link.parent < 0:
                out.append((_MEMORY, len(self.symbols) - 3 * (stage == 2)))
            else:
                out.append((_ABOVE, AT_W if stage == 0 else AT_A))
        if sweep == 0:
            out += [(_OWN, AT_W)] * link.has_children
        elif sweep == 1:
            out += [(_ABOVE, AT_CHILDREN)] * (link.parent >= 0)
        else:
            out += [(_OWN, AT_A)] * link.has_children
            out += [(_SLOTS + len(link.slots) + i, 0) for i in range(len(link.speeds))]
        return out + [(_OWN, kept[sweep])] * bool(staged.keeps)

    def _put_loads(self) -> None:
        steps = LoadSteps(
            self.kinematics, self.tree, self.loads, self.memory, self.symbol_place, self.tree.first_number
        )
        steps.put(len(self.tree.arguments), self.applied)
