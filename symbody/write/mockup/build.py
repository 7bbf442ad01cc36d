"""Shared libraries of an FMU: by the C compiler of the machine, or by that of the wheel `ziglang`, which builds for
other platforms too."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ...errors import CompileError, unknown
from ...whole_files import write_text
from ..artefacts.compilers import compiler, has_zig


@dataclass(frozen=True)
class Platform:
    """Where a library runs.

    old, new   its folder in FMI 2.0 (None: the standard has none) and in FMI 3.0
    triple     the target in the words of zig
    """

    old: str | None
    new: str
    ending: str
    triple: str


PLATFORMS: Final = {
    "linux64": Platform("linux64", "x86_64-linux", ".so", "x86_64-linux-gnu.2.17"),
    "win64": Platform("win64", "x86_64-windows", ".dll", "x86_64-windows-gnu"),
    "darwin64": Platform("darwin64", "x86_64-darwin", ".dylib", "x86_64-macos"),
    "linux-arm64": Platform(None, "aarch64-linux", ".so", "aarch64-linux-gnu.2.17"),
    "darwin-arm64": Platform(None, "aarch64-darwin", ".dylib", "aarch64-macos"),
}
FLAGS: Final = ("-std=c99", "-O1", "-shared", "-fvisibility=hidden", "-ffp-contract=off")


def this_platform() -> str | None:
    """The name of the machine's own platform, where FMI has one."""
    systems = {"linux": "linux", "win32": "win", "darwin": "darwin"}
    system = next((name for prefix, name in systems.items() if sys.platform.startswith(prefix)), None)
    machine = platform.machine().lower()
    if system is None:
        return None
    if machine in ("x86_64", "amd64"):
        return f"{system}64"
    found = f"{system}-arm64"
    return found if machine in ("arm64", "aarch64") and found in PLATFORMS else None


def binaries(
    sources: Mapping[str, str],
    compiled: Sequence[str],
    identifier: str,
    version: int,
    asked: Sequence[str] | None,
    where: str,
) -> dict[str, bytes]:
    """Libraries by their paths in the FMU. `asked`: names of platforms; None: this one, where there is something to
    compile with."""
    here = this_platform()
    names = list(asked) if asked is not None else [here] if here and (compiler() or has_zig()) else []
    out = {}
    with tempfile.TemporaryDirectory(prefix="symbody-fmu-") as folder:
        place = Path(folder)
        for name, text in sources.items():
            write_text(place / name, text)
        for name in names:
            if name not in PLATFORMS:
                raise unknown(where, "platform", name, PLATFORMS, CompileError)
            target = PLATFORMS[name]
            inside = target.old if version == 2 else target.new
            if inside is None:
                if asked is None:
                    continue
                raise CompileError(f"{where}: FMI 2.0 has no name for {name}; write version=3")
            library = place / f"{identifier}{target.ending}"
            _compile(place, compiled, library, name, here, where)
            out[f"binaries/{inside}/{library.name}"] = library.read_bytes()
    return out


def _compile(place: Path, compiled: Sequence[str], library: Path, name: str, here: str | None, where: str) -> None:
    target = PLATFORMS[name]
    if name == here and (own := compiler()):
        command = [own]
    elif has_zig():
        command = [sys.executable, "-m", "ziglang", "cc", "-target", target.triple]
    else:
        reason = f"a library for {name} needs the package ziglang: pip install 'symbody[fmu]'"
        raise CompileError(
            f"{where}: {reason}" if name != here else f"{where}: there is no C compiler on this machine; {reason}"
        )
    position = [] if target.ending == ".dll" else ["-fPIC"]
    mathematics = [] if target.ending == ".dll" else ["-lm"]
    done = subprocess.run(
        [*command, *FLAGS, *os.environ.get("CFLAGS", "").split(), *position, *compiled, "-o", library.name, *mathematics], cwd=place, capture_output=True, text=True, check=False
    )  # fmt: skip
    if done.returncode != 0:
        said = (done.stderr or done.stdout).strip().splitlines()
        raise CompileError(
            f"{where}: {' '.join(command[:4])} cannot build the library for {name}: {' / '.join(said[:5])}"
        )
