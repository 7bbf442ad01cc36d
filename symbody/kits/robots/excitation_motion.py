"""Excitation trajectories for identification: motions with a well-conditioned base regressor."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import minimize

import symbody as sb

from ...argument_kinds import answered, answered_class
from ...summary import Summarized, Summary, counted
from .identifiable_parameters import BaseParameters


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
    position: Any = 2.0,
    speed: Any = 3.0,
    acceleration: Any = 20.0,
    samples: int = 40,
    seed: int = 0,
    tries: int = 4,
) -> Excitation:
    """A motion of least condition number of the base regressor (Swevers and others 1997), within bounds of position,
    speed and acceleration, which are numbers, or one for each coordinate. For joints whose speeds are the rates of
    their coordinates.

    >>> m = sb.Model("pendulum")
    >>> joint = m.revolute("theta", m.ground, m.body("bob", mass=2, com=(0, -1, 0), inertia=(1, 1, 1)))
    >>> m.gravity(0, -10, 0)
    >>> base = sb.kits.robots.base_parameters(sb.kits.robots.regressor(sb.derive(m)))
    >>> motion = sb.kits.robots.excitation(base, 5.0, harmonics=2, samples=20, tries=1)
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
    bounds = [np.broadcast_to(np.asarray(b, dtype=float), (n,)) for b in (position, speed, acceleration)]
    f = sb.compile(base.regressor.program(base.columns))
    p = np.array([float(eq.mechanism.values[s]) for s in eq.p])
    times = np.arange(samples) * period / samples
    rng = np.random.default_rng(seed)

    def motion(x: np.ndarray) -> Excitation:
        offsets, waves = x[:n], x[n:].reshape(2, n, harmonics)
        return _within(Excitation(offsets, waves[0], waves[1], period, np.inf), times, bounds)

    def condition(x: np.ndarray) -> float:
        q, u, a = motion(x).at(times)
        A = np.vstack([np.asarray(f(*row, p, 0.0)).reshape(n, -1) for row in zip(q, u, a, strict=True)])
        size = np.linalg.norm(A, axis=0)
        return float(np.log(np.linalg.cond(A / np.where(size > 0, size, 1.0))))

    best = min((rng.normal(size=n * (1 + 2 * harmonics)) for _ in range(5 * tries)), key=condition)
    found = minimize(condition, best, method="Powell", options={"maxfev": 400 * tries, "xtol": 1e-3, "ftol": 1e-3})
    made = motion(found.x)
    return Excitation(made.offsets, made.sines, made.cosines, period, float(np.exp(condition(found.x))))


def _within(motion: Excitation, times: np.ndarray, bounds: Sequence[np.ndarray]) -> Excitation:
    """The same motion, made smaller joint by joint until it keeps the bounds."""
    q, u, a = motion.at(times)
    swing = np.abs(q - motion.offsets).max(0)
    offsets = np.clip(motion.offsets, -bounds[0] / 2, bounds[0] / 2)
    room = bounds[0] - np.abs(offsets)
    tiny = 1e-300
    factor = np.minimum.reduce(
        [
            room / np.maximum(swing, tiny),
            bounds[1] / np.maximum(np.abs(u).max(0), tiny),
            bounds[2] / np.maximum(np.abs(a).max(0), tiny),
        ]
    )
    return Excitation(offsets, motion.sines * factor[:, None], motion.cosines * factor[:, None], motion.period, np.inf)
