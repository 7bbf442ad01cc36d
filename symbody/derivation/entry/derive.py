"""`derive`: from a mechanism to its equations, by a route of choice."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

from ...algebra.calculus.derivatives import jacobian
from ...algebra.graph.graph import Symbol
from ...algebra.graph.late_matrix import LateRows, LateSquare, symbol_carriers
from ...algebra.graph.matrix import Matrix, zeros
from ...algebra.graph.node_table import gc_paused
from ...algebra.graph.walk import free_symbols, substitute_all
from ...argument_kinds import checked_flags
from ...bodies.mechanism.declarations import multiplier_of
from ...bodies.mechanism.mechanism import Mechanism
from ...bodies.model.model import Model
from ...errors import DerivationError, ModelError, listed, shown, unknown
from ...progress import begin_stage, working
from ...summary import counted
from ..equations.constraint_rank import branches_in_words, constraint_rank
from ..equations.equations import Equations
from ..equations.undetermined_forces import null_vectors, undetermined
from ..kinematics.kinematics import Kinematics
from ..kinematics.unknown_positions import has_unknown_places, without_unknown_positions
from ..rank.saddle_point import Elimination
from ..routes.gibbs_appell import gibbs_appell
from ..routes.kane import kane
from ..routes.lagrange import lagrange
from ..routes.link_inertia import links_have_inertia
from ..routes.linked_equations import linked_system
from ..routes.newton_euler import newton_euler
from ..routes.recursive import recursive
from ..routes.repeated_equations import late_system
from ..routes.user_inertia import WrittenMotion
from .checks import USED_SYMBOLS
from .checks import check as refuse_faults
from .small_variables import linearized_in_small

Route = Callable[[Mechanism, Kinematics], tuple[Matrix, Matrix]]
ROUTES: Final[dict[str, Route]] = {
    "recursive": recursive,
    "kane": kane,
    "lagrange": lagrange,
    "newton-euler": newton_euler,
    "gibbs-appell": gibbs_appell,
}


NOT_EXAMINED: Final = (
    "check=False: whether constraints depend on each other was not examined; where they do, accelerations have no value "
    "(NaN), which derive(..., redundant=True) cures"
)
POSITION_ROUTES: Final = ("lagrange", "newton-euler")  # routes that differentiate positions


def routes_for(mechanism: Mechanism) -> tuple[str, ...]:
    """The routes by which a mechanism can be derived: all, or those that start from velocities where some frames
    have no known position."""
    return tuple(r for r in ROUTES if r not in POSITION_ROUTES or not has_unknown_places(mechanism))


@checked_flags(ModelError)
def derive(
    model: Model | Mechanism,
    route: str = "recursive",
    check: bool = True,
    small: bool = False,
    *,
    redundant: bool = False,
) -> Equations:
    """Derive the equations of motion of a model: M u' = f + Jcᵀ lam with q' = N u + n, and its constraints.

    route   recursive (fewest operations), kane, lagrange, newton-euler, gibbs-appell: independent derivations of the
            same equations
    check   refuse redundant or contradictory constraints, massless motions and undeclared symbols (see `audit`);
            without this check accelerations are NaN if constraints are dependent
    small   linearise in the variables declared by `m.small`; `dropped` of the result contains the omitted terms
    redundant   allow redundant constraints: the motion is determined, but some reactions are not (see `reaction`)

    >>> m = sb.Model("pendulum")
    >>> p = m.parameters(l=1.0, m=0.5, g=9.81)
    >>> bob = m.body("bob", mass=p.m, com=(0, -p.l, 0))
    >>> joint = m.revolute("theta", m.ground, bob)
    >>> m.gravity(0, -p.g, 0)
    >>> eq = sb.derive(m)
    >>> eq.M, eq.f
    (vector(m*l**2), vector(-m*g*l*sin(theta)))
    >>> sb.derive(m, route="lagrange").M == eq.M
    True

    See also: `Model`, `Equations`, `audit`, `certify`, `simulate`.
    """
    if not isinstance(model, (Model, Mechanism)):
        raise _not_a_model(model)
    if route not in ROUTES:
        raise unknown("derive", "route", route, ROUTES)
    with gc_paused(), working(f"derive {model.name}"):
        return _equations_of(model, route, redundant, check, small)


def _equations_of(model: Model | Mechanism, route: str, redundant: bool, check: bool, small: bool) -> Equations:
    begin_stage("description")
    mechanism = model.freeze() if isinstance(model, Model) else model
    if route not in (possible := routes_for(mechanism)):
        raise DerivationError(
            f"derive: route {route!r} needs positions, but frames of {mechanism.name!r} are known by their velocity only; use one of {listed(possible)}"
        )
    begin_stage(f"equations of {counted(len(mechanism.bodies), 'body', 'bodies')}")
    equations = _equations_by_route(mechanism, route)
    if check:
        begin_stage("checks")
        refuse_faults(equations, redundant)
    begin_stage("rank of the constraints")
    equations = _with_border(equations) if check or redundant else _with_missing_check_noted(equations)
    return _with_slow_elimination_noted(linearized_in_small(equations) if small else equations)


def _not_a_model(model: Any) -> ModelError:
    inside = "; its model is its attribute .model" if isinstance(getattr(model, "model", None), Model) else ""
    return ModelError(f"derive: takes a model, got {shown(model)}{inside}")


def _with_border(equations: Equations) -> Equations:
    """Equations whose constraints depend on each other, with what makes their accelerations determined."""
    rank = constraint_rank(equations)
    if rank is None:
        return equations
    if other := branches_in_words(rank, len(equations.u)):
        equations = replace(equations, notes=(*equations.notes, other))
        equations.cached("constraint rank", None, lambda: rank)
    if rank.is_full:
        return equations
    out = replace(equations, border=rank.space.border)
    out.cached("constraint rank", None, lambda: rank)
    if open_ := [s.name for s in undetermined(out) if s in out.augmented.multipliers_in_loads]:
        raise DerivationError(
            f"derive {out.name!r}: loads contain {listed(open_)}, which redundant constraints do not determine, so the motion is not determined either"
        )
    note = (
        f"{len(out.lam)} constraints have rank {rank.rank}; not determined: {listed(s.name for s in undetermined(out))}"
    )
    noted = replace(out, notes=(*out.notes, note))
    noted.cached("constraint rank", None, lambda: rank)
    noted.cached("null vectors", (), lambda: null_vectors(out))
    return noted


def _with_missing_check_noted(equations: Equations) -> Equations:
    """Equations whose constraints were not examined, with a note on what that means."""
    return replace(equations, notes=(*equations.notes, NOT_EXAMINED)) if equations.lam else equations


def _with_slow_elimination_noted(equations: Equations) -> Equations:
    """Add a note to equations whose M is singular: how their accelerations are found nevertheless."""
    if not equations.lam or isinstance(equations.Jc, LateRows):
        return equations
    if isinstance(equations.M, LateSquare) and links_have_inertia(equations.mechanism):
        return equations  # M is definite
    elimination = equations.augmented.factors.elimination
    if elimination in (Elimination.DEFINITE, Elimination.SCHUR):
        return equations
    return replace(equations, notes=(*equations.notes, elimination.value))


def inertia_and_forces(route: str, mechanism: Mechanism, kinematics: Kinematics) -> tuple[Matrix, Matrix]:
    """M and f: of bodies and loads by a route, plus energies and balances written by the user."""
    M, f = without_unknown_positions(mechanism, list(ROUTES[route](mechanism, kinematics)))
    if not mechanism.has_written_motion:
        return M, f
    written = WrittenMotion(mechanism, kinematics)
    return M + written.M, f + written.f


def _equations_by_route(mechanism: Mechanism, route: str) -> Equations:
    kinematics = Kinematics(mechanism)
    late = (late_system(mechanism) or linked_system(mechanism, kinematics)) if route == "recursive" else None
    M, f, phi, Jc, b, c = _system(route, mechanism, kinematics) if late is None else late
    settled = free_symbols(*(e for x in (M, phi, Jc, b, c) for e in symbol_carriers(x)))
    _refuse_multipliers_elsewhere(mechanism, settled)
    h = without_unknown_positions(
        mechanism, kinematics.in_speeds(list(mechanism.equations.values())), "additional equations"
    )
    written = [*mechanism.outputs.values(), *mechanism.labels.values()]
    seen = without_unknown_positions(mechanism, kinematics.in_speeds_and_accelerations(written), "outputs and labels")
    outputs = dict(zip(mechanism.outputs, seen, strict=False))
    labels = dict(zip(mechanism.labels, seen[len(outputs) :], strict=True))
    used = free_symbols(
        *settled, *symbol_carriers(f), *h, *mechanism.rates.values(), *outputs.values(), *labels.values()
    )
    r = _inputs(mechanism, used)
    equations = Equations(
        mechanism=mechanism, route=route, q=mechanism.q, u=mechanism.u, z=mechanism.z, r=r, p=mechanism.p, t=mechanism.t,
        rates=Matrix(len(mechanism.q), 1, tuple(mechanism.rates[q] for q in mechanism.q)), M=M, f=f, phi=phi, Jc=Jc, b=b, c=c,
        lam=_multipliers(mechanism), h=Matrix(len(h), 1, tuple(h)), outputs=outputs, labels=labels, notes=mechanism.notes,
    )  # fmt: skip
    equations.cached(*USED_SYMBOLS, lambda: used)
    return equations


def _system(route: str, mechanism: Mechanism, kinematics: Kinematics) -> tuple[Matrix, ...]:
    """M, f, phi, Jc, b, c by a route."""
    M, f = inertia_and_forces(route, mechanism, kinematics)
    tied = without_unknown_positions(mechanism, list(_constraints(mechanism, kinematics)), "the constraints")
    return M, f, *tied


def _refuse_multipliers_elsewhere(mechanism: Mechanism, things: list[Any]) -> None:
    """Multipliers are unknown forces: loads and outputs may contain them, what determines them may not."""
    if found := [s for s in free_symbols(*things, *mechanism.equations.values()) if s.kind == "multiplier"]:
        raise DerivationError(
            f"derive {mechanism.name!r}: {listed(found)} {'stand' if len(found) > 1 else 'stands'} in masses, constraints or additional equations; loads and outputs may contain "
            "multipliers"
        )


def _inputs(mechanism: Mechanism, used: list[Symbol]) -> tuple[Symbol, ...]:
    """Inputs, and after them those of their rates that the equations contain, by order: w, then w', then w''."""
    declared = {s.stem: k for k, s in enumerate(mechanism.r)}
    rates = {s for s in used if s.kind == "input" and s.order and s.stem in declared}
    return (*mechanism.r, *sorted(rates, key=lambda s: (s.order, declared[s.stem])))


