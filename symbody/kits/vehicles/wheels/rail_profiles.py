"""Profiles of new wheels and rails across the track: S1002 (UIC 510-2) and UIC60 (60E1).

The wheel profile is a table of polynomials and arcs in mm over the distance from the tape circle, which is 70 mm from the back
of the flange, positive to the outside of the track; its value is added to the radius. The rail's head consists of arcs of 300,
80 and 13 mm, and sides that slope 1:20.
"""

from __future__ import annotations

from math import asin, cos, sin
from typing import Any, Final

import numpy as np

from ....errors import ModelError, shown, unknown

FINE: Final = 2e-5  # m between points of the profiles that are formulas
POINTS: Final = 8  # fewest of a measured profile

# S1002, tread: coefficients of powers of the distance in mm, on [32.15796, 60], [-26, 32.15796] and [-35, -26]
CONE: Final = (1.364323640, -0.066666667)
TREAD: Final = (
    0.0, -3.358537058e-2, 1.565681624e-3, -2.810427944e-5, 5.844240864e-8, -1.562379023e-8, 5.309217349e-15, -5.957839843e-12, 2.646656573e-13,
)  # fmt: skip
THROAT: Final = (
    -4.320221063e3, -1.038384026e3, -1.065501873e2, -6.051367875, -2.054332446e-1, -4.169739389e-3, -4.687195829e-5, -2.252755540e-7,
)  # fmt: skip
FACE: Final = (-93.576667419, -2.747477419)  # of the flange, on [-39.764473993, -38.426669071]
# its other sections are arcs: from, to, centre across and up, radius, side of the centre
ARCS: Final = (
    (-38.426669071, -35.0, -26.210665, 16.446, 13.0, -1), (-49.662510381, -39.764473993, -58.558326413, 8.834924130, 20.0, 1),
    (-62.764705882, -49.662510381, -55.0, 16.0, 12.0, 1), (-70.0, -62.764705882, -49.5, 9.519259302, 20.5, 1),
)  # fmt: skip
HEAD: Final = (
    (300.0, 20.456),
    (80.0, 52.053),
    (13.0, 72.0),
)  # radius of UIC60's arcs, and the width at which each ends, mm
SIDE: Final = 35.0  # mm of the rail's side below its last arc
SLOPE: Final = 1 / 20


def s1002() -> np.ndarray:
    """Points (distance from the tape circle, addition to the radius) of a new wheel, m."""
    s = np.arange(-69.9, 60.0, 1e3 * FINE)
    cone, tread, throat, face = (np.polynomial.polynomial.polyval(s, c) for c in (CONE, TREAD, THROAT, FACE))
    z = np.select([s >= 32.15796, s >= -26.0, s >= -35.0, (s >= -39.764473993) & (s < -38.426669071)], [cone, tread, throat, face], 0.0)  # fmt: skip
    for begin, end, across, up, radius, side in ARCS:
        on = (s >= begin) & (s < end)
        z[on] = up + side * np.sqrt(radius**2 - (s[on] - across) ** 2)
    return np.column_stack([s, z]) / 1e3


def uic60() -> np.ndarray:
    """Points (distance from the middle, height over the top) of a new rail that stands upright, m."""
    centre, begin, half = np.zeros(2), 0.0, [np.zeros((0, 2))]
    last = 0.0
    for radius, width in HEAD:
        centre = centre + (last - radius) * np.array([sin(begin), cos(begin)])
        end = asin((width / 2 - centre[0]) / radius)
        angle = np.arange(begin, end, 1e3 * FINE / radius)
        half.append(centre + radius * np.column_stack([np.sin(angle), np.cos(angle)]))
        begin, last = end, radius
    down = np.arange(0.0, SIDE, 1e3 * FINE)[:, None]
    corner = centre + last * np.array([sin(begin), cos(begin)])
    right = np.vstack([*half, corner + down * np.array([SLOPE, -1.0])])
    return np.vstack([right[:0:-1] * (-1, 1), right]) / 1e3


NAMED: Final = {"wheel": {"S1002": s1002}, "rail": {"UIC60": uic60}}


def profile_points(kind: str, given: Any) -> np.ndarray:
    """Points of a profile by its name, or measured ones (across, up), ordered from the inside of the track to the outside."""
    if isinstance(given, str):
        if given not in NAMED[kind]:
            raise unknown("rail_geometry", f"{kind} profile", given, [*NAMED[kind]])
        return NAMED[kind][given]()
    points = np.array(given, dtype=float)
    if points.ndim != 2 or points.shape[1] != 2 or len(points) < POINTS or not np.isfinite(points).all():
        raise ModelError(
            f"rail_geometry: {kind} = {shown(given)} must be a name ({', '.join(NAMED[kind])}) or at least {POINTS} rows of place "
            "across and height, in metres"
        )
    if np.any(np.diff(points[:, 0]) <= 0):
        raise ModelError(f"rail_geometry: the places across of the {kind} must increase from the inside of the track")
    fine = np.arange(points[0, 0], points[-1, 0], FINE)
    return np.column_stack([fine, np.interp(fine, *points.T)])
