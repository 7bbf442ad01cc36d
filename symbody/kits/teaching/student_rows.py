"""A student's answer as rows that should be zero, in the symbols of the equations that it is compared with.

Names are those of the model, with or without underscores (theta1 is theta_1); names of the student's own are allowed
where a row defines them (omega = theta', p = m l^2 theta'), where `names` says what they are, and for constraint forces.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import symbody as sb

from ...errors import ExpressionTextError, existing, hint, shown
from .typed_mathematics import Translator, Typed
from .typed_matrices import typed_equations
from .typed_tokens import FUNCTIONS, Piece

_ALIASES: Final = {
    "lam": "lambda",
    "varphi": "phi",
    "vartheta": "theta",
    "varepsilon": "epsilon",
    "ell": "l",
    "varrho": "rho",
}


@dataclass(frozen=True)
class StudentRow:
    """row = 0.

    text    as it was typed
    row     left side - right side, in speeds, accelerations and multipliers of the equations
    """

    text: str
    row: sb.Expr


@dataclass(frozen=True)
class StudentAnswer:
    """Rows of an answer, the symbols of the student's own constraint forces, and what the student defined."""

    rows: tuple[StudentRow, ...]
    forces: tuple[sb.Symbol, ...]
    definitions: Mapping[str, sb.Expr]


def student_answer(eq: sb.Equations, answer: Any, names: Mapping[str, Any], forces: Sequence[str]) -> StudentAnswer:
    """Rows of an answer given as text, expressions, pairs (left side, right side), or a list of these."""
    table = NameTable(eq, names, forces)
    parts = [answer] if isinstance(answer, (str, sb.Expr)) or _is_pair(answer) else list(answer)
    given: list[tuple[str, sb.Expr]] = []
    for part in parts:
        if isinstance(part, str):
            given += [_typed_row(part, text, tokens, table) for text, tokens in typed_equations(part)]
        else:
            left, right = part if _is_pair(part) else (part, 0)
            row = sb.algebra.as_expr(left) - sb.algebra.as_expr(right)
            given.append((sb.text(row), sb.derivation.in_own_symbols(eq, [row])[0]))
    if not given:
        raise sb.ModelError(f"comparison with {eq.name!r}: there is no equation in {shown(answer)}")
    rows, definitions = _without_own_names(given, table)
    table.refuse_unknown(rows)
    changed = _in_speeds(eq, [row for _, row in rows])
    _refuse_foreign_symbols(eq, changed, table, list(definitions))
    return StudentAnswer(
        tuple(StudentRow(text, row) for (text, _), row in zip(rows, changed, strict=True)),
        tuple(table.forces.values()),
        definitions,
    )


def _is_pair(part: Any) -> bool:
    return isinstance(part, tuple) and len(part) == 2 and not any(isinstance(p, str) for p in part)


def _typed_row(whole: str, text: str, tokens: list[Piece], table: NameTable) -> tuple[str, sb.Expr]:
    left, right = (_read(whole, side, table) for side in Translator(whole, tokens, table.resolver(whole)).sides())
    return text, left - right


def _read(whole: str, side: Typed, table: NameTable) -> sb.Expr:
    try:
        return sb.bodies.read_expression(side.text, table.values)
    except ExpressionTextError as reason:
        at = side.places[min(reason.at, len(side.places) - 1)]
        raise ExpressionTextError(reason.plain, whole, at) from None


