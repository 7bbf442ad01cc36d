"""Constrained motion of the links of a tree as one node of the graph: articulated bodies, with the multipliers of constraints
between links carried along until they have ended (`linked_fragments.py`)."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from ...algebra.calculus.block_elimination import Entries, entries_at
from ...algebra.calculus.block_fragments import zeros as zeros_of
from ...algebra.calculus.sweep_zeros import without_zeros
from ...algebra.elimination.least_degree import least_degree_order
from ...algebra.graph.graph import ZERO, Expr, Symbol
from ...algebra.graph.matrix import Matrix
from ...algebra.graph.sweeps import Fragment, sweep_results
from ...algebra.graph.walk import free_symbols
from ..equations.equations import Equations
from ..kinematics.equal_links import SlotText, is_loose
from ..kinematics.kinematics import Kinematics
from ..kinematics.linked_constraints import GROUND, LinkedGroup, open_groups
from ..kinematics.uncoupled_trees import ConstraintGroup
from ..routes.linked_equations import LinkedEquations
from . import linked_fragments as fragments
from .constraint_schedules import ConstraintSchedule, ConstraintSweeps, Residual, fragment_of
from .link_sweeps import SweptTree
from .link_types import slot_symbols
from .linked_fragments import INERTIA, WRENCH, Input, LinkedType, Passing, VectorFragments
from .load_steps import LoadSteps

PRODUCTS: Final = {
    "phi": ((0, 0),),
    "rates": ((0, 1), (1, 0)),
    "along": ((0, 1), (1, 0)),
    "bias": ((0, 2), (1, 1), (1, 1), (2, 0)),
}
"""Orders of the rates of the two vectors of a condition in its value, its rate, and its second rate at u' = 0."""


@dataclass(frozen=True)
class VectorShape:
    """What a link has in some vectors.

    kind     number of its structure
    parts    components of each vector in the link; None without
    numbers  in these, other than zero; `slots` are the symbols
    moving   coordinates in them, and their rates
    """

    kind: int
    parts: list[Matrix | None]
    numbers: list[Expr]
    slots: list[Symbol]
    moving: list[tuple[Symbol, Symbol]]


class LinkedSweeps(ConstraintSweeps):
    """Nodes for accelerations, multipliers, residuals and corrections of links of one tree."""

    def __init__(self, eq: Equations, parts: LinkedEquations, tree: SweptTree) -> None:
        super().__init__(eq, parts)
        self.loads, self.acting = parts.acting.loads, parts.acting
        self.tree, self.kinematics = tree, Kinematics(eq.mechanism)
        self._shapes: dict[tuple[int, int], VectorShape] = {}
        self._kinds: dict[object, int] = {}

    def shape(self, group: LinkedGroup, k: int) -> VectorShape:
        """What a link has in the vectors of a group."""
        found = self._shapes.get((group.first, k))
        if found is None:
            found = self._shapes[group.first, k] = self._new_shape([v.get(k) for v in group.vectors])
        return found

    def _new_shape(self, parts: list[Matrix | None]) -> VectorShape:
        text, rates = SlotText(are_loose=True), self.eq.mechanism.rates
        for x in parts:
            text.text.append("vector")
            if x is not None:
                text.write_numbers(x.entries)
        kind = self._kinds.setdefault(tuple(text.text), len(self._kinds))
        moving = [(s, u) for s in text.slots if isinstance(u := rates.get(s), Symbol)]
        return VectorShape(kind, parts, text.numbers, list(text.slots), moving)

    def schedule(
        self, groups: Sequence[ConstraintGroup], more: Mapping[Symbol, Symbol] | None = None
    ) -> ConstraintSchedule:
        return LinkedSchedule(self, groups, more)


@dataclass
class _RightSide:
    """Places of one right side: y - h of groups, what they leave at links, and the solution."""

    rates: dict[tuple[int, int], int]
    wrench: dict[int, int]
    z: dict[int, int]
    change: dict[int, int]
    t: dict[int, int]
    a: dict[int, int]
    multipliers: dict[int, int]


