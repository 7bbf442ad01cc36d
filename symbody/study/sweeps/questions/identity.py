"""Fingerprints by content, the same in every process, which show whether a study on disk is the requested one.

The content of a function is its code with everything that it reaches: defaults, what it closes over, globals, helpers and
classes of the user's own modules, and theirs. What is installed counts by its name and the version of its package. What has
no readable content (a file, a lock, a function of a compiled module) is refused: `version=` then stands for it.
"""

from __future__ import annotations

import copyreg
import sys
import sysconfig
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from functools import cached_property, partial
from hashlib import blake2b
from pathlib import Path
from types import BuiltinFunctionType, CodeType, FunctionType, MappingProxyType, MethodType, ModuleType
from typing import Any, Final

import numpy as np

from ....algebra.graph.functions import ExternalFunction
from ....algebra.graph.graph import Node
from ....algebra.graph.matrix import Matrix
from ....algebra.graph.portable import Portable
from ....derivation.equations.equations import MATRICES, Equations
from ....errors import StudyError, shown

PLAIN: Final = (bool, int, float, complex, str, bytes, type(None), type(Ellipsis))
UNTOLD: Final = ("__weakref__", "__dict__", "__module__", "__doc__", "__annotations__", "__slots__", "__firstlineno__")
_INSTALLED: Final = tuple(
    Path(sysconfig.get_path(name)).resolve() for name in ("stdlib", "platstdlib", "purelib", "platlib")
)
_OURS: Final = Path(__file__).resolve().parents[3]
_DIGEST: Final = 12  # bytes


def fingerprint(thing: Any) -> str:
    """Hexadecimal digits that differ where the content differs."""
    try:
        return _Describer().digest(thing).hex()
    except RecursionError:
        raise StudyError(
            f"sweep: a {type(thing).__name__} holds parts within parts, too deep to compare with a study on disk; give version="
        ) from None


