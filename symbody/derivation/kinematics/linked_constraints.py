"""Constraints between links of a tree: where each begins, and where it ends.

Rows of Jc have entries at joints, or unit multipliers act on links as torques. Seen from the leaves, a constraint begins at the
first of these joints and links, and ends at the link where all ways from them have met: there its multiplier is eliminated
(Sathya, Carpentier, Constrained Articulated Body Dynamics Algorithms, 2024). In a chain of loops few of them are open at once.

A condition a · b = 0 on two vectors is written with the axes of the links: a = Σ R_k a_k with R_k the rotation of link k in
the ground, also where its expression contains the coordinates of all links down to the ground.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from ...algebra.graph.graph import ZERO, Expr, Symbol
from ...algebra.graph.matrix import Matrix
from ...algebra.graph.walk import free_symbols
from ...bodies.frames.frames import Frame
from ...bodies.frames.rotations import Cosines, Turn
from ...bodies.frames.vectors import Vector
from ...bodies.mechanism.mechanism import Constraint, Mechanism
from .equal_links import Link, has_rigid_links, links_of, written_expressions
from .uncoupled_trees import ConstraintGroup, RepeatedParts, TypesOfGroups, UncoupledTree, neighbours

MIN_LINKED: Final = 30  # links from which on constraints between them are derived type by type
MANY_UNEQUAL: Final = 60  # the same of links that differ in lengths, masses and inertias
MIN_COPIES: Final = 2  # links, constraints and loads of one type on average: with fewer there is little to repeat
MAX_SLOTS: Final = 64  # symbols of a link
FEW_TYPES: Final = 4  # of constraints or of loads, which need not repeat
MAX_COUPLED: Final = 4_000_000  # pairs of rows of constraints that are open at one link, of all links
GROUND: Final = -1  # its number among the links

VectorByLinks = dict[int, Matrix]  # components by link, in its axes


@dataclass(frozen=True)
class LinkedGroup(ConstraintGroup):
    """Constraints whose rows of Jc follow each other; `trees` are numbers of links.

    joints     links at whose joints rows have entries
    acted      links on which multipliers act
    end        the link where all of these have met
    vectors    of conditions on vectors, each once
    products   of each row the numbers of its two vectors; none where rows are given by expressions
    """

    joints: tuple[int, ...] = ()
    acted: tuple[int, ...] = ()
    end: int = GROUND
    vectors: tuple[VectorByLinks, ...] = ()
    products: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True)
class OpenGroups:
    """Numbers of the groups that have not ended before a link.

    ended     those that end there
    through   those that go through its joint
    pushing   those of both whose multipliers act on the link or beyond it
    """

    ended: list[int]
    through: list[int]
    pushing: set[int]


@dataclass(frozen=True)
class LinkedParts:
    """The links of a tree and the constraints between them.

    parts   links as parts, and the groups of constraints
    """

    links: list[Link]
    groups: list[LinkedGroup]
    parts: RepeatedParts


def linked_parts(mechanism: Mechanism) -> LinkedParts | None:
    """Links and constraints of a tree; None where something else moves or couples links, or where there are few."""
    return mechanism.cached("linked parts", (), lambda: _parts(mechanism))


def _parts(mechanism: Mechanism) -> LinkedParts | None:
    if len(mechanism.bodies) < MIN_LINKED or not mechanism.constraints:
        return None
    if mechanism.norms or mechanism.equations or mechanism.small or not has_rigid_links(mechanism):
        return None
    if {*mechanism.rates.values()} != {*mechanism.u} or len(mechanism.q) != len(mechanism.u):
        return None
    if any(
        s.kind == "multiplier" or (s.kind == "input" and s.order) for s in free_symbols(written_expressions(mechanism))
    ):
        return None
    links = _equal_links(mechanism)
    groups = None if links is None else _LinkedGroups(mechanism, links).found()
    if links is None or groups is None or not repeat_enough([g.kind for g in groups if not g.products]):
        return None
    rows = [sum(len(groups[g].constraints) for g in {*x.ended, *x.through}) for x in open_groups(links, groups)]
    if sum(r * r for r in rows) > MAX_COUPLED:
        return None
    return LinkedParts(links, groups, RepeatedParts(trees_of_links(links), list(groups), []))


def _equal_links(mechanism: Mechanism) -> list[Link] | None:
    """The links, if they are of few types."""
    for are_loose in (False, True):
        tree = links_of(mechanism, are_loose)
        if tree is None or len(tree.links) < (MANY_UNEQUAL if are_loose else MIN_LINKED):
            return None
        if MIN_COPIES * len({x.kind for x in tree.links}) <= len(tree.links):
            return tree.links if max(len(x.slots) for x in tree.links) <= MAX_SLOTS else None
    return None


def repeat_enough(kinds: Sequence[Hashable]) -> bool:
    """Whether constraints or loads of these types are worth a function for each type."""
    types = len(set(kinds))
    return types <= FEW_TYPES or MIN_COPIES * types <= len(kinds)


def trees_of_links(links: Sequence[Link]) -> list[UncoupledTree]:
    """Links as parts with speeds of their own."""
    return [UncoupledTree((), x.speeds, (), x.slots, x.kind) for x in links]


# ------------------------------------------------------------------------------------------------------------- groups


class _LinkedGroups:
    def __init__(self, mechanism: Mechanism, links: Sequence[Link]) -> None:
        self.mechanism, self.links = mechanism, links
        self.types = TypesOfGroups(mechanism, trees_of_links(links))
        self.at: dict[Frame, int] = {mechanism.ground: GROUND} | {x.frames[-1]: k for k, x in enumerate(links)}
        self.depth = [0] * len(links)
        self.axes: list[set[int]] = [set(range(3))] * len(links)  # about which alone a link is turned in the ground
        for k, x in enumerate(links):
            self.depth[k] = 1 if x.parent < 0 else self.depth[x.parent] + 1
            above = self.axes[x.parent] if x.parent >= 0 else set(range(3))
            self.axes[k] = above.intersection(*(_axes_of(factor) for f in x.frames for factor in f.rotation.factors))
        first = {x.kind: x for x in reversed(links)}
        self.has_time = any(s.kind == "time" for x in first.values() for s in free_symbols(list(_places(x))))
        number = {u: j for j, u in enumerate(mechanism.u)}
        owner = {j: k for k, x in enumerate(links) for j in x.speeds}
        self.owner = {q: owner[number[u]] for q, u in mechanism.rates.items() if isinstance(u, Symbol)}

    def found(self) -> list[LinkedGroup] | None:
        out = []
        for first, constraints in neighbours(self.mechanism):
            group = self._of_vectors(first, constraints) or self._of_expressions(first, constraints)
            if group is None:
                return None
            out.append(group)
        return out

    def _of_expressions(self, first: int, constraints: Sequence[Constraint]) -> LinkedGroup | None:
        g = self.types.group(first, constraints)
        if g is None or not g.trees:
            return None
        end = self.meeting(self.links[k].parent for k in g.trees)
        return LinkedGroup(g.first, g.constraints, g.trees, g.slots, g.kind, joints=g.trees, end=end)

    def _of_vectors(self, first: int, constraints: Sequence[Constraint]) -> LinkedGroup | None:
        """Conditions on vectors in the axes of links; None of others."""
        if self.has_time:
            return None
        vectors: dict[tuple[tuple[int, Matrix], ...], int] = {}
        products, ends, is_closing = [], set[int](), self._is_closing(constraints)
        for c in constraints:
            if c.factors is None or not c.actions:
                return None
            found = [self._by_links(v) for v in c.factors]
            keys = [tuple(sorted(x.items(), key=lambda term: term[0])) for x in found]
            a, b = (vectors.setdefault(key, len(vectors)) for key in keys)
            products.append((a, b))
            on = c.actions if not is_closing else [a for a in c.actions if a.force is not None] or c.actions
            ends.update(self._link_of(a.frame) for a in on)
        by_link = tuple(dict(key) for key in vectors)
        slots = free_symbols(*(e for v in by_link for x in v.values() for e in x.entries))
        if any(s.kind != "parameter" and s not in self.owner for s in slots):
            return None
        acted = sorted({k for v in by_link for k in v if k != GROUND})
        joints = sorted({self.owner[s] for s in slots if s in self.owner})
        end = self.meeting([*ends, *acted, *(self.links[k].parent for k in joints)])
        if not set(acted) - {end} and not joints:
            return None
        return LinkedGroup(
            first, tuple(constraints), tuple(acted), tuple(slots), (len(constraints), tuple(products)),
            joints=tuple(joints), acted=tuple(acted), end=end, vectors=by_link, products=tuple(products),
        )  # fmt: skip

    def _is_closing(self, constraints: Sequence[Constraint]) -> bool:
        """Whether the constraints bring two points together in space, or in the plane in which all links move: then they do not
        depend on the axes along which they are written."""
        factors = [c.factors for c in constraints]
        gaps = [x[0] for x in factors if x is not None]
        if len(gaps) < len(factors) or any(x != gaps[0] for x in gaps):
            return False
        if len(gaps) == 3:
            return True
        vectors = [self._by_links(x) for pair in factors if pair is not None for x in pair]
        inside = {k for v in vectors for k in v if k != GROUND}
        normals = set(range(3)).intersection(*(self.axes[k] for k in inside))
        across = [e for e in normals if all(x[e] is ZERO for v in vectors for x in v.values())]
        return len(gaps) == 2 and bool(across)

    def _link_of(self, f: Frame) -> int:
        while f not in self.at:
            assert f.parent is not None
            f = f.parent
        return self.at[f]

    def _by_links(self, v: Vector) -> VectorByLinks:
        """Components of the terms, each in the axes of the link on which its frame hangs."""
        out: VectorByLinks = {}
        for frame, x in v.terms.items():
            f, components = frame, x
            while f not in self.at:
                components = f.rotation.outwards(components)
                assert f.parent is not None
                f = f.parent
            k = self.at[f]
            out[k] = out[k] + components if k in out else components
        return {k: x for k, x in out.items() if any(e is not ZERO for e in x.entries)}

    def meeting(self, links: Iterable[int]) -> int:
        """The link on the ways of all to the ground that is farthest from it."""
        first, *others = dict.fromkeys(links)
        for k in others:
            while first != k:
                if k == GROUND or (first != GROUND and self.depth[first] >= self.depth[k]):
                    first = self.links[first].parent if first != GROUND else GROUND
                else:
                    k = self.links[k].parent
        return first


def _places(link: Link) -> Iterable[Expr]:
    """The expressions that place a link."""
    for f in link.frames:
        yield from f.offset.entries
        for factor in f.rotation.factors:
            yield from (factor.angle,) if isinstance(factor, Turn) else factor.matrix.entries


def _axes_of(factor: Turn | Cosines) -> set[int]:
    return {factor.axis} if isinstance(factor, Turn) else set()


def open_groups(links: Sequence[Link], groups: Sequence[LinkedGroup]) -> list[OpenGroups]:
    """Groups at each link, and at last at the ground."""
    pushing: list[set[int]] = [set() for _ in range(len(links) + 1)]
    at_joints: list[list[int]] = [[] for _ in links]
    for g, group in enumerate(groups):
        for k in group.acted:
            pushing[k].add(g)
        for k in group.joints:
            at_joints[k].append(g)
    out = []
    for k in reversed(range(len(links))):
        ended = sorted(g for g in pushing[k] if groups[g].end == k)
        through = sorted((pushing[k] - set(ended)).union(at_joints[k]))
        pushing[links[k].parent].update(through)
        out.append(OpenGroups(ended, through, pushing[k]))
    return [*reversed(out), OpenGroups(sorted(pushing[GROUND]), [], pushing[GROUND])]
