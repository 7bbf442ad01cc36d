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


FIGURES = {  # that have axes, or show a mechanism whose data are printed
    "Lennartsson 1999": 13, "MBSymba": 2, "Lynch 1988": 12, "Neweul-M²": 2, "Tuomela, Arponen, Normi": 9,
}  # fmt: skip


def summary(records: list[Record]) -> str:
    """How many things are printed, and how many are met."""
    count = Counter(r.verdict for r in records)
    numbers = sum(count[v] for v in ("all digits", "within", "instead", "off"))
    drawn = len({(r.document, r.place) for r in records if r.verdict == "drawn"})
    figures = sum(n for name, n in FIGURES.items() if name in {r.document for r in records})
    return (
        f"{numbers} printed numbers: {count['all digits']} met in all digits, {count['within']} within a tolerance that "
        f"is given, {count['instead']} that the document prints differently or without its data, {count['off']} off; "
        f"{count['same']} equations the same; {count['holds']} statements hold; {drawn} of {figures} figures drawn; {count['measured']} times and costs"
    )


def errors(records: list[Record]) -> list[str]:
    """Numbers that a document prints differently, or without its data, each with the reason."""
    return [f"{r.document}, {line_of(r)}" for r in records if r.verdict == "instead"]


def report(records: list[Record]) -> str:
    """All records, document by document, what documents print differently, and the summary."""
    lines: list[str] = []
    for name in dict.fromkeys(r.document for r in records):
        lines += ["", name, *(line_of(r) for r in records if r.document == name)]
    if found := errors(records):
        lines += ["", "Printed differently, or without its data", *found]
    return "\n".join([*lines, "", summary(records)])
