"""Symbols of a model: coordinates, speeds, parameters, inputs, additional variables; and the kinematic equations."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from ...algebra.calculus.derivatives import jacobian
from ...algebra.graph.graph import ZERO, Expr, Symbol, as_expr, symbol
from ...algebra.graph.linear import solve
from ...algebra.graph.matrix import Matrix
from ...algebra.graph.names import check_name, rate_name, stem_and_order
from ...algebra.graph.portable import Portable
from ...algebra.graph.walk import free_symbols, substitute_all
from ...errors import ModelError, finite_number, in_number, listed, shown, undeclared_symbol, with_article
from ...escaping import checked_name, identifier

MAX_ORDER: Final = 4  # highest time derivative of a symbol that has a name


class SymbolTuple:
    """Symbols by attribute: `p = m.parameters(a=1, b=2)`, then `p.a`, `p.b`; unpacks in order."""

    def __init__(self, symbols: dict[str, Symbol]) -> None:
        self.__dict__.update(symbols)
        self._symbols = symbols

    def __iter__(self) -> Any:
        return iter(self._symbols.values())

    def __getattr__(self, name: str) -> Symbol:
        raise ModelError(f"there is no {name!r} among {listed(self._symbols)}")


class KinematicTables(NamedTuple):
    """Rates given one by one, kinematic equations, coordinates of norm one, small coordinates, motions of frames
    without a known position."""

    rates: Mapping[Symbol, Expr]
    equations: tuple[Expr, ...]
    norms: tuple[tuple[Symbol, ...], ...]
    small: tuple[Symbol, ...]
    given_motions: tuple[Matrix, ...]


def names_of(names: Any, what: str) -> list[str]:
    """Names given as one text, "a b" or "a, b", or as a list of texts."""
    if isinstance(names, str):
        return names.replace(",", " ").split()
    if isinstance(names, (list, tuple)) and all(isinstance(n, str) for n in names):
        return list(names)
    raise ModelError(f"{what}: names are a text such as 'a b c', or a list of texts; got {shown(names)}")


class Declarations(Portable):
    """The symbols of a model, and the rates of its coordinates in terms of speeds."""

    def __init__(self, name: str) -> None:
        self.name = checked_name(name, "model")
        self.time = symbol("t", "time")
        self._symbols: dict[str, Symbol] = {"t": self.time}
        self._rates: dict[Symbol, Expr] = {}
        self._kinematic: list[Expr] = []
        self._given_motions: list[Matrix] = []  # velocities and spins of frames whose place is not known
        self._values: dict[Symbol, float] = {}
        self._units: dict[Symbol, str] = {}
        self._norms: list[tuple[Symbol, ...]] = []
        self._small: list[Symbol] = []

    # ------------------------------------------------------------------------------------------------ symbols

    @property
    def symbols(self) -> Mapping[str, Symbol]:
        """All symbols declared, by name, in the order of declaration; time `t` is the first.

        >>> m = sb.Model("cart")
        >>> x, k = m.coordinate("x"), m.parameter("k")
        >>> dict(m.symbols)
        {'t': t, 'x': x, 'k': k}
        >>> m.symbols["x"] is x, m.symbols_of_kind("parameter")
        (True, (k,))

        See also: `Model.declare`, `Model.joints`.
        """
        return MappingProxyType(self._symbols)

    def symbols_of_kind(self, kind: str) -> tuple[Symbol, ...]:
        """Those of one kind: "coordinate", "speed", "parameter", "input" or "variable"."""
        return tuple(s for s in self._symbols.values() if s.kind == kind)

    def declare(self, name: str, kind: str, value: float | None = None, unit: str = "") -> Symbol:
        """A symbol of any kind, with a default value and a unit where it is a parameter.

        >>> m = sb.Model("motor")
        >>> R = m.declare("R", "parameter", 2.5, "Ohm")
        >>> R.kind, m.default_values[R], m.units[R]
        ('parameter', 2.5, 'Ohm')

        See also: `Model.parameter`, `Model.coordinate`, `Model.input`.
        """
        check_name(name, f"model {self.name!r}, {kind}")
        if name in self._symbols:
            raise ModelError(
                f"model {self.name!r}: {name!r} is declared twice (it is {with_article(self._symbols[name].kind)} already)"
            )
        if value is not None:
            finite_number(value, f"{kind} {name!r}", ModelError)
        self._refuse_the_name_of_a_rate(name, kind)
        s = self._symbols[name] = symbol(name, kind)
        if value is not None:
            self._values[s] = value
        if unit is not None and not (isinstance(unit, str) and not unit):
            self._units[s] = checked_name(unit, f"unit of {kind} {name!r}")
        return s

    def _refuse_the_name_of_a_rate(self, name: str, kind: str) -> None:
        """Refuse a symbol with the name of another symbol's time derivative: q_dot always denotes the rate of q."""
        known = ChainMap({name: symbol(name, kind)}, self._symbols)
        for taken in (name, *(rate_name(name, order) for order in range(1, MAX_ORDER + 1))):
            stem, order = stem_and_order(taken)
            if order and taken in known and stem in known and known[stem].kind not in ("parameter", "time"):
                raise ModelError(
                    f"model {self.name!r}: the {known[taken].kind} {taken!r} has the name of the time derivative of the {known[stem].kind} {stem!r}, "
                    f"which is written {stem}.dot in Python and {rate_name(stem, 1)} elsewhere; give one of them another name"
                )

    def coordinate(self, name: str) -> Symbol:
        """A generalised coordinate; its rate is `q.dot`.

        >>> m = sb.Model("bead")
        >>> x = m.coordinate("x")
        >>> bead = m.particle("bead", m.ground.point(x, x**2, 0), mass=1)
        >>> x.dot, sb.derive(m).M
        (x_dot, vector(4*x**2 + 1))

        See also: `Model.coordinates`, `Model.speeds`.
        """
        return self.declare(name, "coordinate")

    def coordinates(self, names: str) -> tuple[Symbol, ...]:
        """Several coordinates: `x, y = m.coordinates("x y")`.

        >>> m = sb.Model("m")
        >>> x, y = m.coordinates("x y")
        >>> x.dot
        x_dot

        See also: `Model.coordinate`, `Model.speeds`, `Model.parameters`.
        """
        return tuple(self.coordinate(n) for n in names_of(names, "coordinates"))

    def parameter(self, name: str, value: float | None = None, unit: str = "") -> Symbol:
        """A constant, with a value to use where none is given later.

        >>> m = sb.Model("rod")
        >>> l = m.parameter("l", 0.5, unit="m")
        >>> l**2, m.default_values[l]
        (l**2, 0.5)

        See also: `Model.parameters`, `Model.input`.
        """
        return self.declare(name, "parameter", value, unit)

    def parameters(self, names: str = "", /, *values: float, **named: float | None) -> Any:
        """Several parameters: `a, b = m.parameters("a b", 1.0, 2.0)`, or `p = m.parameters(a=1.0, b=2.0)` and then
        `p.a`.

        A value of None declares a parameter without one.

        >>> m = sb.Model("m")
        >>> p = m.parameters(l=1.0, g=9.81)
        >>> a, b = m.parameters("a b", 1.0, 2.0)
        >>> p.l * p.g, dict(m.default_values)
        (g*l, {l: 1.0, g: 9.81, a: 1.0, b: 2.0})

        See also: `Model.parameter`, `Model.coordinates`, `Model.inputs`.
        """
        listed_names = names_of(names, "parameters")
        if values and len(values) != len(listed_names):
            raise ModelError(f"parameters {names!r}: {len(listed_names)} names but {len(values)} values")
        made = {n: self.parameter(n, values[k] if values else None) for k, n in enumerate(listed_names)}
        made |= {n: self.parameter(n, v) for n, v in named.items()}
        return SymbolTuple(made) if named else tuple(made.values())

    def input(self, name: str) -> Symbol:
        """An input: an exogenous function of time, such as a control torque.

        >>> m = sb.Model("cart")
        >>> rail = m.prismatic("x", m.ground, m.body("cart", mass=2), actuation=m.input("F"))
        >>> eq = sb.derive(m)
        >>> eq.r, eq.f
        ((F,), vector(F))

        See also: `Model.inputs`, `simulate`, `closed_loop`.
        """
        return self.declare(name, "input")

    def inputs(self, names: str) -> tuple[Symbol, ...]:
        """Several inputs: `F, M = m.inputs("F M")`; their laws are given to `simulate`.

        >>> m = sb.Model("crane")
        >>> F, M = m.inputs("F M")
        >>> F.kind, M.name
        ('input', 'M')

        See also: `Model.input`.
        """
        return tuple(self.input(n) for n in names_of(names, "inputs"))

    def variable(self, name: str) -> Symbol:
        """An additional variable, which needs an additional equation; its rate is `z.dot`.

        >>> m = sb.Model("circuit")
        >>> i = m.variable("i")
        >>> ohm = m.equation("circuit", 0.1 * i.dot + 2 * i - 5)
        >>> sb.steady(sb.derive(m), start={"i": 1.0})["i"]
        2.5

        See also: `Model.equation`, `Model.input`.
        """
        return self.declare(name, "variable")

    def variables(self, names: str) -> tuple[Symbol, ...]:
        """Several additional variables, each of which needs an additional equation.

        >>> m = sb.Model("circuit")
        >>> i, U = m.variables("i U")
        >>> names = m.equation("coil", 0.1 * i.dot - U), m.equation("capacitor", U.dot + i)
        >>> m.equations["coil"]
        0.1*i_dot - U

        See also: `Model.variable`, `Model.equation`.
        """
        return tuple(self.variable(n) for n in names_of(names, "variables"))

    # ------------------------------------------------------------------------------------------------ speeds

    def speed(self, name: str, equals: Any = None) -> Symbol:
        """A generalised speed. `equals` defines it, linear in rates: `m.speed("u1", q1.dot * cos(q2))`.

        Coordinates about which nothing is said keep their rates as speeds.

        >>> m = sb.Model("cart")
        >>> x = m.coordinate("x")
        >>> cart = m.particle("cart", m.ground.point(x, 0, 0), mass=3)
        >>> u = m.speed("u", 2 * x.dot)
        >>> eq = sb.derive(m)
        >>> eq.rates, eq.M
        (vector(u/2), vector(3/4))

        See also: `Model.speeds`, `Model.rate`, `Model.kinematic_equation`.
        """
        u = self.declare(name, "speed")
        if equals is not None:
            self._kinematic.append(as_expression(equals, f"speed {name!r}") - u)
        return u

    def speeds(self, names: str) -> tuple[Symbol, ...]:
        """Several speeds, to be tied to rates by `rate` or `kinematic_equation`.

        >>> m = sb.Model("body")
        >>> a, b = m.coordinates("a b")
        >>> u, v = m.speeds("u v")
        >>> m.rate(a, u + v)
        >>> m.kinematic_equation(b.dot - u + v)
        >>> dict(m.kinematics.rates), m.kinematics.equations
        ({a: u + v}, (b_dot - u + v,))

        See also: `Model.speed`, `Model.rate`, `Model.kinematic_equation`.
        """
        return tuple(self.speed(n) for n in names_of(names, "speeds"))

    def rate(self, q: Symbol, equals: Any) -> None:
        """Define the rate of a coordinate in terms of speeds."""
        if not isinstance(q, Symbol) or q.kind != "coordinate" or self._symbols.get(q.name) is not q:
            known = listed((*self.symbols_of_kind("coordinate"), *self.symbols_of_kind("variable")))
            raise ModelError(
                f"rate: {shown(q)} is not a coordinate or variable of model {self.name!r}, whose coordinates "
                f"and variables are {known}"
            )
        if q in self._rates:
            raise ModelError(f"rate: the rate of {q} is given twice")
        self._rates[q] = as_expression(equals, f"rate of {q.name!r}")

    def kinematic_equation(self, expression: Any) -> None:
        """An equation `expression = 0`, linear in rates and speeds."""
        self._kinematic.append(as_expression(expression, "kinematic equation"))

    def unit_norm(self, *coordinates: Symbol) -> None:
        """Coordinates whose squares sum to one because their rates keep the sum, as those of Euler parameters do.

        >>> m = sb.Model("top")
        >>> joint = m.spherical("r", m.ground, m.body("top", mass=1, inertia=(1, 1, 2)), "euler parameters")
        >>> m.kinematics.norms  # `spherical` has said m.unit_norm(r_e0, r_e1, r_e2, r_e3)
        ((r_e0, r_e1, r_e2, r_e3),)
        >>> s, c = m.coordinates("s c")
        >>> w = m.speed("w")
        >>> m.rate(s, c * w)
        >>> m.rate(c, -s * w)
        >>> m.unit_norm(s, c)

        See also: `Model.spherical`, `Equations.norm_rows`.
        """
        self._norms.append(coordinates)

    def small(self, *symbols: Symbol) -> None:
        """Declare coordinates that stay small, so that equations may be linearised in them while they are derived.

        >>> m = sb.Model("pendulum")
        >>> joint = m.revolute("a", m.ground, m.body("bob", mass=1, com=(0, -1, 0)))
        >>> m.gravity(0, -9.81, 0)
        >>> m.small(joint.q)
        >>> sb.derive(m, small=True).f
        vector(-9.81*a)

        See also: `derive`, `algebra.linearized`.
        """
        for s in symbols:
            if not isinstance(s, Symbol) or self._symbols.get(s.name) is not s:
                raise ModelError(f"small: {shown(s)} is no coordinate, speed or variable of {self.name!r}")
        self._small.extend(symbols)

    @property
    def kinematics(self) -> KinematicTables:
        """Kinematic equations, given rates, unit norms and small coordinates declared so far."""
        return KinematicTables(
            dict(self._rates),
            tuple(self._kinematic),
            tuple(self._norms),
            tuple(self._small),
            tuple(self._given_motions),
        )

    def add_given_motions(self, *motions: Matrix) -> None:
        """Velocities and spins that speeds occur in, of frames whose place is not known.

        >>> m = sb.Model("cart")
        >>> v = m.speed("v")
        >>> cart = m.moving_frame("cart", velocity=(v, 0, 0))  # says m.add_given_motions(velocity, spin)
        >>> m.add_given_motions(sb.vector(v, 0, 0))
        >>> len(m.kinematics.given_motions)
        3

        See also: `Model.moving_frame`.
        """
        if wrong := [x for x in motions if not isinstance(x, Matrix)]:
            raise ModelError(f"given motions: expected columns of components, got {shown(wrong[0])}")
        self._given_motions += motions

    @property
    def default_values(self) -> Mapping[Symbol, float]:
        """Values of parameters, where given."""
        return MappingProxyType(self._values)

    @property
    def units(self) -> Mapping[Symbol, str]:
        """Units of symbols, where given, as texts: for labels of figures, headers of exported code and FMUs."""
        return MappingProxyType(self._units)

    def _speeds_and_rates(self) -> tuple[list[Symbol], dict[Symbol, Expr]]:
        """Speeds, and the rate of every coordinate in terms of them."""
        coordinates, own = self.symbols_of_kind("coordinate"), self.symbols_of_kind("speed")
        rates = dict(self._rates)
        mentioned = {s for e in self._kinematic for s in free_symbols(e)}
        unknown = [q for q in coordinates if q not in rates and q.dot in mentioned]
        if len(unknown) != len(self._kinematic):
            raise ModelError(
                f"model {self.name!r}: {len(self._kinematic)} kinematic equations for the {len(unknown)} rates "
                f"{listed(q.dot for q in unknown)}; there must be as many: one m.speed(name, equals), m.rate or m.kinematic_equation for each"
            )
        if unknown:
            rates |= self._solved_for_rates(unknown)
        u = list(own)
        for q in coordinates:
            if q not in rates:
                rates[q] = q.dot
                u.append(q.dot)  # type: ignore[arg-type]
        used = set(free_symbols(*rates.values(), *self._given_motions))
        if idle := [s for s in own if s not in used]:
            raise ModelError(
                f"model {self.name!r}: {in_number(idle, 'speed {} is in', 'speeds {} are in')} no kinematic equation; say how rates "
                f"follow from speeds: m.rate(q, {idle[0]})"
            )
        rates = {q: rates[q] for q in coordinates}
        return (_in_order_of_declaration(u, own, rates) if own else u), rates

    def _solved_for_rates(self, unknown: Sequence[Symbol]) -> dict[Symbol, Expr]:
        dots = [q.dot for q in unknown]
        A = jacobian(self._kinematic, dots)
        if nonlinear := [s for s in free_symbols(A) if s in dots or s.kind == "speed"]:
            raise ModelError(
                f"model {self.name!r}: a kinematic equation is not linear in {listed(nonlinear)}; its "
                "coefficients may contain coordinates, time and parameters only"
            )
        rest = substitute_all(list(self._kinematic), dict.fromkeys(dots, ZERO))
        return dict(zip(unknown, _solved_in_blocks(A, [-e for e in rest]), strict=True))

    def checked(self, where: str, expression: Expr) -> Expr:
        """The expression itself, or an error where it has symbols that were not declared here.

        where   the part that is being described, for the error

        >>> m = sb.Model("cart")
        >>> x = m.coordinate("x")
        >>> m.checked("spring 'k'", 2 * x + x.dot)
        2*x + x_dot
        >>> m.checked("spring 'k'", x * sb.symbol("c"))
        Traceback (most recent call last):
            ...
        symbody.errors.ModelError: spring 'k': the parameter 'c' is not declared in model 'cart'; declare it with m.parameter('c'), or use one of x.

        See also: `Model.declare`.
        """
        known = self._symbols
        for s in free_symbols(expression):
            if known.get(s.name) is s or self._is_rate(s) or self._is_multiplier(s):
                continue
            if s.stem in known and s.kind != "multiplier":
                raise ModelError(
                    f"{where}: the {s.kind} {s.name!r} is not the {known[s.stem].kind} {s.stem!r} of model {self.name!r}; use the symbol that "
                    f"declaring it returned, m.symbols[{s.stem!r}]"
                )
            raise undeclared_symbol(where, s.kind, s.name, s.stem, self.name, known)
        return expression

    def _is_multiplier(self, s: Symbol) -> bool:
        """Whether a symbol is the force of a constraint that is there already; see `Parts`."""
        return False

    def _is_rate(self, s: Symbol) -> bool:
        base = self._symbols.get(s.stem)
        while base is not None and base.order < s.order:
            base = base.dot  # type: ignore[assignment]
        return base is s


