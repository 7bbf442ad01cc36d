"""Assignments of a contact problem: which contacts are closed, which cones stick or slip, and the equations of that.

Held rows have no motion; of forces that push alike those of least norm are taken. Directions in which cones begin to slip in
space are found by iteration.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from ...emit.run.callable import Array
from .contact_problem import SLIPS, STICKS, Cone, ConeState, ContactProblem, ContactSolution

INEQUALITY: Final = 1e-9  # inequalities hold that are violated by less than this fraction of their terms
DIRECTION_STEPS: Final = 500  # most iterations for the directions in which contacts begin to slip in space
LEAST_STEP: Final = 1 / 32  # least fraction of the way to a new direction
DEPENDENT: Final = 1e-7  # rows with singular values below this fraction of the largest column depend on others


@dataclass(frozen=True)
class Assignments:
    """Assignments of a problem, and their forces."""

    problem: ContactProblem

    def solution(self, closed: frozenset[int], states: tuple[ConeState | None, ...]) -> ContactSolution | None:
        """The solution of an assignment, where its inequalities hold."""
        found = self.without_inequalities(closed, states)
        return found if found is not None and self.worst_inequality(found) is None else None

    def without_inequalities(
        self, closed: frozenset[int], states: tuple[ConeState | None, ...], near: Array | None = None
    ) -> ContactSolution | None:
        """What the equations of an assignment give; near: forces next to them."""
        unknown = [k for k, s in enumerate(states) if is_direction_unknown(s)]
        if unknown:
            found = self._with_directions(closed, states, unknown)
            if found is None and near is not None:
                found = self._with_directions(closed, states, unknown, near)
            if found is None:
                return None
            states = found
        forces = self._forces(closed, states)
        return (
            None
            if forces is None
            else ContactSolution(forces, self.problem.A @ forces + self.problem.b, closed, states)
        )

    def _with_directions(
        self,
        closed: frozenset[int],
        states: tuple[ConeState | None, ...],
        unknown: Sequence[int],
        near: Array | None = None,
    ) -> tuple[ConeState | None, ...] | None:
        """Directions in which cones begin to slip: along their relative accelerations, found by going there again and
        again, a smaller part of the way where that does not come nearer. They begin against the forces `near`, by
        default those that would hold them."""
        if near is None:
            free = tuple(ConeState(STICKS) if k in unknown else s for k, s in enumerate(states))
            near = self._forces(closed, free)
        if near is None:
            return None
        ways = {k: unit(-near[list(self.problem.cones[k].rows)]) for k in unknown}
        slipping = self.problem.V[:, [i for k in unknown for i in self.problem.cones[k].rows]]
        stiff = max(float(np.linalg.norm(slipping, 2)) ** 2, 1e-300)
        part, before = 1.0, np.inf
        for _ in range(DIRECTION_STEPS):
            known = tuple(
                ConeState(SLIPS, ways[k], s.sign) if k in ways and s is not None else s for k, s in enumerate(states)
            )
            forces = self._forces(closed, known)
            if forces is None:
                return None
            motions = self.problem.A @ forces + self.problem.b
            new = {k: self._next_direction(k, motions, forces, ways[k], stiff) for k in unknown}
            change = max(float(np.abs(new[k] - ways[k]).max()) for k in unknown)
            part = max(part / 2, LEAST_STEP) if change > 0.9 * before else part
            before = change
            ways = {k: unit((1 - part) * ways[k] + part * new[k]) for k in unknown}
            if change < 1e-13:
                return known
        return known if change < 1e-6 else None

    def _next_direction(self, k: int, motions: Array, forces: Array, before: Array, stiff: float) -> Array:
        """The next direction of slip: where a force goes that is moved against the relative acceleration w and taken back
        to its limit, d ← (μ N d + w / stiff) / |...|. As it was where w has no part across it beyond rounding."""
        c, rows = self.problem.cones[k], list(self.problem.cones[k].rows)
        w = motions[rows]
        rounding = INEQUALITY * float(
            (np.abs(self.problem.A[rows]) @ np.abs(forces) + np.abs(self.problem.b[rows])).max()
        )
        along = float(before @ w)
        if float(np.abs(w - along * before).max()) <= rounding and along >= -rounding:
            return before
        return unit(c.kinetic * abs(c.given + float(c.share @ forces)) * before + w / stiff)

    def _forces(self, closed: frozenset[int], states: Sequence[ConeState | None]) -> Array | None:
        """Forces of an assignment; None if there are none.

        Held rows have no motion, and of forces that push alike those of least norm: λ = W ν with W the right singular
        vectors of their columns of V, as in the equations of a mode (`shared_forces.py`).
        """
        held, n = self._held_rows(closed, states), len(self.problem.b)
        W = _row_space(self.problem.V[:, held])
        K, r, r_held = np.eye(n), np.zeros(n), W.shape[1]
        for c, s in zip(self.problem.cones, states, strict=True):
            if s is None or s.kind == STICKS or s.direction is None:
                continue
            for j, row in enumerate(c.rows):
                K[row] += c.kinetic * s.sign * s.direction[j] * c.share
                r[row] = -(c.kinetic * s.sign * c.given + c.offset) * s.direction[j]
        rest = [i for i in range(n) if i not in set(held)]
        X = np.zeros((n, r_held + len(rest)))
        X[np.ix_(held, range(r_held))] = W
        X[rest, range(r_held, X.shape[1])] = 1.0
        V, A = self.problem.V, self.problem.A
        square = np.vstack([(V[:, held] @ W).T @ (V @ X), (K @ X)[rest]])
        x = _least_squares(square, np.concatenate([-W.T @ self.problem.b[held], r[rest]]))
        forces = X @ x
        K[held], r[held] = A[held], -self.problem.b[held]
        size = np.maximum(np.abs(K).max(axis=1, initial=0.0), 1e-300)
        off = np.abs(K @ forces - r)
        terms = np.abs(K) @ np.abs(forces) + np.abs(r) + 1e-3 * size * np.abs(forces).max(initial=0.0)
        return forces if np.all(off <= INEQUALITY * terms + 1e-300) else None

    def _held_rows(self, closed: frozenset[int], states: Sequence[ConeState | None]) -> list[int]:
        """Rows without motion: closed contacts, and cones that stick."""
        pairs = zip(self.problem.cones, states, strict=True)
        return [*sorted(closed), *(row for c, s in pairs if s is not None and s.kind == STICKS for row in c.rows)]

    def worst_inequality(self, found: ContactSolution) -> tuple[str, int] | None:
        """The inequality that is violated most, in parts of its terms: of a normal row or of a cone, by number; None
        where all hold."""
        forces, motions = found.forces, found.motions
        rounding = INEQUALITY * (np.abs(self.problem.A) @ np.abs(forces) + np.abs(self.problem.b))
        least = INEQUALITY * (float(np.abs(forces).max(initial=0.0)) + 1e-300)
        off: dict[tuple[str, int], float] = {}
        for i in self.problem.normals:
            is_closed = i in found.closed
            near = least if is_closed else max(rounding[i], rounding.max(initial=0.0) * 1e-3, 1e-300)
            off["normal", i] = -(forces[i] if is_closed else motions[i]) / near
        for k, (c, s) in enumerate(zip(self.problem.cones, found.cones, strict=True)):
            if s is None:
                continue
            N, rows = s.sign * (c.given + float(c.share @ forces)), list(c.rows)
            off["sign", k] = -N / least
            if s.kind == STICKS:
                beyond = float(np.linalg.norm(forces[rows])) - c.static * N * (1 + INEQUALITY)
                off["cone", k] = beyond / least
            elif c.direction is None and s.direction is not None:
                off["cone", k] = -float(s.direction @ motions[rows]) / max(rounding[rows].max(), 1e-300)
        worst = max(off, key=lambda at: off[at], default=None)
        return worst if worst is not None and off[worst] > 1.0 else None

    def is_held(self, k: int, s: ContactSolution) -> bool:
        """Whether closed contacts and sticking ones leave a cone no slip, whatever its force."""
        held = self._held_rows(s.closed, s.cones)
        own, V = self.problem.V[:, list(self.problem.cones[k].rows)], self.problem.V[:, held]
        left = own - V @ np.linalg.lstsq(V, own, rcond=1e-11)[0] if held else own
        return bool(np.abs(left).max() <= 1e-9 * np.abs(own).max())

    def is_same_motion(self, one: ContactSolution, other: ContactSolution) -> bool:
        """Whether two solutions give one motion; or differ by a static coefficient, that lets what sticks also begin to
        slip, or by how contacts share a load that they do not determine: one has contacts open that stay together."""
        x, y = self.problem.V @ one.forces, self.problem.V @ other.forces
        scale = max(float(np.abs(x).max(initial=0.0)), float(np.abs(y).max(initial=0.0)))
        if np.abs(x - y).max(initial=0.0) <= 1e-7 * scale:
            return True
        if one.closed < other.closed:
            rounding = INEQUALITY * (np.abs(self.problem.A) @ np.abs(one.forces) + np.abs(self.problem.b))
            return all(abs(one.motions[i]) <= rounding[i] for i in other.closed - one.closed)
        pairs = zip(self.problem.cones, one.cones, other.cones, strict=True)
        return one.closed == other.closed and all(
            (a is None) == (b is None) and (a is None or b is None or a.kind == b.kind or c.static > c.kinetic)
            for c, a, b in pairs
        )

    def options(self, c: Cone) -> list[ConeState]:
        signs = (1.0, -1.0) if c.owner is None and np.any(c.share) else (1.0,)
        out: list[ConeState] = []
        for sign in signs:
            if c.direction is not None:
                out.append(ConeState(SLIPS, c.direction, sign))
                continue
            if c.may_stick:
                out.append(ConeState(STICKS, None, sign))
            ways: list[Array | None] = [np.array([1.0]), np.array([-1.0])] if len(c.rows) == 1 else [None]
            out += [ConeState(SLIPS, d, sign) for d in ways]
        return out


def is_direction_unknown(s: ConeState | None) -> bool:
    """Whether a cone slips in a direction that is to be found."""
    return s is not None and s.kind == SLIPS and s.direction is None


def _row_space(V: Array) -> Array:
    """Orthonormal W with V n = 0 for all n across them: forces W ν of least norm among those that push alike."""
    if not V.shape[1]:
        return np.zeros((0, 0))
    sizes = np.linalg.norm(V, axis=0)
    _, s, Wt = np.linalg.svd(V, full_matrices=False)
    return np.asarray(Wt[s > DEPENDENT * max(float(sizes.max()), 1e-300)].T)


def _least_squares(K: Array, r: Array) -> Array:
    size = np.maximum(np.abs(K).max(axis=1, initial=0.0), 1e-300)
    return np.asarray(np.linalg.lstsq(K / size[:, None], r / size, rcond=1e-11)[0], dtype=np.float64)


def unit(x: Array) -> Array:
    size = float(np.linalg.norm(x))
    return x / size if size > 0.0 else np.eye(len(x))[0]
