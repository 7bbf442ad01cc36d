"""Forms with algebraic equations, E y' = F(t, y), and the implicit method at work on any form.

    implicit    index 1 (Neweul-M² eq. 10)      q' = N u + n,   u' = a,   0 = M a - f - Jcᵀ lam,   0 = Jc a + c
    ggl         index 2, stabilised (Gear, Gupta, Leimkuhler 1985)
                q' = N u + n + (∂g/∂q)ᵀ mu,   u' = a,   0 = M a - f - Jcᵀ lam,   0 = g,   0 = Jc u + b
                where g are holonomic constraints and eᵀe - 1 of Euler parameters

Every form, also an explicit one, takes additional equations as they are: z' that does not follow from h = 0 alone is an
unknown of its own,

    z' = w,   0 = h(q, u, z, w, r, t, p)

and a z whose rate stands nowhere is algebraic.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Final, NamedTuple

import numpy as np

from ...algebra.calculus.derivatives import jacobian
from ...algebra.graph.graph import ZERO, Expr, Symbol, symbol
from ...algebra.graph.matrix import Matrix
from ...algebra.graph.walk import free_symbols
from ...derivation.equations.additional_rates import algebraic_variables, is_explicit, variable_rates
from ...derivation.equations.equations import Equations
from ...emit.run.callable import Array, Compiled
from ...errors import SimulationError, listed
from ..forms.accelerations import accelerations, baumgarte_terms, norm_residuals, rows
from ..forms.bordering import border_numbers, border_parameters
from ..forms.form_kinds import FORMS
from ..forms.forms import NOTHING_KEPT, Form, Kept, explicit_form
from ..kernels import radau
from ..kernels.march_records import TINY
from .machine import Machine, Task, steps_of
from .newton_matrix import slopes_of

CONSISTENT_START: Final = 1e-12  # residual of a consistent start, in units of the derivatives of its terms
MAX_ITERATIONS: Final = 60  # of Newton's method for a consistent start


@dataclass(frozen=True, eq=False)
class ImplicitForm(Form):
    """A form with algebraic equations: `rates` are the right sides F, zero if the variable is algebraic.

    lines        the equations, one for each variable
    conditions   by name, what the unknowns at the start have to meet; for index 2 these are not the equations
                 themselves
    unknown      variables that follow from the others at the start
    """

    lines: tuple[_Line, ...] = ()
    conditions: Sequence[tuple[str, Expr]] = field(default_factory=list)
    unknown: tuple[Symbol, ...] = ()

    @property
    def algebraic(self) -> tuple[bool, ...]:
        return tuple(x.is_algebraic for x in self.lines)

    @property
    def index(self) -> tuple[int, ...]:
        return tuple(x.level for x in self.lines)

    def start(self, t: float, state: Array, parameters: Array) -> tuple[Array, Array]:
        y = np.concatenate([state, np.zeros(self.n - len(state))])
        p = np.concatenate([parameters, np.zeros(len(self.parameters) - len(parameters))])
        if border_parameters(self.equations):
            p[len(parameters) + len(self.levels) :] = border_numbers(self.equations, t, state, parameters)
        y, wrong = self.consistent(t, y, p)
        if wrong:
            raise SimulationError(f"simulate {self.equations.name!r}: no consistent start was found: {wrong}")
        if self.levels:
            p[len(parameters) : len(parameters) + len(self.levels)] = self._called(
                "levels", list(self.invariants.values()), t, y, p
            )
        return y, p

    @cached_property
    def _conditions_program(self) -> Compiled:
        values = [e for _, e in self.conditions]
        return self.compiled("conditions", {"r": values, "slopes": jacobian(values, self.unknown)})

    def consistent(self, t: float, y: Array, p: Array) -> tuple[Array, str]:
        """y with unknowns that meet the conditions, by damped Newton steps, and a description of the fault, if any."""
        if not self.unknown:
            return y, ""
        at = [self.y.index(s) for s in self.unknown]
        y = y.copy()
        r, J = self._conditions_program(t, y, p)
        for turn in range(MAX_ITERATIONS):
            r, J = np.reshape(r, -1), np.reshape(J, (len(at), len(at)))
            if not (np.all(np.isfinite(r)) and np.all(np.isfinite(J))):
                break
            across = _largest(J, axis=1)  # rows and columns are scaled: units do not matter
            down = _largest(J / across[:, None], axis=0)
            scaled = J / across[:, None] / down
            step, _, rank, _ = np.linalg.lstsq(scaled, -r / across, rcond=1e-12)
            if rank < len(at) and turn == 0:
                return y, self._undetermined(scaled, y, at)
            if rank < len(at):
                break
            if np.all(np.abs(r) <= CONSISTENT_START * (1.0 + np.abs(J) @ np.abs(y[at]))):
                return y, ""
            y, r, J = self._damped(t, y, p, at, step / down, float(np.linalg.norm(r)))
        k = int(np.argmax(np.abs(np.nan_to_num(r, nan=np.inf))))
        return y, f"{self.conditions[k][0]!r} is off by {r[k]:z.3g} at {self._shown(y, at)}; start nearer to a solution"

    def _undetermined(self, J: Array, y: Array, at: list[int]) -> str:
        U, _, V = np.linalg.svd(J)
        equations = [name for (name, _), weight in zip(self.conditions, np.abs(U[:, -1]), strict=True) if weight > 0.05]
        free = [self.y[i].name for i, weight in zip(at, np.abs(V[-1]), strict=True) if weight > 0.05]
        return (
            f"there is no solution for {listed(free)} from {listed(map(repr, equations))} at {self._shown(y, at)}; start elsewhere, or "
            "differentiate the equation with respect to time (the index is higher than one)"
        )

    def _shown(self, y: Array, at: list[int]) -> str:
        return listed(f"{self.y[i].name} = {y[i]:z.4g}" for i in at)

    def _damped(
        self, t: float, y: Array, p: Array, at: list[int], step: Array, before: float
    ) -> tuple[Array, Array, Array]:
        """The longest of h, h/2, h/4, ... after which the residual is smaller."""
        share = 1.0
        for _ in range(30):
            new = y.copy()
            new[at] += share * step
            r, J = self._conditions_program(t, new, p)
            if np.all(np.isfinite(r)) and (before < 1e-9 or np.linalg.norm(r) < before):
                break
            share *= 0.5
        return new, r, J


def _largest(J: Array, axis: int) -> Array:
    sizes = np.max(np.abs(J), axis=axis)
    return np.where(sizes > 0.0, sizes, 1.0)


# --------------------------------------------------------------------------------------------------- equations -> forms


def follows(eq: Equations) -> bool:
    """Whether u' and z' follow without iteration: z' follows from h = 0 alone, and loads do not depend on it."""
    if not eq.z:
        return True
    return is_explicit(eq) and not {z.dot for z in eq.z} & set(free_symbols([eq.M, eq.f, eq.c]))


