"""The files of the repository, as the checks see them: what git tracks, and nothing else that lies in the folder."""

from __future__ import annotations

import subprocess
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]


def tracked_files(root: Path = ROOT) -> list[str]:
    """What git tracks and is there; in an unpacked archive, what the archive is made of."""
    files = _by_git(root)
    return sorted(f for f in (_distributed(root) if files is None else files) if (root / f).is_file())


def _by_git(root: Path) -> list[str] | None:
    if not (root / ".git").exists():  # the folder may lie inside another repository
        return None
    done = subprocess.run(["git", "ls-files", "-z"], cwd=root, capture_output=True, text=True, check=True)
    return done.stdout.split("\0")


def _distributed(root: Path) -> list[str]:
    """By the list of the source distribution in pyproject.toml."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    parts = [root / p.lstrip("/") for p in project["tool"]["hatch"]["build"]["targets"]["sdist"]["include"]]
    found = [f for part in parts for f in (part.rglob("*") if part.is_dir() else [part])]
    return [f.relative_to(root).as_posix() for f in found if "__pycache__" not in f.parts]
