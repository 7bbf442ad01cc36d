"""Machine code kept on disk, by content.

A file is named by the hash of everything that decides its content, begins with a signature of what follows, and is put
in place by a rename: readers see a whole file or none, whatever other processes do. What lies there will be run. So the
directory must belong to the user and be writable by no other user, otherwise nothing is read or written there; and
each file must be the user's own, writable by no other user, and signed with the user's secret (`cache_secret.py`), since
the directory may have been open before. Files that are not are removed and made again.

All files together stay below a limit ($SYMBODY_CACHE_LIMIT, such as 500M or 2G; 1 GiB by default): reading a file sets
its time, and the oldest go first. To look through the directory takes longer than to write a file, so it is done about
once for every sixteenth of the limit that is written, whichever process writes it.
"""

from __future__ import annotations

import hmac
import os
import re
import stat
import sys
import time
import warnings
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple

from ...errors import ProgramError, shown
from ...whole_files import ABANDONED, is_unfinished, whole_file
from .cache_secret import is_private, secret, user_folder

_SIGNATURE: Final = 32  # bytes of an HMAC with SHA-256
LIMIT: Final = "1G"
UNITS: Final = {"": 1, "K": 2**10, "M": 2**20, "G": 2**30}
CHECKS: Final = 16  # of the directory, while as much as the limit is written
TRIMMED_SHARE: Final = 0.9  # of the limit is left after trimming, so that not every later file trims again


def directory() -> Path:
    """Where machine code is kept: $SYMBODY_CACHE, or the user's cache directory. An OSError where there is no such
    place."""
    if chosen := os.environ.get("SYMBODY_CACHE"):
        return Path(chosen)
    if sys.platform == "win32":
        return user_folder("LOCALAPPDATA", ".") / "symbody" / "code"
    if sys.platform == "darwin":
        return user_folder("", "Library/Caches") / "symbody"
    return user_folder("XDG_CACHE_HOME", ".cache") / "symbody"


def _usable() -> Path:
    """The directory, made if need be; an OSError where it cannot be written or trusted."""
    folder = directory()
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    info = folder.stat()
    if hasattr(os, "getuid") and (info.st_uid != os.getuid() or info.st_mode & (stat.S_IWGRP | stat.S_IWOTH)):
        raise PermissionError(f"other users may write to {folder}; try chmod 700, or set SYMBODY_CACHE")
    return folder


def load(key: str) -> bytes | None:
    """The entry under this key, if it is intact. Whatever is wrong with the directory costs time, not the result;
    `save` says what it is."""
    try:
        if not directory().exists():
            return None
        path = _usable() / f"{key}.o"
        with path.open("rb") as file:
            is_own = is_private(os.fstat(file.fileno()), stat.S_IWGRP | stat.S_IWOTH)
            kept = file.read() if is_own else b""
        signature, content = kept[:_SIGNATURE], kept[_SIGNATURE:]
        if not content or not hmac.compare_digest(_signature(key, content), signature):
            path.unlink()
            return None
    except OSError:
        return None
    with suppress(OSError):  # where the disk is read-only, nothing will be dropped either
        os.utime(path)
    return content


def save(key: str, content: bytes) -> None:
    """Keep something under this key. If the disk is full, read-only or another user's, nothing is cached."""
    try:
        folder = _usable()
        with whole_file(folder / f"{key}.o", 0o600, is_lasting=False) as file:
            file.write(_signature(key, content) + content)
        most = limit()
    except (OSError, ProgramError) as reason:
        warnings.warn(f"compiled code is not cached: {reason}", stacklevel=3)
        return
    if (
        int(key[:8], 16) * most < CHECKS * len(content) * 16**8
    ):  # by chance, for which a hash serves: no process has to count
        trim(folder, most)


def _signature(key: str, content: bytes) -> bytes:
    """Of the content under this key: a file under another name is not whole."""
    return hmac.digest(secret(), key.encode() + content, "sha256")


# ---------------------------------------------------------------------------------------------------------- its size


class Entry(NamedTuple):
    """A file of the cache: when it was last used, and its size in bytes."""

    used: float
    size: int
    path: Path


def limit() -> int:
    """Bytes that all files together may take: $SYMBODY_CACHE_LIMIT, or 1 GiB."""
    text = os.environ.get("SYMBODY_CACHE_LIMIT") or LIMIT
    found = re.fullmatch(r"(\d+(?:\.\d+)?) *([KMG]?)(?:i?B)?", text.strip(), re.IGNORECASE)
    if not found:
        raise ProgramError(
            f"SYMBODY_CACHE_LIMIT must be a size such as 500M, 2G, or a number of bytes; got {shown(text)}"
        )
    return int(float(found[1]) * UNITS[found[2].upper()])


def entries(folder: Path | None = None) -> list[Entry]:
    """The files of the cache, least recently used first."""
    return sorted(
        Entry(used, size, path)
        for used, size, path in _files(folder or directory())
        if path.suffix == ".o" and not is_unfinished(path)
    )


def _files(folder: Path) -> Iterator[Entry]:
    try:
        found = list(os.scandir(folder))
    except OSError:
        return
    for file in found:
        with suppress(OSError):  # another process may have removed it
            info = file.stat(follow_symlinks=False)
            if stat.S_ISREG(info.st_mode):
                yield Entry(info.st_mtime, info.st_size, Path(file.path))


def trim(folder: Path, most: int) -> None:
    """Remove the least recently used files where all together are larger than `most` bytes, and temporary files that
    will never be finished."""
    for file in _files(folder):
        if is_unfinished(file.path) and time.time() - file.used > ABANDONED:
            _remove(file)
    kept = entries(folder)
    total = sum(e.size for e in kept)
    if total <= most:
        return
    for entry in kept:
        if total <= TRIMMED_SHARE * most:
            break
        total -= entry.size
        _remove(entry)


def clear() -> list[Entry]:
    """Remove everything, also what killed processes left unfinished; what was removed."""
    trim(directory(), limit())
    return [e for e in entries() if _remove(e)]


def _remove(entry: Entry) -> bool:
    try:
        entry.path.unlink()
    except OSError:  # removed by another process, or (on Windows) just being read
        return False
    return True
