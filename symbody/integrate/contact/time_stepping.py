"""Moreau-Jean time stepping of contacts with friction: impulses of whole steps, no events.

Λ are the impulses of all contacts that are closed at the midpoint of a step and of the frictions, by the same
complementarity problem as in an impact, with Newton's law of restitution (Moreau 1988, Jean 1999). What stuck at the
end of a step sticks up to the static coefficient; beyond it the step is solved again with what slips. Of order one; what
bounces infinitely often in finite time (Zeno) is passed over, and many contacts at once are no more than a larger
problem. Constraints hold on the level of speeds, and what is missed of positions is taken back by a part in every step.
`moreau_steps.py` has the steps.
"""

from __future__ import annotations

from dataclasses import dataclass
from time import perf_counter
from typing import Any, Final

import numpy as np

from ...algebra.calculus.derivatives import jacobian, time_derivative
from ...algebra.graph.functions import sqrt
from ...algebra.graph.graph import ZERO, Expr, as_expr
from ...algebra.graph.matrix import Matrix, sum_of_products
from ...algebra.graph.walk import substitute_all
from ...derivation.equations.additional_rates import variable_rates
from ...derivation.equations.equations import Equations
from ...emit.programs.lower import program
from ...emit.run.callable import Array, Compiled, compile_program
from ...emit.run.loop_callee import LoopCallee, program_callee
from ...errors import SimulationError
from ..kernels.march_records import DONE
from ..result.outcome import Ending, Outcome, Statistics
from ..result.segment import Segment
from ..result.trajectory import Trajectory
from ..start.state import State
from .contact_modes import ModeTable
from .friction_handler import NEWTON
from .friction_problem import ENOUGH, SWEEPS
from .friction_sweeps import Sweeps
from .moreau_steps import MoreauSteps, moreau_steps

METHOD: Final = "moreau"
TOGETHER: Final = 5000  # steps between two looks at the keyboard


@dataclass(frozen=True)
class SteppingPrograms:
    """Of equations with contacts and frictions: at the midpoint of a step, q' and z'."""

    point: Compiled
    rates: Compiled | None
    variables: Compiled | None
    rows: int


class TimeStepping:
    """Steps of contacts and frictions from a state."""

    def __init__(self, table: ModeTable, law: str, start: State, step: float) -> None:
        self._eq = table.base
        check_law(law, f"simulate {table.base.name!r}")
        self._step, self._start = step, start
        self._steps = stepping_record(table, start.p, start.r, TOGETHER)
        self._steps.y[:] = np.concatenate([start.q, start.u, start.z])
        self._loop = LoopCallee(moreau_steps, {}, (), s=self._steps)

    def run(self, end: float, times: Array | None) -> Trajectory:
        """Steps to the end; at the times that are wanted, the state of the step that ends next to them."""
        began, s, t0 = perf_counter(), self._steps, self._start.t
        n = max(1, round((end - t0) / self._step))
        s.h = h = (end - t0) / n
        wanted = None if times is None else {max(0, min(n, round((t - t0) / h))) for t in times.tolist()}
        kept = [(t0, np.array(s.y))] if wanted is None or 0 in wanted else []
        outcome, taken = Outcome(Ending.REACHED, end), 0
        while taken < n:
            s.steps, s.t = min(TOGETHER, n - taken), t0 + taken * h
            code = self._loop.run()
            states = np.reshape(s.samples, (TOGETHER, -1))
            chosen = (k for k in range(s.done) if wanted is None or taken + k + 1 in wanted)
            kept += [(t0 + (taken + k + 1) * h, states[k].copy()) for k in chosen]
            taken += s.done
            if code != DONE:
                outcome = Outcome(Ending.NOT_FINITE, t0 + taken * h, "no impulses keep the speeds finite")
                break
        return self._trajectory(kept, outcome, Statistics(taken, evaluations=taken, seconds=perf_counter() - began), h)

    def _trajectory(
        self, kept: list[tuple[float, Array]], outcome: Outcome, statistics: Statistics, h: float
    ) -> Trajectory:
        choices = {"method": f"method {METHOD} (Moreau-Jean time stepping, order 1)", "tolerance": f"step {h:g}"}
        t, y = np.array([t for t, _ in kept]), np.array([y for _, y in kept])
        start = self._start
        made = Segment(
            self._eq, t, y, start.p, start.r, outcome, METHOD, statistics=statistics, choices=choices
        )  # fmt: skip
        return Trajectory.of(made)


