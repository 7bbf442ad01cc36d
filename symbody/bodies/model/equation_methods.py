"""Methods of `Model` for equations that are written down: of additional variables, and of motion."""

from __future__ import annotations

from typing import Any

from ...algebra.graph.graph import Symbol
from ...algebra.graph.walk import free_symbols, substitute
from ...errors import ModelError, listed, shown
from ...escaping import checked_name
from ..mechanism.declarations import as_expression, derivative_of
from .path_methods import PathMethods


class EquationMethods(PathMethods):
    """Additional equations, kinetic energies and balances."""

    def equation(self, name: str, expression: Any) -> str:
        """An additional equation `expression = 0`, differential or algebraic, for an additional variable. Returns its
        name.

        An equation of higher order in a variable z is brought to first order: z'' becomes z_rate', with the variable
        z_rate and its equation z' = z_rate, and so on for higher ones.

        >>> m = sb.Model("motor")
        >>> i, tau = m.variable("i"), m.input("V")
        >>> R, L = m.parameters("R L", 1.0, 0.1)
        >>> name = m.equation("circuit", L * i.dot + R * i - tau)
        >>> sb.derive(m).h
        vector(L*i_dot - V + R*i)

        See also: `Model.variable`, `from_equations`.
        """
        self.refuse_twice("equations", name, self._equations)
        where = f"equation {checked_name(name, 'equation')!r}"
        h = self.checked(where, as_expression(expression, where))
        while high := [s for s in free_symbols(h) if s.kind == "variable" and s.order >= 2]:
            z = self._symbols[high[0].stem]
            rate = self._rate_variable(z)
            orders = range(1, max(s.order for s in high if s.stem == z.stem) + 1)
            h = substitute(h, {derivative_of(z, k): derivative_of(rate, k - 1) for k in orders})
        self._equations[name] = h
        return name

    def rate(self, q: Symbol, equals: Any) -> None:
        """Define the rate of a coordinate in terms of speeds, or of an additional variable: `m.rate(z, f)` is the
        additional equation z' = f.

        >>> m = sb.Model("circuit")
        >>> i = m.variable("i")
        >>> m.rate(i, 5 - 2 * i)
        >>> sb.derive(m).h
        vector(2*i + i_dot - 5)

        See also: `Model.speed`, `Model.equation`.
        """
        if isinstance(q, Symbol) and q.kind == "variable" and self._symbols.get(q.name) is q:
            self.equation(q.name, q.dot - as_expression(equals, f"rate of {q.name!r}"))
        else:
            super().rate(q, equals)

    def _rate_variable(self, z: Symbol) -> Symbol:
        """The variable that stands for z', with the equation that says so."""
        if z not in self._rate_variables:
            rate = self._rate_variables[z] = self.variable(f"{z.name}_rate")
            self.equation(f"{z.name}.rate", z.dot - rate)
        return self._rate_variables[z]

    def kinetic_energy(self, name: str, energy: Any) -> str:
        """A kinetic energy K(q, q', t) written down, beside that of the bodies. Returns its name.

            d/dt ∂K/∂q' - ∂K/∂q

        is its share of the equations of motion. It may be any function of coordinates and their rates, also one that is
        not quadratic; in the energy of the motion it counts as q' · ∂K/∂q' - K (Jacobi), which is K itself where it is
        quadratic.
        """
        self.refuse_twice("kinetic energies", name, self._kinetic)
        where = f"kinetic energy {checked_name(name, 'kinetic energy')!r}"
        made = self.checked(where, as_expression(energy, where))
        if strange := [
            s for s in free_symbols(made) if s.kind == "acceleration" or (s.kind == "speed" and not s.order)
        ]:
            raise ModelError(
                f"{where}: contains {listed(strange)}; it is a function of coordinates, their rates (q.dot), "
                "time and parameters"
            )
        self._kinetic[name] = made
        return name

    def balance(self, speed: Symbol, expression: Any) -> None:
        """An equation of motion written down for a speed (or for a coordinate whose rate is one): M u' - f, to which
        bodies and loads add theirs.

        The expression is linear in the accelerations `u.dot` (`q.dot.dot`); its inertia terms, all balances together,
        are a symmetric matrix with positive diagonal: `m.balance(q, J * q.dot.dot + k * q)`.
        """
        s = speed.dot if isinstance(speed, Symbol) and speed.kind == "coordinate" else speed
        if not isinstance(s, Symbol) or s.kind != "speed" or not (self._symbols.get(s.name) is s or self._is_rate(s)):
            known = listed((*self.symbols_of_kind("speed"), *self.symbols_of_kind("coordinate")))
            raise ModelError(
                f"balance: {shown(speed)} is not a speed of model {self.name!r}, nor a coordinate; there are {known}"
            )
        if s in self._balances:
            raise ModelError(f"model {self.name!r}: there are two balances of {s.name!r}; add them up")
        where = f"balance of {s.name!r}"
        self._balances[s] = self.checked(where, as_expression(expression, where))
