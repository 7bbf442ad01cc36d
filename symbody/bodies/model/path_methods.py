"""Methods of `Model` for paths through points and over surfaces, and tensions along them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...algebra.graph.graph import ONE, ZERO, Expr
from ...errors import ModelError, shown
from ...escaping import checked_name
from ..frames.frames import Frame
from ..frames.points import Point
from ..mechanism.declarations import as_expression
from ..mechanism.frame_places import moves_in_frame
from ..paths.ellipsoid_paths import WrapEllipsoid
from ..paths.line_paths import LinePath, PathPiece, StraightPiece, Tension
from ..paths.path_surfaces import SwitchedPiece, ViaPoint, WrapCylinder, WrapRing, WrapSphere
from ..paths.torus_paths import WrapTorus
from ..paths.two_cylinders import over_two
from .friction_methods import FrictionMethods


class PathMethods(FrictionMethods):
    """Methods of a model that add paths and tensions along them."""

    def path(self, name: str, stations: Sequence[Any]) -> LinePath:
        """A path through points, such as `m.path("rope", [a, b, c])`. Each point is fixed to its frame.

        Two points may be separated by one `sb.bodies.WrapSphere`, `WrapCylinder` or `WrapEllipsoid`, around which the path
        bends if it would intersect it; by two `WrapCylinder`s in succession; by one `WrapRing` or `WrapTorus`, through the hole of
        which it runs; or by `ViaPoint`s, each active while its condition holds. The path has a `length` and a `rate`;
        `m.tension` adds a force.

        >>> m = sb.Model("rope")
        >>> x = m.coordinate("x")
        >>> load = m.particle("load", m.ground.translate(3, -x, 0).origin, mass=2)
        >>> rope = m.path("rope", [m.ground.origin, m.ground.point(3, 0, 0), load.frame.origin])
        >>> pull = m.tension("rope", rope, 100 * (rope.length - 4))
        >>> sb.evaluate(rope.length, {"x": 1.5}), sb.evaluate(sb.derive(m).f, {"x": 1.5})
        (4.5, [-50.0])

        See also: `bodies.LinePath`, `Model.spring`.
        """
        where = f"path {checked_name(name, 'path')!r}"
        if (
            not isinstance(stations, (list, tuple))
            or len(stations) < 2
            or not all(isinstance(s, Point) for s in (stations[0], stations[-1]))
        ):
            raise ModelError(f"{where}: begins and ends with a point, got {shown(stations)}")
        pieces: list[PathPiece] = []
        before: Point = stations[0]
        between: list[Any] = []
        self.parts.point_of(where, before)
        for s in stations[1:]:
            if isinstance(s, Point):
                self.parts.point_of(where, s)
                pieces.append(self._piece(where, before, between, s))
                before, between = s, []
            elif _may_follow(between, s):
                between.append(s)
            else:
                raise ModelError(
                    f"{where}: goes through points, and between two of them over one WrapSphere, WrapCylinder, WrapEllipsoid, WrapRing or WrapTorus, "
                    f"over two WrapCylinders, or through ViaPoints; got {shown(s)}"
                )
        return LinePath(name, tuple(pieces), (ONE,) * len(pieces), tuple(stations))

    def _piece(self, where: str, a: Point, between: Sequence[Any], b: Point) -> PathPiece:
        on, towards = _carrier_of(a), _carrier_of(b)
        if not between:
            return StraightPiece(a, b, on, towards)
        if isinstance(between[0], ViaPoint):
            points = [a, *(self.parts.point_of(where, v.point) for v in between), b]
            return SwitchedPiece(tuple((p, _carrier_of(p)) for p in points), tuple(v.when for v in between))
        for surface in between:
            self.parts.own_frame(where, surface.frame)
        if len(between) == 2:
            return over_two(between[0], between[1], a, b, on, towards)
        made: PathPiece = between[0].piece(a, b, on, towards)
        return made

    def tension(self, name: str, path: LinePath, value: Any, *, potential: Any = None) -> Tension:
        """A tension along a path; positive values pull its ends together. It may be any function of length, rate and
        state, such as `k * (path.length - l0) + c * path.rate`.

        potential   the potential energy of the law, if it has one

        The result has the attributes `length`, `rate`, `tension`, `energy` and `power`.
        """
        where = f"tension {checked_name(name, 'tension')!r}"
        if not isinstance(path, LinePath):
            raise ModelError(f"{where}: expected a path made by m.path, got {shown(path)}")
        T = self.parts.checked(where, as_expression(value, where))
        V: Expr | None = None if potential is None else self.parts.checked(where, as_expression(potential, where))
        self.parts.add_load(path.load(name, "tension", T, V))
        return Tension(name, path, T, ZERO if V is None else V)


def _may_follow(between: Sequence[Any], s: Any) -> bool:
    """Whether a surface or ViaPoint may stand here, after others between the same points."""
    if not between:
        return isinstance(s, (WrapSphere, WrapCylinder, WrapEllipsoid, WrapRing, WrapTorus, ViaPoint))
    if isinstance(s, WrapCylinder):
        plain = all(isinstance(w, WrapCylinder) and w.through is False for w in (*between, s))
        return len(between) == 1 and plain
    return isinstance(s, ViaPoint) and isinstance(between[0], ViaPoint)


def _carrier_of(point: Point) -> Frame:
    return point.frame.translate(point) if moves_in_frame(point) else point.frame
