"""Programs and memory of the Moreau-Jean step of equations with contacts and frictions.

One program gives everything at the midpoint of a step from one factorization of [M Hᵀ; Jc 0]: accelerations without
contacts, corrections of constraint violations, and the change of velocity due to a unit impulse along each row.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from ...algebra.calculus.derivatives import jacobian, time_derivative
from ...algebra.graph.functions import exp, minimum, sqrt
from ...algebra.graph.graph import ZERO, Expr, as_expr
from ...algebra.graph.matrix import Matrix, sum_of_products
from ...algebra.graph.walk import substitute_all
from ...derivation.equations.additional_rates import variable_rates
from ...derivation.equations.equations import Equations
from ...derivation.equations.own_terms import in_own_terms
from ...derivation.equations.sampling import refuse_samples
from ...emit.lowering.lower import program
from ...emit.run.callable import Array, Compiled, compile_program
from ...emit.run.loop_callee import program_callee
from ...errors import SimulationError
from ...simulation_options import SimulationOptions
from ..complementarity.contact_arrays import contact_arrays, indices
from ..complementarity.semismooth_newton import contact_branch
from ..contact.contact_modes import ModeTable
from ..events.switching_times import Switching, with_lines, with_searched_times, written_switching_times
from ..inputs.time_functions import time_functions
from .moreau_records import MoreauStep, SparseEntries, StepVariations

GAP_CUTOFF: Final = (
    30.0  # gaps of more than so many ε have the impulse of this one, e⁻³⁰ of that of a contact that touches
)


@dataclass(frozen=True)
class MoreauPrograms:
    """Of equations with contacts and frictions: at the midpoint of a step, q' and z'."""

    point: Compiled
    rates: Compiled | None
    variables: Compiled | None
    rows: int


def moreau_programs(table: ModeTable) -> MoreauPrograms:
    """Those of the contacts and frictions, made once."""
    return table.base.cached("time stepping", contact_key(table), lambda: _compiled_programs(table))


def contact_key(table: ModeTable) -> tuple[Any, ...]:
    """Expressions that identify the contacts and frictions of equations."""
    contacts = tuple((c.gap, c.restitution) for c in table.contacts)
    frictions = tuple(
        (f.slip, f.law.coefficient(as_expr(1)), f.law.sticking, f.law.damping, f.normal, table.owner.get(f.name))
        for f in table.frictions
    )
    return contacts, frictions


def _compiled_programs(table: ModeTable) -> MoreauPrograms:
    eq = table.base
    outputs, rows = midpoint_outputs(table)
    rates = compiled_program(eq, "coordinate_rates", {"qdot": eq.rates}) if eq.q else None
    variables = compiled_program(eq, "variable_rates", {"zdot": variable_rates(eq)}) if eq.z else None
    return MoreauPrograms(compiled_program(eq, "midpoint", outputs), rates, variables, rows)


def compiled_program(
    eq: Equations, name: str, outputs: dict[str, Any], more: dict[str, Any] | None = None, *, is_quick: bool = False
) -> Compiled:
    """A program of t, x, more, and the numbers that stay: r and p; `is_quick`: as code that is quick to have."""
    groups: dict[str, Any] = {"t": eq.t, "x": list(eq.state), **(more or {})}
    groups |= {k: list(v) for k, v in (("r", eq.r), ("p", eq.p)) if v}
    return compile_program(program(name, groups, outputs, labels=eq.labels), is_quick=is_quick)


def moreau_switching(eq: Equations) -> Switching:
    """Switching times in closed form, whatever the time and the parameters are."""
    refuse_samples(eq, "time stepping", SimulationError)
    return eq.cached("switching of time stepping", (), lambda: _closed_switching(eq))


def _closed_switching(eq: Equations) -> Switching:
    made = written_switching_times(eq, SimulationOptions().rtol)
    return with_lines(made, lambda lines: compiled_program(eq, "switching_lines", lines))


def motion_switching(eq: Equations, p: Array, r: Array, begin: float, end: float) -> Switching:
    """Switching times of a motion: also those that are found along its time."""
    closed, found = moreau_switching(eq), time_functions(eq)
    if not found.searched:
        return closed
    program = compiled_program(eq, "functions_of_time", {"g": list(found.searched)})
    constants = tuple(x for x in (r, p) if len(x))
    return with_searched_times(closed, program, len(found.borders), [constants], begin, end, SimulationOptions().rtol)


def midpoint_outputs(table: ModeTable) -> tuple[dict[str, Any], int]:
    """Everything that a step needs of its midpoint, from one factorization."""
    eq, frictions = table.base, table.frictions
    n, k = len(eq.u), len(eq.lam)
    rates = dict(zip(eq.q, eq.rates.entries, strict=True))
    speeds = [time_derivative(c.gap, rates) for c in table.contacts]
    slips = [f.speeds(eq) for f in frictions]
    flat = [v for of_one in slips for v in of_one]
    G = jacobian([*speeds, *flat], eq.u)
    solved = solved_columns(eq, G)
    A, drive = speed_responses(eq, G, solved)
    accelerations, multipliers = solved.column(0)[:n], [-e for e in solved.column(0)[n:]]
    missed = [e for j in (1, 2, 3) for e in solved.column(j)[:n]] if k else [ZERO] * (3 * n)
    changes = [solved.column(4 + i) for i in range(G.rows)]
    sizes = [of_one[0] if len(of_one) == 1 else sqrt(of_one[0] ** 2 + of_one[1] ** 2) for of_one in slips]
    normals, shares = _normal_forces(table, multipliers, [[-e for e in x[n:]] for x in changes])
    outputs: dict[str, Any] = {
        "gap": [c.gap for c in table.contacts], "speed": speeds,
        "restitution": list(in_own_terms(eq, [c.restitution for c in table.contacts], solved=True)), "slip": flat, "G": list(G.entries),
        "A": A, "drive": drive, "X": [e for x in changes for e in x[:n]], "udot": accelerations, "back": missed,
        "mu": [f.law.coefficient(v) for f, v in zip(frictions, sizes, strict=True)],
        "static": [f.law.sticking for f in frictions], "damping": [f.law.damping for f in frictions], "normal": normals, "share": shares,
    }  # fmt: skip
    return {name: values or [ZERO] for name, values in outputs.items()}, G.rows


def speed_responses(eq: Equations, G: Matrix, solved: Matrix) -> tuple[list[Expr], list[Expr]]:
    """G X, speeds of the rows due to unit impulses along them; and G times the columns of the motion without contacts, one
    after another: on the graph, where most entries of G are zero."""
    n, rows, symmetric = len(eq.u), G.rows, eq.augmented.factors.is_symmetric
    columns = [solved.column(j)[:n] for j in range(solved.cols)]
    found: dict[tuple[int, int], Expr] = {}
    for i in range(rows):
        for j in range(rows):
            is_known = symmetric and j < i
            found[i, j] = found[j, i] if is_known else sum_of_products(list(G.row(i)), list(columns[4 + j]))
    drive = [sum_of_products(list(G.row(i)), list(columns[j])) for j in range(4 if eq.lam else 1) for i in range(rows)]
    return [found[i, j] for i in range(rows) for j in range(rows)], drive


def solved_columns(eq: Equations, G: Matrix) -> Matrix:
    """Columns [u'; -lam]: of the motion without contacts; of what takes back Jc u + b, -c and phi; of unit impulses
    along the rows of G."""
    n, k = len(eq.u), len(eq.lam)
    off = (eq.Jc @ Matrix(n, 1, eq.u) + eq.b).entries if k else ()
    position = (*eq.phi.entries, *[ZERO] * (k - len(eq.phi.entries)))
    right = [[*eq.augmented.f0.entries, *(-e for e in eq.c.entries)]]
    right += [[ZERO] * n + [-e for e in column] for column in (off, [-e for e in eq.c.entries], position)]
    right += [[*G.row(i), *[ZERO] * k] for i in range(G.rows)]
    columns = Matrix(n + k, len(right), tuple(right[j][i] for i in range(n + k) for j in range(len(right))))
    return eq.augmented.factors.unguarded.solve(columns)


def _normal_forces(table: ModeTable, lam: list[Expr], reactions: list[list[Expr]]) -> tuple[list[Expr], list[Expr]]:
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


def softened_rows(table: ModeTable, smoothing: float, h: float) -> list[Expr]:
    """Speeds that are added to those of contacts on the central path, of ε / h exp(gap / ε), which is small where bodies
    touch and grows without bound where they are apart, and of restitution with ½ (v - √(v² + (ε/h)²)) for min(v, 0)."""
    eq, speed = table.base, smoothing / h
    rates = dict(zip(eq.q, eq.rates.entries, strict=True))
    e = in_own_terms(eq, [c.restitution for c in table.contacts], solved=True)
    out = []
    for c, restitution in zip(table.contacts, e, strict=True):
        v = time_derivative(c.gap, rates)
        rebound = restitution * (v - sqrt(v**2 + speed**2)) / 2
        out.append(speed * exp(minimum(c.gap / smoothing, GAP_CUTOFF)) + rebound)
    return out


def softened_program(table: ModeTable, smoothing: float, h: float) -> Compiled:
    def made() -> Compiled:
        return compiled_program(table.base, "softened", {"push": softened_rows(table, smoothing, h) or [ZERO]})

    return table.base.cached("smoothing of contacts", (contact_key(table), smoothing, h), made)


def moreau_record(
    table: ModeTable, p: Array, r: Array, *, remembers: bool, smoothing: float = 0.0, h: float = 1.0
) -> MoreauStep:
    """Memory of steps with these parameters and inputs; remembers: each begins with what the one before found; smoothing:
    on the central path, for steps of length h, whose energies are set by the caller."""
    programs, given = moreau_programs(table), {"p": p, "r": r}
    callees = {
        name: None if f is None else program_callee(f, given)
        for name, f in (("point", programs.point), ("rates", programs.rates), ("variables", programs.variables))
    }
    if smoothing:
        callees["softened"] = program_callee(softened_program(table, smoothing, h), given)
    return moreau_memory(table, programs.rows, callees, remembers=remembers)


def moreau_memory(
    table: ModeTable, rows: int, callees: Mapping[str, Any], *, remembers: bool, precision: float = 0.0, behind: int = 0
) -> MoreauStep:
    """Memory of steps whose programs are `callees`: point, rates, variables, on the central path softened. `behind`: numbers
    behind the state, for the programs alone."""
    eq, cones = table.base, len(table.frictions)
    n, n_q, n_u, contacts = len(eq.state), len(eq.q), len(eq.u), len(table.contacts)
    names = [c.name for c in table.contacts]
    owner = [names.index(table.owner[f.name]) if f.name in table.owner else contacts for f in table.frictions]
    count = [len(f.slip) for f in table.frictions]
    first = [contacts + sum(count[:c]) for c in range(cones)]
    turns = [v.index for e in eq.variables.quaternions for v in e]
    return MoreauStep(
        n=n, n_q=n_q, n_u=n_u, contacts=contacts, cones=cones, rows=rows, rotations=len(turns) // 4, is_constrained=int(bool(eq.lam)), remembers=int(remembers), h=1.0,
        y=np.zeros(n + behind), **callees, push=np.zeros(contacts + 1), energy=np.zeros(rows + 1), qdot=np.zeros(n_q + 1),
        zdot=np.zeros(len(eq.z) + 1), gap=np.zeros(contacts + 1), speed=np.zeros(contacts + 1), restitution=np.zeros(contacts + 1),
        slip=np.zeros(rows + 1), G=np.zeros(rows * n_u + 1), A=np.zeros(rows * rows + 1), drive=np.zeros(4 * rows + 1), X=np.zeros(rows * n_u + 1), udot=np.zeros(n_u), back=np.zeros(3 * n_u),
        mu=np.zeros(cones + 1), static=np.zeros(cones + 1), damping=np.zeros(cones + 1), normal=np.zeros(cones + 1), share=np.zeros(cones * rows + 1),
        free=np.zeros(n_u), before=np.zeros(rows + 1), viscous=np.zeros(rows + 1), owner=indices(owner), first=indices(first),
        count=indices(count), turns=indices(turns), row=indices([0] * rows), at=indices([0] * contacts),
        cone=indices([0] * cones), held=indices([1] * cones), problem=contact_arrays(rows, cones, precision),
        branches=contact_branch(rows, cones),
    ).know("softened")  # fmt: skip


def no_variations(n: int, kept: Mapping[str, Any] | None = None) -> StepVariations:
    """Memory of steps of n numbers that have no derivatives; `kept` are fields that are needed all the same."""
    none, empty = np.zeros(1), sparse_entries(())
    fields: dict[str, Any] = {
        "columns": 0, "seeds": 0, "width": n, "sides": 0, "y": np.zeros(n), "S": none, "J": none, "unit": indices([0]), "constant": none, "growing": none, "length": -1, "clock": -1, "by_step": -1, "rates": None, "point": None, "qdot": empty,
        "F": empty, "V": empty, "limit": empty, "zdot": empty, "E": none, "impulses": none, "part": none, "static": none, "active": indices([0]), "after": none, "Z": none, "W": none,
        "limits_to": none, "D": none, "border": none, "memory": none,
    }  # fmt: skip
    return StepVariations(**{**fields, **(kept or {})})


def sparse_entries(places: Sequence[tuple[int, int]]) -> SparseEntries:
    """Memory for the entries of a matrix at these rows and columns."""
    return SparseEntries(
        count=len(places), row=indices([i for i, _ in places]), column=indices([j for _, j in places]),
        value=np.zeros(len(places) + 1),
    )  # fmt: skip
