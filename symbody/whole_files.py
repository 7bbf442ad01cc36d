"""Writes files atomically: they appear complete or not at all. All output goes through this module.

The content is written to a temporary file in the same folder, which replaces the old file in a single step when it is
complete. After a full disk, an exception, Ctrl-C or a killed process the old file is unchanged. A process that is
killed leaves its temporary file under a hidden name (`.run.1f3a5b7c.part.npz`); the next write to the same path removes
it if it is more than an hour old.
"""

from __future__ import annotations

import os
import re
import secrets
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, Final

ABANDONED: Final = 3600.0  # seconds after which an unfinished file belongs to a process that was ended
_UNFINISHED: Final = re.compile(r"\.(.*)\.[0-9a-f]{8}\.part(\..*)?", re.DOTALL)


@contextmanager
def whole_file(
    path: str | Path, mode: int = 0o666, is_lasting: bool = True, cleans_up: bool | None = None
) -> Iterator[BinaryIO]:
    """A binary file to write to, which becomes `path` on success.

    mode          permissions of a new file, less those that the user's umask takes away
    is_lasting    wait until it would survive a loss of power
    cleans_up     remove unfinished files that others left beside it; the value of `is_lasting` by default
    """
    with unfinished_file(path, mode, is_lasting if cleans_up is None else cleans_up) as part, part.open("wb") as file:
        yield file
        file.flush()
        if is_lasting and stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            os.fsync(file.fileno())


@contextmanager
def unfinished_file(path: str | Path, mode: int = 0o666, cleans_up: bool = True) -> Iterator[Path]:
    """The name of an empty file for another program or library to fill, which becomes `path` on success. It has the
    suffix of `path`."""
    target = Path(os.path.realpath(path))  # a link stays a link
    if (
        target.exists() and not target.is_file()
    ):  # a terminal or a pipe: nothing is replaced; a folder is refused when it is opened
        yield target
        return
    if not target.parent.is_dir():
        raise FileNotFoundError(f"{path} cannot be written: there is no folder {target.parent}; make it first")
    if cleans_up:
        _remove_abandoned(target)
    part = target.with_name(f".{target.stem[:100]}.{secrets.token_hex(4)}.part{target.suffix}")
    _create(part, target, mode)
    try:
        yield part
        os.replace(part, target)
    except BaseException:
        with suppress(OSError):
            part.unlink()
        raise


def _create(part: Path, target: Path, mode: int) -> None:
    """Create the temporary file. Rewriting a file keeps its permissions, and a read-only file is not replaced."""
    is_new = not target.exists()
    if not is_new and not os.access(target, os.W_OK):
        raise PermissionError(f"{target} may not be written")
    os.close(os.open(part, os.O_CREAT | os.O_EXCL | os.O_WRONLY, mode))
    if not is_new:
        with suppress(OSError):
            part.chmod(stat.S_IMODE(target.stat().st_mode))


def is_unfinished(path: Path) -> bool:
    """Whether a file is being written, or was left unfinished."""
    return _UNFINISHED.fullmatch(path.name) is not None


def _remove_abandoned(target: Path) -> None:
    with suppress(OSError):
        for left in list(os.scandir(target.parent)):
            found = _UNFINISHED.fullmatch(left.name)
            is_of_target = found and (found[1], found[2] or "") == (target.stem[:100], target.suffix)
            if is_of_target and time.time() - left.stat().st_mtime > ABANDONED:
                os.unlink(left.path)


def write_text(path: str | Path, text: str) -> Path:
    """Text in UTF-8, with line ends as they are."""
    return write_bytes(path, text.encode())


def write_bytes(path: str | Path, content: bytes) -> Path:
    with whole_file(path) as file:
        file.write(content)
    return Path(path)
