"""Variational integrators with a fixed step, for long conservative runs (Marsden and West 2001).

The action over a step is taken by the midpoint rule, L_d = h L(q̄, v, t̄) with q̄ = (q0 + q1)/2, v = (q1 - q0)/h. With p = ∂T/∂u the momenta,
the discrete equations are (1.3.1, 3.2; loads without potential at the midpoint, 3.2.5)

    p0 = p(q̄, v, t̄) - h/2 (T_q + Q)(q̄, v, t̄) - h/2 G(q0)ᵀ lam0        phi(q1) = 0
    p1 = p(q̄, v, t̄) + h/2 (T_q + Q)(q̄, v, t̄) + h/2 G(q1)ᵀ lam1        G(q1) u1 + b = 0,   p1 = p(q1, u1)

so that every step ends on the constraints of positions and of speeds (RATTLE). T_q + Q = f + p' where u' = 0 in p'. The map is symplectic and
symmetric: energy errors stay bounded, momenta of symmetries are kept, and going back returns. Symmetric compositions of it have orders 4
and 6 (Hairer, Lubich, Wanner V.3).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np

from ..algebra.derivatives import directional_derivative, gradient, jacobian
from ..algebra.graph import HALF, ONE, ZERO, Expr, Symbol, symbol
from ..algebra.linear import factorize, solve
from ..algebra.matrix import Matrix, stack
from ..algebra.walk import substitute, substitute_all
from ..derive.energies import kinetic_energy
from ..derive.equations import Equations
from ..emit.loops.language import Function, Indices, Numbers, is_finite, unrolled
from ..emit.run.callable import Compiled
from ..emit.run.loop_callee import LoopCallee, program_callee
from ..errors import SimulationError, listed, shown
from .accelerations import accelerations, inertia, rows
from .explicit import (
    AT_EVENT,
    CAPACITY,
    COUNTS,
    DONE,
    END,
    EVALUATIONS,
    EVENT,
    GOES_ON,
    JACOBIANS,
    NOT_CONVERGED,
    NOT_FINITE,
    POINTS,
    REQUESTED,
    START,
    STEPS,
    H,
    T,
    first_crossing,
    refinement,
    standing,
    store,
)
from .forms import Form
from .machine import Memory, Task, controls, sides, watching

NAME: Final = "discrete"
PIECES: Final = 4
MOST: Final = 40  # Newton steps

_SUZUKI: Final = 1 / (4 - 4 ** (1 / 3))
_KAHAN_LI: Final = (0.39216144400731413928, 0.33259913678935943860, -0.70624617255763935981, 0.08221359629355080023)
COMPOSITIONS: Final[Mapping[int, tuple[float, ...]]] = {  # parts of a step, by order
    2: (1.0,),
    4: (_SUZUKI, _SUZUKI, 1 - 4 * _SUZUKI, _SUZUKI, _SUZUKI),
    6: (*_KAHAN_LI, 1 - 2 * sum(_KAHAN_LI), *reversed(_KAHAN_LI)),
}

# ---------------------------------------------------------------------------------------------------------- the form


@dataclass(frozen=True, eq=False)
class DiscreteForm(Form):
    """The discrete equations of a step, as programs; the rates are those of the motion, for what lies between steps."""

    order: int = 2

    @property
    def settles(self) -> bool:
        return False

    @cached_property
    def _momenta(self) -> Matrix:
        return gradient(kinetic_energy(self.equations), self.equations.u)

    @property
    def _constraints(self) -> Matrix:
        return rows(self.equations.Jc, self.chosen)

    @cached_property
    def beginning(self) -> Compiled:
        """p0 and G(q0) of a state."""
        return self.compiled("beginning", {"momenta": self._momenta, "G": list(self._constraints.entries)})

    @cached_property
    def _midpoint(self) -> tuple[tuple[Symbol, ...], Symbol, Matrix, Matrix]:
        """Symbols of v and h; p, and h/2 (T_q + Q), at the midpoint."""
        eq = self.equations
        v = tuple(symbol(f"{q.identifier}_mean_rate", "variable") for q in eq.q)
        h = symbol("step_length", "variable")
        push = eq.f + directional_derivative(self._momenta, {**dict(zip(eq.q, eq.u, strict=True)), eq.t: ONE})
        middle = {q: q + HALF * h * x for q, x in zip(eq.q, v, strict=True)}
        table = {**middle, **dict(zip(eq.u, v, strict=True)), eq.t: eq.t + HALF * h}
        momenta, push = substitute_all([self._momenta, push], table)
        return v, h, momenta, (HALF * h) * push

    @cached_property
    def newton(self) -> Compiled:
        """One Newton step for (v, lam0): new values, and the sums of |δv|, |v|, |residual|."""
        eq, n, k = self.equations, len(self.equations.q), len(self.chosen)
        v, h, momenta, push = self._midpoint
        lam = tuple(symbol(f"push_{i + 1}", "multiplier") for i in range(k))
        p0 = tuple(symbol(f"momentum_{i + 1}", "variable") for i in range(n))
        slopes = tuple(symbol(f"slope_{i + 1}_{j + 1}", "variable") for i in range(k) for j in range(n))
        residual = momenta - push - Matrix(n, 1, p0)
        unknown = (*v, *lam)
        if k:
            residual = residual - (HALF * h) * (Matrix(k, n, slopes).T @ Matrix(k, 1, lam))
            ahead = {**{q: q + h * x for q, x in zip(eq.q, v, strict=True)}, eq.t: eq.t + h}
            residual = stack(residual, substitute(rows(eq.phi, self.chosen), ahead) / h)
        step = solve(jacobian(residual, unknown), residual)
        new = Matrix(n + k, 1, unknown) - step
        note = [_sum(step.entries[:n]), _sum(v), _sum(residual.entries)]
        return self.compiled(
            "newton", {"new": new, "note": note}, None, {"x": list(unknown), "h": h, "p0": list(p0), "G": list(slopes)}
        )

    @cached_property
    def ending(self) -> Compiled:
        """(q1, u1) from the state at the beginning and v."""
        eq = self.equations
        v, h, momenta, push = self._midpoint
        q1 = [q + h * x for q, x in zip(eq.q, v, strict=True)]
        ahead = {**dict(zip(eq.q, q1, strict=True)), eq.t: eq.t + h}
        still = substitute(self._momenta, dict.fromkeys(eq.u, ZERO))
        M, G, b, still = substitute_all([inertia(eq), self._constraints, rows(eq.b, self.chosen), still], ahead)
        factors = factorize(M, "definite")
        u1 = factors.solve(momenta + push - still)
        if self.chosen:
            pushed = factors.solve(G.T)
            u1 = u1 - pushed @ solve(G @ pushed, G @ u1 + b, "definite")
        return self.compiled("ending", {"new": [*q1, *u1.entries]}, None, {"x": list(v), "h": h})


def _sum(entries: tuple[Expr, ...]) -> Expr:
    return sum((abs(e) for e in entries[1:]), abs(entries[0])) if entries else ZERO


def discrete_form(eq: Equations, chosen: tuple[int, ...], order: int) -> DiscreteForm:
    """The discrete equations, where they exist."""
    where = f"simulate {eq.name!r}, method='variational'"
    if order not in COMPOSITIONS:
        raise SimulationError(f"{where}: order is {listed(COMPOSITIONS)}, got {shown(order)}")
    if tuple(eq.rates.entries) != eq.u or not eq.q:
        strange = [q.identifier for q, e in zip(eq.q, eq.rates.entries, strict=True) if e not in eq.u]
        raise SimulationError(
            f"{where}: speeds must be the rates of the coordinates, one for each; those of {listed(strange or eq.q)} are not. "
            "Use angles instead of Euler parameters, and equations before `minimal`; or another method"
        )
    if nonholonomic := [s.identifier for i, s in enumerate(eq.lam) if i >= len(eq.phi.entries)]:
        raise SimulationError(
            f"{where}: constraints on speeds alone ({listed(nonholonomic)}) have no discrete action; use another method"
        )
    if eq.z:
        raise SimulationError(
            f"{where}: the additional variables {listed(eq.z)} have no discrete action; use another method"
        )
    if eq.dropped:
        raise SimulationError(f"{where}: linearised equations do not come from their energy; use another method")
    udot, _ = accelerations(eq, chosen)
    return DiscreteForm(NAME, eq, eq.state, [*eq.rates.entries, *udot.entries], chosen, order=order)


# ---------------------------------------------------------------------------------------------------------- kernels


def substep(n: int, k: int, t: float, h: float, y: Numbers, out: Numbers, x: Numbers, before: Numbers, momenta: Numbers, G: Numbers,
            new: Numbers, note: Numbers, counts: Indices, beginning: Function, newton: Function, ending: Function) -> int:  # fmt: skip
    """One symmetric map of order 2 from y to out. `x` has (v, lam0) of the last one, which took `before[0]`."""
    beginning((t, y), (momenta, G))
    ratio = h / before[0] if before[0] != 0.0 else 0.0
    for i in range(n):
        x[i] = y[n + i] + ratio * (y[n + i] - x[i])
    last = 0.0
    for iteration in range(MOST):
        newton((t, y, x, h, momenta, G), (new, note))
        counts[JACOBIANS] = counts[JACOBIANS] + 1
        if not is_finite(note[2]):
            return NOT_FINITE
        if not is_finite(note[0]):
            return NOT_CONVERGED
        for i in range(n + k):
            x[i] = new[i]
        size = 0.0
        for i in range(n):
            size = size + abs(y[i])
        size = max(note[1], 1e-8 * size / abs(h))
        if note[0] <= 1e-13 * size:  # 1e-8 would do, but at the fixed point itself the roundings of both halves cancel
            break
        if iteration > 1 and note[0] >= 0.5 * last and note[0] <= 1e-6 * size:
            break  # rounding
        if iteration == MOST - 1:
            return NOT_CONVERGED
        last = note[0]
    ending((t, y, x, h), (out,))
    before[0] = h
    return DONE


def take(n: int, k: int, parts: int, shares: Numbers, t: float, h: float, y: Numbers, end: Numbers, scratch: Numbers, x: Numbers,
         before: Numbers, momenta: Numbers, G: Numbers, new: Numbers, note: Numbers, counts: Indices, beginning: Function,
         newton: Function, ending: Function) -> int:  # fmt: skip
    """A step: symmetric maps one after another."""
    at = t
    for i in range(2 * n):
        end[i] = y[i]
    for s in unrolled(parts):
        for i in range(2 * n):
            scratch[i] = end[i]
        status: int = substep(
            n, k, at, shares[s] * h, scratch, end, x, before, momenta, G, new, note, counts, beginning, newton, ending
        )
        if status != DONE:
            return status
        at = at + shares[s] * h
    return DONE


def polynomial(n: int, t: float, h: float, y: Numbers, end: Numbers, rates: Numbers, r: Numbers, rhs: Function) -> None:
    """Cubic between the ends, with the rates there."""
    after: Numbers = rates[n:]
    rhs((t, y), (rates,))
    rhs((t + h, end), (after,))
    for i in range(n):
        change = end[i] - y[i]
        bend = h * rates[i] - change
        r[i] = y[i]
        r[n + i] = change
        r[2 * n + i] = bend
        r[3 * n + i] = change - h * after[i] - bend


def march(
    n: int, k: int, parts: int, shares: Numbers, stored: int, watches: int,
    control: Numbers, counts: Indices, y: Numbers, w: Numbers,
    times: Numbers, at_times: Numbers, row_times: Numbers, rows: Numbers, polynomials: Numbers,
    watched: int, g: Numbers, side: Numbers, sense: Indices,
    rhs: Function, beginning: Function, newton: Function, ending: Function, watch: Function,
) -> int:  # fmt: skip
    """Steps until something happens, as `explicit.march`; n is the number of coordinates, k that of constraints."""
    end: Numbers = w[0:]
    scratch: Numbers = w[2 * n :]
    rates: Numbers = w[4 * n :]
    r: Numbers = w[8 * n :]
    momenta: Numbers = w[16 * n :]
    before: Numbers = w[17 * n :]
    note: Numbers = w[17 * n + 1 :]
    x: Numbers = w[17 * n + 4 :]
    new: Numbers = w[18 * n + k + 4 :]
    G: Numbers = w[19 * n + 2 * k + 4 :]
    while True:
        t = control[T]
        left = control[END] - t
        ended: int = standing(control, counts)
        if ended != GOES_ON:
            return ended
        h = control[H]
        is_last: int = 0
        if abs(h) * 1.000001 >= abs(left):
            h = left
            is_last = 1
        status: int = take(n, k, parts, shares, t, h, y, end, scratch, x, before, momenta, G, new, note, counts, beginning, newton, ending)  # fmt: skip
        if status != DONE:
            return status
        after = control[END] if is_last == 1 else t + h
        has_point: int = 0
        if counts[POINTS] < counts[REQUESTED] and (times[counts[POINTS]] - after) * h < 0.0:
            has_point = 1
        if stored == 1 or watches == 1 or has_point == 1:
            polynomial(2 * n, t, h, y, end, rates, r, rhs)
            counts[EVALUATIONS] = counts[EVALUATIONS] + 2
        occurred: int = 0
        if watches == 1:
            theta = first_crossing(2 * n, PIECES, watched, t, h, r, scratch, g, side, sense, counts, watch)
            if theta < 2.0:
                occurred = 1
                after = event_step(
                    n, k, parts, shares, t, h, theta, y, end, scratch, x, before, momenta, G, new, note, counts, g,
                    beginning, newton, ending, watch,
                )  # fmt: skip
                polynomial(2 * n, t, after - t, y, end, rates, r, rhs)
        store(2 * n, PIECES, stored, 0, left, t, after, end, r, scratch, note, counts, times, at_times, row_times, rows, polynomials,
              rhs)  # fmt: skip
        for i in range(2 * n):
            y[i] = end[i]
        control[START] = t
        control[T] = after
        counts[STEPS] = counts[STEPS] + 1
        if occurred == 1:
            return AT_EVENT


def event_step(n: int, k: int, parts: int, shares: Numbers, t: float, h: float, theta: float, y: Numbers, end: Numbers,
               scratch: Numbers, x: Numbers, before: Numbers, momenta: Numbers, G: Numbers, new: Numbers, note: Numbers,
               counts: Indices, g: Numbers, beginning: Function, newton: Function, ending: Function, watch: Function) -> float:  # fmt: skip
    """Shorten the step to the event, by true steps from its start; see `explicit.event_step`. Returns the time of the event."""
    j: int = counts[EVENT]
    length = theta * h
    aside = (length - 1e-3 * h) if theta > 0.5 else (length + 1e-3 * h)
    before[0] = 0.0
    take(n, k, parts, shares, t, aside, y, end, scratch, x, before, momenta, G, new, note, counts, beginning, newton, ending)  # fmt: skip
    watch((t + aside, end), (g,))
    other = g[j]
    for _ in range(10):
        before[0] = 0.0
        take(n, k, parts, shares, t, length, y, end, scratch, x, before, momenta, G, new, note, counts, beginning, newton, ending)  # fmt: skip
        watch((t + length, end), (g,))
        change = refinement(t, h, length, aside, g[j], other)
        if change == 0.0:
            break
        aside = length
        other = g[j]
        length = length - change
    before[0] = 0.0
    return t + length


# ---------------------------------------------------------------------------------------------------------- the method at work


class VariationalMachine:
    """Symmetric steps of fixed length (`march`)."""

    def __init__(self, task: Task) -> None:
        form = task.form
        assert isinstance(form, DiscreteForm)
        n, k = len(form.equations.q), len(form.chosen)
        self.control, self.counts = controls(task), np.zeros(COUNTS, dtype=np.int64)
        self.y = np.array(task.y, dtype=np.float64)
        self.memory = memory = Memory(2 * n, PIECES, task.times)
        self.counts[[CAPACITY, REQUESTED]] = memory.capacity, memory.requested
        rhs, self.side = form.rhs(task.p), sides(task)
        self._w = np.zeros(19 * n + 2 * k + n * k + 8)
        self._before = self._w[17 * n : 17 * n + 1]
        shares = COMPOSITIONS[form.order]
        programs = {"beginning": form.beginning, "newton": form.newton, "ending": form.ending}
        self._march = LoopCallee(
            march, {"parts": len(shares), "shares": shares}, n=n, k=k, stored=int(memory.is_stored), watches=int(bool(task.sense)),
            control=self.control, counts=self.counts, y=self.y, w=self._w, **memory.arguments, **watching(task), side=self.side, rhs=rhs,
            watch=task.watch or rhs, **{name: program_callee(c, {"p": task.p}) for name, c in programs.items()},
        )  # fmt: skip

    def restart(self) -> None:
        self._before[0] = 0.0

    def run(self) -> int:
        return self._march.run()
