"""Fingerprints by content, the same in every process: whether a study on disk is the one that is asked for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from functools import partial
from hashlib import blake2b
from types import CodeType, FunctionType
from typing import Any, Final

import numpy as np

from ...algebra.graph.graph import Node
from ...algebra.graph.matrix import Matrix
from ...derivation.equations.equations import MATRICES, Equations

DEEPEST: Final = 12


def fingerprint(thing: Any) -> str:
    """Hexadecimal digits that differ where the content differs."""
    return blake2b(repr(described(thing)).encode(), digest_size=12).hexdigest()


def described(thing: Any, depth: int = 0) -> Any:
    """The content of a thing in tuples, numbers and texts. Expressions count by their keys, functions by their code,
    objects by their fields."""
    if depth > DEEPEST:  # objects that hold each other
        return type(thing).__name__
    if isinstance(thing, Node):
        return "expression", thing.key
    if isinstance(thing, np.ndarray):
        return "array", thing.shape, str(thing.dtype), blake2b(np.ascontiguousarray(thing).tobytes()).hexdigest()
    if isinstance(thing, Mapping):
        return "mapping", *sorted((str(k), repr(described(v))) for k, v in thing.items())
    if isinstance(thing, (list, tuple, range)):
        return "sequence", *(described(x, depth + 1) for x in thing)
    if isinstance(thing, (set, frozenset)):
        return "set", *sorted(repr(described(x, depth + 1)) for x in thing)
    return _of_object(thing, depth + 1)


def _of_object(thing: Any, depth: int) -> Any:
    if isinstance(thing, Matrix):
        return "matrix", thing.shape, *(e.key for e in thing.entries)
    if isinstance(thing, Equations):
        parts = {name: getattr(thing, name) for name in MATRICES}
        return (
            "equations",
            thing.name,
            described([thing.variables.of("q u z r p").symbols, parts, thing.variables.defaults], depth),
        )
    if isinstance(thing, partial):
        return "call", described([thing.func, thing.args, thing.keywords], depth)
    if isinstance(thing, FunctionType):
        held = [c.cell_contents for c in thing.__closure__ or ()]
        return "function", thing.__qualname__, *_of_code(thing.__code__), described([thing.__defaults__, held], depth)
    if is_dataclass(thing) and not isinstance(thing, type):
        return type(thing).__name__, *((f.name, described(getattr(thing, f.name), depth)) for f in fields(thing))
    return _of_plain(thing, depth)


def _of_code(code: CodeType) -> tuple[Any, ...]:
    """Instructions and constants of a function, and of those that are written in it."""
    constants = tuple(_of_code(c) if isinstance(c, CodeType) else repr(c) for c in code.co_consts)
    return code.co_code.hex(), code.co_names, constants


def _of_plain(thing: Any, depth: int) -> Any:
    """Numbers and texts as they are; of other objects their kind and attributes: an address in memory means nothing
    tomorrow."""
    if thing is None or isinstance(thing, (bool, int, float, complex, str, bytes, np.generic)):
        return repr(thing)
    content = getattr(thing, "__dict__", None)
    name = f"{type(thing).__module__}.{type(thing).__qualname__}"
    return (name, described(content, depth)) if content else (name, str(getattr(thing, "__qualname__", "")))