@dataclass
class NameTable:
    """What each name of an answer is.

    unknown   names that are neither the model's nor explained, with the answer and the place of each
    """

    eq: sb.Equations
    names: Mapping[str, Any]
    given_forces: Sequence[str]
    values: dict[str, Any] = field(default_factory=dict)
    unknown: dict[str, tuple[str, int, int]] = field(default_factory=dict)
    forces: dict[str, sb.Symbol] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.known: dict[str, sb.Expr] = {}
        for symbol in _symbols(self.eq):
            self.known.setdefault(_key(symbol.name), symbol)
        if "t" not in self.known:
            self.known["t"] = self.eq.t
        for name in self.given_forces:
            self.forces[name] = self.known[_key(name)] = sb.symbol(f"force_{_identifier(name)}", "variable")
        for name, meant in self.names.items():
            self.known[_key(name)] = self._meaning(name, meant)

    def _meaning(self, name: str, meant: Any) -> sb.Expr:
        """What `names` says of a name: another name, an expression, a number, or a text of an expression."""
        if not isinstance(meant, str):
            return sb.algebra.as_expr(meant)
        (row,) = [_typed_row(meant, text, tokens, self) for text, tokens in typed_equations(meant)]
        if self.unknown:
            got = next(iter(self.unknown))
            raise sb.ModelError(f"names={{{name!r}: {meant!r}}}: {self._missing(got)}")
        return row[1]

    def resolver(self, whole: str) -> Any:
        """Names as typed, as the reader of expressions shall call them; unknown ones are kept with their place."""

        def resolve(name: str, order: int, at: int, length: int) -> str:
            parts = [name] if self._of(name, order) is not None else self._split(name, order)
            if parts is None:
                self.unknown.setdefault(_plain(name), (whole, at, length))
                parts = [name]
                self.known[_key(name)] = sb.symbol(_identifier(f"own_{_plain(name)}"), "variable")
            out = []
            for k, part in enumerate(parts):
                value = self._of(part, order if k == len(parts) - 1 else 0)
                if value is None:
                    raise ExpressionTextError(f"{_plain(part)} has no time derivative", whole, at, length)
                entry = f"n{len(self.values)}_" + _identifier(part)
                self.values[entry] = value
                out.append(entry)
            return "*".join(out)

        return resolve

    def _of(self, name: str, order: int) -> sb.Expr | None:
        """The value of a name, differentiated as often as there are dots above it."""
        plain, added = _plain(name), 0
        found = self.known.get(_key(plain))
        if found is None:
            stem = re.fullmatch(r"(.+?)_?(d{1,2})ot", plain)
            if stem is None and "d" not in self.known:  # thetad, thetadd
                stem = re.fullmatch(r"(.+?)(d{1,2})", plain)
                stem = stem if stem and self.known.get(_key(stem[1])) in self.eq.q else None
            if stem and (found := self.known.get(_key(stem[1]))) is not None:
                added = len(stem[2])
        if found is None:
            return sb.pi if plain == "pi" and not order else None
        for _ in range(order + added):
            found = sb.time_derivative(found)
        return found

    def _split(self, name: str, order: int) -> list[str] | None:
        """m, g, l of mgl, where all of these are names; None if that can be read in no way or in several."""
        plain = _plain(name)
        ways: list[list[list[str]]] = [[[]], *([] for _ in plain)]
        for end in range(1, len(plain) + 1):
            last = order if end == len(plain) else 0
            for begin in range(end):
                part = plain[begin:end]
                if part[0].isalpha() and ways[begin] and self._is_name(part, last):
                    ways[end] += [[*way, part] for way in ways[begin][:4]]
        found = ways[-1]
        fewest = [way for way in found if len(way) == min(map(len, found), default=0)]
        return fewest[0] if len(fewest) == 1 else None

    def _is_name(self, part: str, order: int) -> bool:
        return _key(part) in self.known and part not in FUNCTIONS and self._of(part, order) is not None

    def refuse_unknown(self, rows: Sequence[tuple[str, sb.Expr]]) -> None:
        """Names that nothing explains are refused at their place."""
        left = set(sb.free_symbols([row for _, row in rows]))
        for name, (whole, at, length) in self.unknown.items():
            own = self.known[_key(name)]
            if own in left or any(s.name.startswith(f"{own.name}_d") for s in left):  # type: ignore[attr-defined]
                raise ExpressionTextError(self._missing(name), whole, at, length)

    def _missing(self, name: str) -> str:
        declared = list(dict.fromkeys(s.name for s in _symbols(self.eq) if not s.order or s in self.eq.u))
        return (
            f"there is no name {name!r} in {self.eq.name!r}; {existing(declared, 30)}.{hint(name, declared)} "
            f"If it is another name, or a coordinate of your own, pass names={{{name!r}: ...}}; if it is the force of a constraint, "
            f"forces=[{name!r}]"
        )


