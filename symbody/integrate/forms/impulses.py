"""Velocity jumps under impulses: the mass matrix and the constraints in one state.

M (u⁺ - u⁻) = Jcᵀ Λc + Gᵀ Λ,    Jc u⁺ + b = 0
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from ...derivation.equations.equations import Equations
from ...derivation.rank.row_space import RANK_TOLERANCE, sizes_of_rows
from ...emit.run.callable import Array, Compiled
from ...emit.run.dynamics import Dynamics
from ..start.constraint_rows import Rows, rows_of
from .accelerations import inertia


class Metric:
    """M and the constraints in one state: what impulses do to speeds. All in speeds x = Lᵀ u, in which M = L Lᵀ is the
    unit matrix.

    added   how much of Jcᵀ Jc is in M to make it definite (0 or 1): along the constraints that changes nothing
    """

    def __init__(self, M: Array, Jc: Array, added: float = 0.0) -> None:
        self._Jc, self._added = Jc, added
        self._L = np.linalg.cholesky(M)
        rows = np.linalg.solve(self._L, Jc.T).T
        self._sizes = sizes_of_rows(rows)
        U, s, V = np.linalg.svd(rows / self._sizes[:, None], full_matrices=False)
        rank = int(np.sum(s > RANK_TOLERANCE * s[0])) if len(s) else 0
        self._U, self._s, self._V = U[:, :rank], s[:rank], V[:rank]

    def ways(self, G: Array) -> Array:
        """One column for each row of G: the change of x along the constraints that a unit impulse along it makes."""
        W = np.linalg.solve(self._L, G.T)
        return W - self._V.T @ (self._V @ W)

    def speeds(self, x: Array) -> Array:
        return np.linalg.solve(self._L.T, x)

    def sizes(self, G: Array, u: Array) -> Array:
        """|w| |x| for each row of G, a bound of all terms of G u = w · x in whatever coordinates: a share of it is
        rounding."""
        return np.asarray(np.linalg.norm(self.ways(G), axis=0) * np.linalg.norm(self._L.T @ u))

    def energy(self, u: Array) -> float:
        """½ uᵀ M u; with constraints, of speeds along them."""
        x = self._L.T @ u
        return 0.5 * float(x @ x) - 0.5 * self._added * float(np.sum((self._Jc @ u) ** 2))

    def back(self, off: Array) -> Array:
        """The least change of u that takes Jc u + b = off back to zero."""
        return -self.speeds(self._V.T @ (self._U.T @ (off / self._sizes) / self._s))

    def reactions(self, change: Array, G: Array, impulses: Array) -> Array:
        """Impulses of the constraints, where u changed by `change` while the contacts gave `impulses`."""
        x = self._L.T @ change - np.linalg.solve(self._L, G.T @ impulses)
        return (self._U @ ((self._V @ x) / self._s)) / self._sizes - self._added * (self._Jc @ change)


class ConstraintImpulses:
    """Compiled for equations: mass matrix and constraints. Functions take t and the state (q, u, z)."""

    def __init__(self, eq: Equations) -> None:
        self._sizes = (len(eq.q), len(eq.u), len(eq.z))
        self._parameters = len(eq.p)  # modes have more of them after these: directions of slip
        self._rows: Rows = rows_of(eq)
        M = inertia(eq)
        self._added = 0.0 if M is eq.M else 1.0
        self._mass = Dynamics(eq).function("mass_matrix", {"M": M})

    def called(self, f: Compiled, t: float, state: Array, p: Array, r: Array) -> Any:
        n_q, n_u, _ = self._sizes
        own = p[: self._parameters]
        groups = {"t": t, "q": state[:n_q], "u": state[n_q : n_q + n_u], "z": state[n_q + n_u :], "p": own, "r": r}
        return f(*(groups[g.name] for g in f.program.inputs))

    def _arguments(self, t: float, state: Array, p: Array, r: Array) -> tuple[Any, ...]:
        n_q, n_u, _ = self._sizes
        return t, state[:n_q], state[n_q : n_q + n_u], state[n_q + n_u :], r, p[: self._parameters]

    def metric(self, t: float, state: Array, p: Array, r: Array) -> Metric:
        n = self._sizes[1]
        M = np.reshape(self.called(self._mass, t, state, p, r), (n, n))
        return Metric(M, self._rows.speed(*self._arguments(t, state, p, r))[0], self._added)

    def onto_constraints(self, t: float, state: Array, p: Array, r: Array) -> tuple[Array, dict[str, float]] | None:
        """The state with coordinates moved to the nearest that keep the constraints, and speeds changed by impulses of
        the constraints.

        None if no way there is found.
        """
        n_q, n_u, _ = self._sizes
        state = state.copy()
        for _ in range(30):
            phi, slopes = self._rows.position(*self._arguments(t, state, p, r))
            if not np.max(np.abs(phi), initial=0.0) > 1e-13 * (1 + np.max(np.abs(state[:n_q]), initial=0.0)):
                break
            state[:n_q] -= np.linalg.lstsq(slopes, phi, rcond=RANK_TOLERANCE)[0]
        else:
            return None
        if not np.all(np.isfinite(state)):
            return None
        Jc, b = self._rows.speed(*self._arguments(t, state, p, r))
        if not len(b):
            return state, {}
        metric = self.metric(t, state, p, r)
        u = state[n_q : n_q + n_u]
        change = metric.back(Jc @ u + b)
        u += change
        given = metric.reactions(change, np.zeros((0, n_u)), np.zeros(0))
        return state, {row.name: float(x) for row, x in zip(self._rows.speeds, given, strict=True)}

    @cached_property
    def constraint_names(self) -> tuple[str, ...]:
        return tuple(row.name for row in self._rows.speeds)


def constraint_impulses(eq: Equations) -> ConstraintImpulses:
    """Compiled once, and kept as long as the equations are."""
    return eq.cached("constraint impulses", (), lambda: ConstraintImpulses(eq))
