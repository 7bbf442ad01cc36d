"""Grazing: an orbit that touches an impact surface without speed, and the square root in its return map.

An impact at H(t, x) = 0 takes x to R = x + W v, with v = H' (Newton's restitution: W = -(1 + e) ∂x/∂v). At the touch
H = v = 0 and a = H'' > 0. An orbit next to it whose least H would be -y² meets the surface y √(2/a) before, with the
speed v = -y √(2a), so that behind the impact it is displaced by W v (Nordmark 1991). With N₁ and N₂ the variations from
the section to the touch and from there to the section, c = ∇H N₁ and b = -√(2a) N₂ W, the map from section to section is

    x* + N δ + b √(max(0, -c δ)) + terms of first order behind the impact,      N = N₂ N₁,  δ = x - x*

The signs of c Nᵏ b decide what grazing leads to: the slope of the map is infinite along b.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from scipy.optimize import root_scalar

from ....algebra.calculus.derivatives import directional_derivative, gradient, jacobian
from ....algebra.calculus.evaluate import evaluate
from ....algebra.graph.graph import ONE, Expr, Symbol
from ....algebra.graph.matrix import Matrix
from ....argument_kinds import answered, answered_class
from ....derivation.equations.equations import Equations
from ....derivation.equations.own_terms import in_own_terms
from ....derivation.programs.first_order import first_order
from ....emit.run.callable import Array
from ....errors import StabilityError, listed, shown
from ....integrate.events.events import Event, changes
from ....integrate.result.trajectory import Trajectory
from ....integrate.run.simulate import simulate
from ....integrate.start.state import State
from ....summary import Summarized, Summary
from ..orbits.find_orbit import orbit as find_orbit
from ..orbits.orbit import Orbit

TOUCHES: Final = 1e-6  # least H, relative to its span over the orbit, at which an orbit touches
RTOL: Final = 1e-11  # of variations along the orbit


@answered_class
@dataclass(frozen=True, repr=False, eq=False)
class Grazing(Summarized):
    """An orbit that touches an impact surface, and its return map x* + N δ + b √(max(0, -c δ)); returned by `grazing`.

    orbit          the grazing orbit
    event          the impact
    t              the time of grazing
    acceleration   a = H'' there
    states         names of x
    N              the variations over one period
    b              the coefficient of the square root
    c              -c δ is how deep an orbit that begins at x* + δ would get: the least H is c δ

    >>> x, v, w, P = sb.symbol("x", "variable"), sb.symbol("v", "variable"), sb.symbol("w"), sb.symbol("P")
    >>> eq = sb.from_equations({x: v, v: -x - 0.2 * v + P * sb.cos(w * sb.symbol("t", "time"))}, {w: 2.8, P: 1.0})
    >>> stop = sb.Event("stop", 0.2 - x, "falling", reset={v: -0.8 * v})
    >>> found = sb.stability.grazing(sb.orbit(eq, {"x": 0.1}, period=2 * np.pi / w), stop, vary="P")
    >>> found.orbit.parameters["P"], found.acceleration, found.states  # 0.2 √((1 - w²)² + 0.04 w²), 0.2 w²
    (1.372577, 1.568, ('x', 'v'))
    >>> found.map(np.zeros(2)), found.sequence(2).shape, found.event.name, found.N.shape, found.b.shape, found.c.shape
    (array([0., 0.]), (2,), 'stop', (2, 2), (2,), (2,))
    >>> 0 < found.t < found.orbit.period
    True

    See also: `stability.grazing`, `orbit`, `Event`.
    """

    orbit: Orbit
    event: Event
    t: float
    acceleration: float
    states: tuple[str, ...]
    N: Array
    b: Array
    c: Array

    def map(self, deviation: Any) -> Array:
        """A deviation from the orbit after one period, by the normal form."""
        d = np.asarray(deviation, dtype=float)
        depth = np.maximum(0.0, -d @ self.c)
        found: Array = d @ self.N.T + np.sqrt(depth)[..., None] * self.b
        return found

    def sequence(self, count: int = 8) -> Array:
        """c Nᵏ b for k = 0, 1, ...: how an orbit that has met the surface approaches it in the next periods. A negative
        number is an impact in that period."""
        rows = [self.c]
        for _ in range(count - 1):
            rows.append(rows[-1] @ self.N)
        return np.array(rows) @ self.b

    def _summary(self) -> Summary:
        rows = [
            ("touches", f"{self.event.name} at t = {self.t:z.6g}, with H'' = {self.acceleration:z.6g}"),
            ("square root", ", ".join(f"{s} {x:+z.6g}" for s, x in zip(self.states, self.b, strict=True))),
            ("c N^k b", ", ".join(f"{x:z.4g}" for x in self.sequence(4))),
        ]
        return Summary(f"Grazing orbit of {self.orbit.equations.name}", tuple(rows))


@answered
def grazing(orbit: Orbit, event: Event, vary: str | Symbol | None = None) -> Grazing:
    """The normal form of grazing of an orbit without impacts at an impact surface (Nordmark 1991; di Bernardo, Budd,
    Champneys and Kowalczyk 2008, 6.2): the square-root term of its return map.

        x* + N δ + b √(max(0, -c δ)),    b = -√(2 H'') N₂ W,    c = ∇H N₁

    orbit   an orbit of equations without constraints, which touches the surface or comes near to it
    event   the impact: its function is zero at the surface, its reset the state behind it
    vary    a parameter to adjust until the orbit grazes; without it the given orbit must graze

    >>> x, v, w, P = sb.symbol("x", "variable"), sb.symbol("v", "variable"), sb.symbol("w"), sb.symbol("P")
    >>> eq = sb.from_equations({x: v, v: -x - 0.2 * v + P * sb.cos(w * sb.symbol("t", "time"))}, {w: 2.8, P: 1.0})
    >>> stop = sb.Event("stop", 0.2 - x, "falling", reset={v: -0.8 * v})
    >>> sb.stability.grazing(sb.orbit(eq, {"x": 0.1}, period=2 * np.pi / w), stop, vary="P").sequence(2)
    array([ 2.019071, -1.983164])

    See also: `stability.Grazing`, `orbit`, `poincare`.
    """
    where = f"grazing of {orbit.equations.name!r} at {event.name!r}"
    _refuse_unsuited(where, orbit, event)
    (H,) = in_own_terms(orbit.equations, [event.when if event.sense < 0 else -event.when], solved=True)
    touching = orbit if vary is None else _touching(where, orbit, H, str(vary))
    least, largest = touching.extremes(H)
    if abs(least) > TOUCHES * max(largest - least, 1e-300):
        raise StabilityError(
            f"{where}: the orbit does not touch: the least value of {H} along it is {least:z.6g}; name a parameter that changes it, vary=..."
        )
    return _normal_form(where, touching, event, H)


def _refuse_unsuited(where: str, orbit: Orbit, event: Event) -> None:
    if orbit.equations.lam:
        raise StabilityError(f"{where}: its equations have constraints; derive the orbit from minimal(eq)")
    if not orbit.is_periodic or not orbit.course.is_smooth:
        raise StabilityError(f"{where}: takes an orbit that was found without events, got {shown(orbit)}")
    if event.sense == 0 or not isinstance(event.reset, Mapping):
        raise StabilityError(f"{where}: the event has a direction, 'rising' or 'falling', and a reset in expressions")


def _touching(where: str, orbit: Orbit, H: Expr, name: str) -> Orbit:
    """The orbit at the value of a parameter at which the least H is zero."""
    if name not in orbit.parameters:
        raise StabilityError(f"{where}: there is no parameter {name!r} to vary; there are {listed(orbit.parameters)}")
    begin = orbit.parameters[name]

    def at(value: float) -> Orbit:
        found = find_orbit(orbit.equations, orbit, {name: value})
        if not found.is_periodic:
            raise StabilityError(
                f"{where}: there is no orbit at {name} = {value:z.6g} on the way to the touch: {found.outcome}"
            )
        return found

    search = root_scalar(
        lambda p: at(p).extremes(H)[0], x0=begin, x1=begin + 1e-3 * max(abs(begin), 1e-3), xtol=1e-13, maxiter=60
    )
    if not search.converged:
        raise StabilityError(f"{where}: no value of {name} near {begin:z.6g} lets the orbit touch ({search.flag})")
    return at(float(search.root))


def _normal_form(where: str, orbit: Orbit, event: Event, H: Expr) -> Grazing:
    eq, t0 = orbit.equations, orbit.setting.t0
    flow: dict[Symbol, Expr] = dict(zip(eq.state, first_order(eq).rates.entries, strict=True)) | {eq.t: ONE}
    speed, end = directional_derivative(H, flow), t0 + orbit.period
    meets = _motion(where, eq, end, orbit.state_at(t0)).extremes(H)
    touch = float(meets.t[np.argmin(meets.values)])
    before, x = _variations(where, eq, orbit.state_at(t0), touch)
    after, _ = _variations(where, eq, orbit.state_at(touch), end)
    at = eq.values({**orbit.parameters, **x, "t": touch})
    a, slope = float(evaluate(directional_derivative(speed, flow), at)), _numbers(gradient(H, eq.state), at)
    b = -np.sqrt(2 * a) * after @ _displacement(where, eq, event, speed, at)
    return Grazing(orbit, event, touch, a, tuple(x), after @ before, b, slope @ before)


def _motion(where: str, eq: Equations, t: Any, start: State, **options: Any) -> Trajectory:
    found = simulate(eq, t, start, rtol=RTOL, **options)
    if not found.outcome:
        raise StabilityError(f"{where}: the motion along the orbit does not reach its end: {found.outcome}")
    return found


def _variations(where: str, eq: Equations, start: State, end: float) -> tuple[Array, dict[str, float]]:
    """∂x(end)/∂x(start), and x(end) by name; at once where no time passes."""
    names = [s.name for s in eq.state]
    if end <= start.t:
        return np.eye(len(names)), {n: start[n] for n in names}
    motion = _motion(where, eq, [start.t, end], start, sensitivities=names)
    assert motion.variations is not None
    return motion.variations[-1], {n: float(motion[n][-1]) for n in names}


def _displacement(where: str, eq: Equations, event: Event, speed: Expr, at: Mapping[Symbol, float]) -> Array:
    """W of R = x + W v, from the derivative of R along a direction in which v grows by one."""
    new = changes(eq, where, dict(event.reset))  # type: ignore[arg-type]
    R = Matrix(len(eq.state), 1, tuple(new.get(s, s) for s in eq.state))
    here, moved = np.array([at[s] for s in eq.state]), _numbers(R, at)
    if np.abs(moved - here).max() > TOUCHES * max(1.0, np.abs(here).max()):
        raise StabilityError(
            f"{where}: the reset changes a state that has no speed towards the surface, so it is not an impact"
        )
    across = _numbers(gradient(speed, eq.state), at)
    slopes = _numbers(jacobian(R, eq.state), at).reshape(len(here), -1)
    found: Array = (slopes - np.eye(len(here))) @ across / (across @ across)
    return found


def _numbers(matrix: Matrix, at: Mapping[Symbol, float]) -> Array:
    return np.array(evaluate(list(matrix.entries), at), dtype=float)
