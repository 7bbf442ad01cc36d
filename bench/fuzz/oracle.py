"""The same answers by plain numerics: matrices of the equations by `evaluate`, everything else by NumPy."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

import symbody as sb

STEPS = 12  # of Newton's method onto the constraints
DIFFERENCE = 1e-5


@dataclass(frozen=True)
class Numbers:
    """Matrices of equations at the values of all symbols."""

    eq: Any
    values: Mapping[Any, Any]

    def array(self, thing: Any) -> np.ndarray:
        """A matrix, as an array of its shape; a column as a vector."""
        found = np.array(sb.evaluate(thing, self.values))
        shape = (thing.rows,) if thing.cols == 1 else (thing.rows, thing.cols)
        return found.reshape(shape)

    @cached_property
    def M(self) -> np.ndarray:  # noqa: N802  (notation)
        return self.array(self.eq.M).reshape(len(self.eq.u), len(self.eq.u))

    @cached_property
    def f(self) -> np.ndarray:
        return self.array(self.eq.f)

    @cached_property
    def Jc(self) -> np.ndarray:  # noqa: N802  (notation)
        return self.array(self.eq.Jc).reshape(len(self.eq.lam), len(self.eq.u))

    @cached_property
    def c(self) -> np.ndarray:
        return self.array(self.eq.c)

    @cached_property
    def rates(self) -> np.ndarray:
        return self.array(self.eq.rates)

    @cached_property
    def basis(self) -> np.ndarray:
        """Rows of Jc, each of length one; as many orthonormal ones as it has rank, where they depend on each other."""
        lengths = np.linalg.norm(self.Jc, axis=1, keepdims=True)
        _, s, vt = np.linalg.svd(self.Jc / np.where(lengths > 0, lengths, 1.0), full_matrices=False)
        return vt[s > 1e-9 * s.max(initial=1e-300)]

    @cached_property
    def udot(self) -> np.ndarray:
        """Accelerations from [M Bᵀ; B 0] [u'; -x] = [f; -d], B spanning the rows of Jc."""
        B, n = self.basis, len(self.eq.u)
        if not len(B):
            return np.linalg.solve(self.M, self.f) if n else np.zeros(0)
        particular = np.linalg.lstsq(self.Jc, -self.c, rcond=1e-9)[0]
        K = np.block([[self.M, B.T], [B, np.zeros((len(B), len(B)))]])
        return np.linalg.solve(K, np.concatenate([self.f, B @ particular]))[:n]

    def at(self, changed: Mapping[Any, Any]) -> Numbers:
        return Numbers(self.eq, {**self.values, **changed})

    # ------------------------------------------------------------------------------------ neighbours on the constraints

    def completed(self, held: set[Any]) -> Numbers:
        """The nearest values that keep the constraints where some coordinates and speeds are held: Newton's method,
        then speeds by least squares."""
        eq, now = self.eq, self
        rows = [r.expression for r in eq.rows.positions]
        free = [q for q in eq.q if q not in held]
        if rows and free:
            J = sb.jacobian(rows, free)
            phi = sb.matrix([[e] for e in rows])
            for _ in range(STEPS):
                step = np.linalg.lstsq(
                    now.array(J).reshape(len(rows), len(free)), -now.array(phi).reshape(-1), rcond=1e-10
                )[0]
                now = now.at({q: now.values[q] + dx for q, dx in zip(free, step, strict=True)})
                if np.abs(step).max() < 1e-14:
                    break
        free = [u for u in eq.u if u not in held]
        if eq.lam and free:
            kept = [k for k, u in enumerate(eq.u) if u not in held]
            miss = now.Jc @ np.array([now.values[u] for u in eq.u]) + now.array(eq.b)
            step = np.linalg.lstsq(now.Jc[:, kept], -miss, rcond=1e-10)[0]
            now = now.at({u: now.values[u] + dx for u, dx in zip(free, step, strict=True)})
        return now

    @cached_property
    def zdot(self) -> np.ndarray:
        """Rates of additional variables where h is linear in them: h(0) + ∂h/∂z' z' = 0. Accelerations in h have their
        values."""
        eq = self.eq
        if not eq.z:
            return np.zeros(0)
        dz = [z.dot for z in eq.z]
        at = self.at({**dict.fromkeys(dz, 0.0), **dict(zip((u.dot for u in eq.u), self.udot, strict=True))})
        return np.linalg.solve(at.array(sb.jacobian(eq.h, dz)).reshape(len(dz), len(dz)), -at.array(eq.h))


def conditioned(at: Numbers) -> float:
    """The condition number of what gives the accelerations, in units of the masses."""
    if not len(at.eq.u):
        return 1.0
    B = at.basis
    size = np.sqrt(np.maximum(np.abs(np.diag(at.M)), 1e-6 * np.abs(at.M).max()))
    K = np.block([[at.M / np.outer(size, size), (B / size).T], [B / size, np.zeros((len(B), len(B)))]])
    full = np.linalg.matrix_rank(at.Jc, 1e-6 * np.abs(at.Jc).max(initial=1e-300)) if len(at.Jc) else 0
    return float(np.linalg.cond(K)) if full == len(B) else np.inf
