"""How results are displayed: one place for notebooks, the book and reports (HTML with MathML), LaTeX, and terminals.

A result returns its parts from `_display`, each of one of the types below; `html`, `latex` and `text` write them.
Displaying derives, compiles and evaluates nothing; pages need no network, script or font.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from .escaping import in_html, in_latex
from .printed_lines import at_width, columns, mathml_columns, terms_of_mathml

MOST_OPEN: Final = 3000  # characters of HTML that are shown without a click
LONG_SIDE: Final = 24  # characters of a left side, beyond which signs of equality are not aligned
MOST_TABLE_ROWS: Final = 60  # of a table; the rest is counted
FONTS: Final = "'STIX Two Text','Times New Roman','Liberation Serif',Cambria,serif"
DIAGONAL: Final = "transparent calc(50% - .7px),currentColor calc(50% - .6px),currentColor calc(50% + .6px),transparent calc(50% + .7px)"
BRACKET: Final = "linear-gradient(currentColor,currentColor)"
STYLE: Final = (
    ".symbody{line-height:1.45}"
    ".symbody table{border-collapse:collapse;margin:.3em 0;font-variant-numeric:tabular-nums}"
    ".symbody tr{background:none!important}"
    ".symbody th,.symbody td{vertical-align:baseline;padding:.12em 1em .12em 0;border:0;background:none}"
    ".symbody :is(th,td):not(.number){text-align:left!important}"  # notebooks align all cells of tables to the right
    ".symbody :is(th,td).number{text-align:right!important}"
    ".symbody table.columns th{border-bottom:1px solid;font-weight:600}"
    ".symbody summary{cursor:pointer}"
    ".symbody .scroll{overflow-x:auto;max-width:100%;padding:.3em 0}"  # dots above letters are not cut off
    ".symbody svg{max-width:100%;height:auto}"
    # letters of a font for text: fonts for mathematics are not needed, and dots stand above the letters of any font
    f".symbody math{{font-family:{FONTS};font-size:1.15em}}"
    ".symbody mi{text-transform:none;font-style:italic;padding:0 .04em}"
    ".symbody mi[mathvariant]{font-style:normal;padding-left:.12em}"
    ".symbody .scroll>math{width:fit-content;margin:0}"
    ".symbody table.equations td{padding:.3em .3em .3em 0;vertical-align:baseline}"
    ".symbody table.equations td:first-child{text-align:right!important;white-space:nowrap}"
    ".symbody div.equation{padding:.3em 0;display:flex;flex-wrap:wrap;align-items:baseline;gap:.3em .4em}"
    ".symbody div.equation>div+div{padding-left:1.4em;text-indent:-1.4em}.symbody div.equation math{padding:.2em 0}"
    ".symbody mfrac>:first-child{padding-bottom:.15em}.symbody mfrac>:last-child{padding-top:.15em}"
    # without a table of mathematics in the font, all browsers but Firefox put exponents above the letter
    "@supports not (-moz-appearance:none){.symbody :is(msup,msubsup)>:last-child{position:relative;top:.3em}}"
    "mrow.matrix>mo,mrow.parentheses>mo,mrow.bars>mo,mrow.cases>mo,mrow.root>mo{display:none}"  # brackets and roots that grow with what they hold, whatever fonts there are
    f"mrow.matrix>mtable{{padding:.1em .35em;margin:0 .15em;background:{BRACKET},{BRACKET},{BRACKET},{BRACKET},"
    f"{BRACKET},{BRACKET};background-repeat:no-repeat;background-size:1.4px 100%,.35em 1.4px,.35em 1.4px,1.4px 100%,"
    ".35em 1.4px,.35em 1.4px;background-position:0 0,0 0,0 100%,100% 0,100% 0,100% 100%}"
    "mrow.parentheses>mtable{border:solid;border-width:0 1.3px;border-radius:.5em/50%;padding:.05em .3em;margin:0 .1em}"
    "mrow.parentheses>mtable{border-collapse:separate;border-spacing:0}"  # tables around it may collapse: no round corners
    "mrow.parentheses>mtable>mtr>mtd,mrow.bars>mtable>mtr>mtd,mrow.root>mtable>mtr>mtd{padding:0}"
    # as a row, not as a table, it stands on the line; Firefox centres tables on the line and knows no such rows
    "@supports not (-moz-appearance:none){mrow:is(.parentheses,.bars,.root)>mtable,"
    "mrow:is(.parentheses,.bars,.root)>mtable :is(mtr,mtd){display:math}}"
    "mrow.bars>mtable{border:solid;border-width:0 1.2px;padding:0 .25em;margin:0 .1em}"
    "mrow.cases>mtable{border-left:1.3px solid;padding-left:.4em;margin-left:.2em}"
    "mrow.cases>mtable>mtr>mtd{text-align:left;padding-right:.8em}"
    f"mrow.root>mtable{{padding:.28em .15em 0 .8em;background:{BRACKET} .75em 0/100% 1.2px no-repeat,"
    f"linear-gradient(to bottom right,{DIAGONAL}) .35em 0/.42em 100% no-repeat,"
    f"linear-gradient(to bottom left,{DIAGONAL}) .08em 100%/.28em 45% no-repeat}}"
)


# ---------------------------------------------------------------------------------------------------------- parts


@dataclass(frozen=True)
class ShownFormula:
    """A formula: a function that writes it as "mathml" (an element), "latex", "text" or "code" (which can be parsed
    again)."""

    written: Callable[[str], str]


@dataclass(frozen=True)
class EquationLines:
    """Equations below each other, aligned at the sign between their sides: left and right sides as "mathml", "latex" or
    "text". Long ones are broken at sums, in HTML wherever the page is too narrow."""

    sides: Callable[[str], Sequence[tuple[str, str]]]


@dataclass(frozen=True)
class Title:
    """The title of a result, in one line."""

    text: str


@dataclass(frozen=True)
class LabelledRows:
    """Rows of a label and a text."""

    rows: Sequence[tuple[str, str]]


@dataclass(frozen=True)
class ShownTable:
    """A table whose columns have headings; cells that contain numbers are right-aligned."""

    columns: Sequence[str]
    rows: Sequence[Sequence[str]]


@dataclass(frozen=True)
class ShownPicture:
    """A small SVG drawing, created when it is displayed."""

    svg: Callable[[], str]


@dataclass(frozen=True)
class Preformatted:
    """Text with its own line breaks and columns."""

    text: str


@dataclass(frozen=True)
class Folded:
    """Parts under a title that unfolds on a click; folded at first if they are long, or repeat what is shown above."""

    title: str
    parts: Sequence[DisplayPart]
    repeats: bool = False


DisplayPart = ShownFormula | EquationLines | Title | LabelledRows | ShownTable | ShownPicture | Preformatted | Folded


class Displayed:
    """A result that defines its display in `_display`."""

    __slots__ = ()

    def _display(self) -> Iterable[DisplayPart]:
        raise NotImplementedError

    def _repr_html_(self) -> str:
        return html(self._display())

    def _repr_latex_(self) -> str | None:
        """The formulas of a result, if it has any; notebook frontends prefer the HTML."""
        return latex(self._display()) or None


# ---------------------------------------------------------------------------------------------------------- HTML


def html(parts: Iterable[DisplayPart], *, styled: bool = True) -> str:
    """The parts as an HTML fragment. Pass `styled=False` if the page already contains `STYLE`."""
    style = f"<style>{STYLE}</style>" if styled else ""
    return f"<div class='symbody'>{style}{''.join(map(_html, parts))}</div>"


def _html(part: DisplayPart) -> str:
    match part:
        case ShownFormula():
            return f"<div class='scroll'>{part.written('mathml')}</div>"
        case EquationLines():
            return _equations_html(part.sides("mathml"))
        case Title():
            return f"<div><strong>{in_html(part.text)}</strong></div>"
        case LabelledRows():
            rows = "".join(f"<tr><th>{in_html(a)}</th><td>{in_html(b)}</td></tr>" for a, b in part.rows)
            return f"<table><tbody>{rows}</tbody></table>" if rows else ""
        case ShownTable():
            return _table_html(part)
        case ShownPicture():
            return f"<div>{drawn}</div>" if (drawn := part.svg()) else ""
        case Preformatted():
            return f"<pre class='scroll'>{in_html(part.text)}</pre>"
        case Folded():
            inner = "".join(map(_html, part.parts))
            is_open = " open" if len(inner) <= MOST_OPEN and not part.repeats else ""
            return f"<details{is_open}><summary>{in_html(part.title)}</summary>{inner}</details>"


def _equations_html(sides: Sequence[tuple[str, str]]) -> str:
    """A table of left sides, signs and right sides; if the left sides are long, right sides beside them where the page is
    wide enough, else below. Every term is a separate element, so that lines break between terms."""
    if any(mathml_columns(left) > LONG_SIDE for left, _ in sides):
        lines = (
            f"<div>{_terms(left)}</div><div>{_inline_math('<mo>=</mo>')} {_terms(right)}</div>" for left, right in sides
        )
        return "".join(f"<div class='equation scroll'>{line}</div>" for line in lines)
    rows = "".join(
        f"<tr><td>{_terms(left)}</td><td>{_inline_math('<mo>=</mo>')}</td><td>{_terms(right)}</td></tr>"
        for left, right in sides
    )
    return f"<div class='scroll'><table class='equations'><tbody>{rows}</tbody></table></div>"


def _terms(mathml: str) -> str:
    return " ".join(map(_inline_math, terms_of_mathml(mathml)))


def _inline_math(inner: str) -> str:
    return f'<math displaystyle="true">{inner}</math>'


def _table_html(table: ShownTable) -> str:
    shown = table.rows[:MOST_TABLE_ROWS]
    are_numbers = [all(_is_number(row[k]) for row in table.rows) for k in range(len(table.columns))]
    sides = [" class='number'" if n and table.rows else "" for n in are_numbers]
    head = "".join(f"<th{s}>{in_html(c)}</th>" for c, s in zip(table.columns, sides, strict=True))
    rows = "".join(
        f"<tr>{''.join(f'<td{s}>{in_html(c)}</td>' for c, s in zip(row, sides, strict=True))}</tr>" for row in shown
    )
    more = len(table.rows) - len(shown)
    rest = f"<p>and {more} more</p>" if more else ""
    return f"<div class='scroll'><table class='columns'><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>{rest}"


def _is_number(cell: str) -> bool:
    try:
        complex(cell.replace(" ", "").replace("i", "j") or "0")
    except ValueError:
        return False
    return True


# ---------------------------------------------------------------------------------------------------------- LaTeX


def latex(parts: Iterable[DisplayPart]) -> str:
    """The formulas among the parts, as displayed mathematics, each with its title; empty if there are none."""
    return "\n\n".join(filter(None, map(_latex, parts)))


def _latex(part: DisplayPart) -> str:
    match part:
        case ShownFormula():
            return f"$\\displaystyle {part.written('latex')}$"
        case EquationLines():
            return f"$\\displaystyle {aligned_latex(part.sides('latex'))}$"
        case Folded():
            inner = latex(part.parts)
            return f"{in_latex(part.title)}\n\n{inner}" if inner else ""
    return ""


def aligned_latex(sides: Iterable[tuple[str, str]]) -> str:
    """Equations in LaTeX, aligned at the equals sign."""
    return r"\begin{aligned} " + " \\\\\n".join(f"{a} &= {b}" for a, b in sides) + r" \end{aligned}"


# ---------------------------------------------------------------------------------------------------------- text


def terminal_width() -> int | None:
    """Number of columns of the terminal; None without a terminal."""
    return shutil.get_terminal_size((0, 0)).columns or None


def text(parts: Iterable[DisplayPart], width: int | None = None) -> str:
    """The parts below each other, as Unicode text no wider than `width` columns; pictures are left out."""
    return "\n".join(filter(None, (_text(p, width) for p in parts)))


def _text(part: DisplayPart, width: int | None) -> str:
    match part:
        case ShownFormula():
            lines = part.written("text").split("\n")
            if width is not None and len(lines) > 1 and max(map(columns, lines)) > width:  # a matrix cannot be broken
                lines = part.written("code").split("\n")
            return "\n".join(at_width(line, width) for line in lines)
        case EquationLines():
            return "\n".join(at_width(f"{a} = {b}", width) for a, b in part.sides("text"))
        case Title():
            return at_width(part.text, width)
        case LabelledRows():
            return "\n".join(at_width(f"  {a}: {b}", width) for a, b in part.rows)
        case ShownTable():
            return _table_text(part, width)
        case Preformatted():
            return "\n".join(line if width is None else line[:width] for line in part.text.split("\n"))
        case Folded():
            return f"{part.title}\n{text(part.parts, width)}"
    return ""


def _table_text(table: ShownTable, width: int | None) -> str:
    lines = [table.columns, *table.rows]
    sizes = [max(len(line[k]) for line in lines) for k in range(len(table.columns))]
    rows = ["  ".join(c.ljust(n) for c, n in zip(line, sizes, strict=True)).rstrip() for line in lines]
    return "\n".join(r if width is None else r[:width] for r in rows)
