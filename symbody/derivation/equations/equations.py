"""`Equations`: the equations of motion, in one form and one sign convention.

q' = N u + n
M u' = f + Jcᵀ lam
phi = 0,   Jc u + b = 0,   Jc u' + c = 0
h(q, u, z, z', r, t, p) = 0

Where loads contain multipliers (friction), f does: M u' = f0 + (Jc + W)ᵀ lam with W = (∂f/∂lam)ᵀ.

An input's rates r', r'' are inputs beside it where these contain them.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, wraps
from typing import Any, Final, ParamSpec, TypeVar

from ...algebra.calculus.derivatives import jacobian
from ...algebra.graph.cache_owner import CacheOwner
from ...algebra.graph.graph import Expr, Symbol, made_symbol
from ...algebra.graph.matrix import Matrix, sum_of_products
from ...algebra.graph.portable import Portable
from ...algebra.graph.walk import free_symbols, substitute, substitute_all
from ...argument_kinds import argument_kinds, checked_flags, positional_names, refuse_other_kinds
from ...bodies.mechanism.mechanism import Constraint, Mechanism
from ...bodies.model.model import Model
from ...errors import DerivationError, ModelError, SymbodyError, listed, shown
from ...summary import Summarized, Summary
from ..kinematics.unknown_positions import without_unknown_positions
from ..rank.saddle_point import Border, SaddlePoint, chosen_elimination, sizes_of_inertias, sizes_of_responses
from .constraint_rank import ConstraintRank, constraint_rank
from .equations_summary import drawn_equations, equations_summary
from .keywords import values_by_name
from .named_rows import NamedRow, constraint_row, norm_row
from .readable_equations import ReadableEquations, readable_equations
from .undetermined_forces import Share, determined_parts, is_determined, refuse_unknown_share, shared_multipliers
from .variable_table import variable_table
from .variables import ARGUMENTS, Variables

MATRICES: Final = ("rates", "M", "f", "phi", "Jc", "b", "c", "h")


@dataclass(frozen=True, eq=False, repr=False)
class Equations(Summarized, CacheOwner, Portable):
    """Equations of motion of a mechanism; made by `derive`.

    q, u, z, r, p, t   coordinates, speeds, additional variables, inputs, parameters, time; where the equations contain
                       rates of inputs, these stand after the inputs in r: w, w_dot, w_ddot
    rates              q' as expressions in u, one for each coordinate
    M, f               mass matrix and right side; f contains multipliers where loads do (`f0`, `W`, `directions`)
    phi                holonomic constraints, one expression each
    Jc, b, c           constraints on speeds Jc u + b = 0 (rates of phi first, then nonholonomic), and their rates Jc u'
                       + c = 0
    lam                multipliers, one for each row of Jc, named after the constraints
    h                  additional equations
    route              how they were derived
    source, dependent  where these were made from others (`minimal`, `diagonalized`): those of the mechanism's own
                       speeds, and what stands there (speeds, accelerations, multipliers) in terms of what stands here.
                       Then phi may have no multipliers: it is kept by the motion, as an invariant.
    labels             names for subexpressions, by which printed equations and generated code call them
    dropped            where these were linearised in small variables: what each entry lost, to second order
    border             where rows of Jc follow from others: what makes accelerations determined nevertheless
    outputs            quantities of interest by name
    notes              what to know of how they were made

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

    def _summary(self) -> Summary:
        return equations_summary(self)

    def _folded(self) -> Iterable[tuple[str, str]]:
        return drawn_equations(self)

    @property
    def name(self) -> str:
        """Name of the mechanism."""
        return self.mechanism.name

    def map(self, change: Callable[[Matrix], Matrix]) -> Equations:
        """The same with every matrix changed: `tidy(eq)`, `simplified(eq)`.

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
        """The equations as a person would write them, line by line, and what does not appear in them:
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
    def is_constrained(self) -> bool:
        """Whether there are constraints with multipliers.

        >>> m = sb.Model("bead")
        >>> x, y = m.coordinates("x y")
        >>> bead = m.particle("bead", m.ground.point(x, y, 0), mass=1)
        >>> name = m.constrain("ring", x**2 + y**2 - 1)
        >>> m.gravity(0, -9.81, 0)
        >>> eq = sb.derive(m)
        >>> eq.is_constrained, eq.rank, eq.degrees_of_freedom, eq.undetermined
        (True, 1, 1, ())
        >>> eq.constraint_rank.rank
        1
        >>> sb.evaluate(eq.multipliers, eq.values(x=0.0, y=-1.0, otherwise=0.0))  # force along the rate of x² + y²
        [-4.905]

        See also: `Model.constrain`, `audit`, `minimal`.
        """
        return bool(self.lam)

    @property
    def constraint_rank(self) -> ConstraintRank | None:
        """The rank of the constraints where they hold and are regular; None where no such place was found."""
        return constraint_rank(self) if self.lam else None

    @property
    def rank(self) -> int:
        """Of the constraints; as many as there are where `constraint_rank` is not known."""
        found = self.constraint_rank
        return len(self.lam) if found is None else found.rank

    @property
    def degrees_of_freedom(self) -> int:
        """Speeds less the rank of the constraints on them."""
        return len(self.u) - self.rank

    @cached_property
    def undetermined(self) -> tuple[Symbol, ...]:
        """Multipliers that redundant constraints do not determine."""
        return () if self.border is None else tuple(s for s in self.lam if not is_determined(self, s))

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
        """q' = N u + n: what of the rates does not depend on speeds."""
        return substitute(self.rates, dict.fromkeys(self.u, 0))

    # ----------------------------------------------------------------------------------- loads that contain multipliers

    @cached_property
    def multipliers_in_loads(self) -> tuple[Symbol, ...]:
        """Multipliers that f contains: normal forces of friction.

        >>> m = sb.Model("block")
        >>> x, y = m.coordinates("x y")
        >>> block = m.particle("block", m.ground.point(x, y, 0), mass=1)
        >>> name = m.constrain("floor", y)
        >>> rubs = m.generalized_force("friction", x, -0.3 * m.multiplier("floor"))
        >>> eq = sb.derive(m)
        >>> eq.multipliers_in_loads, eq.f, eq.f0, eq.W, eq.directions, eq.is_linear_in_multipliers
        ((lam_floor,), vector(-0.3*lam_floor, 0), vector(0, 0), matrix([[-0.3, 0]]), matrix([[-0.3, 1]]), True)

        See also: `Model.multiplier`, `Friction`.
        """
        if not self.lam:
            return ()
        found = set(free_symbols(self.f))
        return tuple(s for s in self.lam if s in found)

    @cached_property
    def W(self) -> Matrix | None:  # noqa: N802  (notation)
        """(∂f/∂lam)ᵀ, a row for each multiplier; None where f contains none."""
        return jacobian(self.f, self.lam).T if self.multipliers_in_loads else None

    @cached_property
    def f0(self) -> Matrix:
        """f without its multipliers: M u' = f0 + (Jc + W)ᵀ lam."""
        if not self.multipliers_in_loads:
            return self.f
        if not self.is_linear_in_multipliers:
            raise DerivationError(
                f"{self.name!r}: its loads are not linear in {listed(self.multipliers_in_loads)}, so that accelerations have no closed form; "
                "simulate(eq, ..., form='ggl') solves for them. Where the sign of a force is known, write it without abs(...)"
            )
        return substitute(self.f, dict.fromkeys(self.multipliers_in_loads, 0))

    @property
    def is_linear_in_multipliers(self) -> bool:
        """Whether f0 + (Jc + W)ᵀ lam is all of the forces."""
        return self.W is None or not set(self.lam).intersection(free_symbols(self.W))

    @cached_property
    def directions(self) -> Matrix:
        """H = Jc + W: the directions in which multipliers push; those of the constraints where no load contains
        multipliers."""
        return self.Jc if self.W is None else self.Jc + self.W

    @cached_property
    def factors(self) -> SaddlePoint:
        """Factors of M, or of [M Hᵀ; Jc 0] where there are constraints, by the elimination that suits them: the same
        for compiled functions, simulation, batches and generated code. `factors.elimination` says which.

        >>> m = sb.Model("bead")
        >>> x, y = m.coordinates("x y")
        >>> bead = m.particle("bead", m.ground.point(x, y, 0), mass=2)
        >>> name = m.constrain("slope", y - x)
        >>> m.gravity(0, -9.81, 0)
        >>> eq = sb.derive(m)
        >>> eq.factors.elimination
        <Elimination.SCHUR: 'M and its Schur complement Jc M⁻¹ Jcᵀ are eliminated, both without pivoting'>
        >>> accelerations, forces = eq.solution
        >>> sb.evaluate(accelerations, {}), sb.evaluate(forces, {})
        ([-4.905, -4.905], [9.81])

        See also: `algebra.factorize`, `solve`, `Equations.udot`.
        """
        known = self.mechanism.values
        elimination = chosen_elimination(self.M, self.Jc, known)
        inertias = sizes_of_inertias(self.M, known) if self.variables.rotations_by_angles else ()
        responses = sizes_of_responses(self.M, self.Jc, known)
        pushes = None if self.W is None else self.directions
        return SaddlePoint(self.M, self.Jc, elimination, self.border, responses, inertias, pushes)

    @cached_property
    def solution(self) -> tuple[Matrix, Matrix]:
        """Accelerations and multipliers, from one solve block.

        M u' = f                          without constraints
        [M Hᵀ; Jc 0] [u'; -lam] = [f0; -c]   with them, H = Jc + W; in singular positions they have no value (NaN)
        """
        n, k = len(self.u), len(self.lam)
        if not n:  # additional equations alone
            return Matrix(0, 1, ()), Matrix(0, 1, ())
        x = self.factors.solve([*self.f0.entries, *(-e for e in self.c.entries)])
        return Matrix(n, 1, x.entries[:n]), Matrix(k, 1, tuple(-e for e in x.entries[n:]))

    @property
    def udot(self) -> Matrix:
        """Accelerations: forward dynamics."""
        return self.solution[0]

    @property
    def multipliers(self) -> Matrix:
        """Values of the multipliers along with the accelerations."""
        return self.solution[1]

    @property
    def whole(self) -> Equations:
        """The equations in the mechanism's own speeds, with all its multipliers.

        >>> m = sb.Model("skate")
        >>> x, y = m.coordinates("x y")
        >>> bead = m.particle("bead", m.ground.point(x, y, 0), mass=2)
        >>> name = m.constrain("slope", y - 2 * x)
        >>> eq = sb.minimal(sb.derive(m), independent=["x_dot"])
        >>> eq.u, eq.whole.u, eq.in_own_terms([y.dot])
        ((x_dot,), (x_dot, y_dot), [2*x_dot])
        >>> eq.in_own_symbols([sb.symbol("x", "variable")])[0] is x
        True
        >>> eq.composed({x: sb.symbol("s", "coordinate")})[y.dot]
        2*x_dot

        See also: `minimal`, `derivation.diagonalized`.
        """
        return self.source or self

    @checked_flags(ModelError)
    def in_own_terms(self, things: list[Any], solved: bool = False, share: Share | None = None) -> list[Any]:
        """Expressions and matrices in the mechanism's speeds, u' and multipliers, in terms of those of these equations.

        solved   also put in what u' and the multipliers are, so that only the state is left; what redundant constraints
                 do not determine has no value
        share    "least norm", or {joint or constraint: stiffness}: what is not determined is shared so
        """
        if share is not None:
            refuse_unknown_share(self, share)
        things = self.in_own_symbols(without_unknown_positions(self.mechanism, things, "these quantities"))
        if self.dependent:
            things = substitute_all(things, self.dependent)
        if solved:
            things = determined_parts(self, things) if share is None else things
            lam = self.multipliers if share is None else shared_multipliers(self, share)
            unknowns = (*(u.dot for u in self.u), *self.lam)
            things = substitute_all(things, dict(zip(unknowns, (*self.udot.entries, *lam.entries), strict=True)))
        return things

    def in_own_symbols(self, things: list[Any]) -> list[Any]:
        """Expressions with the symbols that have these names here: names decide, since `symbols("x v")` are parameters
        for one who does not say what they are."""
        alike = {
            other: s
            for s in (*self.q, *self.u, *self.z, *self.r)
            for kind in ("parameter", "variable")
            if (other := made_symbol(s.name, kind)) is not None and other is not s and other not in self.p
        }
        return substitute_all(things, alike) if alike else things

    def composed(self, table: Mapping[Symbol, Expr]) -> dict[Symbol, Expr]:
        """`dependent` of equations in which the symbols of `table` are replaced by what it says."""
        before = substitute_all(list(self.dependent.values()), table)
        return {**dict(zip(self.dependent, before, strict=True)), **table}

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
        """The table of everything that has a name here: symbols, kinds, units, default values, angles, Euler
        parameters.

        >>> m = sb.Model("motor")
        >>> axle = m.revolute("a", m.ground, m.body("rotor", mass=1, inertia=(1, 1, 1)), actuation=m.input("tau"))
        >>> i, R = m.variable("i"), m.parameter("R", 2.0)
        >>> name = m.equation("circuit", i.dot + R * i)
        >>> eq = sb.derive(m)
        >>> eq.variables["R"].kind, eq.state, eq.arguments
        ('parameter', (a, a_dot, i), (t, a, a_dot, i, tau, R))
        >>> eq.inputs, eq.constants, eq.kinds["i"], eq.speed_index("a", "example")
        ((tau,), (R, tau), 'variable', 0)

        See also: `derivation.Variables`, `derivation.Variable`.
        """
        groups = {"t": (self.t,), "q": self.q, "u": self.u, "z": self.z, "r": self.r, "p": self.p, "lam": self.lam}
        return variable_table(self.mechanism, groups, [c.name for c in self._constraints])

    @cached_property
    def state(self) -> tuple[Symbol, ...]:
        """The state q, u, z, in the order of arrays."""
        return self.variables.of("q u z").symbols

    @cached_property
    def arguments(self) -> tuple[Symbol, ...]:
        """t, q, u, z, r, p: the arguments of every expression of these equations."""
        return self.variables.of(ARGUMENTS).symbols

    @cached_property
    def inputs(self) -> tuple[Symbol, ...]:
        """Inputs without their rates."""
        return tuple(s for s in self.r if not s.order)

    @cached_property
    def constants(self) -> tuple[Symbol, ...]:
        """p, r: held constant during integration."""
        return self.variables.of("p r").symbols

    @property
    def _constraints(self) -> tuple[Constraint, ...]:
        """Those of the mechanism, in the order of the multipliers; none where they were eliminated."""
        return (*self.mechanism.holonomic, *self.mechanism.nonholonomic) if self.lam else ()

    @cached_property
    def holonomic_rows(self) -> tuple[NamedRow, ...]:
        """phi, by name; where multipliers were eliminated the rows are kept by the motion.

        >>> m = sb.Model("top")
        >>> joint = m.spherical("r", m.ground, m.body("top", mass=1, inertia=(1, 1, 2)), "euler parameters")
        >>> name = m.constrain("level", m.symbols["r_e1"])
        >>> i = m.variable("i")
        >>> name = m.equation("circuit", i.dot + i)
        >>> eq = sb.derive(m)
        >>> [(row.name, row.expression) for row in eq.position_rows]
        [('level', r_e1), ('norm of r_e0, r_e1, r_e2, r_e3', r_e0**2 + r_e1**2 + r_e2**2 + r_e3**2 - 1)]
        >>> len(eq.holonomic_rows), len(eq.norm_rows), eq.speed_rows[0].name, eq.additional_rows[0].expression
        (1, 1, 'level', i + i_dot)

        See also: `derivation.NamedRow`, `integrate.violation`.
        """
        k = len(self.phi.entries)
        named = zip(self.mechanism.holonomic, self.phi.entries, self.lam[:k] or (None,) * k, strict=True)
        return tuple(constraint_row(c, e, multiplier) for c, e, multiplier in named)

    @cached_property
    def norm_rows(self) -> tuple[NamedRow, ...]:
        """eᵀe - 1 for every set of Euler parameters."""
        return tuple(norm_row(e) for e in self.mechanism.norms)

    @property
    def position_rows(self) -> tuple[NamedRow, ...]:
        """phi, then the norms of Euler parameters."""
        return (*self.holonomic_rows, *self.norm_rows)

    @cached_property
    def speed_rows(self) -> tuple[NamedRow, ...]:
        """Jc u + b, in the order of the multipliers: rates of holonomic constraints, then nonholonomic ones."""
        return tuple(
            constraint_row(c, sum_of_products(self.Jc.row(k), self.u) + self.b[k], self.lam[k])
            for k, c in enumerate(self._constraints)
        )

    @cached_property
    def additional_rows(self) -> tuple[NamedRow, ...]:
        """h, by name."""
        named = zip(self.mechanism.equations, self.h.entries, strict=True)
        return tuple(NamedRow(name, "additional", e) for name, e in named)

    def speed_index(self, key: Any, where: str, error: type[SymbodyError] = ModelError) -> int:
        """The place of a speed, by its own name or symbol or by the coordinate whose rate it is."""
        speeds = {u: j for j, u in enumerate(self.u)}
        by_rate = {
            q: speeds[e]
            for q, e in zip(self.q, self.rates.entries, strict=True)
            if isinstance(e, Symbol) and e in speeds
        }
        places = {**by_rate, **speeds}
        return places[self.variables.of("u q").only(places).symbol(key, where, error)]

    @cached_property
    def kinds(self) -> Mapping[str, str]:
        """The kind of each name: coordinate, speed, parameter, ..., output; see `keywords`."""
        kinds = {name: self.variables[name].kind for name in self.variables.names}
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
        """Numbers for `evaluate`: those given (q1=0.5, q1_dot=2), and for parameters those that the model was made
        with.

        otherwise   number for everything that would be left without one

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


P = ParamSpec("P")
R = TypeVar("R")


def of_equations(function: Callable[P, R]) -> Callable[P, R]:
    """Decorator of a function whose first argument are equations: anything else, as the model itself, is refused with
    what to do."""
    return _of(function, (Equations,))


def of_equations_or(*others: type) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """The same where some other types will do too."""
    return lambda function: _of(function, (Equations, *others))


def _of(function: Callable[P, R], types: tuple[type, ...]) -> Callable[P, R]:
    signature = inspect.signature(function)
    names, call = positional_names(signature), function.__name__
    first = names[0]
    kinds = {} if hasattr(function, "keyword_call") else argument_kinds(signature)

    @wraps(function)
    def called(*args: P.args, **named: P.kwargs) -> R:
        given = args[0] if args else named.get(first)
        if isinstance(given, types) or (not args and first not in named):
            refuse_other_kinds(kinds, (*zip(names, args, strict=False), *named.items()), call, ModelError)
            return function(*args, **named)
        if isinstance(given, (Model, Mechanism)):
            raise ModelError(
                f"{call}: takes the equations of a model, not the model {given.name!r}: eq = derive(model), "
                f"then {call}(eq, ...)"
            )
        raise ModelError(
            f"{call}: the first argument is the equations, as derive(model) gives them; got {shown(given)}"
        )

    return called
