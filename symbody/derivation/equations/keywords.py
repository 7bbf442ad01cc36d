"""Values and options by keyword: one rule for every call that takes both.

    simulate(eq, 1, q1=0.5, rtol=1e-9)                              by keyword, where a name is only one of them
    simulate(eq, 1, values={"q1": 0.5}, options={"rtol": 1e-9})     the place of values (names or symbols), the place of
    options

A keyword that is an option of the call and a name of the model is refused: joints may be called `alpha`, `step` or
`order`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property, wraps
from typing import Any, Final, ParamSpec, TypeVar

from ...algebra.graph.graph import Expr, Symbol
from ...algebra.graph.walk import free_symbols
from ...argument_kinds import answered, argument_kinds, refuse_other_kinds
from ...errors import SymbodyError, ambiguous_keyword, shown, unknown, unknown_keyword

P = ParamSpec("P")
R = TypeVar("R")
VALUES: Final = "values"
OPTIONS: Final = "options"
NAMED: Final = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)


def values_by_name(
    error: type[SymbodyError], *, label: str = "", like: Callable[..., Any] | None = None, without: Iterable[str] = ()
) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Decorator of a function whose first argument is a model (something with `kinds`), with a parameter `values` and
    `**named`.

    The function gets all values in `values`, by name (expressions that are no symbols stay keys), and options as the
    parameters that they are.

    label     of the call in messages; the function's name by default
    like      a function whose options this one takes as well; they arrive in `**named`
    without   those of them that it does not take
    """

    def decorated(function: Callable[P, R]) -> Callable[P, R]:
        call = KeywordCall(function, error, label or function.__name__, like, frozenset(without))

        @wraps(function)
        def called(*args: P.args, **given: P.kwargs) -> R:
            positional, keywords = call.sorted(args, given)
            return function(*positional, **keywords)

        called.__signature__ = call.signature  # type: ignore[attr-defined]
        called.keyword_call = call  # type: ignore[attr-defined]
        return answered(called)

    return decorated


def kinds_of(model: Any) -> Mapping[str, str] | None:
    """The kind of each name of a model ("coordinate", "parameter", ...); of a state or a result, those of its
    equations."""
    found = getattr(model, "kinds", None)
    return found if found is not None else getattr(getattr(model, "equations", None), "kinds", None)


def by_name(values: Mapping[Any, Any], where: str, error: type[SymbodyError]) -> dict[Any, Any]:
    """Values by name, from names or symbols."""
    out: dict[Any, Any] = {}
    for key, value in values.items():
        name = key.name if isinstance(key, Symbol) else key
        if name in out:
            raise error(f"{where}: {name} is given twice, as a symbol and by name")
        out[name] = value
    return out


