"""Shafts of finite elements that bend in two planes, with rotary inertia, gyroscopic moments and shear (Nelson and McVaugh,
J. Eng. Industry 98, 1976; Nelson, J. Mech. Design 102, 1980).

The shaft lies along z and turns by the angle φ about it. Station k moves by x_k, y_k and turns by a_k about x and b_k about
y: x' = b, y' = -a where it does not shear. With the diametral inertia I and the polar inertia J of a disc,

    T = ½ m (ẋ² + ẏ²) + ½ I (ȧ² + ḃ²) + J φ' ȧ b
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

import symbody as sb

from ....argument_kinds import answered, answered_class
from ....errors import ModelError, finite_number, shown, unknown
from ....summary import Summarized, Summary

Numbers = NDArray[np.float64]
POINTS: Final = 4  # of Gauss: exact for products of cubic shape functions
MOST_STATIONS: Final = 400


@answered_class
@dataclass(frozen=True, eq=False, repr=False)
class Shaft(Summarized):
    """A shaft in a model, with coordinates name_x1, name_y1, name_a1, name_b1, ... of its stations.

    model      to which it belongs
    name       with which its coordinates begin
    places     of the stations along z, m
    angle      by which it is turned, W t or a coordinate
    x, y       deflections of the stations, m
    a, b       rotations about x and y, rad

    >>> m = sb.Model("overhung rotor")
    >>> W = m.parameter("W", 100.0)
    >>> s = sb.kits.machines.shaft(m, "s", [0, 0.5, 1.0], diameters=0.05, young=2.1e11, density=7850, speed=W)
    >>> load = s.disc(3, mass=10.0, diametral=0.1, polar=0.2), s.bearing(1, 1e7, damping=1e2), s.bearing(2, 1e7)
    >>> sb.kits.machines.campbell(sb.linearize(sb.derive(m), {}), (0, 6000), highest=80, points=20).names
    ('s_x3, s_y3 backward', 's_x3, s_y3 forward')

    See also: `kits.machines.shaft`, `kits.machines.campbell`.
    """

    model: sb.Model
    name: str
    places: tuple[float, ...]
    angle: Any
    x: tuple[sb.Symbol, ...]
    y: tuple[sb.Symbol, ...]
    a: tuple[sb.Symbol, ...]
    b: tuple[sb.Symbol, ...]

    def _summary(self) -> Summary:
        n = len(self.places)
        return Summary(f"Shaft {self.name}: {n} stations from {self.places[0]:g} to {self.places[-1]:g} m")

    @property
    def pairs(self) -> tuple[tuple[str, str], ...]:
        """Names of the deflections of each station, for the direction of whirl."""
        return tuple((x.name, y.name) for x, y in zip(self.x, self.y, strict=True))

    def disc(self, station: int, *, mass: Any, diametral: Any, polar: Any, name: str | None = None) -> str:
        """A rigid disc on a station, counted from 1: mass [kg], inertia about a diameter and about the axis [kg m²]."""
        k = self._station(station)
        title = name or f"{self.name}.disc {station}"
        for what, value in (("mass", mass), ("diametral", diametral), ("polar", polar)):
            _not_negative(f"disc {title!r}", what, value)
        W = sb.time_derivative(self.angle)
        moving = mass * (self.x[k].dot ** 2 + self.y[k].dot ** 2) + diametral * (
            self.a[k].dot ** 2 + self.b[k].dot ** 2
        )
        if self._turns_freely:
            moving = moving + polar * W**2
        return self.model.kinetic_energy(title, moving / 2 + polar * W * self.a[k].dot * self.b[k])

    def bearing(
        self, station: int, stiffness: Any, *, damping: Any = 0, rotational: Any = 0, name: str | None = None
    ) -> str:
        """A linear bearing at a station: F = -K (x, y) - D (ẋ, ẏ).

        stiffness    N/m: one number, two for x and y, or a matrix [[kxx, kxy], [kyx, kyy]]
        damping      N s/m, in the same way
        rotational   N m/rad, against a and b
        """
        k = self._station(station)
        title = name or f"{self.name}.bearing {station}"
        K, D = (_two_by_two(f"bearing {title!r}", w, v) for w, v in (("stiffness", stiffness), ("damping", damping)))
        q = self.x[k], self.y[k]
        for i, letter in enumerate("xy"):
            force = sum((-K[i][j] * q[j] - D[i][j] * q[j].dot for j in range(2)), start=sb.fraction(0, 1) + 0)
            self.model.generalized_force(f"{title}.{letter}", q[i], force)
        if rotational != 0:
            for letter, turn in (("a", self.a[k]), ("b", self.b[k])):
                self.model.generalized_force(f"{title}.{letter}", turn, -rotational * turn)
        return title

    def force(self, station: int) -> tuple[sb.Symbol, sb.Symbol]:
        """Inputs of forces at a station in x and y: name_fx3, name_fy3; `unbalance_response` uses them."""
        k = self._station(station)
        made = []
        for letter, q in (("x", self.x[k]), ("y", self.y[k])):
            force = self.model.input(f"{self.name}_f{letter}{station}")
            self.model.generalized_force(f"{self.name}.force {letter}{station}", q, force)
            made.append(force)
        return made[0], made[1]

    def unbalance(self, station: int, moment: Any, *, phase: Any = 0) -> sb.Body:
        """An unbalance of a mass times its eccentricity [kg m] at a station, as a small mass far out: forces of its
        rotation, of angular acceleration, and its torque on the shaft.

        The mass that it adds is 1e-6 of the moment per metre.
        """
        k = self._station(station)
        angle = self.angle + phase
        far = 1e6
        at = self.model.ground.point(self.x[k] + far * sb.cos(angle), self.y[k] + far * sb.sin(angle), self.places[k])
        return self.model.particle(f"{self.name}.unbalance {station}", at, mass=moment / far)

    @property
    def _turns_freely(self) -> bool:
        return any(s.kind == "coordinate" for s in sb.free_symbols(sb.algebra.as_expr(self.angle)))

    def _station(self, station: int) -> int:
        if not isinstance(station, int) or not 1 <= station <= len(self.places):
            known = [str(k + 1) for k in range(len(self.places))]
            raise unknown(f"shaft {self.name!r}", "station", str(station), known, ModelError)
        return station - 1


@answered
@sb.bodies.all_or_nothing
def shaft(
    m: sb.Model, name: str, places: Any, *, diameters: Any, bores: Any = 0.0, young: float, density: float,
    shear: float | None = None, speed: Any = None, angle: Any = None,
) -> Shaft:  # fmt: skip
    """A shaft that bends in two planes, as finite elements between stations; discs, bearings and unbalance are put on
    the stations of the result.

    places      of the stations along z, m, increasing
    diameters   outer, m: one, or one for each element
    bores       inner, m, in the same way; 0 is solid
    young       modulus of elasticity E, N/m²
    density     kg/m³
    shear       shear modulus G, N/m²: then sections shear (Timoshenko, coefficient of Cowper for circles with ν from E
                and G); without it they do not
    speed       angular speed W, rad/s, a number or a parameter; or `angle=`, a coordinate by which it turns

    >>> m = sb.Model("rotor")
    >>> W = m.parameter("W", 0.0)
    >>> s = sb.kits.machines.shaft(m, "s", np.linspace(0, 1.0, 5), diameters=0.02, young=2e11, density=7800, speed=W)
    >>> ends = s.bearing(1, 1e12), s.bearing(5, 1e12)
    >>> round(float(sb.kits.machines.campbell(sb.linearize(sb.derive(m), {}), (0, 60), points=4).frequencies[0, 0]), 2)  # π/8 d √(E/ρ)/L² = 39.77
    39.78

    See also: `kits.machines.Shaft`, `kits.machines.unbalance_response`.
    """
    where = f"shaft {name!r}"
    z = _increasing(where, places)
    outer, inner = (_each(where, w, v, len(z) - 1) for w, v in (("diameters", diameters), ("bores", bores)))
    if not (outer > inner).all() or (inner < 0).any():
        k = int(np.argmin(outer - inner))
        raise ModelError(
            f"{where}: bores are smaller than diameters; element {k + 1} has {inner[k]:g} and {outer[k]:g} m"
        )
    for what, value in (("young", young), ("density", density), *((("shear", shear),) if shear is not None else ())):
        if not finite_number(value, f"{where}: {what}", ModelError) > 0:
            raise ModelError(f"{where}: {what} must be positive, got {value:g}")
    if (speed is None) == (angle is None):
        raise ModelError(f"{where}: give speed= (rad/s) or angle= (a coordinate)")
    turned = angle if angle is not None else speed * m.time
    q = {letter: tuple(m.coordinate(f"{name}_{letter}{k + 1}") for k in range(len(z))) for letter in "xyab"}
    made = Shaft(m, name, tuple(z.tolist()), turned, q["x"], q["y"], q["a"], q["b"])
    K, M, R = _matrices(z, outer, inner, float(young), float(density), shear)
    in_x = _plane_coordinates(q["x"], q["b"], 1)
    in_y = _plane_coordinates(q["y"], q["a"], -1)
    rates_x, rates_y = ([sb.time_derivative(v) for v in plane] for plane in (in_x, in_y))
    moving = _form(M + R, rates_x, rates_x) / 2 + _form(M + R, rates_y, rates_y) / 2
    turning = -sb.time_derivative(turned) * _form(2 * R, rates_y, in_x)
    m.kinetic_energy(f"{name}.inertia", moving + turning)
    m.potential(f"{name}.bending", _form(K, in_x, in_x) / 2 + _form(K, in_y, in_y) / 2)
    return made


def _plane_coordinates(w: Sequence[sb.Symbol], turn: Sequence[sb.Symbol], sign: int) -> list[sb.Expr]:
    return [e for pair in zip(w, turn, strict=True) for e in (pair[0] + 0, sign * pair[1])]


def _form(A: Numbers, left: Sequence[Any], right: Sequence[Any]) -> sb.Expr:
    """Σ A_ij left_i right_j, over entries that are not zero."""
    rows = [
        left[i] * sum((float(A[i, j]) * right[j] for j in np.flatnonzero(A[i]).tolist()), start=sb.fraction(0, 1) + 0) for i in range(len(A))
    ]  # fmt: skip
    return sum(rows, start=sb.fraction(0, 1) + 0)


def _matrices(
    z: Numbers, outer: Numbers, inner: Numbers, E: float, rho: float, G: float | None
) -> tuple[Numbers, Numbers, Numbers]:
    """Stiffness, mass, and rotary inertia of bending in one plane; deflection and slope of each station."""
    n = 2 * len(z)
    K, M, R = (np.zeros((n, n)) for _ in range(3))
    xi, weight = np.polynomial.legendre.leggauss(POINTS)
    xi, weight = (xi + 1) / 2, weight / 2
    for k, L in enumerate(np.diff(z)):
        area = np.pi / 4 * (outer[k] ** 2 - inner[k] ** 2)
        second = np.pi / 64 * (outer[k] ** 4 - inner[k] ** 4)
        s = 0.0 if G is None else 12 * E * second / (_shear_coefficient(E, G, inner[k] / outer[k]) * G * area * L**2)
        w, turn, bend, slip = _shapes(xi, float(L), s)
        at = slice(2 * k, 2 * k + 4)
        K[at, at] += E * second * L * np.einsum("g,gi,gj->ij", weight, bend, bend)
        if G is not None:
            stiff = _shear_coefficient(E, G, inner[k] / outer[k]) * G * area
            K[at, at] += stiff * L * np.einsum("g,gi,gj->ij", weight, slip, slip)
        M[at, at] += rho * area * L * np.einsum("g,gi,gj->ij", weight, w, w)
        R[at, at] += rho * second * L * np.einsum("g,gi,gj->ij", weight, turn, turn)
    return K, M, R


def _shear_coefficient(E: float, G: float, ratio: float) -> float:
    """Cowper's, of a circular section with a bore."""
    nu = E / (2 * G) - 1
    if not 0 <= nu <= 0.5:
        raise ModelError(f"shaft: young = {E:g} and shear = {G:g} are those of a Poisson's ratio of {nu:z.3g}; it is between 0 and 0.5")  # fmt: skip
    c = (1 + ratio**2) ** 2
    return 6 * (1 + nu) * c / ((7 + 6 * nu) * c + (20 + 12 * nu) * ratio**2)


