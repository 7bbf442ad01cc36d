"""The systems on which integrators are compared, what is looked at in the end, and what it should be.

Peers have other coordinates than we. So each case names a few observables that every formulation can give, and an error
is the largest difference of these from a reference, each in its own unit (m, m/s, rad/s). The reference is integrated
with far tighter tolerances.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import Any, Final

import numpy as np
from scipy.integrate import solve_ivp

import symbody as sb
from examples import four_bars, slider_crank, spatial_crank, spherical_chain
from symbody.integrate.forms.accelerations import accelerations

Array = Any
TIGHT: Final = 3e-14
BARS: Final = 40
RODS: Final = 30


@dataclass(frozen=True, eq=False)
class Case:
    """A system from a start to an end time.

    observables   names -> expressions in coordinates and speeds
    parameters    where they differ from those of the model
    exact         what the observables are in the end, where another way than integrating leads there
    """

    name: str
    model: Callable[[], sb.Model]
    start: dict[str, float]
    end: float
    observables: Callable[[sb.Equations], dict[str, sb.Expr]]
    parameters: dict[str, float] = field(default_factory=dict)
    exact: Callable[[], Array] | None = None
    is_conservative: bool = True

    @cached_property
    def equations(self) -> sb.Equations:
        return sb.derive(self.model(), check=False)

    @cached_property
    def state(self) -> sb.State:
        """The start, brought onto the constraints to rounding."""
        return sb.assemble(self.equations, self.parameters, start=self.start)

    @cached_property
    def y0(self) -> Array:
        return np.concatenate([self.state.q, self.state.u])

    @property
    def _numbers(self) -> dict[sb.Symbol, float]:
        return {s: self.state[s] for s in self.equations.p}

    @cached_property
    def right_side(self) -> sb.emit.Program:
        """y' of y = (q, u), as we integrate it ourselves, parameters folded in."""
        eq = self.equations
        udot, _ = accelerations(eq, tuple(range(len(eq.lam))))
        slopes = [*eq.rates.entries, *udot.entries]
        return sb.program("right_side", {"t": eq.t, "y": [*eq.q, *eq.u]}, {"d": slopes}, bake=self._numbers)

    @cached_property
    def compiled(self) -> sb.emit.Compiled:
        return sb.compile(self.right_side)

    @cached_property
    def _observed(self) -> sb.emit.Compiled:
        eq = self.equations
        made = {**self.observables(eq), "energy": sb.energy(eq)}
        inputs = {"y": [*eq.q, *eq.u], "t": eq.t}
        return sb.compile(sb.program("observed", inputs, {"o": list(made.values())}, bake=self._numbers))

    def observed(self, y: Array) -> Array:
        return self._observed(y, self.end)[:-1]

    def energy(self, y: Array) -> float:
        return float(self._observed(y, self.end)[-1])

    @cached_property
    def reference(self) -> Array:
        """Observables at the end."""
        if self.exact is not None:
            return self.exact()
        done = solve_ivp(self.compiled, (0, self.end), self.y0, "DOP853", rtol=TIGHT, atol=TIGHT)
        return self.observed(done.y[:, -1])

    def error(self, observed: Array) -> float:
        return float(np.max(np.abs(np.asarray(observed) - self.reference)))


# ---------------------------------------------------------------------------------------------------- what they are


def double_pendulum_model() -> sb.Model:
    """Two point masses of 1 kg on massless rods of 1 m, angles from the vertical in the ground."""
    m = sb.Model("planar double pendulum")
    a, b = m.coordinates("a b")
    m.gravity(0, -m.parameter("g", 9.81), 0)
    first = m.ground.rotate("z", a)
    second = m.ground.translate(first.point(0, -1, 0)).rotate("z", b)
    m.particle("first", first.point(0, -1, 0), mass=1)
    m.particle("second", second.point(0, -1, 0), mass=1)
    return m


def _angles(eq: sb.Equations) -> dict[str, sb.Expr]:
    return {s.name: s for s in (*eq.q, *eq.u)}


def _crank(eq: sb.Equations) -> dict[str, sb.Expr]:
    """Slider, and the crank's angular velocity."""
    x, alpha, beta = eq.q
    return {"x": x, "x_dot": x.dot, "w": alpha.dot + beta.dot}


def _spatial(eq: sb.Equations) -> dict[str, sb.Expr]:
    known = {s.name: s for s in (*eq.q, *eq.u)}
    return {n: known[n] for n in ("slider_x", "slider_x_dot", "crank_y", "crank_z")}


def _tip(eq: sb.Equations) -> dict[str, sb.Expr]:
    """Place of the mass centre of the last rod."""
    place = eq.mechanism.bodies[-1].mass_centre.position().components(eq.mechanism.ground)
    return dict(zip("xyz", place.entries, strict=True))


def _first_upright(eq: sb.Equations) -> dict[str, sb.Expr]:
    known = {s.name: s for s in (*eq.q, *eq.u)}
    return {"x": sb.cos(known["a0"]), "y": sb.sin(known["a0"]), "w": known["a0_dot"]}


def _row_by_one_angle() -> Array:
    """All uprights turn alike: (n + 1) / 3 + n is the inertia, n + (n + 1) / 2 the mass moment."""
    inertia, moment = (BARS + 1) / 3 + BARS, BARS + (BARS + 1) / 2

    def slopes(_: float, y: Array) -> Array:
        return np.array([y[1], -moment * 9.81 * math.cos(y[0]) / inertia])

    a, w = solve_ivp(slopes, (0, 10), [math.pi / 2, -1.0], "DOP853", rtol=TIGHT, atol=TIGHT).y[:, -1]
    return np.array([math.cos(a), math.sin(a), w])


@cache
def cases() -> dict[str, Case]:
    rods = {f"q{k}": 0.1 for k in range(1, 2 * RODS + 1)}
    made = (
        Case("planar double pendulum", double_pendulum_model, {"a": 0.6, "b": 0.4}, 20.0, _angles),
        Case(f"{RODS} spherical pendulums", lambda: spherical_chain.model(RODS), rods, 5.0, _tip, {"a": 0.0}),
        Case("slider crank", slider_crank.model, slider_crank.START, 10.0, _crank),
        Case("spatial crank", spatial_crank.model, spatial_crank.START, 10.0, _spatial, is_conservative=False),
        Case(
            f"row of {BARS} four-bars",
            lambda: four_bars.model(BARS),
            four_bars.start(BARS),
            10.0,
            _first_upright,
            exact=_row_by_one_angle,
        ),
    )
    return {c.name: c for c in made}
