"""Identification of inertial parameters from measured motions and forces.

    τ = Y(q, u, u') π + noise,     least squares on the base parameters, rows weighted by the noise of each joint

Parameters of single bodies, of which the base parameters are combinations, need a prior (`physical_fit.py`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

import symbody as sb

from ...argument_kinds import answered
from ...summary import Tabular
from .identifiable_parameters import BaseParameters
from .physical_fit import PhysicalFit, body_cone, physical_fit, positive, refuse_what_no_body_has
from .torque_regressor import Regressor
from .validation import Validation

Array = np.ndarray[Any, np.dtype[np.float64]]
# singular value, relative to the largest and for columns of norm one, below which a motion does not determine a
# direction
RANK_TOLERANCE: Final = 1e-10
SIGNED_SUFFIX: Final = "_offset"  # end of the names of friction parameters of either sign


@dataclass(frozen=True, eq=False, repr=False)
class Identified(Tabular):
    """Parameters that fit measurements best.

    base         values of the base parameters, by name; `deviations` their standard deviations, infinite for those that
                 the motion does not determine
    condition    condition number of the weighted regressor with columns of norm one
    residuals    measured minus modelled forces, one row for each sample
    noise        standard deviation of the force of each speed
    parameters   of bodies, friction and rotors, physically consistent, where a prior was given
    settled      whether the search for those came to its end
    model        the base parameters as formulas, for `validated`

    >>> sorted(sb.kits.robots.Identified.__dataclass_fields__)[:3]
    ['base', 'condition', 'deviations']

    See also: `kits.robots.identify_robot`, `kits.robots.Validation`.
    """

    base: Mapping[str, float]
    deviations: Mapping[str, float]
    condition: float
    residuals: Array
    noise: Array
    parameters: Mapping[str, float] | None
    settled: bool
    model: BaseParameters

    def validated(self, q: Any, u: Any, a: Any, forces: Any) -> Validation:
        """Forces of another motion beside those that were measured, predicted by the physically consistent parameters
        where there are any, else by the base parameters.

        >>> m = sb.Model("pendulum")
        >>> joint = m.revolute("theta", m.ground, m.body("bob", mass=2, com=(0, -1, 0), inertia=(1, 1, 1)))
        >>> m.gravity(0, -10, 0)
        >>> base = sb.kits.robots.base_parameters(sb.kits.robots.regressor(sb.derive(m)))
        >>> q, a = np.linspace(-1, 1, 20)[:, None], np.cos(np.arange(20.0))[:, None]
        >>> found = sb.kits.robots.identify_robot(base, q, 0 * q, a, 3 * a + 20 * np.sin(q))
        >>> other = found.validated(q / 2, 0 * q, 2 * a, 6 * a + 20 * np.sin(q / 2))
        >>> other.rms.round(6) + 0.0, other.explained.round(6)
        (array([0.]), array([1.]))
        """
        whole = stacked(self.model.regressor, q, u, a)
        tau = _forces("validated", forces, whole)
        names = tuple(s.name for s in self.model.regressor.equations.u)
        if self.parameters is not None:
            return Validation(names, tau, whole @ [self.parameters[n] for n in self.model.regressor.parameters])
        return Validation(names, tau, whole[:, :, list(self.model.columns)] @ list(self.base.values()))

    def __str__(self) -> str:
        rows = [f"{n} = {x:z.6g} {self._interval_text(n)}" for n, x in self.base.items()]
        search = () if self.settled else ("the search for physically consistent parameters did not converge",)
        return "\n".join([*rows, f"condition number {self.condition:z.3g}", *search])

    def _interval_text(self, name: str) -> str:
        deviation = self.deviations[name]
        return f"± {1.96 * deviation:z.2g}" if np.isfinite(deviation) else "(this motion does not determine it)"


def stacked(Y: Regressor, q: Any, u: Any, a: Any) -> np.ndarray:
    """Y at measured motions, (samples, speeds, parameters).

    >>> m = sb.Model("pendulum")
    >>> joint = m.revolute("theta", m.ground, m.body("bob", mass=2, com=(0, -1, 0), inertia=(1, 1, 1)))
    >>> Y = sb.kits.robots.regressor(sb.derive(m))
    >>> q = np.zeros((5, 1))
    >>> sb.kits.robots.stacked(Y, q, q, q + 1).shape
    (5, 1, 10)

    See also: `kits.robots.regressor`, `kits.robots.identify_robot`.
    """
    eq = Y.equations
    f = sb.compile(Y.program())
    q, u, a = (np.atleast_2d(np.asarray(x, dtype=float)) for x in (q, u, a))
    p = np.array([float(eq.mechanism.values[s]) for s in eq.p])
    return np.asarray(f.batch(q, u, a, p, 0.0)).reshape(len(q), len(eq.u), -1)


@answered
def identify_robot(
    base: BaseParameters,
    q: Any,
    u: Any,
    a: Any,
    forces: Any,
    *,
    noise: Sequence[float] | None = None,
    prior: Mapping[str, float] | None = None,
    trust: float = 1.0,
) -> Identified:
    """Base parameters from measured coordinates, speeds, accelerations and forces, one row for each sample.

    noise   standard deviation of the force on each speed; by default from the residuals of a fit without weights
    prior   parameters by name, such as those of a drawing: parameters of all bodies are then found that are physically
            consistent, fit as well as can be, and are near these where nothing is known; friction and rotors may be
            left out
    trust   weight of the prior: with 1 a body is allowed to differ by a factor of about e for one standard deviation of
            the noise, with 100 by ten percent

    >>> m = sb.Model("pendulum")
    >>> joint = m.revolute("theta", m.ground, m.body("bob", mass=2, com=(0, -1, 0), inertia=(1, 1, 1)))
    >>> m.gravity(0, -10, 0)
    >>> base = sb.kits.robots.base_parameters(sb.kits.robots.regressor(sb.derive(m)))
    >>> q, a = np.linspace(-1, 1, 20)[:, None], np.cos(np.arange(20.0))[:, None]
    >>> forces = 3 * a + 20 * np.sin(q)
    >>> found = sb.kits.robots.identify_robot(base, q, 0 * q, a, forces)
    >>> {name: round(value, 6) + 0.0 for name, value in found.base.items()}
    {'bob_mcx': 0.0, 'bob_mcy': -2.0, 'bob_Izz': 3.0}

    See also: `kits.robots.Identified`, `kits.robots.base_parameters`, `kits.robots.excitation`.
    """
    whole = stacked(base.regressor, q, u, a)
    tau = _forces("identify_robot", forces, whole)
    columns = list(base.columns)
    A = whole[:, :, columns]
    sigma = _noise(A, tau) if noise is None else np.asarray(noise, dtype=float)
    R = _triangle(whole, tau, sigma)
    found, deviations, condition = _least_squares(R[:, columns], R[:, -1])
    fit = None if prior is None else _physical(base.regressor, R, prior, trust)
    return Identified(
        dict(zip(base.names, found.tolist(), strict=True)),
        dict(zip(base.names, deviations.tolist(), strict=True)),
        condition,
        tau - A @ found,
        sigma,
        None if fit is None else dict(zip(base.regressor.parameters, fit.x.tolist(), strict=True)),
        fit is None or fit.settled,
        base,
    )


def _forces(where: str, forces: Any, whole: Array) -> Array:
    tau = np.atleast_2d(np.asarray(forces, dtype=float))
    if tau.shape != whole.shape[:2]:
        raise sb.ModelError(f"{where}: forces= has the shape {tau.shape}; the motion needs {whole.shape[:2]}")
    return tau


def _noise(A: Array, tau: Array) -> Array:
    """Standard deviation of each force, from a fit without weights."""
    R = _triangle(A, tau, np.ones(tau.shape[1]))
    left = tau - A @ _least_squares(R[:, :-1], R[:, -1])[0]
    sigma = np.sqrt((left**2).sum(0) / max(len(tau) - A.shape[2] / tau.shape[1], 1))
    return np.maximum(sigma, 1e-12 * np.abs(tau).max() or 1.0)


def _triangle(A: Array, tau: Array, sigma: Array) -> Array:
    """R of the weighted rows and forces: few rows with the same least squares problems."""
    rows = np.concatenate([A, tau[:, :, None]], axis=2) / sigma[:, None]
    return np.asarray(np.linalg.qr(rows.reshape(-1, rows.shape[2]), mode="r"))


def _least_squares(A: Array, b: Array) -> tuple[Array, Array, float]:
    """Solution, standard deviations, condition number. Undetermined components have minimum norm and infinite
    deviation."""
    size = np.linalg.norm(A, axis=0)
    scale = np.where(size > 0, size, 1.0)
    U, s, Vt = np.linalg.svd(A / scale, full_matrices=False)
    seen = s > RANK_TOLERANCE * s[0]
    x = Vt[seen].T @ ((U[:, seen].T @ b) / s[seen]) / scale
    deviations = np.linalg.norm(Vt[seen] / s[seen, None], axis=0) / scale
    deviations[np.linalg.norm(Vt[~seen], axis=0) > np.sqrt(RANK_TOLERANCE)] = np.inf
    return x, deviations, float(s[0] / s[-1]) if s[-1] > 0 else float("inf")


def _physical(Y: Regressor, R: Array, prior: Mapping[str, float], trust: float) -> PhysicalFit:
    """Physically consistent parameters of all bodies that fit best; near the prior where the data do not determine
    them.

    Friction and rotors without a prior begin at the size with which they alone would explain all forces."""
    if not trust > 0:
        raise sb.ModelError(f"identify_robot: trust= is the weight of the prior, a positive number, got {trust:g}")
    bodies = 10 * len(Y.bodies)
    if missing := [n for n in Y.parameters[:bodies] if n not in prior]:
        raise sb.ModelError(f"identify_robot: prior= has no {missing[0]!r}; it gives all parameters of bodies")
    start = np.array([prior.get(n, 0.0) for n in Y.parameters])
    cones = []
    for k, body in zip(range(0, bodies, 10), Y.bodies, strict=True):
        refuse_what_no_body_has(start[k : k + 10].tolist(), str(body))
        cones.append(body_cone(k, start[k : k + 10].tolist()))
    alone = np.linalg.norm(R[:, -1]) / np.maximum(np.linalg.norm(R[:, :-1], axis=0), 1e-300)
    for k in range(bodies, len(start)):
        if not Y.parameters[k].endswith(SIGNED_SUFFIX):
            start[k] = start[k] if start[k] > 0 else alone[k]
            cones.append(positive(k, start[k]))
    return physical_fit(R[:, :-1], R[:, -1], cones, start, trust)
