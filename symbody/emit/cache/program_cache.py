"""Programs kept on disk by what they are made of, next to their machine code: what was derived and unrolled once is not
derived and unrolled again.

The key is a digest of the content (equations pickled with all their expressions, and what is made of them) and of the
sources of this package that make programs. An entry is plain text (`program_json.py`) in the directory of machine code
(`disk_cache.py`); nothing is unpickled. Programs that call functions of Python are not kept.
"""

from __future__ import annotations

import hashlib
import pickle
from collections.abc import Callable
from typing import Any, Final

from ..programs.program import Program
from . import disk_cache as disk
from .program_json import program_of_text, text_of_program
from .source_digests import sources_of

FOLDERS: Final = (
    "algebra",
    "derivation",
    "emit/programs",
    "emit/lowering",
    "emit/loops",
    "integrate",
)  # whose files decide a program


def content_of(thing: Any) -> str:
    """A digest of everything that an object is; empty if it contains an object that cannot be pickled, such as a
    function of Python."""
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
        return program_of_text(kept)
    made = make()
    if not made.externals:
        disk.save(key, text_of_program(made))
    return made