class KeywordCall:
    """The keywords of one function: which are options, and to which group each given keyword belongs."""

    def __init__(
        self,
        function: Callable[..., Any],
        error: type[SymbodyError],
        label: str,
        like: Callable[..., Any] | None = None,
        without: frozenset[str] = frozenset(),
    ) -> None:
        self.error, self.label = error, label
        own = inspect.signature(function, eval_str=False)
        self.signature = _signature_with_options(own, like, without) if like else own
        self.kinds = argument_kinds(self.signature, skip=(VALUES, OPTIONS))
        parameters = list(self.signature.parameters.values())
        self.positional = [p.name for p in parameters if p.kind is not p.KEYWORD_ONLY and p.kind not in _VARIADIC]
        self.by_keyword = {p.name for p in parameters if p.kind in NAMED}
        self.options = [
            p.name
            for p in parameters
            if p.kind in NAMED and p.default is not p.empty and p.name not in (VALUES, OPTIONS)
        ]

    @cached_property
    def _at(self) -> int | None:
        """The position of `values`."""
        return self.positional.index(VALUES) if VALUES in self.positional else None

    def sorted(self, args: tuple[Any, ...], given: Mapping[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Positional arguments and keywords of the function, with all values in `values`."""
        rest = dict(given)
        options = rest.pop(OPTIONS, None)
        options = {} if options is None else options
        is_positional = self._at is not None and len(args) > self._at
        values = args[self._at] if is_positional and self._at is not None else rest.pop(VALUES, None)
        model = args[0] if args else rest.get(self.positional[0])
        names = self._names(model, args, rest, values) if rest or (isinstance(options, Mapping) and options) else {}
        where = _where(self.label, model)
        merged, chosen = self._values(where, values, names), dict[str, Any]()
        taken = self.by_keyword.intersection(self.positional[: len(args)])
        for name, value in rest.items():
            self._refuse_ambiguous(where, name, value, names, taken)
            if name in self.by_keyword or name in self.options:
                chosen[name] = value
            else:
                self._add(where, name, value, names, merged)
        chosen |= self._options(where, options, taken | chosen.keys())
        refuse_other_kinds(self.kinds, (*zip(self.positional, args, strict=False), *chosen.items()), where, self.error)
        if is_positional and self._at is not None:
            return (*args[: self._at], merged, *args[self._at + 1 :]), chosen
        return args, chosen | {VALUES: merged}

    # ------------------------------------------------------------------------------------------------ names

    def _names(
        self, model: Any, args: tuple[Any, ...], rest: Mapping[str, Any], values: Any
    ) -> Mapping[str, str] | None:
        """Names of the model, and of parameters that occur only in the arguments; None where the first argument is
        not a model."""
        own = kinds_of(model)
        if own is None:
            return None
        more: dict[str, str] = {}
        for argument in (*args[1:], *rest.values(), values):
            if kinds_of(argument) is not own:  # a state of the same equations brings nothing along
                more |= _new_parameters(argument)
        return {**more, **own} if more else own

    def _refuse_ambiguous(
        self, where: str, name: str, value: Any, names: Mapping[str, str] | None, taken: set[str]
    ) -> None:
        is_argument = name in self.options or name in taken
        if is_argument and names and name in names:
            raise ambiguous_keyword(where, name, value, names[name], self.label, name in self.options, self.error)

    # ----------------------------------------------------------------------------------------------- values and options

    def _values(self, where: str, values: Any, names: Mapping[str, str] | None) -> dict[Any, Any]:
        if values is None:
            return {}
        if isinstance(values, Mapping):
            return by_name(values, where, self.error)
        advice = (
            f"; the {names[VALUES]} goes in as values={{'values': {shown(values)}}}"
            if names and VALUES in names
            else f"; options go by keyword: {', '.join(f'{o}=' for o in self.options)}"
            if self.options
            else ""
        )
        raise self.error(f"{where}: values= is a mapping from names or symbols to numbers, got {shown(values)}{advice}")

    def _add(self, where: str, name: str, value: Any, names: Mapping[str, str] | None, merged: dict[Any, Any]) -> None:
        if names is not None and name not in names:
            raise unknown_keyword(where, name, names, self.options, self.error)
        if name in merged:
            raise self.error(f"{where}: {name} is given twice, in values= and by name")
        merged[name] = value

    def _options(self, where: str, options: Any, given: Iterable[str]) -> dict[str, Any]:
        if not isinstance(options, Mapping):
            raise self.error(f"{where}: options= is a mapping from names of options, got {shown(options)}")
        for name in options:
            if name not in self.options:
                raise unknown(where, "option", str(name), self.options, self.error)
            if name in given:
                raise self.error(f"{where}: option {name} is given twice, in options= and by itself")
        return dict(options)


_VARIADIC: Final = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


def _signature_with_options(
    own: inspect.Signature, like: Callable[..., Any], without: frozenset[str]
) -> inspect.Signature:
    """A signature with the options of another function added, as `help` shows them."""
    parameters = list(own.parameters.values())
    more = [
        p.replace(kind=p.KEYWORD_ONLY)
        for p in inspect.signature(like, eval_str=False).parameters.values()
        if p.name not in own.parameters and p.name not in without and p.kind in NAMED and p.default is not p.empty
    ]
    return own.replace(parameters=[*parameters[:-1], *more, parameters[-1]])


def _where(label: str, model: Any) -> str:
    name = getattr(model, "name", None) or getattr(getattr(model, "equations", None), "name", None)
    return f"{label} {name!r}" if isinstance(name, str) else label


def _new_parameters(argument: Any) -> dict[str, str]:
    """Parameters introduced by expressions of a mapping, or of a steady motion in addition to those of the model."""
    if isinstance(argument, Mapping):
        found = [x for pair in argument.items() for x in pair if isinstance(x, Expr)]
        return {s.name: s.kind for s in free_symbols(*found) if s.kind == "parameter"} if found else {}
    return {n: k for n, k in (kinds_of(argument) or {}).items() if k == "parameter"}
