"""Columns over time as tables of pandas and xarray, which are loaded only when asked for."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

from ..emit.run.callable import Array
from ..errors import SimulationError


def data_frame(t: Array, columns: Mapping[str, Array]) -> Any:
    """A pandas DataFrame with time as its index."""
    pandas = _package("pandas")
    return pandas.DataFrame(dict(columns), index=pandas.Index(t, name="t"))


def data_set(t: Array, columns: Mapping[str, Array], attributes: Mapping[str, Any]) -> Any:
    """An xarray Dataset over time."""
    return _package("xarray").Dataset(
        {name: ("t", values) for name, values in columns.items()}, coords={"t": t}, attrs=attributes
    )


def _package(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError:
        raise SimulationError(f"this needs the package {name!r}: pip install {name}") from None
