"""Which versions of other packages are declared, and that `.ci/versions` tests with just these."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import symbody
from bench.versions import TOOLS, requirements

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
CHANGELOG = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


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


def test_the_version_stands_in_one_place():
    """`pyproject.toml` reads it; CITATION.cff, which nothing can compute, says the same; the changelog has its heading."""
    pyproject = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert pyproject["project"]["dynamic"] == ["version"]
    assert pyproject["tool"]["hatch"]["version"]["path"] == "symbody/version.py"
    assert f"\nversion: {symbody.__version__}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert re.search(rf"^## \[{re.escape(symbody.__version__)}\] - \d{{4}}-\d\d-\d\d$", CHANGELOG, re.MULTILINE)
    assert CHANGELOG.count("## [Unreleased]") == 1
    asking = [
        f
        for f in (ROOT / "symbody").rglob("*.py")
        if re.search(r"\bversion\(.symbody.\)", f.read_text(encoding="utf-8"))
    ]
    assert asking == []


def test_a_checkout_that_is_not_installed_reports(tmp_path):
    """The version does not come from what pip has noted."""
    code = (
        "import importlib.metadata as m; m.distribution = lambda n: (_ for _ in ()).throw(m.PackageNotFoundError(n))\n"
    )
    code += "import symbody as sb; eq = sb.from_equations({(x := sb.symbol('x', 'variable')): -x}, name='decay')\n"
    code += "print(sb.write.artefact(eq, sb.write.ExportOptions(reference=None)).version, sb.__version__)"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.stdout.split() == [symbody.__version__] * 2, done.stderr
