"""Symbols of a model and its kinematic equations, as tables; rates in terms of speeds."""

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
from ...errors import ModelError, finite_number, in_number, listed, shown, undeclared_symbol, unknown, with_article
from ...escaping import checked_name, identifier
from ...units import Written, quantity, unit_of, unit_written

MAX_ORDER: Final = 4  # highest time derivative of a symbol that has a name


def _checked_unit(unit: Any, part: str) -> str:
    """A unit that exists; empty if there is none."""
    if not isinstance(unit, str) or unit:
        unit_of(unit, f"unit of {part}", ModelError)
    return str(unit)


def _in_si(value: Any, unit: str, part: str) -> Any:
    """The number of a declared value in SI; numbers in SI stay what they are, exact ones exact."""
    written = quantity(value, part, ModelError, unit)
    if written is not None:
        return written
    number, factor = (
        finite_number(value, part, ModelError),
        unit_of(unit, f"unit of {part}", ModelError).factor if unit else 1.0,
    )
    return value if factor == 1.0 else number * factor


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
    raise ModelError(f"{what}: names must be a text such as 'a b c', or a list of texts; got {shown(names)}")


class Declarations(Portable):
    """Tables of the symbols of a model, of their values and units, and of its kinematic equations."""

    def __init__(self, name: str) -> None:
        self.name = checked_name(name, "model")
        self.time = symbol("t", "time")
        self._symbols: dict[str, Symbol] = {"t": self.time}
        self._values: dict[Symbol, float] = {}
        self._units: dict[Symbol, str] = {}
        self._rates: dict[Symbol, Expr] = {}
        self._rate_equations: list[Expr] = []
        self._norms: list[tuple[Symbol, ...]] = []
        self._in_a_norm: dict[Symbol, int] = {}  # coordinate -> number of its norm
        self._small: list[Symbol] = []
        self._given_motions: list[Matrix] = []

    # ------------------------------------------------------------------------------------------------ symbols

    @property
    def symbols(self) -> Mapping[str, Symbol]:
        """All symbols declared, by name, in the order of declaration; time `t` is the first."""
        return MappingProxyType(self._symbols)

    def symbols_of_kind(self, kind: str) -> tuple[Symbol, ...]:
        """Those of one kind: "coordinate", "speed", "parameter", "input" or "variable"."""
        return tuple(s for s in self._symbols.values() if s.kind == kind)

    def declare(self, name: str, kind: str, value: Written | None = None, unit: str = "") -> Symbol:
        """A symbol of any kind, with a default value where it is a parameter, and a unit.

        The value is in the unit; inside, numbers are in SI.

        >>> m = sb.Model("motor")
        >>> R, l = m.parts.declare("R", "parameter", 2.5, "Ohm"), m.parts.declare("l", "parameter", 500, "mm")
        >>> m.parts.show_in("cm", l)
        >>> R.kind, m.parts.default_values[l], m.parts.units[l], m.parts.symbols["R"] is R, m.parts.symbols_of_kind("parameter")
        ('parameter', 0.5, 'cm', True, (R, l))

        See also: `Model.parameter`, `Model.coordinate`, `Model.input`.
        """
        check_name(name, f"model {self.name!r}, {kind}")
        if name in self._symbols and self._symbols[name].kind == "time":
            raise ModelError(f"model {self.name!r}: {name!r} is the time; choose another name for the {kind}")
        if name in self._symbols:
            raise ModelError(
                f"model {self.name!r}: {name!r} is declared twice (it is {with_article(self._symbols[name].kind)}"
                f"{self._owner_of(self._symbols[name])} already)"
            )
        part = f"{kind} {name!r}"
        unit = _checked_unit(unit, part)
        if isinstance(value, str) and not unit:
            unit = _checked_unit(unit_written(value), part)
        number = None if value is None else _in_si(value, unit, part)
        self._refuse_the_name_of_a_rate(name, kind)
        s = self._symbols[name] = symbol(name, kind)
        if number is not None:
            self._values[s] = number
        if unit:
            self._units[s] = unit
        return s

    def _refuse_the_name_of_a_rate(self, name: str, kind: str) -> None:
        """Refuse a symbol with the name of another symbol's time derivative: q_dot always denotes the rate of q."""
        rates = [rate_name(name, order) for order in range(1, MAX_ORDER + 1)]
        if not stem_and_order(name)[1] and self._symbols.keys().isdisjoint(rates):
            return
        known = ChainMap({name: symbol(name, kind)}, self._symbols)
        for taken in (name, *rates):
            stem, order = stem_and_order(taken)
            if order and taken in known and stem in known and known[stem].kind not in ("parameter", "time"):
                raise ModelError(
                    f"model {self.name!r}: the {known[taken].kind} {taken!r} has the name of the time derivative of the {known[stem].kind} {stem!r}, "
                    f"which is written {stem}.dot in Python and {rate_name(stem, 1)} elsewhere; give one of them another name"
                )

    def show_in(self, unit: str, *symbols: Symbol | str) -> None:
        """The units in which symbols are shown, as `Model.show_in` declares them."""
        unit_of(unit, f"model {self.name!r}, show_in", ModelError)
        for s in symbols:
            name = s.name if isinstance(s, Symbol) else s
            if not isinstance(name, str) or name not in self._symbols or name == "t":
                raise unknown(f"model {self.name!r}, show_in", "symbol", name, [n for n in self._symbols if n != "t"])
            self._units = {**self._units, self._symbols[name]: unit}

    # ------------------------------------------------------------------------------------------------ kinematics

    @property
    def kinematics(self) -> KinematicTables:
        """Kinematic equations, given rates, unit norms and small coordinates declared so far."""
        more = (self._rate_equations, self._norms, self._small, self._given_motions)
        return KinematicTables(MappingProxyType(self._rates), *map(tuple, more))  # type: ignore[arg-type]

    def has_rate(self, q: Symbol) -> bool:
        """Whether the rate of a coordinate is given; `is_in_a_norm`: whether it is one of those whose squares sum to one.

        >>> m = sb.Model("ball")
        >>> ball = m.spherical("r", m.ground, m.body("ball", mass=1, inertia=(1, 1, 1)), "euler parameters")
        >>> m.parts.has_rate(m.symbols["r_e0"]), m.parts.is_in_a_norm(m.symbols["r_e0"])
        (True, True)

        See also: `Model.rate`, `Model.unit_norm`.
        """
        return q in self._rates

    def is_in_a_norm(self, q: Symbol) -> bool:
        """Whether a coordinate is one of those whose squares sum to one."""
        return q in self._in_a_norm

    def add_kinematics(
        self,
        rates: Sequence[tuple[Symbol, Expr]] = (),
        equations: Sequence[Expr] = (),
        norms: Sequence[tuple[Symbol, ...]] = (),
        small: Sequence[Symbol] = (),
        given_motions: Sequence[Matrix] = (),
    ) -> None:
        """Rates of coordinates in terms of speeds, equations linear in both, coordinates of norm one, small
        coordinates, and velocities and spins of frames whose place is not known; each beside those that are there.

        >>> m = sb.Model("cart")
        >>> x, v = m.coordinate("x"), m.speed("v")
        >>> m.parts.add_kinematics(rates=[(x, 2 * v)], small=[x])
        >>> m.parts.add_given_motions(sb.vector(v, 0, 0))  # the same as given_motions=[...]
        >>> dict(m.parts.kinematics.rates), m.parts.kinematics.small
        ({x: 2*v}, (x,))

        See also: `Model.rate`, `Model.kinematic_equation`, `Model.unit_norm`, `Model.small`, `Model.moving_frame`.
        """
        for q, _ in rates:
            if not isinstance(q, Symbol) or q.kind != "coordinate" or self._symbols.get(q.name) is not q:
                known = listed((*self.symbols_of_kind("coordinate"), *self.symbols_of_kind("variable")))
                raise ModelError(
                    f"rate: {shown(q)} is not a coordinate or variable of model {self.name!r}, whose coordinates "
                    f"and variables are {known}"
                )
            if q in self._rates:
                raise ModelError(f"rate: the rate of {q} is given twice")
        for s in small:
            if not isinstance(s, Symbol) or self._symbols.get(s.name) is not s:
                raise ModelError(f"small: {shown(s)} is not a coordinate, speed or variable of {self.name!r}")
        if wrong := [x for x in given_motions if not isinstance(x, Matrix)]:
            raise ModelError(f"given motions: expected columns of components, got {shown(wrong[0])}")
        self._rates.update(rates)
        for norm in norms:
            for q in norm:
                self._in_a_norm.setdefault(q, len(self._norms))
            self._norms.append(norm)
        self._rate_equations.extend(equations)
        self._small.extend(small)
        self._given_motions.extend(given_motions)

    def add_given_motions(self, *motions: Matrix) -> None:
        """`add_kinematics(given_motions=motions)`."""
        self.add_kinematics(given_motions=motions)

    @property
    def default_values(self) -> Mapping[Symbol, float]:
        """Values of parameters, where given."""
        return MappingProxyType(self._values)

    @property
    def units(self) -> Mapping[Symbol, str]:
        """Units of symbols, where given, as texts: for labels of figures, headers of exported code and FMUs."""
        return MappingProxyType(self._units)

    def checked(self, where: str, expression: Expr) -> Expr:
        """The expression itself, or an error where it has symbols that were not declared here.

        where   the part that is being described, for the error

        >>> m = sb.Model("cart")
        >>> x = m.coordinate("x")
        >>> m.parts.checked("spring 'k'", 2 * x + x.dot)
        2*x + x_dot
        >>> m.parts.checked("spring 'k'", x * sb.symbol("c"))
        Traceback (most recent call last):
            ...
        symbody.errors.ModelError: spring 'k': the parameter 'c' is not declared in model 'cart'; declare it with m.parameter('c'), or use one of x.

        See also: `Model.symbols`.
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

    def _owner_of(self, s: Symbol) -> str:
        """The part that a symbol belongs to, for messages; see `Parts`."""
        return ""

    def _is_rate(self, s: Symbol) -> bool:
        base = self._symbols.get(s.stem)
        if base is not None and base.kind in ("parameter", "time"):
            return False
        while base is not None and base.order < s.order:
            base = base.dot
        return base is s


def speeds_and_rates(given: Declarations) -> tuple[list[Symbol], dict[Symbol, Expr]]:
    """Speeds, and the rate of every coordinate in terms of them."""
    coordinates, own = given.symbols_of_kind("coordinate"), given.symbols_of_kind("speed")
    known, equations, _, _, given_motions = given.kinematics
    rates = dict(known)
    mentioned = {s for e in equations for s in free_symbols(e)}
    unknown = [q for q in coordinates if q not in rates and q.dot in mentioned]
    if len(unknown) != len(equations):
        raise ModelError(
            f"model {given.name!r}: {len(equations)} kinematic equations for the {len(unknown)} rates "
            f"{listed(q.dot for q in unknown)}; there must be as many: one m.speed(name, equals), m.rate or m.kinematic_equation for each"
        )
    if unknown:
        rates |= _solved_for_rates(given.name, equations, unknown)
    u = list(own)
    for q in coordinates:
        if q not in rates:
            rates[q] = q.dot
            u.append(q.dot)
    used = set(free_symbols(*rates.values(), *given_motions))
    if idle := [s for s in own if s not in used]:
        raise ModelError(
            f"model {given.name!r}: {in_number(idle, 'speed {} is in', 'speeds {} are in')} no kinematic equation; state how rates follow from speeds: m.rate(q, {idle[0]})"
        )
    rates = {q: rates[q] for q in coordinates}
    return (_in_order_of_declaration(u, own, rates) if own else u), rates


def _solved_for_rates(model: str, equations: Sequence[Expr], unknown: Sequence[Symbol]) -> dict[Symbol, Expr]:
    dots = [q.dot for q in unknown]
    A = jacobian(equations, dots)
    if nonlinear := [s for s in free_symbols(A) if s in dots or s.kind == "speed"]:
        raise ModelError(
            f"model {model!r}: a kinematic equation is not linear in {listed(nonlinear)}; its "
            "coefficients may contain coordinates, time and parameters only"
        )
    rest = substitute_all(list(equations), dict.fromkeys(dots, ZERO))
    return dict(zip(unknown, _solved_in_blocks(A, [-e for e in rest]), strict=True))


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
        s = s.dot
    return s


def as_expression(value: Any, what: str) -> Expr:
    """A scalar given by a user, or an error that says where."""
    try:
        return as_expr(value)
    except TypeError as reason:
        raise ModelError(f"{what}: {reason}") from None
