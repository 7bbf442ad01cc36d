"""Identification of inertial parameters from measured motions and forces, and motions that are good for it.

    τ = Y(q, u, u') π + noise,     least squares on the base parameters, rows weighted by the noise of each joint

Physical consistency: the pseudo-inertia [[½ tr(I) 1 - I, mc], [mcᵀ, m]] of every body is positive definite (Wensing,
Kim and Slotine 2018), as U Uᵀ with U triangular and e^θ on its diagonal (Rucker and Wensing 2022): ten numbers without
any condition.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from scipy.optimize import least_squares, minimize

import symbody as sb

from .base_parameters import BaseParameters
from .regressor import Regressor
from .validation import Validation

_UPPER: Final = [(i, j) for i in range(4) for j in range(i + 1, 4)]
TOWARDS_PRIOR: Final = 1e-3  # weight of a prior, of the size of the data


@dataclass(frozen=True, eq=False)
class Identified:
    """Parameters that fit measurements best.

    base         values of the base parameters, by name; `deviations` their standard deviations
    condition    condition number of the weighted regressor with columns of norm one
    residuals    measured minus modelled forces, one row for each sample
    noise        standard deviation of the force of each speed
    parameters   of bodies, friction and rotors, physically consistent, where that was asked for
    model        the base parameters as formulas, for `validated`

    >>> sorted(sb.kits.Identified.__dataclass_fields__)[:3]
    ['base', 'condition', 'deviations']

    See also: `kits.identify_robot`, `kits.Validation`.
    """

    base: Mapping[str, float]
    deviations: Mapping[str, float]
    condition: float
    residuals: np.ndarray
    noise: np.ndarray
    parameters: Mapping[str, float] | None
    model: BaseParameters

    def validated(self, q: Any, u: Any, a: Any, forces: Any) -> Validation:
        """Forces of another motion, predicted by the base parameters, beside those that were measured.

        >>> m = sb.Model("pendulum")
        >>> joint = m.revolute("theta", m.ground, m.body("bob", mass=2, com=(0, -1, 0), inertia=(1, 1, 1)))
        >>> m.gravity(0, -10, 0)
        >>> base = sb.base_parameters(sb.regressor(sb.derive(m)))
        >>> q, a = np.linspace(-1, 1, 20)[:, None], np.cos(np.arange(20.0))[:, None]
        >>> found = sb.kits.identify_robot(base, q, 0 * q, a, 3 * a + 20 * np.sin(q))
        >>> other = found.validated(q / 2, 0 * q, 2 * a, 6 * a + 20 * np.sin(q / 2))
        >>> other.rms.round(6) + 0.0, other.explained.round(6)
        (array([0.]), array([1.]))
        """
        Y = stacked(self.model.regressor, q, u, a)[:, :, list(self.model.columns)]
        tau = np.atleast_2d(np.asarray(forces, dtype=float))
        if tau.shape != Y.shape[:2]:
            raise sb.ModelError(f"validated: forces= has the shape {tau.shape}; the motion needs {Y.shape[:2]}")
        names = tuple(s.name for s in self.model.regressor.equations.u)
        return Validation(names, tau, Y @ np.array(list(self.base.values())))

    def __str__(self) -> str:
        rows = [f"{n} = {x:z.6g} ± {1.96 * self.deviations[n]:z.2g}" for n, x in self.base.items()]
        return "\n".join([*rows, f"condition number {self.condition:z.3g}"])


def stacked(Y: Regressor, q: Any, u: Any, a: Any) -> np.ndarray:
    """Y at measured motions, (samples, speeds, parameters).

    >>> m = sb.Model("pendulum")
    >>> joint = m.revolute("theta", m.ground, m.body("bob", mass=2, com=(0, -1, 0), inertia=(1, 1, 1)))
    >>> Y = sb.regressor(sb.derive(m))
    >>> q = np.zeros((5, 1))
    >>> sb.kits.stacked(Y, q, q, q + 1).shape
    (5, 1, 10)

    See also: `regressor`, `kits.identify_robot`.
    """
    eq = Y.equations
    f = sb.compile(Y.program())
    q, u, a = (np.atleast_2d(np.asarray(x, dtype=float)) for x in (q, u, a))
    p = np.array([float(eq.mechanism.values[s]) for s in eq.p])
    return np.array([np.asarray(f(*row, p, 0.0)).reshape(len(eq.u), -1) for row in zip(q, u, a, strict=True)])


def identify_robot(
    base: BaseParameters,
    q: Any,
    u: Any,
    a: Any,
    forces: Any,
    *,
    noise: Sequence[float] | None = None,
    prior: Mapping[str, float] | None = None,
) -> Identified:
    """Base parameters from measured coordinates, speeds, accelerations and forces, one row for each sample.

    noise   standard deviation of the force on each speed; by default from the residuals of a fit without weights
    prior   parameters by name, such as those of a drawing: parameters of all bodies are then found that are physically
            consistent, fit as well as can be, and are near these where nothing is known

    >>> m = sb.Model("pendulum")
    >>> joint = m.revolute("theta", m.ground, m.body("bob", mass=2, com=(0, -1, 0), inertia=(1, 1, 1)))
    >>> m.gravity(0, -10, 0)
    >>> base = sb.base_parameters(sb.regressor(sb.derive(m)))
    >>> q, a = np.linspace(-1, 1, 20)[:, None], np.cos(np.arange(20.0))[:, None]
    >>> forces = 3 * a + 20 * np.sin(q)
    >>> found = sb.kits.identify_robot(base, q, 0 * q, a, forces)
    >>> {name: round(value, 6) + 0.0 for name, value in found.base.items()}
    {'bob_mcx': 0.0, 'bob_mcy': -2.0, 'bob_Izz': 3.0}

    See also: `kits.Identified`, `base_parameters`, `kits.excitation`.
    """
    Y = base.regressor
    whole = stacked(Y, q, u, a)
    tau = np.atleast_2d(np.asarray(forces, dtype=float))
    if tau.shape != whole.shape[:2]:
        raise sb.ModelError(f"identify_robot: forces= has the shape {tau.shape}; the motion needs {whole.shape[:2]}")
    A = whole[:, :, list(base.columns)]
    sigma = np.ones(tau.shape[1]) if noise is None else np.asarray(noise, dtype=float)
    found = _least_squares(A, tau, sigma)
    if noise is None:
        left = tau - A @ found
        sigma = np.maximum(np.sqrt((left**2).sum(0) / max(len(tau) - A.shape[2] / tau.shape[1], 1)), 1e-300)
        sigma = np.maximum(sigma, 1e-12 * np.abs(tau).max())
        found = _least_squares(A, tau, sigma)
    W = (A / sigma[:, None]).reshape(-1, A.shape[2])
    covariance = np.linalg.pinv(W.T @ W)
    scaled = W / np.linalg.norm(W, axis=0)
    full = None if prior is None else _physical(Y, whole, tau, sigma, prior)
    deviations = np.sqrt(np.diag(covariance))
    return Identified(
        dict(zip(base.names, map(float, found), strict=True)),
        dict(zip(base.names, map(float, deviations), strict=True)),
        float(np.linalg.cond(scaled)),
        tau - A @ found,
        sigma,
        full,
        base,
    )


def _least_squares(A: np.ndarray, tau: np.ndarray, sigma: np.ndarray) -> np.ndarray:
    W = (A / sigma[:, None]).reshape(-1, A.shape[2])
    found: np.ndarray = np.linalg.lstsq(W, (tau / sigma).reshape(-1), rcond=None)[0]
    return found


# ---------------------------------------------------------------------------------------------------------- consistency


def inertial_parameters(theta: np.ndarray) -> np.ndarray:
    """(m, mc, I) of ten numbers, whatever they are: four logarithms and six entries above the diagonal of U."""
    U = np.diag(np.exp(theta[:4]))
    for k, (i, j) in enumerate(_UPPER):
        U[i, j] = theta[4 + k]
    return _of_pseudo_inertia(U @ U.T)


def _of_pseudo_inertia(J: np.ndarray) -> np.ndarray:
    P, h, m = J[:3, :3], J[:3, 3], J[3, 3]
    I = np.trace(P) * np.eye(3) - P
    return np.array([m, *h, I[0, 0], I[0, 1], I[1, 1], I[0, 2], I[1, 2], I[2, 2]])


def _slopes(theta: np.ndarray) -> np.ndarray:
    """Derivatives of `inertial_parameters`, which is quadratic in U: J' = U' Uᵀ + U U'ᵀ."""
    U = np.diag(np.exp(theta[:4]))
    for k, (i, j) in enumerate(_UPPER):
        U[i, j] = theta[4 + k]
    columns = []
    for k in range(10):
        D = np.zeros((4, 4))
        i, j = (k, k) if k < 4 else _UPPER[k - 4]
        D[i, j] = U[k, k] if k < 4 else 1.0
        columns.append(_of_pseudo_inertia(D @ U.T + U @ D.T))
    return np.column_stack(columns)


