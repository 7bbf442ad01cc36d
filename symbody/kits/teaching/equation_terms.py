"""The right equations term by term, each with its cause: inertia, Coriolis and centrifugal forces, each load, constraint
forces.

    Σ M_ij u_j' - C_i - Σ Q_i(load) - Σ Jc_ki lam_k = 0,    C = f - Σ Q
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import symbody as sb

from ...errors import SymbodyError

REST: Final = -1  # the column of terms without unknowns
CORIOLIS: Final = "Coriolis and centrifugal term"
BIAS: Final = "speed-dependent term of the constraint"
_WORDS: Final = {
    "gravity": "gravity term", "spring": "spring term", "damper": "damping term", "actuator": "input term", "torsion spring": "spring term",
    "potential": "potential term",
}  # fmt: skip
MOST_OPERATIONS: Final = 400  # of a sum that is put into tidy form to be divided into terms


@dataclass(frozen=True)
class EquationTerm:
    """A term of an equation M u' - f - Jcᵀ lam = 0.

    cause    a phrase for its origin: "gravity term", "inertia term of theta_ddot"
    column   which unknown it multiplies, REST for none
    value    the term, for an unknown its coefficient
    """

    cause: str
    column: int
    value: sb.Expr

    def text(self, unknowns: Sequence[sb.Symbol]) -> str:
        return sb.text(self.value if self.column == REST else self.value * unknowns[self.column])


@dataclass(frozen=True)
class RightRow:
    """One of the right equations: its name and its terms."""

    name: str
    terms: tuple[EquationTerm, ...]

    def total(self, column: int) -> sb.Expr:
        return _sum(t.value for t in self.terms if t.column == column)


def unknowns_of(eq: sb.Equations) -> tuple[sb.Symbol, ...]:
    """Accelerations, rates of additional variables, multipliers."""
    return (*(u.dot for u in eq.u), *(z.dot for z in eq.z), *eq.lam)


def right_rows(eq: sb.Equations) -> list[RightRow]:
    """The equations of motion, of additional variables, then the constraints on accelerations, term by term."""
    forces = load_forces(eq)
    rows = [_row_of_speed(eq, i, {name: column[i] for name, column in forces.items()}) for i in range(len(eq.u))]
    rows += [_additional_row(eq, k) for k in range(eq.h.rows)]
    return rows + [_row_of_constraint(eq, k) for k in range(len(eq.lam))]


def _row_of_speed(eq: sb.Equations, i: int, forces: Mapping[str, sb.Expr]) -> RightRow:
    n = len(eq.u)
    terms = [
        EquationTerm(f"inertia term of {eq.u[j].dot.name}", j, part)
        for j in range(n)
        for part in (eq.M[i, j],)
        if not _is_zero(part)
    ]
    coriolis = eq.f[i] - _sum(forces.values())
    terms += [EquationTerm(CORIOLIS, REST, -part) for part in additive_parts(coriolis)]
    terms += [EquationTerm(name, REST, -part) for name, force in forces.items() for part in additive_parts(force)]
    terms += [
        EquationTerm(f"constraint force {eq.lam[k].name}", n + len(eq.z) + k, -eq.Jc[k, i])
        for k in range(len(eq.lam))
        if not _is_zero(eq.Jc[k, i])
    ]
    return RightRow(f"the equation of {eq.u[i].name.removesuffix('_dot')}", tuple(terms))


def _additional_row(eq: sb.Equations, k: int) -> RightRow:
    rates = [z.dot for z in eq.z]
    slopes, n = sb.jacobian(eq.h[k], rates).entries, len(eq.u)
    terms = [EquationTerm(f"term of {z.name}", n + j, c) for j, (z, c) in enumerate(zip(rates, slopes, strict=True)) if not _is_zero(c)]  # fmt: skip
    rest = additive_parts(sb.substitute(eq.h[k], dict.fromkeys(rates, 0)))
    terms += [EquationTerm("term", REST, part) for part in rest]
    return RightRow(f"the equation {eq.rows.additional[k].name!r}", tuple(terms))


def _row_of_constraint(eq: sb.Equations, k: int) -> RightRow:
    terms = [
        EquationTerm(f"term of {u.dot.name} in the constraint", j, eq.Jc[k, j])
        for j, u in enumerate(eq.u)
        if not _is_zero(eq.Jc[k, j])
    ]
    terms += [EquationTerm(BIAS, REST, part) for part in additive_parts(eq.c[k])]
    return RightRow(f"the constraint {eq.rows.speeds[k].name!r}", tuple(terms))


def load_forces(eq: sb.Equations) -> dict[str, tuple[sb.Expr, ...]]:
    """Generalised forces of the loads, one for each speed, by their names in sentences."""
    out: dict[str, tuple[sb.Expr, ...]] = {}
    kinds = [load.kind for load in eq.mechanism.loads]
    for load in eq.mechanism.loads:
        try:
            force = sb.derivation.generalized_force(eq, load.name).entries
        except SymbodyError:
            continue  # what has no generalised force of its own stays in f
        word = _WORDS.get(load.kind, f"{load.kind} term")
        own = kinds.count(load.kind) > 1 and load.kind != "gravity"
        out[f"{word} {load.name!r}" if own else word] = tuple(force)
    return out


def additive_parts(e: sb.Expr) -> list[sb.Expr]:
    """The terms of a sum in tidy form; the expression itself where it is too large for that, nothing of zero."""
    if sb.algebra.operations(e) <= MOST_OPERATIONS:
        e = sb.tidy(e)
    parts, stack = list[sb.Expr](), [(1, e)]
    while stack:
        sign, node = stack.pop()
        match node.op:
            case "add":
                stack += [(sign, node.args[1]), (sign, node.args[0])]
            case "sub":
                stack += [(-sign, node.args[1]), (sign, node.args[0])]
            case "neg":
                stack.append((-sign, node.args[0]))
            case _:
                if not _is_zero(node):
                    parts.append(sign * node)
    return parts


def _is_zero(e: sb.Expr) -> bool:
    return e.value == 0


def _sum(parts: Iterable[sb.Expr]) -> sb.Expr:
    return sum(parts, start=sb.algebra.as_expr(0))
