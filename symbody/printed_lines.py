"""Long lines of mathematics broken at sums: text within a number of columns, LaTeX, MathML."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import Final

INDENT: Final = 4
LATEX_COLUMNS: Final = 90  # of text, about as many as stand on a page
WIDE_TERM: Final = 30  # characters of a term that may be broken inside its parentheses
WIDE_FRACTION: Final = 48  # characters of a fraction whose numerator may be broken
_SIGNS: Final = re.compile(r" [-+−] | = ")
_WORD: Final = re.compile(r"[, ]+")
_TAG: Final = re.compile(r"<[^>]*>")
_PLUS_OR_MINUS: Final = ("<mo>+</mo>", "<mo>−</mo>")
TIMES: Final = "<mo>&#x2062;</mo>"  # invisible multiplication sign
OPENING, CLOSING = '<mo stretchy="false">(</mo>', '<mo stretchy="false">)</mo>'  # of the height of a line


def columns(line: str) -> int:
    """Columns that a line takes in a terminal: dots above letters take none."""
    return sum(not unicodedata.combining(c) for c in line)


def at_width(line: str, width: int | None) -> str:
    """A line as several of at most `width` columns: broken before a sign of the outermost sum where that fits, else of
    an inner one, else between words; those that follow stand below what is right of the equals sign where there is
    room for it."""
    if width is None or columns(line) <= width:
        return line
    at = line.find(" = ")
    indent = at + 3 if 0 <= at < width // 3 else min(INDENT, width // 4)
    out, rest, room = [], line, width
    while columns(rest) > room:
        cut = _break(rest, room)
        if cut is None:
            break
        out.append(rest[:cut].rstrip())
        rest = rest[cut:].lstrip()
        room = width - indent
    lines = [*out, rest]
    return "\n".join([lines[0], *(" " * indent + part for part in lines[1:])])


def _break(line: str, room: int) -> int | None:
    """Where to break a line so that what is before fits: late, and at as shallow a level as there is in its second
    half; the first break of all where none fits."""
    levels, depth = [], 0
    for c in line:
        depth += (c in "([{") - (c in ")]}")
        levels.append(depth)
    places = [(m.start(), levels[m.start()]) for m in _SIGNS.finditer(line) if m.start() > 0]
    fitting = [p for p in places if columns(line[: p[0]]) <= room]
    late = [p for p in fitting if p[0] >= 0.4 * room] or fitting
    if late:
        return min(late, key=lambda p: (p[1], -p[0]))[0]
    words = [m.end() for m in _WORD.finditer(line) if 0 < m.end() < len(line)]
    here = [w for w in words if columns(line[:w].rstrip()) <= room]
    return max(here) if here else min([p for p, _ in places] + words, default=None)


def broken_latex(left: str, right: str, width: int = LATEX_COLUMNS) -> str:
    """The right side of an equation in LaTeX, on several lines of an `aligned` where it is long."""
    terms = list(_latex_terms(right))
    if sum(map(_latex_width, (left, *terms))) <= width or len(terms) < 2:
        return right
    lines, used = [""], _latex_width(left)
    for term in terms:
        if lines[-1] and used + _latex_width(term) > width:
            lines.append("")
            used = INDENT
        lines[-1] += term
        used += _latex_width(term)
    return " \\\\\n&\\quad {}".join(lines)


def _latex_terms(latex: str) -> Iterator[str]:
    """Terms of the outermost sum, each with its sign in front."""
    depth, start = 0, 0
    for m in re.finditer(r"\\left|\\right|\\begin|\\end|[{}]| [-+] ", latex):
        found = m[0]
        depth += (found in ("{", r"\left", r"\begin")) - (found in ("}", r"\right", r"\end"))
        if depth == 0 and found in (" + ", " - ") and m.start() > start:
            yield latex[start : m.start()]
            start = m.start()
    yield latex[start:]


def _latex_width(latex: str) -> int:
    """About how many characters LaTeX takes on paper: of a fraction the longer half."""
    plain = re.sub(r"\\(?:left|right|mathrm|mathit|operatorname|dot|ddot|frac|sqrt|displaystyle)", "", latex)
    return len(re.sub(r"\\[A-Za-z]+|[{}^_ ]", "x", plain).replace("x", "")) + plain.count("\\")


def terms_of_mathml(row: str) -> list[str]:
    """Terms of the outermost sum of a row of MathML, each with its sign in front; those of a sum in parentheses too
    where they are in a long term."""
    out: list[str] = []
    for term in _sum_terms(_elements(row)):
        parts = _sum_terms(_term_without_parentheses(term)) if mathml_columns("".join(term)) > WIDE_TERM else [term]
        out += map("".join, parts)
    return out


def mathml_columns(row: str) -> int:
    """About how many letters wide a row of MathML is."""
    return columns(_TAG.sub("", row).replace("&#x2062;", "").replace("&#x2061;", ""))


def _elements(row: str) -> list[str]:
    """The elements of a row, each with everything inside it."""
    out, depth, start = [], 0, 0
    for tag in _TAG.finditer(row):
        depth += -1 if tag[0].startswith("</") else 0 if tag[0].endswith("/>") else 1
        if depth == 0:
            out.append(row[start : tag.end()])
            start = tag.end()
    return out


def _sum_terms(elements: list[str]) -> list[list[str]]:
    """Elements grouped into terms; a sign between two terms keeps its space."""
    out: list[list[str]] = [[]]
    for e in elements:
        if e in _PLUS_OR_MINUS and out[-1] and out[-1][-1] != OPENING:
            out.append([e.replace("<mo>", '<mo form="infix">')])
        else:
            out[-1].append(e)
    return out


def _term_without_parentheses(term: list[str]) -> list[str]:
    """The elements of a term, with those inside of its longest parentheses among them; a long fraction (a + b)/c is
    written 1/c (a + b)."""
    term = [e for factor in term for e in _opened_fraction(factor)]
    inside = [k for k, e in enumerate(term) if e.startswith(f"<mrow>{OPENING}")]
    if not inside:
        return term
    k = max(inside, key=lambda k: len(term[k]))
    return [*term[:k], *_elements(term[k][len("<mrow>") : -len("</mrow>")]), *term[k + 1 :]]


def _opened_fraction(element: str) -> list[str]:
    """A fraction with a sum in its numerator as a fraction and the sum in parentheses; other elements stay as they
    are."""
    if not element.startswith("<mfrac>") or mathml_columns(element) <= WIDE_FRACTION:
        return [element]
    top, bottom = _elements(element[len("<mfrac>") : -len("</mfrac>")])
    factors = _elements(top[len("<mrow>") : -len("</mrow>")]) if top.startswith("<mrow>") else []
    if len(_sum_terms(factors)) > 1:
        factors = [f"<mrow>{OPENING}{''.join(factors)}{CLOSING}</mrow>"]
    sums = [k for k, e in enumerate(factors) if e.startswith(f"<mrow>{OPENING}")]
    if not sums:
        return [element]
    k = max(sums, key=lambda k: len(factors[k]))
    rest = [e for e in factors[:k] + factors[k + 1 :] if e != TIMES] or ["<mn>1</mn>"]
    return [f"<mfrac><mrow>{TIMES.join(rest)}</mrow>{bottom}</mfrac>", TIMES, factors[k]]
