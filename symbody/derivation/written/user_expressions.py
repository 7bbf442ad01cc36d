"""Expressions that a user wrote outside of a model, converted to the symbol kinds of the model that is made from
them.

Names decide: those of states are coordinates or variables, `t` is time, inputs are named or of kind "input", all others
are parameters. One that has no value, and differs from another name by a typing mistake, is refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, cast

from ...algebra.graph.graph import Expr, Symbol, as_expr, symbol
from ...algebra.graph.names import stem_and_order
from ...algebra.graph.walk import free_symbols, substitute_all
from ...bodies.mechanism.declarations import names_of
from ...bodies.model.model import Model
from ...errors import ModelError, SymbodyError, listed, shown, unknown

FEWEST_LETTERS: Final = 4  # of names in which one letter more or less is a mistake; in short ones it is an index


class WrittenDown:
    """Symbols of expressions written by the user, with the name of the call that takes them.

    states   their kinds by name: "coordinate" or "variable"
    """

    def __init__(self, where: str, states: Mapping[str, str], inputs: str | Iterable[Any]) -> None:
        self.where, self.states = where, dict(states)
        given = names_of(inputs, where) if isinstance(inputs, str) else [self.name(s) for s in inputs]
        self._inputs = dict.fromkeys(given)
        self._parameters: dict[str, None] = {}

    def expression(self, value: Any, what: str) -> Expr:
        """A scalar of the user, or of SymPy."""
        try:
            return as_expr(value)
        except (TypeError, SymbodyError) as reason:
            raise ModelError(f"{self.where}: {what}: {reason}") from None

    def name(self, key: Any) -> str:
        """The name by which a state, an input or a parameter is given: a text, or a symbol."""
        if isinstance(key, str):
            return key
        found = self.expression(key, "a name or a symbol")
        if not isinstance(found, Symbol):
            raise ModelError(f"{self.where}: expected a symbol or a name, got {shown(key)}")
        return found.name

    def take(self, things: Mapping[str, Any]) -> list[Expr]:
        """Expressions in symbols of their kinds in the model; keys say what each one is."""
        found = [self.expression(e, what) for what, e in things.items()]
        table = {s: self._in_model(s) for s in sorted(free_symbols(*found), key=lambda s: s.name)}
        return substitute_all(found, {old: new for old, new in table.items() if old is not new})

    def _in_model(self, s: Symbol) -> Expr:
        if s.stem in self.states:
            return _of_order(symbol(s.stem, self.states[s.stem]), s.order)
        if s.stem in self._inputs or s.kind == "input":
            self._inputs[s.stem] = None
            return symbol(s.stem, "input", s.order)
        if s.kind == "time" or s.name == "t":
            return symbol("t", "time")
        if s.order or s.kind not in ("parameter", "variable"):
            raise ModelError(
                f"{self.where}: the {s.kind} {s.name!r} is neither a state nor an input; states are "
                f"{listed(self.states)}"
            )
        self._parameters[s.name] = None
        return symbol(s.name)

    def model(self, name: str, values: Mapping[Any, float] | None) -> Model:
        """A model in which all symbols met so far are declared."""
        m = Model(name)
        for state, kind in self.states.items():
            m.parts.declare(state, kind)
        for i in self._inputs:
            m.input(i)
        numbers = {self.name(k): v for k, v in (values or {}).items()}
        for n in numbers:
            if n not in self._parameters:
                raise unknown(f"{self.where} {name!r}", "parameter", n, self._parameters, ModelError)
        self._refuse_misspelt(
            [*self.states, *self._inputs, *numbers], [p for p in self._parameters if p not in numbers]
        )
        for p in sorted(self._parameters, key=_places(numbers)):
            m.parameter(p, numbers.get(p))
        if numbers and (open_ := [p for p in self._parameters if numbers.get(p) is None]):
            m.note(f"symbols without a value are parameters, too: {listed(sorted(open_))}")
        return m

    def _refuse_misspelt(self, declared: Sequence[str], others: Sequence[str]) -> None:
        for p in others:
            if near := next((n for n in declared if is_misspelt(p, n)), None):
                raise ModelError(
                    f"{self.where}: {p!r} is neither a state nor an input, and has no value. Did you mean {near!r}? If it is a "
                    f"parameter, pass values={{{p!r}: number}}, or values={{{p!r}: None}} to leave it symbolic"
                )


def _places(numbers: Mapping[str, float]) -> Any:
    """Parameters stand in the order in which their values are given, others after them by name."""
    place = {n: k for k, n in enumerate(numbers)}
    return lambda n: (place.get(n, len(place)), n)


def is_misspelt(name: str, wanted: str) -> bool:
    """Whether a name is another one with a typing mistake: a letter doubled, or, from four characters on, one letter
    more, less or other, or two exchanged. Names with other digits (k1, k2) are names of their own."""
    if re.sub(r"[\d_]", "", name) == re.sub(r"[\d_]", "", wanted):
        return False
    if re.sub(r"(.)\1+", r"\1", name) == re.sub(r"(.)\1+", r"\1", wanted):
        return True
    a, b = sorted((name, wanted), key=len)
    if len(a) < FEWEST_LETTERS:
        return False
    if len(a) == len(b):
        wrong = [k for k in range(len(a)) if a[k] != b[k]]
        is_swap = len(wrong) == 2 and a[wrong[0]] == b[wrong[1]] and a[wrong[1]] == b[wrong[0]]
        return len(wrong) == 1 or (is_swap and wrong[1] - wrong[0] == 1)
    return any(b[:k] + b[k + 1 :] == a for k in range(len(b)))


def _of_order(s: Symbol, order: int) -> Expr:
    out: Any = s
    for _ in range(order):
        out = out.dot
    return cast(Expr, out)


def state_and_order(written: WrittenDown, key: Any) -> tuple[str, int]:
    """The name of a state and the order of its rate: of x, x.dot and "x_dot" x and 1, of x.dot.dot x and 2."""
    stem, order = stem_and_order(written.name(key))
    return stem, max(order, 1)


def refuse_repeated(where: str, names: Sequence[str]) -> None:
    if twice := [n for k, n in enumerate(names) if n in names[:k]]:
        raise ModelError(f"{where}: {twice[0]!r} is given twice among {listed(names)}")
