"""Columns over time, or over the motions of a branch, as tables of pandas and xarray, which are loaded only on use."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from numpy.typing import NDArray

from ...emit.run.callable import Array
from ...errors import SimulationError
from ...optional_packages import optional_package


def data_frame(over: str, index: NDArray[Any], columns: Mapping[str, Array]) -> Any:
    """A pandas DataFrame with a named index."""
    pandas = optional_package("pandas", "a result as a table", SimulationError)
    return pandas.DataFrame(dict(columns), index=pandas.Index(index, name=over))


def data_set(over: str, index: NDArray[Any], columns: Mapping[str, Array], attributes: Mapping[str, Any]) -> Any:
    """An xarray Dataset over a named coordinate."""
    return optional_package("xarray", "a result as a dataset", SimulationError).Dataset(
        {name: (over, values) for name, values in columns.items()}, coords={over: index}, attrs=attributes
    )


def data_array(name: str, coordinates: Mapping[str, Array], values: NDArray[Any]) -> Any:
    """An xarray DataArray over several coordinates."""
    return optional_package("xarray", "a result as a dataset", SimulationError).DataArray(
        values, coords=dict(coordinates), dims=tuple(coordinates), name=name
    )
