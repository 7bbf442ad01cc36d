"""Chapters are scripts in cells, as the gallery has them. Running one gives its page and its records."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from docs.book.cells import cells_of
from docs.book.running import Run, run

from .records import Document, Record, line_of

CHAPTERS = Path(__file__).parent / "chapters"


def chapters() -> list[Path]:
    """The scripts, in the order of the book: their names begin with a number."""
    return sorted(CHAPTERS.glob("*.py"))


def run_chapter(path: Path) -> tuple[Run, list[Record]]:
    """A chapter that was run, and its records."""
    made = run(path.stem, path, cells_of(path))
    return made, [r for d in made.named.values() if isinstance(d, Document) for r in d.records]


def summary(records: list[Record]) -> str:
    """How many things are printed, and how many are met."""
    count = Counter(r.verdict for r in records)
    numbers = sum(count[v] for v in ("all digits", "within", "instead", "off"))
    return (
        f"{numbers} printed numbers: {count['all digits']} met in all digits, {count['within']} within a tolerance that "
        f"is given, {count['instead']} that the document prints differently or without its data, {count['off']} off; "
        f"{count['same']} equations the same; {count['holds']} statements hold; {count['drawn']} figures drawn; {count['measured']} times and costs"
    )


def report(records: list[Record]) -> str:
    """All records, document by document, and the summary."""
    lines: list[str] = []
    for name in dict.fromkeys(r.document for r in records):
        lines += ["", name, *(line_of(r) for r in records if r.document == name)]
    return "\n".join([*lines, "", summary(records)])
