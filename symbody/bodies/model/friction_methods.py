"""Friction as a load of a model."""

from __future__ import annotations

from typing import Any

from ...errors import ModelError
from ...escaping import checked_name, identifier
from ..loads.friction import Coulomb, LuGre, forces_against
from ..mechanism.declarations import as_expression
from ..mechanism.mechanism import Load
from .elastic_methods import ElasticMethods


def deflection_of(name: str) -> str:
    """The variable of a friction by bristles."""
    return f"{identifier(name)}_deflection"


class FrictionMethods(ElasticMethods):
    """Methods of a model for friction."""

    def friction(self, name: str, slip: Any, law: Any, *, normal: Any, smooth: Any = None) -> Load:
        """Dry friction against a slip speed. The normal force may be the multiplier of a constraint.

            m.friction("floor", x.dot, sb.Coulomb(0.3), normal=m.multiplier("floor"), smooth=1e-3)

        slip     a speed that is linear in rates of coordinates: q.dot of a joint, the rate of a path, a tangential
                 velocity
        law      `Coulomb` or `LuGre`; a number is Coulomb's coefficient
        normal   the normal force between the surfaces, positive: a number, or an expression in multipliers and the
                 state. If a multiplier changes sign, write abs(...), and use form `ggl` or `implicit`, which solve for
                 it
        smooth   the speed v0 of the regularised Coulomb force, tanh(v / v0). `Contacts` has exact friction without
                 regularisation

        >>> m = sb.Model("block")
        >>> x = m.prismatic("x", m.ground, m.body("block", mass=2)).q
        >>> rubs = m.friction("rail", x.dot, sb.Coulomb(0.3), normal=2 * 9.81, smooth=1e-3)
        >>> sb.derive(m).f
        vector(-5.886*tanh(1000*x_dot))

        See also: `Friction`, `Coulomb`, `LuGre`.
        """
        where = f"friction {checked_name(name, 'friction')!r}"
        v, N = (
            self.parts.checked(where, as_expression(x, f"{where}, {k}="))
            for k, x in (("slip", slip), ("normal", normal))
        )
        self.parts.refuse_load_twice(name)
        if isinstance(law, LuGre):
            z = self.variable(deflection_of(name))
            self.parts.add_equation(f"{name}.deflection", z.dot - law.rate(v, z))
            force = law.force(v, z, N)
        elif smooth is None:
            raise ModelError(
                f"{where}: as a load, friction needs smooth=, the speed over which it builds up; exact friction with sticking is a "
                "`Contact` or a `Friction` in `Contacts`"
            )
        else:
            law = law if isinstance(law, Coulomb) else Coulomb(law)
            force = law.smooth_force(v, N, as_expression(smooth, f"{where}, smooth="))
        on = forces_against(where, v, self.parts.checked(where, force), self.symbols_of_kind("coordinate"))
        return self.parts.add_load(Load(name, "friction", on_rates=on))
