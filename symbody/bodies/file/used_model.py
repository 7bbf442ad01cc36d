"""`use` in a model file: a model of a kit with its options, to which the rest of the file adds.

    use: {vehicles.car: {wheelbase: 2.5, M: 1100, tyre: {vehicles.read_tyre: car.tir, smooth: 0.01}}}

A table whose first key is the name of a part of a kit is that part; its other keys are options.
"""

from __future__ import annotations

import re
from typing import Any, Final

from ...errors import SymbodyError
from ...later import later
from ..model.model import Model
from .located import Formula, LocatedList, LocatedTable, LocatedText
from .paths import beside
from .scope import Budget, Scope

DOTTED: Final = re.compile(r"[a-z]+\.[A-Za-z_]\w*")
MOST_EXACT: Final = 2**53  # whole numbers below are exact
UNFIT: Final = (TypeError, ValueError, ArithmeticError, LookupError, AttributeError)  # of options of another kind


def used_model(said: LocatedText | LocatedTable, name: str, budget: Budget) -> Model:
    """The model of a kit, under the name of the file."""
    made = _OptionReader(Scope(Model(name), budget)).part(said, is_model=True)
    assert isinstance(made, Model)
    made.name = name
    return made


class _OptionReader:
    """Values of options: numbers by the grammar of expressions, true and false, words, lists, tables, parts."""

    def __init__(self, scope: Scope) -> None:
        self.scope = scope

    def value(self, said: Any) -> Any:
        if isinstance(said, LocatedList):
            return [self.value(x) for x in said]
        if isinstance(said, LocatedTable):
            first = next(iter(said.entries), "")
            return self.part(said) if DOTTED.fullmatch(first) else {k: self.value(v) for k, v in said.entries.items()}
        if said.text in ("true", "false"):
            return said.text == "true"
        if DOTTED.fullmatch(said.text):
            return self.part(said)
        if not isinstance(said, Formula):
            return said.text
        number = self.scope.number(said)
        return int(number) if number.is_integer() and abs(number) < MOST_EXACT else number

    def part(self, said: LocatedText | LocatedTable, is_model: bool = False) -> Any:
        key = said if isinstance(said, LocatedText) else next(iter(said.keys.values()), None)
        if key is None:
            raise said.error("a table that begins with the name of a model: {vehicles.car: {wheelbase: 2.7}}")
        try:
            found = later("kits.names_in_files", "named_part")(key.text, is_model)
        except SymbodyError as reason:
            raise key.error(str(reason)) from None
        arguments, options = self._arguments(said, found.is_file) if isinstance(said, LocatedTable) else ([], {})
        try:
            return found.made(arguments, {k: v for k, (_, v) in options.items()})
        except (SymbodyError, *UNFIT) as reason:
            keys = [k for k, _ in options.values()]
            named = [k for k in keys if re.search(rf"(?<![\w.]){re.escape(k.text)}(?!\w)", str(reason))]
            text = (
                str(reason) if isinstance(reason, SymbodyError) else f"{found.name}: an option does not fit: {reason}"
            )
            raise max(named, key=lambda k: len(k.text), default=key).error(text) from None

    def _arguments(self, said: LocatedTable, is_file: bool) -> tuple[list[Any], dict[str, tuple[LocatedText, Any]]]:
        """The value under the name, an argument or a table of options, and the options beside it."""
        (_, own), *rest = said.entries.items()
        inside = own if isinstance(own, LocatedTable) and not DOTTED.fullmatch(next(iter(own.entries), "")) else None
        if inside is not None or own is None:
            arguments = []
        else:
            arguments = [beside(own) if is_file and isinstance(own, LocatedText) else self.value(own)]
        tables = [(said, dict(rest)), *([(inside, inside.entries)] if inside is not None else [])]
        return arguments, {k: (t.keys[k], self.value(v)) for t, entries in tables for k, v in entries.items()}