def any_form(
    name: str,
    eq: Equations,
    chosen: tuple[int, ...],
    *,
    metric: str = "mass",
    alpha: float = 10.0,
    beta: float = 10.0,
    kept: Kept = NOTHING_KEPT,
) -> Form:
    """A form by name, for an implicit method where it has algebraic equations."""
    if not FORMS[name].is_algebraic and follows(eq):
        return explicit_form(name, eq, chosen, metric=metric, alpha=alpha, beta=beta, kept=kept)
    lines, conditions = _lines(name, eq, chosen, alpha, beta)
    lines += [_Line(s, e) for s, e in kept.rates.items()]
    at_start = {x.variable for x in lines if x.is_algebraic and x.is_unknown}
    return ImplicitForm(
        name, eq, tuple(x.variable for x in lines), [x.right for x in lines], chosen, metric, invariants=kept.invariants,
        scales=kept.scales, own=[ZERO] * (len(lines) - len(eq.q) - len(eq.u) - len(eq.z)),
        lines=tuple(lines), conditions=conditions,
        unknown=tuple(x.variable for x in lines if x.variable in at_start),
    )  # fmt: skip


class _Line(NamedTuple):
    """One line of E y' = F: a variable, its rate, or, where it is algebraic, an expression that vanishes."""

    variable: Symbol
    right: Expr
    is_algebraic: bool = False
    level: int = 1  # its index
    is_unknown: bool = True  # at the start


Conditions = list[tuple[str, Expr]]


def _rate(s: Symbol) -> Symbol:
    assert isinstance(s.dot, Symbol)
    return s.dot


def _lines(
    name: str, eq: Equations, chosen: tuple[int, ...], alpha: float, beta: float
) -> tuple[list[_Line], Conditions]:
    """The lines for q, u, z and further variables, and what is to hold at the start."""
    lines = [_Line(q, rate) for q, rate in zip(eq.q, eq.rates.entries, strict=True)]
    if FORMS[name].is_algebraic:
        lines += [_Line(u, u.dot) for u in eq.u]
        forces, conditions = _balances(name, eq, chosen)
    else:
        forces, conditions = [], []
        udot, _ = accelerations(eq, chosen, baumgarte_terms(eq, alpha, beta) if name == "baumgarte" else None)
        lines += [_Line(u, e) for u, e in zip(eq.u, udot.entries, strict=True)]
    variables, rates = _additional(eq)
    if name == "ggl":
        lines[: len(eq.q)], stabilizers = _stabilized_lines(eq, chosen)
        forces += stabilizers
    if not follows(eq):
        conditions += [(row.name, row.expression) for row in eq.rows.additional]
    return [*lines, *variables, *forces, *rates], conditions


