"""Singular positions of a motion: where, by which joints, on which branch it went on, and whether energy was kept.

Where constraints become dependent, branches of the configuration space meet. A motion with speed goes on along the one
it came by: its speeds are continuous, while those of another branch would need an impulse. Tangents d of the branches
are in the null space Z of Jc, which is larger there, and keep the constraints to second order:

    d = Z c,    wᵀ (∂Jc/∂q · N d) d = cᵀ Q c = 0        w: the combination of rows that vanishes, wᵀ Jc = 0
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

import numpy as np

from ...derivation.equations.energies import energy, is_fed, kinetic_energy
from ...derivation.rank.row_space import RowSpace, sizes_of_rows
from ...emit.run.callable import Array
from ...errors import listed
from ..forms.forms import Form
from ..forms.impulses import constraint_impulses
from ..kernels.careful_steps import FINEST_RTOL, STORED_ENDS
from ..kernels.march_records import Method
from ..kernels.runge_kutta import RungeKutta
from ..result.quantities import StateRows, derived_quantity
from ..start.constraint_rows import rows_of
from ..start.state import State
from .machine import Machine

SAMPLES: Final = 21  # places at which the rank of the constraints is examined
BISECTIONS: Final = 45  # towards a singular position
NEAR_SINGULAR: Final = 0.02  # distance along the motion, in units of the coordinates
BRANCH_DISTANCE: Final = 1e-3  # of the states on the branches from the singular position
DEPENDENT: Final = 1e-5  # smallest singular value of the constraints beside the largest, below which a motion passed a singular position
EDGE: Final = 1e-4  # of a step, over which a singular value is seen to fall or rise
TOLD_CHANGE: Final = 1e-9  # of the kinetic energy: a larger change of energy over a singular position is printed
DIFFERENCE_STEP: Final = 1e-5  # for finite differences of Jc

States = Callable[[float], Array]  # (q, u, z) at a time


@dataclass(frozen=True)
class Passage:
    """A singular position that was passed.

    t, coordinates   when, and where
    joints           those whose constraints became dependent
    branches         states just beyond it, one on each branch that leaves it: the first is on the one by which the
                     motion came, and on which it went on, since its speeds are continuous there; speeds of the others
                     are what an impulse leaves of these
    change, scale    of energy over that step where no load does work, and the kinetic energy by which that is judged
    """

    t: float
    coordinates: Mapping[str, float]
    joints: tuple[str, ...]
    branches: tuple[State, ...] = field(default=(), repr=False)
    change: float | None = None
    scale: float = 0.0

    def __str__(self) -> str:
        where = listed(f"{k} = {v:z.6g}" for k, v in self.coordinates.items())
        others = f"; {len(self.branches)} branches meet there" if len(self.branches) > 1 else ""
        lost = self.change is not None and abs(self.change) > TOLD_CHANGE * self.scale
        energy = f", with a change of energy by {self.change:z.2g} (kinetic energy {self.scale:z.3g})" if lost else ""
        return (
            f"t = {self.t:z.9g}: {listed(self.joints)} dependent at {where}{others}, went on as it came (speeds "
            f"are continuous){energy}"
        )


# ---------------------------------------------------------------------------------------------------------- of a motion


def passages_along(times: Array, states: Array, start: State, between: States | None) -> tuple[Passage, ...]:
    """The singular positions between the times of a motion, whose states are rows; `between` gives those inside steps,
    where they are known."""
    ways = _ways_over(times, states, start, between)
    return tuple(way.passage(joints, *_change(start, way)) for way, joints in ways)


def _ways_over(
    times: Array, states: Array, start: State, between: States | None = None
) -> Iterator[tuple[_WayBetween, tuple[str, ...]]]:
    """Steps over singular positions, with the joints that become dependent in them."""
    if not start.equations.lam:
        return
    for k in range(len(times) - 1):
        way = _WayBetween(start, times[k : k + 2], states[k : k + 2], between)
        if joints := way.joints():
            yield way, joints


def coarse_note(method: Method, rtol: float) -> str:
    """Say that steps over singular positions were not as fine as asked for."""
    if not isinstance(method, RungeKutta) or not method.passed or rtol >= FINEST_RTOL:
        return ""
    steps = (
        "1 step over a singular position was"
        if method.passed == 1
        else f"{method.passed} steps over singular positions were"
    )
    return (
        f"{steps} taken to {FINEST_RTOL:g} instead of rtol = {rtol:g}: rates next to one are not exact enough for more"
    )


def jump(method: Method, start: State, rtol: float) -> str:
    """What is wrong, where energy jumped in careful steps over singular positions: the branch was left, or the step was
    too coarse."""
    if not isinstance(method, RungeKutta) or not method.passed or is_fed(start.equations):
        return ""
    n = len(method.began)
    states, times = np.asarray(method.states).reshape(-1, 2, n), np.asarray(method.spans).reshape(-1, 2)
    count = min(method.passed, STORED_ENDS)
    changes, scales = _changes(start, times[:count], states[:count])
    for k, (change, scale) in enumerate(zip(changes, scales, strict=True)):
        if abs(change) > max(1e4 * rtol, 1e-7) * max(scale, 1e-12):
            for _, joints in _ways_over(times[k], states[k], start):
                return (
                    f"energy changed by {change:z.3g} (kinetic energy {scale:z.3g}) in that of {listed(joints)} near t = {times[k].mean():z.6g}: "
                    "a smaller max_step or another rtol takes it over elsewhere"
                )
    return ""


def _change(start: State, way: _WayBetween) -> tuple[float | None, float]:
    """Of energy over a step, and the kinetic energy by which that is judged; None if loads do work."""
    if is_fed(start.equations):
        return None, 0.0
    changes, scales = _changes(start, way.times[None], way.ends[None])
    return float(changes[0]), float(scales[0])


def _changes(start: State, times: Array, ends: Array) -> tuple[Array, Array]:
    """Of T + V over steps from and to some states, (steps, 2) times and (steps, 2, n) states, and the larger T of each, by
    which changes are judged."""
    eq, rows = start.equations, ends.reshape(-1, ends.shape[-1])
    n_q, n_u, n_z = len(eq.q), len(eq.u), len(eq.z)
    q, u, z = rows[:, :n_q], rows[:, n_q : n_q + n_u], rows[:, n_q + n_u : n_q + n_u + n_z]
    there = StateRows(eq, times.ravel(), q, u, z, start.r, start.p)
    total, kinetic = (
        derived_quantity(there, name, make).reshape(-1, 2)
        for name, make in (("energy", energy), ("kinetic energy", kinetic_energy))
    )
    return total[:, 1] - total[:, 0], kinetic.max(axis=1)


# --------------------------------------------------------------------------------------------------------- near a state


def state_in(form: Form, t: float, y: Array, p: Array) -> State:
    """The state of equations in variables and parameters of a form."""
    eq = form.equations
    n_q, n_u, n_z, n_p = len(eq.q), len(eq.u), len(eq.z), len(eq.p)
    q, u, z = np.split(y[: n_q + n_u + n_z], [n_q, n_q + n_u])
    return State(eq, t, q, u, z, p[n_p : n_p + len(eq.r)], p[:n_p])


def singular_near(state: State) -> tuple[str, ...]:
    """Joints that become dependent a little before or after a state, along its motion; empty if there are none."""
    if not state.equations.lam:
        return ()
    N, n = rows_of(state.equations).rate(*state.arguments)
    rates = N @ state.u + n
    speed = float(np.max(np.abs(rates) / np.maximum(np.abs(state.q), 1.0), initial=0.0))
    if not 0.0 < speed < np.inf:
        return ()
    reach = NEAR_SINGULAR / speed
    ends = np.array([np.concatenate([state.q + s * reach * rates, state.u, state.z]) for s in (-1, 1)])
    return _WayBetween(state, np.array([state.t - reach, state.t + reach]), ends, None).joints()


def is_singular_near(machine: Machine) -> bool:
    """Whether a machine stands near a singular position."""
    task = machine.task
    return bool(singular_near(state_in(task.form, machine.t, machine.y, task.p)))


# --------------------------------------------------------------------------------------------------- between two states


class _WayBetween:
    """A motion between two times, by its states there or between them."""

    def __init__(self, start: State, times: Array, ends: Array, between: States | None) -> None:
        self.start, self.times, self.ends, self._between = start, times, ends, between
        self.rows, self.n_q = rows_of(start.equations), len(start.q)
        self.first = self._slopes(ends[0], times[0])
        self.scale = sizes_of_rows(self.first)[:, None]
        self.rank = min(start.equations.rows.rank, *self.first.shape)

    def at(self, theta: float) -> tuple[float, Array]:
        """Time and state, straight where nothing else is known."""
        t = float(self.times[0] + theta * (self.times[1] - self.times[0]))
        return t, self.ends[0] + theta * (self.ends[1] - self.ends[0]) if self._between is None else self._between(t)

    def _slopes(self, y: Array, t: float) -> Array:
        s, n = self.start, self.n_q
        state = (t, y[:n], s.u, s.z, s.r, s.p)
        if self.rows.sparse is not None:
            return np.asarray(self.rows.sparse.speed(*state)[0].toarray())
        return self.rows.speed(*state)[0]

    def _jc(self, theta: float) -> Array:
        t, y = self.at(theta)
        return self._slopes(y, t) / self.scale

    def joints(self) -> tuple[str, ...]:
        """Joints that become dependent between the ends; empty if there are none."""
        if self.turns:
            factors = [np.linalg.svd(self._jc(theta)) for theta in np.linspace(0, 1, SAMPLES)]
            U, _, _ = min(factors, key=lambda f: f[1][self.rank - 1])
        elif self.dip is not None:
            U = np.linalg.svd(self._jc(self.dip))[0]
        else:
            return ()
        weights = np.abs(U[:, self.rank - 1])
        return tuple(dict.fromkeys(row.owner for row, w in zip(self.rows.speeds, weights, strict=True) if w > 0.05))

    @cached_property
    def turns(self) -> bool:
        """Whether an odd number of singular values passes zero between the ends."""
        return self._orientation(1.0) < 0

    @cached_property
    def dip(self) -> float | None:
        """Where an even number of them vanishes, as at dead positions where several loops are singular together: the
        smallest one falls at the beginning, rises at the end, and is zero between."""
        if not (self._least(EDGE) < self._least(0.0) and self._least(1.0 - EDGE) < self._least(1.0)):
            return None
        low, high = 0.0, 1.0
        for _ in range(BISECTIONS):
            first, second = low + (high - low) / 3, high - (high - low) / 3
            low, high = (low, second) if self._least(first) < self._least(second) else (first, high)
        return low if self._least(low) < DEPENDENT else None

    def _least(self, theta: float) -> float:
        """The smallest singular value that is not zero throughout, beside the largest."""
        values = np.linalg.svd(self._jc(theta), compute_uv=False)
        return float(values[self.rank - 1] / values[0])

    def _orientation(self, theta: float) -> float:
        """Negative where [Jc; Zᵀ] has another orientation than at the beginning, Z being the motions that are allowed
        there: between, it is singular, where Jc is."""
        before = self.first / self.scale
        rest = {d.row for d in RowSpace.of(before).dependent} if self.rank < len(before) else set()
        kept = [i for i in range(len(before)) if i not in rest]
        Z = np.linalg.svd(before)[2][self.rank :]
        if len(kept) + len(Z) != before.shape[1]:
            return 1.0
        signs = [np.linalg.slogdet(np.vstack([J[kept], Z]))[0] for J in (before, self._jc(theta))]
        return float(signs[0] * signs[1])

    def passage(self, joints: tuple[str, ...], change: float | None, scale: float) -> Passage:
        low, high = (0.0, 1.0) if self.turns or self.dip is None else (self.dip, self.dip)
        for _ in range(BISECTIONS if self.turns else 0):
            middle = 0.5 * (low + high)
            low, high = (low, middle) if self._orientation(middle) < 0 else (middle, high)
        t, y = self.at(high)
        names = (s.name for s in self.start.equations.q)
        coordinates = dict(zip(names, map(float, y[: self.n_q]), strict=True))
        return Passage(t, coordinates, joints, self._branches(t, y), change, scale)

    # ------------------------------------------------------------------------------------------------ branches

    def _branches(self, t: float, y: Array) -> tuple[State, ...]:
        """States beyond a singular position on each branch, that of the motion first; none where more than two
        directions are free there."""
        s, n = self.start, self.n_q
        u = y[n : n + len(s.u)]
        N, _ = self.rows.rate(t, y[:n], u, s.z, s.r, s.p)
        U, _, Vt = np.linalg.svd(self._slopes(y, t) / self.scale)
        Z, w = Vt[self.rank - 1 :], U[:, self.rank - 1]
        if len(Z) != 2:
            return ()

        def slopes(direction: Array) -> Array:
            moved = [np.concatenate([y[:n] + h * (N @ direction), y[n:]]) for h in (DIFFERENCE_STEP, -DIFFERENCE_STEP)]
            ahead, behind = (self._slopes(x, t) / self.scale for x in moved)
            return w @ (ahead - behind) / (2 * DIFFERENCE_STEP)

        Q = np.array([[slopes(a) @ b for b in Z] for a in Z])
        tangents = [c @ Z for c in _zeros_of_form(0.5 * (Q + Q.T))]
        tangents = [d if d @ u >= 0 else -d for d in tangents]
        tangents.sort(key=lambda d: -abs(float(d @ u)))
        found = [self._beyond(t, y, N @ d, float(d @ u)) for d in tangents]
        return tuple(state for state in found if state is not None)

    def _beyond(self, t: float, y: Array, direction: Array, speed: float) -> State | None:
        s, n = self.start, self.n_q
        moved = np.concatenate([y[:n] + BRANCH_DISTANCE * direction, y[n : n + len(s.u) + len(s.z)]])
        later = t + (BRANCH_DISTANCE / speed if speed > 0 else 0.0)
        settled = constraint_impulses(s.equations).onto_constraints(later, moved, s.p, s.r)
        if settled is None:
            return None
        q, u, z = np.split(settled[0], [n, n + len(s.u)])
        return State(s.equations, later, q, u, z, s.r, s.p, "beyond a singular position")


def _zeros_of_form(Q: Array) -> list[Array]:
    """Directions c, of length one, with cᵀ Q c = 0 for a symmetric Q of two rows: two where it is indefinite."""
    values, vectors = np.linalg.eigh(Q)
    if not values[0] < 0 < values[1]:
        return []
    a, b = np.sqrt(values[1]), np.sqrt(-values[0])
    return [(a * vectors[:, 0] + s * b * vectors[:, 1]) / np.hypot(a, b) for s in (1, -1)]
