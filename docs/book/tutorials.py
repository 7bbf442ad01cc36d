"""Tutorials: pages whose code is run, with what it shows, and a notebook of each."""

from __future__ import annotations

from pathlib import Path

from .cells import cells_of
from .notebooks import write_notebook
from .pages import page_of
from .running import Workers, run, unrun

FOLDER = "tutorials"


def write_tutorials(source: Path, static: Path, workers: Workers) -> list[Path]:
    """Replace each page by the one with its outputs, where it is run."""
    found = sorted((source / FOLDER).glob("*.md"))
    workers.write(_write, {f"{FOLDER}/{p.stem}": (p, static) for p in found})
    return found


def _write(path: Path, static: Path, is_run: bool) -> None:
    cells = cells_of(path)
    if not any(c.is_code for c in cells):
        return
    write_notebook(cells, path.with_suffix(".ipynb"))
    made = run(path.stem, path, cells) if is_run else unrun(path.stem, cells)
    path.write_text(page_of(made, path.parent, static), encoding="utf-8")