def _shapes(x: Numbers, L: float, s: float) -> tuple[Numbers, Numbers, Numbers, Numbers]:
    """Deflection, rotation, curvature and shear of an element, for deflections and slopes at its ends; s = 12 E I / (κ G A
    L²)."""
    w = np.stack([
        1 - 3 * x**2 + 2 * x**3 + s * (1 - x), L * (x - 2 * x**2 + x**3 + s / 2 * (x - x**2)),
        3 * x**2 - 2 * x**3 + s * x, L * (-(x**2) + x**3 + s / 2 * (x**2 - x)),
    ], axis=1)  # fmt: skip
    turn = np.stack([
        6 / L * (x**2 - x), 1 - 4 * x + 3 * x**2 + s * (1 - x), 6 / L * (x - x**2), -2 * x + 3 * x**2 + s * x,
    ], axis=1)  # fmt: skip
    bend = np.stack([
        6 / L**2 * (2 * x - 1), (-4 + 6 * x - s) / L, 6 / L**2 * (1 - 2 * x), (-2 + 6 * x + s) / L,
    ], axis=1)  # fmt: skip
    slip = np.stack([-s / L + 0 * x, -s / 2 + 0 * x, s / L + 0 * x, -s / 2 + 0 * x], axis=1)
    return w / (1 + s), turn / (1 + s), bend / (1 + s), slip / (1 + s)


