"""Compiles C and C++, and keeps what it made: the largest of these programs take minutes.

What is made lies in the user's cache directory under a hash of everything that decides it: the text, the words of the
command, the compiler, the processor, and the versions of the packages that it includes.
"""

from __future__ import annotations

import ctypes
import hashlib
import os
import platform
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterable
from functools import cache
from importlib.metadata import distribution
from pathlib import Path
from typing import Final

from symbody.emit.cache import disk_cache as machine_code_cache

FLAGS: Final = ("-O3", "-march=native")  # for everything that is timed
HERE: Final = Path(__file__).parent
LONGEST: Final = 1500.0  # seconds that a compiler is given


class CompilerMissingError(RuntimeError):
    """There is no compiler for the language."""


@cache
def compiler(language: str) -> str:
    for name in {"c": ("gcc", "cc", "clang"), "c++": ("g++", "c++", "clang++")}[language]:
        if found := shutil.which(name):
            return found
    raise CompilerMissingError(f"no compiler for {language} is installed")


@cache
def _identity(program: str) -> str:
    """Compiler and processor."""
    version = subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout.splitlines()[0]
    cpu = Path("/proc/cpuinfo")
    flags = re.search(r"^(flags|Features)\s*:(.*)$", cpu.read_text(), re.M) if cpu.exists() else None
    return "|".join([version, platform.machine(), platform.processor(), flags[2] if flags else ""])


def _folder() -> Path:
    folder = machine_code_cache.directory() / "bench"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder


def kept(name: str, key: Iterable[str], make: Callable[[Path], None]) -> Path:
    """A file or folder made by `make` at the path that it is given, or made earlier under the same key."""
    digest = hashlib.sha256("\0".join(key).encode()).hexdigest()[:24]
    place = _folder() / f"{name}-{digest}"
    if not place.exists():
        with tempfile.TemporaryDirectory(dir=_folder()) as temporary:
            made = Path(temporary, "made")
            make(made)
            os.rename(made, place)
    return place


def built(
    name: str, language: str, text: str, words: Iterable[str], after: Iterable[str] = (), packages: Iterable[str] = ()
) -> Path:
    """An executable or library from one text: the compiler is called with `words`, the source, and `after`. Made again
    where the version of one of the `packages` changes."""
    program, words, after = compiler(language), list(words), list(after)
    versions = [f"{p} {distribution(p).version}" for p in packages]

    def make(target: Path) -> None:
        source = target.with_suffix(".c" if language == "c" else ".cpp")
        source.write_text(text)
        command = [program, *words, str(source), "-o", str(target), *after]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=LONGEST)
        if done.returncode:
            raise RuntimeError(f"{name} does not compile:\n{done.stderr[-3000:]}")

    return kept(name, [_identity(program), *versions, text, *words, *after], make)


def library(name: str, text: str, flags: Iterable[str] = FLAGS) -> ctypes.CDLL:
    """C text as a library in this process."""
    return ctypes.CDLL(str(built(name, "c", text, [*flags, "-shared", "-fPIC"], ["-lm"])))


def address(lib: ctypes.CDLL, name: str) -> int:
    return ctypes.cast(getattr(lib, name), ctypes.c_void_p).value or 0


def installed(package: str, *parts: str) -> Path:
    """A place among the files of an installed package; PackageNotFoundError without the package."""
    return Path(str(distribution(package).locate_file(str(Path(*parts)))))


# -------------------------------------------------------------------------------------------------- Pinocchio's headers


def pinocchio_words() -> tuple[list[str], list[str]]:
    """Words for a program that includes Pinocchio: before and after the source. The lists of Boost are too short as
    they are."""
    prefix = installed("pin", "cmeel.prefix")
    eigen = [prefix / "include" / "eigen3", installed("casadi", "casadi", "include", "eigen3")]
    before = [
        "-std=c++17",
        "-DNDEBUG",
        "-w",
        "-DBOOST_MPL_CFG_NO_PREPROCESSED_HEADERS",
        "-DBOOST_MPL_LIMIT_LIST_SIZE=30",
        "-DBOOST_MPL_LIMIT_VECTOR_SIZE=30",
        "-DBOOST_FUSION_INVOKE_MAX_ARITY=12",
        f"-I{prefix / 'include'}",
        *(f"-I{e}" for e in eigen if e.exists()),
    ]
    lib = prefix / "lib"
    return before, [f"-L{lib}", f"-Wl,-rpath,{lib}", "-lboost_serialization", "-lboost_filesystem"]
