"""A study on disk: a folder of Zarr (version 2 of the format), one chunk of each array for each batch.

The format is arrays cut into chunks, each a file of compressed numbers, and descriptions in JSON beside them
(https://zarr.readthedocs.io/, format 2). Chunks are written here, not by a library, because of what a study promises:
each appears whole or not at all and survives a loss of power, and that of `status` comes after all others of its batch,
so that a batch is finished exactly where its status is there. Worker processes need nothing installed for it.
Dimensions are named as xarray reads them: `xarray.open_zarr(path)`.

Beside the arrays, `.checks/K` has the digests of all chunks of batch K. A batch of which a chunk is missing or has another
digest is damaged: its members count as not computed.
"""

from __future__ import annotations

import json
import math
import os
import re
import secrets
import shutil
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ....emit.run.callable import Array
from ....errors import StudyError, shown, why_no_file
from ....escaping import checked_name
from ....given_files import file_bytes, reading, text_of
from ....whole_files import whole_file
from ..questions.answers import MEANINGS, NO_INTEGER, UNKNOWN, Answers, Column, Schema
from .batches import Batches

LAYOUT: Final = 2  # version of the folder's layout; 1 had no digests
READ: Final = (1, LAYOUT)
CHECKS: Final = ".checks"
COLUMNS: Final = "columns of the study"  # among the digests of a batch
DIGEST: Final = "symbody_digest"
NAME: Final = re.compile(r"[^/\\\x00-\x1f]{1,200}")  # of an array, which is a folder in that of the study
KINDS: Final = "fciuS"  # of entries
LEAST_BYTES: Final = 2**28  # that an array may have, however little of it is there
MOST_RATIO: Final = 2000  # of the bytes of an array to those of its files beyond that; zlib reaches about 1000
MOST_MEMBERS: Final = 10**12
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
                "version": LAYOUT,
                "id": secrets.token_hex(8),
                "dims": dict(dims),
                "chunk": list(batches.chunk),
                **about,
            }
            part._say(".zgroup", {"zarr_format": 2})
            text = json.dumps(own)
            more = {"coordinates": " ".join(on_points)} if on_points else {}
            part._say(".zattrs", {"symbody_sweep": text, DIGEST: _digest(text.encode()), **more})
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
        more = {**({"units": unit} if unit else {}), DIGEST: _digest_of_values(values)}
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
        self.__dict__.pop("_arrays", None)
        found = sorted(p for pattern in (".z*", "*/.z*") for p in self.path.glob(pattern) if p.name != ".zmetadata")
        inside = {p.relative_to(self.path).as_posix(): json.loads(p.read_text(encoding="utf-8")) for p in found}
        self._say(".zmetadata", {"metadata": inside, "zarr_consolidated_format": 1})

    def _say(self, name: str, content: Any) -> None:
        with whole_file(self.path / name, cleans_up=False) as file:
            file.write(json.dumps(content, indent=1).encode())

    def _write(self, path: Path, values: NDArray[Any]) -> str:
        """A chunk; its digest."""
        content = zlib.compress(values.tobytes(), COMPRESSION_LEVEL)
        if path.is_symlink():  # which is not read either
            path.unlink()
        with whole_file(path, cleans_up=False) as file:
            file.write(content)
        return _digest(content)

    # ------------------------------------------------------------------------------------------------ description

    @cached_property
    def about(self) -> dict[str, Any]:
        with reading(f"{self.path} is not a study of symbody", StudyError):
            said = self._described(".zattrs")
            found: dict[str, Any] = json.loads(said["symbody_sweep"])
            if found["version"] not in READ:
                raise StudyError(
                    f"{self.path}: is of version {shown(found['version'])}, this package reads version {LAYOUT}"
                )
            if found["version"] == LAYOUT and said.get(DIGEST) != _digest(said["symbody_sweep"].encode()):
                raise ValueError("its description is damaged")
            checked_name(found["name"], f"{self.path}: its name", StudyError)
            _check_dims(found["dims"], found["chunk"])
            _ = dict(found["over"]), found["id"], dict(found["identity"])
            return found
        raise AssertionError("unreachable")

    def _described(self, name: str) -> Any:
        if wrong := why_no_file(self.path / name):
            raise ValueError(f"{name}: {wrong}")
        return json.loads(text_of((self.path / name).read_bytes(), name, StudyError))

    @cached_property
    def dims(self) -> dict[str, int]:
        return {str(k): int(n) for k, n in self.about["dims"].items()}

    @cached_property
    def batches(self) -> Batches:
        return Batches(tuple(self.dims.values()), tuple(map(int, self.about["chunk"])))

    @cached_property
    def _arrays(self) -> dict[str, tuple[dict[str, Any], dict[str, Any]]]:
        """Descriptions and notes of the arrays that are complete: those of the file that is written last."""
        with reading(f"{self.path} is not a study of symbody", StudyError):
            found = self._described(".zmetadata")["metadata"]
            names = [key.removesuffix("/.zarray") for key in found if key.endswith("/.zarray")]
            for name in names:
                _check_array(name, found[f"{name}/.zarray"], found[f"{name}/.zattrs"])
            return {name: (found[f"{name}/.zarray"], found[f"{name}/.zattrs"]) for name in names}
        raise AssertionError("unreachable")

    def schema(self) -> dict[str, Column]:
        """The columns of answers; empty as long as no member has any."""
        out, n = {}, len(self.dims)
        for name, (own, notes) in self._arrays.items():
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
        """The answers of a batch with their digests; `status` last, by which it is finished."""
        digests = {n: self._chunk(n, c, k, answers.values[n]) for n, c in schema.items() if n in answers.values}
        if answers.messages:
            said = np.zeros(answers.count, dtype=f"S{MESSAGE_BYTES}")
            for place, text in answers.messages.items():
                said[place] = _message_bytes(text)
            digests[MESSAGE] = self._chunk(MESSAGE, OWN[MESSAGE], k, said)
        status = self._full(OWN[STATUS], k, answers.status)
        digests[COLUMNS] = _digest_of_columns(schema)
        digests[STATUS] = _digest(zlib.compress(status.tobytes(), COMPRESSION_LEVEL))
        (self.path / CHECKS).mkdir(exist_ok=True)
        self._say(f"{CHECKS}/{k}", digests)
        self._write(self._file(STATUS, OWN[STATUS], k), status)
        self._intact.pop(k, None)

    def _chunk(self, name: str, column: Column, k: int, values: NDArray[Any]) -> str:
        return self._write(self._file(name, column, k), self._full(column, k, values))

    def _full(self, column: Column, k: int, values: NDArray[Any]) -> NDArray[Any]:
        """A chunk has its full size at the ends too."""
        sizes, whole = self.batches.sizes(k), (*self.batches.chunk, *column.shape)
        dtype = np.dtype(column.dtype)
        full = np.full(whole, _numeric_fill(dtype), dtype=dtype)
        full[tuple(slice(0, n) for n in sizes)] = values.reshape(*sizes, *column.shape)
        return full

    def _file(self, name: str, column: Column, k: int) -> Path:
        place = (*self.batches.place(k), *(0 for _ in column.shape))
        return self.path / name / ".".join(map(str, place))

    def read(self, name: str, column: Column, k: int) -> NDArray[Any] | None:
        """The rows of a batch, one for each member; None if it is not there, or damaged."""
        if not self.is_intact(k):
            return None
        shape, dtype = (*self.batches.chunk, *column.shape), np.dtype(column.dtype)
        data = self._file_content(name, column, k)
        found = None if data is None else _unpacked_content(data, math.prod(shape) * dtype.itemsize)
        if found is None:
            return None
        cut = np.frombuffer(found, dtype).reshape(shape)[tuple(slice(0, n) for n in self.batches.sizes(k))]
        return cut.reshape(-1, *column.shape)

    def _file_content(self, name: str, column: Column, k: int) -> bytes | None:
        path = self._file(name, column, k)
        try:
            return None if path.is_symlink() or not path.is_file() else path.read_bytes()
        except OSError:
            return None

    def is_intact(self, k: int) -> bool:
        """Whether all chunks of a batch are there as they were written. (Studies of the first layout do not record it.)"""
        if self.about["version"] < LAYOUT:
            return True
        if k not in self._intact:
            self._intact[k] = self._agrees(k)
        return self._intact[k]

    @cached_property
    def _intact(self) -> dict[int, bool]:
        return {}

    def _agrees(self, k: int) -> bool:
        """With the digests of the batch."""
        schema = self.schema()
        columns = {**schema, **OWN}
        try:
            digests = dict(json.loads((self.path / CHECKS / str(k)).read_bytes()))
        except (OSError, ValueError, TypeError):
            return False
        if digests.pop(COLUMNS, "") not in (_digest_of_columns(schema), _digest_of_columns({})):
            return False
        contents = {n: self._file_content(n, columns[n], k) if n in columns else None for n in (*digests, STATUS)}
        return all(data is not None and _digest(data) == digests.get(n) for n, data in contents.items())

    def is_finished(self, k: int) -> bool:
        found = self.read(STATUS, OWN[STATUS], k)
        return found is not None and bool((found != UNKNOWN).all())

    def damaged(self) -> list[int]:
        """Batches that were finished, and of which a part is missing or changed."""
        return [k for k in self._begun() if not self.is_intact(k)]

    def _begun(self) -> list[int]:
        """Batches that have a status on disk."""
        counts, found = self.batches.counts, []
        for entry in os.scandir(self.path / STATUS):
            words = entry.name.split(".")
            if len(words) == len(counts) and all(w.isdecimal() and len(w) < 16 for w in words):
                place = tuple(map(int, words))
                if all(p < n for p, n in zip(place, counts, strict=True)):
                    found.append(int(np.ravel_multi_index(place, counts)))
        return sorted(found)

    def column(self, name: str, column: Column) -> NDArray[Any]:
        """The values of all members; where they are not there, what stands for nothing."""
        dtype, count = np.dtype(column.dtype), math.prod(self.batches.shape)
        self._refuse_size(name, count * math.prod(column.shape) * dtype.itemsize)
        out = np.full((count, *column.shape), _numeric_fill(dtype), dtype=dtype)
        for k in self._begun():
            found = self.read(name, column, k)
            if found is not None:
                members = self.batches.members(k)
                out[members.start : members.stop] = found
        return out

    def _refuse_size(self, name: str, size: int) -> None:
        """Of an array that its description makes far larger than its files."""
        if size > LEAST_BYTES:
            there = sum(e.stat().st_size for e in os.scandir(self.path / name) if e.is_file(follow_symlinks=False))
            if size > MOST_RATIO * there:
                raise StudyError(
                    f"{self.path}: {name} would take {size} bytes, but {there} are available; to_xarray() reads parts of it"
                )

    def _coordinate(self, name: str, own: Mapping[str, Any], notes: Mapping[str, Any]) -> NDArray[Any]:
        dtype, place = np.dtype(own["dtype"]), self.path / name / "0"
        data = file_bytes(place, f"{self.path}: the values of {name}", StudyError)
        found = _unpacked_content(data, math.prod(own["shape"]) * dtype.itemsize)
        values = None if found is None or place.is_symlink() else np.frombuffer(found, dtype)
        has_digest = self.about["version"] == LAYOUT
        if values is None or (has_digest and notes.get(DIGEST) != _digest_of_values(values)):
            raise StudyError(f"{self.path}: the values of {name} are damaged; remove the study, and compute it again")
        return values

    def coordinates(self) -> dict[str, tuple[str, NDArray[Any], str]]:
        """Dimension, values and unit of what lies along one dimension, by name."""
        out = {}
        for name, (own, notes) in self._arrays.items():
            dims = notes["_ARRAY_DIMENSIONS"]
            if len(dims) == 1 and (name == dims[0] or name in self.about["over"]):
                values = self._coordinate(name, own, notes)
                out[name] = (dims[0], values, notes.get("units", ""))
        order = [*self.dims, *self.about["over"]]
        return {n: out[n] for n in dict.fromkeys([*order, *out]) if n in out}


