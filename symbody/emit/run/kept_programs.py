"""Programs kept on disk by what they are made of, next to their machine code: what was derived and unrolled once is not
derived and unrolled again.

The key is a digest of the content (equations pickled with all their expressions, and what is made of them) and of the
sources of this package that make programs. An entry is a pickle in the directory of machine code, which nobody else can
write (`disk_cache.py`). Programs that call functions of Python are not kept.
"""

from __future__ import annotations

import hashlib
import pickle
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, Final

from ..program.program import Program
from . import disk_cache as disk

FOLDERS: Final = ("algebra", "derive", "emit/program", "emit/loops", "integrate")  # whose files decide a program


@cache
def sources_of(*folders: str) -> str:
    """A digest of the files in some folders of this package. It is found on disk by their sizes and times, as Python
    finds bytecode: to read them all takes longer than to load a mechanism."""
    root = Path(__file__).parents[2]
    files = sorted(file for folder in folders for file in (root / folder).rglob("*.py"))
    stamps = [(str(file), (info := file.stat()).st_size, info.st_mtime_ns) for file in files]
    key = hashlib.sha256(f"sources|{stamps}".encode()).hexdigest()
    if (kept := disk.load(key)) is not None:
        return kept.decode()
    found = hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()
    disk.save(key, found.encode())
    return found


def content_of(thing: Any) -> str:
    """A digest of everything that an object is; empty where it holds what cannot be pickled, such as a function of
    Python."""
    try:
        return hashlib.sha256(pickle.dumps(thing)).hexdigest()
    except (pickle.PicklingError, AttributeError, TypeError):
        return ""


def kept_program(content: str, name: str, make: Callable[[], Program]) -> Program:
    """The program of this name that is made of this content: from disk, or made and put there. Without content it is
    made."""
    if not content:
        return make()
    key = hashlib.sha256(f"program|{sources_of(*FOLDERS)}|{content}|{name}".encode()).hexdigest()
    kept = disk.load(key)
    if kept is not None:
        found: Program = pickle.loads(kept)
        return found
    made = make()
    if not made.externals:
        disk.save(key, pickle.dumps(made))
    return made
