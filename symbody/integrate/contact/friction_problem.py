"""The complementarity problem of contacts with friction, and the number of its solutions.

    w = A λ + b                                  A = Vᵀ V, rows of normal and of tangential directions
    λN >= 0,  wN >= 0,  λN wN = 0                each normal row: pressed together, or apart
    |λT| <= μ N where wT = 0,   λT = -μ N d, d = wT / |wT| where it is not        each friction cone, N = given + share
                                · λ

The same problem gives accelerations (w: relative accelerations, λ: forces) and impacts (w: speeds after, λ: impulses).
With friction it may have no solution or several (Painlevé 1895): so every assignment of open, stick and slip is tried
as long as these are few, and solutions are counted by the motion they give. Large problems are iterated (projected
Gauss-Seidel) to find the assignment.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ...emit.run.callable import Array
from ...emit.run.loop_callee import LoopCallee
from .friction_sweeps import Sweeps, swept

MOST: Final = 600  # assignments that are all tried; beyond it they are looked for by iteration
DIRECTIONS: Final = 4  # as so many assignments a slip counts whose direction is to be found
PIVOTS: Final = 200  # changes of an assignment that iteration has found
SWEEPS: Final = 20000  # of the iteration at most
ENOUGH: Final = (
    1e-10  # of the largest force: a change by less in a sweep ends the iteration, where forces are all that is asked
)
NEAR: Final = 1e-9  # of the largest terms: inequalities that hold within it hold
TURNS: Final = 500  # iterations for the directions in which contacts begin to slip in space

LEAST_PART: Final = 1 / 32  # of the way to a new direction

DEPENDENT: Final = 1e-7  # of the largest column: singular values below this are those of rows that depend on others

STICKS: Final = "sticks"
SLIPS: Final = "slips"


@dataclass(frozen=True)
class Cone:
    """Friction of a contact.

    rows        of the problem, tangential: one or two
    owner       the normal row of its contact; None where the surfaces are always together
    kinetic     μ where it slips, `static` where it sticks
    share       ∂N/∂λ of the normal force N = given + share · λ
    offset      viscous force at the slip that there is
    direction   of the slip that there is; None where there is none
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

    def is_inside(self, forces: Array, coefficient: float) -> bool:
        """Whether its force is below a limit of friction."""
        N = self.given + float(self.share @ forces)
        return float(np.linalg.norm(forces[list(self.rows)])) < coefficient * abs(N) * (1 - 1e-7)


@dataclass(frozen=True)
class ConeState:
    """A cone that sticks, or slips in a direction (None: to be found); sign of the normal force where it can be
    either."""

    kind: str
    direction: Array | None = None
    sign: float = 1.0


@dataclass(frozen=True)
class FrictionSolution:
    """Forces and relative motions, closed normal rows, and a state for each cone (None: its contact is open)."""

    forces: Array
    motions: Array
    closed: frozenset[int]
    cones: tuple[ConeState | None, ...]


