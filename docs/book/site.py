"""Everything together: pages are copied, the rest is made beside them, and Sphinx makes a site of it.

Warnings are errors: a link that leads nowhere, a page that nothing leads to.
"""

from __future__ import annotations

import os
import re
import shutil
import tempfile
import time
from functools import partial
from pathlib import Path

from sphinx.cmd.build import build_main

from .benchmarks import write_benchmarks
from .documents import write_documents
from .gallery import write_gallery
from .reference import write_reference
from .theory import write_theory
from .tutorials import write_tutorials

DOCS = Path(__file__).parents[1]
_OUTSIDE = re.compile(r"\[([^\]]+)\]\((\.\./[^)#]+)\)")
LAST_GUIDES = ":caption: Plots and export\n\n"
STYLE = Path(__file__).parent / "style.css"


def build(target: Path, workers: int | None = None, builder: str = "html") -> str:
    """Write the site to a folder; a sentence that says what is in it.

    workers   processes that run its code; 0: no code is run
    builder   of Sphinx: "dummy" only checks
    """
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as place:
        source = Path(place) / "source"
        _copy_pages(source)
        static = source / "_static" / "scenes"
        static.mkdir(parents=True)
        shutil.copy(STYLE, source / "_static")
        workers = os.cpu_count() or 1 if workers is None else workers
        mechanisms = write_gallery(source / "gallery", static, workers)
        tutorials = write_tutorials(source, static, workers)
        documents = write_documents(source / "documents", static, workers)
        names = write_reference(source / "reference")
        explained = write_theory(source / "theory")
        measured = write_benchmarks(source / "benchmarks.md")
        pages = len(list(source.rglob("*.md")))
        if build_main(["-b", builder, "-q", "-W", "--keep-going", "-j", "auto", str(source), str(target)]):
            raise SystemExit("the site has faults, see above")
    return (
        f"{target}: {pages} pages, {len(mechanisms)} mechanisms and {len(tutorials)} tutorials run, {len(documents)} chapters on source documents, {names} names, {explained} methods, "
        f"{measured} measurements, "
        f"{time.monotonic() - began:.0f} s"
    )


def _copy_pages(source: Path) -> None:
    def beside(folder: str, names: list[str]) -> set[str]:
        return {n for n in names if n in ("book", "documents", "gallery", "__pycache__") and Path(folder) == DOCS}

    shutil.copytree(DOCS, source, ignore=beside)
    _complete(source / "index.md")
    for page in source.rglob("*.md"):
        text = page.read_text(encoding="utf-8")
        page.write_text(_OUTSIDE.sub(partial(_taken_along, page, source), text), encoding="utf-8")


def _complete(index: Path) -> None:
    """Guides that the first page does not name come last among them."""
    text = index.read_text(encoding="utf-8")
    named = set(re.findall(r"^([\w-]+)$", text, re.MULTILINE))
    more = sorted(p.stem for p in index.parent.glob("*.md") if p.stem not in named and p.stem != "index")
    head, guides, tail = text.partition(LAST_GUIDES)
    listed, end, rest = tail.partition("\n```")
    index.write_text("".join([head, guides, "\n".join([listed, *more]), end, rest]), encoding="utf-8")


def _taken_along(page: Path, source: Path, found: re.Match[str]) -> str:
    """A link to a file of the repository outside `docs`: the file goes with the site."""
    file = (DOCS / page.parent.relative_to(source) / found[2]).resolve()
    if file.is_relative_to(DOCS):
        return found[0]
    target = source / "_static" / "files" / file.relative_to(DOCS.parent)
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(file, target)
    return f"{{download}}`{found[1]} </{target.relative_to(source).as_posix()}>`"
