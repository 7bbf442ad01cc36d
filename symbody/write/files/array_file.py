"""`ArrayFile`: an archive of arrays (.npz) read with care, and one written with a header in JSON."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final
from zipfile import BadZipFile, ZipFile
from zlib import error as ZlibError  # noqa: N812  (an exception)

import numpy as np
from numpy.typing import NDArray

from ...errors import SymbodyError, shown
from ...whole_files import whole_file

_BAD_FILE: Final = (  # what readers of zip, JSON and arrays raise
    OSError, ValueError, TypeError, AttributeError, IndexError, EOFError, OverflowError, RuntimeError, BadZipFile, ZlibError,
)  # fmt: skip
LEAST_BYTES: Final = 64 * 2**20  # that an archive may unpack to, however small it is
MOST_RATIO: Final = 100  # of unpacked to packed size; numbers of a motion hardly compress


def write_arrays(path: str | Path, header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> Path:
    """Write a header and arrays; the file's name gets the ending .npz where it has none."""
    place = Path(path)
    if place.suffix != ".npz":
        place = place.with_name(place.name + ".npz")
    everything: dict[str, Any] = {"header": np.frombuffer(json.dumps(header).encode(), dtype=np.uint8), **arrays}
    with whole_file(place) as file:
        np.savez_compressed(file, **everything)
    return place


@contextmanager
def read_arrays(path: str | Path, what: str, error: type[SymbodyError]) -> Iterator[ArrayFile]:
    """The archive of what is read from it; whatever is wrong with it is an error of ours that names the file."""
    try:
        with ArrayFile(path, what, error) as file:
            yield file
    except (FileNotFoundError, SymbodyError):
        raise
    except KeyError as reason:
        raise error(f"{path}: no {what} could be read from it: {reason} is missing") from None
    except _BAD_FILE as reason:
        raise error(f"{path}: no {what} could be read from it ({reason})") from None


def as_pairs(z: Any) -> NDArray[Any]:
    """Complex numbers as pairs of real ones."""
    return np.stack([np.real(z), np.imag(z)], axis=-1).astype(float)


def as_complex(pairs: NDArray[Any]) -> NDArray[Any]:
    return np.asarray(pairs[..., 0] + 1j * pairs[..., 1])


class ArrayFile:
    """An archive of arrays (.npz) of which shape, type and size of an array are known before it is read."""

    def __init__(self, path: str | Path, what: str, error: type[SymbodyError]) -> None:
        self.path, self._what, self._error = path, what, error
        size = os.stat(path).st_size
        self._left = max(LEAST_BYTES, MOST_RATIO * size)
        self._zip = ZipFile(path)

    def __enter__(self) -> ArrayFile:
        return self

    def __exit__(self, *_: object) -> None:
        self._zip.close()

    def header(self, key: str, version: int) -> Any:
        """The header, if it is of the kind and version that is read."""
        found = json.loads(self.read("header", (None,), np.uint8).tobytes())
        if found[key] != version:
            raise self._error(
                f"{self.path} is of version {shown(found[key])}, this package reads version {version}; read it with the symbody that wrote it"
            )
        return found

    def has(self, name: str) -> bool:
        return f"{name}.npy" in self._zip.NameToInfo

    def read(self, name: str, shape: tuple[int | None, ...], kind: Any = np.float64) -> NDArray[Any]:
        """The array of this name, if it has this shape (None: any number) and type."""
        if not self.has(name):
            raise self._error(
                f"{self.path} is no {self._what} of ours, or a part of one: the array {name!r} is missing"
            )
        with self._zip.open(f"{name}.npy") as stream:
            found, is_fortran, dtype = _array_header(stream)
            fits = len(found) == len(shape) and all(w in (None, n) for w, n in zip(shape, found, strict=True))
            if not fits or dtype != np.dtype(kind):
                wanted = ", ".join("any" if n is None else str(n) for n in shape)
                raise self._error(
                    f"{self.path}: the array {name!r} has shape {found} of {dtype}, expected ({wanted}) of "
                    f"{np.dtype(kind)}"
                )
            count = math.prod(found) * dtype.itemsize
            self._left -= count
            if self._left < 0:
                raise self._error(
                    f"{self.path}: unpacked it would be more than {MOST_RATIO} times its size: this is no "
                    f"{self._what} of ours"
                )
            data = stream.read(count + 1)
        if len(data) != count:
            raise self._error(f"{self.path}: the array {name!r} has {len(data)} bytes, not the {count} of its shape")
        return np.frombuffer(data, dtype).reshape(found, order="F" if is_fortran else "C")


def _array_header(stream: Any) -> tuple[tuple[int, ...], bool, Any]:
    version = np.lib.format.read_magic(stream)
    if version != (1, 0):
        raise ValueError(f"an array is of version {version}")
    return np.lib.format.read_array_header_1_0(stream)
