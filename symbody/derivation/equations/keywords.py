"""Values and options by keyword: one rule for every call that takes both.

    simulate(eq, 1, q1=0.5, rtol=1e-9)                              by keyword, where a name is only one of them
    simulate(eq, 1, values={"q1": 0.5}, options={"rtol": 1e-9})     the place of values (names or symbols), the place of
    options

A keyword that is an option of the call and a name of the model is refused: joints may be called `alpha`, `step` or
`order`. Options that several calls share are the fields of a dataclass (`options.py`), of which the function gets an
instance.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property, wraps
from typing import Any, Final, ParamSpec, TypeVar, overload

from ...algebra.graph.graph import Expr, Symbol
from ...algebra.graph.walk import free_symbols
from ...argument_kinds import argument_kinds, in_words, refuse_other_kinds
from ...errors import SymbodyError, ambiguous_keyword, shown, unknown, unknown_keyword
from ...options import OptionSet, with_text
from ...units import quantity
from .variables import Variables

P = ParamSpec("P")
R = TypeVar("R")
VALUES: Final = "values"
OPTIONS: Final = "options"
NAMED: Final = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)


@overload
def values_by_name(error: type[SymbodyError], *, label: str = "") -> Callable[[Callable[P, R]], Callable[P, R]]: ...
@overload
def values_by_name(
    error: type[SymbodyError], *, label: str = "", options: OptionSet[Any], checked_as: Callable[P, Any]
) -> Callable[[Callable[..., R]], Callable[P, R]]: ...
def values_by_name(
    error: type[SymbodyError], *, label: str = "", options: OptionSet[Any] | None = None, checked_as: Any = None
) -> Any:
    """Decorator of a function whose first argument is a model (something with `kinds`), with a parameter `values` and
    `**named`.

    The function gets all values in `values`, by name (expressions other than symbols stay keys), and options as the
    parameters that they are.

    label        of the call in messages; the function's name by default
    options      shared ones that it takes: the function gets them in `options`, as an instance of their dataclass
    checked_as   a function with all parameters in its signature, for type checkers
    """

    def decorated(function: Callable[..., Any]) -> Callable[..., Any]:
        call = KeywordCall(function, error, label or function.__name__, options)
        inner = getattr(function, "without_check", function)  # its first argument is checked here
        takes: tuple[Any, Callable[[str, Any], SymbodyError]] = getattr(function, "takes_first", (object, SymbodyError))
        types, refusal = takes

        @wraps(function)
        def called(*args: Any, **given: Any) -> Any:
            try:
                positional, keywords = call.sorted(args, given)
                if positional or call.positional[0] in keywords:
                    model = positional[0] if positional else keywords[call.positional[0]]
                    if not isinstance(model, types):
                        raise refusal(call.label, model)
                return inner(*positional, **keywords)
            except TypeError as error:
                raise in_words(error, called, args, given) from None

        called.__signature__ = call.signature  # type: ignore[attr-defined]
        called.keyword_call = call  # type: ignore[attr-defined]
        if options is not None:
            called.__doc__ = with_text(function.__doc__ or "", options.text)
        called.answers_calls = True  # type: ignore[attr-defined]
        return called

    return decorated


def kinds_of(model: Any) -> Mapping[str, str] | None:
    """The kind of each name of a model ("coordinate", "parameter", ...); of a state or a result, those of its
    equations."""
    found = getattr(model, "kinds", None)
    if found is not None:
        return found
    has_equations = "equations" in getattr(model, "__dict__", ()) or hasattr(type(model), "equations")
    return getattr(model.equations, "kinds", None) if has_equations else None


def by_name(values: Mapping[Any, Any], where: str, error: type[SymbodyError]) -> dict[Any, Any]:
    """Values by name, from names or symbols."""
    out: dict[Any, Any] = {}
    for key, value in values.items():
        name = key.name if isinstance(key, Symbol) else key
        if name in out:
            raise error(f"{where}: {name} is given twice, as a symbol and by name")
        out[name] = value
    return out


def values_in_si(values: Mapping[Any, Any], where: str, error: type[SymbodyError], model: Any) -> dict[Any, Any]:
    """Values with texts and pairs that have a unit, "30 deg" or (30, "deg"), in SI, also as the ends of intervals and in
    lists; others as they are."""
    return {key: _in_si(key, value, where, error, model) for key, value in values.items()}


def _in_si(key: Any, value: Any, where: str, error: type[SymbodyError], model: Any) -> Any:
    if not isinstance(value, str | tuple | list):
        return value
    if (found := quantity(value, f"{where}: {key}", error, _unit_of(model, key))) is not None:
        return found
    has_texts = not isinstance(value, str) and any(isinstance(x, str | tuple | list) for x in value)
    return type(value)([_in_si(key, x, where, error, model) for x in value]) if has_texts else value


def _unit_of(model: Any, key: Any) -> str:
    """The unit of a name of the model, where its equations have it."""
    of = getattr(model, "about", None) or model
    rows = getattr(getattr(of, "equations", of), "variables", None)
    return rows[key].unit if isinstance(rows, Variables) and isinstance(key, str) and key in rows else ""


class KeywordCall:
    """The keywords of one function: which are options, and to which group each given keyword belongs."""

    def __init__(
        self,
        function: Callable[..., Any],
        error: type[SymbodyError],
        label: str,
        shared: OptionSet[Any] | None = None,
    ) -> None:
        self.error, self.label, self.shared = error, label, shared
        own = inspect.signature(function, eval_str=False)
        self.signature = _signature_with_options(own, shared) if shared else own
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
        options = self._options_by_name(rest.pop(OPTIONS, None))
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
        merged = values_in_si(merged, where, self.error, model)
        chosen |= self._options(where, options, taken | chosen.keys())
        refuse_other_kinds(self.kinds, (*zip(self.positional, args, strict=False), *chosen.items()), where, self.error)
        if self.shared is not None:
            chosen[OPTIONS] = self.shared.made({n: chosen.pop(n) for n in self._shared_names if n in chosen})
        if is_positional and self._at is not None:
            return (*args[: self._at], merged, *args[self._at + 1 :]), chosen
        return args, chosen | {VALUES: merged}

    @cached_property
    def _shared_names(self) -> tuple[str, ...]:
        """Shared options that are not parameters of the function itself."""
        own = () if self.shared is None else self.shared.parameters
        return tuple(p.name for p in own if self.signature.parameters[p.name] is p)

    # ------------------------------------------------------------------------------------------------ names

    def _names(
        self, model: Any, args: tuple[Any, ...], rest: Mapping[str, Any], values: Any
    ) -> Mapping[str, str] | None:
        """Names of the model, and of parameters that occur only in the arguments; None if the first argument is
        not a model."""
        own = kinds_of(model)
        if own is None:
            return None
        more: dict[str, str] = {}
        for argument in (*args[1:], *rest.values(), values):
            more |= _new_parameters(argument, own)
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
        raise self.error(
            f"{where}: values= must be a mapping from names or symbols to numbers, got {shown(values)}{advice}"
        )

    def _add(self, where: str, name: str, value: Any, names: Mapping[str, str] | None, merged: dict[Any, Any]) -> None:
        if names is not None and name not in names:
            self._refuse_untaken(where, name)
            raise unknown_keyword(where, name, names, self.options, self.error)
        if name in merged:
            raise self.error(f"{where}: {name} is given twice, in values= and by name")
        merged[name] = value

    def _refuse_untaken(self, where: str, name: str) -> None:
        if self.shared is not None:
            self.shared.refuse_untaken(name, where, self.label, self.error)

    def _options_by_name(self, options: Any) -> Any:
        if self.shared is not None and isinstance(options, self.shared.kind):
            return options.given
        return {} if options is None else options

    def _options(self, where: str, options: Any, given: Iterable[str]) -> dict[str, Any]:
        if not isinstance(options, Mapping):
            raise self.error(f"{where}: options= must be a mapping from names of options, got {shown(options)}")
        for name in options:
            if name not in self.options:
                self._refuse_untaken(where, str(name))
                raise unknown(where, "option", str(name), self.options, self.error)
            if name in given:
                raise self.error(f"{where}: option {name} is given twice, in options= and as a keyword")
        return dict(options)


_VARIADIC: Final = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


def _signature_with_options(own: inspect.Signature, shared: OptionSet[Any]) -> inspect.Signature:
    """The signature of a function that gets shared options in `options`, with each of them as a keyword, as `help` shows
    it. A parameter of the function's own with the name of one stays."""
    parameters = [p for p in own.parameters.values() if p.name != OPTIONS]
    more = [p for p in shared.parameters if p.name not in own.parameters]
    options = inspect.Parameter(
        OPTIONS,
        inspect.Parameter.KEYWORD_ONLY,
        default=None,
        annotation=f"Mapping[str, Any] | {shared.kind.__name__} | None",
    )
    return own.replace(parameters=[*parameters[:-1], *more, options, parameters[-1]])


def _where(label: str, model: Any) -> str:
    name = getattr(model, "name", None) or getattr(getattr(model, "equations", None), "name", None)
    return f"{label} {name!r}" if isinstance(name, str) else label


def _new_parameters(argument: Any, own: Mapping[str, str]) -> dict[str, str]:
    """Parameters introduced by expressions of a mapping, or of a steady motion in addition to those of the model; a state
    of the same equations brings nothing along."""
    if isinstance(argument, Mapping):
        found = [x for pair in argument.items() for x in pair if isinstance(x, Expr)]
        return {s.name: s.kind for s in free_symbols(*found) if s.kind == "parameter"} if found else {}
    kinds = kinds_of(argument)
    return {n: k for n, k in kinds.items() if k == "parameter"} if kinds is not None and kinds is not own else {}
