"""Faults of whole models: redundant or inconsistent constraints, motions without mass, undeclared symbols, velocity
constraints that can be integrated to holonomic ones.

Numbers decide, at random configurations that satisfy the constraints. A finding names the parts, the numbers and what
to try.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from random import Random
from typing import Any, Final

from ...algebra.calculus.derivatives import jacobian
from ...algebra.calculus.evaluate import evaluate
from ...algebra.graph.graph import ZERO, Expr, Symbol
from ...algebra.graph.late_matrix import LateColumn, diagonal, symbol_carriers
from ...algebra.graph.matrix import Matrix
from ...algebra.graph.walk import evaluation_order, free_symbols, substitute_all
from ...bodies.frames.frames import Frame
from ...bodies.mechanism.inferred_units import dimension_check
from ...bodies.mechanism.mechanism import Body, Constraint, Joint, Mechanism
from ...errors import DerivationError, EvaluationError, ModelError, in_groups, listed, undeclared_symbol
from ..equations.constraint_rank import ConstraintRank, constraint_rank
from ..equations.energies import powers_and_losses
from ..equations.equations import Equations
from ..kinematics.unknown_positions import frames_in_unknown_places
from ..rank.configuration import Configuration, configuration, random_values
from ..rank.loop_closure import Values
from ..rank.row_space import DependentRow, is_definite, null_space, products
from ..rank.small_matrices import Rows, dependent_rows, size
from ..routes.link_inertia import links_have_inertia
from ..routes.repeated_equations import repeated_equations
from .redundancy_advice import advice

MAX_COORDINATES: Final = 40  # largest number of coordinates for which a velocity constraint is tested for integrability


USED_SYMBOLS: Final = "used symbols", ()  # where the symbols of all equations are kept


@dataclass(frozen=True)
class Finding:
    """A fault or remark about a mechanism: the parts it concerns, and a sentence that says what to try. Errors stop
    `derive`."""

    kind: str
    parts: tuple[str, ...]
    text: str
    is_error: bool = True


def check(eq: Equations, redundant: bool = False) -> None:
    """Refuse equations that have no unique solution.

    redundant   let constraints pass that follow from others
    """
    for stray in undeclared_symbols(eq):
        raise ModelError(stray.text)
    found = configuration(eq)
    for finding in (*constraint_findings(eq, found), *mass_findings(eq, found), *spring_findings(eq, found)):
        if finding.is_error and not (redundant and finding.kind == "redundant"):
            raise DerivationError(finding.text)


def findings(eq: Equations) -> tuple[Finding, ...]:
    """Everything that is found, errors first."""
    out = [*undeclared_symbols(eq)]
    if not out:
        found = configuration(eq)
        faults = [*constraint_findings(eq, found), *mass_findings(eq, found), *spring_findings(eq, found)]
        out = [*faults, *integrable(eq), *dimension_findings(eq)]
    return tuple(sorted(out, key=lambda f: not f.is_error))


def constraints_of(mechanism: Mechanism) -> tuple[Constraint, ...]:
    """In the order of the rows of Jc."""
    return (*mechanism.holonomic, *mechanism.nonholonomic)


def dimension_findings(eq: Equations) -> Iterator[Finding]:
    """Sums, parts and equations whose dimensions contradict the declared units."""
    for fault in dimension_check(eq.mechanism).faults:
        yield Finding("dimension", (), f"dimensions: {fault}; look at the declared units", is_error=False)


# ---------------------------------------------------------------------------------------------------------- symbols


def undeclared_symbols(eq: Equations) -> Iterator[Finding]:
    """Symbols that entered through a frame, a mass or an output without being declared in the model."""
    moving = (*eq.q, *eq.u, *eq.z, *eq.r)
    known = {*moving, *eq.p, *eq.lam, eq.t}
    is_late = isinstance(eq.f, LateColumn)  # then all symbols of bodies and frames are among those used
    written = _other_expressions(eq.mechanism) if is_late else _expressions(eq.mechanism)
    parts = [inside for _, _, inside in written]
    known |= {
        s for f in frames_in_unknown_places(eq.mechanism) for s in f.unknown_place
    }  # what depends on them is refused before
    for s in free_symbols(*eq.cached(*USED_SYMBOLS, lambda: _used_symbols(eq)), *parts):
        if s in known or _is_rate(s, moving):
            continue
        others = (k.name for k in (*eq.q, *eq.p, *eq.r, *eq.z))
        reason = undeclared_symbol(_holder(eq.mechanism, s), s.kind, s.name, s.stem, eq.name, others)
        yield Finding("undeclared", (s.name,), str(reason))


def _used_symbols(eq: Equations) -> list[Symbol]:
    entries = [e for m in (eq.M, eq.f, eq.phi, eq.Jc, eq.c) for e in symbol_carriers(m)]
    return free_symbols(eq.rates, *entries, eq.h)


def _is_rate(s: Symbol, moving: Sequence[Symbol]) -> bool:
    """Whether a symbol is the first or second time derivative of one of some others."""
    rates = [x.dot for x in moving if x.stem == s.stem]
    return bool(s.order) and s in (*rates, *(x.dot for x in rates if isinstance(x, Symbol)))


def _holder(mechanism: Mechanism, s: Symbol) -> str:
    """The part that contains a symbol."""
    parts = _expressions(mechanism)
    found = (f"{kind} {name!r}" for kind, name, inside in parts if s in free_symbols(inside))
    return next(found, f"model {mechanism.name!r}")


def part_with(eq: Equations, term: Expr) -> str:
    """The part of a model in which a term was written, by kind and name; empty if none has it as it is."""
    parts = _expressions(eq.mechanism)
    return next((f"{kind} {name!r}" for kind, name, inside in parts if term in evaluation_order(_entries(inside))), "")


def _entries(inside: Any) -> list[Expr]:
    """The expressions in what was written: those of vectors and matrices too."""
    if isinstance(inside, Expr):
        return [inside]
    return [e for part in getattr(inside, "entries", inside) for e in _entries(part)] if _is_many(inside) else []


def _is_many(inside: Any) -> bool:
    return isinstance(inside, list | tuple) or hasattr(inside, "entries")


def _inertia_of(b: Body) -> list[Any]:
    if b.moments is not None:
        return [b.moments.m, *b.moments.weights, *b.moments.first, *b.moments.second.values()]
    return [b.mass.m, b.mass.p_BoBcm, b.mass.I_BBcm]


def _expressions(mechanism: Mechanism) -> list[tuple[str, str, Any]]:
    """Everything that was written in a model, part by part, by kind and name: also what enters no equation, as the mass of
    a body that stands still."""
    parts: list[tuple[str, str, Any]] = [("body", b.name, _inertia_of(b)) for b in mechanism.bodies]
    parts += [("frame", f.name, _place(f)) for f in mechanism.frames]
    return parts + _other_expressions(mechanism)


def _other_expressions(mechanism: Mechanism) -> list[tuple[str, str, Any]]:
    """The same without bodies and frames."""
    parts: list[tuple[str, str, Any]] = []
    parts += [("load", x.name, x.expressions) for x in mechanism.loads]
    parts += [("constraint", c.name, c.expression) for c in mechanism.constraints]
    parts += [("kinetic energy", n, e) for n, e in mechanism.kinetic.items()]
    parts += [("balance of", u.name, e) for u, e in mechanism.balances.items()]
    parts += [("equation", n, e) for n, e in mechanism.equations.items()]
    parts += [("label", n, e) for n, e in mechanism.labels.items()]
    outputs = mechanism.outputs.items()
    return parts + [("output", n, e) for n, e in outputs if isinstance(e, (Expr, list, tuple)) or hasattr(e, "entries")]


def _place(f: Frame) -> list[Any]:
    """The expressions that place a frame in its parent."""
    if f.velocity is not None:
        return [f.velocity, f.spin]
    return [f.offset, *f.rotation.written]


# ---------------------------------------------------------------------------------------------------------- constraints


def constraint_findings(eq: Equations, found: Configuration) -> list[Finding]:
    """Constraints that cannot hold together, and constraints that depend on others."""
    if not eq.lam:
        return []
    if not found.is_sought:
        text = (
            f"{eq.name!r}: the rank of {len(eq.lam)} constraints was not examined, since a configuration of {len(eq.q)} coordinates "
            "is not searched for; it is examined at the start of each motion"
        )
        return [Finding("not examined", (), text, is_error=False)]
    if not found.holds:
        return [_not_assembled(eq, found)]
    rank = constraint_rank(eq)
    return [] if rank is None else [_redundant(eq, d, rank) for d in sorted(rank.space.dependent)]


def _rows(entries: Sequence[Expr], n: int, values: Values) -> Rows:
    flat = evaluate(Matrix(len(entries), 1, tuple(entries)), values)
    return [flat[i : i + n] for i in range(0, len(flat), n)]


def _not_assembled(eq: Equations, found: Configuration) -> Finding:
    names = [c.name for c in eq.mechanism.holonomic] + [f"norm of {listed(e)}" for e in eq.mechanism.norms]
    left = sorted(zip(found.residuals, names, strict=False), key=lambda x: -abs(x[0]))
    worst = ", ".join(f"{name} = {r:z.3g}" for r, name in left[:4] if abs(r) > 1e-9)
    if not worst:
        text = (
            f"{eq.name!r}: the constraints have no value at any of the configurations tried; give parameters "
            "values that suit each other"
        )
        return Finding("not assembled", (), text, is_error=False)
    text = (
        f"{eq.name!r}: no configuration was found that satisfies the constraints (least residuals: {worst}); check lengths and places of "
        f"{listed(_owners(eq, [n for _, n in left[:4]]))}, or whether two constraints contradict each other"
    )
    parts = tuple(name for r, name in left if abs(r) > 1e-9)
    return Finding("inconsistent", parts, text, is_error=found.is_stuck)


def _owners(eq: Equations, names: Sequence[str]) -> list[str]:
    joints = {c.name: f"joint {c.joint!r}" if c.joint else f"constraint {c.name!r}" for c in eq.mechanism.constraints}
    return list(dict.fromkeys(joints.get(n, n) for n in names))


def _redundant(eq: Equations, d: DependentRow, found: ConstraintRank) -> Finding:
    all_ = constraints_of(eq.mechanism)
    row, others = all_[d.row], [all_[j] for j in sorted(d.others)]
    free = evaluate(eq.b, found.values)
    conflict = sum(w * free[j] for j, w in d.weights.items())
    if abs(conflict) > 1e-7 * max(size(free), 1e-9):
        text = (
            f"{eq.name!r}: constraint {row.name!r} prescribes speeds that contradict "
            f"{listed(c.name for c in others) if others else 'it itself'} (they differ by {conflict:z.3g}); make the prescribed motions agree, or drop one"
        )
        return Finding("inconsistent", (row.name, *(c.name for c in others)), text)
    depends = f"follows from {listed(repr(c.name) for c in others)}" if others else "is always satisfied"
    text = (
        f"{eq.name!r}: {len(eq.lam)} constraints have rank {found.rank}: {row.name!r} {depends}{_joints_of(row, others)}. "
        f"{advice(eq, found, row, others)}"
    )
    return Finding("redundant", (row.name, *(c.name for c in others)), text)


def _joints_of(row: Constraint, others: Sequence[Constraint]) -> str:
    names = list(dict.fromkeys(c.joint for c in (*others, row) if c.joint))
    return f" (joints {listed(names)})" if names else ""


# ---------------------------------------------------------------------------------------------------------- mass


def mass_findings(eq: Equations, found: Configuration) -> list[Finding]:
    """Motions that the constraints allow and that move no mass."""
    n = len(eq.u)
    is_late = isinstance(eq.f, LateColumn)
    if is_late and (not _may_lack_mass(eq) or links_have_inertia(eq.mechanism) or repeated_equations(eq.mechanism)):
        return []  # links with inertia, each moved by its own speeds, or trees of definite M
    still = [j for j, e in enumerate(() if eq.lam else diagonal(eq.M)) if e is ZERO]
    if idle := [eq.u[j].name for j in still if all(e is ZERO for e in eq.M.row(j))]:
        return [_massless(eq, idle)]
    if not eq.u or not _may_lack_mass(eq):
        return []
    if eq.lam and not found.holds:
        return []
    values = found.values or random_values(eq, Random(1))
    try:
        M, Jc = _rows(eq.M.entries, n, values), _rows(eq.Jc.entries, n, values)
    except EvaluationError:
        return []
    if not Jc and is_definite(M):
        return []
    basis = null_space(Jc, n)
    projected = products(basis, M)
    if is_definite(projected):
        return []
    out = []
    for d in dependent_rows(projected, 1e-11):
        motion = [sum(w * basis[k][j] for k, w in d.weights.items()) for j in range(n)]
        out.append(_massless(eq, [u.name for u, x in zip(eq.u, motion, strict=True) if abs(x) > 1e-6 * size(motion)]))
    return out


def spring_findings(eq: Equations, found: Configuration) -> list[Finding]:
    """Springs about an axis whose angle is not that about it: the work of their torque is then not what their energy
    loses."""
    about_axes = [x for x in eq.mechanism.loads if x.kind == "spring" and x.recipe is None]
    springs = [x for x in about_axes if any(a.torque is not None for a in x.actions)]
    if not springs or not eq.u or (eq.lam and not found.holds) or any(e is not ZERO for e in eq.b.entries):
        return []
    values = found.values or random_values(eq, Random(1))
    try:
        motion = _motion(eq, values)
        numbers = evaluate(powers_and_losses(eq, springs), {**values, **motion})
    except (EvaluationError, OverflowError):
        return []
    out = []
    for spring, (power, loss) in zip(springs, numbers, strict=True):
        if abs(power - loss) > 1e-6 * (abs(power) + abs(loss)):
            out.append(_strange_angle(eq, spring.name))
    return out


def _motion(eq: Equations, values: Values) -> dict[Symbol, float]:
    """Speeds that the constraints allow, in a configuration that keeps them."""
    draw, n = Random(3), len(eq.u)
    if not eq.lam:
        return {u: draw.uniform(0.3, 1.0) for u in eq.u}
    basis = null_space(_rows(eq.Jc.entries, n, values), n)
    parts = [draw.uniform(0.3, 1.0) for _ in basis]
    return {u: sum(c * z[j] for c, z in zip(parts, basis, strict=True)) for j, u in enumerate(eq.u)}


def _strange_angle(eq: Equations, name: str) -> Finding:
    text = f"{eq.name!r}: spring {name!r} has an angle that does not change as its bodies turn about its axis, so that its torque does not follow from its energy: give the angle of the child relative to the parent about the axis, axis= of the joint, or a torque in place of the spring"
    return Finding("spring", (name,), text)


def _may_lack_mass(eq: Equations) -> bool:
    """Whether numbers are worth looking at: a body that has no mass or no inertia about some axis, or coordinates
    outside joints."""
    in_joints = {q for j in eq.mechanism.joints for q in j.coordinates}
    bodies = eq.mechanism.bodies
    masses = {id(b.mass): b.mass for b in bodies}.values()
    return any(m.m is ZERO or any(m.I_BBcm[i, i] is ZERO for i in range(3)) for m in masses) or any(
        q not in in_joints for q in eq.q
    )


def hinges_through_points(m: Mechanism) -> Iterator[str]:
    """Hinges whose child alone hangs on them, a point on the axis."""
    carrying = {j.parent for j in m.joints}
    bodies = {b.name: b for b in m.bodies}
    for j in m.joints:
        b = bodies.get(j.child)
        if j.kind == "revolute" and b is not None and b.name not in carrying and _is_on_axis(j, b):
            yield f"joint {j.name!r} turns {b.name} about an axis through its mass centre, and {b.name} has no inertia about it"


def _is_on_axis(j: Joint, b: Body) -> bool:
    if not b.mass.is_particle or b.mass.is_massless or len(j.coordinates) != 1:
        return False
    moved = b.mass_centre.velocity(j.outer).components(j.outer)
    return all(e.value == 0 for e in moved.entries)


def _massless(eq: Equations, speeds: list[str]) -> Finding:
    bodies = [b.name for b in eq.mechanism.bodies if b.mass.is_massless]
    light = [b.name for b in eq.mechanism.bodies if not b.mass.is_massless and b.mass.is_particle]
    who = (
        f"; massless bodies: {in_groups(bodies)}"
        if bodies
        else f"; bodies without inertia: {in_groups(light)}"
        if light
        else ""
    )
    text = (
        f"{eq.name!r}: the mass matrix is singular: {in_groups(speeds)} {'change' if len(speeds) > 1 else 'changes'} without moving any mass"
        f"{who}{''.join(f'; {found}' for found in hinges_through_points(eq.mechanism))}. Give the bodies that these move a mass and an inertia, or constrain the motion; "
        "derive(model, check=False) gives the equations as they are"
    )
    return Finding("singular mass matrix", tuple(speeds), text)


# -------------------------------------------------------------------------------------------------------- integrability


def integrable(eq: Equations) -> list[Finding]:
    """Velocity constraints that are, up to a factor, rates of a function of the coordinates (Frobenius' theorem, each
    constraint separately).

    ω = Σ a_i dq_i + b dt is integrable where ω ∧ dω = 0
    """
    out = []
    for c in eq.mechanism.nonholonomic:
        if _is_integrable(eq, c):
            text = (
                f"{eq.name!r}: constraint {c.name!r} is given on speeds but can be integrated: it is a holonomic constraint, whose position will "
                "drift; where the integral is known, use m.constrain(...) instead of m.constrain_speed(...)"
            )
            out.append(Finding("integrable", (c.name,), text, is_error=False))
    return out


def _is_integrable(eq: Equations, c: Constraint) -> bool:
    rates = {q.dot: q for q in eq.q}
    moving = [s for s in free_symbols(c.expression) if s.kind == "speed"]
    if any(s not in rates for s in moving) or len(eq.q) > MAX_COORDINATES:
        return False  # written in quasi-velocities: not decided
    variables: list[Symbol] = [rates[s] for s in moving]
    variables += [q for q in free_symbols(c.expression) if q in eq.q and q not in variables]
    form = [*jacobian([c.expression], [q.dot for q in variables]).entries]
    free = substitute_all([c.expression], dict.fromkeys(moving, ZERO))[0]
    if free is not ZERO or eq.t in free_symbols(c.expression):
        variables, form = [*variables, eq.t], [*form, free]
    slopes = jacobian(form, variables)
    n = len(variables)
    try:
        values = random_values(eq, Random(7))
        a, rows = evaluate([form, list(slopes.entries)], values)
    except EvaluationError:
        return False
    d = [rows[i * n : (i + 1) * n] for i in range(n)]
    scale = size(a) * max(size(rows), 1e-30)
    for i, j, k in combinations(range(n), 3):
        wedge = a[i] * (d[k][j] - d[j][k]) + a[j] * (d[i][k] - d[k][i]) + a[k] * (d[j][i] - d[i][j])
        if abs(wedge) > 1e-9 * scale:
            return False
    return True
