"""Checks the arguments of public calls against their annotations. A text passed in place of a mapping is refused by the
argument's name, before it causes an internal error; a flag must be True or False.

A call that does not fit its signature raises an error that names the argument (`answered`, `answered_class`). Calls on
equations check all their arguments (`of_equations`, `values_by_name`); other public calls have their own checks of
bodies and expressions, and check only their flags here (`checked_flags`).
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Container, Iterable, Mapping
from functools import wraps
from typing import Any, Final, NamedTuple, ParamSpec, TypeVar

from .errors import CallError, SymbodyError, listed, shown, unknown

P = ParamSpec("P")
R = TypeVar("R")
C = TypeVar("C", bound=type)
PACKAGE: Final = __name__.partition(".")[0]


class ArgumentKind(NamedTuple):
    """A kind of argument: a test, and its description."""

    fits: Callable[[Any], bool]
    words: str


def _axes(value: Any) -> int:
    """Number of axes of an array; 0 for everything else, including an array of one number."""
    return getattr(value, "ndim", 0)


def _is_number(value: Any) -> bool:
    return (hasattr(value, "__float__") or hasattr(value, "__index__")) and not _axes(value)


def _is_whole_number(value: Any) -> bool:
    is_index = hasattr(value, "__index__") and not _axes(value)
    return is_index or (isinstance(value, float) and value.is_integer())


def _is_flag(value: Any) -> bool:
    """Whether a value is True, False, a NumPy boolean, 0 or 1. Every Python object has a truth value: an arbitrary
    object, nan and the text "no" would all count as True."""
    is_whole = isinstance(value, int) or type(value).__name__ in ("bool", "bool_")
    return is_whole and value in (0, 1)


def _is_listing(value: Any) -> bool:
    return isinstance(value, Iterable) and not isinstance(value, (str, bytes, Mapping)) and _axes(value) < 2


_KINDS: Final[Mapping[str, ArgumentKind]] = {
    "Mapping": ArgumentKind(lambda v: isinstance(v, Mapping), "a mapping from names"),
    "Sequence": ArgumentKind(_is_listing, "a list"),
    "Iterable": ArgumentKind(_is_listing, "a list"),
    "str": ArgumentKind(lambda v: isinstance(v, str), "a text"),
    "float": ArgumentKind(_is_number, "a number"),
    "int": ArgumentKind(_is_whole_number, "a whole number"),
    "bool": ArgumentKind(_is_flag, "True or False"),
    "Condition": ArgumentKind(lambda v: type(v).__name__ == "Condition", "a condition such as q < 0"),
    "None": ArgumentKind(lambda v: v is None, "None"),
}


def argument_kinds(
    signature: inspect.Signature, skip: Container[str] = (), only_with: str | None = None
) -> dict[str, ArgumentKind]:
    """The arguments of a function whose annotations consist only of the kinds above. Other annotations (`Any`, classes
    of symbody) are checked elsewhere.

    only_with   one of the kinds above: arguments whose annotation does not name it are left out
    """
    out = {}
    for p in signature.parameters.values():
        heads = _alternatives(str(p.annotation)) if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY) else []
        is_asked = p.name not in skip and (only_with is None or only_with in heads)
        if is_asked and heads and all(h in _KINDS for h in heads):
            kinds = [_KINDS[h] for h in heads]
            words = " or ".join(k.words for k in kinds if k.words != "None")
            out[p.name] = ArgumentKind(lambda v, kinds=kinds: any(k.fits(v) for k in kinds), words)  # type: ignore[misc]
    return out


def positional_names(signature: inspect.Signature) -> list[str]:
    """Names of the arguments that may be given by position, but for those of `*args`."""
    return [p.name for p in signature.parameters.values() if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]


def refuse_other_kinds(
    kinds: Mapping[str, ArgumentKind], given: Iterable[tuple[str, Any]], where: str, error: type[SymbodyError]
) -> None:
    for name, value in given:
        if name in kinds and not kinds[name].fits(value):
            raise error(f"{where}: {name}= is {kinds[name].words}, got {shown(value)}")


def answered(function: Callable[P, R]) -> Callable[P, R]:
    """Decorator of a public function or method: a call that does not fit its signature raises an error that suggests
    the nearest argument name. Python's own message names the internal class that defines the method."""
    if getattr(function, "answers_calls", False):
        return function

    @wraps(function)
    def called(*args: P.args, **named: P.kwargs) -> R:
        try:
            return function(*args, **named)
        except TypeError as error:
            raise in_words(error, function, args, named) from None

    called.answers_calls = True  # type: ignore[attr-defined]
    return called


