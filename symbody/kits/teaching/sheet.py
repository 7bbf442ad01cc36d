"""Sheets: headings, sentences, formulas and tables, written as HTML, LaTeX, Markdown or a notebook.

HTML has formulas in MathML and loads nothing; LaTeX needs amsmath and graphicx; Markdown and notebooks have formulas between dollar
signs.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import symbody as sb

from ...display import STYLE, EquationLines, html
from ...errors import unknown
from ...escaping import in_html, in_latex, in_markdown
from ...whole_files import write_text

MOST_WRITTEN: Final = 90  # operations, written out, of a formula on a sheet
MOST_TIDIED: Final = 500  # operations, written out, of an expression that is put into tidy form for a sheet


@dataclass(frozen=True)
class Notation:
    """A left side such as ∂L/∂q', in LaTeX and in MathML."""

    latex: str
    mathml: str


@dataclass(frozen=True)
class Heading:
    """Begins a section."""

    text: str


@dataclass(frozen=True)
class Sentence:
    """A paragraph; as a remark it stands back."""

    text: str
    is_remark: bool = False


@dataclass(frozen=True)
class SheetFormula:
    """left = right; of a long right side the size is given, and not the text."""

    left: Notation | sb.Expr
    right: Any

    @property
    def size(self) -> int:
        return max(sb.algebra.unshared_operations(x) for x in (self.left, self.right) if not isinstance(x, Notation))

    @property
    def is_long(self) -> bool:
        return self.size > MOST_WRITTEN

    def latex(self) -> str:
        return f"{_latex_of(self.left)} = {self.size_in_words(True) if self.is_long else _latex_of(self.right)}"

    def mathml(self) -> tuple[str, str]:
        """Both sides."""
        right = f"<mtext>{self.size_in_words()}</mtext>" if self.is_long else _mathml_of(self.right)
        return _mathml_of(self.left), right

    def size_in_words(self, is_latex: bool = False) -> str:
        text = f"({self.size} operations)"
        return rf"\text{{{text}}}" if is_latex else text


@dataclass(frozen=True)
class SheetTable:
    """Rows of texts and symbols under a head."""

    head: tuple[str, ...]
    rows: tuple[tuple[str | sb.Expr, ...], ...]


@dataclass(frozen=True)
class Numbered:
    """Questions or answers, counted from 1."""

    items: tuple[str, ...]


SheetBlock = Heading | Sentence | SheetFormula | SheetTable | Numbered


