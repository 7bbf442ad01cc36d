"""Arrays in files (.npy, .npz). The shape, type and size of each array are known before it is read, and bounded by the
file size.

Headers are parsed here and not evaluated; arrays of objects are refused. `write_arrays` writes an archive with a header
in JSON, which `ArrayFile.header` reads.
"""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Final
from zipfile import ZipFile

import numpy as np
from numpy.typing import NDArray

from .errors import ModelError, SymbodyError, shown, why_no_file
from .escaping import UNPRINTABLE
from .given_files import file_bytes, reading
from .whole_files import whole_file

LEAST_BYTES: Final = 64 * 2**20  # that an archive may unpack to, however small it is
MOST_RATIO: Final = 100  # of unpacked to packed size; numbers of a motion hardly compress
MOST_HEADER: Final = 4096  # bytes before the numbers of an array
KINDS: Final = "biufcSU"  # of entries: numbers and texts
_MAGIC: Final = b"\x93NUMPY"
_TYPE: Final = re.compile(r"'descr'\s*:\s*'([<>|=]?[a-zA-Z]\d{1,5})'")
_ORDER: Final = re.compile(r"'fortran_order'\s*:\s*(True|False)")
_SHAPE: Final = re.compile(r"'shape'\s*:\s*\(((?:\s*\d{1,15}L?\s*,?)*)\s*\)")