def log_cholesky(parameters: Sequence[float]) -> np.ndarray:
    """The ten numbers of a body that exists: of J = U Uᵀ, by the factors of J turned round."""
    m, hx, hy, hz, xx, xy, yy, xz, yz, zz = parameters
    I = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    J = np.block([[np.trace(I) / 2 * np.eye(3) - I, np.array([[hx], [hy], [hz]])], [np.array([[hx, hy, hz, m]])]])
    try:
        L = np.linalg.cholesky(J[::-1, ::-1])
    except np.linalg.LinAlgError:
        raise sb.ModelError(
            f"log_cholesky: no body has the mass {m:g} and these moments: its pseudo-inertia is not positive definite"
        ) from None
    U = L[::-1, ::-1]
    return np.array([*np.log(np.diag(U)), *(U[i, j] for i, j in _UPPER)])


def _physical(
    Y: Regressor, whole: np.ndarray, tau: np.ndarray, sigma: np.ndarray, prior: Mapping[str, float]
) -> dict[str, float]:
    """Parameters of all bodies that fit best among those that exist; where the data say nothing, near the prior."""
    if missing := [n for n in Y.parameters[: 10 * len(Y.bodies)] if n not in prior]:
        raise sb.ModelError(f"identify_robot: prior= has no {missing[0]!r}; it gives all parameters of bodies")
    W = (whole / sigma[:, None]).reshape(-1, whole.shape[2])
    R: np.ndarray = np.asarray(np.linalg.qr(np.column_stack([W, (tau / sigma).reshape(-1)]), mode="r"))
    bodies = range(len(Y.bodies))
    start = [log_cholesky([prior[n] for n in Y.parameters[10 * b : 10 * b + 10]]) for b in bodies]
    rest = [prior.get(n, 0.0) for n in Y.parameters[10 * len(Y.bodies) :]]
    first = np.array([*np.concatenate(start), *rest])
    pull = TOWARDS_PRIOR

    def parameters(x: np.ndarray) -> np.ndarray:
        return np.concatenate(
            [*(inertial_parameters(x[10 * b : 10 * b + 10]) for b in bodies), x[10 * len(Y.bodies) :]]
        )

    def slopes(x: np.ndarray) -> np.ndarray:
        D = np.eye(len(x))
        for b in bodies:
            own = slice(10 * b, 10 * b + 10)
            D[own, own] = _slopes(x[own])
        return np.vstack([R[:, :-1] @ D, pull * np.eye(len(x))])

    def misfit(x: np.ndarray) -> np.ndarray:
        return np.concatenate([R[:, :-1] @ parameters(x) - R[:, -1], pull * (x - first)])

    found = least_squares(misfit, first, jac=slopes, x_scale="jac", xtol=1e-12, ftol=1e-12, gtol=1e-12)
    return dict(zip(Y.parameters, map(float, parameters(found.x)), strict=True))


