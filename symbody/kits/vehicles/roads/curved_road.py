"""Roads along a curved line: a surface z(u, v), u along the line, v to the left of it.

A wheel at P is on the normal of the line at C(u); this u is a variable of the wheel (`path.py`):

    v = (P - C) · n,   n: to the left of C',   |n| = 1
    ∂z/∂P = z_u C'/D + z_v n,   D = C' · C' - (P - C) · C''
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import symbody as sb

from ....argument_kinds import answered_class
from .path import foot_point
from .road import Road


@answered_class
@dataclass(frozen=True, eq=False, repr=False)
class CurvedRoad(Road):
    """A surface along a line in the xy plane of a frame.

    line      u -> x, y of the line, two expressions with two derivatives
    surface   u, v -> z
    """

    line: Callable[[Any], tuple[Any, Any]] = field(kw_only=True)
    surface: Callable[[Any, Any], Any] = field(kw_only=True)

    def seen_by(self, m: sb.Model, name: str, centre: sb.Point) -> Road:
        """The road of one wheel, with the variable name_u: where along the line it is. Its start is a number of the
        simulation: `sb.simulate(eq, 10, name_u=...)`, zero at the beginning of the line."""
        x, y, _ = (centre - self.frame.origin).components(self.frame).entries
        vx, vy, _ = centre.velocity(self.frame).components(self.frame).entries
        at = foot_point(m, f"{name}_u", self.line, (x, y), (vx, vy))
        a, b = sb.symbols("road_u road_v")
        z = self.surface(a, b) + sb.fraction(0, 1)
        here = {a: at.s, b: at.left}
        zu, zv = (sb.substitute(sb.derivative(z, s), here) for s in (a, b))
        (tx, ty), (nx, ny) = at.tangent, at.normal
        slopes = zu * tx / at.spread + zv * nx, zu * ty / at.spread + zv * ny
        return SeenRoad(self.frame, self.height, sb.substitute(z, here), slopes, {at.s.dot: at.rate})


@dataclass(frozen=True, eq=False, repr=False)
class SeenRoad(Road):
    """What one wheel sees of a curved road: height and slopes under it, and the rate of its variable."""

    here: Any = 0
    slopes: tuple[Any, Any] = (0, 0)
    own: Mapping[Any, Any] = field(default_factory=dict)

    def at(self, x: Any, y: Any) -> tuple[Any, tuple[Any, Any]]:
        return self.here, self.slopes

    def rate(self, quantity: Any) -> Any:
        return sb.substitute(sb.time_derivative(quantity), dict(self.own))
