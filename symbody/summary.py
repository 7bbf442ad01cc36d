"""How results introduce themselves: a title and a few rows, as text, and as HTML in notebooks.

A result says what it is in `_summary`; nothing is derived, compiled or evaluated for that. Names of the user's choice
are cut where there are many, and escaped in HTML.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import accumulate
from typing import Final

from .escaping import in_html

MOST_NAMES: Final = 6
MOST_CHARACTERS: Final = 110  # of a row
MOST_LISTED: Final = 80  # characters of the names in a row
MOST_ROWS: Final = 12
MOST_LINES: Final = 14  # of a table
MOST_OPEN: Final = 3000  # characters of HTML that are shown without a click
_ROW_STYLE: Final = "text-align:left;vertical-align:top;padding:.1em .8em .1em 0;border:0;background:none"


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

    def html(self, folded: Iterable[tuple[str, str]] = ()) -> str:
        """A table; `folded` are pieces of HTML with a title each, long ones to be opened by a click."""
        cells = "".join(
            f"<tr style='background:none'><th style='{_ROW_STYLE};white-space:nowrap'>{in_html(label)}</th>"
            f"<td style='{_ROW_STYLE}'>{in_html(text)}</td></tr>"
            for label, text in self.rows
        )
        table = f"<table style='border-collapse:collapse;margin:.3em 0'><tbody>{cells}</tbody></table>" if cells else ""
        parts = "".join(
            f"<details{' open' if len(inner) <= MOST_OPEN else ''}><summary>{in_html(t)}</summary>{inner}</details>"
            for t, inner in folded
        )
        return f"<div class='symbody'><strong>{in_html(self.title)}</strong>{table}{parts}</div>"


class SearchOutcome(str):
    """A sentence on how a search ended; true where it found what was searched for, as the outcome of a simulation is
    where it went as asked."""

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


class Summarized:
    """A result that shows its summary instead of its contents."""

    __slots__ = ()

    def _summary(self) -> Summary:
        raise NotImplementedError

    def __repr__(self) -> str:
        return str(self._summary())

    def _folded(self) -> Iterable[tuple[str, str]]:
        """Folded parts for notebooks: titles, and HTML such as `drawn` gives."""
        return ()

    def _repr_html_(self) -> str:
        return self._summary().html(self._folded())


class Tabular:
    """A result that prints as a table; `repr` shows its first lines."""

    __slots__ = ()

    def __repr__(self) -> str:
        return first_lines(str(self))

    def _repr_html_(self) -> str:
        return f"<div class='symbody' style='overflow-x:auto'><pre>{in_html(str(self))}</pre></div>"


def counted(number: int, one: str, many: str = "") -> str:
    """`1 body`, `3 bodies`."""
    return f"{number} {one if number == 1 else many or one + 's'}"


def listing(things: Iterable[object]) -> str:
    """How many there are, and the first of them: `38 (q1, q2, q3, q4, q5, q6, …)`; empty where there are none."""
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
    """Rows that say something; an underscore in a label is a space. An outcome says something also where it is false."""
    return tuple((label.replace("_", " "), str(text)) for label, text in rows.items() if len(text))


def one_line_tag(text: str) -> str:
    """One line in angle brackets, as `repr` of a part."""
    return f"<{cut(text)}>"


def cut(text: str, most: int = MOST_CHARACTERS) -> str:
    """The text on one line, with an ellipsis where it is longer than a row."""
    return cut_end(" ".join(text.split()), most)
