"""Equations of motion of a tree of equal links as relations between neighbours, for implicit methods: their matrix is
sparse where that of u' = F(q, u) is full.

Two sweeps of inverse dynamics (Newton and Euler), with u' as given numbers: outwards the motion s = (ω, α, a) of each link
from that of its parent, inwards the wrench C on it of its children and of loads,

    s = g(s_P, q, u, u'),     C_P += -Xᵀ (I α̂ + b(s) - C),     r = Sᵀ (I α̂ + b(s) - C) - Q(q, u, t) = 0

With s, C and u' as unknowns beside q and u, each equation contains quantities of a link and of its parent only. From the
leaves to the root, elimination then fills in nothing but the response of a subtree to the motion of its base: six rows of
nine numbers, as in the recursion of articulated bodies, in work proportional to the number of links.

Loads on bodies add their wrenches to C. They depend on places and motions of links in the ground (`load_steps.py`), which are
unknowns, too, at links between a load and the ground: the response of a subtree has up to 18 more columns. A load between two
links adds the columns of one to the rows of all links on the way to the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

from ...algebra.calculus.block_elimination import StepMemory
from ...algebra.calculus.sweep_partials import SweepPartials, sweep_partials
from ...algebra.calculus.sweep_zeros import without_zeros
from ...algebra.graph.graph import ZERO, Expr, Symbol
from ...algebra.graph.matrix import Matrix, cross, zeros
from ...algebra.graph.sweeps import Fragment, sweep_results
from ...algebra.graph.walk import free_symbols
from ...bodies.frames.frames import Frame
from ..equations.equations import Equations
from ..kinematics.equal_links import Link, acting_loads
from ..kinematics.frame_motions import Acceleration
from ..kinematics.inertial_parameters import NO_LUMP, Lump
from ..kinematics.kinematics import Kinematics, Wrench
from ..kinematics.linked_loads import MOTION as VELOCITY
from ..kinematics.linked_loads import PLACE, WRENCH, LinkedLoads, linked_loads
from ..routes.recursive import Subspace, power_on, subspace_of, to_parent, wrench_about_origin
from .articulated_bodies import frame_velocity_terms
from .link_sweeps import SweptTree, swept_accelerations, swept_tree
from .link_types import slot_symbols
from .load_steps import LoadSteps

MOTION = 9  # numbers of s

InputName = tuple[str, int]

_PARENT, _OWN, _APPLIED = (slot_symbols(x, n) for x, n in (("parent", MOTION), ("own", MOTION), ("applied", WRENCH)))


@dataclass(frozen=True)
class LinkBalances:
    """The sweeps with all partial derivatives (`SweepPartials`), over a memory that begins with the arguments of the
    accelerations' own sweeps and u'.

    symbols     the first arguments
    u_dot       place of the first u'
    rates       place of the rate of each coordinate
    balances    place of the balance of each speed
    order       coordinates, speeds, balances and other places in the order of elimination: from the leaves to the root
    """

    partials: SweepPartials
    symbols: tuple[Symbol, ...]
    u_dot: int
    rates: dict[Symbol, int]
    balances: list[int]
    order: list[tuple[str, int]]


def link_balances(eq: Equations) -> LinkBalances | None:
    """Of a tree whose accelerations are loops over equal links; None for others."""
    return eq.cached("link balances", (), lambda: None if (found := _sweeps_of(eq)) is None else found.made())


def swept_wrenches(eq: Equations) -> dict[Frame, Wrench]:
    """What the frames of links need from their parents for their whole subtrees, for u' as symbols: items of one node. Without
    frames between a load and the link on which it acts; empty where accelerations are written out."""
    return eq.cached("swept wrenches", (), lambda: {} if (found := _sweeps_of(eq)) is None else found.wrenches())


def _sweeps_of(eq: Equations) -> _BalanceSweeps | None:
    if eq.lam or eq.u != eq.mechanism.u or swept_accelerations(eq) is None:
        return None
    tree = swept_tree(eq.mechanism)
    loads = None if tree is None else linked_loads(eq.mechanism, tree.links)
    return None if tree is None or loads is None else _BalanceSweeps(eq, tree, loads)


# ----------------------------------------------------------------------------------------------------- one type of link


@dataclass(frozen=True)
class _BalanceType:
    """Groups of inputs by name (symbols of the link and u' of its speeds by number), and what the sweeps give.

    outwards   s, and the rates of the coordinates
    inwards    the wrench on the parent, and the balance of each speed
    wrenches   the wrench on the parent, and that which the link needs at its last frame
    """

    inputs: list[tuple[InputName, tuple[Symbol, ...]]]
    outwards: list[tuple[Expr, ...]]
    inwards: list[tuple[Expr, ...]]
    wrenches: list[tuple[Expr, ...]]

    def fragment(self, sweep: str) -> tuple[Fragment, list[InputName]]:
        """Of one sweep, with the names of its inputs."""
        outputs = [g for g in getattr(self, sweep) if g]
        used = set(free_symbols(*(e for g in outputs for e in g)))
        chosen = [(name, g) for name, g in self.inputs if not used.isdisjoint(g)]
        inputs = tuple(g for _, g in chosen)
        return Fragment(inputs, tuple(outputs), (False,) * len(outputs)), [name for name, _ in chosen]


def _link_type(kinematics: Kinematics, tree: SweptTree, link: Link, is_loaded: bool) -> _BalanceType:
    typed, numbers = tree.typed(link)
    speeds = {kinematics.u[j]: j for j in link.speeds}
    rate = dict(zip(link.speeds, slot_symbols("rate", len(link.speeds)), strict=True))
    subspaces: dict[Frame, Subspace] = {}
    w, alpha, a = zeros(3), zeros(3), Matrix(3, 1, _PARENT[6:])
    if link.parent >= 0:
        w, alpha = Matrix(3, 1, _PARENT[:3]), Matrix(3, 1, _PARENT[3:6])
    for f in typed.frames:
        (spin,), drift = kinematics.in_speeds([f.spin]), kinematics.drift(f)
        subspaces[f] = subspace_of(f, spin, drift, speeds)
        w, excess = frame_velocity_terms(f, w, spin, drift, kinematics)
        alpha, a = _accelerations_beyond(f, alpha, a, excess, subspaces[f], rate)
    lump = NO_LUMP
    for m in typed.masses:
        lump = lump + Lump.of(m)
    own = Acceleration.of(*(Matrix(3, 1, _OWN[k : k + 3]) for k in (0, 3, 6)))
    wrench = wrench_about_origin(lump, own)
    if link.has_children or is_loaded:
        wrench = wrench - Wrench(Matrix(3, 1, _APPLIED[:3]), Matrix(3, 1, _APPLIED[3:]))
    needed = (*wrench.force.entries, *wrench.moment.entries)
    balances: dict[int, Expr] = {}
    for f in reversed(typed.frames):
        for j, column in subspaces[f].columns.items():
            balances[j] = power_on(column, wrench) - tree.Q[j]
        wrench = to_parent(f, wrench)
    inputs: list[tuple[InputName, tuple[Symbol, ...]]] = [(("slot", k), (s,)) for k, s in enumerate(link.slots)]
    inputs += [(("rate", k), (s,)) for k, s in enumerate(rate.values())]
    inputs += [(("parent", 0), _PARENT if link.parent >= 0 else _PARENT[6:])]
    inputs += [(("numbers", 0), numbers), (("own", 0), _OWN), (("applied", 0), _APPLIED)]
    on_parent = [-e for e in (*wrench.force.entries, *wrench.moment.entries)] if link.parent >= 0 else []
    return _BalanceType(
        inputs,
        [(*w.entries, *alpha.entries, *a.entries), *((kinematics.mechanism.rates[q],) for q in own_coordinates(kinematics, link))],
        [tuple(on_parent), *((balances[j],) for j in link.speeds)],
        [tuple(on_parent), needed],
    )  # fmt: skip


def own_coordinates(kinematics: Kinematics, link: Link) -> list[Symbol]:
    """The coordinates that place a link; forces on it may depend on others, too."""
    speeds, rates = {kinematics.u[j] for j in link.speeds}, kinematics.mechanism.rates
    return [s for s in link.slots if s.kind == "coordinate" and not speeds.isdisjoint(free_symbols(rates[s]))]


def _accelerations_beyond(
    f: Frame, alpha: Matrix, a: Matrix, excess: tuple[Matrix, Matrix], subspace: Subspace, rate: dict[int, Symbol]
) -> tuple[Matrix, Matrix]:
    """Acceleration of a frame from that of its parent, for u' as symbols."""
    a = f.rotation.inwards(a + cross(alpha, f.offset)) + excess[1]
    alpha = f.rotation.inwards(alpha) + excess[0]
    for j, (angular, linear) in subspace.columns.items():
        alpha, a = alpha + rate[j] * angular, a + rate[j] * linear
    return alpha, a


# ---------------------------------------------------------------------------------------------------- places and steps


class _BalanceSweeps:
    """The memory of the two sweeps, and their steps."""

    def __init__(self, eq: Equations, tree: SweptTree, loads: LinkedLoads) -> None:
        self.eq, self.tree, self.links, self.loads = eq, tree, tree.links, loads
        self.kinematics = Kinematics(eq.mechanism)
        self.coordinates = [own_coordinates(self.kinematics, x) for x in self.links]
        self.loaded = {x.links[i] for x in loads.loads for i in x.acted}
        self.types: dict[tuple[int, bool], _BalanceType] = {}
        self.fragments: dict[tuple[int, bool, str], tuple[Fragment, list[InputName]]] = {}
        self.symbol_place = {s: k for k, s in enumerate(tree.symbols)}
        self.arguments = [*tree.arguments, *(e for x in loads.loads for e in x.numbers)]
        self.memory = StepMemory(len(self.arguments))
        take = self.memory.take
        self.u_dot = take(len(eq.u))
        self.balances = [take(1) for _ in eq.u]
        self.rates = {q: take(1) for q in eq.q}
        self.motion = [take(MOTION) for _ in self.links]
        self.applied = [take(WRENCH) for _ in self.links]
        self.beside: list[list[int]] = [[] for _ in self.links]  # places of what loads need of each link

    def made(self) -> LinkBalances | None:
        if sorted(s.name for own in self.coordinates for s in own) != sorted(s.name for s in self.eq.q):
            return None
        self._add_sweeps("inwards", [[self.balances[j] for j in x.speeds] for x in self.links])
        results = [*self.balances, *self.rates.values()]
        schedule = self.memory.steps.schedule(self.memory.size, results)
        schedule = without_zeros(schedule, [k for k, e in enumerate(self.arguments) if e is ZERO])
        moving = [k for k, s in enumerate(self.tree.symbols) if s.kind not in ("parameter", "time")]
        partials = sweep_partials(schedule, [*moving, *range(self.u_dot, self.u_dot + len(self.eq.u))])
        return LinkBalances(
            partials, tuple(self.tree.symbols), self.u_dot, self.rates, self.balances, self._order()
        )  # fmt: skip

    def wrenches(self) -> dict[Frame, Wrench]:
        needed = [self.memory.take(WRENCH) for _ in self.links]
        self._add_sweeps("wrenches", [[at] for at in needed])
        schedule = self.memory.steps.schedule(self.memory.size, [at + i for at in needed for i in range(WRENCH)])
        schedule = without_zeros(schedule, [k for k, e in enumerate(self.arguments) if e is ZERO])
        found = iter(sweep_results(schedule, [*self.arguments, *(u.dot for u in self.eq.u)]))
        last = {x.frames[-1] for x in self.links}
        beside: set[Frame] = set()
        for f in (f for x in acting_loads(self.eq.mechanism) for f in x.frames):
            while not (f in last or f in beside or f.is_ground):
                beside.add(f)
                assert f.parent is not None
                f = f.parent
        out: dict[Frame, Wrench] = {}
        for x in self.links:
            wrench = Wrench(*(Matrix(3, 1, tuple(islice(found, 3))) for _ in range(2)))
            for f in reversed(x.frames):
                out[f], wrench = wrench, to_parent(f, wrench)
        return {f: w for f, w in out.items() if f not in beside}

    def _add_sweeps(self, way_back: str, results: Sequence[Sequence[int]]) -> None:
        """Outwards, of loads, and inwards with results of each link."""
        for k in range(len(self.links)):
            self._add_step(k, "outwards", [self.motion[k], *(self.rates[s] for s in self.coordinates[k])])
        if self.loads.loads:
            self._add_loads()
        for k in reversed(range(len(self.links))):
            parent = self.links[k].parent
            self._add_step(k, way_back, [*([] if parent < 0 else [self.applied[parent]]), *results[k]])

    def _add_loads(self) -> None:
        first = self.tree.first_number
        steps = LoadSteps(self.kinematics, self.tree, self.loads, self.memory, self.symbol_place, first)
        found = steps.put(len(self.tree.arguments), {k: self.applied[k] for k in self.loaded})
        for places, size in zip(found, (PLACE, VELOCITY), strict=True):
            for k, at in places.items():
                self.beside[k] += range(at, at + size)

    def _add_step(self, k: int, sweep: str, outputs: Sequence[int]) -> None:
        link = self.links[k]
        of = link.kind, k in self.loaded
        if of not in self.types:
            self.types[of] = _link_type(self.kinematics, self.tree, self.tree.first_of_kind[link.kind], of[1])
        if (*of, sweep) not in self.fragments:
            self.fragments[*of, sweep] = self.types[of].fragment(sweep)
        fragment, names = self.fragments[*of, sweep]
        self.memory.add(fragment, [self._input_place(k, link, name, number) for name, number in names], outputs)

    def _input_place(self, k: int, link: Link, name: str, number: int) -> int:
        match name:
            case "slot":
                return self.symbol_place[link.slots[number]]
            case "rate":
                return self.u_dot + link.speeds[number]
            case "parent":
                return len(self.tree.symbols) if link.parent < 0 else self.motion[link.parent]
            case "numbers":
                return self.tree.first_number[k]
        return self.motion[k] if name == "own" else self.applied[k]

    def _order(self) -> list[tuple[str, int]]:
        """Speeds and coordinates of a link first, by their own equations; then what they leave of the wrench on it, of its motion
        and of what loads need of it; then u', with the inertia, damping and stiffness that u' feels as pivot."""
        q = {s: k for k, s in enumerate(self.eq.q)}
        out: list[tuple[str, int]] = []
        for k in reversed(range(len(self.links))):
            link = self.links[k]
            out += [("speed", j) for j in link.speeds]
            out += [("coordinate", q[s]) for s in self.coordinates[k]]
            out += [("place", p) for p in range(self.applied[k], self.applied[k] + WRENCH)]
            out += [("place", p) for p in range(self.motion[k], self.motion[k] + MOTION)]
            out += [("place", p) for p in self.beside[k]]
            out += [("balance", j) for j in link.speeds]
        return out
