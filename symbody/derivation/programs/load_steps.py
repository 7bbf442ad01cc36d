"""Steps of loads on the links of a tree: places and motions of links from the ground outwards, and wrenches of loads."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ...algebra.calculus.block_elimination import StepMemory
from ...algebra.graph.graph import Expr, Symbol
from ...algebra.graph.matrix import Matrix, cross, identity, zeros
from ...algebra.graph.sweeps import Fragment
from ...algebra.graph.walk import free_symbols
from ..kinematics.equal_links import Link
from ..kinematics.kinematics import Kinematics
from ..kinematics.linked_loads import MOTION, PLACE, LinkedLoad, LinkedLoads, LoadType
from .link_types import slot_symbols

if TYPE_CHECKING:
    from .link_sweeps import SweptTree

NamedFragment = tuple[Fragment, list[tuple[str, int]]]
Outputs = Callable[[LoadType], Sequence[tuple[Expr, ...]]]

_PLACE, _MOTION = slot_symbols("parent_place", PLACE), slot_symbols("parent_motion", MOTION)


@dataclass(frozen=True)
class LoadSteps:
    """Puts the steps of loads into a memory.

    place     of each symbol
    numbers   the place of the first number of each link
    """

    kinematics: Kinematics
    tree: SweptTree
    loads: LinkedLoads
    memory: StepMemory
    place: Mapping[Symbol, int]
    numbers: Sequence[int]

    def put(self, numbers: int, applied: Mapping[int, int]) -> tuple[dict[int, int], dict[int, int]]:
        """Adds up the wrenches on links, about their origins and in their axes. Returns the places in the memory of places and of
        motions of links.

        numbers   the place of the first number of the loads
        applied   the place of the wrench of each link on which loads act
        """
        return self.put_results(
            numbers, lambda x: x.wrenches, lambda _, load: [applied[load.links[i]] for i in load.acted]
        )

    def put_results(
        self, numbers: int, outputs: Outputs, places_of: Callable[[int, LinkedLoad], list[int]]
    ) -> tuple[dict[int, int], dict[int, int]]:
        """Likewise of other results of loads.

        outputs      of a type, in its symbols
        places_of    where the results of a load, given by its number, are added up
        """
        made = {kind: _load_fragment(x, outputs(x)) for kind, x in self.loads.types.items()}
        places, motions = self._put_links(made)
        for n, x in enumerate(self.loads.loads):
            fragment, names = made[x.kind]
            if fragment.outputs:
                inputs = []
                for name, i in names:
                    if name == "slot":
                        inputs.append(self.place[x.slots[i]])
                    elif name == "numbers":
                        inputs.append(numbers)
                    else:
                        inputs.append((places if name == "place" else motions)[x.links[i]])
                self.memory.add(fragment, inputs, places_of(n, x))
            numbers += len(x.numbers)
        return places, motions

    def _put_links(self, of_loads: Mapping[int, NamedFragment]) -> tuple[dict[int, int], dict[int, int]]:
        """Places and motions of the links that loads need."""
        has_place, has_motion = self._ways(of_loads)
        first = self.tree.first_of_kind
        made: dict[tuple[int, bool], tuple[Fragment, list[int]]] = {}
        places: dict[int, int] = {}
        motions: dict[int, int] = {}
        for k in sorted(has_place):
            link, is_moving = self.tree.links[k], k in has_motion
            if (link.kind, is_moving) not in made:
                made[link.kind, is_moving] = _placing(self.kinematics, self.tree, first[link.kind], is_moving)
            fragment, chosen = made[link.kind, is_moving]
            above = [self.numbers[k], places.get(link.parent, -1), motions.get(link.parent, -1)]
            known = [*(self.place[s] for s in link.slots), *above]
            outputs = [self.memory.take(PLACE), *([self.memory.take(MOTION)] if is_moving else [])]
            places[k] = outputs[0]
            if is_moving:
                motions[k] = outputs[1]
            self.memory.add(fragment, [known[i] for i in chosen], outputs)
        return places, motions

    def _ways(self, of_loads: Mapping[int, NamedFragment]) -> tuple[set[int], set[int]]:
        """Links of which loads need the place, and the motion: those in them, and all down to the ground."""
        has_place, has_motion = set[int](), set[int]()
        for x in self.loads.loads:
            for name, i in of_loads[x.kind][1]:
                if name == "motion":
                    self._add_way(x.links[i], has_motion)
                if name in ("motion", "place"):
                    self._add_way(x.links[i], has_place)
        return has_place, has_motion

    def _add_way(self, k: int, found: set[int]) -> None:
        while k >= 0 and k not in found:
            found.add(k)
            k = self.tree.links[k].parent


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


def _load_fragment(x: LoadType, outputs: Sequence[tuple[Expr, ...]]) -> NamedFragment:
    """Results of a load, and its inputs by name."""
    named: dict[tuple[str, int], tuple[Symbol, ...]] = {("slot", i): (s,) for i, s in enumerate(x.slots)}
    named |= {("numbers", 0): x.numbers}
    named |= {("place", i): g for i, g in enumerate(x.places)} | {("motion", i): g for i, g in enumerate(x.motions)}
    used = set(free_symbols(*(e for g in outputs for e in g)))
    chosen = [name for name, g in named.items() if not used.isdisjoint(g)]
    inputs = tuple(named[name] for name in chosen)
    return Fragment(inputs, tuple(outputs), (False,) * len(outputs)), chosen
