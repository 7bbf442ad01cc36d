"""Second derivatives of forward and of inverse dynamics.

F(x, y) = [M u' - f - Jcᵀ lam; Jc u' + c] is linear in the unknowns y = (u', lam). Where it is zero,

    F_y y_ab = -(F_ab + F_ay y_b + F_by y_a)

with the factors that give y itself; F_ab are second derivatives of inverse dynamics (Singh, Russell and Wensing, Efficient
analytical derivatives of rigid-body dynamics using spatial vector algebra, 2022, have them for trees).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from ...algebra.calculus.accumulation import accumulated_jacobian
from ...algebra.calculus.derivatives import directional_derivative, gradient, jacobian
from ...algebra.graph.graph import ZERO, Expr, Symbol
from ...algebra.graph.matrix import Matrix, sum_of_products
from ...algebra.graph.walk import substitute_all
from ..equations.equation_arguments import of_equations
from ..equations.equations import Equations
from ..routes.recursive import operations_from
from .dynamics_derivatives import (
    Wrt,
    accelerations,
    balance,
    forward_derivatives,
    symbols_to_vary,
    ways_to_forces,
)

Symmetric = dict[tuple[int, int], Sequence[Expr]]  # a column for each pair a >= b of symbols


@of_equations
def second_derivatives(
    eq: Equations, wrt: Iterable[Wrt] | Mapping[str, Sequence[Symbol]] = ("q", "u")
) -> tuple[Matrix, ...]:
    """∂²u'/∂a∂b for all pairs of the symbols in `wrt` ("q", "u", "z", "r", "p", "t" or single ones, as for
    `forward_derivatives`): a symmetric matrix for each speed.

    >>> m = sb.Model("pendulum")
    >>> joint = m.revolute("theta", m.ground, m.body("bob", mass=1, com=(0, -1, 0)), damping=2)
    >>> m.gravity(0, -10, 0)
    >>> (found,) = sb.derivation.second_derivatives(sb.derive(m), ["q"])
    >>> found
    vector(10*sin(theta))

    See also: `derivation.forward_derivatives`, `derivation.inverse_second_derivatives`.
    """
    groups = symbols_to_vary(eq, wrt)
    symbols = list(dict.fromkeys(s for group in groups.values() for s in group))
    unknowns = (*accelerations(eq), *eq.lam)
    held = dict(zip(unknowns, (*eq.udot.entries, *eq.multipliers.entries), strict=True))
    first = forward_derivatives(eq, {"all": symbols})
    slopes = [J.row(i) for J in (first.udot["all"], first.multipliers["all"]) for i in range(J.rows)]
    size, right = len(unknowns), _right_sides(eq, symbols, unknowns, slopes)
    entries = substitute_all([e for column in right.values() for e in column], held)
    columns = Matrix(size, len(right), tuple(entries[j * size + i] for i in range(size) for j in range(len(right))))
    solved = eq.augmented.factors.solve(columns)
    places = {pair: j for j, pair in enumerate(right)}
    return tuple(_symmetric(len(symbols), lambda a, b, i=i: solved[i, places[a, b]]) for i in range(len(eq.u)))  # type: ignore[misc]


@of_equations
def inverse_second_derivatives(
    eq: Equations, wrt: Iterable[Wrt] | Mapping[str, Sequence[Symbol]] = ("q", "u", "a")
) -> tuple[Matrix, ...]:
    """∂²(M u' - f)/∂a∂b at fixed u', or with "a" with respect to u' too: a symmetric matrix for each speed.

    >>> m = sb.Model("pendulum")
    >>> joint = m.revolute("theta", m.ground, m.body("bob", mass=1, com=(0, -2, 0)))
    >>> m.gravity(0, -10, 0)
    >>> sb.derivation.inverse_second_derivatives(sb.derive(m), ["q"])
    (vector(-20*sin(theta)),)

    See also: `derivation.inverse_derivatives`, `derivation.second_derivatives`.
    """
    groups = symbols_to_vary(eq, wrt, {"a": accelerations(eq)})
    symbols = list(dict.fromkeys(s for group in groups.values() for s in group))
    slopes = _shortest_slopes(eq, symbols, len(eq.u))
    second = [jacobian(list(slopes.row(i)), symbols) for i in range(len(eq.u))]
    return tuple(_symmetric(len(symbols), lambda a, b, of=of: of[a, b]) for of in second)  # type: ignore[misc]


def second_derivative_product(
    eq: Equations, symbols: Sequence[Symbol], weights: Sequence[Expr], direction: Sequence[Expr]
) -> Matrix:
    """∂²(w · u')/∂x² v: the Hessian of a weighted sum of accelerations times a vector, one number for each symbol, by a
    gradient and its derivative along v."""
    slope = gradient(sum_of_products(weights, eq.udot.entries), symbols)
    moved: Matrix = directional_derivative(slope, dict(zip(symbols, direction, strict=True)))
    return moved


def _shortest_slopes(eq: Equations, symbols: Sequence[Symbol], rows: int) -> Matrix:
    """∂F/∂x at fixed u' and lam, by the way that takes fewest operations."""
    found = [
        accumulated_jacobian(balance(eq, forces)[:rows], symbols, stages, {}) for forces, stages in ways_to_forces(eq)
    ]
    return min(found, key=lambda J: operations_from(set(), J.entries))


def _right_sides(
    eq: Equations, symbols: Sequence[Symbol], unknowns: Sequence[Symbol], slopes: Sequence[Sequence[Expr]]
) -> Symmetric:
    """-(F_ab + F_ay y_b + F_by y_a) for a >= b."""
    size, J = len(unknowns), _shortest_slopes(eq, symbols, len(unknowns))
    twice = [jacobian(list(J.row(i)), symbols) for i in range(size)]
    mixed = [jacobian(list(J.row(i)), unknowns) for i in range(size)]

    def along(i: int, a: int, b: int) -> Expr:
        terms = [(e, slopes[s][b]) for s, e in enumerate(mixed[i].row(a)) if e is not ZERO]
        return sum_of_products([e for e, _ in terms], [y for _, y in terms]) if terms else ZERO

    return {
        (a, b): [-(twice[i][a, b] + along(i, a, b) + along(i, b, a)) for i in range(size)]
        for a in range(len(symbols))
        for b in range(a + 1)
    }


def _symmetric(n: int, entry: Callable[[int, int], Expr]) -> Matrix:
    """From entries (a, b) with a >= b."""
    return Matrix(n, n, tuple(entry(max(a, b), min(a, b)) for a in range(n) for b in range(n)))
