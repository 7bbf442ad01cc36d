"""Fingerprints by content, the same in every process, which tell whether a study on disk is the requested one."""

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

MAX_DEPTH: Final = 12  # largest nesting depth of described objects


def fingerprint(thing: Any) -> str:
    """Hexadecimal digits that differ where the content differs."""
    return blake2b(repr(description_of(thing)).encode(), digest_size=12).hexdigest()


def description_of(thing: Any, depth: int = 0) -> Any:
    """The content of an object as tuples, numbers and texts. Expressions count by their keys, functions by their
    code, objects by their fields."""
    if depth > MAX_DEPTH:  # objects that hold each other
        return type(thing).__name__
    if isinstance(thing, Node):
        return "expression", thing.key
    if isinstance(thing, np.ndarray):
        return "array", thing.shape, str(thing.dtype), blake2b(np.ascontiguousarray(thing).tobytes()).hexdigest()
    if isinstance(thing, Mapping):
        return "mapping", *sorted((str(k), repr(description_of(v))) for k, v in thing.items())
    if isinstance(thing, (list, tuple, range)):
        return "sequence", *(description_of(x, depth + 1) for x in thing)
    if isinstance(thing, (set, frozenset)):
        return "set", *sorted(repr(description_of(x, depth + 1)) for x in thing)
    return _of_object(thing, depth + 1)


def _of_object(thing: Any, depth: int) -> Any:
    if isinstance(thing, Matrix):
        return "matrix", thing.shape, *(e.key for e in thing.entries)
    if isinstance(thing, Equations):
        parts = {name: getattr(thing, name) for name in MATRICES}
        return (
            "equations",
            thing.name,
            description_of([thing.variables.of("q u z r p").symbols, parts, thing.variables.defaults], depth),
        )
    if isinstance(thing, partial):
        return "call", description_of([thing.func, thing.args, thing.keywords], depth)
    if isinstance(thing, FunctionType):
        held = [c.cell_contents for c in thing.__closure__ or ()]
        return (
            "function",
            thing.__qualname__,
            *_of_code(thing.__code__),
            description_of([thing.__defaults__, held], depth),
        )
    if is_dataclass(thing) and not isinstance(thing, type):
        return type(thing).__name__, *((f.name, description_of(getattr(thing, f.name), depth)) for f in fields(thing))
    return _of_plain(thing, depth)


def _of_code(code: CodeType) -> tuple[Any, ...]:
    """Instructions and constants of a function, and of the functions nested in it."""
    constants = tuple(_of_code(c) if isinstance(c, CodeType) else repr(c) for c in code.co_consts)
    return code.co_code.hex(), code.co_names, constants


def _of_plain(thing: Any, depth: int) -> Any:
    """Numbers and texts themselves; of other objects their type and attributes, since an address in memory is not
    reproducible."""
    if thing is None or isinstance(thing, (bool, int, float, complex, str, bytes, np.generic)):
        return repr(thing)
    content = getattr(thing, "__dict__", None)
    name = f"{type(thing).__module__}.{type(thing).__qualname__}"
    return (name, description_of(content, depth)) if content else (name, str(getattr(thing, "__qualname__", "")))
