"""The checks that are not tests: lint, format, types. Here so that one command runs everything.

They look at what the repository tracks: what a command of the README or a user leaves in the folder is nobody's
business.
"""

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from .repository import ROOT, tracked_files

CHECKS = {
    "lint": ["ruff", "check"],
    "format": ["ruff", "format", "--check"],
    "types": ["mypy"],  # of package, tests and bench, by pyproject.toml
}


@pytest.mark.parametrize("check", CHECKS)
def test_check(check: str) -> None:
    """What `python -m ruff` and `python -m mypy` say, word for word, when they find something."""
    tool, *arguments = CHECKS[check]
    if find_spec(tool) is None:
        if os.environ.get("CI"):
            pytest.fail(f"{tool} is not installed, and under CI no check is left out")
        pytest.skip(f'{tool} is not installed: pip install -e ".[test]"')
    files = [f for f in tracked_files() if f.endswith(".py")] if tool == "ruff" else []
    done = subprocess.run(
        [sys.executable, "-m", tool, *arguments, *files], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"{tool} {' '.join(arguments)}\n{done.stdout}{done.stderr}"


def test_what_is_not_tracked_is_not_looked_at(tmp_path: Path) -> None:
    """A file that a command left behind is not seen; one that is tracked is, also in a folder of the same name."""
    for name in ("symbody/a.py", "out/data/equations.py", "out/kept.py", "gone.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("x=1\n", encoding="utf-8")
    for command in (["init", "-q"], ["add", "symbody", "out/kept.py", "gone.py"]):
        subprocess.run(["git", *command], cwd=tmp_path, check=True)
    (tmp_path / "gone.py").unlink()
    assert tracked_files(tmp_path) == ["out/kept.py", "symbody/a.py"]


def test_without_git_the_distributed_files_are_looked_at(tmp_path: Path) -> None:
    for name in ("symbody/a.py", "symbody/__pycache__/a.pyc", "out/data/equations.py", ".venv/x.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("x=1\n", encoding="utf-8")
    assert tracked_files(tmp_path) == ["symbody/a.py"]
