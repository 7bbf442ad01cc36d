"""Waiting time before anything of the user happens: the import, and small commands, as CPU seconds of a fresh process.

The least of several runs with bytecode at hand, as pip leaves it. `before_cpu_s` is the least that was measured on two
busy cores of a server when every name was loaded at once.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from .timing import Row

RUNS = 10
CASES: dict[str, tuple[list[str], float | None]] = {  # command, CPU seconds before names were lazy
    "python": (["-c", "pass"], None),
    "import numpy": (["-c", "import numpy"], None),
    "import symbody": (["-c", "import symbody"], 0.51),
    "model and derive": (["-c", "import symbody as sb; sb.Model; sb.derive"], 0.59),
    "symbody examples": (["-m", "symbody", "examples"], 2.14),
    "symbody check slider_crank": (["-m", "symbody", "check", "slider_crank"], 1.84),
    "symbody check motorcycle": (["-m", "symbody", "check", "motorcycle"], 1.89),
    "symbody check stanford_arm": (["-m", "symbody", "check", "stanford_arm"], 2.07),
}


def rows() -> Iterator[Row]:
    with tempfile.TemporaryDirectory() as folder:
        environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
        environment["PYTHONPYCACHEPREFIX"] = folder
        for case, (arguments, before) in CASES.items():
            least = min(cpu_seconds(arguments, environment) for _ in range(RUNS))
            yield {"case": case, "cpu_s": least, "before_cpu_s": before}


def cpu_seconds(arguments: list[str], environment: dict[str, str]) -> float:
    """User and system time of one process."""
    begun = os.times()
    here = Path(__file__).parents[1]
    subprocess.run([sys.executable, *arguments], cwd=here, env=environment, stdout=subprocess.DEVNULL, check=True)
    ended = os.times()
    return round(ended.children_user + ended.children_system - begun.children_user - begun.children_system, 4)
