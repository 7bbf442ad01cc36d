"""Packages that only some bodies need, loaded when one does."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from ..errors import ModelError


def package(where: str, module: str, name: str) -> Any:
    try:
        return import_module(module)
    except ImportError:
        raise ModelError(f"{where}: this needs the package {name!r}: pip install {name}") from None
