"""Links of a tree, and which of them are equal.

A link is a path of frames from one that carries inertia, or on which several others hang, to the next. Two links are of
one type where everything that was written for them has the same structure and the same numbers: rotations, offsets,
inertia, rates of coordinates, forces on speeds. Symbols are slots, numbered in the order in which they are met; a type
is derived once, for its first link, and the symbols of every other link are put into its slots.

Where links differ in lengths, masses and inertias only, these numbers are slots too (`are_loose`): a type then has symbols
for those that differ among its links.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from ...algebra.graph.graph import ZERO, Expr, Node, Symbol
from ...algebra.graph.matrix import Matrix
from ...bodies.frames.frames import Frame
from ...bodies.frames.rotations import Cosines, Turn
from ...bodies.mass.mass import MassProperties
from ...bodies.mechanism.mechanism import Load, Mechanism
from .kinematics import Kinematics, forces_on_rates, loads_besides_gravity
from .unknown_positions import has_unknown_places


class Link(NamedTuple):
    """A path of frames.

    parent      number of its parent link, -1 for the ground
    masses      of the bodies on its last frame
    speeds      numbers of the speeds that move it
    is_first    whether it is the first of its parent's children, in the order of steps towards the ground
    slots       the symbols of the link
    kind        number of its type, the same for equal links
    numbers     lengths, masses and inertias that are not in `kind`
    """

    frames: tuple[Frame, ...]
    parent: int
    masses: tuple[MassProperties, ...]
    speeds: tuple[int, ...]
    has_children: bool
    is_first: bool
    slots: tuple[Symbol, ...]
    kind: int
    numbers: tuple[Expr, ...] = ()

    def with_symbols(self, symbols: Sequence[Expr]) -> Link:
        """The link with expressions in the place of its numbers, in their order."""
        left = iter(symbols)
        frames: list[Frame] = []
        for f in self.frames:
            entries = [next(left) if is_loose(e) else e for e in f.offset.entries]
            frames.append(Frame(frames[-1] if frames else f.parent, f.rotation, Matrix(3, 1, tuple(entries)), f.name))
        masses = tuple(_mass_of([next(left) if is_loose(e) else e for e in numbers_of(m)]) for m in self.masses)
        return self._replace(frames=tuple(frames), masses=masses)


@dataclass(frozen=True)
class LinkedTree:
    """The links of a tree, parents first, and generalised forces on its speeds."""

    links: list[Link]
    Q: list[Expr]


def links_of(mechanism: Mechanism, are_loose: bool = False) -> LinkedTree | None:
    """The links of a tree; None if a speed moves several links or none, or where coordinates of one move another.

    are_loose   whether links that differ in lengths, masses and inertias only are of one kind
    """
    return mechanism.cached("links", (are_loose,), lambda: _links(mechanism, are_loose))


def varying_numbers(links: Iterable[Link]) -> dict[int, list[int]]:
    """By kind which of the numbers of its links differ from those of the first."""
    first: dict[int, Link] = {}
    found: dict[int, set[int]] = {}
    for x in links:
        if x.kind not in first:
            first[x.kind], found[x.kind] = x, set()
        elif x.numbers:
            pairs = zip(x.numbers, first[x.kind].numbers, strict=True)
            found[x.kind].update([k for k, (a, b) in enumerate(pairs) if a is not b])
    return {kind: sorted(own) for kind, own in found.items()}


def _links(mechanism: Mechanism, are_loose: bool) -> LinkedTree | None:
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
    kinds = _LinkKinds(mechanism, Q, are_loose)
    owned: set[int] = set()
    out = []
    for k, path in enumerate(paths):
        masses = tuple(carried.get(path[-1], ()))
        found = kinds.described(path, masses, (parents[k] < 0, children[k] > 0, first[k]))
        if found is None or not owned.isdisjoint(found.speeds):
            return None
        owned.update(found.speeds)
        speeds, slots, kind, numbers = found
        out.append(Link(tuple(path), parents[k], masses, speeds, children[k] > 0, first[k], slots, kind, numbers))
    return LinkedTree(out, Q) if len(owned) == len(mechanism.u) else None


class _Description(NamedTuple):
    """What is in a `Link` besides its place in the tree."""

    speeds: tuple[int, ...]
    slots: tuple[Symbol, ...]
    kind: int
    numbers: tuple[Expr, ...]


class _LinkKinds:
    """Kinds of links by their structure. Copies of a link consist of the same objects, but for the coordinates of their
    joints: their structure is written once."""

    def __init__(self, mechanism: Mechanism, Q: list[Expr], are_loose: bool) -> None:
        self.mechanism, self.Q, self.are_loose = mechanism, Q, are_loose
        self.number = {u: j for j, u in enumerate(mechanism.u)}
        self.kinds: dict[Hashable, int] = {}
        self.copied: dict[Hashable, _Description] = {}
        self.numbers_by_mass: dict[int, tuple[Expr, ...]] = {}  # by identity: copies have one in common

    def described(self, path: list[Frame], masses: tuple[MassProperties, ...], place: Hashable) -> _Description | None:
        """None where something else than its coordinates, parameters and time moves it."""
        parts: list[Any] = [place, *[id(m) for m in masses]]
        angles: list[Any] = []
        for f in path:
            parts.append(id(f.offset))
            for x in f.rotation.factors:
                if not isinstance(x, Turn):
                    return self._written(path, masses, place)
                parts.append(x.axis)
                angles.append(x.angle)
        rates: list[Any] = [self.mechanism.rates.get(q) for q in angles]
        speeds = [self.number.get(u, -1) for u in rates]
        if -1 in speeds or len(set(speeds)) < len(speeds):
            return self._written(path, masses, place)
        key = (*parts, *[self.Q[j] for j in speeds])
        if (known := self.copied.get(key)) is not None:
            return _Description(tuple(speeds), (*angles, *rates), known.kind, known.numbers)
        found = self._written(path, masses, place)
        if found is not None and found.slots == (*angles, *rates):  # nothing else in it has symbols
            self.copied[key] = found
        return found

    def _numbers(self, m: MassProperties) -> tuple[Expr, ...]:
        if id(m) not in self.numbers_by_mass:
            self.numbers_by_mass[id(m)] = numbers_of(m)
        return self.numbers_by_mass[id(m)]

    def _written(self, path: list[Frame], masses: tuple[MassProperties, ...], place: Hashable) -> _Description | None:
        shape = SlotText(self.are_loose)
        write_place(shape, path)
        for m in masses:
            shape.write_numbers(self._numbers(m))
        speeds = _write_rates(shape, self.mechanism, self.number)
        if speeds is None:
            return None
        shape.write(self.Q[j] for j in speeds)
        kind = self.kinds.setdefault((place, len(masses), tuple(shape.text)), len(self.kinds))
        return _Description(tuple(speeds), tuple(shape.slots), kind, tuple(shape.numbers))


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


class SlotText:
    """The structure of expressions, with slots for their symbols, and for numbers where these are loose."""

    def __init__(self, are_loose: bool = False) -> None:
        self.are_loose = are_loose
        self.text: list[Any] = []
        self.slots: dict[Symbol, int] = {}
        self.numbers: list[Expr] = []
        self._seen: dict[Node, int] = {}

    def write_numbers(self, expressions: tuple[Expr, ...]) -> None:
        """Expressions of which numbers may be loose; zeros are structure."""
        if not self.are_loose:
            if {e.op for e in expressions} == {"const"}:
                self.text.append(expressions)
            else:
                self.write(expressions)
            return
        for e in expressions:
            if is_loose(e):
                self.text.append("number")
                self.numbers.append(e)
            else:
                self.write((e,))

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


def is_loose(e: Expr) -> bool:
    """Whether it is a number other than zero, which is structure."""
    return e.op == "const" and e is not ZERO


_UPPER: Final = tuple(3 * i + j for i in range(3) for j in range(i, 3))


def numbers_of(m: MassProperties) -> tuple[Expr, ...]:
    """Mass, mass centre, and the upper triangle of the inertia."""
    return (m.m, *m.p_BoBcm.entries, *(m.I_BBcm.entries[k] for k in _UPPER))


def _mass_of(numbers: Sequence[Expr]) -> MassProperties:
    upper = dict(zip(_UPPER, numbers[4:], strict=True))
    tensor = tuple(upper[3 * min(i, j) + max(i, j)] for i in range(3) for j in range(3))
    return MassProperties(numbers[0], Matrix(3, 1, tuple(numbers[1:4])), Matrix(3, 3, tensor))


def write_place(shape: SlotText, path: Sequence[Frame]) -> None:
    for f in path:
        shape.write_numbers(f.offset.entries)
        for factor in f.rotation.factors:
            if isinstance(factor, Turn):
                shape.text.append(factor.axis)
                shape.write((factor.angle,))
            elif isinstance(factor, Cosines):
                known = factor.known_spin
                shape.text.append(known is None)
                shape.write((*factor.matrix.entries, *(() if known is None else known.entries)))
        shape.text.append("frame")


def _write_rates(shape: SlotText, mechanism: Mechanism, number: dict[Symbol, int]) -> list[int] | None:
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
    """Whether all that acts on the links, besides gravity and constraints, are forces on their coordinates."""
    return has_rigid_links(mechanism) and not acting_loads(mechanism)


def has_rigid_links(mechanism: Mechanism) -> bool:
    """Whether all bodies are rigid, in places that are known, and nothing was written for the motion of the whole."""
    return not (mechanism.has_written_motion or mechanism.elastic_bodies or has_unknown_places(mechanism))


def acting_loads(mechanism: Mechanism) -> list[Load]:
    """Loads that act on bodies, uniform gravity left out."""
    return [x for x in loads_besides_gravity(mechanism) if x.frames]


def written_expressions(mechanism: Mechanism) -> list[Expr]:
    """What was written for frames, bodies, rates and loads, numbers left out: all symbols of M and f are in it."""
    return [e for e in (*expressions_of_inertia(mechanism), *expressions_of_loads(mechanism)) if e.op != "const"]


def expressions_of_inertia(mechanism: Mechanism) -> list[Expr]:
    """What was written for frames, bodies and rates: all symbols of M are in it."""
    frames = mechanism.frames
    found = [e for m in {id(f.offset): f.offset for f in frames}.values() for e in m.entries]
    for f in frames:
        found += f.rotation.written
    for mass in {id(b.mass): b.mass for b in mechanism.rigid_bodies}.values():
        found += (mass.m, *mass.p_BoBcm.entries, *mass.I_BBcm.entries)
    return [*found, *mechanism.rates.values()]


def expressions_of_loads(mechanism: Mechanism) -> list[Expr]:
    """What was written for loads and gravity."""
    found: list[Expr] = []
    for x in mechanism.loads:
        if x.name != "gravity":
            found += x.expressions
    if mechanism.gravity is not None:
        found += mechanism.gravity.components(mechanism.ground).entries
    return found