# ---------------------------------------------------------------------------------------------------------- excitation


@dataclass(frozen=True, eq=False)
class Excitation:
    """A periodic motion q_i = o_i + Σ_k (a_ik sin kωt - b_ik cos kωt)/(kω), and the condition number of the base
    regressor along it.

    >>> motion = sb.kits.Excitation(np.zeros(1), np.array([[1.0]]), np.zeros((1, 1)), 2 * np.pi, 1.0)
    >>> motion.period == 2 * np.pi, motion.sines.shape
    (True, (1, 1))

    See also: `kits.excitation`.
    """

    offsets: np.ndarray
    sines: np.ndarray
    cosines: np.ndarray
    period: float
    condition: float

    def at(self, t: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """q, u, u' at times, one row for each.

        >>> motion = sb.kits.Excitation(np.zeros(1), np.array([[1.0]]), np.zeros((1, 1)), 2 * np.pi, 1.0)
        >>> q, u, a = motion.at([0.0, np.pi / 2])
        >>> q.ravel(), u.ravel().round(6), a.ravel().round(6) + 0.0  # sin t, cos t, -sin t
        (array([0., 1.]), array([1., 0.]), array([ 0., -1.]))
        """
        w = 2 * np.pi / self.period * np.arange(1, self.sines.shape[1] + 1)
        phase = np.multiply.outer(np.asarray(t, dtype=float), w)
        s, c = np.sin(phase), np.cos(phase)
        q = self.offsets + (s / w) @ self.sines.T - (c / w) @ self.cosines.T
        return q, c @ self.sines.T + s @ self.cosines.T, -(s * w) @ self.sines.T + (c * w) @ self.cosines.T


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
    >>> base = sb.base_parameters(sb.regressor(sb.derive(m)))
    >>> motion = sb.kits.excitation(base, 5.0, harmonics=2, samples=20, tries=1)
    >>> motion.period, bool(motion.condition >= 1)
    (5.0, True)

    See also: `kits.Excitation`, `kits.identify_robot`.
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
