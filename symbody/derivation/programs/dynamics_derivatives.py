"""Derivatives of forward and of inverse dynamics, with respect to the state, to inputs and to parameters.

Where e = M u' - f - Jcᵀ lam and k = Jc u' + c are zero, they stay zero along with the solution:

    [M Hᵀ; Jc 0] [∂u'; -∂lam] = -[∂e; ∂k]        ∂e, ∂k: partial derivatives at fixed u' and lam; H = Jc + W

so that the derivatives of inverse dynamics give those of forward dynamics, all right sides with the factors that give
u' itself. ∂e comes from the Newton-Euler recursion, without M (Carpentier and Mansard, Analytical derivatives of rigid
body dynamics algorithms, 2018).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from ...algebra.calculus.accumulation import Stage, accumulated_jacobian
from ...algebra.calculus.derivatives import gradient, jacobian
from ...algebra.graph.graph import ONE, ZERO, Expr, Symbol
from ...algebra.graph.matrix import Matrix, sum_of_products
from ...algebra.printing.printing import outline
from ...errors import DerivationError, listed, unknown
from ...summary import Summarized, Summary
from ..equations.energies import is_uniform_gravity
from ..equations.equation_arguments import of_equations
from ..equations.equations import Equations
from ..kinematics.kinematics import Kinematics
from ..kinematics.unknown_positions import has_unknown_places
from ..rank.saddle_point import SaddlePoint
from ..routes.recursive import operations_from, staged_forces
from .constraint_sweeps import constraint_sweeps
from .forward_dynamics import is_made_fast, ways_to_accelerations

Wrt = str | Symbol


@dataclass(frozen=True, repr=False)
class ForwardDerivatives(Summarized):
    """∂u'/∂x and ∂lam/∂x for each requested x, by its name: one row for each speed or multiplier, one column for each
    symbol.

    udot, multipliers   of accelerations and of multipliers: matrices by name of x

    >>> m = sb.Model("spring")
    >>> k = m.parameter("k", 4.0)
    >>> joint = m.prismatic("x", m.ground, m.body("cart", mass=2), stiffness=k)
    >>> sb.derivation.forward_derivatives(sb.derive(m), ["q", k]).udot
    {'q': vector(-k/2), 'k': vector(-x/2)}

    See also: `derivation.forward_derivatives`.
    """

    udot: Mapping[str, Matrix]
    multipliers: Mapping[str, Matrix]

    def _summary(self) -> Summary:
        rows = [(f"udot[{x!r}]", outline(m)) for x, m in self.udot.items()]
        rows += [(f"multipliers[{x!r}]", outline(m)) for x, m in self.multipliers.items() if m.entries]
        return Summary(f"ForwardDerivatives with respect to {', '.join(map(str, self.udot))}", tuple(rows))


@of_equations
def forward_derivatives(
    eq: Equations, wrt: Iterable[Wrt] | Mapping[str, Sequence[Symbol]] = ("q", "u")
) -> ForwardDerivatives:
    """Derivatives of accelerations and multipliers.

    wrt   "q", "u", "z", "r", "p", "t" for all coordinates, speeds, additional variables, inputs, parameters, time;
          single symbols, or their names; or groups of symbols with names of your choice, `{"masses": [m1, m2]}`

    Each coordinate is varied independently of the others, although values satisfy the constraints. For Euler
    parameters, which have unit norm, only derivatives along motions (a_q N) are meaningful; the normal component
    depends on how the equations are written.

    >>> m = sb.Model("pendulum")
    >>> joint = m.revolute("theta", m.ground, m.body("bob", mass=1, com=(0, -1, 0)), damping=2)
    >>> m.gravity(0, -10, 0)
    >>> found = sb.derivation.forward_derivatives(sb.derive(m))
    >>> found.udot["q"], found.udot["u"]
    (vector(-10*cos(theta)), vector(-2))

    See also: `derivation.inverse_derivatives`, `derivation.ForwardDerivatives`, `linearize`.
    """
    groups = symbols_to_vary(eq, wrt)
    if is_made_fast(eq):
        return _derivatives_in_loops(eq, groups)
    solution = (*eq.udot.entries, *eq.multipliers.entries)
    held = dict(zip((*accelerations(eq), *eq.lam), solution, strict=True))
    symbols = _each_once(groups)
    ways = [([-e for e in balance(eq, forces)], stages) for forces, stages in ways_to_forces(eq)]
    solved = _solve_columns(eq.augmented.factors, _fewest_operations(ways, symbols, held))
    column = {s: solved.column(j) for j, s in enumerate(symbols)}
    n = len(eq.u)
    udot = {k: _of_columns([column[s][:n] for s in group], n) for k, group in groups.items()}
    multipliers = {k: -_of_columns([column[s][n:] for s in group], len(eq.lam)) for k, group in groups.items()}
    return ForwardDerivatives(udot, multipliers)


def _derivatives_in_loops(eq: Equations, groups: Mapping[str, Sequence[Symbol]]) -> ForwardDerivatives:
    """Columns of all groups as repetitions of one sweep over the tangents, with those of the multipliers."""
    loops, n = constraint_sweeps(eq), len(eq.u)
    solution = loops.accelerations(is_guarded=True) if loops is not None else ways_to_accelerations(eq)[:1]
    symbols = _each_once(groups)
    J = jacobian([e for m in solution for e in m.entries], symbols)
    place = {s: j for j, s in enumerate(symbols)}
    rows = [J.row(i) for i in range(J.rows)]
    udot, lam = (
        {k: _columns_of(part, [place[s] for s in group]) for k, group in groups.items()}
        for part in (rows[:n], rows[n:])
    )
    return ForwardDerivatives(udot, lam)


def _columns_of(rows: Sequence[Sequence[Expr]], columns: Sequence[int]) -> Matrix:
    return Matrix(len(rows), len(columns), tuple(row[j] for row in rows for j in columns))


@of_equations
def inverse_derivatives(
    eq: Equations, wrt: Iterable[Wrt] | Mapping[str, Sequence[Symbol]] = ("q", "u", "a")
) -> dict[str, Matrix]:
    """Derivatives of `joint_forces(eq)`, M u' - f, at fixed u': "q", "u", ... as for `forward_derivatives`; "a" for u',
    which gives M.

    >>> m = sb.Model("pendulum")
    >>> joint = m.revolute("theta", m.ground, m.body("bob", mass=1, com=(0, -2, 0)))
    >>> m.gravity(0, -10, 0)
    >>> sb.derivation.inverse_derivatives(sb.derive(m))
    {'q': vector(20*cos(theta)), 'u': vector(0), 'a': vector(4)}

    See also: `joint_forces`, `derivation.forward_derivatives`.
    """
    groups = symbols_to_vary(eq, wrt, {"a": accelerations(eq)})
    column = {a: eq.M.column(j) for j, a in enumerate(accelerations(eq))}
    symbols = [s for s in _each_once(groups) if s not in column]
    slopes = _fewest_operations(ways_to_forces(eq), symbols, {})
    column |= {s: slopes.column(j) for j, s in enumerate(symbols)}
    return {k: _of_columns([column[s] for s in group], len(eq.u)) for k, group in groups.items()}


def balance_derivatives(eq: Equations, symbols: Sequence[Symbol], held: Mapping[Symbol, Expr]) -> Matrix:
    """∂(M u' - f - Jcᵀ lam)/∂symbols at fixed u' and lam, for which `held` has expressions."""
    n = len(eq.u)
    return _fewest_operations([(balance(eq, e)[:n], stages) for e, stages in ways_to_forces(eq)], symbols, held)


def balance_pullback(eq: Equations, symbols: Sequence[Symbol], factors: Sequence[Expr]) -> list[Expr]:
    """∂/∂symbols of factors · (M u' - f - Jcᵀ lam) at fixed u', lam and factors: one reverse sweep, over whichever form of
    the balance gives fewest operations."""
    found = []
    for forces, _ in ways_to_forces(eq):
        total = sum_of_products(list(factors), balance(eq, forces)[: len(eq.u)])
        found.append(list(gradient(total, symbols).entries))
    return min(found, key=lambda entries: operations_from(set(), entries))


def shortest_balance(eq: Equations) -> list[Expr]:
    """M u' - f - Jcᵀ lam for u' and lam as symbols, in the form that takes fewest operations."""
    ways = [balance(eq, forces)[: len(eq.u)] for forces, _ in ways_to_forces(eq)]
    return min(ways, key=lambda entries: operations_from(set(), entries))


def accelerations(eq: Equations) -> tuple[Symbol, ...]:
    return tuple(s for u in eq.u if isinstance(s := u.dot, Symbol))


def symbols_to_vary(
    eq: Equations,
    wrt: Iterable[Wrt] | Mapping[str, Sequence[Symbol]],
    more: Mapping[str, Sequence[Symbol]] | None = None,
) -> dict[str, Sequence[Symbol]]:
    """Symbols to differentiate by, under the name of their group or under their own."""
    groups = {"q": eq.q, "u": eq.u, "z": eq.z, "r": eq.r, "p": eq.p, "t": (eq.t,), **(more or {})}
    single = {s.name: s for group in groups.values() for s in group}
    known = set(single.values())
    out: dict[str, Sequence[Symbol]] = {}
    for w in wrt:
        name = w if isinstance(w, str) else str(getattr(w, "name", w))
        if isinstance(wrt, Mapping):
            asked: Sequence[Wrt] = wrt[name]
        else:
            asked = groups[w] if isinstance(w, str) and w in groups else [w]
        found = [single.get(x) if isinstance(x, str) else x for x in asked]
        if stray := [str(x) for x, s in zip(asked, found, strict=True) if s not in known]:
            raise unknown(f"derivatives of {eq.name!r}", "symbol", stray[0], (*groups, *single))
        out[name] = [s for s in found if s is not None]
    if empty := [k for k, group in out.items() if not group]:
        raise DerivationError(f"derivatives of {eq.name!r}: it has no {listed(empty)}; leave that out of wrt=")
    return out


def _each_once(groups: Mapping[str, Sequence[Symbol]]) -> list[Symbol]:
    return list(dict.fromkeys(s for group in groups.values() for s in group))


# ---------------------------------------------------------------------------------------------------------- balances


Way = tuple[list[Expr], list[Stage]]  # expressions, and the order in which to eliminate


def ways_to_forces(eq: Equations) -> list[Way]:
    """M u' - f as it stands, and by the recursion where the equations are those of the mechanism's own speeds, nothing
    dropped."""
    by_matrix = eq.M @ Matrix(len(eq.u), 1, accelerations(eq)) - eq.f
    ways: list[Way] = [(list(by_matrix.entries), [])]
    if not eq.dropped and not eq.dependent and not has_unknown_places(eq.mechanism):
        k = Kinematics(eq.mechanism)
        loads = [x for x in eq.mechanism.loads if not is_uniform_gravity(x, k)]
        ways.append(staged_forces(eq.mechanism, k, loads=loads))
    return ways


def balance(eq: Equations, forces: list[Expr]) -> list[Expr]:
    """M u' - f - Jcᵀ lam and Jc u' + c, for u' and lam as symbols."""
    balance = [e - sum_of_products(eq.Jc.column(i), eq.lam) for i, e in enumerate(forces)] if eq.lam else forces
    return [*balance, *(sum_of_products(eq.Jc.row(k), accelerations(eq)) + c for k, c in enumerate(eq.c.entries))]


def _fewest_operations(ways: Sequence[Way], symbols: Sequence[Symbol], held: Mapping[Symbol, Expr]) -> Matrix:
    """Derivatives by the method that takes fewest operations; a method with twice as many operations as another
    before differentiation is discarded."""
    length = [operations_from(set(), expressions) for expressions, _ in ways]
    near = [way for way, n in zip(ways, length, strict=True) if n <= 2 * min(length)]
    slopes = [accumulated_jacobian(expressions, symbols, stages, held) for expressions, stages in near]
    return min(slopes, key=lambda J: operations_from(set(), J.entries))


# ---------------------------------------------------------------------------------------------------------- solving


def _solve_columns(factors: SaddlePoint, right: Matrix) -> Matrix:
    """All right sides. Those with a single entry are multiples of columns of A⁻¹, of which each pair of entries is
    computed once.

    In a tree the column of the later speed is cheaper to have up to the earlier one: entries beyond are not needed
    then.
    """
    n = right.rows
    single = {}
    for j in range(right.cols):
        entries = [(i, e) for i, e in enumerate(right.column(j)) if e is not ZERO]
        if len(entries) == 1:
            single[j] = entries[0]
    units = {k: factors.solve([ONE if i == k else ZERO for i in range(n)]) for k, _ in single.values()}
    columns = []
    for j in range(right.cols):
        if j in single:
            k, e = single[j]
            swaps = factors.is_symmetric
            columns.append([e * (units[i][k] if swaps and i > k and i in units else units[k][i]) for i in range(n)])
        else:
            columns.append(list(factors.solve(list(right.column(j)))))
    return _of_columns(columns, n)


def _of_columns(columns: Sequence[Sequence[Expr]], rows: int) -> Matrix:
    return Matrix(rows, len(columns), tuple(c[i] for i in range(rows) for c in columns))
