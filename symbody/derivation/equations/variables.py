"""`Variables`: the table of all named quantities of the equations that can have a number.

Later stages, exports and messages read symbols, names, units, default values and orders here, and resolve the names
that a user gives into symbols here.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ...algebra.graph.graph import Symbol
from ...argument_kinds import answered_class
from ...bodies.mechanism.existence import Requirement, first_refusal
from ...display import Displayed, DisplayPart, ShownTable, Title
from ...errors import ModelError, SymbodyError, finite_number, listed, unknown
from ...units import quantity
from .variable import ARGUMENTS, KINDS, Variable, VariableFacts, VariableGroup


@answered_class
@dataclass(frozen=True, repr=False, eq=False)
class Variables(Displayed):
    """The table of variables, in groups and in the order of declaration; `equations.variables` returns it.

    variables["q1"], variables[q1]     the row of a name or symbol
    variables.of("q u z")              a smaller table of some groups, in that order
    variables.symbols, .names    in the order of the rows

    owner          the name of the equations, for messages
    parts          the variables of each group
    requirements   conditions on parameter values without which a body is impossible

    >>> x, v, k = sb.symbols("x v k")
    >>> eq = sb.from_equations({x: v, v: -k * x}, {k: 4.0}, name="oscillator")
    >>> eq.variables
    Variables of 'oscillator'
      name kind      unit default
      t    time      s    0
      x    variable       0
      v    variable       0
      k    parameter      4
      rates: x_dot, v_dot
    >>> eq.variables["k"].default, eq.variables.of("z p").names, eq.variables.constants
    (4.0, ('x', 'v', 'k'), (k,))
    >>> eq.variables.arguments, eq.variables.inputs
    ((t, x, v, k), ())

    See also: `derivation.Variable`, `Equations`.
    """

    owner: str
    groups: tuple[str, ...]
    parts: tuple[VariableGroup, ...] = ()
    requirements: tuple[Requirement, ...] = ()

    @property
    def rows(self) -> tuple[Variable, ...]:
        """All rows. (Large mechanisms have many thousands, of which hardly any is looked at.)"""
        return tuple(part.row(k) for part in self.parts for k in range(len(part.symbols)))

    def __iter__(self) -> Iterator[Variable]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.symbols)

    def __contains__(self, key: object) -> bool:
        return name_of(key) in self._number

    def __getitem__(self, key: str | Symbol) -> Variable:
        return self.row(key, f"variables of {self.owner!r}")

    @cached_property
    def _number(self) -> dict[str, int]:
        """The number of the row of each name; declared names take precedence over rates and multipliers."""
        return dict(zip(reversed(self.names), range(len(self.names) - 1, -1, -1), strict=True))

    def _row(self, number: int) -> Variable:
        """The row of a number, made when it is first requested."""
        for part in self.parts:
            if number < len(part.symbols):
                return part.row(number)
            number -= len(part.symbols)
        raise IndexError(number)

    @cached_property
    def symbols(self) -> tuple[Symbol, ...]:
        """Symbols of the rows, in order.

        >>> x, v, k = sb.symbols("x v k")
        >>> eq = sb.from_equations({x: v, v: -k * x}, {k: 4.0}, name="oscillator")
        >>> table = eq.variables.of("z p")
        >>> table.symbols, table.defaults, table.only([eq.p[0]]).names
        ((x, v, k), {x: 0.0, v: 0.0, k: 4.0}, ('k',))
        >>> table.kinds["k"], [v.name for v in table.rows]
        ('parameter', ['x', 'v', 'k'])
        >>> table.row("k", "example").default, table.symbol("k", "example"), table.resolved({"k": "any"}, "example")
        (4.0, k, {k: 'any'})
        >>> table.numbers({"k": 9}, "example"), table.having([sb.symbol("c")], "p").names
        ({k: 9.0}, ('x', 'v', 'k', 'c'))
        >>> table.require(table.defaults, "example", sb.ModelError, "give them by name")
        >>> table.check({k: 9.0}, [k], "example", sb.ModelError)
        >>> table.symbol("kk", "example")
        Traceback (most recent call last):
            ...
        symbody.errors.ModelError: example: there is no variable or parameter 'kk'; there are x, v, k. Did you mean 'k'?

        See also: `Equations.variables`.
        """
        return tuple(s for part in self.parts for s in part.symbols)

    @cached_property
    def constants(self) -> tuple[Symbol, ...]:
        """p, r: held constant during a step of integration."""
        return self.of("p r").symbols

    @cached_property
    def arguments(self) -> tuple[Symbol, ...]:
        """t, q, u, z, r, p: the arguments of every expression of the equations."""
        return self.of(ARGUMENTS).symbols

    @cached_property
    def inputs(self) -> tuple[Symbol, ...]:
        """Inputs without their rates."""
        return tuple(s for s in self.of("r").symbols if not s.order)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of the rows, in order."""
        return tuple([s.name for s in self.symbols])

    @cached_property
    def kinds(self) -> dict[str, str]:
        """The kind of each name: coordinate, speed, parameter, ..."""
        found = [kind for part in self.parts for kind in part.kinds]
        kinds = dict(zip(self.names, found, strict=True))
        if len(kinds) < len(found):  # declared names take precedence
            kinds.update(zip(reversed(self.names), reversed(found), strict=True))
        return kinds

    @cached_property
    def defaults(self) -> dict[Symbol, float]:
        """Default values of all variables that have one."""
        return {s: x for part in self.parts for s, x in part.facts.defaults(part.symbols, part.name).items()}

    @cached_property
    def rotations_by_angles(self) -> Mapping[str, tuple[Variable, ...]]:
        """Joints and bodies that rotate by a sequence of three angles, with gimbal lock if the first and third axes
        coincide."""
        turned: dict[str, list[Variable]] = {}
        for part, k, s in self._coordinates:
            if s in part.facts.turns:
                turned.setdefault(part.facts.turns[s], []).append(part.row(k))
        return {what: tuple(angles) for what, angles in turned.items() if len(angles) == 3}

    @cached_property
    def quaternions(self) -> tuple[tuple[Variable, ...], ...]:
        """The sets of Euler parameters.

        >>> m = sb.Model("two")
        >>> a, b = (m.body(n, mass=1, inertia=(1, 1, 2)) for n in "ab")
        >>> joints = m.spherical("r", m.ground, a, "euler parameters"), m.spherical("s", m.ground, b, "xyz")
        >>> table = sb.derive(m).variables
        >>> [row.name for row in table.quaternions[0]], list(table.rotations_by_angles)
        (['r_e0', 'r_e1', 'r_e2', 'r_e3'], ["spherical joint 's'"])
        """
        sets: dict[int, list[Variable]] = {}
        for part, k, s in self._coordinates:
            if s in part.facts.quaternions:
                sets.setdefault(part.facts.quaternions[s], []).append(part.row(k))
        return tuple(tuple(sets[k]) for k in sorted(sets))

    @property
    def _coordinates(self) -> Iterator[tuple[VariableGroup, int, Symbol]]:
        return ((part, k, s) for part in self.parts if part.name == "q" for k, s in enumerate(part.symbols))

    # ---------------------------------------------------------------------------------------- smaller and larger tables

    def of(self, groups: str) -> Variables:
        """The rows of some groups, in the given order: `of("q u z")`."""
        if groups not in self._smaller:
            self._smaller[groups] = self._smaller_table(groups.split())
        return self._smaller[groups]

    @cached_property
    def _smaller(self) -> dict[str, Variables]:
        return {}  # smaller tables, made when they are first asked for

    def _smaller_table(self, groups: list[str]) -> Variables:
        for g in groups:
            if g not in self.groups:
                raise unknown(f"variables of {self.owner!r}", "group", g, self.groups)
        parts = tuple(part for g in groups for part in self.parts if part.name == g)
        return Variables(self.owner, tuple(groups), parts, self.requirements if "p" in groups else ())

    def having(self, symbols: Iterable[Symbol], group: str) -> Variables:
        """A table with further symbols in one group, such as parameters that an analysis adds."""
        known = frozenset(self.symbols)
        new = tuple(s for s in dict.fromkeys(symbols) if s not in known)
        first = sum(len(part.symbols) for part in self.parts if part.name == group)
        more = VariableGroup(group, new, range(first, first + len(new)), VariableFacts())
        groups = tuple(dict.fromkeys((*self.groups, group)))
        return Variables(self.owner, groups, (*self.parts, more), self.requirements)

    def only(self, symbols: Iterable[Symbol]) -> Variables:
        """The rows of these symbols."""
        kept = frozenset(symbols)
        return Variables(self.owner, self.groups, tuple(part.only(kept) for part in self.parts), self.requirements)

    # ------------------------------------------------------------------------------------------ names that a user gives

    def row(self, key: Any, where: str, error: type[SymbodyError] = ModelError, what: str = "") -> Variable:
        """The row of a name or a symbol; an unknown one raises an error that lists similar names.

        where   the calling function, for the message
        what    the kind of object requested, if it is not a kind in this table
        """
        name = name_of(key)
        if name not in self._number:
            raise unknown(where, what or self._what, name, self.names, error)
        return self._row(self._number[name])

    def symbol(self, key: Any, where: str, error: type[SymbodyError] = ModelError, what: str = "") -> Symbol:
        """The symbol for a name or a symbol; an unknown one is refused as by `row`."""
        return self.row(key, where, error, what).symbol

    def resolved(
        self, given: Mapping[Any, Any], where: str, error: type[SymbodyError] = ModelError, what: str = ""
    ) -> dict[Symbol, Any]:
        """A mapping with names replaced by symbols."""
        return {self.symbol(key, where, error, what): value for key, value in given.items()}

    def numbers(
        self, given: Mapping[Any, Any], where: str, error: type[SymbodyError] = ModelError, what: str = ""
    ) -> dict[Symbol, float]:
        """Finite SI numbers by symbol, from numbers or texts with a unit ("500 mm") by name or symbol. Other values,
        and parameter values that make a body impossible, are refused.

        A number without a unit is in SI. A number that is plausible only in the declared unit is refused (600 for a
        length of 500 mm).
        """
        rows = {key: self.row(key, where, error, what) for key in given}
        found = {rows[key].symbol: _number(rows[key], value, where, error) for key, value in given.items()}
        self.check({**self.defaults, **found}, found, where, error)
        return found

    def check(
        self, values: Mapping[Symbol, float], given: Iterable[Symbol], where: str, error: type[SymbodyError]
    ) -> None:
        """Refuse parameter values that make a body impossible, as far as they depend on the given values."""
        new = set(given)
        if wrong := first_refusal((r for r in self.requirements if not new.isdisjoint(r.symbols)), values):
            raise error(f"{where}: {wrong}")

    def require(self, values: Mapping[Symbol, Any], where: str, error: type[SymbodyError], advice: str) -> None:
        """Refuse values in which a row of this table is missing."""
        if missing := [self._row(k).with_unit for k, s in enumerate(self.symbols) if s not in values]:
            raise error(f"{where}: no value for {listed(missing)}; {advice}")

    @property
    def _what(self) -> str:
        kinds = [KINDS[g] for g in self.groups if g != "t" or len(self.groups) == 1]
        if len(kinds) > len(ARGUMENTS.split()):
            return "symbol"
        return " or ".join(filter(None, (", ".join(kinds[:-1]), *kinds[-1:])))

    # ------------------------------------------------------------------------------------------------ to read

    def __repr__(self) -> str:
        shown_rows = [v for v in self.rows if not v.group.endswith("'")]
        rates = [v.name for v in self.rows if v.group.endswith("'")]
        cells = [("name", "kind", "unit", "default", ""), *map(_cells, shown_rows)]
        widths = [max(len(row[k]) for row in cells) for k in range(5)]
        lines = [" ".join(c.ljust(w) for c, w in zip(row, widths, strict=True)).rstrip() for row in cells]
        rest = [f"rates: {listed(rates)}"] if rates else []
        return "\n".join([f"Variables of {self.owner!r}", *(f"  {x}" for x in (*lines, *rest))])

    def _display(self) -> Iterable[DisplayPart]:
        """Name, kind, unit, direction and value of each, without rates."""
        rows = [v for v in self.rows if not v.group.endswith("'")]
        shown = [(v.name, v.kind, v.shown_in, _cells(v)[3], v.direction, v.description) for v in rows]
        return Title(f"Variables of {self.owner}"), ShownTable(
            ("name", "kind", "unit", "value", "direction", "origin"), shown
        )


