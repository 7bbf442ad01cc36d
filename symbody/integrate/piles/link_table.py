"""A mechanism in a pile as a tree of links in numbers: topology, inertias, and what moves of the places of its joints.

Frames that do not move in their parents are parts of its link. What is left of a joint is the place of its frame in the
parent's and a motion vector for each speed, in its own components, as expressions in coordinates; those that are numbers
are evaluated once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final

import numpy as np

from ...algebra.calculus.evaluate import evaluate
from ...algebra.graph.graph import ZERO, Expr
from ...algebra.graph.matrix import Matrix
from ...algebra.graph.walk import free_symbols, substitute
from ...bodies.frames.frames import Frame
from ...derivation.equations.equations import Equations
from ...derivation.kinematics.inertial_parameters import Lump
from ...derivation.kinematics.kinematics import Kinematics
from ...derivation.kinematics.parameter_regrouping import lumps
from ...derivation.routes.recursive import subspace_of
from ...emit.run.callable import Array
from ..start.state import State

POSE: Final = 12  # numbers of a place: rotation matrix, then offset
SIX: Final = 6


@dataclass
class TableLink:
    """A link: its parent, the place of its joint in the parent, numbers of the speeds and entries: of the joint's place, then the
    velocity and the angular velocity due to each speed. Its mass, first moment and moments of inertia about its origin."""

    parent: int
    base: Array
    speeds: list[int]
    entries: list[Expr]
    mass: float = 0.0
    first: Array = field(default_factory=lambda: np.zeros(3))
    inertia: Array = field(default_factory=lambda: np.zeros((3, 3)))


@dataclass
class LinkTable:
    """All links, the ground first; `places`: link of each frame, and the frame's place in it."""

    links: list[TableLink]
    places: dict[Frame, tuple[int, Array, Array]]

    @cached_property
    def entries(self) -> list[Expr]:
        return [e for x in self.links for e in x.entries]


def link_table(start: State, frames: Sequence[Frame]) -> LinkTable | None:
    """Of the equations of a state; `frames` are those that carry surfaces. None where speeds move several frames, or something
    else than coordinates moves one."""
    eq = start.equations
    if eq.mechanism.elastic_bodies or eq.mechanism.has_written_motion or eq.u != eq.mechanism.u or eq.dropped:
        return None
    if eq.augmented.W is not None or eq.z or eq.dependent:
        return None
    return _TableMaker(start).table(frames)


class _TableMaker:
    def __init__(self, start: State) -> None:
        self.eq: Equations = start.equations
        self.values = dict(zip(self.eq.p, start.p, strict=True))
        self.kinematics = Kinematics(self.eq.mechanism)
        self.number = {u: j for j, u in enumerate(self.kinematics.u)}

    def numbers(self, entries: Sequence[Expr]) -> Array:
        return np.array([float(e.data) if e.op == "const" else float(evaluate(e, self.values)) for e in entries])

    def table(self, frames: Sequence[Frame]) -> LinkTable | None:
        mechanism = self.eq.mechanism
        carried = lumps(mechanism, False)
        out = LinkTable([TableLink(0, _pose(np.eye(3), np.zeros(3)), [], [])], {})
        out.places[mechanism.ground] = 0, np.eye(3), np.zeros(3)
        for f in self._needed([*carried, *frames]):
            if not self._add(out, f):
                return None
        if sorted(j for x in out.links for j in x.speeds) != list(range(len(self.number))):
            return None
        for f, lump in carried.items():
            if not _is_constant([lump.m, *lump.h.entries, *lump.I.entries]):
                return None
            self._add_lump(out, f, lump)
        return out

    def _needed(self, wanted: Sequence[Frame]) -> list[Frame]:
        """These frames and those before them, parents first."""
        found: set[Frame] = set()
        for g in wanted:
            f: Frame | None = g
            while f is not None and f not in found:
                found.add(f)
                f = f.parent
        own = [f for f in self.eq.mechanism.frames if f in found]
        others = sorted(found.difference(own), key=_depth)  # such as those of points, which belong to no body
        return own + [f for f in others if f.parent is not None]

    def _add(self, out: LinkTable, f: Frame) -> bool:
        """A frame as a link or as a part of one; whether it is either."""
        assert f.parent is not None
        link, R, p = out.places[f.parent]
        spin, drift = self.kinematics.in_speeds([f.spin])[0], self.kinematics.drift(f)
        place = [*f.rotation.matrix.entries, *f.offset.entries]
        if f.velocity is not None:
            return False
        if _is_constant(place):
            x = self.numbers(place)
            out.places[f] = link, R @ x[:9].reshape(3, 3), p + R @ x[9:]
            return True
        motions = subspace_of(f, spin, drift, self.number).columns
        if not self._is_sum_of(motions, spin, drift) or not _depends_on_coordinates(place):
            return False
        columns = [e for angular, linear in motions.values() for e in (*linear.entries, *angular.entries)]
        out.places[f] = len(out.links), np.eye(3), np.zeros(3)
        out.links.append(TableLink(link, _pose(R, p), list(motions), place + columns))
        return _depends_on_coordinates(columns)

    def _is_sum_of(self, motions: dict[int, Any], spin: Matrix, drift: Matrix) -> bool:
        """Whether there is no motion where all speeds are zero."""
        still = dict.fromkeys([u for u, j in self.number.items() if j in motions], ZERO)
        return all(e is ZERO for x in (spin, drift) for e in substitute(x, still).entries)

    def _add_lump(self, out: LinkTable, f: Frame, lump: Lump) -> None:
        link, R, p = out.places[f]
        if not link:
            return
        (m,), h = self.numbers([lump.m]), R @ self.numbers(lump.h.entries)
        own = R @ self.numbers(lump.I.entries).reshape(3, 3) @ R.T
        x = out.links[link]
        x.inertia = (
            x.inertia
            + own
            + 2 * (h @ p) * np.eye(3)
            - np.outer(h, p)
            - np.outer(p, h)
            + m * ((p @ p) * np.eye(3) - np.outer(p, p))
        )
        x.first = x.first + h + m * p
        x.mass += float(m)


def _pose(R: Array, p: Array) -> Array:
    return np.concatenate([R.ravel(), p])


def _depth(f: Frame) -> int:
    count, at = 0, f.parent
    while at is not None:
        count, at = count + 1, at.parent
    return count


def _is_constant(entries: Sequence[Expr]) -> bool:
    return all(e.op == "const" or all(s.kind == "parameter" for s in free_symbols(e)) for e in entries)


def _depends_on_coordinates(entries: Sequence[Expr]) -> bool:
    """On nothing but them and parameters."""
    return all(e.op == "const" or all(s.kind in ("coordinate", "parameter") for s in free_symbols(e)) for e in entries)
