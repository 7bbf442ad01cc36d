"""Names that are loaded when they are first used, and old names that still work.

`offer` serves every `__init__.py`: `import symbody` loads no stage, `sb.sin` loads the algebra, `sb.plot` Matplotlib.

`OldMembers` serves classes that have renamed methods or properties. An old name, of a package or of a class, works for one
release with a `RenamedWarning` that gives the new one (docs/stability-of-names.md).

`later` serves methods that hand a result on: `scene.save("view.glb")` gives the scene to `write`. Imports point against
the flow of data, so a result cannot import what is made of it; `tests/test_architecture.py` lists these methods.
"""

from __future__ import annotations

import ast
import importlib
import importlib.util
import sys
import warnings
from collections.abc import Iterator, Mapping
from functools import cache, partial, reduce
from types import MappingProxyType, ModuleType
from typing import TYPE_CHECKING, Any, ClassVar, Final

GONE_IN: Final = "0.3"
"""The release in which old names stop working; preparing it empties the tables of them."""
ROOT: Final = __name__.rpartition(".")[0]


class RenamedWarning(DeprecationWarning):
    """An old name was used; the message has the new one."""


def later(module: str, name: str) -> Any:
    """The function `name` of a module of a later stage, such as `later("write.files.gltf", "glb")`."""
    return getattr(importlib.import_module(f"{ROOT}.{module}"), name)


# ------------------------------------------------------------------------------------------------------ names of packages


def offer(package: str, renamed: Mapping[str, str] = MappingProxyType({})) -> None:
    """Load each name in `__all__` of a package when it is first used; `dir` shows these names and no others.

    The imports that its `__init__.py` makes for type checkers say where each name lives, so that people, type checkers
    and Python read one list.

    renamed   old names, which still work and warn, and where each is now: {"gram_schmidt": "derivation.gram_schmidt"}
    """
    module: Any = sys.modules[package]
    for name in module.__all__:
        module.__dict__.pop(name, None)  # submodules that are loaded already and have the name of a function
    module._renamed = renamed
    module.__class__ = _Offering


class _Offering(ModuleType):
    """A package with lazy names, which stay what they are: when a folder such as `symbody.kits.robots` is imported, Python sets
    the attribute `derive` of `symbody` to that folder; here it remains the function."""

    __all__: list[str]
    _renamed: Mapping[str, str]

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("__") and name in self.__all__:
            module, attribute = _homes(self.__name__)[name]
            loaded = importlib.import_module(module)
            self.__dict__[name] = value = getattr(loaded, attribute) if attribute else loaded
            return value
        if new := self._renamed.get(name):
            _warn(f"{_short(self.__name__)}.{name}", f"sb.{new}")
            return _object_at(new)
        problem = f"module {self.__name__!r} has no attribute {name!r}"
        if name.startswith("_"):
            raise AttributeError(problem, name=name, obj=self)
        raise AttributeError(
            problem + _advice(self.__name__, name), name=None, obj=None
        )  # None: tracebacks add no advice

    def __setattr__(self, name: str, value: Any) -> None:
        if not (isinstance(value, ModuleType) and name in self.__all__):
            super().__setattr__(name, value)

    def __dir__(self) -> list[str]:
        return sorted(self.__all__)


@cache
def _homes(package: str) -> dict[str, tuple[str, str]]:
    """Module and attribute of each name that `__init__.py` imports for type checkers; no attribute for the module itself."""
    spec: Any = importlib.util.find_spec(package)
    found = {}
    for_types = (n for n in ast.parse(spec.loader.get_source(package)).body if isinstance(n, ast.If))
    for node in (n for block in for_types for n in block.body if isinstance(n, ast.ImportFrom)):
        for alias in node.names:
            module = importlib.util.resolve_name("." * node.level + (node.module or alias.name), package)
            found[alias.asname or alias.name] = (module, alias.name if node.module else "")
    return found


def _advice(package: str, name: str) -> str:
    """`. Did you mean 'simulate'?`, or where else the name is: `; there is sb.stability.StateSpace`."""
    if elsewhere := next((p for p in _packages(ROOT) if p != package and name in _homes(p)), ""):
        return f"; there is {_short(elsewhere)}.{name}"
    hint = later("errors", "hint")(name, sys.modules[package].__all__)
    return f".{hint}" if hint else ""


def _packages(package: str) -> Iterator[str]:
    """A package and those inside that offer names; their stages are not loaded."""
    yield package
    for module, attribute in _homes(package).values():
        if not attribute and (spec := importlib.util.find_spec(module)) and spec.submodule_search_locations:
            yield from _packages(module)


def _short(package: str) -> str:
    """A package as users write it: `sb.kits`."""
    return f"sb{package.removeprefix(ROOT)}"


def _object_at(path: str) -> Any:
    """`derivation.gram_schmidt`, from the package."""
    return reduce(getattr, path.split("."), sys.modules[ROOT])


def _warn(old: str, new: str) -> None:
    """Warn at the line that uses the old name."""
    said = f"{old} is now {new}; the old name stops working in symbody {GONE_IN}"
    warnings.warn(said, RenamedWarning, stacklevel=3)


# ------------------------------------------------------------------------------------------------------ members of classes


class OldMembers:
    """A class with renamed methods and properties: `class Equations(OldMembers, renamed={...})`.

    {"bode": "frequency_response"}                    now another member, or a member of one: "rows.position"
    {"design": "stability.design_parameters(lin, ...)"}   a method, now a function
    {"undetermined": "derivation.undetermined(eq)"}   a property, now a function

    `dir` and type checkers see the new names alone.
    """

    __slots__ = ()
    _renamed: ClassVar[Mapping[str, str]] = MappingProxyType({})

    def __init_subclass__(cls, renamed: Mapping[str, str] = MappingProxyType({}), **options: Any) -> None:
        super().__init_subclass__(**options)
        cls._renamed = {**cls._renamed, **renamed}

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            new = type(self)._renamed.get(name)
            if new is None:
                return object.__getattribute__(self, name)  # raises again what it raised
            path, _, arguments = new.partition("(")
            _warn(f"{type(self).__name__}.{name}", f"sb.{new}" if arguments else f"{type(self).__name__}.{new}")
            if not arguments:
                return reduce(getattr, path.split("."), self)
            return partial(_object_at(path), self) if arguments.endswith("...)") else _object_at(path)(self)
