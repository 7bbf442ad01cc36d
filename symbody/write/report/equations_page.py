"""Equations on a page: drawn as MathML, long ones as named sequences that are folded, and as LaTeX, C and Python to be
copied."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from ...algebra.graph.graph import Symbol
from ...algebra.graph.matrix import Matrix
from ...algebra.printing.mathml import MATHML, math_element
from ...algebra.printing.printing import sequence
from ...derivation.equations.equations import Equations
from ...derivation.equations.equations_summary import equation_parts, readable_sides
from ...derivation.equations.readable_equations import is_readable
from ...derivation.programs.forward_dynamics import has_many_pairs
from ...display import EquationLines, html
from ...escaping import in_html
from ..entry.printed_equations import TOO_LONG, as_c, as_latex, as_python, equation_programs
from ..pages.page import details, note, table

MOST_LINES: Final = 250  # of a sequence that is drawn; all of them are in the files
MOST_CHARACTERS: Final = 1_000_000  # of a source that is on the page
MOST_ENTRIES: Final = 400  # of a matrix that is drawn


@dataclass(frozen=True)
class EquationsPart:
    """HTML of the equations, and the files beside the page."""

    html: str
    files: Mapping[str, str]


def equations_html(eq: Equations) -> EquationsPart:
    made, is_large = equation_programs(eq), has_many_pairs(eq)
    copies = {"C": as_c(made), "Python": as_python(made)}
    if not is_large:
        copies = {"LaTeX": as_latex(eq), **copies}
    names = {"LaTeX": "equations.tex", "C": "equations.c", "Python": "equations.py"}
    costs = [
        [n, str(p.cost.total), str(p.cost.multiplications), str(p.cost.additions), str(p.cost.functions)]
        for n, p in made.items()
    ]
    html = "".join([
        _lines(eq), _form(eq), _unknowns(eq), note(TOO_LONG) if is_large else _computed_matrices(eq),
        table(["operations", "in all", "multiplications", "additions", "functions"], costs),
        "".join(_copy(kind, text) for kind, text in copies.items()),
        note(f"Derived by {eq.route}. {' '.join(f'{n}.' for n in eq.notes)}".strip()),
    ])  # fmt: skip
    return EquationsPart(html, {names[k]: text for k, text in copies.items()})


def _lines(eq: Equations) -> str:
    """The equations as a person would write them, where they are small, and what does not appear in them."""
    if not is_readable(eq):
        return ""
    remarks = "; ".join(eq.readable.remarks)
    shown = html([EquationLines(lambda kind: readable_sides(eq, kind))], styled=False)
    return shown + (note(f"{remarks}.") if remarks else "")


def _computed_matrices(eq: Equations) -> str:
    """The matrices as they are computed, below the readable lines where there are some."""
    return details("As it is computed", _matrices(eq)) if is_readable(eq) else _matrices(eq)


_SIGNS: Final = {
    "q_dot": "<mi>q\u0307</mi>",
    "Jc": "<msub><mi>J</mi><mi>c</mi></msub>",
    "phi": "<mi>φ</mi>",
}


def _sign(name: str) -> str:
    return _SIGNS.get(name, f"<mi>{in_html(name)}</mi>")


def _form(eq: Equations) -> str:
    u_dot = "<mi>u\u0307</mi>"
    force = f"<mo>+</mo><msup>{_sign('Jc')}<mi>T</mi></msup><mi>λ</mi>" if eq.lam else ""
    rows = [f"<mi>M</mi>{u_dot}<mo>=</mo><mi>f</mi>{force}"]
    if eq.lam:
        rows.append(f"{_sign('Jc')}<mi>u</mi><mo>+</mo><mi>b</mi><mo>=</mo><mn>0</mn>")
    if eq.phi.entries:
        rows.append("<mi>φ</mi><mo>=</mo><mn>0</mn>")
    if eq.z:
        rows.append("<mi>h</mi><mo>=</mo><mn>0</mn>")
    return "".join(math_element(r) for r in rows)


def _unknowns(eq: Equations) -> str:
    def column(symbols: tuple[Symbol, ...]) -> str:
        return MATHML.matrix([[MATHML.symbol(s).text] for s in symbols])

    shown = {"q": eq.q, "u": eq.u, "z": eq.z, "r": eq.r}
    parts = [
        math_element(f"<mi>{k}</mi><mo>=</mo>{column(s)}", is_block=False) for k, s in shown.items() if 0 < len(s) <= 24
    ]
    return f"<div class='unknowns scroll' tabindex='0'>{''.join(parts)}</div>"


def _matrices(eq: Equations) -> str:
    parts = equation_parts(eq)
    small = {k: p for k, p in parts.items() if not isinstance(p, Matrix) or len(p.entries) <= MOST_ENTRIES}
    found = sequence(*small.values(), labels=eq.labels, style=MATHML)
    results = [
        f"<div class='scroll' tabindex='0'>{math_element(_sign(k) + '<mo>=</mo>' + value)}</div>"
        for k, value in zip(small, found.results, strict=True)
    ]
    shown = found.definitions[:MOST_LINES]
    lines = "".join(f"<li>{math_element(name + '<mo>=</mo>' + value, is_block=False)}</li>" for name, value in shown)
    rest = len(found.definitions) - len(shown)
    more = note(f"{rest} more lines are in data/equations.tex.") if rest else ""
    left = [k for k in parts if k not in small]
    missing = note(f"{', '.join(left)}: too large to draw; in data/equations.tex.") if left else ""
    title = f"where, with {len(found.definitions)} named intermediates"
    folded = (
        details(title, f"<ol class='lines scroll'>{lines}</ol>{more}", is_open=0 < len(found.definitions) <= 12)
        if found.definitions
        else ""
    )
    return "".join(results) + missing + folded


def _copy(kind: str, text: str) -> str:
    if len(text) > MOST_CHARACTERS:
        return note(f"As {kind} ({len(text) / 1000:z.0f} kB): in data.")
    button = f"<button type='button' class='copy'>Copy {in_html(kind)}</button>"
    return details(
        f"As {kind} ({len(text) / 1000:z.0f} kB)",
        f"{button}<pre class='code scroll' tabindex='0'>{in_html(text)}</pre>",
    )
