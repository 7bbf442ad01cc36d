"""Roads along a curved line: a surface z(u, v), u along the line, v to the left of it.

A wheel at P is above the place of the line C(u) whose normal it is on, g = (P - C) · C' = 0. That u is a variable of the
wheel, which moves along with it and is drawn back where it is off:

    u' = (V · C' + λ g) / D,   D = C' · C' - (P - C) · C''      so that g' = -λ g
    v = (P - C) · n,   n: to the left of C',   |n| = 1
    ∂z/∂P = z_u C'/D + z_v n
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import symbody as sb

from .road import Road

DRAWN_BACK: Final = 20.0  # λ, 1/s


@dataclass(frozen=True, eq=False)
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
        u = m.variable(f"{name}_u")
        x, y, _ = (centre - self.frame.origin).components(self.frame).entries
        vx, vy, _ = centre.velocity(self.frame).components(self.frame).entries
        (px, py), (tx, ty), (cx, cy) = self._line_at(u)
        gap = (x - px) * tx + (y - py) * ty
        spread = tx * tx + ty * ty - (x - px) * cx - (y - py) * cy
        rate = (vx * tx + vy * ty + DRAWN_BACK * gap) / spread
        m.rate(u, rate)
        length = sb.sqrt(tx * tx + ty * ty)
        nx, ny = -ty / length, tx / length
        v = (x - px) * nx + (y - py) * ny
        a, b = sb.symbols("road_u road_v")
        z = self.surface(a, b) + sb.fraction(0, 1)
        here = {a: u, b: v}
        zu, zv = (sb.substitute(sb.derivative(z, s), here) for s in (a, b))
        slopes = zu * tx / spread + zv * nx, zu * ty / spread + zv * ny
        return SeenRoad(self.frame, self.height, sb.substitute(z, here), slopes, {u.dot: rate})

    def _line_at(self, u: Any) -> list[tuple[Any, Any]]:
        """C, C', C''."""
        s = sb.symbol("road_u")
        found = [tuple(e + sb.fraction(0, 1) for e in self.line(s))]
        for _ in range(2):
            found.append(tuple(sb.derivative(e, s) for e in found[-1]))
        return [(sb.substitute(a, {s: u}), sb.substitute(b, {s: u})) for a, b in found]


@dataclass(frozen=True, eq=False)
class SeenRoad(Road):
    """What one wheel sees of a curved road: height and slopes under it, and the rate of its variable."""

    here: Any = 0
    slopes: tuple[Any, Any] = (0, 0)
    own: Mapping[Any, Any] = field(default_factory=dict)

    def at(self, x: Any, y: Any) -> tuple[Any, tuple[Any, Any]]:
        return self.here, self.slopes

    def rate(self, quantity: Any) -> Any:
        return sb.substitute(sb.time_derivative(quantity), dict(self.own))
