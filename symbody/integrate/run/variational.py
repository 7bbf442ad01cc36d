"""Variational integrators with a fixed step, for long conservative runs (Marsden and West 2001).

The action over a step is taken by the midpoint rule, L_d = h L(q̄, v, t̄) with q̄ = (q0 + q1)/2, v = (q1 - q0)/h. With
p = ∂T/∂u the momenta, the discrete equations are (1.3.1, 3.2; loads without potential at the midpoint, 3.2.5)

    p0 = p(q̄, v, t̄) - h/2 (T_q + Q)(q̄, v, t̄) - h/2 G(q0)ᵀ lam0        phi(q1) = 0
    p1 = p(q̄, v, t̄) + h/2 (T_q + Q)(q̄, v, t̄) + h/2 G(q1)ᵀ lam1        G(q1) u1 + b = 0,   p1 = p(q1, u1)

so that every step ends on the constraints of positions and of speeds (RATTLE). T_q + Q = f + p' where u' = 0 in p'. The
map is symplectic and symmetric: energy errors stay bounded, momenta of symmetries are kept, and going back returns.
Symmetric compositions of it have orders 4 and 6 (Hairer, Lubich, Wanner V.3).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

import numpy as np

from ...algebra.calculus.derivatives import directional_derivative, jacobian
from ...algebra.graph.graph import HALF, ONE, ZERO, Expr, Symbol, symbol
from ...algebra.graph.linear import factorize, solve
from ...algebra.graph.matrix import Matrix, stack
from ...algebra.graph.walk import substitute, substitute_all
from ...derivation.equations.energies import generalized_momenta
from ...derivation.equations.equations import Equations
from ...emit.run.callable import Compiled
from ...emit.run.loop_callee import program_callee
from ...errors import SimulationError, in_number, listed, shown
from ..forms.accelerations import accelerations, inertia, rows
from ..forms.form_kinds import DISCRETE
from ..forms.forms import Form
from ..kernels import variational_steps
from .machine import Machine, Task, steps_of

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
    def discrete(self) -> DiscreteForm:
        return self

    @cached_property
    def _momenta(self) -> Matrix:
        return generalized_momenta(self.equations)

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
        v = tuple(symbol(f"{q.name}_mean_rate", "variable") for q in eq.q)
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
        raise SimulationError(f"{where}: order= must be one of {listed(COMPOSITIONS)}, got {shown(order)}")
    if tuple(eq.rates.entries) != eq.u or not eq.q:
        strange = [q.name for q, e in zip(eq.q, eq.rates.entries, strict=True) if e not in eq.u]
        raise SimulationError(
            f"{where}: speeds must be the rates of the coordinates, one for each; {in_number(strange or eq.q, 'that of {} is', 'those of {} are')} not. "
            "Use angles instead of Euler parameters, and equations before `minimal`; or another method"
        )
    if nonholonomic := [s.name for i, s in enumerate(eq.lam) if i >= len(eq.phi.entries)]:
        raise SimulationError(
            f"{where}: constraints on speeds alone ({listed(nonholonomic)}) have no discrete action; use another method"
        )
    if eq.z:
        raise SimulationError(
            f"{where}: {in_number(eq.z, 'the additional variable {} has', 'the additional variables {} have')} no discrete action; use another method"
        )
    if eq.augmented.multipliers_in_loads:
        raise SimulationError(
            f"{where}: loads contain {in_number(eq.augmented.multipliers_in_loads, '{}, which has', '{}, which have')} no discrete action; use "
            "another method"
        )
    if eq.dropped:
        raise SimulationError(f"{where}: linearised equations do not follow from their energy; use another method")
    udot, _ = accelerations(eq, chosen)
    return DiscreteForm(DISCRETE, eq, eq.state, [*eq.rates.entries, *udot.entries], chosen, order=order)


# --------------------------------------------------------------------------------------------------- the method at work


def variational_machine(task: Task) -> Machine:
    """Symmetric steps of fixed length (`variational_steps.py`); a largest step does not shorten them."""
    form = task.form.discrete
    assert form is not None
    n, k = len(form.equations.q), len(form.chosen)
    steps, memory = steps_of(_with_any_step(task), variational_steps.PIECES)
    shares = COMPOSITIONS[form.order]
    programs = {"beginning": form.beginning, "newton": form.newton, "ending": form.ending}
    method = variational_steps.Variational(
        **variational_steps.KERNELS, n=n, k=k, parts=len(shares), shares=shares, x=np.zeros(n + k), new=np.zeros(n + k), sizes=np.zeros(3),
        momenta=np.zeros(n), G=np.zeros(n * k), rates=np.zeros(2 * n), rates_end=np.zeros(2 * n),
        **{name: program_callee(c, {"p": task.p}) for name, c in programs.items()},
    )  # fmt: skip
    return VariationalMachine(task, method, steps, memory)


class VariationalMachine(Machine):
    """Symmetric steps at work."""

    def begin(self, task: Task) -> None:
        super().begin(_with_any_step(task))


def _with_any_step(task: Task) -> Task:
    return replace(task, max_step=np.inf)
