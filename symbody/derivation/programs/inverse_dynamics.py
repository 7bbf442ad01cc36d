"""Inverse dynamics: the forces that a given motion requires."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from ...algebra.calculus.derivatives import jacobian
from ...algebra.graph.graph import ZERO, Expr, Symbol
from ...algebra.graph.linear import solve
from ...algebra.graph.matrix import Matrix, sum_of_products
from ...algebra.graph.walk import free_symbols, substitute_all
from ...algebra.printing.formulas import formula
from ...algebra.printing.printing import outline
from ...display import DisplayPart
from ...errors import DerivationError, in_number, listed
from ...summary import Summarized, Summary, counted, listing, summary_rows
from ..equations.energies import is_uniform_gravity
from ..equations.equation_arguments import of_equations
from ..equations.equations import Equations
from ..equations.own_terms import in_own_terms
from ..equations.random_states import numbers, random_state
from ..kinematics.kinematics import Kinematics
from ..kinematics.unknown_positions import has_unknown_places, without_unknown_positions
from ..rank.small_matrices import Rows, pivoted_elimination, size
from ..routes.recursive import generalized_forces
from .shortest_forms import shortest_forces


@dataclass(frozen=True, repr=False)
class InverseDynamics(Summarized):
    """Input forces for a motion (q, u, u'), which must satisfy the constraints.

    inputs        value of each input
    multipliers   value of each multiplier
    conditions    further conditions on the motion (each expression zero): the balances without inputs, one for each
                  unactuated degree of freedom; empty if there are as many inputs as degrees of freedom

    >>> m = sb.Model("cart and pole")
    >>> cart, pole = m.body("cart", mass=1), m.body("pole", mass=1, com=(0, -1, 0))
    >>> joints = m.prismatic("x", m.ground, cart, actuation=m.input("F")), m.revolute("theta", cart, pole)
    >>> found = sb.inverse_dynamics(sb.derive(m))
    >>> found.conditions  # the pole has no input: its balance is a condition on the motion
    vector(theta_ddot + cos(theta)*x_ddot)

    See also: `inverse_dynamics`, `joint_forces`.
    """

    inputs: Mapping[Symbol, Expr]
    multipliers: Mapping[Symbol, Expr]
    conditions: Matrix

    def _summary(self) -> Summary:
        rows = tuple((s.name, outline(e)) for s, e in {**self.inputs, **self.multipliers}.items())
        title = f"InverseDynamics: {counted(len(self.inputs), 'input')}, {counted(len(self.multipliers), 'multiplier')}"
        return Summary(title, (*summary_rows(conditions=listing(map(outline, self.conditions.entries))), *rows))

    def _folded(self) -> Iterable[tuple[str, DisplayPart]]:
        return ((s.name, formula(e)) for s, e in {**self.inputs, **self.multipliers}.items())


@of_equations
def joint_forces(eq: Equations) -> Matrix:
    """M u' - f for u' as symbols, one entry for each speed: the generalised forces required for the motion in addition
    to the loads.

    Computed by one Newton-Euler recursion over the tree (RNEA), without the mass matrix. Loads are included,
    loop-closure forces are not: in a system with loops the result is Jcᵀ lam.

    >>> m = sb.Model("pendulum")
    >>> joint = m.revolute("theta", m.ground, m.body("bob", mass=1, com=(0, -2, 0)))
    >>> m.gravity(0, -10, 0)
    >>> sb.joint_forces(sb.derive(m))
    vector(20*sin(theta) + 4*theta_ddot)

    See also: `inverse_dynamics`, `derivation.inverse_derivatives`.
    """
    return _in_own_speeds(eq, generalized_forces)


def shortest_joint_forces(eq: Equations) -> Matrix:
    """The same for programs, in the fewest operations."""
    is_plain = not eq.mechanism.elastic_bodies and not has_unknown_places(eq.mechanism)
    return _in_own_speeds(eq, shortest_forces if is_plain else generalized_forces)


def _in_own_speeds(eq: Equations, recursion: Callable[..., list[Expr]]) -> Matrix:
    """M u' - f by a recursion over the tree, in the speeds of these equations."""
    k = Kinematics(eq.mechanism)
    loads = [x for x in eq.mechanism.loads if not is_uniform_gravity(x, k)]
    found = recursion(eq.mechanism, k, loads=loads)
    forces = Matrix(len(k.u), 1, tuple(without_unknown_positions(eq.mechanism, found)))
    if not eq.dependent:
        return forces
    own = [u.dot for u in eq.u]
    accelerations = [eq.dependent.get(u.dot, u.dot) for u in eq.mechanism.u]
    A = jacobian(accelerations, own)
    column = in_own_terms(eq, [forces])[0]
    return Matrix(len(own), 1, tuple(sum_of_products(A.column(j), column.entries) for j in range(len(own))))


@of_equations
def inverse_dynamics(eq: Equations, inputs: Iterable[Symbol | str] | None = None) -> InverseDynamics:
    """Inputs (and multipliers) for a given motion, as expressions in q, u and u' = u.dot.

    inputs   the inputs to solve for, by symbol or name; by default all whose rates do not act. Others remain symbols.

    M u' - f0 = B r + Hᵀ lam, H = Jc + W, is solved if its solution is unique. For an underactuated system it is unique,
    but exists only for motions that satisfy `conditions`. If a combination of inputs or multipliers does not affect the
    motion, the error names it.

    >>> m = sb.Model("cart")
    >>> joint = m.prismatic("x", m.ground, m.body("cart", mass=2), damping=3, actuation=m.input("F"))
    >>> sb.inverse_dynamics(sb.derive(m)).inputs
    {F: 3*x_dot + 2*x_ddot}

    See also: `joint_forces`, `derivation.InverseDynamics`.
    """
    return solved_for_inputs(eq, joint_forces(eq), _chosen_inputs(eq, inputs))


def shortest_inverse_dynamics(eq: Equations) -> InverseDynamics:
    """The same for programs, of all inputs, in the fewest operations."""
    return solved_for_inputs(eq, shortest_joint_forces(eq), _chosen_inputs(eq, None))


def solved_for_inputs(eq: Equations, missing: Matrix, wanted: list[Symbol]) -> InverseDynamics:
    """Inputs and multipliers that give the forces which are missing for a motion."""
    B = -jacobian(missing, wanted)
    _refuse_nonlinear(eq, wanted, B)
    unknowns = (*wanted, *eq.lam)
    left = substitute_all(list(missing.entries), dict.fromkeys((*wanted, *eq.augmented.multipliers_in_loads), ZERO))
    A = [[*B.row(i), *eq.augmented.directions.column(i)] for i in range(len(eq.u))]
    rows = _pivot_rows(eq, unknowns, A)
    square = Matrix(len(rows), len(rows), tuple(e for i in rows for e in A[i]))
    x = list(_solve_by_parts(square, [left[i] for i in rows]))
    others = [i for i in range(len(eq.u)) if i not in rows]
    conditions = [left[i] - sum_of_products(A[i], x) for i in others]
    k = len(wanted)
    return InverseDynamics(
        dict(zip(wanted, x[:k], strict=True)), dict(zip(eq.lam, x[k:], strict=True)),
        Matrix(len(conditions), 1, tuple(conditions)),
    )  # fmt: skip


def _chosen_inputs(eq: Equations, inputs: Iterable[Symbol | str] | None) -> list[Symbol]:
    if inputs is None:
        if len(_inputs_with_rates(eq)) == len(eq.variables.inputs):
            raise DerivationError(
                f"inverse dynamics of {eq.name!r}: the mechanism has no inputs{' that act as forces alone, without their rates' * bool(eq.r)}; declare them with m.input(...) and let them act, or use "
                "joint_forces(eq), the generalised force on every speed"
            )
        return [s for s in eq.variables.inputs if s not in _inputs_with_rates(eq)]
    return [eq.variables.of("r").symbol(i, f"inverse dynamics of {eq.name!r}") for i in inputs]


def _inputs_with_rates(eq: Equations) -> set[Symbol]:
    """Inputs whose rates occur in the equations too."""
    rates = {s.stem for s in eq.r if s.order}
    return {s for s in eq.variables.inputs if s.stem in rates}


def _refuse_nonlinear(eq: Equations, wanted: list[Symbol], B: Matrix) -> None:
    if inside := [s for s in free_symbols(B) if s in wanted]:
        raise DerivationError(
            f"inverse dynamics of {eq.name!r}: the forces are not linear in {listed(inside)}, so that they cannot be solved for; make an input of "
            "the force itself"
        )
    if moving := [s for s in wanted if s in _inputs_with_rates(eq)]:
        raise DerivationError(
            f"inverse dynamics of {eq.name!r}: {in_number(moving, '{} acts by its rate', '{} act by their rates')} too, so that a motion gives a differential equation for that; "
            "leave out of inputs= what acts so"
        )
    elsewhere = [s for s in free_symbols(eq.M, eq.Jc, eq.c) if s in wanted]
    if elsewhere:
        raise DerivationError(
            f"inverse dynamics of {eq.name!r}: {in_number(elsewhere, '{} acts', '{} act')} in the mass matrix or in "
            "constraints, not as a force; leave out of inputs= what acts so"
        )


def _pivot_rows(eq: Equations, unknowns: tuple[Symbol, ...], A: list[list[Expr]]) -> list[int]:
    """Rows that determine the unknowns, chosen by pivoting at a random consistent state; refuses where there are too
    few."""
    n = len(unknowns)
    if all(e.value is not None for row in A for e in row):
        values: Rows = [[float(e) for e in row] for row in A]
    else:
        values = numbers([Matrix(len(A), n, tuple(e for row in A for e in row))], random_state(eq))[0]
    found = pivoted_elimination(values, n)
    if found.null_space:
        raise DerivationError(_what_is_free(eq, unknowns, found.null_space[0], len(found.columns)))
    return sorted(found.rows)


def _what_is_free(eq: Equations, unknowns: tuple[Symbol, ...], direction: list[float], rank: int) -> str:
    largest = size(direction)
    terms = [(d / largest, s) for d, s in zip(direction, unknowns, strict=True) if abs(d) > 1e-6 * largest]
    combination = " ".join(f"{'-' if d < 0 else '+'} {abs(d):z.4g} {s.name}" for d, s in terms).removeprefix("+ ")
    what = "does nothing" if len(terms) == 1 else "can be added to it without changing the motion"
    return (
        f"inverse dynamics of {eq.name!r}: {len(unknowns)} unknowns ({listed(s.name for s in unknowns)}) but the motion determines only "
        f"{rank}: {combination} {what} (at a random state); select fewer inputs with inputs=[...], or drop a redundant constraint (see audit)"
    )


def _solve_by_parts(A: Matrix, b: list[Expr]) -> list[Expr]:
    """The solution of A x = b, with unknowns that stand alone in their row and column kept out of the solve block."""
    n = A.rows
    alone = {
        i: j
        for i in range(n)
        for j in range(n)
        if A[i, j].value is not None
        and [k for k in range(n) if A[i, k] is not ZERO] == [j]
        and [k for k in range(n) if A[k, j] is not ZERO] == [i]
    }
    x: list[Expr] = [ZERO] * n
    for i, j in alone.items():
        x[j] = b[i] / A[i, j]
    rows, columns = [i for i in range(n) if i not in alone], [j for j in range(n) if j not in alone.values()]
    if rows:
        part = Matrix(len(rows), len(columns), tuple(A[i, j] for i in rows for j in columns))
        for j, value in zip(columns, solve(part, [b[i] for i in rows]).entries, strict=True):
            x[j] = value
    return x
