"""Which versions of other packages are declared, and that `.ci/versions` tests with just these."""

import re
import tomllib
from pathlib import Path

import pytest

from bench.versions import TOOLS, requirements

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def names(texts: list[str]) -> set[str]:
    return {re.split(r"[=<>~!\[; ]", t)[0] for t in texts}


@pytest.mark.parametrize("which", ["lowest", "newest"])
def test_everything_that_is_declared_is_installed(which):
    wanted = names(PROJECT["dependencies"]) | names(PROJECT["optional-dependencies"]["test"])
    assert names(requirements(which)) == wanted - set(TOOLS)


def test_the_lowest_are_the_bounds_themselves():
    bounds = dict(t.split(">=") for t in PROJECT["dependencies"])
    lowest = dict(t.split("==") for t in requirements("lowest"))
    assert {n: lowest[n] for n in bounds} == bounds
    assert not any("==" in t for t in requirements("newest"))


def test_llvmlite_is_one_that_works():
    """0.43 and 0.44 have another interface for passes."""
    (bound,) = (t.split(">=")[1] for t in PROJECT["dependencies"] if t.startswith("llvmlite"))
    assert tuple(map(int, bound.split("."))) >= (0, 45)


def test_the_script_runs_both():
    text = (ROOT / ".ci" / "versions").read_text(encoding="utf-8")
    oldest = re.search(r">=(\d+\.\d+)", PROJECT["requires-python"])[1]
    assert f'bench.versions lowest --python "${{OLDEST_PYTHON:-python{oldest}}}"' in text
    assert "bench.versions newest" in text
