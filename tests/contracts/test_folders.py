"""The contract of target languages: what is written passes the tools of its language. (Their checks run in tests/write.)"""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest

import symbody as sb
from symbody.write.entry.export import TARGETS
from tests.installed import installed, run_in
from tests.write.models import pendulums, top

from .folders import FOLDERS, lint

OTHERS = {"wasm", "fmu", "page"}  # machine code, and single files


def test_every_language_has_a_row() -> None:
    assert set(FOLDERS) | OTHERS == set(TARGETS)


@pytest.mark.parametrize("to", FOLDERS)
@pytest.mark.parametrize("model", [pendulums, top])
def test_linted(to: str, model: object, tmp_path: Path) -> None:
    eq = pendulums() if model is pendulums else top()
    sb.write.export(eq, to, tmp_path, reference=0.02)
    lint(FOLDERS[to], tmp_path, eq.name)


@pytest.mark.parametrize(("to", "steps_in"), [(to, f.steps_in) for to, f in FOLDERS.items() if f.programs])
def test_lint_finds_a_fault(to: str, steps_in: str, tmp_path: Path) -> None:
    """A statement that no language has, in the last line of the file that steps."""
    sb.write.export(pendulums(), to, tmp_path, reference=0.02)
    path = tmp_path / ("pendulums_scilab.c" if to == "scilab" else steps_in.format(name="pendulums"))
    path.write_text(path.read_text(encoding="utf-8") + "\n)) = (\n", encoding="utf-8")
    with pytest.raises(AssertionError, match=path.name):
        lint(FOLDERS[to], tmp_path, "pendulums")


def test_build_files(tmp_path: Path) -> None:
    sb.write.rust(pendulums(), tmp_path / "rust", reference=None)
    sb.write.javascript(pendulums(), tmp_path / "javascript", reference=None)
    assert tomllib.loads((tmp_path / "rust" / "Cargo.toml").read_text())["package"]["name"] == "pendulums"
    assert json.loads((tmp_path / "javascript" / "package.json").read_text())["main"] == "pendulums.js"
    make = installed("make", "make")
    for to in ("c", "fortran", "auto", "rust", "matlab", "scilab", "simulink"):
        sb.write.export(pendulums(), to, tmp_path / to, reference=None)
        done = run_in(tmp_path / to, [make, "--dry-run", "--warn-undefined-variables", "check"])
        assert done.returncode == 0, done.stderr
