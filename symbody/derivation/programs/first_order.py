"""Equations in first-order form x' = f(x), with their Jacobian and variational system.

x = (q, u, z): q' = N u + n, u' from the solve block, z' solved from the additional equations. The Jacobian of u' uses
the factors that give u' itself (Lennartsson eq. 6.9), and with it the variational system

    x' = f(x),   Φ' = ∂f/∂x Φ

whose flow Φ(t) = ∂x(t)/∂x(0) propagates small deviations (Lennartsson 2.8 and 6.3).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from ...algebra.calculus.derivatives import jacobian
from ...algebra.graph.graph import Symbol, symbol
from ...algebra.graph.matrix import Matrix, as_matrix, stack, zeros
from ...algebra.graph.walk import free_symbols
from ...algebra.printing.formulas import rate_lines
from ...argument_kinds import answered_class
from ...display import Displayed, DisplayPart, Title
from ...errors import ModelError, listed, shown
from ...summary import counted
from ..equations.additional_rates import variable_rates
from ..equations.equation_arguments import of_equations
from ..equations.equations import Equations
from .dynamics_derivatives import forward_derivatives

# ---------------------------------------------------------------------------------------------------------- first order


@dataclass(frozen=True)
class VariationalSystem:
    """x' = f(x) together with Φ' = ∂f/∂x Φ, as expressions in the symbols x and Phi.

    jacobian   of all rates (f, then Φ' row by row) with respect to (x, then Φ row by row): what an implicit method
               needs (Lennartsson eq. 6.17)
    """

    x: tuple[Symbol, ...]
    rates: Matrix
    Phi: Matrix
    Phi_rates: Matrix

    @cached_property
    def jacobian(self) -> Matrix:
        return jacobian([*self.rates.entries, *self.Phi_rates.entries], [*self.x, *self.Phi.entries])


@answered_class
@dataclass(frozen=True)
class FirstOrder(Displayed):
    """The system x' = f: states x, their rates f, and the Jacobian ∂f/∂x. `first_order(eq)` returns it; from any
    expressions: `FirstOrder.of(x, f)`.

    >>> x, y = sb.symbols("x y")
    >>> system = sb.derivation.FirstOrder.of([x, y], [y, -sb.sin(x)])
    >>> system.jacobian
    matrix([[0, 1], [-cos(x), 0]])

    See also: `first_order`, `jacobian`.
    """

    x: tuple[Symbol, ...]
    rates: Matrix
    jacobian: Matrix

    def _display(self) -> Iterable[DisplayPart]:
        return Title(f"x' = f(x): {counted(len(self.x), 'state')}"), rate_lines(self.x, self.rates)

    @staticmethod
    def of(x: Iterable[Symbol], rates: object) -> FirstOrder:
        """A system of ordinary differential equations from your own expressions."""
        states, f = tuple(x), as_matrix(rates)
        if f.shape != (len(states), 1) or any(not isinstance(s, Symbol) for s in states):
            raise ModelError(
                f"FirstOrder.of: needs one rate for each of the states {listed(states)}, got {shown(rates)}"
            )
        return FirstOrder(states, f, jacobian(f, states))

    @cached_property
    def variational(self) -> VariationalSystem:
        """The system with its variational equations Φ' = ∂f/∂x Φ; the entries of Φ are the symbols Phi_1_1 and so on.

        >>> x, k = sb.symbols("x k")
        >>> system = sb.derivation.FirstOrder.of([x], [-k * x**2]).variational
        >>> system.Phi, system.Phi_rates
        (vector(Phi_1_1), vector(-2*k*x*Phi_1_1))

        See also: `first_order`.
        """
        n, taken = len(self.x), {s.name for s in free_symbols(*self.x, self.rates)}
        names = [f"Phi_{i + 1}_{j + 1}" for i in range(n) for j in range(n)]
        if clash := [name for name in names if name in taken]:
            raise ModelError(
                f"variational system: the name {clash[0]!r} is needed for a derivative; rename that symbol"
            )
        Phi = Matrix(n, n, tuple(symbol(name, "variable") for name in names))
        return VariationalSystem(self.x, self.rates, Phi, self.jacobian @ Phi)


@of_equations
def first_order(eq: Equations) -> FirstOrder:
    """The equations as x' = f(x, r, t, p) with x = (q, u, z): kinematics, accelerations from the linear solve, and
    solved additional equations.

    Constraints are imposed at the acceleration level. The Jacobian uses the same factorisation as u'.

    >>> m = sb.Model("pendulum")
    >>> joint = m.revolute("theta", m.ground, m.body("bob", mass=1, com=(0, -1, 0)))
    >>> m.gravity(0, -10, 0)
    >>> system = sb.first_order(sb.derive(m))
    >>> system.x, system.rates
    ((theta, theta_dot), vector(theta_dot, -10*sin(theta)))

    See also: `derivation.FirstOrder`, `from_equations`, `Equations`.
    """
    x = eq.state
    rates = stack(eq.rates, eq.udot, variable_rates(eq)) if x else zeros(0)
    if not x:
        return FirstOrder((), rates, Matrix(0, 0, ()))
    parts = [jacobian(eq.rates, x)] if eq.q else []
    parts += [forward_derivatives(eq, {"x": x}).udot["x"]] if eq.u else []
    parts += [jacobian(variable_rates(eq), x)] if eq.z else []
    return FirstOrder(x, rates, stack(*parts))