def write_arrays(path: str | Path, header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> Path:
    """Write a header and arrays; the file's name gets the ending .npz if it has none."""
    place = Path(path)
    if place.suffix != ".npz":
        place = place.with_name(place.name + ".npz")
    everything: dict[str, Any] = {"header": np.frombuffer(json.dumps(header).encode(), dtype=np.uint8), **arrays}
    with whole_file(place) as file:
        np.savez_compressed(file, **everything)
    return place


@contextmanager
def read_arrays(path: str | Path, what: str, error: type[SymbodyError]) -> Iterator[ArrayFile]:
    """Context manager that opens an archive; every fault in it raises an error of symbody that names the file."""
    place = Path(path)
    if (wrong := why_no_file(place)) and not wrong.startswith("there is no"):
        raise error(f"{path}: {wrong}; no {what} can be read from it")
    if wrong:
        raise FileNotFoundError(f"{path}: {wrong}")
    with reading(f"{path}: no {what} could be read from it", error), ArrayFile(path, what, error) as file:
        yield file


def read_array(path: Path, where: str, error: type[SymbodyError] = ModelError) -> NDArray[Any]:
    """The array of a file .npy."""
    data = memoryview(file_bytes(path, where, error))
    with reading(f"{where} cannot be read as an array", error):
        begin, head = array_header(bytes(data[: MOST_HEADER + 12]))
        if head.size != len(data) - begin:
            raise ValueError(f"its header promises {head.size} bytes of numbers, {len(data) - begin} follow")
        return head.array(data[begin:])
    raise AssertionError("unreachable")


def as_pairs(z: Any) -> NDArray[Any]:
    """Complex numbers as pairs of real ones."""
    return np.stack([np.real(z), np.imag(z)], axis=-1).astype(float)


def as_complex(pairs: NDArray[Any]) -> NDArray[Any]:
    return np.asarray(pairs[..., 0] + 1j * pairs[..., 1])


# ---------------------------------------------------------------------------------------------------------- headers


@dataclass(frozen=True)
class ArrayHeader:
    """Shape, order and type of an array."""

    shape: tuple[int, ...]
    is_fortran: bool
    dtype: np.dtype[Any]

    @property
    def size(self) -> int:
        return math.prod(self.shape) * self.dtype.itemsize

    def array(self, data: Any) -> NDArray[Any]:
        """The array stored in these bytes, writable."""
        return np.frombuffer(bytearray(data), self.dtype).reshape(self.shape, order="F" if self.is_fortran else "C")


def array_header(data: bytes) -> tuple[int, ArrayHeader]:
    """The offset of the data and the header of an array; raises ValueError if the bytes are not an array header."""
    if data[:6] != _MAGIC or len(data) < 12 or data[6] not in (1, 2, 3):
        raise ValueError("it does not begin as an array of NumPy does")
    first = 10 if data[6] == 1 else 12
    length = int.from_bytes(data[8:first], "little")
    if length > MOST_HEADER or first + length > len(data):
        raise ValueError("its header is cut off, or too long")
    text = data[first : first + length].decode("latin1")
    kind, order, shape = (pattern.search(text) for pattern in (_TYPE, _ORDER, _SHAPE))
    if kind is None or order is None or shape is None:
        raise ValueError(
            "its header does not say type, order and shape, or of entries that are neither numbers nor text"
        )
    dtype = np.dtype(kind[1])
    if dtype.kind not in KINDS:
        raise ValueError(f"its entries are of type {dtype}; numbers and texts are read")
    sizes = tuple(int(n.strip(" L")) for n in shape[1].split(",") if n.strip())
    return first + length, ArrayHeader(sizes, order[1] == "True", dtype)


def _streamed_header(stream: BinaryIO) -> ArrayHeader:
    begin = stream.read(12)
    first = 10 if begin[6:7] == b"\x01" else 12
    length = int.from_bytes(begin[8:first], "little")
    if length > MOST_HEADER:
        raise ValueError("its header is too long")
    return array_header(begin + stream.read(first + length - 12))[1]


# ---------------------------------------------------------------------------------------------------------- archives


class ArrayFile:
    """An archive of arrays (.npz); the shape, type and size of an array are known before it is read."""

    def __init__(self, path: str | Path, what: str, error: type[SymbodyError]) -> None:
        self.path, self._what, self._error = path, what, error
        size = os.stat(path).st_size
        self._left = max(LEAST_BYTES, MOST_RATIO * size)
        self._zip = ZipFile(path)

    def __enter__(self) -> ArrayFile:
        return self

    def __exit__(self, *_: object) -> None:
        self._zip.close()

    @property
    def names(self) -> list[str]:
        return [n.removesuffix(".npy") for n in self._zip.NameToInfo if n.endswith(".npy")]

    @property
    def kind(self) -> str:
        """The kind of archive, from the key of its version, such as "symbody orbit"; empty if it has no header."""
        return next((key for key in self._header() if key.startswith("symbody ")), "")

    def _header(self) -> Any:
        return json.loads(self.read("header", (None,), np.uint8).tobytes().decode())

    def header(self, key: str, version: int) -> Any:
        """The header; refused if its kind or version is not supported."""
        found = self._header()
        if found[key] != version:
            raise self._error(
                f"{self.path} is of version {shown(found[key])}, this package reads version {version}; read it with the symbody that wrote it"
            )
        self._refuse_controls(found)
        return found

    def _refuse_controls(self, found: Any) -> None:
        """Refuse control characters in header texts, which are printed later. Line ends and tabs are allowed."""
        left = [found]
        while left:
            part = left.pop()
            if isinstance(part, dict):
                left += [*part, *part.values()]
            elif isinstance(part, list):
                left += part
            elif isinstance(part, str) and (bad := UNPRINTABLE.search(part.replace("\n", "").replace("\t", ""))):
                raise self._error(f"{self.path}: its header has the character U+{ord(bad[0]):04X}")

    def has(self, name: str) -> bool:
        return f"{name}.npy" in self._zip.NameToInfo

    def read(self, name: str, shape: tuple[int | None, ...], kind: Any = np.float64) -> NDArray[Any]:
        """The array of this name; refused unless it has this shape (None: any size) and type."""
        return self._array(name, shape, np.dtype(kind))

    def any_array(self, name: str) -> NDArray[Any]:
        """The array of this name, of numbers or texts and of any shape."""
        return self._array(name, None, None)

    def _array(self, name: str, shape: tuple[int | None, ...] | None, kind: Any) -> NDArray[Any]:
        if not self.has(name):
            raise self._error(
                f"{self.path} is not a {self._what} written by symbody, or is incomplete: the array {name!r} is missing"
            )
        with self._zip.open(f"{name}.npy") as stream:
            head = _streamed_header(stream)  # type: ignore[arg-type]
            if shape is not None and (not _fits(head.shape, shape) or head.dtype != kind):
                wanted = ", ".join("any" if n is None else str(n) for n in shape)
                raise self._error(
                    f"{self.path}: the array {name!r} has shape {shown(head.shape)} of {head.dtype}, expected ({wanted}) of "
                    f"{kind}"
                )
            self._left -= head.size
            if self._left < 0:
                raise self._error(
                    f"{self.path}: unpacked it would be more than {MOST_RATIO} times its size: this is not "
                    f"a {self._what} written by symbody"
                )
            data = stream.read(head.size + 1)
        if len(data) != head.size:
            raise self._error(
                f"{self.path}: the array {name!r} has {len(data)} bytes, not the {head.size} of its shape"
            )
        return head.array(data)


def _fits(found: tuple[int, ...], shape: tuple[int | None, ...]) -> bool:
    return len(found) == len(shape) and all(w in (None, n) for w, n in zip(shape, found, strict=True))
