"""A study on disk: a folder of Zarr (version 2 of the format), one chunk of each array for each batch.

The format is arrays cut into chunks, each a file of compressed numbers, and descriptions in JSON beside them
(https://zarr.readthedocs.io/, format 2). Chunks are written here, not by a library, because of what a study promises:
each appears whole or not at all and survives a loss of power, and that of `status` comes after all others of its batch,
so that a batch is finished exactly where its status is there. Worker processes need nothing installed for it.
Dimensions are named as xarray reads them: `xarray.open_zarr(path)`.
"""

from __future__ import annotations

import json
import os
import secrets
import shutil
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ...emit.run.callable import Array
from ...errors import StudyError, shown
from ...whole_files import whole_file
from .answers import MEANINGS, NO_INTEGER, UNKNOWN, Answers, Column, Schema
from .batches import Batches

VERSION: Final = 1  # version of the folder's layout
STATUS, MESSAGE = "status", "message"
MESSAGE_BYTES: Final = 240  # largest length of a stored message in bytes
COMPRESSION_LEVEL: Final = 1  # zlib compression level; higher ones hardly reduce the size of results
OWN: Final = {STATUS: Column((), (), "|u1"), MESSAGE: Column((), (), f"|S{MESSAGE_BYTES}")}


@dataclass(frozen=True)
class StudyFolder:
    """A folder with the arrays of a study, and its description (`about`)."""

    path: Path

    # ------------------------------------------------------------------------------------------------ making one

    @staticmethod
    def make(
        path: Path,
        dims: Mapping[str, int],
        batches: Batches,
        coordinates: Mapping[str, tuple[str, Array, str]],
        about: Mapping[str, Any],
    ) -> StudyFolder:
        """A new study, which appears under its name when it is complete."""
        if not path.parent.is_dir():
            raise FileNotFoundError(f"{path} cannot be written: there is no folder {path.parent}; make it first")
        part = StudyFolder(path.with_name(f".{path.name}.{secrets.token_hex(4)}.part"))
        part.path.mkdir()
        try:
            on_points = [n for n, (dim, _, _) in coordinates.items() if n != dim]
            own = {
                "version": VERSION,
                "id": secrets.token_hex(8),
                "dims": dict(dims),
                "chunk": list(batches.chunk),
                **about,
            }
            part._say(".zgroup", {"zarr_format": 2})
            part._say(
                ".zattrs",
                {"symbody_sweep": json.dumps(own), **({"coordinates": " ".join(on_points)} if on_points else {})},
            )
            for name, (dim, values, unit) in coordinates.items():
                part._line(name, dim, values, unit)
            part.add(OWN)
            os.rename(part.path, path)
        except BaseException:
            shutil.rmtree(part.path, ignore_errors=True)
            raise
        return StudyFolder(path)

    def add(self, schema: Schema, coordinates: Mapping[str, tuple[Array, str]] | None = None) -> None:
        """Arrays for answers, with values along their further dimensions."""
        for name, (values, unit) in (coordinates or {}).items():
            self._line(name, name, values, unit)
        for name, column in schema.items():
            kind = np.dtype(column.dtype)
            more: dict[str, Any] = {"units": column.unit} if column.unit else {}
            if name == STATUS:
                more = {"flag_values": list(range(len(MEANINGS))), "flag_meanings": " ".join(MEANINGS)}
            self._array(
                name,
                (*self.batches.shape, *column.shape),
                (*self.batches.chunk, *column.shape),
                kind,
                [*self.dims, *column.dims],
                more,
            )
        self._consolidate()

    def _line(self, name: str, dim: str, values: NDArray[Any], unit: str) -> None:
        """A coordinate, in one chunk."""
        more = {"units": unit} if unit else {}
        self._array(name, values.shape, values.shape, values.dtype, [dim], more, has_fill=False)
        self._write(self.path / name / "0", np.ascontiguousarray(values))

    def _array(
        self,
        name: str,
        shape: tuple[int, ...],
        chunk: tuple[int, ...],
        dtype: Any,
        dims: list[str],
        more: dict[str, Any],
        has_fill: bool = True,
    ) -> None:
        (self.path / name).mkdir(exist_ok=True)
        about = {
            "zarr_format": 2, "shape": list(shape), "chunks": [max(1, c) for c in chunk], "dtype": np.dtype(dtype).str, "order": "C", "filters": None,
            "compressor": {"id": "zlib", "level": COMPRESSION_LEVEL}, "fill_value": _fill(np.dtype(dtype)) if has_fill else None, "dimension_separator": ".",
        }  # fmt: skip
        self._say(f"{name}/.zattrs", {"_ARRAY_DIMENSIONS": dims, **more})
        self._say(f"{name}/.zarray", about)

    def _consolidate(self) -> None:
        """All descriptions in one file, as readers look for them."""
        found = sorted(p for pattern in (".z*", "*/.z*") for p in self.path.glob(pattern) if p.name != ".zmetadata")
        inside = {p.relative_to(self.path).as_posix(): json.loads(p.read_text(encoding="utf-8")) for p in found}
        self._say(".zmetadata", {"metadata": inside, "zarr_consolidated_format": 1})

    def _say(self, name: str, content: Any) -> None:
        with whole_file(self.path / name, cleans_up=False) as file:
            file.write(json.dumps(content, indent=1).encode())

    def _write(self, path: Path, values: NDArray[Any]) -> None:
        with whole_file(path, cleans_up=False) as file:
            file.write(zlib.compress(values.tobytes(), COMPRESSION_LEVEL))

    # ------------------------------------------------------------------------------------------------ description

    @cached_property
    def about(self) -> dict[str, Any]:
        try:
            text = json.loads((self.path / ".zattrs").read_text(encoding="utf-8"))["symbody_sweep"]
            found: dict[str, Any] = json.loads(text)
        except (OSError, ValueError, KeyError, TypeError):
            raise StudyError(f"{self.path} is not a study of symbody") from None
        if found["version"] != VERSION:
            raise StudyError(
                f"{self.path}: is of version {shown(found['version'])}, this package reads version {VERSION}"
            )
        return found

    @cached_property
    def dims(self) -> dict[str, int]:
        return {str(k): int(n) for k, n in self.about["dims"].items()}

    @cached_property
    def batches(self) -> Batches:
        return Batches(tuple(self.dims.values()), tuple(map(int, self.about["chunk"])))

    def _arrays(self) -> dict[str, tuple[dict[str, Any], dict[str, Any]]]:
        """Descriptions and notes of the arrays that are complete: those of the file that is written last."""
        try:
            found = json.loads((self.path / ".zmetadata").read_text(encoding="utf-8"))["metadata"]
        except (OSError, ValueError, KeyError):
            raise StudyError(f"{self.path} is not a study of symbody") from None
        names = [key.removesuffix("/.zarray") for key in found if key.endswith("/.zarray")]
        return {name: (found[f"{name}/.zarray"], found[f"{name}/.zattrs"]) for name in names}

    def schema(self) -> dict[str, Column]:
        """The columns of answers; empty as long as no member has any."""
        out, n = {}, len(self.dims)
        for name, (own, notes) in self._arrays().items():
            dims = notes["_ARRAY_DIMENSIONS"]
            if (
                name not in OWN
                and name not in self.dims
                and name not in self.about["over"]
                and dims[:n] == list(self.dims)
            ):
                out[name] = Column(tuple(dims[n:]), tuple(own["shape"][n:]), own["dtype"], notes.get("units", ""))
        return out

    # ------------------------------------------------------------------------------------------------ batches

    def write(self, k: int, answers: Answers, schema: Schema) -> None:
        """The answers of a batch; `status` last, by which it is finished."""
        for name, column in schema.items():
            if name in answers.values:
                self._chunk(name, column, k, answers.values[name])
        if answers.messages:
            said = np.zeros(answers.count, dtype=f"S{MESSAGE_BYTES}")
            for place, text in answers.messages.items():
                said[place] = _message_bytes(text)
            self._chunk(MESSAGE, OWN[MESSAGE], k, said)
        self._chunk(STATUS, OWN[STATUS], k, answers.status)

    def _chunk(self, name: str, column: Column, k: int, values: NDArray[Any]) -> None:
        """A chunk has its full size at the ends too."""
        sizes, whole = self.batches.sizes(k), (*self.batches.chunk, *column.shape)
        dtype = np.dtype(column.dtype)
        full = np.full(whole, _numeric_fill(dtype), dtype=dtype)
        full[tuple(slice(0, n) for n in sizes)] = values.reshape(*sizes, *column.shape)
        self._write(self._file(name, column, k), full)

    def _file(self, name: str, column: Column, k: int) -> Path:
        place = (*self.batches.place(k), *(0 for _ in column.shape))
        return self.path / name / ".".join(map(str, place))

    def read(self, name: str, column: Column, k: int) -> NDArray[Any] | None:
        """The rows of a batch, one for each member; None if it is not there."""
        dtype = np.dtype(column.dtype)
        try:
            found = np.frombuffer(zlib.decompress(self._file(name, column, k).read_bytes()), dtype)
        except FileNotFoundError:
            return None
        except zlib.error:  # half of it: the disk lost power
            return None
        sizes = self.batches.sizes(k)
        cut = found.reshape(*self.batches.chunk, *column.shape)[tuple(slice(0, n) for n in sizes)]
        return cut.reshape(-1, *column.shape)

    def is_finished(self, k: int) -> bool:
        found = self.read(STATUS, OWN[STATUS], k)
        return found is not None and bool((found != UNKNOWN).all())

    def column(self, name: str, column: Column) -> NDArray[Any]:
        """The values of all members; where they are not there, what stands for nothing."""
        dtype = np.dtype(column.dtype)
        out = np.full((int(np.prod(self.batches.shape)), *column.shape), _numeric_fill(dtype), dtype=dtype)
        for k in range(len(self.batches)):
            found = self.read(name, column, k)
            if found is not None:
                members = self.batches.members(k)
                out[members.start : members.stop] = found
        return out

    def coordinates(self) -> dict[str, tuple[str, NDArray[Any], str]]:
        """Dimension, values and unit of what lies along one dimension, by name."""
        out = {}
        for name, (own, notes) in self._arrays().items():
            dims = notes["_ARRAY_DIMENSIONS"]
            if len(dims) == 1 and (name == dims[0] or name in self.about["over"]):
                values = np.frombuffer(zlib.decompress((self.path / name / "0").read_bytes()), np.dtype(own["dtype"]))
                out[name] = (dims[0], values, notes.get("units", ""))
        order = [*self.dims, *self.about["over"]]
        return {n: out[n] for n in dict.fromkeys([*order, *out]) if n in out}


def _fill(dtype: Any) -> Any:
    """What a chunk that is not there holds, in JSON."""
    if dtype.kind in "fc":
        return "NaN" if dtype.kind == "f" else ["NaN", "NaN"]
    if dtype.kind == "S":
        return ""
    return NO_INTEGER if dtype.kind == "i" else None


def _numeric_fill(dtype: Any) -> Any:
    if dtype.kind == "c":
        return complex(np.nan, np.nan)
    return {"f": np.nan, "S": b"", "i": NO_INTEGER}.get(dtype.kind, UNKNOWN)


def _message_bytes(text: str) -> bytes:
    """A message within the permitted bytes, not cut within a character."""
    data = text.encode()
    return data if len(data) <= MESSAGE_BYTES else data[: MESSAGE_BYTES - 3].decode(errors="ignore").encode() + b"..."
