"""Excitation trajectories for identification: motions with a well-conditioned base regressor."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from scipy.optimize import minimize

import symbody as sb

from ...argument_kinds import answered, answered_class
from ...errors import shown
from ...summary import Summarized, Summary, counted
from .identifiable_parameters import BaseParameters

POSITION: Final = 2.0  # largest |q| where nothing else is known
SPEED: Final = 3.0  # largest |q'| where nothing else is known
SAMPLES_OF_HARMONIC: Final = 32  # samples of the highest harmonic's period, at which bounds are kept


@answered_class
@dataclass(frozen=True, eq=False, repr=False)
class Excitation(Summarized):
    """A periodic motion q_i = o_i + Σ_k (a_ik sin kωt - b_ik cos kωt)/(kω), and the condition number of the base
    regressor along it.

    offsets          o, one for each joint
    sines, cosines   a and b, a row for each joint, a column for each harmonic
    period           2π / ω, in s
    condition        of the base regressor

    >>> motion = sb.kits.robots.Excitation(np.zeros(1), np.array([[1.0]]), np.zeros((1, 1)), 2 * np.pi, 1.0)
    >>> motion.period == 2 * np.pi, motion.sines.shape
    (True, (1, 1))

    See also: `kits.robots.excitation`.
    """

    offsets: np.ndarray
    sines: np.ndarray
    cosines: np.ndarray
    period: float
    condition: float

    def _summary(self) -> Summary:
        joints, harmonics = self.sines.shape
        size = f"{counted(joints, 'joint')}, {counted(harmonics, 'harmonic')}"
        return Summary(f"Excitation of {size}, period {self.period:g} s, condition number {self.condition:z.3g}")

    def at(self, t: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """q, u, u' at times, one row for each.

        >>> motion = sb.kits.robots.Excitation(np.zeros(1), np.array([[1.0]]), np.zeros((1, 1)), 2 * np.pi, 1.0)
        >>> q, u, a = motion.at([0.0, np.pi / 2])
        >>> q.ravel(), u.ravel().round(6), a.ravel().round(6) + 0.0  # sin t, cos t, -sin t
        (array([0., 1.]), array([1., 0.]), array([ 0., -1.]))
        """
        w = 2 * np.pi / self.period * np.arange(1, self.sines.shape[1] + 1)
        phase = np.multiply.outer(np.asarray(t, dtype=float), w)
        s, c = np.sin(phase), np.cos(phase)
        q = self.offsets + (s / w) @ self.sines.T - (c / w) @ self.cosines.T
        return q, c @ self.sines.T + s @ self.cosines.T, -(s * w) @ self.sines.T + (c * w) @ self.cosines.T


@answered
def excitation(
    base: BaseParameters,
    period: float,
    *,
    harmonics: int = 5,
    position: Any = None,
    speed: Any = None,
    acceleration: Any = 20.0,
    robot: Any = None,
    samples: int = 40,
    seed: int = 0,
    tries: int = 4,
) -> Excitation:
    """A motion of least condition number of the base regressor (Swevers and others 1997), within bounds at all times. For
    joints whose speeds are the rates of their coordinates.

    position       largest |q|, for all coordinates or one for each; or a pair (least, largest) for each
    speed          largest |q'|, likewise; `acceleration` that of |q''|
    robot          whose limits of joints bound positions and speeds where these are not given: the model that was
                   read (±2 and 3 of joints for which its file has none)

    >>> m = sb.Model("pendulum")
    >>> joint = m.revolute("theta", m.ground, m.body("bob", mass=2, com=(0, -1, 0), inertia=(1, 1, 1)))
    >>> m.gravity(0, -10, 0)
    >>> base = sb.kits.robots.base_parameters(sb.kits.robots.regressor(sb.derive(m)))
    >>> motion = sb.kits.robots.excitation(base, 5.0, position=2.0, speed=3.0, harmonics=2, samples=20, tries=1)
    >>> motion.period, bool(motion.condition >= 1)
    (5.0, True)

    See also: `kits.robots.Excitation`, `kits.robots.identify_robot`.
    """
    eq = base.regressor.equations
    n = len(eq.q)
    if n != len(eq.u) or any(r is not q.dot for q, r in zip(eq.q, eq.rates.entries, strict=True)):
        raise sb.ModelError(
            "excitation: speeds are the rates of coordinates here; free bases are not driven by such a motion"
        )
    bounds = _bounds(eq, position, speed, acceleration, robot)
    f = sb.compile(base.regressor.program(base.columns))
    p = np.array([float(eq.mechanism.values[s]) for s in eq.p])
    times = np.arange(samples) * period / samples
    rng = np.random.default_rng(seed)

    def motion(x: np.ndarray) -> Excitation:
        offsets, waves = x[:n], x[n:].reshape(2, n, harmonics)
        return _within(Excitation(offsets, waves[0], waves[1], period, np.inf), bounds)

    def condition(x: np.ndarray) -> float:
        q, u, a = motion(x).at(times)
        A = np.vstack([np.asarray(f(*row, p, 0.0)).reshape(n, -1) for row in zip(q, u, a, strict=True)])
        size = np.linalg.norm(A, axis=0)
        return float(np.log(np.linalg.cond(A / np.where(size > 0, size, 1.0))))

    best = min((rng.normal(size=n * (1 + 2 * harmonics)) for _ in range(5 * tries)), key=condition)
    found = minimize(condition, best, method="Powell", options={"maxfev": 400 * tries, "xtol": 1e-3, "ftol": 1e-3})
    made = motion(found.x)
    return Excitation(made.offsets, made.sines, made.cosines, period, float(np.exp(condition(found.x))))


@dataclass(frozen=True)
class MotionBounds:
    """Of each coordinate: least and largest position, largest speed and acceleration."""

    low: np.ndarray
    high: np.ndarray
    speed: np.ndarray
    acceleration: np.ndarray


def _bounds(eq: sb.Equations, position: Any, speed: Any, acceleration: Any, robot: Any) -> MotionBounds:
    """The bounds that were given; others are those of the robot's file, or the defaults."""
    if robot is None and (position is None or speed is None):
        raise sb.ModelError(
            "excitation: the limits of the joints are missing; give position= and speed=, or robot=, the model that was "
            "read, to use its limits"
        )
    n, limits = len(eq.q), [_limits(robot, q.name) for q in eq.q]
    known = [[x.lower, x.upper] if x is not None else [None, None] for x in limits]
    low, high = np.array([[-POSITION if a is None else a, POSITION if b is None else b] for a, b in known], float).T
    if position is not None:
        given = _numbers(position, "position")
        low, high = (
            given.T if given.shape == (n, 2) else (-_for_each(given, n, "position"), _for_each(given, n, "position"))
        )
    fast = [x.velocity if x is not None and x.velocity is not None else SPEED for x in limits]
    out = MotionBounds(
        low,
        high,
        _for_each(_numbers(fast if speed is None else speed, "speed"), n, "speed"),
        _for_each(_numbers(acceleration, "acceleration"), n, "acceleration"),
    )
    if not (out.low < out.high).all() or not (out.speed > 0).all() or not (out.acceleration > 0).all():
        raise sb.ModelError(
            "excitation: the bounds are empty: the lowest position must be below the highest, the other limits must be positive"
        )
    return out


