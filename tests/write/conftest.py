"""Importers of FMUs change the working directory while they load a library, and two threads leave it where the other
one was."""

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def _working_directory_comes_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(Path.cwd())
