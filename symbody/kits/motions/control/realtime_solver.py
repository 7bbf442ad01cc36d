"""Real-time iterations: a fixed number of primal-dual interior-point steps from the last solution, for a new start.

With slacks s of the rows that are inequalities, y = (z, s) and the equations e(y) = 0, a step solves (Nocedal and Wright
2006, chapter 19)

    [ ∂²L/∂y² + Σ   Eᵀ ] [ Δy ]     [ ∇f + Eᵀλ - μ/(y - l) + μ/(u - y) ]
    [ E             0  ] [ Δλ ] = - [ e                                ]

Unknowns and rows in the order of time make this matrix banded: the work is linear in the number of intervals.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import scipy  # loads its parts when they are used

import symbody as sb

from ....argument_kinds import answered_class
from ....errors import finite_number, shown, unknown
from ....summary import Summarized, Summary, summary_rows
from ..results.optimal_motion import OptimalMotion
from ..transcription.complementarity import relaxed_program
from ..transcription.node_functions import Array
from ..transcription.sparse_program import ProgramValues

TO_BOUNDARY: Final = 0.995  # part of the way to a bound that a step may go
INSIDE: Final = 1e-6  # least distance from a bound at the start, relative to the width between them
BARRIER: Final = 1e-6  # smallest barrier parameter, relative to the size of the cost
REGULARISATION: Final = 1e-10  # on the diagonal, for rows that depend on each other


@dataclass(frozen=True, repr=False, eq=False)
class ControlStep(Summarized):
    """The result of a real-time step: `inputs` at the start by name, `violation` of the equations and of optimality
    (`residual`) after the last iteration, and the `cost`.

    >>> x, F = sb.symbols("x F", kind="variable")
    >>> problem = sb.kits.motions.Problem("drift")
    >>> go = problem.phase("go", sb.from_equations({x: F}, inputs=[F]), 1.0).start(x=0).end(x=1)
    >>> control = go.cost("effort", integral=F**2) and problem.realtime(5, iterations=4)
    >>> step = control.step(x=0.5)
    >>> step.inputs, step.violation < 1e-6, step.residual < 1e-5, step.cost
    ({'F': 0.5}, True, True, 0.25)

    See also: `kits.motions.RealTimeSolver`.
    """

    inputs: Mapping[str, float]
    cost: float
    violation: float
    residual: float

    def _summary(self) -> Summary:
        rows = summary_rows(
            inputs=", ".join(f"{k} = {v:z.6g}" for k, v in self.inputs.items()),
            violation=f"{self.violation:z.3g}",
            residual=f"{self.residual:z.3g}",
        )
        return Summary(f"Step of a controller: cost {self.cost:z.6g}", rows)


@answered_class
class RealTimeSolver(Summarized):
    """A motion that is optimal from one start, improved for others while the machine runs (model predictive control);
    made by `Problem.realtime`. `motion` is the optimal motion that it began with, `z` the unknowns now.

    >>> x, v, F = sb.symbols("x v F", kind="variable")
    >>> problem = sb.kits.motions.Problem("cart")
    >>> go = problem.phase("go", sb.from_equations({x: v, v: F}, inputs=[F]), 2.0).start(x=1, v=0).bounds(F=(-1, 1))
    >>> control = go.cost("state", integral=x**2 + v**2 + 0.1 * F**2) and problem.realtime(10, iterations=8)
    >>> there = {"x": 0.5, "v": 0.2}
    >>> again = go.start(there) and problem.solve(10)
    >>> abs(control.step(there).cost - again.objective) < 1e-5, control.bandwidth, control.motion.name, len(control.z) > 50
    (True, 15, 'cart', True)

    See also: `kits.motions.Problem`, `kits.motions.ControlStep`.
    """

    def __init__(self, motion: OptimalMotion, iterations: int) -> None:
        made = motion.transcription
        p = relaxed_program(made)
        self.motion, self.iterations, self._made, self._program = motion, iterations, made, p
        (self._mesh,) = made.meshes.values()
        self._starts = {
            s.name: int(self._mesh.index[0, j])
            for s, j in self._mesh.place.items()
            if s in self._mesh.phase.form.states
        }
        self.z = motion.solution.z.copy()
        held = p.low == p.high
        held[list(self._starts.values())] = True
        self._free = np.flatnonzero(~held)
        self._ranged = np.flatnonzero(p.row_low < p.row_high)
        self._low = np.concatenate([p.low[self._free], p.row_low[self._ranged]])
        self._high = np.concatenate([p.high[self._free], p.row_high[self._ranged]])
        self._lam = motion.solution.row_multipliers.copy()
        self._s = p.first(self.z).rows[self._ranged]
        self._order()

    def _summary(self) -> Summary:
        rows = summary_rows(
            unknowns=str(len(self._free) + len(self._ranged)), rows=str(len(self._lam)), bandwidth=str(self.bandwidth), iterations=str(self.iterations)
        )  # fmt: skip
        return Summary(f"Real-time solver of {self.motion.name}", rows)

    def _order(self) -> None:
        """Places of all entries in the band."""
        p, (m, n) = self._program, self._program.linear.shape
        time = np.full(n, -1.0)
        time[self._mesh.index] = np.arange(len(self._mesh.index))[:, None]
        J, H = p.jacobian_pattern, p.hessian_pattern
        of_row = np.zeros(m)
        np.maximum.at(of_row, J.rows, time[J.columns])
        nf, ns = len(self._free), len(self._ranged)
        key = np.concatenate([time[self._free], of_row[self._ranged] + 0.2, of_row + 0.1])
        place = np.empty(nf + ns + m, np.intp)
        place[np.argsort(key, kind="stable")] = np.arange(nf + ns + m)
        column = np.full(n, -1)
        column[self._free] = np.arange(nf)
        jac, hess = column[J.columns] >= 0, (column[H.rows] >= 0) & (column[H.columns] >= 0)
        self._jac, self._hess = np.flatnonzero(jac), np.flatnonzero(hess)
        a, b = place[column[H.rows[hess]]], place[column[H.columns[hess]]]
        c, r = place[column[J.columns[jac]]], place[nf + ns + J.rows[jac]]
        s, t = place[nf : nf + ns], place[nf + ns + self._ranged]
        off = a != b
        self._off = np.flatnonzero(off)
        rows = np.concatenate([a, b[off], r, c, s, t])
        columns = np.concatenate([b, a[off], c, r, t, s])
        self.bandwidth = int(np.abs(rows - columns).max(initial=0))
        size = len(place)
        self._flat = (self.bandwidth + rows - columns) * size + columns
        self._diagonal = self.bandwidth * size + place
        self._place, self._shape = place, (2 * self.bandwidth + 1, size)

    def step(self, state: Mapping[Any, Any] | None = None, *, shift: float = 0.0, **named: Any) -> ControlStep:
        """Improve the motion for a new start, by a fixed number of iterations.

        state   states by name; others keep their values
        shift   seconds since the last step: the last motion is moved by so much before it is improved

        >>> x, F = sb.symbols("x F", kind="variable")
        >>> problem = sb.kits.motions.Problem("drift")
        >>> go = problem.phase("go", sb.from_equations({x: F}, inputs=[F]), 1.0).start(x=1)
        >>> control = go.cost("cost", integral=x**2 + F**2) and problem.realtime(10, iterations=3)
        >>> control.step(x=0.9, shift=0.1).residual < 1e-4
        True
        """
        if shift:
            self._move(finite_number(shift, "step, shift", sb.ModelError))
        for key, value in {**(state or {}), **named}.items():
            name = getattr(key, "name", key)
            if name not in self._starts:
                raise unknown(f"motion {self.motion.name!r}, step", "state", str(name), self._starts, sb.ModelError)
            self.z[self._starts[name]] = finite_number(value, f"step, {name}", sb.ModelError)
        for _ in range(self.iterations):
            self._iterate()
        now = self._program.first(self.z)
        e, slope = self._equations(now.rows), self._slope(now)
        first = self._mesh.index[0]
        inputs = {s.name: float(self.z[first[self._mesh.place[s]]]) for s in self._mesh.phase.form.inputs}
        return ControlStep(inputs, now.cost, float(np.abs(e).max(initial=0)), float(np.abs(slope).max(initial=0)))

    def _move(self, shift: float) -> None:
        mesh, z = self._mesh, self.z[self._mesh.index]
        at = mesh.at + shift / float(self.z[next(iter(self._made.duration.values()))])
        for j in range(mesh.width):
            self.z[mesh.index[1:, j]] = np.interp(at, mesh.at, z[:, j])[1:]

    def _equations(self, rows: Array) -> Array:
        e: Array = rows - self._program.row_low
        e[self._ranged] = rows[self._ranged] - self._s
        return e

    def _slope(self, now: ProgramValues) -> Array:
        """Gradient of the Lagrangian that bounds do not explain."""
        total = now.gradient + self._program.jacobian_pattern.matrix(now.jacobian).T @ self._lam
        out = np.concatenate([total[self._free], -self._lam[self._ranged]])
        y = np.concatenate([self.z[self._free], self._s])
        near = 1e-4 * np.maximum(1.0, np.abs(y))
        out[(y - self._low < near) & (out > 0)] = 0.0
        out[(self._high - y < near) & (out < 0)] = 0.0
        return out

    def _iterate(self) -> None:
        p, nf = self._program, len(self._free)
        y = self._inside(np.concatenate([self.z[self._free], self._s]))
        self.z[self._free], self._s = y[:nf], y[nf:]
        now, H = p.first(self.z), p.hessian(self.z, 1.0, self._lam)
        mu = BARRIER * max(1.0, abs(now.cost))
        below, above = y - self._low, self._high - y
        slope = np.zeros(p.linear.shape[1])
        np.add.at(slope, p.jacobian_pattern.columns, now.jacobian * self._lam[p.jacobian_pattern.rows])
        slope += now.gradient
        ahead = np.concatenate([slope[self._free], -self._lam[self._ranged]])
        # multipliers of bounds from the slope where it presses on them, and those of the barrier elsewhere
        lower, upper = np.maximum(ahead, 0) + mu / below, np.maximum(-ahead, 0) + mu / above
        curved = np.where(np.isfinite(below), lower / below, 0) + np.where(np.isfinite(above), upper / above, 0)
        right = np.concatenate([ahead - mu / below + mu / above, self._equations(now.rows)])
        step = self._solution(H, now.jacobian, curved, right)
        dy, dlam = step[: len(y)], step[len(y) :]
        with np.errstate(divide="ignore", invalid="ignore"):
            room = np.where(dy < 0, below / -dy, np.where(dy > 0, above / dy, np.inf))
        length = min(1.0, TO_BOUNDARY * float(room.min(initial=np.inf)))
        y = y + length * dy
        self.z[self._free], self._s = y[:nf], y[nf:]
        self._lam = self._lam + dlam

    def _inside(self, y: Array) -> Array:
        width = np.where(np.isfinite(self._high - self._low), self._high - self._low, 1.0)
        gap = np.minimum(INSIDE * np.maximum(width, 1e-12), width / 4)
        return np.clip(y, self._low + gap, self._high - gap)

    def _solution(self, H: Array, J: Array, curved: Array, right: Array) -> Array:
        band = np.zeros(self._shape)
        h, j, minus = H[self._hess], J[self._jac], np.full(len(self._ranged), -1.0)
        np.add.at(band.reshape(-1), self._flat, np.concatenate([h, h[self._off], j, j, minus, minus]))
        n = len(curved)
        flat = band.reshape(-1)
        flat[self._diagonal[:n]] += curved + REGULARISATION
        flat[self._diagonal[n:]] -= REGULARISATION
        ordered = np.empty(len(right))
        ordered[self._place] = -right
        try:
            out: Array = scipy.linalg.solve_banded((self.bandwidth, self.bandwidth), band, ordered, check_finite=False)[
                self._place
            ]
        except np.linalg.LinAlgError:
            out = np.full(len(right), np.nan)
        if not np.isfinite(out).all():
            raise sb.errors.StudyError(
                f"motion {self.motion.name!r}, step: the linear system of an iteration is singular; begin again with realtime()"
            )
        return out


def realtime_solver(motion: OptimalMotion, iterations: Any) -> RealTimeSolver:
    """Checked: one phase of fixed duration, without chosen parameters."""
    made, where = motion.transcription, f"motion {motion.name!r}, realtime"
    if isinstance(iterations, bool) or not isinstance(iterations, int) or iterations < 1:
        raise sb.ModelError(f"{where}: iterations= must be a positive whole number, got {shown(iterations)}")
    if len(made.meshes) != 1 or made.parameter or made.repetitions or made.links:
        raise sb.ModelError(f"{where}: is for one phase, without chosen parameters and repetitions")
    low, high = next(iter(made.meshes.values())).phase.duration_range
    if low < high:
        raise sb.ModelError(
            f"{where}: is for a fixed duration, got {low:g} to {high:g} s; fix it at {next(iter(motion.durations.values())):z.6g} s"
        )
    if not motion.outcome:
        raise sb.errors.StudyError(f"{where}: there is no motion to begin with: {motion.outcome}")
    return RealTimeSolver(motion, iterations)
