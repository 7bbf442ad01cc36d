"""Parts of a mechanism that repeat: trees that the mass matrix does not couple, groups of constraints, and loads between trees.

A tree hangs on the ground and shares no speed with another; M has a block for each, and constraints and loads alone couple
them. Trees are of one type where everything that was written for them has the same structure and the same numbers, as links are
(`equal_links.py`), and so are groups of constraints, those of one joint or on the same coordinates, and loads.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from ...algebra.graph.graph import ZERO, Expr, Symbol, symbol
from ...algebra.graph.matrix import Matrix
from ...algebra.graph.walk import free_symbols, substitute_all
from ...bodies.frames.frames import Frame
from ...bodies.frames.rotations import Cosines, Turn
from ...bodies.mechanism.mechanism import Body, Constraint, Load, Mechanism
from .equal_links import SlotText, acting_loads, has_rigid_links, numbers_of, write_place
from .kinematics import Kinematics, forces_on_rates, loads_besides_gravity, wrenches

MAX_ROWS: Final = 6  # of one group of constraints


@dataclass(frozen=True)
class UncoupledTree:
    """Bodies on a tree of frames.

    speeds   numbers of the speeds that move it
    forces   on these, of loads besides gravity
    slots    its symbols, in the order in which they are met
    kind     what equal trees have in common
    """

    bodies: tuple[Body, ...]
    speeds: tuple[int, ...]
    forces: tuple[Expr, ...]
    slots: tuple[Symbol, ...]
    kind: Hashable


@dataclass(frozen=True)
class ConstraintGroup:
    """Constraints whose rows of Jc follow each other.

    first     number of the first row
    trees     numbers of the trees whose speeds are in them
    """

    first: int
    constraints: tuple[Constraint, ...]
    trees: tuple[int, ...]
    slots: tuple[Symbol, ...]
    kind: Hashable

    @property
    def rows(self) -> range:
        return range(self.first, self.first + len(self.constraints))


@dataclass(frozen=True)
class LoadOnTrees:
    """A load that acts on bodies.

    trees   numbers of the trees on which it acts
    """

    load: Load
    trees: tuple[int, ...]
    slots: tuple[Symbol, ...]
    kind: Hashable


@dataclass(frozen=True)
class RepeatedParts:
    """The trees of a mechanism, the groups of its constraints and its loads on bodies."""

    trees: list[UncoupledTree]
    groups: list[ConstraintGroup]
    loads: list[LoadOnTrees]


def repeated_parts(mechanism: Mechanism) -> RepeatedParts | None:
    """Trees, constraints and loads of a mechanism; None where something else than its coordinates moves a tree, or constraints and
    loads contain more than coordinates, speeds, parameters and time."""
    return mechanism.cached("repeated parts", (), lambda: _parts(mechanism))


def _parts(mechanism: Mechanism) -> RepeatedParts | None:
    if mechanism.norms or mechanism.equations or mechanism.small or not has_rigid_links(mechanism):
        return None
    trees = _Trees(mechanism).found()
    groups = None if trees is None else _groups(mechanism, trees)
    loads = None if trees is None or groups is None else _loads(mechanism, trees)
    return None if trees is None or groups is None or loads is None else RepeatedParts(trees, groups, loads)


# ------------------------------------------------------------------------------------------------------------- trees


class _Trees:
    def __init__(self, mechanism: Mechanism) -> None:
        self.mechanism = mechanism
        self.number = {u: j for j, u in enumerate(mechanism.u)}
        self.Q = forces_on_rates(loads_besides_gravity(mechanism), Kinematics(mechanism))
        self.bodies: dict[Frame, list[Body]] = {}
        for b in mechanism.rigid_bodies:
            if not b.mass.is_massless:
                self.bodies.setdefault(b.frame, []).append(b)

    def found(self) -> list[UncoupledTree] | None:
        """Trees in the order of their first frames; None if they do not have all speeds."""
        out = []
        owned: set[int] = set()
        for frames in self._joined():
            tree = self._tree(frames)
            if tree is None:
                return None
            owned.update(tree.speeds)
            out.append(tree)
        return out if len(owned) == len(self.number) else None

    def _frames(self) -> list[Frame]:
        """Those with mass, and those before them."""
        needed: set[Frame] = set()
        for f in reversed(self.mechanism.frames):
            if f in self.bodies or f in needed:
                needed.add(f)
                if f.parent is not None:
                    needed.add(f.parent)
        return [f for f in self.mechanism.frames if f in needed]

    def _joined(self) -> Iterable[list[Frame]]:
        """Frames of each tree: of those on the ground, the ones that share speeds are one."""
        root: dict[Frame, int] = {}
        members: list[list[Frame]] = []
        owner: dict[Symbol, int] = {}
        for f in self._frames():
            assert f.parent is not None
            if f.parent in root:
                k = root[f.parent]
            else:
                k = len(members)
                members.append([])
            root[f] = k
            members[k].append(f)
            for s in _speeds_in(self.mechanism, self.number, _place_of(f)):
                other = owner.setdefault(s, k)
                if other != k:
                    fewer, more = sorted((k, other), key=lambda i: len(members[i]))
                    for g in members[fewer]:
                        root[g] = more
                    owner.update({s: more for s, i in owner.items() if i == fewer})
                    members[more] += members[fewer]
                    members[fewer] = []
                    k = more
        order = {f: i for i, f in enumerate(self.mechanism.frames)}
        return [sorted(frames, key=order.__getitem__) for frames in members if frames]

    def _tree(self, frames: Sequence[Frame]) -> UncoupledTree | None:
        shape = SlotText()
        place = {f: k for k, f in enumerate(frames)}
        bodies: list[Body] = []
        for f in frames:
            shape.text.append(-1 if f.parent is None else place.get(f.parent, -1))
            write_place(shape, [_beginning_anywhere(f) if f.parent is self.mechanism.ground else f])
            for b in self.bodies.get(f, ()):
                shape.text.append("body")
                shape.write(numbers_of(b.mass))
                bodies.append(b)
        speeds = _written_rates(shape, self.mechanism, self.number)
        if speeds is None:
            return None
        forces = tuple(self.Q[j] for j in speeds)
        shape.write(forces)
        kind = len(speeds), tuple(shape.text)
        return UncoupledTree(tuple(bodies), tuple(speeds), forces, tuple(shape.slots), kind)


def _beginning_anywhere(f: Frame) -> Frame:
    """A frame on the ground without the part of its offset that is a number, on which neither M nor f depends."""
    offset = tuple(ZERO if e.op == "const" else e for e in f.offset.entries)
    return Frame(f.parent, f.rotation, Matrix(3, 1, offset), f.name)


def _place_of(f: Frame) -> list[Expr]:
    found = list(f.offset.entries)
    for factor in f.rotation.factors:
        if isinstance(factor, Turn):
            found.append(factor.angle)
        elif isinstance(factor, Cosines):
            found += factor.matrix.entries
    return [e for e in found if e.op != "const"]


def _speeds_in(mechanism: Mechanism, number: dict[Symbol, int], expressions: Sequence[Expr]) -> Iterable[Symbol]:
    """The speeds that change some expressions."""
    for q in free_symbols(expressions) if expressions else ():
        rate = mechanism.rates.get(q)
        if rate is not None:
            yield from (s for s in ((rate,) if isinstance(rate, Symbol) else free_symbols(rate)) if s in number)


def _written_rates(shape: SlotText, mechanism: Mechanism, number: dict[Symbol, int]) -> list[int] | None:
    """Adds the rates of the coordinates; numbers of the speeds in them. None where something else changes what was written."""
    speeds: dict[int, None] = {}
    for q in tuple(shape.slots):
        if q.kind == "coordinate" and q in mechanism.rates:
            rate = mechanism.rates[q]
            shape.write((rate,))
            speeds.update({number[s]: None for s in free_symbols(rate) if s in number})
        elif q in number:
            speeds[number[q]] = None
        elif q.kind not in ("parameter", "time"):
            return None
    return list(speeds)


# ------------------------------------------------------------------------------------------------------- constraints


class _KindsAnyOrder:
    """Kinds of things on trees, whatever the names of their symbols: these decide the order of terms in sums and of factors.

    What is written in another order has another text. Of the first thing with each text, symbols that stand for places in
    the trees are put into its expressions, which sorts these alike.
    """

    def __init__(self, mechanism: Mechanism, trees: Sequence[UncoupledTree]) -> None:
        self.mechanism, self.trees = mechanism, trees
        self.number = {u: j for j, u in enumerate(mechanism.u)}
        self.place = {j: (k, i) for k, tree in enumerate(trees) for i, j in enumerate(tree.speeds)}
        self._found: dict[object, tuple[Hashable, list[int]]] = {}

    def tree_of(self, speed: int) -> int:
        return self.place[speed][0]

    def kind(
        self,
        shape: SlotText,
        speeds: Sequence[int],
        touched: Sequence[int],
        expressions: Sequence[Expr],
        more: Hashable,
    ) -> tuple[Hashable, tuple[Symbol, ...]]:
        """The kind, and slots in an order that is the same for all things of this kind.

        speeds    those in what was written
        touched   trees, in an order that does not depend on names
        """
        at = {k: n for n, k in enumerate(touched)}
        owners = tuple((at.get(k, -1), i) for k, i in map(self.place.__getitem__, speeds))
        sizes = tuple(len(self.trees[k].speeds) for k in touched)
        key = sizes, more, owners, tuple(shape.text)
        slots = list(shape.slots)
        if key not in self._found:
            first = [s for k in touched for s in self.trees[k].slots if s in shape.slots]
            ordered = list(dict.fromkeys([*first, *slots]))
            names = {s: symbol(f"slot_{n}", s.kind) for n, s in enumerate(ordered)}
            rates = [self.mechanism.rates[s] for s in ordered if s in self.mechanism.rates]
            owner = {names[self.mechanism.u[j]]: o for j, o in zip(speeds, owners, strict=True)}
            sorted_alike = tuple(substitute_all([*expressions, *rates], names))
            new = sizes, more, tuple(owner.get(x) for x in names.values()), tuple(names.values()), sorted_alike
            self._found[key] = new, [shape.slots[s] for s in ordered]
        kind, order = self._found[key]
        return kind, tuple([slots[k] for k in order])


class TypesOfGroups:
    """Types of groups of constraints on trees."""

    def __init__(self, mechanism: Mechanism, trees: Sequence[UncoupledTree]) -> None:
        self.mechanism, self.kinds = mechanism, _KindsAnyOrder(mechanism, trees)

    def group(self, first: int, constraints: Sequence[Constraint]) -> ConstraintGroup | None:
        """Constraints whose rows begin with one; None where they contain more than coordinates, speeds, parameters and time."""
        kinds, shape, written = self.kinds, SlotText(), [c.expression for c in constraints]
        shape.write(written)
        speeds = _written_rates(shape, self.mechanism, kinds.number)
        if speeds is None:
            return None
        touched = sorted({kinds.tree_of(j) for j in speeds})
        are_holonomic = tuple(c.is_holonomic for c in constraints)
        kind, slots = kinds.kind(shape, speeds, touched, written, are_holonomic)
        return ConstraintGroup(first, tuple(constraints), tuple(touched), slots, kind)


def _groups(mechanism: Mechanism, trees: Sequence[UncoupledTree]) -> list[ConstraintGroup] | None:
    types, out = TypesOfGroups(mechanism, trees), list[ConstraintGroup]()
    for first, constraints in neighbours(mechanism):
        group = types.group(first, constraints)
        if group is None:
            return None
        out.append(group)
    return out


def neighbours(mechanism: Mechanism) -> Iterable[tuple[int, list[Constraint]]]:
    """Constraints by groups, in the order of the rows of Jc: those of a joint, or on the same symbols."""
    group: list[Constraint] = []
    before: object = None
    first = 0
    for row, c in enumerate((*mechanism.holonomic, *mechanism.nonholonomic)):
        about = (c.is_holonomic, frozenset(free_symbols(c.expression)) if c.joint is None else c.joint)
        if group and (about != before or len(group) == MAX_ROWS):
            yield first, group
            group, first = [], row
        before = about
        group.append(c)
    if group:
        yield first, group


# ------------------------------------------------------------------------------------------------------------- loads


def _loads(mechanism: Mechanism, trees: Sequence[UncoupledTree]) -> list[LoadOnTrees] | None:
    """What is written for a load: wrenches on frames, and velocities of these."""
    kinds, kinematics = _KindsAnyOrder(mechanism, trees), Kinematics(mechanism)
    out: list[LoadOnTrees] = []
    for load in acting_loads(mechanism):
        shape, moved, written = SlotText(), dict[int, None](), list[Expr]()
        for frame, wrench in wrenches([load], kinematics).items():
            w, v = kinematics.velocity(frame)
            moving = [e for e in (*v.entries, *w.entries) if e.op != "const"]
            moved.update((kinds.number[s], None) for s in free_symbols(moving) if s in kinds.number)
            written += [*wrench.force.entries, *wrench.moment.entries, *v.entries, *w.entries]
        shape.write(written)
        speeds = _written_rates(shape, mechanism, kinds.number)
        if speeds is None or load.on_rates:
            return None
        touched = list(dict.fromkeys(map(kinds.tree_of, moved)))
        others = sorted({kinds.tree_of(j) for j in speeds}.difference(touched))
        kind, slots = kinds.kind(shape, speeds, [*touched, *others], written, len(touched))
        out.append(LoadOnTrees(load, tuple(touched), slots, kind))
    return out