def _limits(robot: Any, coordinate: str) -> Any:
    """What the file says of the joint with this coordinate."""
    if robot is None:
        return None
    for name, joint in robot.joints.items():
        if coordinate in [q.name for q in joint.coordinates]:
            found = robot.details.get(name)
            return None if found is None else found.limits
    return None


def _numbers(value: Any, what: str) -> np.ndarray:
    try:
        return np.asarray(value, dtype=float)
    except (TypeError, ValueError):
        raise sb.ModelError(
            f"excitation: {what}= must be a number, or one for each coordinate; got {shown(value)}"
        ) from None


def _for_each(value: np.ndarray, n: int, what: str) -> np.ndarray:
    if value.shape not in ((), (n,)):
        raise sb.ModelError(f"excitation: {what}= has one value for each of {n} coordinates, got {shown(value)}")
    return np.broadcast_to(value, (n,))


def _within(motion: Excitation, bounds: MotionBounds) -> Excitation:
    """The same motion, made smaller joint by joint until it keeps the bounds at all times. Of a trigonometric polynomial of
    degree K the largest of N > 2K equidistant values is at least cos(πK/N) of its maximum (Ehlich and Zeller 1964)."""
    harmonics = motion.sines.shape[1]
    n = SAMPLES_OF_HARMONIC * harmonics
    q, u, a = motion.at(np.arange(n) * motion.period / n)
    short = np.cos(np.pi * harmonics / n)
    centre, half = (bounds.low + bounds.high) / 2, (bounds.high - bounds.low) / 2
    offsets = centre + np.clip(motion.offsets, -half / 2, half / 2)
    room = half - np.abs(offsets - centre)
    pairs = ((q - motion.offsets, room), (u, bounds.speed), (a, bounds.acceleration))
    factor = np.minimum.reduce([most * short / np.maximum(np.abs(x).max(0), 1e-300) for x, most in pairs])
    return Excitation(offsets, motion.sines * factor[:, None], motion.cosines * factor[:, None], motion.period, np.inf)
