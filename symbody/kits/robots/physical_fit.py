"""Inertial parameters that fit measurements best among the physically consistent ones.

The pseudo-inertia J = [[½ tr(I) 1 - I, mc], [mcᵀ, m]] of a physical body is positive definite (Wensing, Kim and
Slotine 2018), and so J = U Uᵀ with U triangular and e^θ on its diagonal (log-Cholesky: Rucker and Wensing 2022): ten
unconstrained numbers. Measurements often put the best fit onto the boundary, where θ tends to -∞ and a search in θ
converges slowly; the fit is therefore made in the parameters π themselves, in which it is convex (Lee, Wensing and Park
2020):

    ½ |W π - τ|² + γ Σ_b tr(J₀⁻¹ J) - log det J,          friction and inertia of rotors as J with one row

The second term is a distance from the prior J₀ that is invariant under changes of frames and units; it keeps J
definite. With J = L Lᵀ a step of Newton's method is the linear least squares problem

    min |W (π + δ) - τ|² + γ Σ_b |L⁻¹ J(δ) L⁻ᵀ + Lᵀ J₀⁻¹ L - 1|²

and γ decreases from a strong prior, so that a few steps suffice for each value.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from scipy.linalg import solve_triangular

import symbody as sb

Array = np.ndarray[Any, np.dtype[np.float64]]
FIRST_WEIGHT: Final = 1e4  # first weight of the prior relative to the misfit of one datum
WEIGHT_RATIO: Final = 10.0  # ratio of successive weights
MAX_STEPS: Final = 200  # largest number of steps for one weight
CONVERGENCE_TOLERANCE: Final = 1e-6  # squared Newton decrement, relative to the weight, that counts as converged


def pseudo_inertia(parameters: Sequence[float] | Array) -> Array:
    """J of (m, mc, I), linear in them."""
    m, hx, hy, hz, xx, xy, yy, xz, yz, zz = parameters
    I = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    h = np.array([[hx], [hy], [hz]])
    return np.block([[np.trace(I) / 2 * np.eye(3) - I, h], [h.T, np.array([[m]])]])


def refuse_what_no_body_has(parameters: Sequence[float], body: str = "") -> None:
    """An error where J of (m, mc, I) is not positive definite."""
    try:
        np.linalg.cholesky(pseudo_inertia(parameters))
    except np.linalg.LinAlgError:
        raise sb.ModelError(
            f"identify_robot: no body has the mass {parameters[0]:g} and these moments{f' ({body!r})' if body else ''}: its "
            "pseudo-inertia is not positive definite; give it mass, and moments of inertia that a body of finite size can have"
        ) from None


@dataclass(frozen=True, eq=False)
class DefiniteCone:
    """Parameters for which the symmetric matrix Σ π_k E_k is positive definite, and its prior."""

    own: slice
    basis: Array  # (parameters, n, n)
    prior: Array  # (n, n)

    def at(self, x: Array) -> Array:
        return np.asarray(np.tensordot(x[self.own], self.basis, 1))

    def distance(self, x: Array) -> float:
        """tr(J₀⁻¹ J) - log det J, less its value at the prior; infinite outside."""
        try:
            L, K = np.linalg.cholesky(self.at(x)), np.linalg.cholesky(self.prior)
        except np.linalg.LinAlgError:
            return float("inf")
        ratio = solve_triangular(K, L, lower=True)
        return float((ratio**2).sum() - len(L) - 2 * np.log(np.diag(L) / np.diag(K)).sum())

    def rows(self, x: Array) -> tuple[Array, Array]:
        """Rows and right side of the least-squares problem of a step."""
        L, K = np.linalg.cholesky(self.at(x)), np.linalg.cholesky(self.prior)
        half = solve_triangular(L, self.basis.transpose(1, 0, 2).reshape(len(L), -1), lower=True)
        half = half.reshape(len(L), len(self.basis), len(L)).transpose(1, 2, 0)  # E_k L⁻ᵀ, turned over
        whole = np.array([solve_triangular(L, h, lower=True) for h in half])
        ratio = solve_triangular(K, L, lower=True)
        return whole.reshape(len(self.basis), -1).T, (np.eye(len(L)) - ratio.T @ ratio).ravel()


def body_cone(first: int, prior: Sequence[float]) -> DefiniteCone:
    """The ten parameters of a body, from place `first` on."""
    return DefiniteCone(
        slice(first, first + 10), np.array([pseudo_inertia(e) for e in np.eye(10)]), pseudo_inertia(prior)
    )


def positive(place: int, prior: float) -> DefiniteCone:
    """One parameter that is not negative: friction, the inertia of a rotor."""
    return DefiniteCone(slice(place, place + 1), np.ones((1, 1, 1)), np.array([[prior]]))


@dataclass(frozen=True, eq=False)
class PhysicalFit:
    """Parameters, whether Newton's method converged, and the number of steps."""

    x: Array
    settled: bool
    steps: int


def physical_fit(R: Array, r: Array, cones: Sequence[DefiniteCone], start: Array, weight: float) -> PhysicalFit:
    """The minimum of ½ |R x - r|² + weight Σ distance(x), from a start inside all cones; other entries of x are
    free."""
    x, steps, settled = start, 0, True
    for gamma in np.geomspace(
        max(FIRST_WEIGHT, weight), weight, 1 + max(0, round(np.log(FIRST_WEIGHT / weight) / np.log(WEIGHT_RATIO)))
    ):
        settled = False
        for _ in range(MAX_STEPS):
            steps += 1
            J, left = _step_rows(R, r, cones, x, gamma)
            size = np.linalg.norm(J, axis=0)
            step = np.linalg.lstsq(J / size, left, rcond=0.0)[0] / size
            value = _objective(R, r, cones, x, gamma)
            decrement = float(((J @ step) ** 2).sum())
            if decrement <= CONVERGENCE_TOLERANCE * gamma:
                settled = True
                break
            x = x + _length(R, r, cones, x, step, gamma, value, decrement) * step
    return PhysicalFit(x, settled, steps)


def _step_rows(R: Array, r: Array, cones: Sequence[DefiniteCone], x: Array, gamma: float) -> tuple[Array, Array]:
    blocks, lefts = [R], [r - R @ x]
    for cone in cones:
        rows, left = cone.rows(x)
        block = np.zeros((len(rows), len(x)))
        block[:, cone.own] = np.sqrt(gamma) * rows
        blocks.append(block)
        lefts.append(np.sqrt(gamma) * left)
    return np.vstack(blocks), np.concatenate(lefts)


def _objective(R: Array, r: Array, cones: Sequence[DefiniteCone], x: Array, gamma: float) -> float:
    return float(0.5 * ((R @ x - r) ** 2).sum() + gamma * sum(c.distance(x) for c in cones))


def _length(
    R: Array,
    r: Array,
    cones: Sequence[DefiniteCone],
    x: Array,
    step: Array,
    gamma: float,
    value: float,
    decrement: float,
) -> float:
    """How far along a step: halved until it stays inside and lowers the objective (Armijo)."""
    length = 1.0
    while length > 1e-12 and _objective(R, r, cones, x + length * step, gamma) > value - 1e-4 * length * decrement:
        length /= 2
    return length
