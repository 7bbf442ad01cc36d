"""Links of a tree, and which of them are equal.

A link is a path of frames from one that carries inertia, or on which several others hang, to the next. Two links are of
one type where everything that was written for them has the same structure and the same numbers: rotations, offsets,
inertia, rates of coordinates, forces on speeds. Symbols are slots, numbered in the order in which they are met; a type
is derived once, for its first link, and the symbols of every other link are put into its slots.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from ...algebra.graph.graph import Expr, Node, Symbol
from ...bodies.frames.frames import Frame
from ...bodies.frames.rotations import Cosines, Turn
from ...bodies.mass.mass import MassProperties
from ...bodies.mechanism.mechanism import Mechanism
from .kinematics import Kinematics, forces_on_rates, loads_besides_gravity
from .unknown_positions import has_unknown_places


@dataclass(frozen=True)
class Link:
    """A path of frames.

    parent      number of its parent link, -1 for the ground
    masses      of the bodies on its last frame
    speeds      numbers of the speeds that move it
    is_first    whether it is the first of its parent's children, in the order of steps towards the ground
    slots       the symbols of the link
    kind        what equal links have in common
    """

    frames: tuple[Frame, ...]
    parent: int
    masses: tuple[MassProperties, ...]
    speeds: tuple[int, ...]
    has_children: bool
    is_first: bool
    slots: tuple[Symbol, ...]
    kind: Hashable


@dataclass(frozen=True)
class LinkedTree:
    """The links of a tree, parents first, and generalised forces on its speeds."""

    links: list[Link]
    Q: list[Expr]


def links_of(mechanism: Mechanism) -> LinkedTree | None:
    """The links of a tree; None if a speed moves several links or none, or where coordinates of one move another."""
    return mechanism.cached("links", (), lambda: _links(mechanism))


def _links(mechanism: Mechanism) -> LinkedTree | None:
    Q = forces_on_rates(loads_besides_gravity(mechanism), Kinematics(mechanism))
    carried: dict[Frame, list[MassProperties]] = {}
    for b in mechanism.rigid_bodies:
        if not b.mass.is_massless:
            carried.setdefault(b.frame, []).append(b.mass)
    paths, parents = _paths(mechanism, carried)
    children = [0] * len(paths)
    first = [False] * len(paths)
    for k in reversed(range(len(paths))):
        if parents[k] >= 0:
            first[k] = not children[parents[k]]
            children[parents[k]] += 1
    number = {u: j for j, u in enumerate(mechanism.u)}
    owned: set[int] = set()
    out = []
    for k, path in enumerate(paths):
        shape = _SlotText()
        masses = tuple(carried.get(path[-1], ()))
        _write_place(shape, path)
        for m in masses:
            shape.write((m.m, *m.p_BoBcm.entries, *m.I_BBcm.entries))
        speeds = _write_rates(shape, mechanism, number)
        if speeds is None or not owned.isdisjoint(speeds):
            return None
        owned.update(speeds)
        shape.write(Q[j] for j in speeds)
        kind = (parents[k] < 0, children[k] > 0, first[k], len(masses), tuple(shape.text))
        out.append(
            Link(tuple(path), parents[k], masses, tuple(speeds), children[k] > 0, first[k], tuple(shape.slots), kind)
        )
    return LinkedTree(out, Q) if len(owned) == len(number) else None


def _paths(mechanism: Mechanism, carried: dict[Frame, list[MassProperties]]) -> tuple[list[list[Frame]], list[int]]:
    """The frames of each link, and its parent link; frames that move nothing are omitted."""
    hanging: dict[Frame, int] = {}
    needed = set(carried)
    for f in reversed(mechanism.frames):
        assert f.parent is not None
        if f in needed:
            needed.add(f.parent)
            hanging[f.parent] = hanging.get(f.parent, 0) + 1
    paths: list[list[Frame]] = []
    parents: list[int] = []
    link_of = {mechanism.ground: -1}
    for f in mechanism.frames:
        assert f.parent is not None
        if f not in needed:
            continue
        above = link_of[f.parent]
        is_end = above < 0 or f.parent in carried or hanging[f.parent] != 1
        if is_end or paths[above][-1] is not f.parent:
            paths.append([f])
            parents.append(above)
            link_of[f] = len(paths) - 1
        else:
            paths[above].append(f)
            link_of[f] = above
    return paths, parents


class _SlotText:
    """The structure of expressions, with slots for their symbols."""

    def __init__(self) -> None:
        self.text: list[Any] = []
        self.slots: dict[Symbol, int] = {}
        self._seen: dict[Node, int] = {}

    def write(self, expressions: Iterable[Expr]) -> None:
        """From the root of each down; what was met before is its number, a constant is itself."""
        put, seen = self.text.append, self._seen
        for e in expressions:
            if e.op == "const":
                put(e)
                continue
            stack: list[Node] = [e]
            while stack:
                n = stack.pop()
                if n.op == "const":
                    put(n)
                elif n in seen:
                    put(seen[n])
                else:
                    seen[n] = len(seen)
                    if isinstance(n, Symbol):
                        self.slots[n] = len(self.slots)
                        put(n.kind)
                    else:
                        put((n.op, n.data, len(n.args)))
                        stack.extend(reversed(n.args))


def _write_place(shape: _SlotText, path: Sequence[Frame]) -> None:
    for f in path:
        shape.write(f.offset.entries)
        for factor in f.rotation.factors:
            if isinstance(factor, Turn):
                shape.text.append(factor.axis)
                shape.write((factor.angle,))
            elif isinstance(factor, Cosines):
                known = factor.known_spin
                shape.text.append(known is None)
                shape.write((*factor.matrix.entries, *(() if known is None else known.entries)))
        shape.text.append("frame")


def _write_rates(shape: _SlotText, mechanism: Mechanism, number: dict[Symbol, int]) -> list[int] | None:
    """Rates of the coordinates that place a link; the numbers of the speeds in them. None where something else than
    its coordinates, parameters and time moves it."""
    speeds: dict[int, None] = {}
    for q in tuple(shape.slots):
        if q.kind == "coordinate":
            if q not in mechanism.rates:
                return None
            rate = mechanism.rates[q]
            shape.write((rate,))
            for s in (rate,) if isinstance(rate, Symbol) else tuple(shape.slots):
                if s in number:
                    speeds[number[s]] = None
        elif q in number:
            speeds[number[q]] = None
        elif q.kind not in ("parameter", "time"):
            return None
    return list(speeds)


def is_local(mechanism: Mechanism) -> bool:
    """Whether all that acts on the links, besides gravity, are forces on their coordinates."""
    return not mechanism.constraints and is_local_without_constraints(mechanism)


def is_local_without_constraints(mechanism: Mechanism) -> bool:
    """The same of the tree that is left where its constraints are taken away."""
    if mechanism.has_written_motion or mechanism.elastic_bodies:
        return False
    if has_unknown_places(mechanism):
        return False
    uniform = mechanism.gravity is not None
    return all((uniform and x.name == "gravity") or not x.actions for x in mechanism.loads)


def written_expressions(mechanism: Mechanism) -> list[Expr]:
    """What was written for frames, bodies, rates and loads, numbers left out: all symbols of M and f are in it."""
    found: list[Expr] = []
    for f in mechanism.frames:
        found += f.offset.entries
        for factor in f.rotation.factors:
            found += (factor.angle,) if isinstance(factor, Turn) else factor.matrix.entries
    for b in mechanism.rigid_bodies:
        found += (b.mass.m, *b.mass.p_BoBcm.entries, *b.mass.I_BBcm.entries)
    for x in mechanism.loads:
        potential = None if x.written_potential is None or x.actions else x.potential
        found += [*x.on_rates.values(), *([] if potential is None else [potential])]
    if mechanism.gravity is not None:
        found += mechanism.gravity.components(mechanism.ground).entries
    return [e for e in (*found, *mechanism.rates.values()) if e.op != "const"]
