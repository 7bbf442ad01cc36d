"""The source documents: chapters that are run, each a page with its comparisons and figures, and a page that counts them."""

from __future__ import annotations

from pathlib import Path

from docs.documents.records import Record
from docs.documents.running import chapters, run_chapter, summary

from .cells import cells_of
from .notebooks import write_notebook
from .pages import page_of, title_of
from .running import Workers, unrun


def write_documents(folder: Path, static: Path, workers: Workers) -> list[Path]:
    """Write a page for each chapter, and the first page with their table of contents."""
    folder.mkdir(exist_ok=True)
    found = chapters()
    workers.write(_write, {f"documents/{p.stem}": (p, folder, static) for p in found})
    (folder / "index.md").write_text(_index(found), encoding="utf-8")
    return found


def _write(path: Path, folder: Path, static: Path, is_run: bool) -> None:
    cells, records = cells_of(path), list[Record]()
    write_notebook(cells, folder / f"{path.stem}.ipynb")
    if is_run:
        made, records = run_chapter(path)
    else:
        made = unrun(path.stem, cells)
    counted = f"\n\n*{summary(records)}.*\n" if records else ""
    (folder / f"{path.stem}.md").write_text(page_of(made, folder, static) + counted, encoding="utf-8")


def _index(found: list[Path]) -> str:
    titles = "\n".join(f"- [{title_of(cells_of(p)[0].source)}]({p.stem}.md)" for p in found)
    listed = "\n".join(p.stem for p in found)
    return (
        "# The source documents\n\nFive documents describe systems that turn the description of a mechanism into "
        "symbolic equations of motion. Each chapter goes through one of them in its order: what it prints stands beside "
        "what is computed here, by code that runs when this book is made. `python -m docs.documents` prints all "
        f"comparisons as one table.\n\n{titles}\n\n```{{toctree}}\n:hidden:\n:maxdepth: 1\n\n{listed}\n```\n"
    )
