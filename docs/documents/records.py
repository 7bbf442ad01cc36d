"""What a document prints beside what is computed here: numbers, equations, figures, times.

A chapter makes one `Document`, and hands it rows in the order of the text:

    thesis = Document("Lennartsson 1999")
    thesis.compare(
        printed("sec. 7.3", "angle at rest [rad]", "0.20135", rest["theta"]),
        printed("sec. 7.4.4", "pitchfork [m/s]", "5.3984", capsize, instead="5.39712", because="..."),
    )

A printed number is text, since its digits are its tolerance: half a unit of the last digit. A number that is not met says
`because` why, and `instead` holds what is found here, to its own last digit; `within` widens the tolerance of a value that
was read off a curve or depends on a method.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from html import escape
from typing import Any, Literal

import numpy as np

import symbody as sb
from symbody.view import Figure, FigureGrid

ROUNDING = 1e-9  # share of a printed digit's half unit by which a value may lie beyond it
POINTS = 4  # random points at which two expressions are compared
SAME = 1e-10  # relative difference of two expressions at a point that is rounding

Verdict = Literal["all digits", "within", "instead", "same", "holds", "drawn", "measured", "off"]
_NUMBER = re.compile(r"[-+−]?\d+(?:\.\d+)?(?:e[-+]?\d+)?")


@dataclass(frozen=True)
class Record:
    """One printed thing and its counterpart.

    document    short name of the document
    place       section, equation, table or figure
    quantity    what it is, with its unit
    printed     as printed
    here        as computed, in the digits that are compared
    difference  of a number, None otherwise
    verdict     "all digits", "within" (a wider tolerance), "instead" (the document errs, or leaves data out), "same" (an
                equation), "holds" (a statement), "drawn" (a figure), "measured" (a time or a cost: nothing to meet), "off" (a fault)
    remark      why a value differs
    """

    document: str
    place: str
    quantity: str
    printed: str
    here: str
    difference: float | None
    verdict: Verdict
    remark: str = ""


def printed(
    place: str,
    quantity: str,
    text: str,
    value: Any,
    *,
    within: float | None = None,
    instead: str | None = None,
    because: str = "",
) -> Record:
    """The record of a printed number; real numbers, and complex ones as "0.5 + 0.866i"."""
    if (within is not None or instead is not None) and not because:
        raise ValueError(f"{place}, {quantity}: say `because` why {text} is not met in all its digits")
    number = complex(value)
    difference = abs(number - value_of(text))
    if difference <= tolerance_of(text):
        verdict: Verdict = "all digits"
    elif instead is not None:
        verdict = "instead" if abs(number - value_of(instead)) <= tolerance_of(instead) else "off"
    else:
        verdict = "within" if within is not None and difference <= within else "off"
    return Record("", place, quantity, text, _digits(number, instead or text), difference, verdict, because)


def equation(
    place: str,
    quantity: str,
    theirs: Any,
    ours: Any,
    values: Mapping[Any, float] | None = None,
    *,
    text: str = "",
    because: str = "",
) -> Record:
    """The record of a printed expression, or of a list or matrix of them: compared at random points."""
    difference = _largest_difference(theirs, ours, values or {})
    shown = text or sb.text(theirs) if isinstance(theirs, sb.Expr) else text or "as printed"
    is_same = difference <= SAME
    return Record(
        "",
        place,
        quantity,
        shown,
        "the same" if is_same else "another",
        difference,
        "same" if is_same else "off",
        because,
    )


def statement(place: str, words: str, holds: Any, because: str = "") -> Record:
    """The record of a statement without a number, such as the order of some curves."""
    return Record("", place, words, "stated", "holds" if holds else "fails", None, "holds" if holds else "off", because)


def measured(place: str, quantity: str, text: str, here: str, because: str = "") -> Record:
    """The record of a time, a cost or a curve that depends on machine and method: shown, and not judged."""
    return Record("", place, quantity, text, here, None, "measured", because)


def value_of(text: str) -> complex:
    """The number of a text; words such as "about" around it are left out."""
    plain = text.replace("−", "-").replace("±", "+")
    if "i" in plain and (parts := re.findall(r"([-+]?\s*\d+(?:\.\d+)?)\s*(i?)", plain)):
        return complex(sum(float(p.replace(" ", "")) * (1j if i else 1) for p, i in parts))
    found = _NUMBER.search(plain)
    if found is None:
        raise ValueError(f"{text!r} holds no number")
    return complex(float(found[0]))


def tolerance_of(text: str) -> float:
    """Half a unit of the last printed digit."""
    found = _NUMBER.search(text.replace("−", "-"))
    if found is None:
        raise ValueError(f"{text!r} holds no number")
    mantissa, _, exponent = found[0].partition("e")
    _, _, decimals = mantissa.partition(".")
    return 0.5 * 10.0 ** (int(exponent or 0) - len(decimals)) * (1 + ROUNDING)


def _digits(value: complex, text: str) -> str:
    """A value with one digit more than the printed one; a whole number that is printed as one stays so."""
    found = _NUMBER.search(text.replace("−", "-"))
    assert found is not None
    mantissa, _, exponent = found[0].partition("e")
    if "." not in found[0] and value == round(value.real):
        return f"{value.real:.0f}"
    places = len(mantissa.partition(".")[2]) + 1
    style = f".{places}{'e' if exponent else 'f'}"
    return f"{value.real:{style}}" + (f" {value.imag:+{style}}i" if value.imag else "")


def _largest_difference(theirs: Any, ours: Any, values: Mapping[Any, float]) -> float:
    draw, largest = np.random.default_rng(1), 0.0
    free = sorted({s for x in (theirs, ours) for s in _symbols(x)}, key=lambda s: s.name)
    for _ in range(POINTS if free else 1):
        point = {s: draw.uniform(0.3, 1.7) for s in free} | dict(values)
        a, b = (_value(x, point) for x in (theirs, ours))
        largest = max(largest, float(np.max(np.abs(a - b) / (1 + np.abs(a)))))
    return largest


def _symbols(thing: Any) -> list[sb.Symbol]:
    return [] if isinstance(thing, np.ndarray) else sb.free_symbols(thing)


def _value(thing: Any, point: Mapping[Any, float]) -> Any:
    return thing if isinstance(thing, np.ndarray) else np.array(sb.evaluate(thing, point), dtype=float)


class Document:
    """The records of one document, in the order in which its chapters make them."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.records: list[Record] = []

    def compare(self, *records: Record) -> Comparison:
        """Keep records; a table of them."""
        own = tuple(replace(r, document=self.name) for r in records)
        self.records += own
        return Comparison(own)

    def figure(self, place: str, caption: str, picture: Any) -> Any:
        """Keep a figure or scene that is drawn as in the document; the picture itself, with its caption."""
        self.records.append(Record(self.name, place, caption, "figure", "drawn", None, "drawn"))
        if isinstance(picture, Figure | FigureGrid):
            return replace(picture, caption=f"{place.capitalize()}: {caption}")
        return picture