class _Describer:
    """Digests of objects. One that is met again inside itself counts by how far up it is; functions and classes, which
    call each other in circles, are described once and count by their number after that."""

    def __init__(self) -> None:
        self._inside: dict[int, int] = {}
        self._numbers: dict[Any, int] = {}  # of functions and classes

    def digest(self, thing: Any) -> bytes:
        if type(thing) in PLAIN or isinstance(thing, np.generic):
            return _digest_of(type(thing).__name__, repr(thing))
        if isinstance(thing, (FunctionType, type)):
            if thing in self._numbers:
                return _digest_of("known", str(self._numbers[thing]))
            self._numbers[thing] = len(self._numbers)
        if (depth := self._inside.get(id(thing))) is not None:
            return _digest_of("again", str(len(self._inside) - depth))
        self._inside[id(thing)] = len(self._inside)
        try:
            return self._of_kind(thing)
        finally:
            del self._inside[id(thing)]

    def _all(self, what: str, *things: Any) -> bytes:
        return _digest_of(what, *(self.digest(x) for x in things))

    def _of_kind(self, thing: Any) -> bytes:
        if isinstance(thing, Node):
            return _digest_of("expression", str(thing.key), *self._functions([thing]))
        if isinstance(thing, Matrix):
            keys = (str(e.key) for e in thing.entries)
            return _digest_of("matrix", str(thing.shape), *keys, *self._functions(thing.entries))
        if isinstance(thing, Equations):
            return self._of_equations(thing)
        if isinstance(thing, ExternalFunction):
            return self._of_external(thing)
        if isinstance(thing, np.ndarray):
            content = thing.tolist() if thing.dtype.hasobject else np.ascontiguousarray(thing).tobytes()
            return _digest_of("array", str(thing.shape), str(thing.dtype), self.digest(content))
        if type(thing) in (dict, MappingProxyType):
            by_key = sorted(((_Describer().digest(k), v) for k, v in thing.items()), key=lambda pair: pair[0])
            return _digest_of("mapping", *(x for k, v in by_key for x in (k, self.digest(v))))
        if type(thing) in (list, tuple, range):
            return _digest_of("sequence", *(self.digest(x) for x in thing))
        if type(thing) in (set, frozenset):
            return _digest_of("set", *sorted(_Describer().digest(x) for x in thing))
        return self._of_callable(thing)

    # ------------------------------------------------------------------------------------------------ equations

    def _of_equations(self, eq: Equations) -> bytes:
        parts = {name: getattr(eq, name) for name in MATRICES}
        symbols = [s.name for s in eq.variables.of("q u z r p").symbols]
        return self._all("equations", eq.name, symbols, parts, dict(eq.outputs), eq.variables.defaults)

    def _functions(self, roots: Any) -> Iterator[bytes]:
        """Of the external functions that expressions call: their keys have names alone."""
        seen, left, found = set(roots), list(roots), dict[int, ExternalFunction]()
        while left:
            node = left.pop()
            if isinstance(node.data, ExternalFunction):
                found[id(node.data)] = node.data
            new = [a for a in node.args if a not in seen]
            seen.update(new)
            left += new
        yield from sorted(_Describer().digest(f) for f in found.values())

    def _of_external(self, f: ExternalFunction) -> bytes:
        if f.table is None and f.python is None and f.c is None:
            raise _untold(f, "is known by its machine address alone")
        pieces = getattr(f, "pieces", None)
        content = [pieces] if pieces is not None else [f.table, f.python, f.c, tuple(f.derivatives)]
        return self._all("external", f.name, f.arity, *content)

    # ------------------------------------------------------------------------------------------------ functions

    def _of_callable(self, thing: Any) -> bytes:
        if isinstance(thing, partial):
            return self._all("call", thing.func, thing.args, thing.keywords)
        if isinstance(thing, MethodType):
            return self._all("method", thing.__func__, thing.__self__)
        if isinstance(thing, FunctionType):
            return self._of_function(thing)
        if isinstance(thing, ModuleType):
            return _digest_of("module", thing.__name__, _version_of(thing.__name__))
        if isinstance(thing, (BuiltinFunctionType, np.ufunc)):
            owner = getattr(thing, "__self__", None)
            held = () if owner is None or isinstance(owner, ModuleType) else (self.digest(owner),)
            return _digest_of("built in", _name_of(thing), _version_of(getattr(thing, "__module__", "")), *held)
        if isinstance(thing, type):
            return self._of_class(thing)
        if isinstance(thing, (classmethod, staticmethod)):
            return self._all(type(thing).__name__, thing.__func__)
        if isinstance(thing, property):
            return self._all("property", thing.fget, thing.fset)
        if isinstance(thing, cached_property):
            return self._all("property", thing.func)
        return self._of_object(thing)

    def _of_function(self, f: FunctionType) -> bytes:
        if _is_installed(f.__module__):
            return _digest_of("installed", _name_of(f), _version_of(f.__module__))
        held = [_content(c) for c in f.__closure__ or ()]
        return self._all(
            "function", f.__qualname__, _code(f.__code__), f.__defaults__, f.__kwdefaults__, held, self._reached(f)
        )

    def _reached(self, f: FunctionType) -> dict[str, Any]:
        """Globals that its code names; of modules of the user's own, what it names in them."""
        names = set(_names(f.__code__))
        found = {n: f.__globals__[n] for n in names if n in f.__globals__}
        for name, value in list(found.items()):
            if isinstance(value, ModuleType) and not _is_installed(value.__name__):
                found |= {f"{name}.{n}": getattr(value, n) for n in names if hasattr(value, n)}
        return found

    def _of_class(self, kind: type) -> bytes:
        if _is_installed(kind.__module__):
            return _digest_of("installed", _name_of(kind), _version_of(kind.__module__))
        own = {k: v for k, v in vars(kind).items() if k not in UNTOLD and not _is_slot(v)}
        return self._all("class", kind.__qualname__, kind.__bases__, own)

    # ------------------------------------------------------------------------------------------------ objects

    def _of_object(self, thing: Any) -> bytes:
        """By its class and fields, in which caches do not count; by what a copy is made of where it says that itself."""
        kind = type(thing)
        if is_dataclass(thing):
            return self._all("object", kind, {f.name: getattr(thing, f.name, None) for f in fields(thing)})
        state = {**_slots(thing), **getattr(thing, "__dict__", {})}
        state = {k: v for k, v in state.items() if not isinstance(getattr(kind, k, None), cached_property)}
        if isinstance(thing, Portable):
            return self._all("object", kind, state)
        try:
            known = copyreg.dispatch_table.get(kind)
            made = (
                thing.__reduce_ex__(4) if known is None else known(thing)
            )  # refuses what has content in C that is neither field nor slot
        except Exception as reason:
            raise _untold(thing, str(reason)) from None
        if isinstance(made, str):
            return self._all("name", kind, made)
        new, args, _, *items = (*made, None, None, None)[:5]
        usual: Any = object
        is_usual = (known, kind.__reduce_ex__, kind.__reduce__) == (None, usual.__reduce_ex__, usual.__reduce__)
        own = (state,) if is_usual else (new, *made[2:3])
        return self._all("object", kind, args, *own, *map(_plain_list, items))


