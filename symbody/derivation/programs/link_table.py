"""A tree of links: topology, inertias, and what moves of the places of its joints.

Frames that do not move in their parents are parts of its link. What is left of a joint is the place of its frame in the
parent's and a motion vector for each speed, in its own components.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final

from ...algebra.graph.graph import ZERO, Expr
from ...algebra.graph.matrix import Matrix, dot, identity, zeros
from ...algebra.graph.walk import free_symbols, substitute
from ...bodies.frames.frames import Frame
from ..equations.equations import Equations
from ..kinematics.inertial_parameters import Lump
from ..kinematics.kinematics import Kinematics
from ..kinematics.parameter_regrouping import lumps
from ..routes.recursive import subspace_of

POSE: Final = 12  # numbers of a place: rotation matrix, then offset


@dataclass(frozen=True)
class MachineBody:
    """A surface on a frame of a mechanism: its centre in the frame, and its principal axes there (columns)."""

    frame: Frame
    at: Matrix
    axes: Any

    @cached_property
    def centre(self) -> tuple[Expr, ...]:
        """In the ground."""
        return self.frame.point(*self.at.entries).in_frame(self.frame.root).coordinates.entries

    @cached_property
    def rotation(self) -> Matrix:
        """Of the frame in the ground."""
        return self.frame.rotation_in(self.frame.root).matrix


@dataclass
class TableLink:
    """A link: its parent, the place of its joint in the parent, numbers of the speeds and entries: of the joint's place, then the
    velocity and the angular velocity due to each speed. Its mass, first moment and moments of inertia about its origin."""

    parent: int
    base: tuple[Expr, ...]
    speeds: list[int]
    entries: list[Expr]
    mass: Expr = ZERO
    first: Matrix = field(default_factory=lambda: zeros(3))
    inertia: Matrix = field(default_factory=lambda: zeros(3, 3))

    @property
    def lump(self) -> list[Expr]:
        """Mass, first moment, moments xx yy zz xy xz yz."""
        I = self.inertia
        return [self.mass, *self.first.entries, I[0, 0], I[1, 1], I[2, 2], I[0, 1], I[0, 2], I[1, 2]]


@dataclass
class LinkTable:
    """All links, the ground first; `places`: link of each frame, and the frame's place in it."""

    links: list[TableLink]
    places: dict[Frame, tuple[int, Matrix, Matrix]]

    @cached_property
    def entries(self) -> list[Expr]:
        return [e for x in self.links for e in x.entries]

    def surface(self, body: MachineBody) -> tuple[int, list[Expr]]:
        """The link of a surface, and its place there: axes of its frame, then its centre."""
        link, R, p = self.places[body.frame]
        return link, [*R.entries, *_sum_of_ways(p, R, body.at).entries]


def link_table(eq: Equations, frames: Sequence[Frame]) -> LinkTable | None:
    """Of the tree of some equations; `frames` are those that carry surfaces. None where speeds move several frames, or something
    else than coordinates moves one."""
    if eq.mechanism.elastic_bodies or eq.mechanism.has_written_motion or eq.u != eq.mechanism.u or eq.dropped:
        return None
    if eq.augmented.W is not None or eq.z or eq.dependent:
        return None
    return _TableMaker(eq).table(frames)


class _TableMaker:
    def __init__(self, eq: Equations) -> None:
        self.mechanism, self.kinematics = eq.mechanism, Kinematics(eq.mechanism)
        self.number = {u: j for j, u in enumerate(self.kinematics.u)}

    def table(self, frames: Sequence[Frame]) -> LinkTable | None:
        carried = lumps(self.mechanism, False)
        out = LinkTable([TableLink(0, _pose(identity(3), zeros(3)), [], [])], {})
        out.places[self.mechanism.ground] = 0, identity(3), zeros(3)
        if not all(self._add(out, f) for f in self._needed([*carried, *frames])):
            return None
        if sorted(j for x in out.links for j in x.speeds) != list(range(len(self.number))):
            return None
        if not all(_is_constant([x.m, *x.h.entries, *x.I.entries]) for x in carried.values()):
            return None
        for f, lump in carried.items():
            _add_lump(out, f, lump)
        return out

    def _needed(self, wanted: Sequence[Frame]) -> list[Frame]:
        """These frames and those before them, parents first: those of the mechanism, then others, such as those of points."""
        found: dict[Frame, None] = {}
        for g in wanted:
            path: list[Frame] = []
            f: Frame | None = g
            while f is not None and f not in found:
                path.append(f)
                f = f.parent
            found.update(dict.fromkeys(reversed(path)))
        own = [f for f in self.mechanism.frames if f in found]
        of_mechanism = set(own)
        return own + [f for f in found if f.parent is not None and f not in of_mechanism]

    def _add(self, out: LinkTable, f: Frame) -> bool:
        """A frame as a link or as a part of one; whether it is either."""
        assert f.parent is not None
        link, R, p = out.places[f.parent]
        if f.velocity is not None:
            return False
        place = [*f.rotation.matrix.entries, *f.offset.entries]
        if _is_constant(place):
            out.places[f] = link, _product(R, f.rotation.matrix), _sum_of_ways(p, R, f.offset)
            return True
        spin, drift = self.kinematics.in_speeds([f.spin])[0], self.kinematics.drift(f)
        motions = subspace_of(f, spin, drift, self.number).columns
        columns = [e for angular, linear in motions.values() for e in (*linear.entries, *angular.entries)]
        out.places[f] = len(out.links), identity(3), zeros(3)
        out.links.append(TableLink(link, _pose(R, p), list(motions), place + columns))
        return self._is_sum_of(motions, spin, drift) and _depends_on_coordinates(place + columns)

    def _is_sum_of(self, motions: Iterable[int], spin: Matrix, drift: Matrix) -> bool:
        """Whether there is no motion where all speeds are zero."""
        still = dict.fromkeys([self.kinematics.u[j] for j in motions], ZERO)
        return all(e is ZERO for x in (spin, drift) for e in substitute(x, still).entries)


def _add_lump(out: LinkTable, f: Frame, lump: Lump) -> None:
    """Of a body on a frame, about the origin of its link."""
    link, R, p = out.places[f]
    if not link:
        return
    x, h, I = out.links[link], lump.h, lump.I
    if identity(3) != R:
        h, I = R @ lump.h, R @ lump.I @ R.T
    if p != zeros(3):
        I = I + (2 * dot(h, p) + lump.m * dot(p, p)) * identity(3) - h @ p.T - p @ h.T - lump.m * (p @ p.T)
    x.mass, x.first, x.inertia = x.mass + lump.m, x.first + h + lump.m * p, x.inertia + I


def _pose(R: Matrix, p: Matrix) -> tuple[Expr, ...]:
    return (*R.entries, *p.entries)


def _product(R: Matrix, other: Matrix) -> Matrix:
    return other if identity(3) == R else R @ other


def _sum_of_ways(p: Matrix, R: Matrix, x: Matrix) -> Matrix:
    """p + R x."""
    return x if p == zeros(3) and identity(3) == R else p + R @ x


def _is_constant(entries: Sequence[Expr]) -> bool:
    return all(e.op == "const" or all(s.kind == "parameter" for s in free_symbols(e)) for e in entries)


def _depends_on_coordinates(entries: Sequence[Expr]) -> bool:
    """On nothing but them and parameters."""
    return all(e.op == "const" or all(s.kind in ("coordinate", "parameter") for s in free_symbols(e)) for e in entries)
