"""Expressions and matrices as parts of a display: drawn, as LaTeX, as text; of long ones an outline."""

from __future__ import annotations

from typing import Any, Final

from ...display import ShownFormula, html
from ...escaping import in_html, in_latex
from ..graph.graph import PRINTERS
from ..graph.labels import Labels
from .mathml import MATHML
from .printing import operations, outline, short_or_long
from .styles import LATEX, TEXT, Style
from .unicode_text import UNICODE

MAX_DRAWN: Final = 500  # largest number of operations of a formula that is drawn; about 100 kB of MathML
STYLES: Final[dict[str, Style]] = {"mathml": MATHML, "latex": LATEX, "text": UNICODE, "code": TEXT}


def formula(thing: Any, labels: Labels | None = None) -> ShownFormula:
    """A formula of a display; of one with more than 500 operations its kind and size."""

    def written(kind: str) -> str:
        if operations(thing) <= MAX_DRAWN:
            return str(short_or_long(thing, STYLES[kind], None, labels))
        said = outline(thing)
        return {"mathml": f"<p>{in_html(said)}</p>", "latex": rf"\text{{{in_latex(said)}}}"}.get(kind, said)

    return ShownFormula(written)


def formula_html(thing: Any) -> str:
    """What a notebook shows of an expression or a matrix."""
    return html([formula(thing)])


PRINTERS.append(formula_html)
