"""Bump and rebound stops: springs of rubber that end the travel of a suspension."""

from __future__ import annotations

from typing import Any, Final

import symbody as sb

from ....argument_kinds import answered

STOPS: Final = {"bump": 0.07, "rebound": 0.08, "k_stop": 4e5}  # of a car: free travel in m, stiffness in N/m


@answered
@sb.bodies.all_or_nothing
def stops(
    m: sb.Model, name: str, travel: Any, *, bump: Any = 0.07, rebound: Any = 0.08, stiffness: Any = 4e5, depth: Any = 0.02
) -> Any:  # fmt: skip
    """Stops at both ends of a travel s, such as that of a spring from its design length:

        F = -(k/d) max(s - bump, 0)² + (k/d) max(-s - rebound, 0)²

    The force is smooth, and has the stiffness 2 k at the depth d. It has a potential, so that energy is conserved.

    travel            an expression; positive in bump [m]
    bump, rebound     free travel in each direction [m]
    stiffness, depth  k [N/m] and d [m]

    Returns the force along the travel; output: name_stop.

    >>> m = sb.Model("quarter car")
    >>> z = m.coordinate("z")
    >>> body = m.particle("body", m.ground.point(0, 0, z), mass=300)
    >>> force = vh.stops(m, "strut", -z, bump=0.05)
    >>> round(sb.evaluate(force, {z: -0.07}), 6)
    -8000.0

    See also: `car`, `anti_roll_bar`.
    """
    into, out = sb.maximum(travel - bump, 0), sb.maximum(-travel - rebound, 0)
    m.potential(f"{name}.stops", stiffness / (3 * depth) * (into**3 + out**3))
    force = stiffness / depth * (out**2 - into**2)
    m.output(f"{name}_stop", force)
    return force
