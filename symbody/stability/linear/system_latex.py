"""A linear system in LaTeX: matrices with columns of names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ...algebra.graph.graph import symbol
from ...algebra.graph.names import stem_and_order
from ...algebra.printing.printing import latex
from ...escaping import in_latex

if TYPE_CHECKING:
    from .linear_system import LinearSystem


def system_latex(lin: LinearSystem) -> str:
    """E x' = A x + B r, y = C x + D r; with r' and r'' where they act."""
    states, outputs = (_column(names) for names in (lin.x, lin.y))
    line = f"{latex(lin.E)} {_column(lin.x, 1)} = {latex(lin.A)} {states}{_inputs(lin, 'B')}"
    if lin.y:
        line += f", \\quad {outputs} = {latex(lin.C)} {states}{_inputs(lin, 'D')}"
    return line


def _inputs(lin: LinearSystem, part: str) -> str:
    terms = ((p, order) for order, p in enumerate((part, f"{part}1", f"{part}2")) if lin.r and p in lin.numbers.parts)
    return "".join(f" + {latex(getattr(lin, p))} {_column(lin.r, order)}" for p, order in terms)


def _column(names: Sequence[str], rates: int = 0) -> str:
    def entry(name: str) -> str:
        stem, order = stem_and_order(name)
        return latex(symbol(stem, "variable", order + rates)) if name.isidentifier() else rf"\text{{{in_latex(name)}}}"

    inner = r" \\ ".join(map(entry, names))
    return rf"\begin{{bmatrix}} {inner} \end{{bmatrix}}"
