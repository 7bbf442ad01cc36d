"""Loads as the numbers that robot formats have: linear forces on coordinates, and linear springs between two points.

    on a coordinate q       F = F₀ - k q - c q' + Σ g r
    between points A, B     T = k (l - l₀) + c l' - Σ g r,   a pull for T > 0 along the line of length l

A load is linear if it agrees with such a law at random states; the numbers of the law follow from its values.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

import symbody as sb

from ...errors import ModelError, listed
from .moving_parts import MovingParts

AGREEMENT: Final = 1e-8  # relative difference at which a load counts as linear
NEGLIGIBLE: Final = 1e-12  # coefficients below this share of the largest force are rounding
DIGITS: Final = 13  # of a fitted coefficient; the rest is rounding of the fit
EXTRA: Final = 4  # states beyond the number of unknown coefficients


@dataclass(frozen=True)
class CoordinateLoad:
    """F = constant - stiffness q - damping q' + Σ gain · input."""

    q: sb.Symbol
    constant: float = 0.0
    stiffness: float = 0.0
    damping: float = 0.0
    gains: Mapping[str, float] = field(default_factory=dict)

    def __add__(self, other: CoordinateLoad) -> CoordinateLoad:
        gains = _sums(self.gains, other.gains)
        return CoordinateLoad(
            self.q,
            self.constant + other.constant,
            self.stiffness + other.stiffness,
            self.damping + other.damping,
            gains,
        )


@dataclass(frozen=True)
class PointLoad:
    """A pull T = stiffness (l - rest) + damping l' - Σ gain · input between two points."""

    name: str
    a: sb.Point
    b: sb.Point
    stiffness: float
    rest: float
    damping: float
    gains: Mapping[str, float] = field(default_factory=dict)

    def __add__(self, other: PointLoad) -> PointLoad:
        stiffness = self.stiffness + other.stiffness
        pull = self.stiffness * self.rest + other.stiffness * other.rest
        gains = _sums(self.gains, other.gains)
        return PointLoad(
            self.name,
            self.a,
            self.b,
            stiffness,
            pull / stiffness if stiffness else 0.0,
            self.damping + other.damping,
            gains,
        )


def _sums(a: Mapping[str, float], b: Mapping[str, float]) -> dict[str, float]:
    return {n: a.get(n, 0.0) + b.get(n, 0.0) for n in {**a, **b}}


def linear_loads(load: sb.bodies.Load, parts: MovingParts) -> list[CoordinateLoad] | list[PointLoad]:
    """The linear forces of which a load consists; a load of another kind is refused."""
    between = _between_points(load, parts)
    if between is not None:
        return [between]
    forces = dict(_generalised_forces(load, parts))
    return [_on_coordinate(load, q, force, parts) for q, force in forces.items()]


def _generalised_forces(load: sb.bodies.Load, parts: MovingParts) -> Any:
    """Forces on coordinates: those that a load states, and ∂P/∂q' of the power P of its actions."""
    power: Any = 0
    for a in load.actions:
        if a.force is not None and a.at is not None:
            power = power + a.force.dot(a.at.velocity())
        if a.torque is not None:
            power = power + a.torque.dot(a.frame.angular_velocity())
    of_speed = {parts.mechanism.rates[q]: q for q in parts.mechanism.q}
    stated = {of_speed.get(s, s): f for s, f in load.on_rates.items()}
    inside = set(sb.free_symbols(power)) if not isinstance(power, int) else set()
    for q in parts.mechanism.q:
        force = sb.derivative(power, q.dot) if q.dot in inside else 0
        total = force + stated.pop(q, 0)
        if not isinstance(total, int):
            yield q, total
    if stated:
        raise ModelError(
            f"{parts.what}: load {load.name!r} acts on speeds other than rates of coordinates ({listed([s.name for s in stated])}); "
            f"leave it out: omit=[{load.name!r}]"
        )


