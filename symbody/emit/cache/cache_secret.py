"""The secret of a user by which entries of the cache are signed: what others put there, or what lay there before, is not
run.

It is 32 random bytes in a file of the user's own configuration directory, which no other user may read, apart from the
cache: write access to the cache does not allow signing.
"""

from __future__ import annotations

import os
import secrets
import stat
import sys
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Final

LENGTH: Final = 32  # bytes


def user_folder(variable: str, below_home: str) -> Path:
    """The folder that an environment variable names; one that is empty or relative names none, since it would mean
    another folder for each working directory."""
    said = Path(os.environ.get(variable, ""))
    if said.is_absolute():
        return said
    try:
        home = Path.home()
    except RuntimeError as reason:  # the user has none
        raise FileNotFoundError(f"{reason} Set SYMBODY_CACHE to a folder that you own") from None
    if not home.is_absolute():
        raise FileNotFoundError(f"the home directory {str(home)!r} is not an absolute path; set SYMBODY_CACHE")
    return home / below_home


def secret() -> bytes:
    """The user's secret, made if there is none. An OSError where it cannot be kept, or is known to others."""
    return _secret_at(_place())


def _place() -> Path:
    if sys.platform == "win32":
        return user_folder("LOCALAPPDATA", ".") / "symbody" / "cache_key"
    if sys.platform == "darwin":
        return user_folder("", "Library/Application Support") / "symbody" / "cache_key"
    return user_folder("XDG_CONFIG_HOME", ".config") / "symbody" / "cache_key"


@cache
def _secret_at(path: Path) -> bytes:
    if not path.exists():
        _make(path)
    with path.open("rb") as file:
        if not is_private(os.fstat(file.fileno()), stat.S_IRWXG | stat.S_IRWXO):
            raise PermissionError(f"other users may read {path}; remove it, and symbody creates it again")
        found = file.read(LENGTH + 1)
    if len(found) != LENGTH:
        raise OSError(f"{path} is damaged; remove it, and symbody creates it again")
    return found


def _make(path: Path) -> None:
    """Whole, and by one process: of several that begin at once, the first one's stays."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    part = path.with_name(f".{path.name}.{secrets.token_hex(4)}.part")
    handle = os.open(part, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    try:
        os.write(handle, secrets.token_bytes(LENGTH))
        os.close(handle)
        with suppress(FileExistsError):
            os.link(part, path)
    finally:
        part.unlink()


def is_private(info: os.stat_result, others: int) -> bool:
    """Whether this is a plain file of this user, and others have none of these permissions."""
    is_own = not hasattr(os, "getuid") or (info.st_uid == os.getuid() and not info.st_mode & others)
    return stat.S_ISREG(info.st_mode) and is_own
