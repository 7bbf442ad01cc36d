"""Programs of others that tests run, and folders that are to check themselves by them."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest


def installed(program: str, package: str) -> str:
    """The path of a program; without it the test is left out, except under CI, where none is."""
    found = shutil.which(program)
    if found is None:
        if os.environ.get("CI"):
            pytest.fail(f"{program} is not installed, and under CI no target is left out")
        pytest.skip(f"{program} is not installed (Debian package {package})")
    return found


def run_in(folder: Path, command: Sequence[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def make_check(folder: Path, *variables: str) -> subprocess.CompletedProcess[str]:
    """`make check`, as somebody would who got the folder."""
    return run_in(folder, ["make", "-s", "check", *variables])


def good(done: subprocess.CompletedProcess[str]) -> str:
    """What a check that found nothing wrong has said."""
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.rstrip().endswith("all good")
    return done.stdout
