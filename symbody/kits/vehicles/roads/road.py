"""Roads: heights over a plane, with their slopes.

A wheel touches the tangent plane of the road under its centre (one step, so that forces are smooth expressions): the
user must filter unevenness shorter than the contact.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

import symbody as sb

from ....argument_kinds import answered, answered_class
from ....errors import ModelError, unknown
from ....summary import Summarized, Summary, counted, summary_rows

ROUGHNESS: Final = {k: 16e-6 * 4**i for i, k in enumerate("ABCDEFGH")}  # Gd(n0) of ISO 8608, geometric means [m³]
REFERENCE_FREQUENCY: Final = 0.1  # n0, reference spatial frequency in cycles/m
SPATIAL_BAND: Final = (0.011, 2.83)  # range of spatial frequencies of the standard in cycles/m


@answered_class
@dataclass(frozen=True, eq=False, repr=False)
class Road(Summarized):
    """A surface z(x, y) over the xy plane of a frame.

    frame    at rest; for a flat road any frame whose origin and xy plane stay in the road, such as that of a heading,
             which keeps formulas short
    height   a function of two expressions x, y; none: flat
    """

    frame: sb.Frame
    height: Callable[[Any, Any], Any] | None = None

    def _summary(self) -> Summary:
        kind = "flat" if self.height is None else "of heights z(x, y)"
        return Summary(f"{type(self).__name__} over {self.frame.name}", summary_rows(surface=kind))

    def at(self, x: Any, y: Any) -> tuple[Any, tuple[Any, Any]]:
        """z and its slopes ∂z/∂x, ∂z/∂y."""
        if self.height is None:
            return 0, (0, 0)
        a, b = sb.symbols("road_x road_y")
        z = self.height(a, b) + sb.fraction(0, 1)
        here = {a: x, b: y}
        return sb.substitute(z, here), tuple(sb.substitute(sb.derivative(z, s), here) for s in (a, b))

    def seen_by(self, m: sb.Model, name: str, centre: sb.Point) -> Road:
        """The road of one wheel: the road itself if the wheel's position in the plane determines the height."""
        return self

    def rate(self, quantity: Any) -> Any:
        """Time derivative of an expression in heights and slopes."""
        return sb.time_derivative(quantity)


def profile_road(frame: sb.Frame, x: Any, z: Any) -> Road:
    """A road through samples z over x: a cubic spline, the same across; level before the first and after the last
    sample."""
    curve = sb.integrate.interpolation("road_profile", x, z)
    return Road(frame, lambda x, _: curve(x))


def sampled_road(frame: sb.Frame, x: Any, y: Any, z: Any) -> Road:
    """A road through samples on a grid, z[i, j] at x[i], y[j]: the tensor product of cubic splines.

    z(x, y) = Σ c_j(y) z_j(x),    z_j: spline of column j,   c_j: spline through 1 at y_j and 0 at the others
    """
    return Road(frame, sampled_surface(x, y, z))


def sampled_surface(x: Any, y: Any, z: Any) -> Callable[[Any, Any], Any]:
    """The function of two expressions through samples on a grid."""
    z = np.asarray(z, dtype=float)
    if z.shape != (len(x), len(y)):
        raise ModelError(
            f"sampled_road: z has the shape {z.shape}; with {len(x)} values of x and {len(y)} of y it is {(len(x), len(y))}"
        )
    columns = [sb.integrate.interpolation(f"road_column_{j}", x, z[:, j]) for j in range(len(y))]
    if len(y) < 2:
        return lambda x, _: columns[0](x)
    shares = [sb.integrate.interpolation(f"road_share_{j}", y, unit) for j, unit in enumerate(np.eye(len(y)))]

    def height(x: Any, y: Any) -> Any:
        return sum((c(y) * z(x) for c, z in zip(shares, columns, strict=True)), start=sb.fraction(0, 1))

    return height


def road_spectrum(roughness: str | float, n: Any) -> Any:
    """Gd(n) = Gd(n0) (n/n0)⁻² of ISO 8608, one-sided, n in cycles/m: of a class "A" to "H", or of Gd(n0) in m³."""
    return _roughness(roughness) * (n / REFERENCE_FREQUENCY) ** -2


def _roughness(given: str | float) -> float:
    if not isinstance(given, str):
        return float(given)
    if given.upper() not in ROUGHNESS:
        raise unknown("road", "class of ISO 8608", given, list(ROUGHNESS), ModelError)
    return ROUGHNESS[given.upper()]


@dataclass(frozen=True, eq=False, repr=False)
class RandomProfile(Summarized):
    """A realisation of a spectrum: a sum of waves of equal steps in log n, with random phases.

    z(x) = Σ √(2 Gd(n) Δn) cos(2π n x + φ)
    """

    n: np.ndarray
    amplitudes: np.ndarray
    phases: np.ndarray

    def _summary(self) -> Summary:
        n = self.n
        return Summary(
            f"RandomProfile of {counted(len(n), 'wave')}, {n[0]:z.3g} to {n[-1]:z.3g} cycles/m, rms {self.rms(n[0], n[-1]):z.3g} m"
        )

    def __call__(self, x: Any) -> Any:
        """Heights at numbers, or the sum of waves of an expression."""
        if not isinstance(x, sb.Expr):
            return np.cos(2 * np.pi * np.multiply.outer(np.asarray(x, float), self.n) + self.phases) @ self.amplitudes
        waves = zip(self.amplitudes.tolist(), self.n.tolist(), self.phases.tolist(), strict=True)
        return sum((a * sb.cos(2 * np.pi * n * x + p) for a, n, p in waves), start=sb.fraction(0, 1))

    def rms(self, low: float, high: float) -> float:
        """Root mean square of the waves in a band of n."""
        inside = (self.n >= low) & (self.n <= high)
        return float(np.sqrt(np.sum(self.amplitudes[inside] ** 2) / 2))


@answered
def random_profile(
    roughness: str | float, *, waves: int = 200, band: tuple[float, float] = SPATIAL_BAND, seed: int = 0
) -> RandomProfile:
    """A random profile of ISO 8608: a class "A" to "H", or Gd(n0) in m³."""
    edges = np.geomspace(*band, waves + 1)
    n = np.sqrt(edges[1:] * edges[:-1])  # then Gd Δn is the integral of Gd over its step, exactly
    phases = np.random.default_rng(seed).uniform(0, 2 * np.pi, waves)
    return RandomProfile(n, np.sqrt(2 * road_spectrum(roughness, n) * np.diff(edges)), phases)


@answered
def random_road(frame: sb.Frame, roughness: str | float, *, waves: int = 40, seed: int = 0) -> Road:
    """A random road of ISO 8608 along x of a frame, the same across."""
    profile = random_profile(roughness, waves=waves, seed=seed)
    return Road(frame, lambda x, _: profile(x))


@answered
@sb.bodies.all_or_nothing
def shaping_filter(
    m: sb.Model, name: str, roughness: str | float, speed: Any, noise: Any, *, lowest: float = SPATIAL_BAND[0]
) -> sb.Symbol:
    """The height of the road under a wheel at a speed as a variable driven by white noise of one-sided density one:

    z' = -2π n_min V z + 2π n0 √(Gd(n0) V) w
    """
    z = m.variable(name)
    gain = 2 * sb.pi * REFERENCE_FREQUENCY * sb.sqrt(_roughness(roughness) * speed)
    m.rate(z, -2 * sb.pi * lowest * speed * z + gain * noise)
    return z
