"""Tables that grow on disk: rows of named columns in a .npy file, which NumPy maps into memory and does not read at once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Final

import numpy as np
from numpy.typing import NDArray

from .whole_files import whole_file

PAD: Final = 64  # NumPy begins numbers at a multiple of this
TIME: Final = "t"
DIGITS: Final = 18  # room for the number of rows, which is known at the end


@dataclass
class RowFile:
    """A file that is written row by row: `add` takes one array for each column."""

    file: BinaryIO
    kind: np.dtype[np.void]
    rows: int = 0

    def add(self, columns: Sequence[NDArray[np.float64]]) -> None:
        made = np.empty(len(columns[0]), dtype=self.kind)
        for name, values in zip(self.kind.names or (), columns, strict=True):
            made[name] = values
        self.file.write(made.tobytes())
        self.rows += len(made)

    def header(self) -> bytes:
        """That of NumPy's format 2.0, of the same length for any number of rows."""
        count = f"({self.rows},)".ljust(DIGITS)
        text = f"{{'descr': {self.kind.descr!r}, 'fortran_order': False, 'shape': {count}}}"
        before = 12  # magic, version, length of the text
        text = text.ljust(-(-(before + len(text) + 1) // PAD) * PAD - before - 1) + "\n"
        return b"\x93NUMPY\x02\x00" + len(text).to_bytes(4, "little") + text.encode("latin1")


@contextmanager
def row_file(path: Path, columns: Mapping[str, tuple[int, ...]], is_single: bool = False) -> Iterator[RowFile]:
    """A table with these columns, each with the shape of its entries; all but times in single precision on request."""
    kinds = {name: "<f4" if is_single and name != TIME else "<f8" for name in columns}
    kind = np.dtype([(k, kinds[k], shape) if shape else (k, kinds[k]) for k, shape in columns.items()])
    with whole_file(path) as file:
        rows = RowFile(file, kind)
        file.write(rows.header())
        yield rows
        file.seek(0)
        file.write(rows.header())
