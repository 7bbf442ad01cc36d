"""Periodic functions of angles: `mod`, `floor`, and cams from tables."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

import symbody as sb

from ....argument_kinds import answered
from ....errors import ModelError, shown

ROUNDING: Final = 1e-15  # of an angle: values this near to a multiple of the period are the multiple


@answered
def mod(x: Any, period: Any = 1) -> sb.Expr:
    """x less the largest multiple of the period that is not larger: 0 ... period, with a jump at multiples. Its
    derivative is that of x.

    It is written with functions that every target language has. A motion does not stop at its jumps: use an event, or
    functions that agree at both ends.

    >>> x = sb.symbol("x")
    >>> [round(sb.evaluate(sb.kits.machines.mod(x, 2), {x: v}), 12) + 0.0 for v in (-0.5, 0.0, 3.25, 4.0)]
    [1.5, 0.0, 1.25, 0.0]

    See also: `kits.machines.floor`, `integrate.interpolation`.
    """
    part = sb.algebra.as_expr(x) / period
    angle = 2 * sb.pi * (part - sb.fraction(1, 2))
    inside = sb.atan2(sb.sin(angle), sb.cos(angle)) / (2 * sb.pi) + sb.fraction(1, 2)
    least = ROUNDING * (1 + sb.sqrt(part**2))
    return period * sb.where(inside < 1 - least, sb.where(inside < least, 0, inside), 0)


@answered
def floor(x: Any) -> sb.Expr:
    """The largest whole number that is not larger than x, to rounding.

    >>> x = sb.symbol("x")
    >>> [round(sb.evaluate(sb.kits.machines.floor(x), {x: v}), 9) + 0.0 for v in (-0.5, 0.0, 2.75, 1000.0)]
    [-1.0, 0.0, 2.0, 1000.0]

    See also: `kits.machines.mod`.
    """
    return sb.algebra.as_expr(x) - mod(x, 1)


@answered
def cam(name: str, degrees: Any, lift: Any) -> Any:
    """The lift of a cam as a function of its angle in rad, from a table over one turn: a periodic cubic spline with two
    continuous derivatives.

    degrees   angles of the cam in degrees, increasing, over one turn at most
    lift      in m

    >>> lift = sb.kits.machines.cam("lift", [0, 90, 180, 270, 360], [0.0, 0.01, 0.02, 0.01, 0.0])
    >>> angle = sb.symbol("angle")
    >>> round(sb.evaluate(lift(angle), {angle: np.pi + 6 * np.pi}), 9)
    0.02

    See also: `integrate.interpolation`, `Model.constrain`.
    """
    x, y = np.asarray(degrees, dtype=float), np.asarray(lift, dtype=float)
    if x.ndim != 1 or x.shape != y.shape or len(x) < 4 or not (np.diff(x) > 0).all() or x[-1] - x[0] > 360 + 1e-9:
        raise ModelError(
            f"cam {name!r}: degrees must be four or more angles that increase within one turn, with as many lifts; got {shown(degrees)}"
        )
    return sb.integrate.interpolation(name, np.deg2rad(x), y, period=2 * np.pi)
