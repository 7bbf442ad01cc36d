"""Packages that not everybody has, or that take long to load, loaded when they are first needed."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from ...errors import StudyError


def optional_package(name: str, what: str) -> Any:
    """The package; where it is not installed, an error that says what it is needed for."""
    try:
        return import_module(name)
    except ImportError:
        raise StudyError(
            f"{what}: this needs the package {name.split('.')[0]!r}: pip install {name.split('.')[0]}"
        ) from None
