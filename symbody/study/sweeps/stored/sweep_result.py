"""`SweepResult`: the answers of all members, by name, with the varied values."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ....errors import StudyError, in_number, unknown
from ....escaping import in_one_line
from ....given_files import reading
from ....optional_packages import optional_package
from ....summary import Summarized, Summary, listing, summary_rows
from ..questions.answers import FAILED, UNKNOWN, Answers, Column
from .study_folder import MESSAGE, OWN, STATUS, StudyFolder


@dataclass(frozen=True, eq=False, repr=False)
class SweepResult(Summarized):
    """The answers of a sweep: `study["growth"]` has the dimensions of the study, then those of the answer.

    dims          names and lengths of the dimensions: quantities varied by a list of values, and `sample` for sampled
                  points
    coordinates   dimension, values and unit of each varied quantity and of times
    columns       dimensions, type and unit of the answers
    path          the folder on disk, if there is one; answers are read from it on access

    >>> found = sb.sweep(lambda a, b: a * b, {"a": [1.0, 2.0], "b": [3.0, 4.0, 5.0]})
    >>> found.dims, found["value"]
    ({'a': 2, 'b': 3}, array([[ 3.,  4.,  5.],
           [ 6.,  8., 10.]]))

    See also: `sweep`, `study.load_sweep`.
    """

    name: str
    dims: Mapping[str, int]
    coordinates: Mapping[str, tuple[str, NDArray[Any], str]]
    columns: Mapping[str, Column]
    answers: Answers | None = None
    path: Path | None = None

    @property
    def shape(self) -> tuple[int, ...]:
        """Lengths of the dimensions.

        >>> def half(a):
        ...     if a < 0:
        ...         raise ValueError("negative")
        ...     return a / 2
        >>> found = sb.sweep(half, {"a": [1.0, -1.0, 3.0]})
        >>> found.shape, found.names, found.status, found.is_complete, found.failed
        ((3,), ('value',), array([1, 2, 1], dtype=uint8), True, [1])
        >>> found.outcome(1), found.values(2), found.to_xarray()["value"].values
        ('ValueError: negative', {'a': 3.0}, array([0.5, nan, 1.5]))

        See also: `sweep`, `study.load_sweep`.
        """
        return tuple(self.dims.values())

    def __len__(self) -> int:
        return int(np.prod(self.shape))

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the answers."""
        return tuple(self.columns)

    def __getitem__(self, name: str) -> NDArray[Any]:
        if name in self.coordinates:
            return self.coordinates[name][1]
        if name not in self.columns:
            raise unknown(f"sweep {self.name!r}", "answer", name, [*self.columns, *self.coordinates], StudyError)
        return self._flat(name).reshape(*self.shape, *self.columns[name].shape)

    def _flat(self, name: str) -> NDArray[Any]:
        """One row for each member."""
        if self.path is not None:
            with reading(f"{self.path}: {name} cannot be read", StudyError):
                return self._folder.column(name, {**self.columns, **OWN}[name])
        assert self.answers is not None
        return self.answers.values[name]

    @cached_property
    def _folder(self) -> StudyFolder:
        assert self.path is not None
        return StudyFolder(self.path)

    @cached_property
    def status(self) -> NDArray[np.uint8]:
        """Status of each member: 0 not computed, 1 finished, 2 failed."""
        flat = self.answers.status if self.answers is not None else self._flat(STATUS)
        return flat.reshape(self.shape)

    @property
    def is_complete(self) -> bool:
        """Whether every member was computed, including failed ones."""
        return bool((self.status != UNKNOWN).all())

    @property
    def failed(self) -> list[int]:
        """Numbers of the members that failed."""
        return np.flatnonzero(self.status.reshape(-1) == FAILED).tolist()

    def outcome(self, member: int) -> str:
        """The sentence that states how a member ended."""
        state = int(self.status.reshape(-1)[member])
        return ("not computed", "finished")[state] if state != FAILED else self._messages[member]

    @cached_property
    def _messages(self) -> Mapping[int, str]:
        if self.answers is not None:
            return self.answers.messages
        said = self._flat(MESSAGE)
        return {k: in_one_line(said[k].decode(errors="replace")) for k in self.failed}

    def values(self, member: int) -> dict[str, float]:
        """The varied values of one member, by its number."""
        along = dict(zip(self.dims, np.unravel_index(member, self.shape), strict=True))
        return {n: float(v[along[d]]) for n, (d, v, _) in self.coordinates.items() if d in self.dims and n != "sample"}

    def to_xarray(self) -> Any:
        """An xarray Dataset; for a study on disk it reads data on access."""
        xarray = optional_package("xarray", "a sweep as a dataset", StudyError)
        if self.path is not None:
            optional_package("zarr", "a study on disk as a dataset", StudyError)
            return xarray.open_zarr(self.path, chunks=None)
        units = {n: {"units": c.unit} if c.unit else {} for n, c in self.columns.items()}
        arrays = {n: ([*self.dims, *c.dims], self[n], units[n]) for n, c in self.columns.items()}
        lines = {n: (d, v, {"units": u} if u else {}) for n, (d, v, u) in self.coordinates.items()}
        return xarray.Dataset(
            {**arrays, STATUS: (list(self.dims), self.status)}, coords=lines, attrs={"name": self.name}
        )

    def _summary(self) -> Summary:
        varied = (f"{n} ({len(v)})" for n, (d, v, _) in self.coordinates.items() if d in self.dims and n != "sample")
        bad = self.failed
        common = Counter(self._messages[k] for k in bad).most_common(3)
        rows = summary_rows(
            varied=listing(varied),
            answers=listing(f"{n} [{', '.join((*self.dims, *c.dims))}]" for n, c in self.columns.items()),
            failed="; ".join(f"{n} times: {text}" for text, n in common),
            on_disk="" if self.path is None else str(self.path),
        )
        left = int((self.status == UNKNOWN).sum())
        state = f"{len(self) - left} of {len(self)} members" if left else f"{len(self)} members"
        return Summary(f"Sweep of {self.name}: {state}, {len(bad)} failed", rows)


def load_sweep(path: str | Path) -> SweepResult:
    """Load a study from disk, with the results computed so far. No stored code is executed.

    >>> made = sb.sweep(lambda a: a**2, {"a": [1.0, 2.0, 3.0]}, to="study.zarr")
    >>> sb.study.load_sweep("study.zarr")["value"]
    array([1., 4., 9.])

    See also: `sweep`, `study.SweepResult`.
    """
    folder = StudyFolder(Path(path))
    with reading(f"{path} is not a study of symbody", StudyError):
        found = SweepResult(folder.about["name"], folder.dims, folder.coordinates(), folder.schema(), path=folder.path)
        damaged = folder.damaged()
    if damaged:
        warnings.warn(
            f"{path}: {in_number(damaged, 'the batch {} is', 'the batches {} are')} damaged; members of it count as not computed, and the same call of sweep computes them again",
            stacklevel=2,
        )
    return found
