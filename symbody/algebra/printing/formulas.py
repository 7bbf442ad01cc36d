"""Expressions and matrices as parts of a display: drawn, as LaTeX, as text; of long ones an outline."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from ...display import EquationLines, ShownFormula, html
from ...escaping import in_html, in_latex
from ..graph.graph import PRINTERS, Symbol
from ..graph.labels import Labels
from ..graph.matrix import Matrix
from ..graph.walk import evaluation_order
from .mathml import MATHML
from .printing import one_line, operations, outline, short_or_long, tree_size_up_to
from .styles import LATEX, TEXT, Style
from .unicode_text import UNICODE

MAX_DRAWN: Final = 500  # largest number of operations of a formula that is drawn; about 100 kB of MathML
MAX_ON_LINES: Final = 1000  # nodes, as trees, of equations that are written without intermediates
STYLES: Final[dict[str, Style]] = {"mathml": MATHML, "latex": LATEX, "text": UNICODE, "code": TEXT}


def formula(thing: Any, labels: Labels | None = None) -> ShownFormula:
    """A formula of a display; of one with more than 500 operations its kind and size."""

    def written(kind: str) -> str:
        if operations(thing) <= MAX_DRAWN:
            return str(short_or_long(thing, STYLES[kind], None, labels))
        said = outline(thing)
        return {"mathml": f"<p>{in_html(said)}</p>", "latex": rf"\text{{{in_latex(said)}}}"}.get(kind, said)

    return ShownFormula(written)


def rate_lines(x: Iterable[Symbol], rates: Matrix) -> EquationLines | ShownFormula:
    """x' = f, a line for each state; the column f with its intermediates where it is long."""
    if tree_size_up_to(MAX_ON_LINES, [rates]) >= MAX_ON_LINES or any(
        n.op == "solve" for n in evaluation_order(rates.entries)
    ):
        return formula(rates)
    pairs = list(zip(x, rates.entries, strict=True))

    def sides(kind: str) -> list[tuple[str, str]]:
        return [(str(one_line(s.dot, STYLES[kind]).results[0]), one_line(e, STYLES[kind]).results[0]) for s, e in pairs]

    return EquationLines(sides)


def formula_html(thing: Any) -> str:
    """What a notebook shows of an expression or a matrix."""
    return html([formula(thing)])


PRINTERS.append(formula_html)