def _digest(content: bytes) -> str:
    return blake2b(content, digest_size=16).hexdigest()


def _digest_of_values(values: NDArray[Any]) -> str:
    return _digest(f"{values.dtype.str} {values.shape}".encode() + values.tobytes())


def _digest_of_columns(schema: Schema) -> str:
    """Of dimensions, shapes and types, without which the numbers of a chunk mean nothing."""
    return _digest(repr(sorted((n, c.dims, c.shape, c.dtype) for n, c in schema.items())).encode())


def _unpacked_content(data: bytes, size: int) -> bytes | None:
    """The content of a chunk, if it has this size; no more than that is unpacked."""
    try:
        found = zlib.decompressobj().decompress(data, size + 1)
    except zlib.error:
        return None
    return found if len(found) == size else None


def _check_dims(dims: Any, chunk: Any) -> None:
    sizes = [*dims.values(), *chunk]
    if len(chunk) != len(dims) or not all(isinstance(n, int) and 1 <= n <= MOST_MEMBERS for n in sizes):
        raise ValueError("its dimensions are not sizes of a study")
    if math.prod(dims.values()) > MOST_MEMBERS:
        raise ValueError(f"it would have more than {MOST_MEMBERS} members")


def _check_array(name: str, own: Any, notes: Any) -> None:
    """Names lead to folders of the study alone, and entries are numbers or texts."""
    if not NAME.fullmatch(name) or name.startswith("."):
        raise ValueError(f"{name!r} is not a valid name of an array")
    sizes, dims = [*own["shape"], *own["chunks"]], notes["_ARRAY_DIMENSIONS"]
    if not all(isinstance(n, int) and 0 <= n <= MOST_MEMBERS for n in sizes) or not all(
        isinstance(d, str) for d in dims
    ):
        raise ValueError(f"{name}: its shape or dimensions are not sizes and names")
    if np.dtype(own["dtype"]).kind not in KINDS:
        raise ValueError(f"{name}: its entries are of type {own['dtype']}")
    for text in (name, *dims, str(notes.get("units", ""))):
        checked_name(text, "a name of an array, dimension or unit", StudyError)


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
