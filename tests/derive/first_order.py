"""First-order systems that everybody knows, each beside its right side as a function of numbers."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

import symbody as sb


class System(NamedTuple):
    equations: sb.Equations
    rhs: Callable[[float, np.ndarray], np.ndarray]
    start: dict[str, float]


def van_der_pol(mu: float = 1.5) -> System:
    x, y, m = sb.symbols("x y mu")
    eq = sb.from_equations({x: y, y: m * (1 - x**2) * y - x}, {m: mu}, name="van der Pol")
    return System(eq, lambda t, v: np.array([v[1], mu * (1 - v[0] ** 2) * v[1] - v[0]]), {"x": 2.0, "y": 0.3})


def roessler() -> System:
    x, y, z, a, b, c = sb.symbols("x y z a b c")
    rates = {x: -y - z, y: x + a * y, z: b + z * (x - c)}
    eq = sb.from_equations(rates, {a: 0.2, b: 0.2, c: 5.7}, name="Rössler")
    rhs = lambda t, v: np.array([-v[1] - v[2], v[0] + 0.2 * v[1], 0.2 + v[2] * (v[0] - 5.7)])  # noqa: E731
    return System(eq, rhs, {"x": 1.0, "y": -1.0, "z": 0.5})


def lorenz() -> System:
    x, y, z, s, r, b = sb.symbols("x y z sigma rho beta")
    rates = {x: s * (y - x), y: x * (r - z) - y, z: x * y - b * z}
    eq = sb.from_equations(rates, {"sigma": 10.0, "rho": 20.0, "beta": 8 / 3}, name="Lorenz")
    rhs = lambda t, v: np.array([10 * (v[1] - v[0]), v[0] * (20 - v[2]) - v[1], v[0] * v[1] - 8 / 3 * v[2]])  # noqa: E731
    return System(eq, rhs, {"x": 1.0, "y": 2.0, "z": 15.0})


def controlled() -> System:
    """A motor under a controller with an integral, in a field that turns with time, its load an input."""
    w, e, t, k, ki = sb.symbols("w e t k ki")
    load = sb.symbol("load", "input")
    rates = {"w": k * (1 - w) + ki * e - load + sb.sin(2 * t) / 5, "e": 1 - w}
    eq = sb.from_equations(rates, {k: 3.0, ki: 2.0}, outputs={"power": w * load}, name="drive")
    return System(eq, lambda t, v: np.array([3 * (1 - v[0]) + 2 * v[1] + np.sin(2 * t) / 5, 1 - v[0]]), {"w": 0.5})


SYSTEMS = (van_der_pol, roessler, lorenz, controlled)
