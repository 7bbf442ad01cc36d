"""Keyword options that several functions share, written once: as a `TypedDict`, or as a frozen dataclass.

    class JointOptions(TypedDict, total=False):
        '''Keywords of every joint.

        damping   force for each unit of speed
        '''
        damping: Any

    @takes_options("joint", first=("name", "parent", "child"))
    def revolute(self, name: str, ..., **options: Unpack[JointOptions]) -> Joint:

The fields of the class give names and types, and the table in its docstring gives the meanings. `takes_options` adds
both to the signature and the docstring of the function, so that `help` and the reference show them. It refuses any
other keyword and suggests the nearest one. Type checkers read `Unpack` (PEP 692).

A dataclass also has defaults and checks its values. Calls that accept values by name in addition to options
(`values_by_name`) receive an instance of it; `OptionSet` selects the fields that a call accepts.
"""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property, wraps
from typing import Any, Final, Generic, ParamSpec, TypeVar, get_args

from .argument_kinds import answered
from .errors import SymbodyError, listed, unknown

P = ParamSpec("P")
R = TypeVar("R")
ROW: Final = re.compile(r"^(\w+(?:, \w+)*) {2,}(\S.*)$")  # of a table in a docstring: names, then what they mean
MOST_KEPT: Final = 256  # combinations of options whose instance is kept
_PACKED: Final = re.compile(r"Unpack\[(\w+)\]")


def takes_options(
    what: str, first: Sequence[str] = ("name",), other_words: Mapping[str, str] | None = None
) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Decorator of a method `(self, name, ..., **options: Unpack[T])`.

    what          the part that the method creates, for messages
    first         arguments that are not options: the name, and the parts that it connects
    other_words   what others call an option, with its name here, for messages
    """
    words = other_words or {}

    def decorated(method: Callable[P, R]) -> Callable[P, R]:
        own = inspect.signature(method)
        *before, packed = own.parameters.values()
        shared = _type_of(packed, method)
        known = [p.name for p in before[1:] if p.name not in first] + list(shared.__annotations__)

        @wraps(method)
        def called(*args: P.args, **keywords: P.kwargs) -> R:
            for key in keywords:
                if key not in known and key not in first:
                    name = args[1] if len(args) > 1 else keywords.get("name")
                    raise unknown(f"{what} {name!r}", "option", key, known, meant=words.get(key, ""))
            return method(*args, **keywords)

        more = [_keyword(name, kind) for name, kind in shared.__annotations__.items()]
        called.__signature__ = own.replace(parameters=[*before, *more])  # type: ignore[attr-defined]
        called.__doc__ = with_text(method.__doc__ or "", shared.__doc__ or "")
        return answered(called)

    return decorated


def _type_of(packed: inspect.Parameter, method: Callable[..., Any]) -> Any:
    """T of `**options: Unpack[T]`."""
    if isinstance(packed.annotation, str):
        found = _PACKED.fullmatch(packed.annotation)
        assert found, f"{method.__qualname__}: **{packed.name} is to be Unpack[...], is {packed.annotation}"
        return vars(sys.modules[method.__module__])[found[1]]
    return get_args(packed.annotation)[0]


def _keyword(name: str, kind: Any) -> inspect.Parameter:
    written = getattr(kind, "__forward_arg__", kind)
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=written)


# ------------------------------------------------------------------------------------------------- options as a dataclass

O = TypeVar("O")


@dataclass(frozen=True)
class OptionSet(Generic[O]):
    """The fields of a dataclass of options that a call accepts.

    kind    the dataclass
    names   of the fields; all of them where none is named
    """

    kind: type[O]
    names: tuple[str, ...] = ()

    @cached_property
    def default(self) -> O:
        return self.kind()

    @cached_property
    def parameters(self) -> tuple[inspect.Parameter, ...]:
        """The accepted options, as keywords of a signature."""
        return tuple(
            inspect.Parameter(f.name, inspect.Parameter.KEYWORD_ONLY, default=f.default, annotation=f.type)
            for f in fields(self.kind)  # type: ignore[arg-type]
            if not self.names or f.name in self.names
        )

    @cached_property
    def text(self) -> str:
        """The meanings of the options: the tables of the docstring, without the options that the call does not
        accept."""
        text = inspect.cleandoc(self.kind.__doc__ or "").partition("\n\n>>> ")[0]
        taken = {p.name for p in self.parameters}
        paragraphs = [rows_about(p, taken) for p in text.split("\n\n")]
        kept = [
            p
            for k, p in enumerate(paragraphs)
            if p and not (p.endswith(":") and not "".join(paragraphs[k + 1 : k + 2]))
        ]
        return "\n\n".join(kept)

    def made(self, given: Mapping[str, Any]) -> O:
        """An instance, shared by calls with the same options."""
        if not given:
            return self.default
        key = tuple(given.items())
        try:
            found = self._made.get(key)
        except TypeError:  # tolerances by name
            return self.kind(**given)
        if found is None:
            found = self.kind(**given)
            if len(self._made) < MOST_KEPT:
                self._made[key] = found
        return found

    @cached_property
    def _made(self) -> dict[tuple[tuple[str, Any], ...], O]:
        return {}

    def refuse_untaken(self, name: str, where: str, call: str, error: type[SymbodyError]) -> None:
        """Refuse an option of the dataclass that the call does not accept."""
        if self.names and name not in self.names and name in self.kind.__annotations__:
            raise error(f"{where}: {name}= is an option of other calls; {call} takes {listed(self.names, 30)}")


# ------------------------------------------------------------------------------------------------------------ docstrings


def including(*others: type) -> Callable[[type], type]:
    """Decorator of a `TypedDict` that inherits from others: appends their paragraphs to its docstring."""

    def decorated(cls: type) -> type:
        cls.__doc__ = "\n\n".join(inspect.cleandoc(c.__doc__ or "") for c in (*others, cls))
        return cls

    return decorated


def with_text(doc: str, more: str) -> str:
    """A docstring with further paragraphs before its first example."""
    text, example, rest = inspect.cleandoc(doc).partition("\n\n>>> ")
    return f"{text}\n\n{inspect.cleandoc(more)}{example}{rest}"


def meanings(text: str) -> dict[str, str]:
    """The meaning of each option, from the tables of a docstring; names that share a row have the same text."""
    rows: list[tuple[list[str], list[str]]] = []
    for line in inspect.cleandoc(text).splitlines():
        if found := ROW.match(line):
            rows.append((found[1].split(", "), [found[2]]))
        elif rows and line.startswith("    "):
            rows[-1][1].append(line.strip())
    return {name: " ".join(words) for names, words in rows for name in names}


def rows_about(paragraph: str, names: Sequence[str] | set[str]) -> str:
    """The rows of a table for some names; a paragraph that is not a table is returned unchanged."""
    lines = paragraph.splitlines()
    if not ROW.match(lines[0]):
        return paragraph
    kept, is_kept = [], False
    for line in lines:
        if found := ROW.match(line):
            is_kept = bool(set(found[1].split(", ")) & set(names))
        if is_kept:
            kept.append(line)
    return "\n".join(kept)
