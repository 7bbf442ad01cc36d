"""Compilers that targets call: the C compiler of the machine, and the package `ziglang`, which builds for others too."""

from __future__ import annotations

import importlib.util
import os
import shutil


def compiler() -> str | None:
    """The C compiler of the machine: $CC, or cc; $CFLAGS come after flags of ours."""
    return shutil.which(os.environ.get("CC") or "cc")


def has_zig() -> bool:
    return importlib.util.find_spec("ziglang") is not None