def _increasing(where: str, places: Any) -> Numbers:
    z = np.asarray(places, dtype=float)
    if z.ndim != 1 or not 2 <= len(z) <= MOST_STATIONS or not np.isfinite(z).all() or not (np.diff(z) > 0).all():
        raise ModelError(f"{where}: places are 2 to {MOST_STATIONS} numbers that increase, got {shown(places)}")
    return z


def _each(where: str, what: str, value: Any, n: int) -> Numbers:
    many = np.asarray(value, dtype=float)
    if many.ndim > 1 or (many.ndim == 1 and len(many) != n) or not np.isfinite(many).all():
        raise ModelError(f"{where}: {what} must be one number or {n}, one for each element; got {shown(value)}")
    return np.broadcast_to(many, n)


def _not_negative(where: str, what: str, value: Any) -> None:
    number = sb.algebra.as_expr(value).value
    if number is not None and not number >= 0:
        raise ModelError(f"{where}: {what} must not be negative, got {float(number):g}")


def _two_by_two(where: str, what: str, value: Any) -> list[list[Any]]:
    if not isinstance(value, (list, tuple, np.ndarray)):
        return [[value, 0], [0, value]]
    many = list(value)
    if len(many) == 2 and not any(isinstance(v, (list, tuple, np.ndarray)) for v in many):
        return [[many[0], 0], [0, many[1]]]
    if len(many) == 2 and all(isinstance(v, (list, tuple, np.ndarray)) and len(v) == 2 for v in many):
        return [list(v) for v in many]
    raise ModelError(f"{where}: {what} must be one number, two, or a matrix of two rows; got {shown(value)}")
