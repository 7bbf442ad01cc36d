"""The checks that are not tests: lint, format, types. Here so that one command runs everything."""

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
CHECKS = {
    "lint": ["ruff", "check", "."],
    "format": ["ruff", "format", "--check", "."],
    "types": ["mypy"],
}


@pytest.mark.parametrize("check", CHECKS)
def test_check(check: str) -> None:
    """What `python -m ruff` and `python -m mypy` say, word for word, when they find something."""
    tool, *arguments = CHECKS[check]
    if find_spec(tool) is None:
        if os.environ.get("CI"):
            pytest.fail(f"{tool} is not installed, and under CI no check is left out")
        pytest.skip(f'{tool} is not installed: pip install -e ".[test]"')
    done = subprocess.run(
        [sys.executable, "-m", tool, *arguments], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"{tool} {' '.join(arguments)}\n{done.stdout}{done.stderr}"