def check_law(law: str, where: str) -> None:
    if law != NEWTON:
        raise SimulationError(f"{where}: method={METHOD!r} has Newton's law of restitution, got {law!r}")


# ---------------------------------------------------------------------------------------------------------- programs


def stepping_programs(table: ModeTable) -> SteppingPrograms:
    """Those of the contacts and frictions, made once."""
    return table.base.cached("time stepping", content(table), lambda: _programs(table))


def content(table: ModeTable) -> tuple[Any, ...]:
    """Expressions that tell contacts and frictions of equations from others."""
    contacts = tuple((c.gap, c.restitution) for c in table.contacts)
    frictions = tuple(
        (f.slip, f.law.coefficient(as_expr(1)), f.law.sticking, f.law.damping, f.normal, table.owner.get(f.name))
        for f in table.frictions
    )
    return contacts, frictions


def _programs(table: ModeTable) -> SteppingPrograms:
    eq = table.base
    outputs, rows = _point(table)
    rates = compiled(eq, "coordinate_rates", {"qdot": eq.rates}) if eq.q else None
    variables = compiled(eq, "variable_rates", {"zdot": variable_rates(eq)}) if eq.z else None
    return SteppingPrograms(compiled(eq, "midpoint", outputs), rates, variables, rows)


def compiled(eq: Equations, name: str, outputs: dict[str, Any], more: dict[str, Any] | None = None) -> Compiled:
    """A program of t, x, more, and the numbers that stay: r and p."""
    groups: dict[str, Any] = {"t": eq.t, "x": list(eq.state), **(more or {})}
    groups |= {k: list(v) for k, v in (("r", eq.r), ("p", eq.p)) if v}
    return compile_program(program(name, groups, outputs, labels=eq.labels))


def _point(table: ModeTable) -> tuple[dict[str, Any], int]:
    """Everything that a step needs of its midpoint, from one factorization."""
    eq, frictions = table.base, table.frictions
    n, k = len(eq.u), len(eq.lam)
    rates = dict(zip(eq.q, eq.rates.entries, strict=True))
    speeds = [time_derivative(c.gap, rates) for c in table.contacts]
    slips = [f.speeds(eq) for f in frictions]
    flat = [v for of_one in slips for v in of_one]
    G = jacobian([*speeds, *flat], eq.u)
    solved = _solved(eq, G)
    accelerations, multipliers = solved.column(0)[:n], [-e for e in solved.column(0)[n:]]
    missed = [e for j in (1, 2, 3) for e in solved.column(j)[:n]] if k else [ZERO] * (3 * n)
    changes = [solved.column(4 + i) for i in range(G.rows)]
    sizes = [of_one[0] if len(of_one) == 1 else sqrt(of_one[0] ** 2 + of_one[1] ** 2) for of_one in slips]
    normals, shares = _normals(table, multipliers, [[-e for e in x[n:]] for x in changes])
    outputs: dict[str, Any] = {
        "gap": [c.gap for c in table.contacts], "speed": speeds,
        "restitution": list(eq.in_own_terms([c.restitution for c in table.contacts], solved=True)), "slip": flat, "G": list(G.entries),
        "X": [e for x in changes for e in x[:n]], "udot": accelerations, "back": missed,
        "mu": [f.law.coefficient(v) for f, v in zip(frictions, sizes, strict=True)],
        "static": [f.law.sticking for f in frictions], "damping": [f.law.damping for f in frictions], "normal": normals, "share": shares,
    }  # fmt: skip
    return {name: values or [ZERO] for name, values in outputs.items()}, G.rows


def _solved(eq: Equations, G: Matrix) -> Matrix:
    """Columns [u'; -lam]: of the motion without contacts; of what takes back Jc u + b, -c and phi; of unit impulses
    along the rows of G."""
    n, k = len(eq.u), len(eq.lam)
    off = (eq.Jc @ Matrix(n, 1, eq.u) + eq.b).entries if k else ()
    position = (*eq.phi.entries, *[ZERO] * (k - len(eq.phi.entries)))
    right = [[*eq.f0.entries, *(-e for e in eq.c.entries)]]
    right += [[ZERO] * n + [-e for e in column] for column in (off, [-e for e in eq.c.entries], position)]
    right += [[*G.row(i), *[ZERO] * k] for i in range(G.rows)]
    columns = Matrix(n + k, len(right), tuple(right[j][i] for i in range(n + k) for j in range(len(right))))
    return eq.factors.unguarded.solve(columns)


