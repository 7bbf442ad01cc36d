"""Forward dynamics of a subject that tracks a measured motion, interval by interval.

At the beginning of each interval a law chooses what muscles and actuators do, from the state and the motion one interval
ahead; the state follows by integration. Desired accelerations are those of the motion with feedback,

    u'* (t + T) = a(t + T) + k₁ (u_m(t) - u(t)) + k₂ (q_m(t) - q(t))
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from dataclasses import field as dataclass_field
from itertools import pairwise
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from scipy.integrate import solve_ivp
from scipy.interpolate import CubicHermiteSpline

import symbody as sb

from ....errors import ModelError, shown
from .coordinate_motion import CoordinateMotion
from .external_forces import CarriedForces
from .subject_functions import SubjectFunctions

Array = NDArray[np.float64]
RTOL: Final = 1e-6
LOST_DEVIATION: Final = 1.0  # deviation of a coordinate from the motion at which tracking ends [rad, m]


@dataclass(frozen=True, eq=False)
class TrackedMotion:
    """A motion as a function of time."""

    motion: CoordinateMotion
    place: Any = dataclass_field(init=False)
    speed: Any = dataclass_field(init=False)

    def __post_init__(self) -> None:
        t, q, u, a = self.motion.t, self.motion.q, self.motion.u, self.motion.a
        object.__setattr__(self, "place", CubicHermiteSpline(t, q, u))
        object.__setattr__(self, "speed", CubicHermiteSpline(t, u, a))

    def at(self, t: float) -> tuple[Array, Array, Array]:
        """Coordinates, speeds and accelerations."""
        return self.place(t), self.speed(t), self.speed(t, 1)


@dataclass(frozen=True, eq=False)
class ForwardDynamics:
    """u' = M⁻¹ (τ + Σ Jᵀ F - h) of a subject under measured forces."""

    subject: SubjectFunctions
    loads: CarriedForces

    def mass_and_bias(self, q: Array, u: Array) -> tuple[Array, Array]:
        """M and h, where h are the generalised forces of a motion without accelerations."""
        eq = self.subject.equations

        def outputs() -> dict[str, Any]:
            still = dict.fromkeys((x.dot for x in eq.u), sb.algebra.as_expr(0))
            return {"J": eq.M, "h": sb.substitute(sb.joint_forces(eq), still)}

        M, h = self.subject.function("mass and bias", ["q", "u"], outputs)(q, u)
        return np.asarray(M), np.asarray(h)

    def acceleration(self, t: float, q: Array, u: Array, tau: Array) -> Array:
        M, h = self.mass_and_bias(q, u)
        return np.asarray(np.linalg.solve(M, tau + self.loads.at(t, q) - h), dtype=float)


@dataclass
class TrackingRecord:
    """What was recorded at the ends of the intervals."""

    times: list[float]
    states: list[Array]
    controls: list[Array]
    failure: str = ""


def wanted_accelerations(
    reference: TrackedMotion, t: float, ahead: float, q: Array, u: Array, gains: tuple[float, float]
) -> Array:
    """u'*."""
    now, later = reference.at(t), reference.at(ahead)
    return later[2] + gains[1] * (now[1] - u) + gains[0] * (now[0] - q)


def track(
    reference: TrackedMotion,
    first: Array,
    times: Array,
    law: Callable[[float, float, Array], Array],
    rates: Callable[[float, Array, Array], Array],
    before: Array | None = None,
) -> TrackingRecord:
    """Integrates y' = rates(t, y, control) over intervals, with the control that the law chooses for each; ends early where
    the motion is lost. With a control `before` the first interval, controls change linearly to those that are chosen."""
    out = TrackingRecord([float(times[0])], [first], [] if before is None else [before])
    n = reference.motion.q.shape[1]
    for t, ahead in pairwise(times):
        y = out.states[-1]
        control = law(float(t), float(ahead), y)
        old = control if before is None else out.controls[-1]

        def field(s: float, x: Array, t=t, ahead=ahead, old=old, new=control) -> Array:  # type: ignore[no-untyped-def]
            return rates(s, x, old + (s - t) / (ahead - t) * (new - old))

        found = solve_ivp(field, (float(t), float(ahead)), y, rtol=RTOL, atol=1e-9)
        y = found.y[:, -1]
        off = np.abs(y[:n] - reference.place(ahead)) if np.all(np.isfinite(y)) else np.array([np.inf])
        if not found.success or off.max() > LOST_DEVIATION:
            name = reference.motion.names[int(np.argmax(off))] if len(off) == n else "the state"
            out.failure = f"the motion was lost at {ahead:zg} s, where {name} is off by {off.max():z.3g}"
            return out
        out.times.append(float(ahead))
        out.states.append(y)
        out.controls.append(control)
    return out


def interval_times(motion: CoordinateMotion, step: float, where: str) -> Array:
    """Ends of the intervals, of about the given length."""
    span = float(motion.t[-1] - motion.t[0])
    if not (isinstance(step, (int, float)) and 0 < step < span):
        raise ModelError(f"{where}: step= must be a time in seconds between 0 and {span:zg}, got {shown(step)}")
    return np.linspace(motion.t[0], motion.t[-1], max(1, round(span / step)) + 1)


def tracking_errors(reference: TrackedMotion, times: Sequence[float], q: Array) -> Array:
    """q - q_m at each time."""
    return q - reference.place(np.array(times))
