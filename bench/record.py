"""Figures that are kept: the rows of a stage with the machine, the versions and the date, as the book shows them.

`python -m bench simulate --record` writes `bench/results/simulate.json`. Rows are as they were measured, also where a peer
is faster.
"""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Iterable
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from symbody.whole_files import write_text

from .timing import Row

RESULTS = Path(__file__).parent / "results"
PACKAGES = (
    *("symbody", "numpy", "scipy", "llvmlite", "sympy"),
    *(
        "pin",
        "coal",
        "mujoco",
        "casadi",
        "exudyn",
        "scikit-sundae",
        "jax",
        "torch",
        "pydy",
        "distributed",
        "opty",
        "opensim",
    ),
)


def record(stage: str, command: str, rows: Iterable[Row]) -> Path:
    """Write the rows of a stage; the file's path."""
    RESULTS.mkdir(exist_ok=True)
    kept = {"stage": stage, "command": command, **surroundings(), "rows": list(rows)}
    path = RESULTS / f"{stage}.json"
    write_text(path, json.dumps(kept, indent=1, ensure_ascii=False, default=float) + "\n")
    return path


def surroundings() -> dict[str, Any]:
    """The day, the machine, and the versions of what is compared, where it is installed."""
    found = {}
    for name in PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return {
        "date": datetime.now(UTC).date().isoformat(),
        "machine": f"{_processor()}, {os.cpu_count()} cores, {platform.system()}, Python {platform.python_version()}",
        "versions": found,
    }


def _processor() -> str:
    """Its name where the system tells it."""
    described = Path("/proc/cpuinfo")
    lines = described.read_text(encoding="utf-8").splitlines() if described.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()
