"""Belts between two pulleys, with stretch and slip by Euler's formula.

The strands have the tensions T1 and T2 with the pretension T0 as their mean, and the belt slips where

    T1 / T2 = exp(μ φ),  that is  T1 - T2 = 2 T0 tanh(μ φ / 2)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import symbody as sb

from ....argument_kinds import answered
from ....errors import ModelError
from ....summary import Introduced
from .gear_mesh import positive, revolute_joint


@dataclass(frozen=True, eq=False)
class Belt(Introduced):
    """A belt between two pulleys.

    force      T1 - T2 that it carries from the first pulley to the second, N
    limit      at which it slips, N
    tensions   of the two strands, N
    """

    force: sb.Expr
    limit: sb.Expr
    tensions: tuple[sb.Expr, sb.Expr]


@answered
@sb.bodies.all_or_nothing
def belt(
    m: sb.Model,
    name: str,
    first: Any,
    second: Any,
    *,
    radii: tuple[Any, Any],
    stiffness: Any,
    pretension: Any,
    friction: Any = None,
    wrap: Any = sb.pi,
    damping: Any = 0,
    crossed: bool = False,
) -> Belt:
    """A belt between two pulleys on revolute joints. Below the limit of Euler it stretches; at the limit it slips:

        z' = v - |v| k z / F_max,   F = k z + d z',   v = r1 ω1 ∓ r2 ω2      (Dahl's friction)

    first, second   joints by name
    radii           of the pulleys, m
    stiffness       of both strands together, k, N/m
    pretension      T0 of each strand, N
    friction        coefficient μ; None is a toothed belt or a chain, which does not slip
    wrap            angle φ that the belt touches on the smaller pulley, rad
    damping         d, N s/m
    crossed         the pulleys turn against each other

    Outputs: name_force, name_tight, name_slack; with friction name_slip, the sliding speed in m/s.

    >>> m = sb.Model("drive")
    >>> for n, at in (("a", 0.0), ("b", 0.5)):
    ...     joint = m.revolute(n, m.ground, m.body(n, mass=1.0, inertia=(1, 1, 0.01)), at=m.ground.point(at, 0, 0))
    >>> made = sb.kits.machines.belt(m, "v", "a", "b", radii=(0.1, 0.2), stiffness=1e5, pretension=100.0, friction=0.3, damping=20.0)
    >>> motor = m.generalized_force("motor", m.symbols["a"], 5.0)
    >>> load = m.generalized_force("load", m.symbols["b"], -2.0 * m.symbols["b"].dot)
    >>> sim = sb.simulate(sb.derive(m), 2.0)
    >>> round(float(sim["a_dot"][-1] / sim["b_dot"][-1]), 3), round(float(sim["v_force"][-1]), 3)  # 2, and 5 N m / 0.1 m
    (2.0, 50.0)

    See also: `kits.machines.gear_mesh`, `LuGre`.
    """
    where = f"belt {name!r}"
    a, b = (revolute_joint(m, where, j) for j in (first, second))
    r1, r2 = (positive(where, f"radii[{k}]", r) for k, r in enumerate(radii))
    k, T0 = positive(where, "stiffness", stiffness), positive(where, "pretension", pretension)
    sign = -1 if crossed else 1
    if friction is None:
        stretch = r1 * a.q - sign * r2 * b.q
        force: Any = k * stretch + damping * sb.time_derivative(stretch)
        limit: Any = 2 * T0
    else:
        mu = positive(where, "friction", friction)
        number = sb.algebra.as_expr(wrap).value
        if number is not None and not 0 < float(number) <= 2 * float(sb.evaluate(sb.pi + 0, {})):
            raise ModelError(f"{where}: wrap must be between 0 and 2π rad, got {float(number):g}")
        limit = 2 * T0 * sb.tanh(mu * wrap / 2)
        z = m.variable(f"{name}_stretch")
        v = r1 * a.q.dot - sign * r2 * b.q.dot
        creep = sb.sqrt(v**2 + 1e-12) * k * z / limit
        m.rate(z, v - creep)
        force = k * z + damping * (v - creep)
        m.output(f"{name}_slip", creep)
    m.generalized_force(f"{name}.first", a.q, -r1 * force)
    m.generalized_force(f"{name}.second", b.q, sign * r2 * force)
    tensions = T0 + force / 2, T0 - force / 2
    m.output(f"{name}_force", force)
    for which, tension in zip(("tight", "slack"), tensions, strict=True):
        m.output(f"{name}_{which}", tension)
    return Belt(force, limit, tensions)
