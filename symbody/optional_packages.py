"""Optional packages, and packages that take long to load, imported on first use."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from .errors import SymbodyError


def optional_package(module: str, where: str, error: type[SymbodyError], install: str = "") -> Any:
    """Import a module of another package; if it is missing, raise an error that names the package to install.

    where     what needs it, for the error
    install   the name by which pip knows the package, where it is not that of the module
    """
    try:
        return import_module(module)
    except ImportError:
        name = install or module.partition(".")[0]
        raise error(f"{where}: needs the package {name!r}, which is not installed: pip install {name}") from None