def _digest_of(what: str, *parts: str | bytes) -> bytes:
    h = blake2b(what.encode(), digest_size=_DIGEST)
    for part in parts:
        data = part.encode("utf-8", "surrogatepass") if isinstance(part, str) else part
        h.update(len(data).to_bytes(8, "little") + data)
    return h.digest()


def _code(code: CodeType) -> tuple[Any, ...]:
    """Instructions and constants of a function, and of the functions nested in it."""
    constants = tuple(_code(c) if isinstance(c, CodeType) else c for c in code.co_consts)
    return code.co_code, code.co_names, code.co_varnames, code.co_freevars, constants


def _names(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for c in code.co_consts:
        if isinstance(c, CodeType):
            yield from _names(c)


def _content(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # not bound yet
        return None


def _slots(thing: Any) -> dict[str, Any]:
    names = [n for kind in type(thing).__mro__ for n in _as_names(kind.__dict__.get("__slots__", ()))]
    return {n: getattr(thing, n) for n in names if n not in UNTOLD and hasattr(thing, n)}


def _as_names(said: Any) -> tuple[str, ...]:
    return (said,) if isinstance(said, str) else tuple(said)


def _is_slot(value: Any) -> bool:
    return type(value).__name__ in ("member_descriptor", "getset_descriptor")


def _plain_list(part: Any) -> Any:
    return None if part is None else list(part)


def _name_of(thing: Any) -> str:
    return f"{getattr(thing, '__module__', '')}.{getattr(thing, '__qualname__', getattr(thing, '__name__', ''))}"


def _is_installed(module: str | None) -> bool:
    """Whether a module belongs to Python, to an installed package or to this one."""
    name = module or ""
    if name == "__main__":
        return False  # what is run is the user's, also by a profiler, whose file the module has
    if name.split(".")[0] in sys.stdlib_module_names:
        return True
    file = getattr(sys.modules.get(name), "__file__", None)
    if file is None:
        return name != "" and name in sys.modules  # of C, or made without a file
    path = Path(file).resolve()
    return path.is_relative_to(_OURS) or any(path.is_relative_to(place) for place in _INSTALLED)


def _version_of(module: str | None) -> str:
    """Of the package that a module belongs to; without one, of Python."""
    name = (module or "").split(".")[0]
    found = getattr(sys.modules.get(name), "__version__", "")
    return str(found) or (f"{sys.version_info[0]}.{sys.version_info[1]}" if name in sys.stdlib_module_names else "")


def _untold(thing: Any, why: str) -> StudyError:
    return StudyError(
        f"sweep: whether a study on disk was made with {shown(thing)} cannot be determined from its content ({why}); give version=, a text or number "
        "that you change when it changes"
    )
