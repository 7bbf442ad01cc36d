"""Methods of `Model` for equations that are written down: of additional variables, and of motion."""

from __future__ import annotations

from typing import Any

from ...algebra.graph.graph import Symbol
from ...algebra.graph.walk import free_symbols
from ...errors import ModelError, listed
from ...escaping import checked_name
from ..mechanism.declarations import as_expression
from .path_methods import PathMethods


class EquationMethods(PathMethods):
    """Additional equations, kinetic energies and balances."""

    def equation(self, name: str, expression: Any) -> str:
        """An additional equation `expression = 0`, differential or algebraic, for an additional variable. Returns its
        name.

        An equation of higher order in a variable z is reduced to first order: z'' becomes z_rate', with the variable
        z_rate and its equation z' = z_rate, and likewise for higher orders.

        >>> m = sb.Model("motor")
        >>> i, tau = m.variable("i"), m.input("V")
        >>> R, L = m.parameters("R L", 1.0, 0.1)
        >>> name = m.equation("circuit", L * i.dot + R * i - tau)
        >>> sb.derive(m).h
        vector(L*i_dot - V + R*i)

        See also: `Model.variable`, `from_equations`.
        """
        where = f"equation {checked_name(name, 'equation')!r}"
        return self.parts.add_equation(name, as_expression(expression, where))

    def kinetic_energy(self, name: str, energy: Any) -> str:
        """An explicit kinetic energy K(q, q', t), in addition to that of the bodies. Returns its name.

            d/dt ∂K/∂q' - ∂K/∂q

        is its contribution to the equations of motion. K may be any function of coordinates and rates and need not be
        quadratic. It contributes q' · ∂K/∂q' - K (Jacobi) to the energy, which equals K if K is quadratic.

        >>> m = sb.Model("bead on a wire")
        >>> x = m.coordinate("x")
        >>> name = m.kinetic_energy("bead", x.dot**2 / 2)
        >>> m.balance(x.dot, 3 * x.dot.dot + x)
        >>> m.name, sb.derive(m).M
        ('bead on a wire', vector(4))

        See also: `Model.balance`, `from_lagrangian`.
        """
        where = f"kinetic energy {checked_name(name, 'kinetic energy')!r}"
        made = self.parts.checked(where, as_expression(energy, where))
        if strange := [
            s for s in free_symbols(made) if s.kind == "acceleration" or (s.kind == "speed" and not s.order)
        ]:
            raise ModelError(
                f"{where}: contains {listed(strange)}; it is a function of coordinates, their rates (q.dot), "
                "time and parameters"
            )
        self.parts.add_expression("kinetic energies", name, made)
        return name

    def balance(self, speed: Symbol, expression: Any) -> None:
        """An explicit equation of motion for a speed (or for a coordinate whose rate is a speed): M u' - f, to which
        bodies and loads add their terms.

        The expression is linear in the accelerations `u.dot` (`q.dot.dot`). The inertia terms of all balances together
        must form a symmetric matrix with a positive diagonal: `m.balance(q, J * q.dot.dot + k * q)`.
        """
        self.parts.add_balance(speed, as_expression(expression, f"balance of {getattr(speed, 'name', speed)!r}"))
