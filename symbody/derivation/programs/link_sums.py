"""Kinetic and potential energy, and the power of gravity, of trees with many equal links, in loops.

Two sweeps: from the ground outwards motions of links, or components of gravity and the level of origins,

    ω = Rᵀ ω_P + s,   v = Rᵀ (v_P + ω_P × p + p')          g = Rᵀ g_P,   h = h_P + g_P · p

and inwards the sum of each link's own energy and those of its children. Potentials of loads on bodies, and the powers of these
loads, are steps over places and motions of links in the ground (`load_steps.py`). Other potentials belong to the link whose
coordinates are in them; those with coordinates of several links are added as they are written.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Sequence
from dataclasses import replace
from itertools import accumulate
from typing import Final

from ...algebra.calculus.block_elimination import StepMemory
from ...algebra.calculus.staged_fragments import StagedFragment, SweepStage, staged_fragments
from ...algebra.calculus.sweep_zeros import without_zeros
from ...algebra.graph.graph import HALF, ZERO, Expr, Symbol
from ...algebra.graph.matrix import Matrix, cross, dot, zeros
from ...algebra.graph.sweeps import Fragment, Schedule, sweep_results
from ...algebra.graph.walk import free_symbols
from ...bodies.mechanism.mechanism import Mechanism
from ..kinematics.equal_links import Link, SlotText, acting_loads, has_rigid_links
from ..kinematics.kinematics import Kinematics, loads_besides_gravity
from ..kinematics.linked_loads import LinkedLoad, LinkedLoads, LoadType, linked_loads
from .articulated_bodies import falling
from .link_sweeps import MANY_LINKS, MAX_SLOTS, SweptTree, repeats_enough, swept_tree
from .link_types import slot_symbols
from .load_steps import LoadSteps, Outputs

_MOTION: Final = slot_symbols("parent_motion", 6)  # ω and v of the parent
_GRAVITY: Final = slot_symbols("parent_gravity", 3)  # in axes of the parent
_LEVEL: Final = slot_symbols("parent_level", 4)  # gravity in axes of the parent, and the level of its origin
_SUM: Final = slot_symbols("children", 1)
_KNOWN_KINDS: Final = ("coordinate", "speed", "parameter", "time")

Parts = tuple[tuple[Expr, ...], Expr]  # what a link passes to its children, and its own part of the sum
Passage = Callable[[Link], Parts]


def swept_kinetic_energy(mechanism: Mechanism) -> Expr | None:
    """T as one item of a node `sweeps`; None where links are few, or not those of a tree."""
    return mechanism.cached("swept kinetic energy", (), lambda: _kinetic(mechanism))


def swept_potential_energy(mechanism: Mechanism) -> Expr | None:
    """V of gravity and of all loads that have a potential, likewise."""
    return mechanism.cached("swept potential energy", (), lambda: _potential(mechanism))


def swept_gravity_power(mechanism: Mechanism) -> Expr | None:
    """Σ m g · v of uniform gravity, likewise."""
    return mechanism.cached("swept gravity power", (), lambda: _gravity_power(mechanism))


def swept_load_powers(mechanism: Mechanism) -> dict[str, Expr]:
    """Σ F · v + τ · ω of the forces of each load on bodies by name, as items of one node; none where they are written out."""
    return mechanism.cached("swept load powers", (), lambda: _load_powers(mechanism))


def _tree_of(mechanism: Mechanism) -> SweptTree | None:
    if len(mechanism.bodies) < MANY_LINKS or not has_rigid_links(mechanism):
        return None
    return swept_tree(mechanism)


def _kinetic(mechanism: Mechanism) -> Expr | None:
    tree = _tree_of(mechanism)
    if tree is None:
        return None
    kinematics = Kinematics(mechanism)

    def passage(link: Link) -> Parts:
        w, v = _velocity_of(link, kinematics)
        total = ZERO
        for m in link.masses:
            at_com = v + cross(w, m.p_BoBcm)
            total = total + HALF * (m.m * dot(at_com, at_com) + dot(w, m.I_BBcm @ w))
        return (*w.entries, *v.entries), total

    return _LinkSum(tree, _MOTION, zeros(6).entries, passage).total()


def _gravity_power(mechanism: Mechanism) -> Expr | None:
    tree, g = _tree_of(mechanism), -falling(mechanism)
    if tree is None:
        return None
    kinematics = Kinematics(mechanism)

    def passage(link: Link) -> Parts:
        w, v = _velocity_of(link, kinematics)
        axes = Matrix(3, 1, _GRAVITY)
        for f in link.frames:
            axes = f.rotation.inwards(axes)
        power = sum((m.m * dot(axes, v + cross(w, m.p_BoBcm)) for m in link.masses), ZERO)
        return (*w.entries, *v.entries, *axes.entries), power

    return _LinkSum(tree, (*_MOTION, *_GRAVITY), (*zeros(6).entries, *g.entries), passage).total()


def _velocity_of(link: Link, kinematics: Kinematics) -> tuple[Matrix, Matrix]:
    """ω and v of its last frame, from those of its parent."""
    w, v = Matrix(3, 1, _MOTION[:3]), Matrix(3, 1, _MOTION[3:])
    for f in link.frames:
        (spin,) = kinematics.in_speeds([f.spin])
        inwards = f.rotation.inwards
        w, v = inwards(w) + spin, inwards(v + cross(w, f.offset) + kinematics.drift(f))
    return w, v


def _potential(mechanism: Mechanism) -> Expr | None:
    tree, g = _tree_of(mechanism), -falling(mechanism)
    if tree is None or any(s.kind == "coordinate" for s in free_symbols(g)):
        return None
    kinematics = Kinematics(mechanism)
    between = _load_potentials(mechanism, kinematics, tree)
    tree, stored, others = _with_potentials(mechanism, kinematics, tree, between)
    if max(len(x.slots) for x in tree.links) > MAX_SLOTS:
        return None
    others += dict.fromkeys(between.values())
    if all(e is ZERO for e in g.entries) and not stored:
        return sum(others, ZERO) if between else None

    def passage(link: Link) -> Parts:
        axes, level = Matrix(3, 1, _LEVEL[:3]), _LEVEL[3]
        total: Expr = ZERO
        for f in link.frames:
            axes, level = f.rotation.inwards(axes), level + dot(axes, f.offset)
        for m in link.masses:
            total = total - m.m * (level + dot(axes, m.p_BoBcm))
        return (*axes.entries, level), total + stored.get(link.kind, ZERO)

    found = _LinkSum(tree, _LEVEL, (*g.entries, ZERO), passage).total()
    on_ground = [
        -b.mass.m * dot(g, b.mass.p_BoBcm)
        for b in mechanism.rigid_bodies
        if b.frame.is_ground and not b.mass.is_massless
    ]
    return None if found is None else sum([*on_ground, *others], found)


def _with_potentials(
    mechanism: Mechanism, kinematics: Kinematics, tree: SweptTree, known: Collection[str]
) -> tuple[SweptTree, dict[int, Expr], list[Expr]]:
    """A tree of which links of one type also have equal potentials; these by type; potentials that belong to no link. Those of
    loads that are known are left out."""
    left = [x for x in loads_besides_gravity(mechanism) if x.has_potential and x.name not in known]
    found = [x.potential for x in left]
    potentials = kinematics.in_speeds([V for V in found if V is not None])
    owner = {s: k for k, x in enumerate(tree.links) for s in x.slots if s.kind in ("coordinate", "speed")}
    own: dict[int, list[Expr]] = {}
    others: list[Expr] = []
    for V in potentials:
        inside = free_symbols(V)
        links = {owner.get(s, -1) for s in inside if s.kind not in ("parameter", "time")}
        is_own = len(links) == 1 and -1 not in links and all(s.kind in _KNOWN_KINDS for s in inside)
        (own.setdefault(links.pop(), []) if is_own else others).append(V)
    kinds: dict[Hashable, int] = {}
    stored: dict[int, Expr] = {}
    links_with: list[Link] = []
    for k, link in enumerate(tree.links):
        V, text = sum(own.get(k, ()), ZERO), SlotText()
        text.write((*link.slots, V))
        kind = kinds.setdefault((link.kind, tuple(text.text)), len(kinds))
        stored.setdefault(kind, V)
        links_with.append(link._replace(kind=kind, slots=tuple(text.slots)))
    varying = {x.kind: tree.varying[old.kind] for old, x in zip(tree.links, links_with, strict=True)}
    used = dict.fromkeys(s for x in links_with for s in x.slots)
    symbols = list(dict.fromkeys((*tree.symbols, *used)))
    more = len(symbols) - len(tree.symbols)
    first = [at + more for at in tree.first_number]
    made = replace(tree, links=links_with, symbols=symbols, varying=varying, first_number=first)
    return made, {kind: V for kind, V in stored.items() if V is not ZERO}, others


# --------------------------------------------------------------------------------------------------------------- loads


def _load_potentials(mechanism: Mechanism, kinematics: Kinematics, tree: SweptTree) -> dict[str, Expr]:
    """Their sum, by the name of each load on bodies of which it contains the potential."""
    loads = linked_loads(mechanism, tree.links)
    if loads is None or all(x.potential is None for x in loads.types.values()):
        return {}
    run = _LoadRun(kinematics, tree, loads)
    total = run.memory.take(1)
    run.put(lambda x: [] if x.potential is None else [(x.potential,)], lambda n, x: [total])
    inside = [
        x.name
        for x, own in zip(acting_loads(mechanism), loads.loads, strict=True)
        if loads.types[own.kind].potential is not None
    ]
    return dict.fromkeys(inside, run.items([total])[0])


def _load_powers(mechanism: Mechanism) -> dict[str, Expr]:
    tree = _tree_of(mechanism)
    loads = None if tree is None else linked_loads(mechanism, tree.links)
    if tree is None or loads is None or not loads.loads:
        return {}
    run = _LoadRun(Kinematics(mechanism), tree, loads)
    first = run.memory.take(len(loads.loads))
    run.put(lambda x: [(_power_of_type(x),)], lambda n, x: [first + n])
    names = [x.name for x in acting_loads(mechanism)]
    return dict(zip(names, run.items(range(first, first + len(names))), strict=True))


def _power_of_type(x: LoadType) -> Expr:
    total: Expr = ZERO
    for i, wrench in zip(x.acted, x.wrenches, strict=True):
        R, v = Matrix(3, 3, x.places[i][:9]), Matrix(3, 1, x.motions[i][:3])
        total = (
            total + dot(R @ Matrix(3, 1, wrench[:3]), v) + dot(Matrix(3, 1, wrench[3:]), Matrix(3, 1, x.motions[i][3:]))
        )
    return total


class _LoadRun:
    """A schedule of results of loads."""

    def __init__(self, kinematics: Kinematics, tree: SweptTree, loads: LinkedLoads) -> None:
        self.arguments = [*tree.arguments, *(e for x in loads.loads for e in x.numbers)]
        self.memory = StepMemory(len(self.arguments))
        place = {s: k for k, s in enumerate(tree.symbols)}
        self.steps = LoadSteps(kinematics, tree, loads, self.memory, place, tree.first_number)
        self.first_number = len(tree.arguments)

    def put(self, outputs: Outputs, places_of: Callable[[int, LinkedLoad], list[int]]) -> None:
        self.steps.put_results(self.first_number, outputs, places_of)

    def items(self, results: Sequence[int]) -> list[Expr]:
        schedule = self.memory.steps.schedule(self.memory.size, results)
        without = without_zeros(schedule, [k for k, e in enumerate(self.arguments) if e is ZERO])
        return list(sweep_results(*_with_used_arguments(without, self.arguments)))


# --------------------------------------------------------------------------------------------------------------- links


class _LinkSum:
    """The schedule of a sum over links.

    above     symbols for what a link gets from its parent
    ground    what links get that hang on the ground
    passage   of a link: what its children get, and its own part of the sum
    """

    def __init__(self, tree: SweptTree, above: tuple[Symbol, ...], ground: Sequence[Expr], passage: Passage) -> None:
        self.tree, self.above, self.passage = tree, above, passage
        self.place = {s: k for k, s in enumerate(tree.symbols)}
        self.ground = len(tree.symbols)
        shift = len(ground) - 3  # in place of gravity as an acceleration
        self.numbers = [at + shift for at in tree.first_number]
        self.arguments = [*tree.symbols, *ground, *tree.numbers]

    def total(self) -> Expr | None:
        """None where too little is repeated."""
        schedule = self._schedule()
        if not repeats_enough(schedule):
            return None
        without = without_zeros(schedule, [k for k, e in enumerate(self.arguments) if e is ZERO])
        return sweep_results(*_with_used_arguments(without, self.arguments))[0]

    def _schedule(self) -> Schedule:
        links = self.tree.links
        last_root = max(k for k, x in enumerate(links) if x.parent < 0)  # the first of them, on the way inwards
        is_first = [x.is_first or k == last_root for k, x in enumerate(links)]
        types: dict[Hashable, tuple[int, list[StagedFragment]]] = {}
        fragments: list[Fragment] = []
        for x, first in zip(links, is_first, strict=True):
            if (x.kind, first) not in types:
                types[x.kind, first] = len(fragments), self._fragments(x, first)
                fragments += [f.fragment for f in types[x.kind, first][1]]
        total = len(self.arguments)
        sizes = [n for x, first in zip(links, is_first, strict=True) for n in self._sizes(x, types[x.kind, first][1])]
        places = list(accumulate(sizes, initial=total + 1))
        kinds: list[int] = []
        steps: list[int] = []
        for sweep, order in enumerate((range(len(links)), range(len(links))[::-1])):
            for k in order:
                number, staged = types[links[k].kind, is_first[k]]
                if staged[sweep].fragment.outputs:
                    kinds.append(number + sweep)
                    steps += self._step(sweep, k, staged[sweep], places, total)
        return Schedule(tuple(fragments), tuple(kinds), tuple(steps), places[-1], (total,))

    def _sizes(self, link: Link, staged: Sequence[StagedFragment]) -> tuple[int, int, int]:
        """Numbers for the children, those of the sum over them, and those that are kept between the sweeps."""
        return len(self.above) * link.has_children, int(link.has_children), staged[0].keeps

    def _fragments(self, link: Link, is_first: bool) -> list[StagedFragment]:
        typed, numbers = self.tree.typed(link)
        passed, own = self.passage(typed)
        known = (*((s,) for s in link.slots), numbers, self.above)
        total = own + _SUM[0] if link.has_children else own
        outwards = SweepStage(known, (passed,) * link.has_children, (False,) * link.has_children)
        return staged_fragments([outwards, SweepStage((_SUM,), ((total,),), (not is_first,))])

    def _step(self, sweep: int, k: int, staged: StagedFragment, places: Sequence[int], total: int) -> list[int]:
        """Places of the groups of one step."""
        link = self.tree.links[k]
        passed, children, kept = places[3 * k : 3 * k + 3]
        out = []
        for stage, group in staged.inputs:
            if group < 0:
                out.append(kept)
            elif stage == 1:
                out.append(children)
            elif group < len(link.slots):
                out.append(self.place[link.slots[group]])
            elif group == len(link.slots):
                out.append(self.numbers[k])
            else:
                out.append(self.ground if link.parent < 0 else places[3 * link.parent])
        if sweep == 0:
            return out + [passed] * link.has_children + [kept] * bool(staged.keeps)
        return [*out, total if link.parent < 0 else places[3 * link.parent + 1]]


def _with_used_arguments(schedule: Schedule, arguments: Sequence[Expr]) -> tuple[Schedule, list[Expr]]:
    """The schedule without arguments that no step reads."""
    n = len(arguments)
    is_used = bytearray(n)
    for kind, places in schedule.steps():
        for group, at in zip(schedule.fragments[kind].inputs, places, strict=False):
            if at < n:
                is_used[at : at + len(group)] = b"\1" * len(group)
    ranks = list(accumulate(is_used, initial=0))
    fewer = n - ranks[n]

    def moved(places: Sequence[int]) -> tuple[int, ...]:
        return tuple(ranks[p] if p < n else p - fewer for p in places)

    made = replace(schedule, places=moved(schedule.places), results=moved(schedule.results), size=schedule.size - fewer)
    return made, [e for e, used in zip(arguments, is_used, strict=True) if used]
