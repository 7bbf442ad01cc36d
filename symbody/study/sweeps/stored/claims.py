"""Claims: locks on a study and on its batches while they are computed.

A claim is a lock of the operating system on a file beside the study, which is released when the process that holds it
ends, however that happens. A worker that outlives its client may still be computing a batch when the study is resumed:
a process that needs that batch waits for it, and finds it finished.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ....errors import StudyError

try:
    import fcntl

    locks: Any = fcntl
except ImportError:  # Windows: a study is not to be computed by two at once there
    locks = None


def claims_of(study: Path) -> Path:
    return study.with_name(f".{study.name}.claims")


@contextmanager
def claim(study: Path, name: str, waits: bool = True) -> Iterator[None]:
    """Held while the block runs; where another process has it, wait, or refuse."""
    if locks is None:
        yield
        return
    folder = claims_of(study)
    folder.mkdir(exist_ok=True)
    handle = os.open(folder / name, os.O_CREAT | os.O_RDWR, 0o666)
    try:
        try:
            locks.flock(handle, locks.LOCK_EX | (0 if waits else locks.LOCK_NB))
        except BlockingIOError:
            raise StudyError(
                f"{study}: another process is computing this study; wait for it, or end it first"
            ) from None
        yield
    finally:
        os.close(handle)


def forget_claims(study: Path) -> None:
    """Remove the files of claims, when all is finished."""
    shutil.rmtree(claims_of(study), ignore_errors=True)
