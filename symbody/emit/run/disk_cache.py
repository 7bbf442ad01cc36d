"""Machine code kept on disk, by content.

A file is named by the hash of everything that decides its content, begins with the hash of what follows, and is put in place by
a rename: readers see a whole file or none, whatever other processes do. The directory must belong to the user and be writable
by nobody else; otherwise nothing is read from it or written to it, because what lies there will be run.
"""

from __future__ import annotations

import hashlib
import os
import stat
import sys
import tempfile
import warnings
from pathlib import Path
from typing import Final

_HASH: Final = 32  # bytes of SHA-256


def directory() -> Path:
    """Where machine code is kept: $SYMBODY_CACHE, or the user's cache directory."""
    if chosen := os.environ.get("SYMBODY_CACHE"):
        return Path(chosen)
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", Path.home())) / "symbody" / "code"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "symbody"
    return Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "symbody"


def _usable(folder: Path) -> bool:
    """Make the directory if need be; say so once where it cannot be trusted or written."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        info = folder.stat()
    except OSError as reason:
        warnings.warn(f"compiled code is not kept: {folder} cannot be used ({reason})", stacklevel=4)
        return False
    if hasattr(os, "getuid") and (info.st_uid != os.getuid() or info.st_mode & (stat.S_IWGRP | stat.S_IWOTH)):
        warnings.warn(
            f"compiled code is not kept: others may write to {folder}; try chmod 700, or set SYMBODY_CACHE",
            stacklevel=4,
        )
        return False
    return True


def load(key: str) -> bytes | None:
    """What was kept under this key, if it is whole."""
    folder = directory()
    if not folder.exists() or not _usable(folder):
        return None
    try:
        kept = (folder / f"{key}.o").read_bytes()
    except OSError:
        return None
    digest, content = kept[:_HASH], kept[_HASH:]
    return content if hashlib.sha256(content).digest() == digest else None


def save(key: str, content: bytes) -> None:
    """Keep something under this key. A disk that is full or read-only costs the cache, not the result."""
    folder = directory()
    if not _usable(folder):
        return
    try:
        handle, temporary = tempfile.mkstemp(dir=folder)  # readable by the user only
        try:
            with os.fdopen(handle, "wb") as f:
                f.write(hashlib.sha256(content).digest() + content)
            os.replace(temporary, folder / f"{key}.o")
        except BaseException:
            os.unlink(temporary)
            raise
    except OSError as reason:
        warnings.warn(f"compiled code is not kept: {reason}", stacklevel=3)
