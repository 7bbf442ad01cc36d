"""What would be published: a wheel with every file of the package and nothing else, which works where it is installed alone."""

from __future__ import annotations

import sys
import zipfile
from pathlib import Path

import pytest

from bench.packages import build, faults_of_contents, tried
from bench.versions import bounds_of_the_package
from tests.amount import dear
from tests.repository import ROOT, tracked_files

pytestmark = pytest.mark.skipif(not (ROOT / ".git").exists(), reason="an unpacked archive: there is no list of files")
OF_THE_PACKAGE = [f for f in tracked_files() if f.startswith("symbody/")]


def wheel_of(names: list[str], path: Path) -> Path:
    with zipfile.ZipFile(path, "w") as wheel:
        for name in [*names, "symbody-0.1.0.dist-info/METADATA"]:
            wheel.writestr(name, "")
    return path


def test_files_that_are_missing_or_too_many_are_named(tmp_path: Path) -> None:
    assert faults_of_contents(wheel_of(OF_THE_PACKAGE, tmp_path / "whole.whl")) == []
    names = [n for n in OF_THE_PACKAGE if n != "symbody/py.typed"]
    found = faults_of_contents(wheel_of([*names, "tests/amount.py"], tmp_path / "torn.whl"))
    assert found == ["missing: symbody/py.typed", "too much: tests/amount.py"]


def test_bounds_of_what_the_package_needs() -> None:
    assert all("==" in bound for bound in bounds_of_the_package("lowest"))
    assert all(">=" in bound for bound in bounds_of_the_package("newest"))


@dear
def test_the_wheel_works_where_nothing_else_is(tmp_path: Path) -> None:
    pytest.importorskip("build", reason="build is not installed (pip install build twine)")
    _, wheel = build(tmp_path)
    assert faults_of_contents(wheel) == []
    tried(wheel, sys.executable, "newest")
