"""Ball bearings: Hertzian contacts of balls between two races (Harris, Rolling Bearing Analysis, 4th ed. 2001; Palmgren's
rules for stiffness)."""

from __future__ import annotations

from typing import Any

import symbody as sb

from ....argument_kinds import answered
from ....errors import ModelError, finite_number


@answered
@sb.bodies.all_or_nothing
def ball_bearing(
    m: sb.Model,
    name: str,
    q: tuple[sb.Symbol, sb.Symbol],
    *,
    balls: int,
    stiffness: float,
    clearance: float = 0.0,
    damping: float = 0.0,
    cage_angle: Any = 0,
) -> tuple[sb.Expr, sb.Expr]:
    """Forces of a ball bearing on two coordinates of its inner ring: each ball k at the angle θk presses with

        F = K δ^(3/2),   δ = x cos θk + y sin θk - clearance,  where δ > 0

    so that stiffness grows with the load and changes as balls pass (varying compliance).

    balls        how many
    stiffness    K of one ball and both races, N/m^1.5 (about 1e9 ... 1e10)
    clearance    radial, m; negative is preload
    damping      N s/m, of x and y
    cage_angle   of the first ball: a number, or an expression such as 0.4 · W t

    Outputs: name_x, name_y, forces in N.

    >>> m = sb.Model("spindle")
    >>> x, y = m.coordinates("x y")
    >>> part = m.particle("spindle", m.ground.point(x, y, 0), mass=10.0)
    >>> force = sb.kits.machines.ball_bearing(m, "front", (x, y), balls=9, stiffness=1e10)
    >>> m.gravity(0, -9.81, 0)
    >>> sink = sb.steady(sb.derive(m), start={"y": -1e-5})["y"]
    >>> round(-sink * 1e6, 3), round((98.1 * 4.37 / 9 / 1e10) ** (2 / 3) * 1e6, 2)  # Stribeck's 4.37 / Z, in micrometres
    (2.831, 2.83)

    See also: `kits.machines.journal`, `kits.machines.Shaft.bearing`.
    """
    where = f"ball bearing {name!r}"
    if not isinstance(balls, int) or balls < 3:
        raise ModelError(f"{where}: balls must be a whole number of three or more, got {balls!r}")
    for what, value, least in (("stiffness", stiffness, True), ("damping", damping, False)):
        number = finite_number(value, f"{where}: {what}", ModelError)
        if number < 0 or (least and number == 0):
            raise ModelError(f"{where}: {what} must be {'positive' if least else 'zero or more'}, got {number:g}")
    x, y = q
    total = [-damping * x.dot, -damping * y.dot]
    for k in range(balls):
        angle = cage_angle + 2 * sb.pi * k / balls
        c, s = sb.cos(angle), sb.sin(angle)
        pressed = sb.maximum(x * c + y * s - clearance, 0)
        force = stiffness * pressed * sb.sqrt(pressed + 1e-18)
        total[0], total[1] = total[0] - force * c, total[1] - force * s
    for letter, coordinate, force in zip("xy", q, total, strict=True):
        m.generalized_force(f"{name}.{letter}", coordinate, force)
        m.output(f"{name}_{letter}", force)
    return total[0], total[1]
