"""Digests of the files of this package, which decide what it makes: when one changes, what was made before is not used
any more."""

from __future__ import annotations

import hashlib
import os
from functools import cache
from pathlib import Path

from . import disk_cache as disk


@cache
def sources_of(*folders: str) -> str:
    """A digest of the files in some folders of this package. It is found on disk by their sizes and times, as Python
    finds bytecode: to read them all takes longer than to load a mechanism."""
    files = sorted(stamp for folder in folders for stamp in _stamps(str(Path(__file__).parents[2] / folder)))
    key = hashlib.sha256(f"sources|{files}".encode()).hexdigest()
    if (kept := disk.load(key)) is not None:
        return kept.decode()
    found = hashlib.sha256(b"".join(digest_of(file) for file, _, _ in files)).hexdigest()
    disk.save(key, found.encode())
    return found


@cache
def digest_of(file: str) -> bytes:
    return hashlib.blake2b(Path(file).read_bytes(), digest_size=16).digest()


@cache
def _stamps(folder: str) -> list[tuple[str, int, int]]:
    """Sources in a folder and those below it: path, size, time of the last change."""
    out: list[tuple[str, int, int]] = []
    with os.scandir(folder) as found:
        for entry in found:
            if entry.is_dir():
                out += _stamps(entry.path)
            elif entry.name.endswith(".py"):
                info = entry.stat()
                out.append((entry.path, info.st_size, info.st_mtime_ns))
    return out