def _cells(v: Variable) -> tuple[str, str, str, str, str]:
    default = "" if v.default is None else f"{v.default / v.factor:g}"
    return v.name, v.kind, v.shown_in, default, ", ".join(t for t in (v.description, v.direction) if t)


def name_of(key: Any) -> str:
    """The name by which a table knows a name or a symbol."""
    return key.name if isinstance(key, Symbol) else str(key)


def _number(v: Variable, value: Any, where: str, error: type[SymbodyError]) -> float:
    part = f"{where}: {v.name}"
    if not isinstance(value, float) and (given := quantity(value, part, error, v.unit)) is not None:
        return given
    number = finite_number(value, part, error)
    if v.factor != 1.0 and v.default and number and _fits_better(number, v.factor, v.default):
        raise error(
            f"{part} = {number:g} would be {number:g} {v.unit}: numbers are in SI, and it is "
            f"{v.default / v.factor:g} {v.written_in} by default. Write {v.name}='{number:g} {v.written_in}', or "
            f"{v.name}='{number:g} {v.unit}'"
        )
    return number


def _fits_better(number: float, factor: float, default: float) -> bool:
    """Whether a number is nearer to the default in the declared unit than in SI, by their ratios."""
    ratio = abs(number / default)
    return abs(math.log(ratio * factor)) < abs(math.log(ratio))