def _plain(name: str) -> str:
    """A name as typed, with Greek letters by their names."""
    return _ALIASES.get(name, name)


def _key(name: str) -> str:
    """Names that differ by underscores only are one; lam is lambda."""
    stem = name.split("_")[0]
    return (_ALIASES.get(stem, stem) + name[len(stem) :]).replace("_", "")


def _identifier(name: str) -> str:
    return re.sub(r"\W", "_", name, flags=re.ASCII)


def _symbols(eq: sb.Equations) -> list[sb.Symbol]:
    """Everything that an answer may contain, declared names first."""
    named = [v.symbol for v in eq.variables]
    more = [s for s in eq.dependent if s not in named] + [s for s in eq.whole.lam if s not in named]
    return [*named, *dict.fromkeys(more), *(q.dot for q in eq.q), *(q.dot.dot for q in eq.q)]


# ------------------------------------------------------------------------------------------- names of the student's own


def _without_own_names(
    given: Sequence[tuple[str, sb.Expr]], table: NameTable
) -> tuple[list[tuple[str, sb.Expr]], dict[str, sb.Expr]]:
    """Rows in which names of the student's own are replaced by what other rows define them to be.

    A row defines a name where it contains no derivative of it, is linear in it, and has no other unknown name.
    """
    rows, definitions = list(given), dict[str, sb.Expr]()
    own = {table.known[_key(name)]: name for name in table.unknown}
    while found := _definition([row for _, row in rows], [s for s in own if isinstance(s, sb.Symbol)]):
        k, symbol, value = found
        definitions[own.pop(symbol)] = value
        del rows[k]
        once = sb.time_derivative(value)
        meaning = {symbol: value, symbol.dot: once, symbol.dot.dot: sb.time_derivative(once)}
        rows = [(text, sb.substitute(row, meaning)) for text, row in rows]
    return rows, definitions


def _definition(rows: Sequence[sb.Expr], own: Sequence[sb.Symbol]) -> tuple[int, sb.Symbol, sb.Expr] | None:
    for k, row in enumerate(rows):
        inside = sb.free_symbols(row)
        undefined = [s for s in own if s in inside or s.dot in inside or s.dot.dot in inside]
        if len(undefined) != 1 or undefined[0].dot in inside or undefined[0].dot.dot in inside:
            continue
        symbol = undefined[0]
        slope = sb.derivative(row, symbol)
        if symbol not in sb.free_symbols(slope):
            return k, symbol, -sb.substitute(row, {symbol: 0}) / slope
    return None


# --------------------------------------------------------------------------------------------------- in terms of speeds


def _in_speeds(eq: sb.Equations, rows: list[sb.Expr]) -> list[sb.Expr]:
    """Rows with q' and q'' replaced by what they are in terms of speeds and accelerations."""
    rates = dict(zip(eq.q, eq.rates.entries, strict=True))
    first = {q.dot: rate for q, rate in rates.items() if rate is not q.dot}
    second = {q.dot.dot: sb.substitute(sb.time_derivative(rates[q]), first) for q in eq.q if q.dot in first}
    out = [sb.substitute(row, second) for row in rows] if second else rows
    out = [sb.substitute(row, first) for row in out] if first else out
    return sb.derivation.in_own_terms(eq, out) if eq.dependent else out


def _refuse_foreign_symbols(eq: sb.Equations, rows: Sequence[sb.Expr], table: NameTable, defined: list[str]) -> None:
    known = {*(v.symbol for v in eq.variables), *(z.dot for z in eq.z), *eq.whole.lam, *table.forces.values()}
    for row in rows:
        if foreign := [s for s in sb.free_symbols(row) if s not in known]:
            advice = f"; give an equation that defines {' and '.join(defined)}" if defined else ""
            raise sb.ModelError(
                f"comparison with {eq.name!r}: an equation contains {', '.join(s.name for s in foreign)}, which "
                f"{'is not' if len(foreign) == 1 else 'are not'} part of the model; derivatives beyond the accelerations "
                f"cannot be compared{advice}"
            )