def in_words(
    error: TypeError, function: Callable[..., Any], args: tuple[Any, ...], named: Mapping[str, Any]
) -> Exception:
    """The error to raise for a call that does not fit its signature, or the original error if the call fits."""
    return error if isinstance(error, SymbodyError) else _why_it_does_not_fit(function, args, named) or error


def answered_class(cls: C) -> C:
    """Apply `answered` to the constructor and the public methods of a class and its bases."""
    for base in cls.__mro__:
        if base.__module__.startswith(PACKAGE):
            for name, member in list(vars(base).items()):
                if inspect.isfunction(member) and (name == "__init__" or not name.startswith("_")):
                    setattr(base, name, answered(member))
    return cls


def _why_it_does_not_fit(
    function: Callable[..., Any], args: tuple[Any, ...], named: Mapping[str, Any]
) -> SymbodyError | None:
    """The error for arguments that do not fit a signature, or None if they fit."""
    signature = inspect.signature(function)
    try:
        signature.bind(*args, **named)
    except TypeError:
        pass
    else:
        return None
    is_method = next(iter(signature.parameters), "") in ("self", "cls")
    parameters = list(signature.parameters.values())[is_method:]
    args = args[is_method:]
    places = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    by_name = [p.name for p in parameters if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)]
    given = dict(zip((p.name for p in places), args, strict=False))
    where = _label(function, {**given, **named})
    takes_any_name = any(p.kind is p.VAR_KEYWORD for p in parameters)
    for name in named:
        if name not in by_name and not takes_any_name:
            return unknown(where, "argument", name, by_name, CallError)
        if name in given:
            order = ", ".join(p.name for p in places)
            return CallError(
                f"{where}: {name}= is given twice, by position and by name; positional arguments are {order}"
            )
    if len(args) > len(places):
        order, others = listed(p.name for p in places), by_name[len(places) :]
        few = f"at most {len(places)} positional arguments ({order})" if places else "no positional arguments"
        rest = f"; pass {listed(others)} by name" if others else ""
        return CallError(f"{where}: takes {few}, got {len(args)}{rest}")
    missing = [p.name for p in parameters if p.default is p.empty and p.name in by_name]
    missing = [name for name in missing if name not in given and name not in named]
    return CallError(
        f"{where}: {listed(missing)} {'is' if len(missing) == 1 else 'are'} missing; {_shown_call(function, parameters)}"
    )


def _label(function: Callable[..., Any], given: Mapping[str, Any]) -> str:
    """The call as named in messages: its name, and the name of the part that it creates."""
    label = function.__qualname__.split(".")[0] if function.__name__ == "__init__" else function.__name__
    part = given.get("name")
    return f"{label} {part!r}" if isinstance(part, str) else label


def _shown_call(function: Callable[..., Any], parameters: Iterable[inspect.Parameter]) -> str:
    """The call as shown in messages, `particle(name, at, *, mass)`: required arguments, and optional ones
    abbreviated."""
    needed = [p for p in parameters if p.default is p.empty and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
    texts = [f"{p.name}=" if p.kind is p.KEYWORD_ONLY else p.name for p in needed]
    return f"the call is {_label(function, {})}({', '.join([*texts, '...'])})"


def checked_flags(error: type[SymbodyError]) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Decorator of a function: a value that is neither True nor False is refused for parameters annotated `bool`."""

    def decorated(function: Callable[P, R]) -> Callable[P, R]:
        signature = inspect.signature(function)
        flags, places = argument_kinds(signature, only_with="bool"), positional_names(signature)
        first = min((k for k, name in enumerate(places) if name in flags), default=len(places))

        @wraps(function)
        def called(*args: P.args, **named: P.kwargs) -> R:
            if len(args) > first or not flags.keys().isdisjoint(named):
                given = dict(zip(places, args, strict=False)) | named
                refuse_other_kinds(flags, given.items(), _label(function, given), error)
            return function(*args, **named)

        return answered(called)

    return decorated


def checked_flags_of_class(error: type[SymbodyError]) -> Callable[[C], C]:
    """Apply `checked_flags` to the constructor of a class, including one generated by `dataclass`."""

    def decorated(cls: C) -> C:
        cls.__init__ = checked_flags(error)(cls.__init__)  # type: ignore[misc]
        return cls

    return decorated


def _alternatives(annotation: str) -> list[str]:
    """The names before brackets of a union: `Mapping[Any, int | str] | None` gives Mapping, None."""
    heads, depth, head = [], 0, ""
    for c in annotation:
        depth += (c == "[") - (c == "]")
        if depth == 0 and c == "|":
            heads.append(head)
            head = ""
        elif depth == 0 and c != "]":
            head += c
    return [h.strip().strip("'\"").rpartition(".")[2] for h in [*heads, head]]
