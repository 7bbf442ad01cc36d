"""Contacts and impacts: speeds that jump through the mass matrix, so that gaps open and constraints hold.

A contact has a gap g(q, t) >= 0, which closes at the speed v = G u + g_t with G = ∂g/∂q N. Where gaps close with v < 0,
impulses Λ >= 0 act:

    M (u⁺ - u⁻) = Jcᵀ Λc + Gᵀ Λ,    Jc u⁺ + b = 0,    v⁺ + e v⁻ >= 0,    Λ >= 0,    Λᵀ (v⁺ + e v⁻) = 0

(Newton's law of restitution e with unilateral impulses, without friction; Glocker, Set-Valued Force Laws, 2001.) Since
M is definite this is the linear complementarity problem of A = G P Gᵀ with P = M⁻¹ less what constraints take of it.
Kinetic energy changes by ½ Σ (1 - e) v⁻ Λ <= 0 under scleronomic constraints.

All contacts that touch and close take part, and those that are closed. A contact that touches at rest takes part when
an impact before it made it close: impulses run through a row of balls one after another, all at one time.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ...algebra.calculus.derivatives import jacobian, time_derivative
from ...algebra.graph.graph import ZERO, Expr, Symbol, as_expr
from ...algebra.graph.walk import free_symbols
from ...algebra.printing.printing import outline
from ...argument_kinds import answered_class
from ...derivation.equations.equations import Equations
from ...derivation.equations.own_terms import in_own_terms
from ...derivation.forms.constrained import with_constraints
from ...emit.run.callable import Array, Compiled
from ...emit.run.dynamics import Dynamics
from ...errors import ExpressionError, SimulationError, listed, shown
from ...summary import Introduced, one_line_tag
from ..complementarity.contact_problem import ContactProblem
from ..complementarity.contact_solvers import solve
from ..events.events import check_name
from ..forms.impulses import ConstraintImpulses, Metric
from .frictions import Friction, law_of

MAX_IMPACTS: Final = 2000  # impacts at one instant beyond which the motion ends
FINE: Final = 1e-3  # gaps and speeds below this fraction of the tolerances count as zero


@answered_class
@dataclass(frozen=True, eq=False, repr=False)
class Contact(Introduced):
    """A unilateral contact between two surfaces.

    name         in `sim.events`, and of the contact force `lam_name`
    gap          an expression in coordinates, time and parameters, positive while the surfaces are apart; or a result
                 of `touch`, which has a `gap` and a `slip`
    restitution  from 0 (no rebound) to 1 (no energy loss); may depend on parameters and on the state before the impact
    friction     a coefficient, or a law such as `Coulomb`; with the force `lam_name_friction` along the slip
    slip         the tangential slip speed, in rates of coordinates: one expression, or two in orthogonal directions
    resists      further frictions that depend on the contact force, such as rolling or spinning resistance:
                 `Friction(name, angular speed, coefficient * length)`

    >>> m = sb.Model("ball")
    >>> y = m.coordinate("y")
    >>> ball = m.particle("ball", m.ground.point(0, y, 0), mass=1.0)
    >>> m.gravity(0, -9.81, 0)
    >>> sim = sb.simulate(sb.derive(m), 1.0, y=1.0, events=[sb.Contact("floor", y, restitution=0.5)])
    >>> sim.events[0].t, sim.events[0].impulses
    (0.451524, {'floor': 6.64417})

    See also: `touch`, `Contacts`, `Event`, `Coulomb`.
    """

    name: str
    gap: Any
    restitution: Any = 0.0
    friction: Any = None
    slip: Any = None
    resists: Sequence[Friction] = ()

    def __post_init__(self) -> None:
        check_name(f"contact {shown(self.name)}", self.name)
        if self.slip is None and hasattr(self.gap, "slip"):
            object.__setattr__(self, "slip", self.gap.slip)
        object.__setattr__(self, "gap", _gap(self.name, getattr(self.gap, "gap", self.gap)))
        if isinstance(self.restitution, (int, float)) and not 0 <= self.restitution <= 1:
            raise SimulationError(
                f"contact {self.name!r}: restitution must be between 0 and 1, got {shown(self.restitution)}"
            )
        object.__setattr__(self, "restitution", as_expr(self.restitution))
        if self.friction is not None and self.slip is None:
            raise SimulationError(f"contact {self.name!r}: friction needs slip=, the tangential speed of the surfaces")
        if self.friction is not None:
            law_of(f"contact {self.name!r}", self.friction)
        object.__setattr__(self, "resists", tuple(self.resists))
        if any(not isinstance(f, Friction) or f.normal is not None for f in self.resists):
            raise SimulationError(
                f"contact {self.name!r}: resists= takes `Friction` without normal=, which is the contact force"
            )

    @cached_property
    def frictions(self) -> tuple[Friction, ...]:
        """All frictions under this contact force.

        >>> m = sb.Model("ball")
        >>> x, y = m.coordinates("x y")
        >>> ball = m.particle("ball", m.ground.point(x, y, 0), mass=1.0)
        >>> floor = sb.Contact("floor", y, friction=0.3, slip=x.dot)
        >>> [f.name for f in floor.frictions]
        ['floor']
        >>> floor.check(sb.derive(m))

        See also: `Friction`.
        """
        own = () if self.friction is None else (Friction(self.name, self.slip, self.friction),)
        return (*own, *self.resists)

    def __repr__(self) -> str:
        return one_line_tag(f"Contact {self.name}, restitution {outline(self.restitution)}: {outline(self.gap)} >= 0")

    def check(self, eq: Equations) -> None:
        """Refuse a gap, slip or restitution with symbols that are not in the equations."""
        if strange := [s for s in free_symbols(self.gap) if s not in eq.variables.of("q p t").symbols]:
            raise SimulationError(
                f"contact {self.name!r} on {eq.name!r}: its gap depends on {listed(strange)}; a gap is made of coordinates "
                f"({listed(eq.q)}), time and parameters"
            )
        if not set(eq.q) & set(free_symbols(self.gap)):
            raise SimulationError(
                f"contact {self.name!r} on {eq.name!r}: its gap {shown(self.gap)} depends on no coordinate"
            )


def _gap(name: str, given: Any) -> Expr:
    try:
        return as_expr(given)
    except ExpressionError:
        raise SimulationError(
            f"contact {name!r}: a gap is an expression, positive while the surfaces are apart, or sb.touch(surface, surface); got "
            f"{shown(given)}"
        ) from None


@dataclass(frozen=True)
class ContactValues:
    """Everything about contacts in one state; one row for each."""

    gap: Array
    slope: Array  # ∂g/∂q
    speed: Array
    G: Array
    bias: Array  # g'' = G u' + bias
    restitution: Array
    accelerations: Array  # of the speeds, with all contacts open


# ----------------------------------------------------------------------------------------------------- impulses


class Impulses(ConstraintImpulses):
    """Compiled for equations: mass matrix and constraints, and contacts on them. Functions take t and the state (q, u,
    z)."""

    def __init__(self, eq: Equations, contacts: Sequence[Contact] = ()) -> None:
        super().__init__(eq)
        self.contacts, self._equations = tuple(contacts), eq
        self._numbers: Compiled | None = None
        if contacts:
            rates = dict(zip(eq.q, eq.rates.entries, strict=True))
            gaps = [c.gap for c in contacts]
            speeds = [time_derivative(g, rates) for g in gaps]
            bias = [time_derivative(v, {**rates, **dict.fromkeys(eq.u, ZERO)}) for v in speeds]
            restitution = in_own_terms(eq, [c.restitution for c in contacts], solved=True)
            self._numbers = Dynamics(eq).function(
                "contacts",
                {
                    "gap": gaps, "slope": jacobian(gaps, eq.q), "speed": speeds, "G": jacobian(speeds, eq.u), "bias": bias,
                    "restitution": restitution, "accelerations": eq.udot,
                },
            )  # fmt: skip

    def gaps(self, t: float, state: Array, p: Array, r: Array) -> Array:
        """Of all contacts."""
        return np.asarray(self.called(self._gaps, t, state, p, r), dtype=np.float64).reshape(-1)

    @cached_property
    def _gaps(self) -> Compiled:
        return Dynamics(self._equations).function("gaps", {"gap": [c.gap for c in self.contacts]})

    def numbers(self, t: float, state: Array, p: Array, r: Array) -> ContactValues:
        assert self._numbers is not None
        out = self.called(self._numbers, t, state, p, r)
        k = len(self.contacts)
        gap, slope, speed, G, bias, restitution, accelerations = (np.asarray(x, dtype=np.float64) for x in out)
        column = (x.reshape(k) for x in (gap, speed, bias, restitution))
        gap, speed, bias, restitution = column
        return ContactValues(
            gap, slope.reshape(k, -1), speed, G.reshape(k, -1), bias, restitution, accelerations.reshape(-1)
        )


@dataclass(frozen=True)
class Impact:
    """New speeds, and the impulses of the contacts and of the constraints."""

    u: Array
    impulses: Array
    reactions: Array


def impact(
    metric: Metric, numbers: ContactValues, u: Array, part: NDArray[np.bool_], restitution: Array
) -> Impact | None:
    """The impact of the contacts in `part`; None if it has no solution."""
    G = numbers.G[part]
    W = metric.ways(G)
    v = numbers.speed[part]
    found = solve(ContactProblem(W, v + restitution[part] * np.minimum(v, 0.0), tuple(range(len(v)))))
    if not found.is_converged:
        return None
    pushed = found.forces
    change = metric.speeds(W @ pushed)
    impulses = np.zeros(len(numbers.gap))
    impulses[part] = pushed
    return Impact(u + change, impulses, metric.reactions(change, G, pushed))


def impact_map(eq: Equations, *contacts: Contact, restitution: Mapping[str, Expr] | None = None) -> dict[Symbol, Expr]:
    """Speeds after the impact of contacts that all push as expressions in the state before, with one solve block.

    [M Sᵀ; S 0] [u⁺ - u⁻; -Λ] = [0; 0, -(1 + e) v⁻],   S = [Jc; G]

    restitution   by name, where it is not that of the contact
    """
    closed = with_constraints(eq, {c.name: c.gap for c in contacts})
    rates = dict(zip(eq.q, eq.rates.entries, strict=True))
    at = len(eq.phi.entries)
    jumps = {
        at + k: -(1 + (restitution or {}).get(c.name, c.restitution)) * time_derivative(c.gap, rates)
        for k, c in enumerate(contacts)
    }
    right = [ZERO] * len(eq.u) + [jumps.get(i, ZERO) for i in range(len(closed.lam))]
    solved = closed.augmented.factors.solve(right)
    return {u: u + solved[i] for i, u in enumerate(eq.u)}


def impulses_of(eq: Equations, contacts: Sequence[Contact] = ()) -> Impulses:
    """Compiled once, and kept as long as the equations are."""
    key = tuple((c.gap, c.restitution) for c in contacts)
    return eq.cached("impulses", key, lambda: Impulses(eq, contacts))


def named_impulses(impulses: Impulses, names: Sequence[str], found: Impact) -> Mapping[str, float]:
    out = {name: float(x) for name, x in zip(names, found.impulses, strict=True) if x > 0.0}
    return out | {name: float(x) for name, x in zip(impulses.constraint_names, found.reactions, strict=True)}