def _multipliers(mechanism: Mechanism) -> tuple[Symbol, ...]:
    """One for each constraint: holonomic ones first, as in Jc."""
    return tuple(multiplier_of(c.name) for c in (*mechanism.holonomic, *mechanism.nonholonomic))


def _constraints(mechanism: Mechanism, kinematics: Kinematics) -> tuple[Matrix, Matrix, Matrix, Matrix]:
    """phi; Jc, b of its rates and of the nonholonomic constraints; c of their rates."""
    phi = [c.expression for c in mechanism.holonomic]
    psi = [kinematics.rate(e) for e in phi] + kinematics.in_speeds([c.expression for c in mechanism.nonholonomic])
    names = [c.name for c in (*mechanism.holonomic, *mechanism.nonholonomic)]
    u, k = kinematics.u, len(psi)
    if not k:
        return zeros(0), Matrix(0, len(u), ()), zeros(0), zeros(0)
    Jc = jacobian(psi, u)
    for name, row in zip(names, range(k), strict=True):
        if nonlinear := [s for s in free_symbols(*Jc.row(row)) if s in u]:
            raise ModelError(
                f"constraint {name!r} is not linear in the speeds: its coefficients contain {listed(nonlinear)}"
            )
    b = substitute_all(psi, dict.fromkeys(u, 0))
    c = [kinematics.rate_at_constant_speed(e) for e in psi]
    return _column(phi), Jc, _column(b), _column(c)


def _column(entries: list[Any]) -> Matrix:
    return Matrix(len(entries), 1, tuple(entries))
