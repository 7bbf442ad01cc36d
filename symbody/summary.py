"""Summaries of results: a title and a few rows, which `display` writes in notebooks.

A result returns its summary from `_summary`, without deriving, compiling or evaluating anything. Long lists of names
are shortened.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields
from itertools import accumulate
from typing import Final

from .display import Displayed, DisplayPart, Folded, LabelledRows, Preformatted, Title

MOST_NAMES: Final = 6
MOST_CHARACTERS: Final = 110  # of a row
MOST_LISTED: Final = 80  # characters of the names in a row
MOST_ROWS: Final = 12
LONGEST_LABEL: Final = 30  # characters of the label of a row that is read off a text
MOST_LINES: Final = 14  # of a table


@dataclass(frozen=True)
class Summary:
    """A title, and rows of a label and a text."""

    title: str
    rows: tuple[tuple[str, str], ...] = ()

    def __str__(self) -> str:
        rows = [f"{label}: {cut(text)}" for label, text in self.rows]
        if len(rows) > MOST_ROWS:
            rows = [*rows[: MOST_ROWS - 1], f"and {len(rows) - MOST_ROWS + 1} more"]
        return "\n  ".join([f"<{cut(self.title)}", *rows]) + ">"

    def parts(self) -> tuple[DisplayPart, ...]:
        """For a display."""
        return Title(self.title), LabelledRows(self.rows)


class SearchOutcome(str):
    """A sentence that states how a search ended. It is true if the search succeeded, like the outcome of a
    simulation."""

    __slots__ = ("_is_found",)
    _is_found: bool

    def __new__(cls, said: str, is_found: bool) -> SearchOutcome:
        out = super().__new__(cls, said)
        out._is_found = bool(is_found)
        return out

    def __bool__(self) -> bool:
        return self._is_found

    def __getnewargs__(self) -> tuple[str, bool]:  # type: ignore[override]
        return str(self), self._is_found


class Summarized(Displayed):
    """A result that shows its summary instead of its contents."""

    __slots__ = ()

    def _summary(self) -> Summary:
        raise NotImplementedError

    def __repr__(self) -> str:
        return str(self._summary())

    def _folded(self) -> Iterable[tuple[str, DisplayPart]]:
        """Folded parts for notebooks: titles and contents."""
        return ()

    def _display(self) -> Iterable[DisplayPart]:
        summary, folded = self._summary(), list(self._folded())
        rows = [row for row in summary.rows if row[0] not in dict(folded)]  # what is drawn is not outlined
        return Title(summary.title), LabelledRows(rows), *(Folded(title, (part,)) for title, part in folded)


class Tabular(Displayed):
    """A result that prints as a table; `repr` shows its first lines."""

    __slots__ = ()

    def __repr__(self) -> str:
        return first_lines(str(self))

    def _display(self) -> Iterable[DisplayPart]:
        return parts_of_text(str(self))


class Introduced(Displayed):
    """A result, or a part of a model, whose text a notebook shows: the first line as a title, the others as rows."""

    __slots__ = ()

    def _display(self) -> Iterable[DisplayPart]:
        name, text = type(self).__name__, str(self)
        if hasattr(type(self), "__dataclass_fields__") and text.startswith(f"{name}("):  # no text of its own
            known = [f.name for f in fields(self) if f.repr]  # type: ignore[arg-type]
            rows = [(label.replace("_", " "), cut(str(getattr(self, label)))) for label in known]
            return Title(name), LabelledRows([row for row in rows if row[1] not in ("", "None", "()")])
        return parts_of_text(text.removeprefix("<").removesuffix(">"))


def parts_of_text(text: str) -> tuple[DisplayPart, ...]:
    """Display parts from a text: a line followed by indented lines becomes a title with labelled rows; everything else
    is unchanged."""
    first, *rest = text.split("\n")
    if any(not line.startswith("  ") for line in rest):
        return (Preformatted(text),)
    rows = []
    for line in map(str.strip, rest):
        label, sign, value = min((line.partition(s) for s in (": ", " = ")), key=lambda p: len(p[0]))
        rows.append((label, value) if sign and len(label) <= LONGEST_LABEL else ("", line))
    return Title(first), LabelledRows(rows)


def counted(number: int, one: str, many: str = "") -> str:
    """`1 body`, `3 bodies`."""
    return f"{number} {one if number == 1 else many or one + 's'}"


def listing(things: Iterable[object]) -> str:
    """The number of names and the first of them: `38 (q1, q2, q3, q4, q5, q6, …)`; empty without names."""
    names = [str(t) for t in things]
    ends = accumulate(len(n) + 2 for n in names)
    shown = [n for n, end in zip(names[:MOST_NAMES], ends, strict=False) if end <= MOST_LISTED] or names[:1]
    more = ", …" if len(shown) < len(names) else ""
    return f"{len(names)} ({', '.join(shown)}{more})" if names else ""


def first_lines(text: str) -> str:
    """The beginning of a table, for `repr`; `print` shows all of it."""
    lines = text.split("\n")
    shown = (
        lines
        if len(lines) <= MOST_LINES
        else [*lines[: MOST_LINES - 1], f"... {len(lines) - MOST_LINES + 1} more lines: print it"]
    )
    return "\n".join(cut_end(line) for line in shown)


def cut_end(line: str, most: int = MOST_CHARACTERS) -> str:
    return line if len(line) <= most else line[: most - 1] + "…"


def summary_rows(**rows: str) -> tuple[tuple[str, str], ...]:
    """Rows that are not empty; an underscore in a label becomes a space. An outcome is kept even if it is false."""
    return tuple((label.replace("_", " "), str(text)) for label, text in rows.items() if len(text))


def one_line_tag(text: str) -> str:
    """One line in angle brackets, as `repr` of a part."""
    return f"<{cut(text)}>"


def cut(text: str, most: int = MOST_CHARACTERS) -> str:
    """The text on one line, with an ellipsis where it is longer than a row."""
    return cut_end(" ".join(text.split()), most)
