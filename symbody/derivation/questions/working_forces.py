"""The power equation in groups: T' = P of conservative, nonconservative and nonworking loads, and of constraints
(Lennartsson 4.3, with the term of nonworking forces required by 4.5)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from ...algebra.calculus.evaluate import evaluate
from ...algebra.graph.graph import ZERO, Expr, Symbol
from ...algebra.graph.matrix import Matrix, zeros
from ...algebra.graph.walk import free_symbols
from ...argument_kinds import answered_class
from ...bodies.frames.frames import Frame
from ...bodies.mechanism.mechanism import Load
from ...summary import Summarized, Summary
from ..equations.energies import (
    constraint_power,
    forces_on_coordinates,
    given_velocities,
    kinetic_energy,
    load_powers,
)
from ..equations.equation_arguments import of_equations
from ..equations.equations import Equations
from ..equations.own_terms import in_own_terms
from ..equations.random_states import random_state
from ..kinematics.kinematics import Kinematics, wrench_of

STATES: Final = 3  # random states at which a power has to vanish
NO_POWER: Final = 1e-10  # power, relative to the sum of its terms' sizes, that counts as zero


@answered_class
@dataclass(frozen=True, repr=False, eq=False)
class PowerBalance(Summarized):
    """The power equation of a mechanism: T' = Σ conservative + Σ nonconservative + Σ nonworking + constraints.

    rate             T', the rate of the kinetic energy
    conservative     powers of loads with a potential, by name
    nonconservative  powers of the other loads that do work
    nonworking       powers of loads that do no work on any motion of the speeds, such as the magnetic force on a
                     charge: zero, except through explicitly time-dependent (prescribed) motion
    constraints      power input of time-dependent constraints and prescribed motions

    >>> m = sb.Model("charge")
    >>> x, y = m.coordinates("x y")
    >>> charge = m.particle("charge", m.ground.point(x, y, 0), mass=1.0)
    >>> force = m.force("magnet", charge, charge.frame.origin.velocity().cross(m.ground.vector(0, 0, 2)))
    >>> found = sb.derivation.power_balance(sb.derive(m))
    >>> found.nonworking, sb.tidy(found.rate), found.conservative, found.nonconservative, found.constraints
    ({'magnet': 0}, x_dot*x_ddot + y_dot*y_ddot, {}, {}, 0)

    See also: `derivation.power_balance`.
    """

    name: str
    rate: Expr
    conservative: Mapping[str, Expr]
    nonconservative: Mapping[str, Expr]
    nonworking: Mapping[str, Expr]
    constraints: Expr

    def _summary(self) -> Summary:
        groups = {k: getattr(self, k) for k in ("conservative", "nonconservative", "nonworking")}
        rows = [(k, ", ".join(table) or "no load") for k, table in groups.items()]
        driven = "power of prescribed motion" if self.constraints is not ZERO else "no power"
        return Summary(f"PowerBalance of {self.name}: T' is the sum of", (*rows, ("constraints", driven)))


@of_equations
def power_balance(eq: Equations, solved: bool = False) -> PowerBalance:
    """The power equation T' = P_ac + P_an + P_g + P_c, load by load (Lennartsson eq. 4.37): with a separate term for
    nonworking loads, whose forces F do no work on any motion of the speeds, Σ u_i β_i · F = 0.

    With explicitly time-dependent velocities β_t, for example on a turntable, such a force has the power β_t · F.

    solved   False: expressions in u' and multipliers; True: with their solutions substituted

    >>> m = sb.Model("charge on a turntable")
    >>> s, w = m.coordinate("s"), m.parameter("w", 2.0)
    >>> charge = m.particle("charge", m.ground.rotate("z", w * m.time).point(s, 0, 0), mass=1.0)
    >>> force = m.force("magnet", charge, charge.frame.vector(0, -3 * s.dot, 0))
    >>> sb.derivation.power_balance(sb.derive(m)).nonworking
    {'magnet': -3*w*s*s_dot}

    See also: `derivation.load_powers`, `derivation.constraint_power`, `energy`.
    """
    k, powers = Kinematics(eq.mechanism), load_powers(eq)
    potential = {x.name for x in eq.mechanism.loads if x.has_potential}
    idle = _nonworking(eq, k, [x for x in eq.mechanism.loads if not x.has_potential])
    rate = in_own_terms(eq, [k.rate(kinetic_energy(eq.whole))], solved)[0]
    own = dict(zip(powers, in_own_terms(eq, list(powers.values()), solved), strict=True))
    return PowerBalance(
        eq.name, rate, {n: p for n, p in own.items() if n in potential},
        {n: p for n, p in own.items() if n not in potential and n not in idle}, {n: own[n] for n in own if n in idle},
        constraint_power(eq, solved),
    )  # fmt: skip


def _nonworking(eq: Equations, k: Kinematics, loads: list[Load]) -> set[str]:
    """Names of loads whose power vanishes at random states: all of it, or that on motions of the speeds alone."""
    if not loads:
        return set()
    given = given_velocities(k)
    whole = [in_own_terms(eq, _terms(x, k, {})) for x in loads]
    own = [in_own_terms(eq, _terms(x, k, given)) for x in loads]
    states = [random_state(eq, seed) for seed in range(STATES)]
    return {x.name for x, a, b in zip(loads, whole, own, strict=True) if _vanishes(a, states) or _vanishes(b, states)}


def _terms(load: Load, k: Kinematics, less: Mapping[Frame, tuple[Matrix, Matrix]]) -> list[Expr]:
    """The terms of the power of a load, on velocities less those given."""
    terms: list[Expr] = []
    for action in load.actions:
        wrench, (w, v) = wrench_of(action, k), k.velocities[action.frame]
        w0, v0 = less.get(action.frame, (zeros(3), zeros(3)))
        forces, motion = (*wrench.moment.entries, *wrench.force.entries), (*(w - w0).entries, *(v - v0).entries)
        terms += [a * b for a, b in zip(forces, motion, strict=True)]
    on_rates = dict(zip(k.mechanism.q, forces_on_coordinates(load, k), strict=True))
    return [
        *terms,
        *(e * k.mechanism.rates[q] for q, e in on_rates.items()),
        *(u * load.on_rates.get(u, ZERO) for u in k.u),
    ]


def _vanishes(terms: list[Expr], states: Sequence[Mapping[Symbol, float]]) -> bool:
    """Whether terms add up to zero, to rounding of their own sizes; friction, which depends on multipliers, does work."""
    if not set(free_symbols(*terms)) <= set(states[0]):
        return False
    rows = (evaluate(terms, state) for state in states)
    return all(abs(sum(row)) <= NO_POWER * sum(map(abs, row)) for row in rows)