@dataclass(frozen=True)
class Comparison:
    """Records as a table, in terminals and on pages."""

    records: tuple[Record, ...]

    def __repr__(self) -> str:
        return "\n".join(line_of(r) for r in self.records)

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{h}</th>" for h in ("where", "what", "printed", "here", "difference", ""))
        rows = "".join("<tr>" + "".join(f"<td>{_in_page(c)}</td>" for c in cells_of(r)) + "</tr>" for r in self.records)
        return f'<table class="comparison"><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>'


def _in_page(text: str) -> str:
    """Text of a cell; what stands between backticks is code."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(text, quote=False))


def cells_of(record: Record) -> tuple[str, ...]:
    """A record as the cells of a row."""
    off = "" if record.difference is None else f"{record.difference:.0e}" if record.difference else "0"
    mark = {"all digits": "✓", "same": "✓", "holds": "✓", "drawn": "✓", "off": "✗"}.get(record.verdict, "")
    return (
        record.place,
        record.quantity,
        record.printed,
        record.here,
        off,
        " ".join(x for x in (mark, record.remark) if x),
    )


def line_of(record: Record) -> str:
    """A record as a line of text."""
    place, quantity, text, here, off, remark = cells_of(record)
    return f"{place:14} {quantity:52} {text:>18} {here:>18} {off:>7}  {remark}".rstrip()
