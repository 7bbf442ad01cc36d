"""Second derivatives of Moreau-Jean steps along a direction, on the branch of the step.

A function g(θ) has beside its value the derivatives g_k along some columns, g_v along a direction v, and g_kv of both. Through
f(g) they become

    f_k = ∂f g_k,     f_v = ∂f g_v,     f_kv = ∂f g_kv + (d∂f/dv) g_k

The unknowns w of the midpoint (speeds and impulses) are an implicit function R(θ, w) = 0, which is differentiated twice:

    R_w w_k = -R_θ θ_k,     R_w w_kv = -(R_θ θ_kv + (dR_θ/dv) θ_k + (dR_w/dv) w_k)

R are the balance of momenta, the constraints, and of each row of contact or friction the equation of its branch: V = 0 where
it holds, x = 0 where it is apart, x = μN d with d = (x - mV) / |x - mV| where it slips; on the central path those of
`central_path.py`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from ...algebra.nonlinear.least_norm import least_norm
from ...emit.run.callable import Array
from ...errors import SimulationError
from ..complementarity.semismooth_newton import HOLDS, SLIPS
from ..kernels.march_records import DONE
from .contact_steps import ContactSteps, ContactWorker, varied_alone
from .second_order_programs import SecondOrderProgram, second_order_programs
from .step_schemes import CLOCK, StepRows

LEAST_SINGULAR: Final = 1e-11  # fraction of the largest singular value below which impulses are not determined
MISSED: Final = 1e-6  # fraction of the right sides by which equations that contradict each other are missed
ROUNDING: Final = 1e-11  # fraction of the largest right side that another one may be missed by


@dataclass(frozen=True)
class SecondVariation:
    """A value with its derivatives: by columns, along the direction, and both."""

    value: Any
    by: Array
    along: Any
    both: Array

    def __add__(self, other: SecondVariation) -> SecondVariation:
        return SecondVariation(*(a + b for a, b in zip(self.parts, other.parts, strict=True)))

    def __sub__(self, other: SecondVariation) -> SecondVariation:
        return self + -1.0 * other

    def __mul__(self, other: SecondVariation) -> SecondVariation:
        a, b = self, other
        both = a.value * b.both + b.value * a.both + a.along * b.by + b.along * a.by
        return SecondVariation(
            a.value * b.value, a.value * b.by + b.value * a.by, a.value * b.along + b.value * a.along, both
        )

    def __rmul__(self, factor: float) -> SecondVariation:
        return SecondVariation(*(factor * a for a in self.parts))

    def __getitem__(self, rows: Any) -> SecondVariation:
        return SecondVariation(*(a[rows] for a in self.parts))

    def power(self, k: float) -> SecondVariation:
        """The value to the power k."""
        slope, bend = k * self.value ** (k - 1), k * (k - 1) * self.value ** (k - 2)
        both = slope * self.both + bend * self.along * self.by
        return SecondVariation(self.value**k, slope * self.by, slope * self.along, both)

    @property
    def parts(self) -> tuple[Any, Array, Any, Array]:
        return self.value, self.by, self.along, self.both


def stacked(*parts: SecondVariation) -> SecondVariation:
    return SecondVariation(*(np.concatenate(a) for a in zip(*(p.parts for p in parts), strict=True)))


def one_under_another(rows: list[SecondVariation]) -> SecondVariation:
    return SecondVariation(*(np.array(a) for a in zip(*(r.parts for r in rows), strict=True)))


class SecondOrderSteps:
    """Memory and programs for second derivatives with respect to the columns of a scheme, whose inputs are held."""

    def __init__(self, scheme: ContactSteps, row: Array, starts: Array) -> None:
        self._scheme, self._substeps = replace(scheme, substeps=1), scheme.substeps
        self._programs = second_order_programs(scheme.table, scheme.seeds, scheme.smoothing, scheme.h)
        self._rows = StepRows(self._scheme, row, 1)
        self._worker = ContactWorker(self._scheme, self._rows)
        self._n = len(scheme.equations.state)
        self._rows.y[0, self._n :] = starts
        size = self._n + len(scheme.seeds)
        self._unit = np.eye(size)[:, varied_alone(scheme, *scheme.changes())]

    def taken(self, state: Array, given: Array, along: Array) -> SecondVariation:
        """The state after a step, with derivatives along the columns; `along` has a number for each of them."""
        theta = SecondVariation(np.zeros(len(self._unit)), self._unit, self._unit @ along, 0.0 * self._unit)
        theta.value[: self._n] = state
        row, clock = given.copy(), self._scheme.parameters.index(CLOCK)
        for k in range(self._substeps):
            row[clock] = given[clock] + k * self._scheme.h
            theta = stacked(self._one(theta, row), theta[self._n :])
        return theta[: self._n]

    def _one(self, theta: SecondVariation, row: Array) -> SecondVariation:
        scheme, n, t = self._scheme, self._n, row[self._scheme.parameters.index(CLOCK)]
        eq, h = scheme.equations, scheme.h
        self._rows.y[0, :n], self._rows.given[0] = theta.value[:n], row
        self._worker.run(0, 1)
        if self._rows.notes[0, 0] != DONE:
            return SecondVariation(*(np.full(a[:n].shape, np.nan) for a in theta.parts))
        numbers = [
            np.array([row[scheme.place(s)] for s in eq.r]),
            np.array([row[scheme.parameters.index(s)] for s in eq.p]),
        ]
        constants = [x for x in numbers if len(x)]
        q, u, seeds = slice(0, len(eq.q)), slice(len(eq.q), len(eq.q) + len(eq.u)), slice(n, None)
        z = slice(u.stop, n)
        middle = stacked(self._half_step_on(theta, t, constants), theta[u.start :])
        speeds, drift = self._at_midpoint(middle, t + 0.5 * h, constants)
        after = stacked(middle[q], speeds, middle[z] + h * drift, theta[seeds])
        return stacked(self._half_step_on(after, t + h, constants), after[u.start : n])

    def _half_step_on(self, theta: SecondVariation, t: float, constants: list[Array]) -> SecondVariation:
        """Coordinates q + h/2 q', with Euler parameters normalised."""
        q = theta[: len(self._scheme.equations.q)]
        if self._programs.rates is None:
            return q
        out = q + 0.5 * self._scheme.h * self._through(
            self._programs.rates, theta, (t, theta.value[: self._n]), constants
        )
        for e in self._scheme.equations.variables.quaternions:
            at = [v.index for v in e]
            square = [out[i] * out[i] for i in at]
            size = (square[0] + square[1] + square[2] + square[3]).power(-0.5)
            for i in at:
                for whole, part in zip(out.parts, (out[i] * size).parts, strict=True):
                    whole[i] = part
        return out

    @staticmethod
    def _through(
        f: SecondOrderProgram, x: SecondVariation, head: tuple[Any, ...], constants: list[Array]
    ) -> SecondVariation:
        value, first, second = f(*head, x.along, *constants)
        return SecondVariation(value, first @ x.by, first @ x.along, first @ x.both + second @ x.by)

    def _at_midpoint(
        self, theta: SecondVariation, t: float, constants: list[Array]
    ) -> tuple[SecondVariation, SecondVariation]:
        """The speeds after the step, and z'."""
        eq, program, k = self._scheme.equations, self._programs.point, len(theta.value)
        head, w = self._unknowns(theta, t, constants)
        n, first = k + len(w), len(w) - self._scheme.rows
        unit = SecondVariation(np.append(theta.value, w), np.eye(n), np.zeros(n), np.zeros((n, n)))
        R = self._branch(self._through(program, unit, head, constants), unit[k + first :])
        solve = BranchSolution(R.by[:, k:], len(eq.u))
        moves = -solve(R.by[:, :k] @ np.column_stack([theta.by, theta.along]))
        by, along = moves[:, :-1], moves[:, -1]
        moved = stacked(theta, SecondVariation(w, by, along, 0.0 * by))
        found = self._through(program, moved, head, constants)
        bent = SecondVariation(w, by, along, -solve(self._branch(found, moved[k + first :]).both))
        return bent[: len(eq.u)], found[len(found.value) - len(eq.z) :]

    def _unknowns(self, theta: SecondVariation, t: float, constants: list[Array]) -> tuple[tuple[Any, ...], Array]:
        """What the program of the midpoint is given before the direction; and w: u⁺, ν and x."""
        memory, cones, rows = self._worker.record.variations, len(self._scheme.table.frictions), self._scheme.rows
        x, part = memory.impulses[:rows], memory.part[:rows]
        static, after = memory.static[: max(cones, 1)], memory.after[: len(self._scheme.equations.u)]
        head = (t, theta.value[: self._n], self._scheme.h, x, part, static, after)
        if self._programs.multipliers is None:
            return (*head, np.zeros(1)), np.concatenate([after, x])
        nu = np.ravel(self._programs.multipliers(*head, *constants))
        return (*head, nu), np.concatenate([after, nu, x])

    def _branch(self, found: SecondVariation, x: SecondVariation) -> SecondVariation:
        """R: the balance of momenta and constraints, then an equation for each row."""
        record, table = self._worker.record, self._scheme.table
        s, active = record.steps, record.variations.active
        balance, contacts = len(s.free) + len(table.base.lam), len(table.contacts)
        V, limits = found[balance:], found[balance + self._scheme.rows :]
        out: list[SecondVariation] = []
        for k in range(contacts):
            if self._scheme.smoothing:
                out.append(x[k] * V[k])
            else:
                out.append(V[k] if active[k] >= 0 and s.branches.kind[active[k]] == HOLDS else x[k])
        cone = 0
        for c, f in enumerate(table.frictions):
            rows = range(len(out), len(out) + len(f.slip))
            if active[rows[0]] < 0:
                out += [x[k] for k in rows]
                continue
            if self._scheme.smoothing:
                energy = self._scheme.energy[rows[0]]
                out += central_cone([x[k] for k in rows], [V[k] for k in rows], limits[c], energy)
            elif s.branches.kind[active[rows[0]]] == SLIPS:
                out += slipping([x[k] for k in rows], [V[k] for k in rows], limits[c], s.problem.mobility[cone])
            else:
                out += [V[k] for k in rows]
            cone += 1
        return stacked(found[:balance], one_under_another(out)) if out else found[:balance]