def _balances(name: str, eq: Equations, chosen: tuple[int, ...]) -> tuple[list[_Line], Conditions]:
    """Lines for a and lam: 0 = M a - f - Jcᵀ lam, and the constraints."""
    a, lam = Matrix(len(eq.u), 1, tuple(map(_rate, eq.u))), tuple(eq.lam[i] for i in chosen)
    index = 2 if name == "ggl" and chosen else 1
    balance = eq.M @ a - eq.f
    conditions = []
    lines: list[_Line] = []
    turned = speeds = Matrix(0, 1, ())
    if chosen:
        Jc = rows(eq.Jc, chosen)
        balance = balance - Jc.T @ Matrix(len(lam), 1, lam)
        turned = Jc @ a + rows(eq.c, chosen)
        speeds = Jc @ Matrix(len(eq.u), 1, eq.u) + rows(eq.b, chosen)
    lines += [_Line(s, e, True, index) for s, e in zip(map(_rate, eq.u), balance.entries, strict=True)]
    kept = speeds if name == "ggl" else turned
    lines += [_Line(s, e, True, index) for s, e in zip(lam, kept.entries, strict=True)]
    conditions += [(f"the balance of {u.name}", e) for u, e in zip(eq.u, balance.entries, strict=True)]
    conditions += [(f"constraint {s.name}", e) for s, e in zip(lam, turned.entries, strict=True)]
    return lines, conditions


def _stabilized_lines(eq: Equations, chosen: tuple[int, ...]) -> tuple[list[_Line], list[_Line]]:
    """Lines for q and for the multipliers mu that keep q on g = 0."""
    holonomic = [eq.phi.entries[i] for i in chosen if i < len(eq.phi.entries)] if eq.lam else list(eq.phi.entries)
    g = [*holonomic, *norm_residuals(eq)]
    if not g:
        return [_Line(q, e) for q, e in zip(eq.q, eq.rates.entries, strict=True)], []
    mu = tuple(symbol(f"push_{k + 1}", "multiplier") for k in range(len(g)))
    rates = eq.rates + jacobian(g, eq.q).T @ Matrix(len(g), 1, mu)
    return (
        [_Line(q, e) for q, e in zip(eq.q, rates.entries, strict=True)],
        [_Line(s, e, True, 2, False) for s, e in zip(mu, g, strict=True)],
    )


def _additional(eq: Equations) -> tuple[list[_Line], list[_Line]]:
    """Lines for z, and for those z' that are unknowns."""
    if follows(eq):
        return [_Line(z, e) for z, e in zip(eq.z, variable_rates(eq).entries, strict=True)], []
    equations = iter(eq.h.entries)
    lines, algebraic = {}, set(algebraic_variables(eq))
    for z in eq.z:
        lines[z] = _Line(z, next(equations), True) if z in algebraic else _Line(z, z.dot)
    return list(lines.values()), [_Line(_rate(z), next(equations), True) for z in eq.z if z not in algebraic]


# --------------------------------------------------------------------------------------------------- the method at work


def radau_machine(task: Task) -> Machine:
    """Radau IIA steps (`radau.py`).

    One machine code serves all sizes and options: knowing them makes it no faster.
    """
    form, n, own = task.form, task.form.n, _with_own_tolerances(task)
    steps, memory = steps_of(own, radau.PIECES)
    slopes = slopes_of(form)
    is_wide, sparse = slopes.size > n, slopes.sparse(n)
    dense = 1 if is_wide else n * n
    a, re, im = (np.zeros(max(dense, sparse.filled + sparse.size)) for _ in range(3))
    method = radau.Radau(
        **radau.KERNELS, **_newton_tolerances(own.rtol), filled=len(slopes.rows), is_wide=int(is_wide),
        mass=1.0 - np.array(form.algebraic), index=np.array(form.index, dtype=np.int64), k=np.zeros(n), jac=np.zeros(dense),
        places=np.append(slopes.rows * n + slopes.columns, 0), rows=np.append(slopes.rows, 0), columns=np.append(slopes.columns, 0), v=np.ones(n), growth=1.0, reach=task.reach, patience=task.patience, entries=np.zeros(len(slopes.rows) + 1),
        a=a, p=np.zeros(n, dtype=np.int64), re=re, im=im, pc=np.zeros(n, dtype=np.int64), z=np.zeros(3 * n),
        w=np.zeros(3 * n), f=np.zeros(3 * n), scale=np.zeros(n), sparse=sparse, slopes=slopes.callee(task.p),
    )  # fmt: skip
    return RadauMachine(task, method, steps, memory)


class RadauMachine(Machine):
    """Radau IIA steps at work."""

    def begin(self, task: Task) -> None:
        own = _with_own_tolerances(task)
        super().begin(own)
        self.method.put(reach=task.reach, **_newton_tolerances(own.rtol))


def _with_own_tolerances(task: Task) -> Task:
    """The error estimate is of order 3 while the method is of order 5: tolerances are changed as in RADAU5 to rtol' =
    rtol^(2/3) / 10, so that they mean the same as those of explicit methods."""
    rtol = 0.1 * task.rtol ** (2 / 3)
    return replace(task, rtol=rtol, atol=task.atol * (rtol / task.rtol))


def _newton_tolerances(rtol: float) -> dict[str, float]:
    return {"goal": max(10 * TINY / rtol, min(0.03, rtol**0.5)), "rounding": TINY / rtol}