@dataclass(frozen=True, repr=False)
class Sheet:
    r"""A sheet to hand out or to show; made by `kits.teaching.derivation` and `kits.teaching.exercise`.

    title    heads the sheet
    blocks   headings, sentences, formulas, tables, in order

    >>> from symbody.kits import teaching
    >>> m = sb.Model("oscillator")
    >>> joint = m.prismatic("x", m.ground, m.body("cart", mass=m.parameter("m", 2.0)), stiffness=m.parameter("k", 8.0))
    >>> sheet = teaching.derivation(sb.derive(m), "lagrange")
    >>> sheet.title, len(sheet.formulas) > 5
    ('oscillator: derivation by Lagrange', True)
    >>> sheet.formulas[-1]
    'm \\ddot{x} = -k x'
    >>> "<math" in sheet.html(), "$$" in sheet.markdown(), sheet.latex().startswith("\\documentclass")
    (True, True, True)
    >>> sheet.notebook()["nbformat"], sheet.save("oscillator.md").name
    (4, 'oscillator.md')

    See also: `kits.teaching.derivation`, `kits.teaching.exercise`.
    """

    title: str
    blocks: tuple[SheetBlock, ...]

    def __repr__(self) -> str:
        return f"<Sheet {self.title!r}: {len(self.blocks)} blocks; save('a.html' | '.tex' | '.md' | '.ipynb')>"

    def _repr_html_(self) -> str:
        return (
            f"<div class='symbody'><style>{STYLE}</style><h2>{in_html(self.title)}</h2>{_page_body(self.blocks)}</div>"
        )

    @property
    def formulas(self) -> tuple[str, ...]:
        """All formulas in LaTeX."""
        return tuple(b.latex() for b in self.blocks if isinstance(b, SheetFormula))

    def html(self) -> str:
        """A complete page without external files."""
        return (
            "<!doctype html>\n<html lang='en'><head><meta charset='utf-8'><meta name='viewport' "
            "content='width=device-width, initial-scale=1'><meta http-equiv='Content-Security-Policy' content=\"default-src 'none'; "
            f"style-src 'unsafe-inline'\"><title>{in_html(self.title)}</title><style>{STYLE}{_STYLE}</style></head>"
            f"<body><div class='symbody'><h1>{in_html(self.title)}</h1>\n{_page_body(self.blocks)}\n</div></body></html>\n"
        )

    def latex(self) -> str:
        """A document for pdflatex."""
        body = "\n\n".join(map(_tex, self.blocks))
        return "\n".join([*_PREAMBLE, rf"\section*{{{in_latex(self.title)}}}", body, r"\end{document}", ""])

    def markdown(self) -> str:
        """Markdown with formulas between double dollar signs."""
        return f"# {in_markdown(self.title)}\n\n" + "\n\n".join(map(_markdown, self.blocks)) + "\n"

    def notebook(self) -> dict[str, Any]:
        """A Jupyter notebook of one cell for each section, as its JSON object."""
        texts = [f"# {in_markdown(self.title)}"]
        for block in self.blocks:
            if isinstance(block, Heading):
                texts.append(_markdown(block))
            else:
                texts[-1] += "\n\n" + _markdown(block)
        cells = [{"cell_type": "markdown", "id": f"part-{k}", "metadata": {}, "source": t} for k, t in enumerate(texts)]
        return {"nbformat": 4, "nbformat_minor": 5, "metadata": {"language_info": {"name": "python"}}, "cells": cells}

    def save(self, path: str | Path) -> Path:
        """Writes a file; its ending chooses the format: .html, .tex, .md or .ipynb."""
        ending = Path(path).suffix.lower()
        if ending not in _FORMATS:
            raise unknown(f"sheet {self.title!r}", "ending", ending, _FORMATS)
        return write_text(path, _FORMATS[ending](self))


_FORMATS: Final[Mapping[str, Callable[[Sheet], str]]] = {
    ".html": Sheet.html,
    ".tex": Sheet.latex,
    ".md": Sheet.markdown,
    ".ipynb": lambda sheet: json.dumps(sheet.notebook(), indent=1, ensure_ascii=False) + "\n",
}
_STYLE: Final = (
    "body{max-width:52rem;margin:2rem auto;padding:0 1rem;font:1rem/1.5 Georgia,serif;color:#1b1b1b;background:#fff}"
    "h1{font-size:1.6rem}h2{font-size:1.2rem;border-bottom:1px solid #ccc;margin-top:2rem}"
    ".remark{color:#555;font-style:italic}"
    ".symbody table:not(.equations) :is(td,th){border-bottom:1px solid #ddd;padding:.2rem .8rem .2rem 0}"
    "@media print{body{margin:0;max-width:none}}"
)
_PREAMBLE: Final = (
    r"\documentclass[11pt,a4paper]{article}",
    r"\usepackage[T1]{fontenc}",
    r"\usepackage[utf8]{inputenc}",
    r"\usepackage{amsmath,graphicx}",
    r"\setlength{\parindent}{0pt}\setlength{\parskip}{6pt}",
    r"\newcommand{\fitted}[1]{\[\sbox0{$\displaystyle #1$}\ifdim\wd0>\linewidth\resizebox{\linewidth}{!}{\usebox0}\else\usebox0\fi\]}",
    r"\begin{document}",
)

# ------------------------------------------------------------------------------------------------------------- formulas


def tidy_or_plain(thing: Any) -> Any:
    """In tidy form, where it is not too large for that."""
    return sb.tidy(thing) if sb.algebra.unshared_operations(thing) <= MOST_TIDIED else thing


def _latex_of(thing: Any) -> str:
    return thing.latex if isinstance(thing, Notation) else sb.latex(thing)


