"""Everything together: pages are copied, the rest is made beside them, and Sphinx makes a site of it.

Warnings are errors: a link that leads nowhere, a page that nothing leads to. Where only some pages are wanted, for a quick look,
the others are left out, and links to them are not checked.
"""

from __future__ import annotations

import contextlib
import difflib
import os
import re
import shutil
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from fnmatch import fnmatch
from functools import partial
from pathlib import Path

from sphinx.cmd.build import build_main

from .benchmarks import write_benchmarks
from .documents import write_documents
from .gallery import Entry, write_gallery
from .language import write_language
from .reference import write_reference
from .running import Workers, is_wanted
from .theory import write_theory
from .tutorials import write_tutorials

DOCS = Path(__file__).parents[1]
_OUTSIDE = re.compile(r"\[([^\]]+)\]\((\.\./[^)#]+)\)")
LAST_GUIDES = ":caption: Plots and export\n\n"
BESIDE = Path(__file__).parent
WAIT = 15.0  # seconds between lines of progress while Sphinx writes


def build(
    target: Path,
    workers: int | None = None,
    builder: str = "html",
    only: Sequence[str] = (),
    tell: Callable[[str], None] = lambda _: None,
) -> str:
    """Write the site to a folder; a sentence that says what is in it.

    workers   processes that run its code; 0: no code is run
    builder   of Sphinx: "dummy" only checks
    only      patterns of pages, such as "linear" or "gallery/*": the others are left out
    tell      called with a line of progress
    """
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as place:
        source = Path(place) / "source"
        _copy_pages(source)
        static = source / "_static" / "scenes"
        static.mkdir(parents=True)
        shutil.copy(BESIDE / "style.css", source / "_static")
        shutil.copy(BESIDE / "scorer.js", source)
        crew = Workers(os.cpu_count() or 1 if workers is None else workers, tuple(only), tell)
        tell("reference, theory and measurements")  # first: their faults show within seconds
        names = write_reference(source / "reference")
        explained = write_theory(source / "theory")
        measured = write_benchmarks(source / "benchmarks.md")
        mechanisms = write_gallery(source / "gallery", static, crew)
        tutorials = write_tutorials(source, static, crew)
        documents = write_documents(source / "documents", static, crew)
        write_language(source, source / "extra")
        if only:
            _leave_out_others(source, only)
        pages = len(list(source.rglob("*.md")))
        tell(f"Sphinx: {pages} pages")
        with _told_every(WAIT, lambda: tell(f"Sphinx: {min(pages, _written(target, began))} of {pages} pages written")):
            if build_main([*_options(builder, only), str(source), str(target)]):
                raise SystemExit("the site has faults, see above")
    ran = [sum(crew.runs(page) for page in names_of) for names_of in _runnable(mechanisms, tutorials, documents)]
    return (
        f"{target}: {pages} pages; {ran[0]} mechanisms, {ran[1]} tutorials and {ran[2]} chapters on source documents were run; "
        f"{names} names, {explained} methods, {measured} measurements; {time.monotonic() - began:.0f} s"
    )


@contextlib.contextmanager
def _told_every(seconds: float, say: Callable[[], None]) -> Iterator[None]:
    """Call `say` again and again while the block runs."""
    done = threading.Event()

    def repeat() -> None:
        while not done.wait(seconds):
            say()

    teller = threading.Thread(target=repeat, daemon=True)
    teller.start()
    try:
        yield
    finally:
        done.set()
        teller.join()


def _written(target: Path, began: float) -> int:
    """Pages of the site that are newer than the beginning of its build."""
    since = time.time() - (time.monotonic() - began)
    return sum(page.stat().st_mtime >= since for page in target.rglob("*.html"))


def _runnable(mechanisms: list[Entry], tutorials: list[Path], documents: list[Path]) -> tuple[list[str], ...]:
    """Pages by name whose code can be run."""
    return (
        [f"gallery/{e.name}" for e in mechanisms],
        [f"tutorials/{p.stem}" for p in tutorials],
        [f"documents/{p.stem}" for p in documents],
    )


def _options(builder: str, only: Sequence[str]) -> list[str]:
    if only:
        return ["-b", builder, "-Q", "-E"]
    checked = ["-b", builder, "-q", "-W", "--keep-going"]
    return [*checked, "-D", "smartquotes=0"] if builder == "dummy" else [*checked, "-j", "auto"]


def _leave_out_others(source: Path, only: Sequence[str]) -> None:
    """Only pages that are wanted stay, and those above them, which their side bar shows."""
    names = {page: page.relative_to(source).with_suffix("").as_posix() for page in source.rglob("*.md")}
    for pattern in only:
        if not any(fnmatch(name, pattern) for name in names.values()):
            near = difflib.get_close_matches(pattern, names.values(), 3)
            said = f"; did you mean {', '.join(near)}?" if near else ", by its path in the book, without a suffix"
            raise SystemExit(f"the book has no page {pattern!r}{said}")
    for page, name in names.items():
        if not is_wanted(name, only) and page.name != "index.md":
            page.unlink()


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