def _normals(table: ModeTable, lam: list[Expr], reactions: list[list[Expr]]) -> tuple[list[Expr], list[Expr]]:
    """N = normal + share · Λ of each friction, from the multipliers without contacts and those of unit impulses."""
    eq, names = table.base, [c.name for c in table.contacts]
    normals: list[Expr] = []
    shares: list[Expr] = []
    for f in table.frictions:
        if (owner := table.owner.get(f.name)) is not None:
            normals.append(ZERO)
            shares += [as_expr(int(i == names.index(owner))) for i in range(len(reactions))]
            continue
        N = ZERO if f.normal is None else f.normal
        slopes = list(jacobian([N], eq.lam).entries) if eq.lam else []
        given = substitute_all([N], dict.fromkeys(eq.lam, ZERO))[0]
        normals.append(given + sum_of_products(slopes, lam) if slopes else given)
        shares += [sum_of_products(slopes, y) if slopes else ZERO for y in reactions]
    return normals, shares


# ---------------------------------------------------------------------------------------------------------- memory


def stepping_record(table: ModeTable, p: Array, r: Array, together: int) -> MoreauSteps:
    """Memory of steps with these parameters and inputs, of which so many are stored."""
    programs = stepping_programs(table)
    eq, cones, rows = table.base, len(table.frictions), programs.rows
    n, n_q, n_u, contacts = len(eq.state), len(eq.q), len(eq.u), len(table.contacts)
    names = [c.name for c in table.contacts]
    owner = [names.index(table.owner[f.name]) if f.name in table.owner else contacts for f in table.frictions]
    count = [len(f.slip) for f in table.frictions]
    first = [contacts + sum(count[:c]) for c in range(cones)]
    turns = [v.index for e in eq.variables.quaternions for v in e]
    given = {"p": p, "r": r}
    callee = {
        name: None if f is None else program_callee(f, given)
        for name, f in (("point", programs.point), ("rates", programs.rates), ("variables", programs.variables))
    }
    return MoreauSteps(
        n=n, n_q=n_q, n_u=n_u, contacts=contacts, cones=cones, rows=rows, rotations=len(turns) // 4, steps=0, h=1.0, t=0.0, done=0,
        y=np.zeros(n), samples=np.zeros(together * n), **callee, qdot=np.zeros(n_q + 1),
        zdot=np.zeros(len(eq.z) + 1), gap=np.zeros(contacts + 1), speed=np.zeros(contacts + 1), restitution=np.zeros(contacts + 1),
        slip=np.zeros(rows + 1), G=np.zeros(rows * n_u + 1), X=np.zeros(rows * n_u + 1), udot=np.zeros(n_u), back=np.zeros(3 * n_u),
        mu=np.zeros(cones + 1), static=np.zeros(cones + 1), damping=np.zeros(cones + 1), normal=np.zeros(cones + 1), share=np.zeros(cones * rows + 1),
        free=np.zeros(n_u), before=np.zeros(rows + 1), viscous=np.zeros(rows + 1), owner=indices(owner), first=indices(first),
        count=indices(count), turns=indices(turns), row=indices([0] * rows), at=indices([0] * contacts),
        cone=indices([0] * cones), held=indices([1] * cones), sweeps=_sweeps(rows, cones),
    )  # fmt: skip


def _sweeps(rows: int, cones: int) -> Sweeps:
    return Sweeps(
        n=0, normals=0, cones=0, most=SWEEPS, tolerance=ENOUGH, A=np.zeros(rows * rows + 1), b=np.zeros(rows + 1), x=np.zeros(rows + 1),
        first=indices([0] * cones), count=indices([0] * cones), fixed=indices([0] * cones), mu=np.zeros(cones + 1),
        given=np.zeros(cones + 1), share=np.zeros(rows * cones + 1), stiff=np.zeros(cones + 1), way=np.zeros(2 * cones + 1),
        offset=np.zeros(cones + 1), w=np.zeros(2),
    )  # fmt: skip


def indices(values: list[int]) -> Any:
    return np.array([*values, 0], dtype=np.int64)
