"""Loads on links of a tree: what they depend on, and which of them are equal.

A load depends on the places and motions of a few links, and on few symbols. A type is derived once, on frames that are free: their
places and motions are symbols. Expressions of a load contain the coordinates of all links down to the ground; therefore its recipe
is applied to points of the free frames (springs, dampers, drag), or its vectors are written in their axes.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from ...algebra.graph.graph import Expr, Symbol, symbol
from ...algebra.graph.matrix import Matrix, cross, skew, zeros
from ...algebra.graph.walk import free_symbols, substitute_all
from ...bodies.frames.frames import Frame
from ...bodies.frames.points import Point
from ...bodies.frames.rotations import Cosines, Rotation
from ...bodies.frames.vectors import Vector
from ...bodies.mechanism.mechanism import Action, Load, Mechanism
from ...bodies.mechanism.recipes import LoadRecipe
from .equal_links import Link, SlotText, acting_loads, is_loose, write_place
from .kinematics import Kinematics
from .linked_constraints import GROUND, repeat_enough

PLACE, MOTION, WRENCH = 12, 6, 6  # numbers of a place (rotation matrix, position), of a motion and of a wrench
TURN: Final = 9  # of a place: those of its rotation matrix
MAX_LINKS: Final = 4  # on which a load depends
MAX_SLOTS: Final = 16  # symbols of a load
_ACTION: Final = 4  # parts of an action
_KINDS: Final = ("coordinate", "speed", "parameter", "time", "input")


@dataclass(frozen=True)
class LinkedLoad:
    """A load on links.

    links     on which it depends
    acted     of these the numbers of those on which it acts
    slots     its symbols
    numbers   its numbers
    kind      of its type
    """

    links: tuple[int, ...]
    acted: tuple[int, ...]
    slots: tuple[Symbol, ...]
    numbers: tuple[Expr, ...]
    kind: int


@dataclass(frozen=True)
class LoadType:
    """The wrench on each link on which a load acts, about the link's origin and in its axes; the potential energy of loads between
    points that have one.

    acted             numbers of the links on which it acts, among those on which it depends
    places, motions   symbols of each link: rotation matrix and position in the ground; velocity of the origin in the ground,
                      angular velocity in its axes
    """

    acted: tuple[int, ...]
    places: list[tuple[Symbol, ...]]
    motions: list[tuple[Symbol, ...]]
    slots: tuple[Symbol, ...]
    numbers: tuple[Symbol, ...]
    wrenches: list[tuple[Expr, ...]]
    potential: Expr | None


@dataclass(frozen=True)
class LinkedLoads:
    """All loads on the links of a tree, and their types by kind."""

    loads: list[LinkedLoad]
    types: dict[int, LoadType]

    @property
    def slots(self) -> list[Symbol]:
        return list(dict.fromkeys(s for x in self.loads for s in x.slots))

    def coordinates_inside(self, links: Sequence[Link]) -> int:
        """How many coordinates the wrenches of all loads contain at least, each counted once for each load: one for each link on
        the way between two links whose places are in them, or from one link to the ground."""
        placed = {kind: _links_in_wrenches(x) for kind, x in self.types.items()}
        depth: list[int] = []
        for x in links:
            depth.append(1 + depth[x.parent] if x.parent >= 0 else 1)
        total = 0
        for load in self.loads:
            ends = [load.links[i] for i in placed[load.kind]][:2]
            common = _common_link(links, depth, *ends) if len(ends) == 2 else GROUND
            total += sum(depth[k] for k in ends) - (len(ends) * depth[common] if common != GROUND else 0)
        return total

    @cached_property
    def acted(self) -> frozenset[int]:
        """Links on which loads act."""
        return frozenset(x.links[i] for x in self.loads for i in x.acted)


NO_LOADS: Final = LinkedLoads([], {})


def linked_loads(mechanism: Mechanism, links: Sequence[Link]) -> LinkedLoads | None:
    """Loads on bodies; None where one depends on more than the links on which it acts, or where too little is repeated."""
    return mechanism.cached("linked loads", (), lambda: _loads(mechanism, links))


def _loads(mechanism: Mechanism, links: Sequence[Link]) -> LinkedLoads | None:
    loads = acting_loads(mechanism)
    if not loads:
        return NO_LOADS
    at: dict[Frame, int] = {mechanism.ground: GROUND} | {x.frames[-1]: k for k, x in enumerate(links)}
    kinematics, kinds = Kinematics(mechanism), dict[Hashable, int]()
    out = LinkedLoads([], {})
    for load in loads:
        written = _FreeLoad(load, at)
        if not written.is_free:
            return None
        kind = kinds.setdefault(tuple(written.shape.text), len(kinds))
        if kind not in out.types:
            made = written.type(kinematics)
            if made is None:
                return None
            out.types[kind] = made
        shape = written.shape
        out.loads.append(
            LinkedLoad(
                tuple(written.links), tuple(written.acted), tuple(shape.slots), tuple(shape.numbers), kind,
            )
        )  # fmt: skip
    return out if repeat_enough([x.kind for x in out.loads]) else None


def _written_load(name: str, *parts: Any) -> Load:
    """The load of actions, each given by frame, force, point and torque."""
    actions = [Action(*parts[k : k + _ACTION]) for k in range(0, len(parts), _ACTION)]
    return Load(name, "force", tuple(actions))


def _recipe_of(load: Load) -> LoadRecipe:
    if load.recipe is not None:
        return load.recipe
    parts = tuple(x for a in load.actions for x in (a.frame, a.force, a.at, a.torque))
    return LoadRecipe(_written_load, parts, load.frames)


class _FreeLoad:
    """A load written on free frames, and its structure.

    links   on which it depends, in the order of the symbols of their places
    acted   numbers among these
    """

    def __init__(self, load: Load, at: dict[Frame, int]) -> None:
        self.at, self.shape = at, SlotText(are_loose=True)
        self.is_free = True
        self.ground = Frame(None, name="ground", is_ground=True)
        self.links: list[int] = []
        self.bases: list[Frame] = []
        self.found: dict[Frame, Frame] = {}
        self.owners: dict[Frame, int] = {}
        recipe = _recipe_of(load)
        self.shape.text.append(recipe.make)
        self.recipe = recipe
        self.arguments = tuple(map(self._free, recipe.arguments))
        self.acted: list[int] = []
        if self.is_free:
            owned = dict.fromkeys(map(self._link_of, load.frames))
            self.acted = [self.links.index(k) for k in owned if k != GROUND]
            slots = self.shape.slots
            self.is_free = len(slots) <= MAX_SLOTS and len(self.links) <= MAX_LINKS and all(map(_is_known, slots))

    def type(self, kinematics: Kinematics) -> LoadType | None:
        """Its wrenches; None where these contain more than its symbols."""
        places = [_place_symbols(i) for i in range(len(self.links))]
        motions = [_motion_symbols(i) for i in range(len(self.links))]
        rates: dict[Symbol, Expr] = {}
        for place, motion in zip(places, motions, strict=True):
            R, w = Matrix(3, 3, place[:TURN]), Matrix(3, 1, motion[3:])
            rates |= {s.dot: e for s, e in zip(place, ((R @ skew(w)).entries + motion[:3]), strict=True)}
        totals = [[zeros(3), zeros(3)] for _ in self.links]
        free = self.recipe.load(self.arguments)
        for a in free.actions:
            k = self.owners.get(a.frame, GROUND)
            if k != GROUND:
                base, total = self.bases[k], totals[k]
                if a.torque is not None:
                    total[1] = total[1] + a.torque.components(base)
                if a.force is not None:
                    force = a.force.components(base)
                    total[0] = total[0] + force
                    total[1] = total[1] + cross((a.at - base.origin).components(base), force)
        stored = [] if free.potential is None else [free.potential]
        found = kinematics.in_speeds([*stored, *(Matrix(WRENCH, 1, (*f.entries, *m.entries)) for f, m in totals)])
        found = substitute_all(found, rates)
        wrenches = found[len(stored) :]
        numbers = tuple(map(_number_symbol, range(len(self.shape.numbers))))
        known = {*self.shape.slots, *numbers, *(s for g in (*places, *motions) for s in g)}
        if not known.issuperset(free_symbols(found)):
            return None
        own = [wrenches[k].entries for k in self.acted]
        potential = found[0] if stored else None
        return LoadType(tuple(self.acted), places, motions, tuple(self.shape.slots), numbers, own, potential)

    # ------------------------------------------------------------------------------------------------ free copies

    def _free(self, thing: Any) -> Any:
        put = self.shape.text.append
        put(type(thing).__name__ if not isinstance(thing, Expr) else "number")
        if isinstance(thing, Frame):
            return self._frame(thing)
        if isinstance(thing, Point):
            self._refuse_moving(thing.coordinates.entries)
            return Point(self._frame(thing.frame), self._column(thing.coordinates))
        if isinstance(thing, Vector):
            put(len(thing.terms))
            self.is_free = self.is_free and len(thing.terms) <= MAX_LINKS
            return Vector({self._frame(f): self._column(x) for f, x in thing.terms.items()} if self.is_free else {})
        if isinstance(thing, Expr):
            return self._numbers((thing,))[0]
        self.is_free = self.is_free and thing is None
        return thing

    def _column(self, x: Matrix) -> Matrix:
        return Matrix(3, 1, self._numbers(x.entries))

    def _numbers(self, entries: tuple[Expr, ...]) -> tuple[Expr, ...]:
        """With symbols in the place of numbers other than zero."""
        if self.is_free and len(free_symbols(entries)) > MAX_SLOTS:
            self.is_free = False
        if not self.is_free:
            return entries
        first = len(self.shape.numbers)
        self.shape.write_numbers(entries)
        left = iter(range(first, len(self.shape.numbers)))
        return tuple(_number_symbol(next(left)) if is_loose(e) else e for e in entries)

    def _refuse_moving(self, entries: Iterable[Expr]) -> None:
        self.is_free = self.is_free and all(s.kind == "parameter" for s in free_symbols(tuple(entries)))

    def _frame(self, f: Frame) -> Frame:
        if f in self.found:
            self.shape.text.append(list(self.found).index(f))
            return self.found[f]
        way = []
        base = f
        while base not in self.at:
            way.append(base)
            assert base.parent is not None
            base = base.parent
        made = self._base(self.at[base])
        owner = GROUND if made is self.ground else self.bases.index(made)
        for g in reversed(way):
            self._refuse_moving((*g.rotation.written, *g.offset.entries))
            self.is_free = self.is_free and g.velocity is None
            first = len(self.shape.numbers)
            write_place(self.shape, [g])
            left = iter(range(first, len(self.shape.numbers)))
            offset = [_number_symbol(next(left)) if is_loose(e) else e for e in g.offset.entries]
            made = Frame(made, g.rotation, Matrix(3, 1, tuple(offset)), g.name)
        self.found[f], self.owners[made] = made, owner
        return made

    def _base(self, k: int) -> Frame:
        """The free frame of a link."""
        self.shape.text.append("link" if k != GROUND else "ground")
        if k == GROUND:
            return self.ground
        if k not in self.links:
            i = len(self.links)
            place, motion = _place_symbols(i), _motion_symbols(i)
            turned = Cosines(Matrix(3, 3, place[:TURN]), Matrix(3, 1, motion[3:]))
            self.links.append(k)
            self.bases.append(Frame(self.ground, Rotation((turned,)), Matrix(3, 1, place[TURN:]), "link"))
        self.shape.text.append(self.links.index(k))
        return self.bases[self.links.index(k)]

    def _link_of(self, f: Frame) -> int:
        while f not in self.at:
            assert f.parent is not None
            f = f.parent
        return self.at[f]


def _links_in_wrenches(x: LoadType) -> list[int]:
    """Numbers of the links whose positions or motions are in the wrenches of a type. (Vectors of the ground are turned link by
    link, also where forces are written out.)"""
    used = set(free_symbols([e for w in x.wrenches for e in w]))
    return [i for i, (g, h) in enumerate(zip(x.places, x.motions, strict=True)) if not used.isdisjoint((*g[TURN:], *h))]


def _common_link(links: Sequence[Link], depth: Sequence[int], a: int, b: int) -> int:
    """The last link on both ways from the ground."""
    while a != b and min(a, b) != GROUND:
        a, b = (links[a].parent, b) if depth[a] >= depth[b] else (a, links[b].parent)
    return a if a == b else GROUND


def _is_known(s: Symbol) -> bool:
    return s.kind in _KINDS and not (s.kind == "input" and s.order)


def _place_symbols(i: int) -> tuple[Symbol, ...]:
    return tuple(symbol(f"place_{i}_{k}", "coordinate") for k in range(PLACE))


def _motion_symbols(i: int) -> tuple[Symbol, ...]:
    return tuple(symbol(f"motion_{i}_{k}", "material") for k in range(MOTION))


def _number_symbol(k: int) -> Symbol:
    return symbol(f"load_number_{k}", "material")
