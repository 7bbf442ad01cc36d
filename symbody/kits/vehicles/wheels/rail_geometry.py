"""Where the wheels of a wheelset touch the rails as it moves across the track.

The wheelset is displaced by y to the left and rolls by φ until both wheels touch; S is the distance of a point of a wheel from
its tape circle, F(S) its profile, h the profile of the rail, and b half the distance of the tape circles:

    gap(S) = z + Z(S) - h(y + Y(S)),   (Y, Z) = rotation by φ of (b + S, -(r0 + F(S)))
    z, φ so that the least gap of both wheels is zero;  r = r0 + F(S) of the point where it is

A rigid wheel moves from one point to another in a jump, where it touches at both. An elastic one does so within a distance: with
`softness` c the points are means with the weight exp(-gap/c), and the least gap is the mean that belongs to it (as Arnold and
Netter regularise contacts, Surveys on Mathematics for Industry 8, 1998).

    equivalent conicity λ = (2π/L)² b r0,   L: wavelength of y'' = -(r_left - r_right)/(2 b r0) with an amplitude (EN 15302)
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import atan, cos, pi, sin
from typing import Any, Final

import numpy as np
from scipy.interpolate import CubicSpline
from scipy.optimize import brentq

import symbody as sb

from ....argument_kinds import answered
from ....errors import ModelError, finite_number, shown
from ....summary import Summarized, Summary, summary_rows
from .rail_profiles import profile_points

GAUGE_HEIGHT: Final = 0.014  # m below the top of the rail, where the gauge is measured
TAPE: Final = 0.07  # m from the back of the flange to the tape circle
MOST_ROLL: Final = 0.05  # rad
FAR: Final = 1.0  # gap in m where there is no rail
JUMP: Final = 1e-3  # m: a contact point that moves this far between two displacements jumps
ANGLES: Final = 400  # for the wavelength


@dataclass(frozen=True, eq=False, repr=False)
class RailGeometry(Summarized):
    """Contact of a wheelset over its displacement across the track.

    y            displacements to the left [m]
    left, right  places S of the contact points on the wheels [m from the tape circle, outwards]
    radii        rolling radii of the left and the right wheel [m], (y, 2)
    angles       of the wheels' tangents with the track there [rad], (y, 2); positive where a wheel is pushed inwards
    roll         φ [rad], about x
    height       of the middle of the wheelset over its place at y = 0 [m]
    nominal      r0 [m]
    half         b, half the distance of the tape circles [m]
    softness     c [m]

    >>> found = vh.rail_geometry("S1002", "UIC60")
    >>> k = np.searchsorted(found.y, 3e-3)
    >>> np.round(1e3 * np.array([found.left[k], found.right[k]]), 1).tolist(), round(1e3 * float(found.angles[k, 0]), 1)
    ([-12.7, 10.4], 89.8)
    >>> round(1e6 * float(found.roll[k])), round(1e6 * float(found.height[k])), round(float(found.radii[k, 0] - found.nominal), 5)
    (180, 89, 0.00075)
    >>> found.half, found.nominal
    (0.75, 0.46)

    See also: `rail_geometry`, `rail_car`.
    """

    y: np.ndarray
    left: np.ndarray
    right: np.ndarray
    radii: np.ndarray
    angles: np.ndarray
    roll: np.ndarray
    height: np.ndarray
    nominal: float
    half: float
    softness: float

    @property
    def radius_difference(self) -> np.ndarray:
        """r_left - r_right over y [m].

        >>> found = vh.rail_geometry("S1002", "UIC60")
        >>> round(1e3 * float(np.interp(3e-3, found.y, found.radius_difference)), 3)
        0.959
        """
        return self.radii[:, 0] - self.radii[:, 1]

    @property
    def jumps(self) -> tuple[tuple[float, float, float], ...]:
        """(y, from, to): displacements to the left where the left wheel, if rigid, touches at two points, and their places S.

        >>> found = vh.rail_geometry("S1002", "UIC60")
        >>> [round(1e3 * x, 1) for x in found.jumps[-1]]
        [6.2, -32.6, -38.8]
        """
        steps = np.flatnonzero((np.abs(np.diff(self.left)) > JUMP) & (self.y[1:] > 0) & (self.softness == 0))
        return tuple((float(self.y[k] + self.y[k + 1]) / 2, float(self.left[k]), float(self.left[k + 1])) for k in steps)  # fmt: skip

    def conicity(self, amplitude: float) -> float:
        """The equivalent conicity: that of the cones with which a wheelset of no mass follows a wave as long as with these
        profiles (EN 15302).

        amplitude   m

        >>> vh.rail_geometry("S1002", "UIC60").conicity(3e-3)
        0.177102

        See also: `wheelset`, `rail_car`.
        """
        a = finite_number(amplitude, "conicity: amplitude", ModelError)
        if not 0 < a <= self.y[-1]:
            raise ModelError(f"conicity: amplitude = {shown(amplitude)} m must be between 0 and {self.y[-1]:g}")
        force = CubicSpline(self.y, (self.radius_difference - self.radius_difference[::-1]) / 2 / (2 * self.half * self.nominal))  # fmt: skip
        energy = force.antiderivative()
        angle = (np.arange(ANGLES) + 0.5) * pi / 2 / ANGLES
        rate = np.sqrt(2 * (energy(a) - energy(a * np.sin(angle))))
        wavelength = 4 * float(np.sum(a * np.cos(angle) / rate)) * pi / 2 / ANGLES
        return (2 * pi / wavelength) ** 2 * self.half * self.nominal

    @cached_property
    def tables(self) -> tuple[Any, Any]:
        """Δr/2 and the slope dz/dy of the height as functions of an expression for y, for models.

        >>> radius, slope = vh.rail_geometry("S1002", "UIC60", softness=2e-5).tables
        >>> y = sb.symbol("y")
        >>> round(1e3 * float(sb.evaluate(radius(y), {y: 3e-3})), 2)
        0.473
        """
        radius, slope = self.radius_difference / 2, CubicSpline(self.y, self.height).derivative()(self.y)
        return (
            sb.integrate.interpolation("rail_radius", self.y, (radius - radius[::-1]) / 2),
            sb.integrate.interpolation("rail_slope", self.y, (slope - slope[::-1]) / 2),
        )

    def plot(self) -> sb.view.Figure:
        """Contact points and rolling radii of both wheels over the displacement.

        >>> vh.rail_geometry("S1002", "UIC60", points=41).plot()
        <Figure 'wheels on rails': 2 panels, 3 curves>
        """
        mm = 1e3 * self.y
        places = [sb.view.Curve(mm, 1e3 * s, n) for s, n in ((self.left, "left wheel"), (self.right, "right wheel"))]
        radii = sb.view.Curve(mm, 1e3 * self.radius_difference, "left - right")
        panels = (
            sb.view.Panel("displacement to the left [mm]", "contact from tape circle [mm]", tuple(places)),
            sb.view.Panel("displacement to the left [mm]", "difference of rolling radii [mm]", (radii,)),
        )
        return sb.view.Figure("wheels on rails", panels)

    def _summary(self) -> Summary:
        small = min(3e-3, float(self.y[-1]))
        rows = summary_rows(
            displacements=f"{len(self.y)}, to {1e3 * self.y[-1]:z.3g} mm",
            conicity=f"{self.conicity(small):z.3g} with an amplitude of {1e3 * small:z.3g} mm",
            jumps=", ".join(f"{1e3 * y:z.3g} mm" for y, _, _ in self.jumps) or "none",
        )
        return Summary("RailGeometry", (*rows, ("next", "radius_difference, conicity(amplitude), vh.rail_car(profiles=)")))  # fmt: skip


@answered
def rail_geometry(
    wheel: Any = "S1002", rail: Any = "UIC60", *, gauge: float = 1.435, inclination: float = 1 / 40, inner: float = 1.36,
    radius: float = 0.46, farthest: float = 0.01, points: int = 201, softness: float = 0.0,
) -> RailGeometry:  # fmt: skip
    """Contact points, rolling radii and heights of a wheelset on a track over its displacement, see above.

    wheel, rail    "S1002" and "UIC60", or rows (across, up) of measured profiles [m], from the inside of the track outwards:
                   of a wheel from its tape circle (0.07 m from the back of the flange) and added to the radius; of a rail as
                   it stands upright
    gauge          of the track [m], 14 mm below the top
    inclination    of the rails towards the middle
    inner          distance of the backs of the flanges [m]
    radius         r0, of the wheels at the tape circle [m]
    farthest       largest displacement [m]
    points         number of displacements
    softness       c [m]; 0: rigid

    >>> found = vh.rail_geometry("S1002", "UIC60")
    >>> round(found.conicity(3e-3), 3), len(found.jumps)
    (0.177, 3)

    See also: `rail_car`, `wheelset`, `kits.vehicles.RailGeometry`.
    """
    for name, value in {"gauge": gauge, "inner": inner, "radius": radius, "farthest": farthest, "points": points}.items():  # fmt: skip
        if not finite_number(value, f"rail_geometry: {name}", ModelError) > 0:
            raise ModelError(f"rail_geometry: {name} = {shown(value)} must be positive")
    if finite_number(softness, "rail_geometry: softness", ModelError) < 0:
        raise ModelError(f"rail_geometry: softness = {shown(softness)} must be zero or positive")
    half = inner / 2 + TAPE
    track = _ProfilesInPlace(profile_points("wheel", wheel), _rail_in_place(profile_points("rail", rail), inclination, gauge), half, radius, softness)  # fmt: skip
    y = np.linspace(-farthest, farthest, int(points) | 1)
    rows = [track.contact(float(v)) for v in y]
    left, right, roll, z = (np.array(c) for c in zip(*rows, strict=True))
    places = np.column_stack([left, right])
    slopes = np.arctan(np.interp(places, track.wheel[:, 0], np.gradient(*track.wheel.T[::-1])))
    angles = -slopes + np.column_stack([roll, -roll])
    radii = radius + np.interp(places, *track.wheel.T)
    if softness:
        radii = np.array([track.mean_radii(float(v), float(f)) for v, f in zip(y, roll, strict=True)])
    return RailGeometry(y, left, right, radii, angles, roll, z - z[len(z) // 2], float(radius), half, float(softness))


def _rail_in_place(rail: np.ndarray, inclination: float, gauge: float) -> np.ndarray:
    """The profile of the left rail over the distance from the middle of the track, its top at zero."""
    turn = atan(inclination)
    points = rail @ np.array([[cos(turn), sin(turn)], [-sin(turn), cos(turn)]])
    top = int(np.argmax(points[:, 1]))
    points[:, 1] -= points[top, 1]
    inside = points[: top + 1]
    if inside[0, 1] > -GAUGE_HEIGHT or np.any(np.diff(inside[:, 1]) <= 0):
        raise ModelError("rail_geometry: rail: its inside must rise to the top from 14 mm below it, where the gauge is measured")  # fmt: skip
    points[:, 0] += gauge / 2 - np.interp(-GAUGE_HEIGHT, inside[:, 1], inside[:, 0])
    rising = np.concatenate([[True], np.diff(np.maximum.accumulate(points[:, 0])) > 0])
    return points[rising]


@dataclass(frozen=True, eq=False)
class _ProfilesInPlace:
    """Profiles in place: the wheel over S, the left rail over the distance from the middle; the right ones are mirrored."""

    wheel: np.ndarray
    rail: np.ndarray
    half: float
    radius: float
    softness: float

    def gaps(self, y: float, roll: float) -> np.ndarray:
        """Of the left wheel's points, the wheelset's middle at the height r0."""
        s, f = self.wheel.T
        across, up = self.half + s, -(self.radius + f)
        place = y + across * cos(roll) - up * sin(roll)
        height = across * sin(roll) + up * cos(roll) + self.radius
        return height - np.interp(place, self.rail[:, 0], self.rail[:, 1], left=-FAR, right=-FAR)

    def least(self, y: float, roll: float) -> float:
        gaps = self.gaps(y, roll)
        least = float(gaps.min())
        if not self.softness:
            return least
        return least - self.softness * float(np.log(np.exp(-(gaps - least) / self.softness).sum() / len(gaps)))

    def point(self, y: float, roll: float) -> float:
        """S of the least gap, by a parabola through three points."""
        gaps, s = self.gaps(y, roll), self.wheel[:, 0]
        if self.softness:
            weight = np.exp(-(gaps - gaps.min()) / self.softness)
            return float((weight * s).sum() / weight.sum())
        k = min(max(int(np.argmin(gaps)), 1), len(s) - 2)
        a, b, c = gaps[k - 1 : k + 2]
        return float(s[k] + (s[k + 1] - s[k]) * (a - c) / (2 * (a - 2 * b + c)) if a - 2 * b + c > 0 else s[k])

    def mean_radii(self, y: float, roll: float) -> tuple[float, float]:
        found = []
        for side in (1, -1):
            gaps = self.gaps(side * y, side * roll)
            weight = np.exp(-(gaps - gaps.min()) / self.softness)
            found.append(self.radius + float((weight * self.wheel[:, 1]).sum() / weight.sum()))
        return found[0], found[1]

    def contact(self, y: float) -> tuple[float, float, float, float]:
        """S of the left and the right wheel, the roll, and the height of the middle."""

        def excess(roll: float) -> float:
            return self.least(y, roll) - self.least(-y, -roll)

        if excess(-MOST_ROLL) > 0 or excess(MOST_ROLL) < 0:
            raise ModelError(f"rail_geometry: no contact of both wheels at a displacement of {1e3 * y:z.3g} mm; reduce farthest=")  # fmt: skip
        roll = float(brentq(excess, -MOST_ROLL, MOST_ROLL, xtol=1e-12))
        return self.point(y, roll), self.point(-y, -roll), roll, -self.least(y, roll)
