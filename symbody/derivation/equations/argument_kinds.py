"""Argument checks of public calls by their annotations: a text where a mapping is expected is refused by name,
before it causes an error elsewhere."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, NamedTuple

from ...errors import SymbodyError, shown


class ArgumentKind(NamedTuple):
    """A kind of argument: a test, and its description."""

    fits: Callable[[Any], bool]
    words: str


def _is_number(value: Any) -> bool:
    return hasattr(value, "__float__") or hasattr(value, "__index__")


def _is_whole_number(value: Any) -> bool:
    return hasattr(value, "__index__") or (isinstance(value, float) and value.is_integer())


def _is_listing(value: Any) -> bool:
    return isinstance(value, Iterable) and not isinstance(value, (str, bytes))


_KINDS: Final[Mapping[str, ArgumentKind]] = {
    "Mapping": ArgumentKind(lambda v: isinstance(v, Mapping), "a mapping from names"),
    "Sequence": ArgumentKind(_is_listing, "a list"),
    "Iterable": ArgumentKind(_is_listing, "a list"),
    "str": ArgumentKind(lambda v: isinstance(v, str), "a text"),
    "float": ArgumentKind(_is_number, "a number"),
    "int": ArgumentKind(_is_whole_number, "a whole number"),
    "bool": ArgumentKind(lambda v: hasattr(v, "__bool__") or hasattr(v, "__index__"), "True or False"),
    "None": ArgumentKind(lambda v: v is None, "None"),
}


def argument_kinds(signature: inspect.Signature, skip: Iterable[str] = ()) -> dict[str, ArgumentKind]:
    """The arguments of a function whose annotations consist only of the kinds above; others (`Any`, classes of this
    package) are checked elsewhere."""
    out = {}
    for p in signature.parameters.values():
        heads = _alternatives(str(p.annotation)) if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY) else []
        if heads and all(h in _KINDS for h in heads) and p.name not in skip:
            kinds = [_KINDS[h] for h in heads]
            words = " or ".join(k.words for k in kinds if k.words != "None")
            out[p.name] = ArgumentKind(lambda v, kinds=kinds: any(k.fits(v) for k in kinds), words)  # type: ignore[misc]
    return out


def refuse_other_kinds(
    kinds: Mapping[str, ArgumentKind], given: Iterable[tuple[str, Any]], where: str, error: type[SymbodyError]
) -> None:
    for name, value in given:
        if name in kinds and not kinds[name].fits(value):
            raise error(f"{where}: {name}= is {kinds[name].words}, got {shown(value)}")


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
