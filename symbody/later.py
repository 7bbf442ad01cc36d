"""Names that are loaded when they are first used.

`offer` serves every `__init__.py`: `import symbody` loads no stage, `sb.sin` loads the algebra, `sb.plot` Matplotlib.

`later` serves methods that hand a result on: `scene.save("view.glb")` gives the scene to `write`. Imports point against
the flow of data, so a result cannot import what is made of it; `tests/test_architecture.py` lists these methods.
"""

from __future__ import annotations

import ast
import importlib
import sys
from functools import cache
from types import ModuleType
from typing import Any


def later(module: str, name: str) -> Any:
    """The function `name` of a module of a later stage, such as `later("write.gltf", "glb")`."""
    return getattr(importlib.import_module(f"symbody.{module}"), name)


def offer(package: str) -> None:
    """Load each name in `__all__` of a package when it is first used; `dir` shows these names and no others.

    The imports that its `__init__.py` makes for type checkers say where each name lives, so that people, type checkers
    and Python read one list.
    """
    module: Any = sys.modules[package]
    for name in module.__all__:
        module.__dict__.pop(name, None)  # submodules that are loaded already and have the name of a function
    module.__class__ = _Offering


class _Offering(ModuleType):
    """A package with lazy names, which stay what they are: when a folder such as `symbody.kits.robots` is imported, Python sets
    the attribute `derive` of `symbody` to that folder; here it remains the function."""

    __all__: list[str]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name not in self.__all__:
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}", name=name, obj=self)
        module, attribute = _homes(self.__name__)[name]
        loaded = importlib.import_module(module)
        self.__dict__[name] = value = getattr(loaded, attribute) if attribute else loaded
        return value

    def __setattr__(self, name: str, value: Any) -> None:
        if not (isinstance(value, ModuleType) and name in self.__all__):
            super().__setattr__(name, value)

    def __dir__(self) -> list[str]:
        return sorted(self.__all__)


@cache
def _homes(package: str) -> dict[str, tuple[str, str]]:
    """Module and attribute of each name that `__init__.py` imports; no attribute for the module itself."""
    loader: Any = sys.modules[package].__loader__
    found = {}
    for node in ast.walk(ast.parse(loader.get_source(package))):
        if isinstance(node, ast.ImportFrom) and node.level == 1:
            for alias in node.names:
                module = f"{package}.{node.module or alias.name}"
                found[alias.asname or alias.name] = (module, alias.name if node.module else "")
    return found