def _on_coordinate(load: sb.bodies.Load, q: sb.Symbol, force: Any, parts: MovingParts) -> CoordinateLoad:
    variables = _variables(load, [force], parts)
    inputs = [s for s in variables if s in parts.mechanism.r]
    rows, values = [], []
    for state in _states(variables, len(inputs) + 3 + EXTRA):
        rows.append([1.0, -state.get(q, 0.0), -state.get(q.dot, 0.0), *(state[r] for r in inputs)])
        values.append(parts.numbers(force, state))
    c = _coefficients(load, rows, values, f"coordinate {q.name}", parts.what)
    return CoordinateLoad(q, c[0], c[1], c[2], _gains(inputs, c[3:]))


def _between_points(load: sb.bodies.Load, parts: MovingParts) -> PointLoad | None:
    """The law of two opposite forces along the line between their points; None for other loads."""
    forces = [(a.force, a.at) for a in load.actions if a.force is not None and a.at is not None]
    if len(forces) != 2 or len(load.actions) != 2 or load.on_rates:
        return None
    ((push, a), (counter_push, b)), ground = forces, parts.mechanism.ground
    line = (a - b).components(ground)
    speed = sb.time_derivative(line)
    force, reaction = (v.components(ground) for v in (push, counter_push))
    variables = _variables(load, [line, speed, force, reaction], parts)
    inputs = [s for s in variables if s in parts.mechanism.r]
    rows, values = [], []
    for state in _states(variables, len(inputs) + 3 + EXTRA):
        r, v, F, G = (parts.numbers(e, state) for e in (line, speed, force, reaction))
        length, size = float(np.linalg.norm(r)), float(np.linalg.norm(F))
        if length == 0 or max(np.linalg.norm(F + G), np.linalg.norm(np.cross(F, r)) / length) > AGREEMENT * size:
            return None
        rows.append([-1.0, length, r @ v / length, *(-state[s] for s in inputs)])
        values.append(-F @ r / length)
    c = _coefficients(load, rows, values, "the distance of its points", parts.what)
    if c[0] and not c[1]:
        return None  # a constant pull is not a spring
    return PointLoad(load.name, a, b, c[1], c[0] / c[1] if c[1] else 0.0, c[2], _gains(inputs, c[3:]))


def _variables(load: sb.bodies.Load, expressions: list[Any], parts: MovingParts) -> list[sb.Symbol]:
    """Variables in the law of a load; those of the state and inputs only."""
    inside = {s for e in expressions for s in sb.free_symbols(e)} - set(parts.values)
    m = parts.mechanism
    allowed = [*m.q, *(q.dot for q in m.q), *m.u, *m.r]
    if others := sorted(s.name for s in inside - set(allowed)):
        raise ModelError(
            f"{parts.what}: load {load.name!r} depends on {listed(others)}; this format has loads of coordinates, rates and "
            f"inputs only. Leave it out: omit=[{load.name!r}]"
        )
    return [s for s in dict.fromkeys(allowed) if s in inside]


def _states(variables: list[sb.Symbol], count: int) -> Any:
    """Random states, the same in every call."""
    generator = np.random.default_rng(5)
    for _ in range(count):
        yield dict(zip(variables, generator.uniform(-1, 1, len(variables)).tolist(), strict=True))


def _coefficients(
    load: sb.bodies.Load, rows: list[list[float]], values: list[float], of: str, what: str
) -> list[float]:
    """Coefficients of a linear law that agrees with all values."""
    A, b = np.array(rows), np.array(values)
    c, *_ = np.linalg.lstsq(A, b, rcond=None)
    if np.max(np.abs(A @ c - b)) > AGREEMENT * max(np.max(np.abs(b)), 1e-300):
        raise ModelError(
            f"{what}: load {load.name!r} is not linear in {of}, its rate and inputs, which is what joints of this format "
            f"have; leave it out: omit=[{load.name!r}]"
        )
    c[np.abs(c) <= NEGLIGIBLE * np.max(np.abs(b), initial=0.0)] = 0.0
    return [float(f"{x:.{DIGITS}g}") for x in c]


def _gains(inputs: list[sb.Symbol], values: list[float]) -> dict[str, float]:
    return {r.name: v for r, v in zip(inputs, values, strict=True) if v}
