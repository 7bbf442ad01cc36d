"""`Equations`: the equations of motion, in one form and one sign convention.

q' = N u + n
M u' = f + Jcᵀ lam
phi = 0,   Jc u + b = 0,   Jc u' + c = 0
h(q, u, z, z', r, t, p) = 0

Where loads contain multipliers (friction), f does: M u' = f0 + (Jc + W)ᵀ lam with W = (∂f/∂lam)ᵀ.

An input's rates r', r'' are inputs beside it where these contain them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Final

from ...algebra.calculus.derivatives import jacobian
from ...algebra.graph.cache_owner import CacheOwner
from ...algebra.graph.graph import Expr, Symbol
from ...algebra.graph.matrix import Matrix
from ...algebra.graph.portable import Portable
from ...algebra.graph.walk import substitute
from ...argument_kinds import answered_class
from ...bodies.mechanism.mechanism import Mechanism
from ...display import DisplayPart
from ...errors import ModelError
from ...later import OldMembers
from ...summary import Summarized, Summary
from ..rank.saddle_point import Border
from .augmented_system import AugmentedSystem
from .equation_arguments import AnyEquations
from .equations_summary import drawn_equations, equations_summary
from .keywords import values_by_name
from .named_rows import EquationRows
from .readable_equations import ReadableEquations, readable_equations
from .sampling import SampledVariables
from .variable_table import variable_table
from .variables import Variables

MATRICES: Final = ("rates", "M", "f", "phi", "Jc", "b", "c", "h")
RENAMED: Final = {
    "W": "augmented.W", "f0": "augmented.f0", "directions": "augmented.directions", "factors": "augmented.factors",
    "solution": "augmented.solution", "multipliers_in_loads": "augmented.multipliers_in_loads", "is_linear_in_multipliers": "augmented.is_linear_in_multipliers", "position_rows": "rows.positions",
    "speed_rows": "rows.speeds", "norm_rows": "rows.norms", "holonomic_rows": "rows.holonomic", "additional_rows": "rows.additional",
    "constraint_rank": "derivation.constraint_rank(eq)", "undetermined": "derivation.undetermined(eq)", "in_own_terms": "derivation.in_own_terms(eq, ...)", "in_own_symbols": "derivation.in_own_symbols(eq, ...)",
    "composed": "derivation.composed(eq, ...)", "speed_index": "derivation.speed_index(eq, ...)", "is_constrained": "lam", "constants": "variables.constants",
    "arguments": "variables.arguments", "inputs": "variables.inputs", "rank": "rows.rank",
}  # fmt: skip


@answered_class
@dataclass(frozen=True, eq=False, repr=False)
class Equations(
    OldMembers,
    Summarized,
    CacheOwner,
    Portable,
    AnyEquations,
    renamed=RENAMED,
):
    """Equations of motion of a mechanism; returned by `derive`.

    q, u, z, r, p, t   coordinates, speeds, additional variables, inputs, parameters, time; if the equations contain
                       rates of inputs, r contains these after the inputs: w, w_dot, w_ddot
    rates              q' as expressions in u, one for each coordinate
    M, f               mass matrix and right side; f contains multipliers if loads do (`augmented`)
    phi                holonomic constraints, one expression each
    Jc, b, c           constraints on speeds Jc u + b = 0 (rates of phi first, then nonholonomic), and their rates Jc u'
                       + c = 0
    lam                multipliers, one for each row of Jc, named after the constraints
    h                  additional equations
    route              the route of derivation
    source, dependent  of transformed equations (`minimal`, `diagonalized`): the equations in the original speeds, and
                       the original speeds, accelerations and multipliers as expressions in the new ones. phi may then
                       have no multipliers: it is an invariant of the motion.
    labels             names for subexpressions, used in printed equations and generated code
    dropped            if linearised in small variables: the omitted terms of each entry, to second order
    border             if rows of Jc are redundant: the additional rows that keep the accelerations determined
    sampling           if inputs follow a `SampledLaw`: the additional variables that are held between samples
    outputs            quantities of interest by name
    notes              notes on the derivation

    >>> m = sb.Model("pendulum")
    >>> p = m.parameters(l=1.0, m=0.5, g=9.81)
    >>> bob = m.body("bob", mass=p.m, com=(0, -p.l, 0))
    >>> joint = m.revolute("theta", m.ground, bob)
    >>> m.gravity(0, -p.g, 0)
    >>> eq = sb.derive(m)
    >>> eq.q, eq.u, eq.p, eq.rates
    ((theta,), (theta_dot,), (l, m, g), vector(theta_dot))
    >>> eq.M, eq.f
    (vector(m*l**2), vector(-m*g*l*sin(theta)))
    >>> sb.evaluate(eq.udot, eq.values(theta=0.3))
    [-2.89905]

    See also: `derive`, `compile`, `simulate`, `linearize`, `certify`.
    """

    mechanism: Mechanism
    route: str
    q: tuple[Symbol, ...]
    u: tuple[Symbol, ...]
    z: tuple[Symbol, ...]
    r: tuple[Symbol, ...]
    p: tuple[Symbol, ...]
    t: Symbol
    rates: Matrix
    M: Matrix
    f: Matrix
    phi: Matrix
    Jc: Matrix
    b: Matrix
    c: Matrix
    lam: tuple[Symbol, ...]
    h: Matrix
    outputs: Mapping[str, Any]
    labels: Mapping[str, Expr]
    notes: tuple[str, ...] = ()
    source: Equations | None = None
    dependent: Mapping[Symbol, Expr] = field(default_factory=dict)
    dropped: Mapping[str, Expr] = field(default_factory=dict)
    border: Border | None = None
    sampling: SampledVariables | None = None

    def _summary(self) -> Summary:
        return equations_summary(self)

    def _display(self) -> Iterable[DisplayPart]:
        return drawn_equations(self)

    @property
    def name(self) -> str:
        """Name of the mechanism."""
        return self.mechanism.name

    def map(self, change: Callable[[Matrix], Matrix]) -> Equations:
        """The equations with a function applied to every matrix: `tidy(eq)`, `simplified(eq)`.

        >>> m = sb.Model("cart")
        >>> rail = m.prismatic("x", m.ground, m.body("cart", mass=2), stiffness=m.parameter("k"))
        >>> eq = sb.derive(m)
        >>> eq.map(lambda matrix: 3 * matrix).M, eq.name
        (vector(6), 'cart')

        See also: `tidy`, `simplified`, `substitute`.
        """
        changed: dict[str, Any] = {part: change(getattr(self, part)) for part in MATRICES}
        return replace(self, **changed)

    @cached_property
    def readable(self) -> ReadableEquations:
        """The equations in readable form, line by line, with remarks on symbols that do not appear:
        `print(eq.readable)`.

        >>> m = sb.Model("pendulum")
        >>> l, g = m.parameters("l g")
        >>> joint = m.revolute("theta", m.ground, m.body("bob", mass=m.parameter("m"), com=(0, -l, 0)))
        >>> m.gravity(0, -g, 0)
        >>> print(sb.derive(m).readable)
        m*l**2*theta_ddot = -m*g*l*sin(theta)

        See also: `tidy`, `latex`, `sequence`.
        """
        return readable_equations(self)

    @property
    def degrees_of_freedom(self) -> int:
        """Number of speeds minus the rank of the velocity constraints.

        >>> m = sb.Model("bead")
        >>> x, y = m.coordinates("x y")
        >>> bead = m.particle("bead", m.ground.point(x, y, 0), mass=1)
        >>> name = m.constrain("ring", x**2 + y**2 - 1)
        >>> m.gravity(0, -9.81, 0)
        >>> eq = sb.derive(m)
        >>> eq.rows.rank, eq.degrees_of_freedom
        (1, 1)
        >>> sb.evaluate(eq.multipliers, eq.values(x=0.0, y=-1.0, otherwise=0.0))  # force along the rate of x² + y²
        [-4.905]

        See also: `Model.constrain`, `audit`, `minimal`.
        """
        return len(self.u) - self.rows.rank

    @cached_property
    def N(self) -> Matrix:  # noqa: N802  (notation)
        """q' = N u + n.

        >>> m = sb.Model("cart")
        >>> x = m.coordinate("x")
        >>> cart = m.particle("cart", m.ground.point(x + m.time, 0, 0), mass=3)
        >>> u = m.speed("u", 2 * x.dot - 1)
        >>> eq = sb.derive(m)
        >>> eq.rates, eq.N, eq.n
        (vector((u + 1)/2), vector(1/2), vector(1/2))

        See also: `Model.speed`, `Model.rate`.
        """
        return jacobian(self.rates, self.u)

    @cached_property
    def n(self) -> Matrix:
        """n of q' = N u + n: the part of the rates that does not depend on speeds."""
        return substitute(self.rates, dict.fromkeys(self.u, 0))

    # ------------------------------------------------------------------------------------------------ forward dynamics

    @cached_property
    def augmented(self) -> AugmentedSystem:
        """The linear system of accelerations and multipliers, with its factors."""
        return AugmentedSystem(self)

    @property
    def udot(self) -> Matrix:
        """The accelerations u' (forward dynamics)."""
        return self.augmented.solution[0]

    @property
    def multipliers(self) -> Matrix:
        """The multipliers, solved together with the accelerations."""
        return self.augmented.solution[1]

    @property
    def whole(self) -> Equations:
        """The equations in the original speeds of the mechanism, with all multipliers.

        >>> m = sb.Model("skate")
        >>> x, y = m.coordinates("x y")
        >>> bead = m.particle("bead", m.ground.point(x, y, 0), mass=2)
        >>> name = m.constrain("slope", y - 2 * x)
        >>> eq = sb.minimal(sb.derive(m), independent=["x_dot"])
        >>> eq.u, eq.whole.u, eq.augmented.eq is eq, eq.rows.holonomic[0].name
        ((x_dot,), (x_dot, y_dot), True, 'slope')

        See also: `minimal`, `derivation.diagonalized`.
        """
        return self.source or self

    def residual(self) -> Matrix:
        """M u' - f - Jcᵀ lam with symbols for u' and lam: inverse dynamics, one entry for each speed.

        >>> m = sb.Model("cart")
        >>> rail = m.prismatic("x", m.ground, m.body("cart", mass=2), stiffness=m.parameter("k"))
        >>> sb.derive(m).residual()
        vector(k*x + 2*x_ddot)

        See also: `inverse_dynamics`, `joint_forces`.
        """
        accelerations = Matrix(len(self.u), 1, tuple(u.dot for u in self.u))
        out = self.M @ accelerations - self.f
        return out - self.Jc.T @ Matrix(len(self.lam), 1, self.lam) if self.lam else out

    # -------------------------------------------------------------------------------------- variables and rows, by name

    @cached_property
    def variables(self) -> Variables:
        """The table of all named quantities: symbols, kinds, units, default values, angles, Euler parameters.

        >>> m = sb.Model("motor")
        >>> axle = m.revolute("a", m.ground, m.body("rotor", mass=1, inertia=(1, 1, 1)), actuation=m.input("tau"))
        >>> i, R = m.variable("i"), m.parameter("R", 2.0)
        >>> name = m.equation("circuit", i.dot + R * i)
        >>> eq = sb.derive(m)
        >>> eq.variables["R"].kind, eq.state, eq.variables.arguments
        ('parameter', (a, a_dot, i), (t, a, a_dot, i, tau, R))
        >>> eq.variables.inputs, eq.kinds["i"]
        ((tau,), 'variable')

        See also: `derivation.Variables`, `derivation.Variable`.
        """
        groups = {"t": (self.t,), "q": self.q, "u": self.u, "z": self.z, "r": self.r, "p": self.p, "lam": self.lam}
        return variable_table(self.mechanism, groups, list(self.rows.speed_names))

    @cached_property
    def state(self) -> tuple[Symbol, ...]:
        """The state q, u, z, in the order of arrays."""
        return self.variables.of("q u z").symbols

    @cached_property
    def rows(self) -> EquationRows:
        """The equations that a state satisfies, row by row with their names: `eq.rows.positions`, `eq.rows.speeds`."""
        return EquationRows(self)

    @cached_property
    def kinds(self) -> Mapping[str, str]:
        """The kind of each name: coordinate, speed, parameter, ..., output; see `keywords`."""
        kinds = self.variables.kinds
        return kinds | {name: "output" for name in self.outputs if name not in kinds}

    @values_by_name(ModelError)
    def values(
        self,
        values: Mapping[Any, Any] | None = None,
        *,
        otherwise: float | None = None,
        options: Mapping[str, Any] | None = None,
        **named: Any,
    ) -> dict[Symbol, Any]:
        """Numbers for `evaluate`: the given values (q1=0.5, q1_dot=2), and the defaults of the parameters.

        otherwise   number for every symbol without a value

        >>> m = sb.Model("pendulum")
        >>> l, g = m.parameters("l g", 1.0, 9.81)
        >>> joint = m.revolute("theta", m.ground, m.body("bob", mass=1, com=(0, -l, 0)))
        >>> sb.derive(m).values(theta=0.3, otherwise=0.0)
        {t: 0.0, theta: 0.3, theta_dot: 0.0, l: 1.0, g: 9.81, theta_ddot: 0.0}

        See also: `evaluate`, `derivation.Variables`.
        """
        table = self.variables
        rest = {} if otherwise is None else dict.fromkeys(table.symbols, otherwise)
        return {**rest, **table.of("p").defaults, **table.resolved(values or {}, f"values of {self.name!r}")}
