"""Models whose steps are compared: equations, a start, and events."""

from __future__ import annotations

import symbody as sb

Model = tuple[sb.Equations, dict[str, float], list[sb.Event]]


def rational() -> Model:
    """Two masses on springs that harden, one with friction that depends on its speed: + - * / alone."""
    x, y, v, w = sb.symbols("x y v w", "variable")
    force = x - y + (x - y) * (x - y) * (x - y) * 5
    eq = sb.from_equations({x: v, y: w, v: -force - 10 * x - v / (1 + v * v), w: force - y * y * y})
    return eq, {"x": 1.0, "y": -0.5}, []


def bouncing() -> Model:
    """A ball that is thrown back by a spring, with an event on the way up and a reset on the ground."""
    h, v = sb.symbols("h v", "variable")
    eq = sb.from_equations({h: v, v: -10 / (1 + h * h / 50)})
    ground = sb.Event("ground", h, direction="falling", reset={v: v * -0.875})
    half = sb.Event("half", h - 0.5, direction="rising")
    return eq, {"h": 1.0}, [ground, half]


def pendulum() -> Model:
    """Sines and cosines, which libraries round differently."""
    m = sb.Model("double")
    m.gravity(0, -9.81, 0)
    upper, lower = (m.body(n, mass=1.0, com=(0, -0.5, 0), inertia=(0.1, 0.1, 0.1)) for n in ("upper", "lower"))
    m.revolute("a", m.ground, upper)
    m.revolute("b", upper, lower, at=(0, -1, 0))
    return sb.derive(m), {"a": 1.0, "b": 0.5}, []


MODELS = {"rational": rational, "bouncing": bouncing, "pendulum": pendulum}
