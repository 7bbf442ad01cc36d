"""`python -m bench.versions lowest [pytest arguments]`: the tests with the oldest versions that pyproject.toml
declares.

`python -m bench.versions newest [pytest arguments]` takes the newest ones that can be had, `--python python3.13`
another interpreter. Each run makes a virtual environment of its own outside the checkout, and says which versions are
in it. Lint and types belong to one version and are left out.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
TOOLS = (  # not what the package runs with
    *("ruff", "mypy", "pytest-cov", "pin", "example-robot-data"),
    *("sphinx", "myst-parser", "furo", "sphinx-copybutton", "nbformat", "nbclient", "ipykernel"),
)


def requirements(which: str) -> list[str]:
    """What the package and its tests need: at the lower bounds, or at any version above them."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    needed, of_tests = project["dependencies"], project["optional-dependencies"]["test"]
    wanted: dict[str, str] = {}
    for text in (*needed, *of_tests):
        name, bound = re.fullmatch(r"([\w-]+)>=([\w.]+).*", text).groups()
        if name not in TOOLS:
            exact = f"=={bound}" if text in needed else f"=={bound}.*"  # of tools, with the corrections that they got
            wanted.setdefault(name, exact if which == "lowest" else f">={bound}")
    return [name + bound for name, bound in wanted.items()]


def bounds_of_the_package(which: str) -> list[str]:
    """The same of what the package alone needs."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return [t.replace(">=", "==") if which == "lowest" else t for t in project["dependencies"]]


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.versions", description=__doc__)
    parser.add_argument("which", choices=("lowest", "newest"))
    parser.add_argument("--python", default=sys.executable, help="interpreter of the environment")
    chosen, given = parser.parse_known_args()
    with tempfile.TemporaryDirectory() as place:
        subprocess.run([chosen.python, "-m", "venv", place], check=True)
        python = str(Path(place) / "bin" / "python")
        subprocess.run([python, "-m", "pip", "install", "-q", *requirements(chosen.which), str(ROOT)], check=True)
        subprocess.run([python, "-m", "pip", "list"], check=True)
        command = [
            python,
            "-m",
            "pytest",
            "--deselect",
            "tests/test_checks.py::test_check",
            "-p",
            "no:cacheprovider",
            *given,
        ]
        return subprocess.run(command, cwd=ROOT, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