@dataclass(frozen=True)
class FrictionProblem:
    """V: motions due to unit forces, one column for each row of the problem; b; normal rows, those that may open;
    cones."""

    V: Array
    b: Array
    normals: tuple[int, ...]
    cones: tuple[Cone, ...]

    @property
    def A(self) -> Array:  # noqa: N802  (notation)
        return self.V.T @ self.V

    def solutions(self) -> list[FrictionSolution]:
        """All of them that differ in motion, those with most sticking and fewest open contacts first; one where
        assignments are many."""
        if not self.is_counted:
            found = self.by_iteration()
            return [] if found is None else [found]
        out: list[FrictionSolution] = []
        for closed, states in self._assignments():
            found = self.solved(closed, states)
            if found is not None and not any(self._is_same(found, other) for other in out):
                out.append(found)
        return out

    def any_forces(self) -> Array | None:
        """Forces of one solution, where its assignment does not matter: of large problems, those of the iteration."""
        if not self.is_counted:
            found = self.by_iteration() or self.by_iteration(ENOUGH, exactly=False)
            return None if found is None else found.forces
        for closed, states in self._assignments():
            if (found := self.solved(closed, states)) is not None:
                return found.forces
        return None

    @property
    def is_counted(self) -> bool:
        """Whether assignments are so few that all are tried."""
        return self._count() <= MOST

    def feedback(self) -> float:
        """How much friction can act back on the forces it is under: below one there is one motion at most.

        Of two solutions λ and λ + δ, δᵀ A δ <= Σ μ |ΔN| |ΔwT|: normal rows add nothing above zero (complementarity), a
        cone at most μ |ΔN| |ΔwT| (its work is -μ N |wT| in each, and no less with the other's force). With v = V δ,
        ΔN = z·v where z = V⁺ᵀ share, ΔwT = V_Tᵀ v, and any positive numbers t of the cones,

            |v|² <= Σ μ |z·v| |V_Tᵀ v| <= vᵀ K v,    K = ½ Σ (t μ² z zᵀ + V_T V_Tᵀ / t)

        so that v = 0 where the largest eigenvalue of K, which this is, is below one. Infinite where other forces with
        the same motion have other normal forces, and for static coefficients above kinetic ones.
        """
        n = len(self.V)
        under, across = np.zeros((n, n)), np.zeros((n, n))
        for c in self.cones:
            own = self.V[:, list(c.rows)]
            if c.direction is None and c.may_stick and c.static != c.kinetic:
                return np.inf
            z = c.limit * np.asarray(np.linalg.lstsq(self.V.T, c.share, rcond=1e-11)[0])
            if np.abs(self.V.T @ z - c.limit * c.share).max() > DEPENDENT * np.abs(c.share).max() * c.limit:
                return np.inf
            if np.any(z) and np.any(own):
                t = float(np.linalg.norm(own, 2) / np.linalg.norm(z))
                under += t * np.outer(z, z)
                across += own @ own.T / t
        p, q = (float(np.linalg.norm(x, 2)) for x in (under, across))
        return float(np.linalg.norm(under * np.sqrt(q / p) + across * np.sqrt(p / q), 2)) / 2 if p > 0.0 else 0.0

    # ------------------------------------------------------------------------------------------------ assignments

    def _count(self) -> int:
        """Assignments; slip in a direction that is to be found counts several times, since it is iterated."""
        total = 1
        for i in self.normals:
            total *= 1 + int(np.prod([self._ways_on(c) for c in self.cones if c.owner == i]))
            if total > MOST:
                return total
        for c in self.cones:
            total *= self._ways_on(c) if c.owner is None else 1
        return total

    def _ways_on(self, c: Cone) -> int:
        return sum(DIRECTIONS if s.kind == SLIPS and s.direction is None else 1 for s in self._options(c))

    def _assignments(self) -> Iterator[tuple[frozenset[int], tuple[ConeState | None, ...]]]:
        mine = [[k for k, c in enumerate(self.cones) if c.owner == i] for i in self.normals]
        alone = [k for k, c in enumerate(self.cones) if c.owner is None]
        choices: list[list[tuple[tuple[int, ...], dict[int, ConeState]]]] = []
        for i, owned in zip(self.normals, mine, strict=True):
            states = product(*(self._options(self.cones[k]) for k in owned))
            choices.append([((i,), dict(zip(owned, s, strict=True))) for s in states] + [((), {})])
        choices += [[((), {k: s}) for s in self._options(self.cones[k])] for k in alone]
        for chosen in product(*choices):
            closed = frozenset(i for rows, _ in chosen for i in rows)
            known = {k: s for _, part in chosen for k, s in part.items()}
            yield closed, tuple(known.get(k) for k in range(len(self.cones)))

    def _options(self, c: Cone) -> list[ConeState]:
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

    # ------------------------------------------------------------------------------------------------ one assignment

    def solved(self, closed: frozenset[int], states: tuple[ConeState | None, ...]) -> FrictionSolution | None:
        """The solution of an assignment, where its inequalities hold."""
        found = self._without_inequalities(closed, states)
        return found if found is not None and self._worst(found) is None else None

    def _without_inequalities(
        self, closed: frozenset[int], states: tuple[ConeState | None, ...], near: Array | None = None
    ) -> FrictionSolution | None:
        """What the equations of an assignment give; near: forces next to them."""
        unknown = [k for k, s in enumerate(states) if _is_unknown(s)]
        if unknown:
            found = self._with_directions(closed, states, unknown)
            if found is None and near is not None:
                found = self._with_directions(closed, states, unknown, near)
            if found is None:
                return None
            states = found
        forces = self._forces(closed, states)
        return None if forces is None else FrictionSolution(forces, self.A @ forces + self.b, closed, states)

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
        ways = {k: _unit(-near[list(self.cones[k].rows)]) for k in unknown}
        slipping = self.V[:, [i for k in unknown for i in self.cones[k].rows]]
        stiff = max(float(np.linalg.norm(slipping, 2)) ** 2, 1e-300)
        part, before = 1.0, np.inf
        for _ in range(TURNS):
            known = tuple(
                ConeState(SLIPS, ways[k], s.sign) if k in ways and s is not None else s for k, s in enumerate(states)
            )
            forces = self._forces(closed, known)
            if forces is None:
                return None
            motions = self.A @ forces + self.b
            new = {k: self._way(k, motions, forces, ways[k], stiff) for k in unknown}
            change = max(float(np.abs(new[k] - ways[k]).max()) for k in unknown)
            part = max(part / 2, LEAST_PART) if change > 0.9 * before else part
            before = change
            ways = {k: _unit((1 - part) * ways[k] + part * new[k]) for k in unknown}
            if change < 1e-13:
                return known
        return known if change < 1e-6 else None

    def _way(self, k: int, motions: Array, forces: Array, before: Array, stiff: float) -> Array:
        """The next direction of slip: where a force goes that is moved against the relative acceleration w and taken back
        to its limit, d ← (μ N d + w / stiff) / |...|. As it was where w has no part across it beyond rounding."""
        c, rows = self.cones[k], list(self.cones[k].rows)
        w = motions[rows]
        rounding = NEAR * float((np.abs(self.A[rows]) @ np.abs(forces) + np.abs(self.b[rows])).max())
        along = float(before @ w)
        if float(np.abs(w - along * before).max()) <= rounding and along >= -rounding:
            return before
        return _unit(c.kinetic * abs(c.given + float(c.share @ forces)) * before + w / stiff)

    def _forces(self, closed: frozenset[int], states: Sequence[ConeState | None]) -> Array | None:
        """Forces of an assignment; None where there are none.

        Held rows have no motion, and of forces that push alike those of least norm: λ = W ν with W the right singular
        vectors of their columns of V, as in the equations of a mode (`shared_forces.py`).
        """
        held, n = self._held(closed, states), len(self.b)
        W = _row_space(self.V[:, held])
        K, r, r_held = np.eye(n), np.zeros(n), W.shape[1]
        for c, s in zip(self.cones, states, strict=True):
            if s is None or s.kind == STICKS or s.direction is None:
                continue
            for j, row in enumerate(c.rows):
                K[row] += c.kinetic * s.sign * s.direction[j] * c.share
                r[row] = -(c.kinetic * s.sign * c.given + c.offset) * s.direction[j]
        rest = [i for i in range(n) if i not in set(held)]
        X = np.zeros((n, r_held + len(rest)))
        X[np.ix_(held, range(r_held))] = W
        X[rest, range(r_held, X.shape[1])] = 1.0
        V, A = self.V, self.A
        square = np.vstack([(V[:, held] @ W).T @ (V @ X), (K @ X)[rest]])
        x = _least_squares(square, np.concatenate([-W.T @ self.b[held], r[rest]]))
        forces = X @ x
        K[held], r[held] = A[held], -self.b[held]
        size = np.maximum(np.abs(K).max(axis=1, initial=0.0), 1e-300)
        off = np.abs(K @ forces - r)
        terms = np.abs(K) @ np.abs(forces) + np.abs(r) + 1e-3 * size * np.abs(forces).max(initial=0.0)
        return forces if np.all(off <= NEAR * terms + 1e-300) else None

    def _held(self, closed: frozenset[int], states: Sequence[ConeState | None]) -> list[int]:
        """Rows without motion: closed contacts, and cones that stick."""
        pairs = zip(self.cones, states, strict=True)
        return [*sorted(closed), *(row for c, s in pairs if s is not None and s.kind == STICKS for row in c.rows)]

    def _worst(self, found: FrictionSolution) -> tuple[str, int] | None:
        """The inequality that is violated most, in parts of its terms: of a normal row or of a cone, by number; None
        where all hold."""
        forces, motions = found.forces, found.motions
        rounding = NEAR * (np.abs(self.A) @ np.abs(forces) + np.abs(self.b))
        least = NEAR * (float(np.abs(forces).max(initial=0.0)) + 1e-300)
        off: dict[tuple[str, int], float] = {}
        for i in self.normals:
            is_closed = i in found.closed
            near = least if is_closed else max(rounding[i], rounding.max(initial=0.0) * 1e-3, 1e-300)
            off["normal", i] = -(forces[i] if is_closed else motions[i]) / near
        for k, (c, s) in enumerate(zip(self.cones, found.cones, strict=True)):
            if s is None:
                continue
            N, rows = s.sign * (c.given + float(c.share @ forces)), list(c.rows)
            off["sign", k] = -N / least
            if s.kind == STICKS:
                beyond = float(np.linalg.norm(forces[rows])) - c.static * N * (1 + NEAR)
                off["cone", k] = beyond / least
            elif c.direction is None and s.direction is not None:
                off["cone", k] = -float(s.direction @ motions[rows]) / max(rounding[rows].max(), 1e-300)
        worst = max(off, key=lambda at: off[at], default=None)
        return worst if worst is not None and off[worst] > 1.0 else None

    def is_held(self, k: int, s: FrictionSolution) -> bool:
        """Whether closed contacts and sticking ones leave a cone no slip, whatever its force."""
        held = self._held(s.closed, s.cones)
        own, V = self.V[:, list(self.cones[k].rows)], self.V[:, held]
        left = own - V @ np.linalg.lstsq(V, own, rcond=1e-11)[0] if held else own
        return bool(np.abs(left).max() <= 1e-9 * np.abs(own).max())

    def _is_same(self, one: FrictionSolution, other: FrictionSolution) -> bool:
        """Whether two solutions give one motion; or differ by a static coefficient, that lets what sticks also begin to
        slip, or by how contacts share a load that they do not determine: one has contacts open that stay together."""
        x, y = self.V @ one.forces, self.V @ other.forces
        scale = max(float(np.abs(x).max(initial=0.0)), float(np.abs(y).max(initial=0.0)))
        if np.abs(x - y).max(initial=0.0) <= 1e-7 * scale:
            return True
        if one.closed < other.closed:
            rounding = NEAR * (np.abs(self.A) @ np.abs(one.forces) + np.abs(self.b))
            return all(abs(one.motions[i]) <= rounding[i] for i in other.closed - one.closed)
        pairs = zip(self.cones, one.cones, other.cones, strict=True)
        return one.closed == other.closed and all(
            (a is None) == (b is None) and (a is None or b is None or a.kind == b.kind or c.static > c.kinetic)
            for c, a, b in pairs
        )

    # ------------------------------------------------------------------------------------------------ many contacts

    def by_iteration(self, tolerance: float = 1e-14, *, exactly: bool = True) -> FrictionSolution | None:
        """By projected Gauss-Seidel (`friction_sweeps.py`), then, `exactly`, by solving the assignment that is
        found. Cones that may stick begin with the static coefficient; those at that limit go on with the kinetic one."""
        A, n, k = self.A, len(self.b), len(self.cones)
        x = np.zeros(n)
        way, share = np.zeros(2 * k + 1), np.zeros(n * k + 1)
        for i, c in enumerate(self.cones):
            share[n * i : n * (i + 1)] = c.share
            if c.direction is not None:
                way[2 * i : 2 * i + len(c.rows)] = c.direction
        stiff = [max(float(np.linalg.eigvalsh(A[np.ix_(c.rows, c.rows)])[-1]), 1e-300) for c in self.cones]
        sweeps = Sweeps(
            n=n, normals=len(self.normals), cones=k, most=SWEEPS, tolerance=tolerance, A=np.ravel(A).copy(), b=self.b.copy(), x=x,
            first=_indices([c.rows[0] for c in self.cones]), count=_indices([len(c.rows) for c in self.cones]),
            fixed=_indices([int(c.direction is not None) for c in self.cones]), mu=_numbers([c.limit for c in self.cones]),
            given=_numbers([c.given for c in self.cones]), share=share, stiff=_numbers(stiff), way=way,
            offset=_numbers([c.offset for c in self.cones]), w=np.zeros(2),
        )  # fmt: skip
        loop = LoopCallee(swept, {}, (), sweeps=sweeps)
        loop.run()
        while broken := [
            i for i, c in enumerate(self.cones) if sweeps.mu[i] > c.kinetic and not c.is_inside(x, sweeps.mu[i])
        ]:
            for i in broken:
                sweeps.mu[i] = self.cones[i].kinetic
            loop.run()
        found = self._assignment(x, sweeps.mu)
        return self._pivoted(found) if exactly else found

    def _assignment(self, x: Array, limits: Sequence[float]) -> FrictionSolution:
        """The assignment next to some forces: what neither presses nor moves is closed, and sticks."""
        motions = self.A @ x + self.b
        still = np.abs(motions) <= NEAR * (np.abs(self.A) @ np.abs(x) + np.abs(self.b))
        closed = frozenset(i for i in self.normals if x[i] > 0.0 or still[i])
        states = tuple(self._state(c, x, closed, limits[i], still) for i, c in enumerate(self.cones))
        return FrictionSolution(x, motions, closed, states)

    def _state(
        self, c: Cone, x: Array, closed: frozenset[int], limit: float, still: NDArray[np.bool_]
    ) -> ConeState | None:
        if c.owner is not None and c.owner not in closed:
            return None
        N, rows = c.given + float(c.share @ x), list(c.rows)
        sign = 1.0 if N >= 0 else -1.0
        if c.direction is not None:
            return ConeState(SLIPS, c.direction, sign)
        if c.may_stick and (c.is_inside(x, limit) or np.all(still[rows])):
            return ConeState(STICKS, None, sign)
        return ConeState(SLIPS, _unit(-x[rows]) if len(rows) == 1 else None, sign)

    def _pivoted(self, near: FrictionSolution) -> FrictionSolution | None:
        """The solution next to an assignment: the inequality that is violated most changes it, one after another;
        None where that comes back to where it was."""
        closed, states, seen = near.closed, near.cones, set[Any]()
        for _ in range(PIVOTS):
            key = (closed, tuple(s and (s.kind, s.sign, s.direction is None or tuple(s.direction)) for s in states))
            if key in seen:
                return None
            seen.add(key)
            found = self._without_inequalities(closed, states, near.forces)
            worst = None if found is None else self._worst(found)
            if found is not None and worst is None:
                return found
            if found is None or worst is None:  # no direction in which friction lets these slip
                states = tuple(
                    s if not _is_unknown(s) else self._options(c)[0] for c, s in zip(self.cones, states, strict=True)
                )
            else:
                closed, states = self._changed(found, states, *worst)
        return None

    def _changed(
        self, found: FrictionSolution, states: tuple[ConeState | None, ...], what: str, at: int
    ) -> tuple[frozenset[int], tuple[ConeState | None, ...]]:
        """The assignment in which a contact opens or closes, or a cone begins or ends to slip."""
        cones = list(states)
        if what == "normal":
            is_closed = at in found.closed
            for k, c in enumerate(self.cones):
                if c.owner == at:
                    cones[k] = None if is_closed else self._options(c)[0]
            return (found.closed - {at} if is_closed else found.closed | {at}), tuple(cones)
        c, s = self.cones[at], cones[at]
        assert s is not None
        if what == "sign":
            cones[at] = replace(s, sign=-s.sign)
        elif s.kind == SLIPS and c.may_stick:
            cones[at] = ConeState(STICKS, None, s.sign)
        else:
            force = found.forces[list(c.rows)]
            back = -force if s.kind == STICKS else force
            cones[at] = ConeState(SLIPS, _unit(back) if len(c.rows) == 1 else None, s.sign)
        return found.closed, tuple(cones)


def _is_unknown(s: ConeState | None) -> bool:
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


def _unit(x: Array) -> Array:
    size = float(np.linalg.norm(x))
    return x / size if size > 0.0 else np.eye(len(x))[0]


def _numbers(values: Sequence[float]) -> Array:
    return np.array([*values, 0.0])


def _indices(values: Sequence[int]) -> NDArray[np.int64]:
    return np.array([*values, 0], dtype=np.int64)