def _in_order_of_declaration(
    u: Sequence[Symbol], declared: Sequence[Symbol], rates: Mapping[Symbol, Expr]
) -> list[Symbol]:
    """Declared speeds in the order of their declaration; rates that are speeds stand among them where their coordinates
    do."""
    place: dict[Symbol, int] = {}
    for k, rate in enumerate(rates.values()):
        for s in free_symbols(rate):
            place.setdefault(s, k)
    last = 0
    for s in declared:
        last = place[s] = max(last, place.get(s, 0))
    return sorted(u, key=lambda s: place.get(s, 0))


def _solved_in_blocks(A: Matrix, b: Sequence[Expr]) -> list[Expr]:
    """Solve A x = b block by block: one solve for each connected set of unknowns."""
    n = A.rows
    group = list(range(2 * n))  # equations, then unknowns

    def find(k: int) -> int:
        while group[k] != k:
            k = group[k]
        return k

    for i in range(n):
        for j in range(n):
            if A[i, j] is not ZERO:
                group[find(i)] = find(n + j)
    out: list[Expr] = [ZERO] * n
    for leader in {find(n + j) for j in range(n)}:
        rows = [i for i in range(n) if find(i) == leader]
        cols = [j for j in range(n) if find(n + j) == leader]
        if len(rows) != len(cols):
            raise ModelError(f"kinematic equations: {len(rows)} for {len(cols)} rates that are tied together")
        part = Matrix(len(rows), len(cols), tuple(A[i, j] for i in rows for j in cols))
        solution = [b[rows[0]] / part[0, 0]] if len(rows) == 1 else list(solve(part, [b[i] for i in rows]))
        for j, x in zip(cols, solution, strict=True):
            out[j] = x
    return out


def multiplier_of(constraint: str) -> Symbol:
    """The multiplier of a constraint, by the constraint's name."""
    return symbol(f"lam_{identifier(constraint)}", "multiplier")


def derivative_of(s: Symbol, order: int) -> Symbol:
    """The time derivative of a symbol of some order, itself for 0."""
    for _ in range(order):
        s = s.dot  # type: ignore[assignment]
    return s


def as_expression(value: Any, what: str) -> Expr:
    """A scalar given by a user, or an error that says where."""
    try:
        return as_expr(value)
    except TypeError as reason:
        raise ModelError(f"{what}: {reason}") from None
