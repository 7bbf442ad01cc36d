"""The contact problem with friction, and what its solvers return.

    w = A λ + b                                  A = Vᵀ V, rows of normal and of tangential directions
    λN >= 0,  wN >= 0,  λN wN = 0                each normal row: pressed together, or apart
    |λT| <= μ N where wT = 0,   λT = -μ N d, d = wT / |wT| where it is not        each friction cone, N = given + share · λ

The same problem gives accelerations (w: relative accelerations, λ: forces), impacts and time steps (w: relative velocities
after, λ: impulses). With friction it may have no solution or several (Painlevé 1895). `contact_solvers.py` has its
solvers, `contact_arrays.py` the same problem for kernels.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np

from ...emit.run.callable import Array
from ...errors import SimulationError
from .contact_arrays import NULL_MOTION, ROUNDING, SMALLEST, ContactArrays, contact_arrays
from .contact_graph import ROWS, ContactGraph, contact_graph

STICKS: Final = "sticks"
SLIPS: Final = "slips"
INSIDE: Final = 1e-7  # a friction force is below its limit where this fraction of it is left


@dataclass(frozen=True)
class Cone:
    """Friction of a contact.

    rows        of the problem, tangential: one or two
    owner       the normal row of its contact; None if the surfaces are always together
    kinetic     μ where it slips, `static` where it sticks
    share       ∂N/∂λ of the normal force N = given + share · λ
    offset      viscous force at the slip that there is
    direction   of the slip that there is; None if there is none
    may_stick   False where it has just broken away
    """

    rows: tuple[int, ...]
    owner: int | None
    kinetic: float
    static: float
    share: Array
    given: float = 0.0
    offset: float = 0.0
    direction: Array | None = None
    may_stick: bool = True

    @property
    def limit(self) -> float:
        """The coefficient up to which it may go: the static one where there is no slip."""
        return self.static if self.direction is None and self.may_stick else self.kinetic

    def normal_force(self, forces: Array) -> float:
        """N = given + share · λ."""
        return self.given + float(self.share @ forces)

    def projected(self, forces: Array, motions: Array, coefficient: float, mobility: float) -> Array:
        """λT - wT / a, projected onto the disc of friction; -(μ N + offset) d where the direction of slip is known."""
        limit = coefficient * abs(self.normal_force(forces))
        if self.direction is not None:
            return -(limit + self.offset) * self.direction
        wanted = forces[list(self.rows)] - motions / mobility
        size = float(np.linalg.norm(wanted))
        return wanted * (limit / size) if size > limit else wanted

    def is_inside(self, forces: Array, coefficient: float) -> bool:
        """Whether its force is below a limit of friction."""
        limit = coefficient * abs(self.normal_force(forces))
        return float(np.linalg.norm(forces[list(self.rows)])) < limit * (1 - INSIDE)


@dataclass(frozen=True)
class ConeState:
    """A cone that sticks, or slips in a direction (None: to be found); sign of the normal force where it can be
    either."""

    kind: str
    direction: Array | None = None
    sign: float = 1.0


@dataclass(frozen=True)
class ContactSolution:
    """Forces and relative motions, closed normal rows, and a state for each cone (None: its contact is open)."""

    forces: Array
    motions: Array
    closed: frozenset[int]
    cones: tuple[ConeState | None, ...]


@dataclass(frozen=True)
class ContactForces:
    """Forces that a solver found, and its verdict.

    forces        λ, one for each row
    residual      by which they miss the laws of contact and friction, without unit (`ContactProblem.residual`)
    is_converged  whether they are a solution. Who calls a solver judges this
    solver        the name of the solver
    solution      which contacts are closed, stick and slip, where the solver knows it
    """

    forces: Array
    residual: float
    is_converged: bool
    solver: str
    solution: ContactSolution | None = None


@dataclass(frozen=True)
class ContactProblem:
    """A contact problem in one state.

    V        motions due to unit forces, a column for each row of the problem: A = Vᵀ V
    b        relative motions without contact forces
    normals  normal rows, those that may open: the first ones
    cones    friction cones
    before   forces of a problem nearby, with which iterations begin; None: zero
    """

    V: Array
    b: Array
    normals: tuple[int, ...]
    cones: tuple[Cone, ...] = ()
    before: Array | None = None

    @cached_property
    def A(self) -> Array:  # noqa: N802  (notation)
        return self.V.T @ self.V

    @cached_property
    def mobilities(self) -> list[float]:
        """Largest eigenvalue of each cone's block of A."""
        return [max(float(np.linalg.eigvalsh(self.A[np.ix_(c.rows, c.rows)])[-1]), SMALLEST) for c in self.cones]

    def residual(self, forces: Array, coefficients: Sequence[float]) -> float:
        """How far forces are from a solution with these friction coefficients of the cones, without unit: see
        `contact_residual` of `contact_arrays.py`."""
        A, b = self.A, self.b
        a, w = np.maximum(np.diag(A), SMALLEST), A @ forces + b
        miss = np.zeros(len(b))
        normal = list(self.normals)
        miss[normal] = forces[normal] - np.maximum(0.0, (forces - w / a)[normal])
        for c, mu, mobility in zip(self.cones, coefficients, self.mobilities, strict=True):
            rows = list(c.rows)
            miss[rows] = forces[rows] - c.projected(forces, w[rows], mu, mobility)
        terms = np.abs(A) @ np.abs(forces) + np.abs(b)
        missed = np.maximum(a * np.abs(miss) - ROUNDING * terms, 0.0)
        square, free, pushed = (float(np.sum(x)) for x in (missed**2 / a, b**2 / a, a * forces**2))
        if square == 0.0:
            return 0.0
        least = max(np.sqrt(min(free, pushed)), NULL_MOTION * np.sqrt(max(free, pushed)))
        return float(np.sqrt(square) / max(least, SMALLEST))

    def arrays(self) -> ContactArrays:
        """The same problem for kernels; cones that may stick have their static coefficients."""
        n, p = len(self.b), contact_arrays(len(self.b), len(self.cones))
        p.n, p.normals, p.cones = n, len(self.normals), len(self.cones)
        p.A[: n * n], p.b[:n] = np.ravel(self.A), self.b
        if self.before is not None:
            p.x[:n] = self.before
        for i, (c, mobility) in enumerate(zip(self.cones, self.mobilities, strict=True)):
            p.first[i], p.count[i], p.fixed[i] = c.rows[0], len(c.rows), int(c.direction is not None)
            p.mu[i], p.given[i], p.mobility[i], p.offset[i] = c.limit, c.given, mobility, c.offset
            p.share[n * i : n * (i + 1)] = c.share
            if c.direction is not None:
                p.way[2 * i : 2 * i + len(c.rows)] = c.direction
        return p

    def graph(self) -> tuple[ContactGraph, list[int]]:
        """The same problem as a sparse graph in which each speed is a body, and where its rows stand there. Cones are under their
        own normal rows, or under a normal force that is given."""
        owners = {c.owner: c for c in self.cones if c.owner is not None}
        contacts = [((k,), owners.get(k)) for k in self.normals] + [((), c) for c in self.cones if c.owner is None]
        wrong = [
            c
            for c in self.cones
            if c.direction is not None or not np.array_equal(np.flatnonzero(c.share), _owner_rows(c))
        ]
        if wrong or len(owners) + sum(c.owner is None for c in self.cones) < len(self.cones):
            raise SimulationError(
                "contact problem: solver 'blocks' is for cones under their own normal force, one for each contact"
            )
        g = contact_graph(len(contacts), int(np.count_nonzero(self.V)) + 1, len(self.V), 1)
        places, blocks = dict[int, int](), 0
        for k, (normal, cone) in enumerate(contacts):
            rows = [*(normal or (-1,)), *(cone.rows if cone is not None else ())]
            places |= {row: ROWS * k + r for r, row in enumerate(rows) if row >= 0}
            g.starts[k] = blocks
            moved = sorted({int(j) for row in rows if row >= 0 for j in np.flatnonzero(self.V[:, row])})
            for j in moved:
                g.places[blocks] = j
                g.V[ROWS * blocks : ROWS * blocks + len(rows)] = [self.V[j, row] if row >= 0 else 0.0 for row in rows]
                blocks += 1
            if cone is not None:
                g.mu[k], g.given[k] = cone.limit, cone.given
        g.contacts, g.starts[len(contacts)] = len(contacts), blocks
        for row, place in places.items():
            g.b[place] = self.b[row]
            g.x[place] = 0.0 if self.before is None else self.before[row]
        return g, [places[row] for row in range(len(self.b))]


def _owner_rows(cone: Cone) -> list[int]:
    return [] if cone.owner is None else [cone.owner]
