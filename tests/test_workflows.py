"""What runs by itself on a forge, and before a commit, calls what is here."""

from __future__ import annotations

import importlib.util
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[1]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
HOOKS = ROOT / ".pre-commit-config.yaml"
MARKERS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["pytest"]["ini_options"][
    "markers"
]
TOOLS = {"pip", "build"}  # of others, which the steps before install


def commands(tree: Any) -> Iterator[str]:
    """Everything under the keys `run` and `entry`, at any depth."""
    if isinstance(tree, dict):
        for key, value in tree.items():
            if key in ("run", "entry"):
                yield value
            else:
                yield from commands(value)
    elif isinstance(tree, list):
        for item in tree:
            yield from commands(item)


def unknown_words(command: str) -> list[str]:
    """Scripts, modules, markers and files of tests that a command names and that are not here."""
    scripts = [s for s in re.findall(r"(?<!\S)\.ci/\S+", command) if not (ROOT / s).stat().st_mode & 0o100]
    modules = [
        m for m in re.findall(r"python -m ([\w.]+)", command) if m not in TOOLS and not importlib.util.find_spec(m)
    ]
    marks = [m for m in re.findall(r"pytest.* -m (\w+)", command) if not any(k.startswith(f"{m}:") for k in MARKERS)]
    files = [f for f in re.findall(r"(?<!\S)tests/\S+", command) if not (ROOT / f).exists()]
    return [*scripts, *modules, *marks, *files]


def test_the_four_are_there() -> None:
    assert [p.stem for p in WORKFLOWS] == ["docs", "release", "test", "versions"]
    called = {c for p in WORKFLOWS for c in commands(yaml.safe_load(p.read_text(encoding="utf-8")))}
    assert {".ci/run", ".ci/versions", ".ci/coverage", "python -m pytest -n auto -m quick"} <= called


@pytest.mark.parametrize("path", [*WORKFLOWS, HOOKS], ids=lambda p: p.name)
def test_every_command_is_here(path: Path) -> None:
    found = list(commands(yaml.safe_load(path.read_text(encoding="utf-8"))))
    assert found
    assert [word for command in found for word in unknown_words(command)] == []


def test_a_command_that_is_not_here_is_found() -> None:
    command = "python -m bench.nothing; python -m pytest -m slow tests/test_nothing.py"
    assert unknown_words(command) == ["bench.nothing", "slow", "tests/test_nothing.py"]


def test_coverage_has_a_floor() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert project["tool"]["coverage"]["run"]["source"] == ["symbody"]
    assert project["tool"]["coverage"]["report"]["fail_under"] >= 57
    assert any(t.startswith("pytest-cov") for t in project["project"]["optional-dependencies"]["test"])
