"""Files that are read: plain files of bounded size, text without control characters, and errors of ours alone.

Everything that reads a file of other people goes through here, or through `array_files.py` where the file holds arrays.
"""

from __future__ import annotations

import os
import re
import struct
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final
from zipfile import BadZipFile
from zlib import error as ZlibError  # noqa: N812  (an exception)

from .errors import ModelError, SymbodyError, shown, why_no_file
from .escaping import UNPRINTABLE, in_one_line

MOST_BYTES: Final = 2 * 2**30
MOST_REASON: Final = 200  # characters of what a library says
MALFORMED: Final = (  # what libraries, numbers and tables raise of a file that is not what its name says
    OSError, ValueError, TypeError, AttributeError, LookupError, EOFError, ArithmeticError, RuntimeError, SyntaxError, BadZipFile,
    ZlibError, struct.error,
)  # fmt: skip
_CONTROLS: Final = bytes(k for k in range(32) if chr(k) not in "\t\n\v\f\r") + b"\x7f"
_END_OF_FILE: Final = b"\x1a"  # of DOS


@contextmanager
def reading(problem: str, error: type[SymbodyError] = ModelError) -> Iterator[None]:
    """Convert exceptions inside the block to an error of symbody that states the problem and the reason. Also usable as
    a decorator."""
    try:
        yield
    except SymbodyError:
        raise
    except MALFORMED as reason:
        raise error(f"{problem}: {reason_in_words(reason)}") from reason


def reason_in_words(reason: BaseException) -> str:
    """The message of a library, shortened to one line."""
    said = f"{reason.args[0]!r} is missing" if isinstance(reason, KeyError) and reason.args else str(reason)
    text = in_one_line(" ".join(said.split())) or type(reason).__name__
    return text if len(text) <= MOST_REASON else text[: MOST_REASON - 3] + "..."


def beside(folder: Path, name: str, within: Path | None = None) -> Path | None:
    """Where a file that another one names is: in its folder or below (or below `within`), after all links and dots;
    None if that is somewhere else. The file need not exist."""
    try:
        path = (folder / name).resolve()
        return path if path.is_relative_to((within or folder).resolve()) and not Path(name).is_absolute() else None
    except (OSError, ValueError, RuntimeError):  # too long, with characters that no path has, or links in a circle
        return None


def file_in_folders(name: str, folders: Mapping[str, str | Path], error: type[SymbodyError]) -> Path | None:
    """Where a mesh named in the file of a robot is: `folders` says which folder stands for the beginning of its name. None
    where nothing does."""
    for prefix, folder in folders.items():
        if name.startswith(prefix):
            base = Path(folder).resolve()
            file = beside(base, name[len(prefix) :].lstrip("/"))
            if file is None:
                raise error(f"mesh {shown(name)} lies outside {base.name!r}, the folder given for {prefix!r}")
            return file
    return None


def file_bytes(path: Path, where: str, error: type[SymbodyError] = ModelError, most: int = MOST_BYTES) -> bytes:
    """The content of a plain file; pipes and devices are refused, since they need have no end."""
    if wrong := why_no_file(path):
        raise error(f"{where}: {in_one_line(str(path))[:MOST_REASON]!r}: {wrong}")
    try:
        with path.open("rb") as file:
            size = os.fstat(file.fileno()).st_size
            if size > most:
                raise error(f"{where}: {size} bytes are more than the {most} that are read")
            return file.read(size)
    except OSError as reason:
        raise error(f"{where} cannot be read: {reason.strerror}") from None


def file_text(path: Path, where: str, error: type[SymbodyError] = ModelError, most: int = MOST_BYTES) -> str:
    """The text of a plain file; bytes that are not UTF-8 become U+FFFD, control characters are refused."""
    return text_of(file_bytes(path, where, error, most), where, error)


def text_of(data: bytes, where: str, error: type[SymbodyError] = ModelError) -> str:
    """Bytes as text that can be shown: line ends and tabs are all the control characters that it has."""
    data = data.rstrip(_END_OF_FILE)
    if len(data.translate(None, _CONTROLS)) < len(data):
        at = next(k for k, byte in enumerate(data) if byte in _CONTROLS)
        raise error(f"{where}: line {data.count(10, 0, at) + 1}: the byte 0x{data[at]:02x} cannot stand in a text")
    text = data.decode("utf-8-sig", errors="replace")
    if not text.isascii() and (found := _UNFIT.search(text)):
        raise error(f"{where}: the character U+{ord(found[0]):04X} cannot stand in a text")
    return text


_UNFIT: Final = re.compile(UNPRINTABLE.pattern.replace("\x00-\x1f", ""))  # line ends and tabs belong to a text