class LinkedSchedule(ConstraintSchedule):
    """A schedule that is being made."""

    has_multipliers = True
    sweeps: LinkedSweeps
    groups: Sequence[LinkedGroup]

    def more_arguments(self, sweeps: ConstraintSweeps) -> list[Expr]:
        """Gravity as an acceleration of the ground, and numbers of links that differ, of vectors and of loads."""
        assert isinstance(sweeps, LinkedSweeps)
        self.sweeps, self.tree, self.links = sweeps, sweeps.tree, sweeps.tree.links
        self.falling = len(self.symbols)
        numbers = dict.fromkeys(
            e for g in self.groups for v in g.vectors for x in v.values() for e in x.entries if is_loose(e)
        )
        first = self.falling + 3 + len(self.tree.numbers)
        self.number_places = {e: first + k for k, e in enumerate(numbers)}
        self.load_numbers = first + len(numbers)
        of_loads = [e for x in sweeps.acting.loads for e in x.numbers]
        return [*self.tree.falling.entries, *self.tree.numbers, *numbers, *of_loads]

    def prepare(self, sweeps: ConstraintSweeps) -> None:
        self.eq, self.kinematics = sweeps.eq, self.sweeps.kinematics
        self.numbers = [self.falling - len(self.tree.symbols) + at for at in self.tree.first_number]
        self.open = sweeps.eq.cached("open groups", len(self.groups), lambda: open_groups(self.links, self.groups))
        self.rows = [len(g.constraints) for g in self.groups]
        self.of_speed = {s: k for k in range(len(self.links)) for s in self._speeds(k)}
        self.has_forces = False
        self.applied: dict[int, int] = {}  # wrenches of loads
        self.types: dict[int, LinkedType] = {}
        self.axes: list[int] = []
        self.turning: dict[object, list[int]] = {}
        self.kept: dict[tuple[int, int], int] = {}
        self.force: dict[tuple[int, int], int] = {}  # F of a group at a link
        self.slope: dict[tuple[int, int], int] = {}  # Jc of a group at a joint
        self.compliance: dict[tuple[int, int, int], int] = {}  # G of two groups at a link
        self.B: dict[tuple[int, int], int] = {}
        self.driven: dict[tuple[int, int], int] = {}  # D⁻¹ B
        self.excess: dict[tuple[int, int], int] = {}
        self.vectors: dict[tuple[int, int, object], int] = {}
        self.factors: dict[int, int] = {}
        self.W: dict[int, int] = {}
        self.K: dict[tuple[int, int], int] = {}
        self.order: dict[int, list[int]] = {}
        self.sides: list[_RightSide] = []
        self.made: dict[Hashable, Any] = {}

    def _speeds(self, k: int) -> list[Symbol]:
        return [self.eq.u[j] for j in self.links[k].speeds]

    # ------------------------------------------------------------------------------------------------ links

    def put_trees(self, has_forces: bool) -> None:
        """What velocities give for each link, and types of links."""
        self.has_forces = has_forces
        loaded = {self.links[k].kind for k in self.sweeps.acting.acted} if has_forces else set[int]()
        passing: dict[int, dict[Passing, None]] = {x.kind: {} for x in self.links}
        for k, x in enumerate(self.links):
            passing[x.kind].update(dict.fromkeys(self._passing(g, k) for g in self.open[k].through))
        locks = {v.symbol for angles in self.eq.variables.rotations_by_angles.values() for v in angles}
        for kind, link in self.tree.first_of_kind.items():
            ways = passing[kind]
            is_loaded = kind in loaded
            self.types[kind] = LinkedType(self.kinematics, self.tree, link, ways, has_forces, locks, is_loaded)
        if has_forces:
            self._turn(None)
        for k in range(len(self.links)):
            self._link_step(k, 0, {}, {})

    def put_loads(self) -> None:
        """Wrenches of loads on bodies. Forces on coordinates are those of the links."""
        acting, numbers = self.sweeps.acting, self.load_numbers
        self.applied = {k: self.memory.take(WRENCH) for k, x in enumerate(self.links) if self.types[x.kind].is_loaded}
        for at in [at for k, at in self.applied.items() if k not in acting.acted]:
            self._add(zeros_of(WRENCH), [], at)
        LoadSteps(self.kinematics, self.tree, acting, self.memory, self.place, self.numbers).put(numbers, self.applied)

    def _passing(self, g: int, k: int) -> Passing:
        return Passing(self.rows[g], g in self.open[k].pushing, k in self.groups[g].joints)

    def _link_step(self, k: int, stage: int, inputs: Mapping[str, int], outputs: Mapping[str, int]) -> None:
        """A step of one sweep, with places of inputs and outputs by name."""
        own = self.types[self.links[k].kind]
        staged = own.fragments[stage]
        if not staged.fragment.outputs:
            return
        places = []
        for before, group in staged.inputs:
            if group < 0:
                places.append(self.kept[k, before])
            else:
                name, number = own.sources[before][group]
                places.append(inputs[name] if name in inputs else self._place_of(k, name, number))
        ends = [outputs[name] for name in own.results[stage]]
        if staged.keeps:
            self.kept[k, stage] = self.memory.take(staged.keeps)
            ends.append(self.kept[k, stage])
        self.memory.add(staged.fragment, places, ends)

    def _place_of(self, k: int, name: str, number: int) -> int:
        link = self.links[k]
        match name:
            case "slot":
                return self.place[link.slots[number]]
            case "numbers":
                return self.numbers[k]
            case "axes":
                return self.axes[link.parent]
            case "inertia":
                return self.inertia[k]
            case "applied":
                return self.applied[k]
        assert name == "w"
        return self.turning[None][link.parent]

    def _turn(self, speeds: Mapping[Symbol, Symbol] | None) -> list[int]:
        """Places of the angular velocities of links, for speeds or what stands for them."""
        key = None if speeds is None else id(speeds)  # of a residual, which lives longer
        if key in self.turning:
            return self.turning[key]
        out = self.turning[key] = [self.memory.take(3) for _ in self.links]
        for k, link in enumerate(self.links):
            fragment, names = self._once(
                ("turning", link.kind), lambda link=link: fragments.turning(self.kinematics, link)
            )
            places = []
            for name, number in names:
                s = link.slots[number] if name == "slot" else None
                if s is not None:
                    places.append(self.place[s if speeds is None else speeds.get(s, s)])
                else:
                    places.append(out[link.parent])
            self.memory.add(fragment, places, [out[k]])
        return out

    def _orient(self) -> None:
        if self.axes:
            return
        self.axes = [self.memory.take(9) for _ in self.links]
        for k, link in enumerate(self.links):
            fragment, names = self._once(("axes", link.kind), lambda link=link: fragments.orientation(link))
            self.memory.add(fragment, [self._place_of(k, *name) for name in names], [self.axes[k]])

    def _once(self, key: Hashable, make: Any) -> Any:
        if key not in self.made:
            self.made[key] = make()
        return self.made[key]

    # ------------------------------------------------------------------------------------------------ groups

    def put_groups(self, residuals: Sequence[Residual], has_slopes: bool = True) -> None:
        """Right sides of groups, and what their multipliers act on."""
        self.sides = [_RightSide({}, {}, {}, {}, {}, {}, {}) for _ in residuals]
        for g, group in enumerate(self.groups):
            for side in self.sides:
                side.rates[g, group.end] = self.memory.take(self.rows[g])
        if any(g.products for g in self.groups):
            self._orient()
        for g, group in enumerate(self.groups):
            if group.products:
                self._put_vectors(g, group, residuals, has_slopes)
            else:
                self._put_expressions(g, group, residuals, has_slopes)

    def _put_expressions(self, g: int, group: LinkedGroup, residuals: Sequence[Residual], has_slopes: bool) -> None:
        own = self.parts.groups[group.kind]
        slopes = own.Jc if has_slopes else ()
        key = "expressions", group.kind
        if key not in self.made:
            self.made[key] = fragment_of([*(x.of(own).entries for x in residuals), *(J.entries for J in slopes)])
        outputs = [side.rates[g, group.end] for side in self.sides]
        for k, J in zip(group.trees if has_slopes else (), slopes, strict=True):
            self.slope[g, k] = self.memory.take(len(J.entries))
            outputs.append(self.slope[g, k])
        self.add(self.made[key], own.slots, group, outputs)

    def _put_vectors(self, g: int, group: LinkedGroup, residuals: Sequence[Residual], has_slopes: bool) -> None:
        for side, residual in zip(self.sides, residuals, strict=True):
            at = side.rates[g, group.end]
            if residual.name == "free rates":
                self.memory.add(zeros_of(self.rows[g]), [], [at])
                continue
            orders = PRODUCTS[residual.name]
            needed = fragments.factors_needed(group.products, orders)
            places = [self._vector(g, v, order, residual.speeds) for v, order in needed]
            self.memory.add(fragments.products_of(group.products, orders, residual.name == "bias"), places, [at])
        for k in group.acted if has_slopes else ():
            self.force[g, k] = self.memory.take(6 * self.rows[g])
            self._vector_step(g, k, "pushed", (), [self.force[g, k]], None)
        for k in group.joints if has_slopes else ():
            self.slope[g, k] = self.memory.take(self.rows[g] * len(self.links[k].speeds))
            for i in (*group.acted, GROUND):
                if any(self._moves(v.get(i), k) for v in group.vectors):
                    self._vector_step(g, i, "slopes", tuple(self._speeds(k)), [self.slope[g, k]], None)

    def _moves(self, x: Any, k: int) -> bool:
        """Whether coordinates of a joint are in a vector."""
        return x is not None and any(
            isinstance(u := self.eq.mechanism.rates.get(s), Symbol) and self.of_speed[u] == k for s in free_symbols(x)
        )

    def _vector(self, g: int, v: int, order: int, speeds: Mapping[Symbol, Symbol] | None) -> int:
        """The place of a vector in the ground, or of its rate, or of its second rate at u' = 0."""
        key = g, v, (order, None if speeds is None or not order else id(speeds))
        if key not in self.vectors:
            at = self.vectors[key] = self.memory.take(3)
            links = [k for k in self.groups[g].vectors[v] if order == 0 or k != GROUND or self._has_coordinates(g, v)]
            for k in links:
                self._vector_step(g, k, "gathered", (v, order), [at], speeds)
            if not links:
                self.memory.add(zeros_of(3), [], [at])
        return self.vectors[key]

    def _has_coordinates(self, g: int, v: int) -> bool:
        return any(s in self.eq.mechanism.rates for s in free_symbols(self.groups[g].vectors[v][GROUND]))

    def _vector_step(
        self,
        g: int,
        k: int,
        what: str,
        more: tuple[Any, ...],
        outputs: Sequence[int],
        speeds: Mapping[Symbol, Symbol] | None,
    ) -> None:
        """A step with what a link has in the vectors of a group."""
        group, shape = self.groups[g], self.sweeps.shape(self.groups[g], k)
        own = tuple(more.index(u) if u in more else -1 for _, u in shape.moving) if what == "slopes" else more
        key = what, group.products, k == GROUND, shape.kind, own
        if key not in self.made:
            self.made[key] = self._vector_fragment(group, shape, what, more, k == GROUND)
        fragment, names = self.made[key]
        places = []
        for name, i in names:
            match name:
                case "slot":
                    places.append(self.place[shape.slots[i]])
                case "rate":
                    u = shape.moving[i][1]
                    places.append(self.place[u if speeds is None else speeds[u]])
                case "number":
                    places.append(self.number_places[shape.numbers[i]])
                case "axes":
                    places.append(self.axes[k])
                case "w":
                    places.append(self._turn(speeds)[k])
                case _:
                    places.append(self._vector(g, i, 0, None))
        self.memory.add(fragment, places, outputs)

    def _vector_fragment(
        self,
        group: LinkedGroup,
        shape: VectorShape,
        what: str,
        more: tuple[Any, ...],
        is_on_ground: bool,
    ) -> tuple[Fragment, list[Input]]:
        numbers = slot_symbols("number", len(shape.numbers))
        loose, parts = iter(numbers), shape.parts
        symbols: list[Matrix | None] = []
        for x in parts:
            entries = None if x is None else tuple(next(loose) if is_loose(e) else e for e in x.entries)
            symbols.append(None if entries is None else Matrix(3, 1, entries))
        link = VectorFragments(self.kinematics, tuple(symbols), is_on_ground)
        vectors = [slot_symbols(f"vector_{v}", 3) for v in range(len(parts))]
        match what:
            case "gathered":
                found = link.term(*more)
            case "pushed":
                found = link.pushes(group.products, vectors)
            case _:
                found = link.slopes(group.products, vectors, more)
        inputs: dict[Input, tuple[Symbol, ...]] = {("slot", i): (s,) for i, s in enumerate(shape.slots)}
        inputs |= {("rate", i): (u,) for i, (_, u) in enumerate(shape.moving)}
        inputs |= {("number", i): (x,) for i, x in enumerate(numbers)}
        inputs |= {("axes", 0): fragments.AXES, ("w", 0): fragments.TURNING}
        inputs |= {("vector", v): x for v, x in enumerate(vectors)}
        made, chosen = fragments.fragment_between(list(inputs.values()), [found])
        names = list(inputs)
        return made, [names[i] for i in chosen]

    # ------------------------------------------------------------------------------------------------ results

    def slope_entries(self) -> Iterable[tuple[int, int, Entries]]:
        """Entries of Jc, carried from each link to the one where its constraint has ended."""
        made: dict[tuple[int, Passing], tuple[Fragment, list[Input]]] = {}
        for k in reversed(range(len(self.links))):
            link = self.links[k]
            for g in self.open[k].through:
                way = self._passing(g, k)
                if (link.kind, way) not in made:
                    first = self.tree.first_of_kind[link.kind]
                    made[link.kind, way] = fragments.slopes_through(self.kinematics, self.tree, first, way)
                fragment, names = made[link.kind, way]
                known = {"force": self.force.get((g, k), -1), "slope": self.slope.get((g, k), -1)}
                places = [known[name] if name in known else self._place_of(k, name, i) for name, i in names]
                outputs = [self._force(g, link.parent)]
                found = entries_at(0, [])
                if link.speeds:
                    found = entries_at(self.memory.take(len(fragment.outputs[1])), fragment.outputs[1])
                    outputs.append(found.at)
                self.memory.add(fragment, places, outputs)
                yield g, k, found

    def _force(self, g: int, k: int) -> int:
        if (g, k) not in self.force:
            self.force[g, k] = self.memory.take(6 * self.rows[g])
        return self.force[g, k]

    def residual_places(self) -> Iterable[tuple[int, int]]:
        """Of the first right sides, with their numbers."""
        return ((self.sides[0].rates[g, group.end], self.rows[g]) for g, group in enumerate(self.groups))

    def of_rows(self, k: int) -> list[int]:
        """Places of multipliers by row, or of the right side where nothing was solved."""
        side = self.sides[k]
        at = side.multipliers or {g: side.rates[g, group.end] for g, group in enumerate(self.groups)}
        return [at[g] + row for g in range(len(self.groups)) for row in range(self.rows[g])]

    def items(self, places: Sequence[int]) -> tuple[Expr, ...]:
        schedule = self.memory.steps.schedule(self.memory.size, places)
        none = [k for k, e in enumerate(self.arguments) if e is ZERO]
        return sweep_results(without_zeros(schedule, none), self.arguments)

    # ------------------------------------------------------------------------------------------------ elimination

    def solve(self, is_guarded: bool) -> None:
        """Articulated bodies inwards with the constraints that have not ended, and for each right side the solution."""
        self.inertia = {k: self.memory.take(INERTIA) for k, x in enumerate(self.links) if x.has_children}
        self.inertia[GROUND] = self.memory.take(INERTIA)
        self.guard = self.memory.take(1) if is_guarded else None
        self.trace = self.memory.take(1)
        for k in reversed(range(len(self.links))):
            self._eliminate(k)
            self._pass_inertia(k)
        self._eliminate(GROUND)
        if self.guard is not None:
            for g, at in self.factors.items():
                self.memory.add(fragments.guard(self.rows[g]), [at, self.trace], [self.guard])
        for side in self.sides:
            self._solve_side(side)

    def _add(self, fragment: Fragment, inputs: Sequence[int], *outputs: int) -> None:
        self.memory.add(fragment, inputs, outputs)

    def _compliance(self, g: int, h: int, k: int) -> int:
        """The place of G of two groups at a link, the first not after the second."""
        if (g, h, k) not in self.compliance:
            r = self.rows[g]
            self.compliance[g, h, k] = self.memory.take(r * (r + 1) // 2 if g == h else r * self.rows[h])
        return self.compliance[g, h, k]

    def _eliminate(self, k: int) -> None:
        """The multipliers of constraints that have ended at a link."""
        here, rows = self.open[k], self.rows
        left = sorted({*here.ended, *here.through})
        near = {g: {h for h in left if h != g and (min(g, h), max(g, h), k) in self.compliance} for g in here.ended}
        number = {g: i for i, g in enumerate(here.ended)}
        order = least_degree_order([{number[h] for h in near[g] if h in number} for g in here.ended])
        self.order[k] = [here.ended[i] for i in order]
        for g in self.order[k]:
            r = rows[g]
            left.remove(g)
            self.factors[g], self.W[g] = self.memory.take(r * r), self.memory.take(6 * r)
            self._add(fragments.factor(r), [self.compliance[g, g, k]], self.factors[g], self.trace)
            self._add(fragments.stiffening(r), [self.factors[g], self.force[g, k]], self.W[g], self.inertia[k])
            coupled = [h for h in left if (min(g, h), max(g, h), k) in self.compliance]
            for h in coupled:
                self.K[h, g] = self.memory.take(rows[h] * r)
                at = self.compliance[min(g, h), max(g, h), k]
                self._add(fragments.coupling(rows[h], r, g < h), [self.factors[g], at], self.K[h, g])
                self._add(fragments.less_forces(rows[h], r), [self.K[h, g], self.force[g, k]], self._force(h, k))
            for n, h in enumerate(coupled):
                for i in coupled[n:]:
                    at = self.compliance[min(g, i), max(g, i), k]
                    made = fragments.less_coupling(rows[h], rows[i], r, h == i, i < g)
                    self._add(made, [self.K[h, g], at], self._compliance(h, i, k))

    def _pass_inertia(self, k: int) -> None:
        """Through the joint of a link: its inertia, and F and G of the constraints that have not ended."""
        link, through = self.links[k], self.open[k].through
        above = {} if link.parent < 0 else {"inertia": self.inertia[link.parent]}
        self._link_step(k, 1, {"inertia": self.inertia[k]} if k in self.inertia else {}, above)
        d, own = len(link.speeds), self.types[link.kind]
        for g in through:
            r = self.rows[g]
            inputs = {"force": self.force.get((g, k), -1), "slope": self.slope.get((g, k), -1)}
            outputs = {"F": self._force(g, link.parent)}
            if d:
                self.B[g, k], self.driven[g, k] = self.memory.take(r * d), self.memory.take(r * d)
                outputs |= {"B": self.B[g, k], "E": self.driven[g, k]}
            if self.has_forces:
                outputs["excess"] = self.excess[g, k] = self.memory.take(r)
            self._link_step(k, own.stage_of(self._passing(g, k)), inputs, outputs)
        for n, g in enumerate(through):
            for h in through[n:]:
                before = self.compliance.get((g, h, k))
                if d:
                    made = fragments.compliance(self.rows[g], self.rows[h], d, g == h, before is not None)
                    of_both = [self.B[g, k], self.driven[h, k], *([] if before is None else [before])]
                    self._add(made, of_both, self._compliance(g, h, link.parent))
                elif before is not None:
                    size = self.rows[g] * (self.rows[g] + 1) // 2 if g == h else self.rows[g] * self.rows[h]
                    self._add(fragments.numbers(size), [before], self._compliance(g, h, link.parent))

    def _solve_side(self, side: _RightSide) -> None:
        for k in reversed(range(len(self.links))):
            self._right_sides_inwards(side, k)
        self._eliminate_right_sides(side, GROUND)
        at = self.memory.take(self.speeds)
        self.udots.append(at)
        self._multipliers(side, GROUND)
        for k in range(len(self.links)):
            self._outwards(side, k, at)

    def _eliminate_right_sides(self, side: _RightSide, k: int) -> None:
        for g in self.order[k]:
            r, y = self.rows[g], side.rates[g, k]
            side.t[g] = self.memory.take(r)
            self._add(fragments.solution(r), [self.factors[g], y], side.t[g])
            if k != GROUND:
                side.wrench.setdefault(k, self.memory.take(WRENCH))
                self._add(fragments.less_wrench(r), [self.force[g, k], side.t[g]], side.wrench[k])
            for h in self._coupled(g, k):
                at = self._rates(side, h, k)
                self._add(fragments.less_rates(self.rows[h], r), [self.K[h, g], y], at)

    def _coupled(self, g: int, k: int) -> list[int]:
        """Groups that are eliminated after one at a link and are coupled with it."""
        here = self.open[k]
        return [h for h in sorted({*here.ended, *here.through}) if (h, g) in self.K]

    def _rates(self, side: _RightSide, g: int, k: int) -> int:
        if (g, k) not in side.rates:
            side.rates[g, k] = self.memory.take(self.rows[g])
        return side.rates[g, k]

    def _right_sides_inwards(self, side: _RightSide, k: int) -> None:
        self._eliminate_right_sides(side, k)
        link, d = self.links[k], len(self.links[k].speeds)
        if link.has_children and k not in side.wrench:
            side.wrench[k] = self.memory.take(WRENCH)
            self._add(zeros_of(WRENCH), [], side.wrench[k])
        outputs = {}
        if link.parent >= 0:
            outputs["wrench"] = side.wrench.setdefault(link.parent, self.memory.take(WRENCH))
        if d:
            outputs["z"] = side.z[k] = self.memory.take(d)
            outputs["change"] = side.change[k] = self.memory.take(d)
        self._link_step(k, 2, {"wrench": side.wrench.get(k, -1)}, outputs)
        for g in self.open[k].through:
            before, r = side.rates.get((g, k)), self.rows[g]
            if not d and before is None and not self.has_forces:
                continue
            inputs = [self.B[g, k], side.z[k]] if d else []
            inputs += [] if before is None else [before]
            inputs += [self.excess[g, k]] if self.has_forces else []
            made = fragments.left_rates(r, d, before is not None, self.has_forces)
            self._add(made, inputs, self._rates(side, g, link.parent))

    def _multipliers(self, side: _RightSide, k: int) -> None:
        """Of constraints that have ended at a link, from its acceleration."""
        for g in reversed(self.order[k]):
            r = self.rows[g]
            at = side.multipliers[g] = self.memory.take(r)
            if k != GROUND:
                self._add(fragments.multipliers(r, 6), [side.t[g], self.W[g], side.a[k]], at)
            elif self.has_forces:
                self._add(fragments.multipliers(r, 3), [side.t[g], self.W[g], self.falling], at)
            else:
                self._add(fragments.multipliers(r, 0), [side.t[g]], at)
            for h in self._coupled(g, k):
                self._add(fragments.less_multipliers(self.rows[h], r), [self.K[h, g], side.multipliers[h]], at)
            if self.guard is not None and k == GROUND:
                self._add(fragments.copies(r), [self.guard], at)

    def _outwards(self, side: _RightSide, k: int, first: int) -> None:
        link, d = self.links[k], len(self.links[k].speeds)
        if d:
            for g in self.open[k].through:
                self._add(fragments.drive(self.rows[g], d), [self.driven[g, k], side.multipliers[g]], side.change[k])
            if self.guard is not None and link.parent < 0:
                self._add(fragments.copies(d), [self.guard], side.change[k])
        outputs = {f"rate {i}": first + j for i, j in enumerate(link.speeds)}
        if link.has_children:
            outputs["a"] = side.a[k] = self.memory.take(6)
        above = self.falling - 3 if link.parent < 0 else side.a[link.parent]
        self._link_step(
            k, len(self.types[link.kind].fragments) - 1, {"a": above, "change": side.change.get(k, -1)}, outputs
        )
        self._multipliers(side, k)
