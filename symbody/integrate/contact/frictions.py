"""Friction between surfaces, exact: sticking and slipping are modes with equations of their own.

slips     f - Gᵀ (μ(v) N + c |v|) d,   d = v / |v|        G = ∂v/∂u; in the plane d = ±1 stays what it is in a mode
sticks    v = 0, a constraint whose multipliers are the friction, |lam| <= μs N
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol

import numpy as np

from ...algebra.calculus.derivatives import jacobian, time_derivative
from ...algebra.graph.functions import sqrt
from ...algebra.graph.graph import ZERO, Expr, as_expr
from ...algebra.graph.walk import free_symbols, substitute_all
from ...algebra.printing.printing import outline
from ...argument_kinds import answered_class
from ...derivation.equations.equations import Equations
from ...emit.run.callable import Array
from ...emit.run.dynamics import Dynamics
from ...errors import SimulationError, listed, shown
from ...summary import Introduced, one_line_tag
from ..events.events import check_name

MOST_ROWS: Final = 2  # slip directions of a contact


class FrictionLaw(Protocol):
    """A law of dry friction, as `Coulomb`."""

    @property
    def sticking(self) -> Expr:
        """The coefficient up to which surfaces stick."""

    @property
    def damping(self) -> Expr:
        """A force for each unit of slip speed."""

    def coefficient(self, v: Expr) -> Expr:
        """The coefficient at a slip speed."""


@dataclass(frozen=True)
class ConstantCoefficient:
    """Coulomb's law with one coefficient."""

    value: Expr

    @property
    def sticking(self) -> Expr:
        return self.value

    @property
    def damping(self) -> Expr:
        return ZERO

    def coefficient(self, v: Expr) -> Expr:
        return self.value


def law_of(what: str, given: Any) -> FrictionLaw:
    """A law, or a constant coefficient."""
    if hasattr(given, "coefficient") and hasattr(given, "sticking"):
        return given
    coefficient = as_expr(given)
    if coefficient.value is not None and not 0 <= coefficient.value < float("inf"):
        raise SimulationError(f"{what}: a coefficient of friction must not be negative, got {shown(given)}")
    return ConstantCoefficient(coefficient)


@answered_class
@dataclass(frozen=True, eq=False, repr=False)
class Friction(Introduced):
    """Dry friction with sticking: in a joint, along a path, or in a contact.

    name     in `sim.events`; the force along the slip is `lam_name_friction`
    slip     the slip speed: an expression that is linear in rates and speeds; two of them for slip in a plane
    law      `Coulomb`, or a coefficient; for turning, a coefficient times a length
    normal   the normal force: an expression in the state, parameters and multipliers, of either sign. Within a
             `Contact`, its force

    >>> m = sb.Model("block")
    >>> block = m.body("block", mass=1.0)
    >>> joint = m.prismatic("s", m.ground, block)
    >>> s = m.symbols["s"]
    >>> eq = sb.derive(m)
    >>> rail = sb.Friction("rail", s.dot, sb.Coulomb(0.2), normal=9.81)
    >>> sim = sb.simulate_modes(sb.Contacts(eq, rail), 1.0, s_dot=1.0)
    >>> sim.modes, round(sim.final["s"], 4)  # v² / (2 μ g)
    (('rail slips forwards', 'rail sticks'), 0.2548)

    See also: `Contact`, `Coulomb`, `Contacts`.
    """

    name: str
    slip: Any
    law: Any
    normal: Any = None

    def __post_init__(self) -> None:
        check_name(f"friction {shown(self.name)}", self.name)
        given = self.slip if isinstance(self.slip, (tuple, list)) else (self.slip,)
        if not 1 <= len(given) <= MOST_ROWS:
            raise SimulationError(
                f"friction {self.name!r}: slip must be one speed, or two across each other, got {len(given)}"
            )
        object.__setattr__(self, "slip", tuple(as_expr(e) for e in given))
        object.__setattr__(self, "law", law_of(f"friction {self.name!r}", self.law))
        if self.normal is not None:
            object.__setattr__(self, "normal", as_expr(self.normal))

    def __repr__(self) -> str:
        return one_line_tag(f"Friction {self.name} against {listed(outline(v) for v in self.slip)}")

    @property
    def is_plane(self) -> bool:
        """Whether the slip is along a single direction.

        >>> m = sb.Model("puck")
        >>> x, y = m.coordinates("x y")
        >>> puck = m.particle("puck", m.ground.point(x, y, 0), mass=1.0)
        >>> table = sb.Friction("table", [x.dot, y.dot], 0.2, normal=9.81)
        >>> table.is_plane, table.rows, table.speeds(sb.derive(m))
        (False, ('table friction 1', 'table friction 2'), [x_dot, y_dot])
        >>> rail = sb.Friction("rail", x.dot, 0.2, normal=9.81)
        >>> v, N = sb.symbols("v N")
        >>> rail.is_plane, rail.forces([v], N, 1.0, 1.0)
        (True, [-0.2*N])

        See also: `Coulomb`, `Contact`.
        """
        return len(self.slip) == 1

    @property
    def rows(self) -> tuple[str, ...]:
        """Names of the constraints while it sticks."""
        return (f"{self.name} friction",) if self.is_plane else tuple(f"{self.name} friction {k + 1}" for k in range(2))

    def speeds(self, eq: Equations) -> list[Expr]:
        """The slip speed as an expression in the speeds of the equations."""
        rates = {q.dot: e for q, e in zip(eq.q, eq.rates.entries, strict=True)}
        found = substitute_all(list(self.slip), {**rates, **eq.dependent})
        if strange := [s for s in free_symbols(*found) if s not in eq.variables.arguments]:
            raise SimulationError(
                f"friction {self.name!r} on {eq.name!r}: its slip depends on {listed(strange)}, which the "
                "equations do not have"
            )
        slopes = jacobian(found, eq.u)
        if bad := [s for s in free_symbols(slopes) if s in eq.u]:
            raise SimulationError(f"friction {self.name!r}: its slip is not linear in {listed(bad)}")
        if all(e is ZERO for e in slopes.entries):
            raise SimulationError(f"friction {self.name!r} on {eq.name!r}: its slip depends on no speed")
        return found

    def forces(self, v: Sequence[Expr], normal: Expr, sense: float, sign: float) -> list[Expr]:
        """Friction forces along the rows while it slips: -(μ N + c |v|) d."""
        N, law = sign * normal, self.law
        if self.is_plane:
            return [-(sense * law.coefficient(v[0]) * N + law.damping * v[0])]
        speed = sqrt(v[0] ** 2 + v[1] ** 2)
        return [-(law.coefficient(speed) * N / speed + law.damping) * x for x in v]