def _mathml_of(thing: Any) -> str:
    return thing.mathml if isinstance(thing, Notation) else mathml_inside(thing)


def mathml_inside(thing: Any) -> str:
    """MathML of an expression or matrix, in several elements, without the element around it."""
    return re.sub(r"^<math[^>]*>|</math>$", "", sb.algebra.mathml(thing))


# --------------------------------------------------------------------------------------------------------- blocks as text


def _page_body(blocks: Iterable[SheetBlock]) -> str:
    """Formulas that follow each other are aligned at their equals signs."""
    out: list[str] = []
    formulas: list[SheetFormula] = []
    for block in blocks:
        if isinstance(block, SheetFormula):
            formulas.append(block)
            continue
        out += [*([_formulas_html(formulas)] if formulas else []), _html(block)]
        formulas = []
    return "\n".join([*out, _formulas_html(formulas)] if formulas else out)


def _formulas_html(formulas: Sequence[SheetFormula]) -> str:
    return html([EquationLines(lambda _: [f.mathml() for f in formulas])], styled=False)


def _html(block: SheetBlock) -> str:
    match block:
        case Heading(text):
            return f"<h2>{in_html(text)}</h2>"
        case Sentence(text, is_remark):
            return f"<p{' class=remark' if is_remark else ''}>{in_html(text)}</p>"
        case SheetFormula():
            return _formulas_html([block])
        case SheetTable(head, rows):
            top = "".join(f"<th>{in_html(h)}</th>" for h in head)
            body = "".join(f"<tr>{''.join(f'<td>{_cell_html(c)}</td>' for c in row)}</tr>" for row in rows)
            return f"<table><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table>"
        case Numbered(items):
            return f"<ol>{''.join(f'<li>{in_html(i)}</li>' for i in items)}</ol>"


def _cell_html(cell: str | sb.Expr) -> str:
    return in_html(cell) if isinstance(cell, str) else f"<math>{_mathml_of(cell)}</math>"


def _cell(cell: str | sb.Expr, written: Callable[[str], str]) -> str:
    """In LaTeX and Markdown: a text in the way that it is written there, a symbol between dollar signs."""
    return written(cell) if isinstance(cell, str) else f"${_latex_of(cell)}$"


def _tex(block: SheetBlock) -> str:
    match block:
        case Heading(text):
            return rf"\subsection*{{{in_latex(text)}}}"
        case Sentence(text, is_remark):
            return rf"\emph{{{_plain_latex(text)}}}" if is_remark else _plain_latex(text)
        case SheetFormula():
            return rf"\fitted{{{block.latex()}}}"
        case SheetTable(head, rows):
            lines = [" & ".join(_cell(c, _plain_latex) for c in row) + r" \\" for row in rows]
            top = " & ".join(rf"\textbf{{{_plain_latex(h)}}}" for h in head) + r" \\ \hline"
            return "\n".join([rf"\begin{{tabular}}{{{'l' * len(head)}}}", top, *lines, r"\end{tabular}"])
        case Numbered(items):
            inside = "\n".join(rf"\item {_plain_latex(i)}" for i in items)
            return f"\\begin{{enumerate}}\n{inside}\n\\end{{enumerate}}"


def _plain_latex(text: str) -> str:
    return in_latex(text).replace("²", r"\textsuperscript{2}").replace("³", r"\textsuperscript{3}")


def _markdown(block: SheetBlock) -> str:
    match block:
        case Heading(text):
            return f"## {in_markdown(text)}"
        case Sentence(text, is_remark):
            return f"*{in_markdown(text)}*" if is_remark else in_markdown(text)
        case SheetFormula():
            return f"$$ {block.latex()} $$"
        case SheetTable(head, rows):
            return "\n".join(
                [_bar(head), _bar(["---"] * len(head)), *(_bar(_cell(c, in_markdown) for c in row) for row in rows)]
            )
        case Numbered(items):
            return "\n".join(f"{k}. {in_markdown(i)}" for k, i in enumerate(items, start=1))


def _bar(cells: Iterable[str] | Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
