"""Particles whose mass changes: rockets, chains, drops, hoppers.

What leaves or joins has a momentum of its own, so that "m a = F" and "d(m v)/dt = F" are both wrong in general. With w the velocity of
what leaves or joins (Meshchersky 1897; Sommerfeld, *Mechanics*, section 4):

    momentum:   m v' = F + m' (w - v)
    energy:     L = m(q) v²/2 - V(q), where nothing is lost as pieces join or leave: d/dt ∂L/∂q' = ∂L/∂q
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import symbody as sb

from ...argument_kinds import answered
from ...errors import unknown
from ...summary import Summarized, Summary

THEOREMS: Final = {
    "momentum": "balance of momentum: m v' = F + m' (w - v), with w the velocity of the mass that leaves or joins",
    "energy": "conservation of energy: d/dt ∂T/∂q' - ∂T/∂q = Q with T = m v²/2; no energy is lost as pieces leave or join",
}


@dataclass(frozen=True, repr=False)
class ChangingMass(Summarized):
    """A particle whose mass changes; made by `kits.teaching.changing_mass`.

    name      its name
    mass      its mass, in time and coordinates
    rate      time derivative of the mass
    theorem   a sentence with the theorem that its equations follow
    thrust    force m' (w - v) of what leaves or joins; zero by the theorem of energy

    >>> from symbody.kits import teaching
    >>> m = sb.Model("rocket")
    >>> h, c = m.coordinate("h"), m.parameter("c", 2000.0)
    >>> rocket = teaching.changing_mass(
    ...     m, "rocket", m.ground.point(0, h, 0), 5 - m.time / 10, relative_velocity=m.ground.vector(0, -c, 0))
    >>> rocket.name, rocket.mass, rocket.rate, rocket.thrust.in_ground
    ('rocket', 5 - t/10, -1/10, vector(0, c/10, 0))
    >>> rocket.theorem.partition(":")[0]
    'balance of momentum'

    See also: `kits.teaching.changing_mass`.
    """

    name: str
    mass: sb.Expr
    rate: sb.Expr
    theorem: str
    thrust: sb.Vector

    def _summary(self) -> Summary:
        rows = (("mass", sb.text(self.mass)), ("rate", sb.text(self.rate)), ("theorem", self.theorem))
        return Summary(f"ChangingMass {self.name}", rows)


@answered
def changing_mass(
    m: sb.Model,
    name: str,
    at: sb.Point,
    mass: Any,
    *,
    relative_velocity: sb.Vector | None = None,
    absolute_velocity: sb.Vector | None = None,
    theorem: str = "momentum",
    gravity: sb.Vector | None = None,
) -> ChangingMass:
    """A particle whose mass depends on time and coordinates, with the theorem that holds for it.

        momentum:   m v' = F + m' (w - v)            energy:   d/dt ∂T/∂q' - ∂T/∂q = Q,  T = m v²/2

    at                  the point at which it is
    mass                as an expression in time and coordinates [kg]
    relative_velocity   w - v of what leaves or joins, relative to the particle [m/s]: of a jet, backwards
    absolute_velocity   w itself [m/s]: zero for sand, drops or links at rest that are picked up
    theorem             "momentum", with one of these velocities; "energy" if no energy is lost
    gravity             acceleration [m/s²] of its weight; leave it out where `m.potential` has the weight

    Other loads act by `m.generalized_force` and `m.potential`.

    >>> from symbody.kits import teaching
    >>> m = sb.Model("chain from a heap")
    >>> x, g = m.coordinate("x"), m.parameter("g", 9.81)
    >>> down = m.ground.vector(0, -1, 0)
    >>> chain = teaching.changing_mass(m, "chain", m.ground.point(0, -x, 0), 2 * x, absolute_velocity=0 * down, gravity=g * down)
    >>> eq = sb.derive(m)
    >>> print(eq.readable)
    2*x*x_ddot = 2*(g*x - x_dot**2)
    >>> sb.evaluate(eq.udot, eq.values(x=1.5, x_dot=(2 * 9.81 / 3 * 1.5) ** 0.5)), 9.81 / 3  # pulled by its own links
    ([3.27], 3.27)

    See also: `Model.balance`, `Model.kinetic_energy`, `kits.teaching.ChangingMass`.
    """
    where = f"changing mass {name!r}"
    if theorem not in THEOREMS:
        raise unknown(where, "theorem", theorem, THEOREMS)
    given = [v for v in (relative_velocity, absolute_velocity) if v is not None]
    if theorem == "energy" and given:
        raise sb.ModelError(f"{where}: with conservation of energy the velocity of the joining mass follows; omit it")
    if theorem == "momentum" and len(given) != 1:
        raise sb.ModelError(
            f"{where}: the balance of momentum needs the velocity of the mass that leaves or joins: relative_velocity= of a jet, or absolute_velocity=, zero for mass that is picked up at rest; {len(given)} of the two were given"
        )
    M = sb.algebra.as_expr(mass)
    if wrong := [s.name for s in sb.free_symbols(M) if s.order or s.kind not in ("coordinate", "parameter", "time")]:
        raise sb.ModelError(
            f"{where}: its mass contains {', '.join(wrong)}; it is an expression in time, coordinates and parameters"
        )
    v = at.velocity()
    rate = sb.time_derivative(M)
    _refuse_constant(where, rate)
    m.kinetic_energy(f"{name} motion", M * v.dot(v) / 2)
    all_q = m.symbols_of_kind("coordinate")
    partial = dict(zip(all_q, v.partial([q.dot for q in all_q]), strict=True))
    thrust = m.ground.vector(0, 0, 0)
    if theorem == "momentum":
        thrust = rate * (relative_velocity if relative_velocity is not None else given[0] - v)
        # d/dt ∂T/∂q' - ∂T/∂q is m v' · ∂v/∂q', and m' v · ∂v/∂q' - v²/2 ∂m/∂q beside it
        for q, along in partial.items():
            _act(m, f"{name} flow on {q.name}", q, (thrust + rate * v).dot(along) - v.dot(v) * sb.derivative(M, q) / 2)
    for q, along in partial.items() if gravity is not None else ():
        _act(m, f"{name} weight on {q.name}", q, (M * gravity).dot(along))
    return ChangingMass(name, M, rate, THEOREMS[theorem], thrust)


def _refuse_constant(where: str, rate: sb.Expr) -> None:
    if rate.value == 0:
        raise sb.ModelError(f"{where}: its mass does not change; m.particle(name, at, mass=...) is for that")


def _act(m: sb.Model, name: str, q: sb.Symbol, force: sb.Expr) -> None:
    if force.value != 0:
        m.generalized_force(name, q, force)