def slipping(
    x: list[SecondVariation], V: list[SecondVariation], limit: SecondVariation, mobility: float
) -> list[SecondVariation]:
    """x - μN d, with d = (x - V/a) / |x - V/a|."""
    w = [a - 1.0 / mobility * b for a, b in zip(x, V, strict=True)]
    if len(w) == 1:
        return [x[0] - float(np.sign(w[0].value)) * limit]
    size = (w[0] * w[0] + w[1] * w[1]).power(-0.5)
    return [a - limit * size * b for a, b in zip(x, w, strict=True)]


def central_cone(
    x: list[SecondVariation], V: list[SecondVariation], limit: SecondVariation, energy: float
) -> list[SecondVariation]:
    """V (s² - |x|²) + 2 κ x, with s = μN."""
    room = limit * limit
    for a in x:
        room = room - a * a
    return [v * room + 2.0 * energy * a for v, a in zip(V, x, strict=True)]


class BranchSolution:
    """Solutions of A y = b, of least size where they are not unique, for A with rows and columns of one size. The first
    `unique` numbers of y have to be."""

    def __init__(self, A: Array, unique: int) -> None:
        rows, columns = np.ones((A.shape[0], 1)), np.ones((A.shape[1], 1))
        for _ in range(3):
            B = abs(rows * A * columns.T)
            rows /= np.sqrt(np.maximum(B.max(axis=1, keepdims=True), 1e-300))
            columns /= np.sqrt(np.maximum(B.max(axis=0)[:, None], 1e-300))
        self._A, self._rows, self._columns = rows * A * columns.T, rows, columns
        free = np.eye(len(A)) - least_norm(self._A, self._A, LEAST_SINGULAR)
        if abs(free[:unique]).max(initial=0.0) > MISSED:
            raise SimulationError(
                "second_derivatives: the contacts that slide do not determine the motion (bodies on more than three points that "
                "turn while they slide); let fewer points of a body touch, or smooth the step with stepper(..., smoothing=)"
            )

    def __call__(self, b: Array) -> Array:
        right = self._rows * b.reshape(len(b), -1)
        y = least_norm(self._A, right, LEAST_SINGULAR)
        size, missed = (abs(a).max(axis=0, initial=0.0) for a in (right, self._A @ y - right))
        if (missed > MISSED * size + ROUNDING * size.max(initial=0.0)).any():
            raise SimulationError(
                "second_derivatives: contacts that hold contradict each other as soon as the state changes (feet of a tilted body "
                "that stick and rebound); set their restitution to zero, or smooth the step with stepper(..., smoothing=)"
            )
        return (self._columns * y).reshape(b.shape)
