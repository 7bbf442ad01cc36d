"""Columns over time, or over the motions of a branch, as tables of pandas and xarray, which are loaded only when asked
for."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

from numpy.typing import NDArray

from ...emit.run.callable import Array
from ...errors import SimulationError


def data_frame(over: str, index: NDArray[Any], columns: Mapping[str, Array]) -> Any:
    """A pandas DataFrame with a named index."""
    pandas = _package("pandas")
    return pandas.DataFrame(dict(columns), index=pandas.Index(index, name=over))


def data_set(over: str, index: NDArray[Any], columns: Mapping[str, Array], attributes: Mapping[str, Any]) -> Any:
    """An xarray Dataset over a named coordinate."""
    return _package("xarray").Dataset(
        {name: (over, values) for name, values in columns.items()}, coords={over: index}, attrs=attributes
    )


def data_array(name: str, coordinates: Mapping[str, Array], values: NDArray[Any]) -> Any:
    """An xarray DataArray over several coordinates."""
    return _package("xarray").DataArray(values, coords=dict(coordinates), dims=tuple(coordinates), name=name)


def _package(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError:
        raise SimulationError(f"this needs the package {name!r}: pip install {name}") from None
