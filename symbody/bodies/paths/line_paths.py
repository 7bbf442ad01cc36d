"""Paths: lines that run straight from point to point, and over surfaces between them. A tension along a path pulls at
every point of it.

    l = Σ l_k / n_k,     on a station of the path acts   T / n_k (unit vector to the station before + to the station
                         after)

where n_k, the divisor of a pulley, divides the tension of the following pieces among as many branches. Surfaces are
without friction, so the tension is the same on both sides of each, and the line on them is a geodesic
(`path_surfaces.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

from ...algebra.calculus.derivatives import time_derivative
from ...algebra.graph.graph import ONE, ZERO, Expr
from ...argument_kinds import answered_class
from ..frames.frames import Frame
from ..frames.points import Point
from ..frames.vectors import Vector
from ..mechanism.mechanism import Action, Load


class PathPiece(Protocol):
    """A part of a path between two points: its length, and the unit forces of a unit tension on the bodies it
    touches."""

    @property
    def length(self) -> Expr: ...

    @property
    def rate(self) -> Expr: ...

    def pulls(self) -> Sequence[tuple[Frame, Point, Vector]]: ...


@dataclass(frozen=True, eq=False)
class StraightPiece:
    """From point a, on what is fixed to frame `on`, to b."""

    a: Point
    b: Point
    on: Frame
    towards: Frame

    @cached_property
    def length(self) -> Expr:
        return (self.b - self.a).magnitude()

    @property
    def rate(self) -> Expr:
        return time_derivative(self.length)

    def pulls(self) -> Sequence[tuple[Frame, Point, Vector]]:
        if self.length.value is not None:  # it pulls at one body alone, or at the ground, and does no work
            return ()
        line = (1 / self.length) * (self.b - self.a)
        return (self.on, self.a, line), (self.towards, self.b, -line)


@answered_class
@dataclass(frozen=True, eq=False)
class LinePath:
    """A path through points and over surfaces. Its length and rate are expressions, for laws, outputs, events and
    plots.

    pieces     segments between two points, straight or over a surface
    divisors   one for each segment: its length and force are divided by this number, as in a block and tackle
    stations   the points and surfaces given to `Model.path`

    >>> m = sb.Model("rope")
    >>> x = m.coordinate("x")
    >>> path = m.path("rope", [m.ground.origin, m.ground.point(3, 0, 0), m.ground.translate(3, x, 0).origin])
    >>> path.length, path.rate
    (abs(x) + 3, sign(x)*x_dot)

    See also: `Model.path`, `Model.tension`, `bodies.WrapCylinder`.
    """

    name: str
    pieces: tuple[PathPiece, ...]
    divisors: tuple[Expr, ...]
    stations: tuple[Any, ...] = ()

    @cached_property
    def length(self) -> Expr:
        """The length from the first point to the last, an expression."""
        total: Expr = ZERO
        for piece, n in zip(self.pieces, self.divisors, strict=True):
            total = total + (piece.length if n is ONE else piece.length / n)
        return total

    @cached_property
    def rate(self) -> Expr:
        """l'."""
        total: Expr = ZERO
        for piece, n in zip(self.pieces, self.divisors, strict=True):
            total = total + (piece.rate if n is ONE else piece.rate / n)
        return total

    def load(self, name: str, kind: str, tension: Expr, potential: Expr | None = None) -> Load:
        """The load of a tension on all parts along the path.

        >>> m = sb.Model("rope")
        >>> x = m.coordinate("x")
        >>> path = m.path("rope", [m.ground.origin, m.ground.translate(x, 0, 0).origin])
        >>> path.load("rope", "tension", 5 * (path.length - 1))
        <Load rope: tension on ground, ground'>

        See also: `Model.tension`.
        """
        actions = []
        for piece, n in zip(self.pieces, self.divisors, strict=True):
            share = tension if n is ONE else tension / n
            actions += [Action(on, force=share * pull, at=at) for on, at, pull in piece.pulls()]
        return Load(name, kind, tuple(actions), potential)


@dataclass(frozen=True, eq=False)
class Tension:
    """A tension along a path, as expressions: for outputs, events and plots.

    tension   positive if it pulls the ends together
    energy    potential energy of its law; zero if none was given
    """

    name: str
    path: LinePath
    tension: Expr
    energy: Expr

    @property
    def length(self) -> Expr:
        return self.path.length

    @property
    def rate(self) -> Expr:
        """l'."""
        return self.path.rate

    @cached_property
    def power(self) -> Expr:
        """That the tension gives to the bodies: -T l'."""
        return -self.tension * self.rate
