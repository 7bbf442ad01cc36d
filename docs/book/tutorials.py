"""Tutorials: pages whose code is run, with what it shows, and a notebook of each."""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from .cells import cells_of
from .notebooks import write_notebook
from .pages import page_of
from .running import run

FOLDER = "tutorials"


def write_tutorials(source: Path, static: Path, workers: int) -> list[Path]:
    """Replace each page by the one with its outputs."""
    found = sorted((source / FOLDER).glob("*.md"))
    with ProcessPoolExecutor(workers, max_tasks_per_child=1) as pool:
        list(pool.map(_write, found, [static] * len(found)))
    return found


def _write(path: Path, static: Path) -> None:
    cells = cells_of(path)
    if not any(c.is_code for c in cells):
        return
    write_notebook(cells, path.with_suffix(".ipynb"))
    path.write_text(page_of(run(path.stem, path, cells), path.parent, static), encoding="utf-8")