@dataclass(frozen=True)
class FrictionValues:
    """Everything about frictions in one state: rows one after another, and for each friction its coefficients and
    normal force."""

    slip: Array
    G: Array
    bias: Array
    kinetic: Array
    static: Array
    damping: Array
    normal: Array  # without multipliers
    normal_slope: Array  # by the multipliers of the equations
    multipliers: Array
    accelerations: Array  # of the speeds, with all contacts open and without these frictions


class FrictionRows:
    """Compiled for equations with all contacts open."""

    def __init__(self, eq: Equations, frictions: Sequence[Friction]) -> None:
        self._n = (len(eq.q), len(eq.u), len(eq.lam))
        rates = dict(zip(eq.q, eq.rates.entries, strict=True))
        speeds = [f.speeds(eq) for f in frictions]
        rows = [v for of_one in speeds for v in of_one]
        sizes = [of_one[0] if len(of_one) == 1 else sqrt(of_one[0] ** 2 + of_one[1] ** 2) for of_one in speeds]
        normals = [ZERO if f.normal is None else f.normal for f in frictions]
        slopes = [e for N in normals for e in jacobian([N], eq.lam).entries] if eq.lam else []
        if bad := [s for s in free_symbols(*slopes) if s in eq.lam]:
            raise SimulationError(
                f"friction of {eq.name!r}: a normal force is not linear in {listed(bad)}; leave out abs(...), "
                "either sign presses"
            )
        self._numbers = Dynamics(eq).function(
            "frictions",
            {
                "slip": rows, "G": jacobian(rows, eq.u),
                "bias": [time_derivative(v, {**rates, **dict.fromkeys(eq.u, ZERO)}) for v in rows],
                "kinetic": [f.law.coefficient(v) for f, v in zip(frictions, sizes, strict=True)],
                "static": [f.law.sticking for f in frictions], "damping": [f.law.damping for f in frictions],
                "normal": substitute_all(normals, dict.fromkeys(eq.lam, ZERO)),
                "slope": slopes or [ZERO], "lam": eq.multipliers if eq.lam else [ZERO], "udot": eq.udot,
            },
        )  # fmt: skip

    def __call__(self, called: Any, t: float, state: Array, p: Array, r: Array) -> FrictionValues:
        out = called(self._numbers, t, state, p, r)
        slip, G, bias, kinetic, static, damping, normal, slope, lam, udot = (
            np.asarray(x, dtype=np.float64).ravel() for x in out
        )
        n, k = self._n[1], self._n[2]
        slope = slope.reshape(len(normal), k) if k else np.zeros((len(normal), 0))
        return FrictionValues(
            slip, G.reshape(len(slip), n), bias, kinetic, static, damping, normal, slope, lam[:k], udot
        )


def friction_rows(eq: Equations, frictions: Sequence[Friction]) -> FrictionRows:
    """Compiled once, and kept as long as the equations are."""
    key = tuple((f.slip, f.law.coefficient(as_expr(1)), f.law.sticking, f.law.damping, f.normal) for f in frictions)
    return eq.cached("frictions", key, lambda: FrictionRows(eq, frictions))
