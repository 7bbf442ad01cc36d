"""Summaries of equations: a few rows as text, formulas drawn in notebooks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

from ...algebra.graph.late_matrix import is_unmade
from ...algebra.printing.formulas import STYLES, formula
from ...algebra.printing.printing import operations
from ...algebra.printing.styles import TEXT
from ...bodies.mechanism.summaries import rows_of_symbols
from ...display import DisplayPart, EquationLines, Folded, LabelledRows, Title
from ...summary import Summary, counted, listing, summary_rows
from .readable_equations import is_readable

if TYPE_CHECKING:
    from .equations import Equations

MAX_LINES: Final = 4  # largest number of equation lines in a summary


def equations_summary(eq: Equations) -> Summary:
    """The form of the equations, their variables and their size."""
    dof = counted(eq.degrees_of_freedom, "degree of freedom", "degrees of freedom")
    rows = (
        ("form", _form(eq)),
        *_lines(eq),
        *rows_of_symbols(eq.q, eq.u, eq.r, eq.z, eq.p, eq.mechanism.values),
        *summary_rows(
            multipliers_lam=listing(s.name for s in eq.lam),
            outputs=listing(eq.outputs),
            size=_size(eq),
            notes="; ".join(eq.notes),
        ),
        (
            "next",
            f"{'eq.M, eq.f; ' if eq.u else ''}compile(eq), simulate(eq, seconds), linearize(eq, point), certify(eq)",
        ),
    )
    if eq.z and not eq.u:
        return Summary(f"Equations of {eq.name}: {counted(len(eq.z), 'variable')}", rows)
    return Summary(f"Equations of {eq.name} by {eq.route}: {dof}", rows)


def _size(eq: Equations) -> str:
    if is_unmade(eq.M):
        return f"{counted(len(eq.u), 'speed')}; M and f are built on first access"
    inside = [name for name, group in (("M", eq.u), ("f", eq.u), ("h", eq.z)) if group]
    return (
        f"{counted(operations(*(getattr(eq, name) for name in inside)), 'operation')} in {' and '.join(inside)}"
        if inside
        else ""
    )


def _lines(eq: Equations) -> list[tuple[str, str]]:
    """Small equations line by line, as a person would write them."""
    if not is_readable(eq):
        return []
    lines = [("equation", line.written(TEXT)) for line in eq.readable.lines]
    return (
        lines if len(lines) <= MAX_LINES else [*lines[: MAX_LINES - 1], ("equations", "print(eq.readable) shows all")]
    )


def equation_parts(eq: Equations) -> dict[str, Any]:
    """The parts of equations to show, by name."""
    parts: dict[str, Any] = {"q_dot": eq.rates, "M": eq.M, "f": eq.f} if eq.u or not eq.z else {}
    if eq.lam:
        parts |= {"phi": eq.phi, "Jc": eq.Jc, "b": eq.b, "c": eq.c}
    return parts | ({"h": eq.h} if eq.z else {})


def drawn_equations(eq: Equations) -> Iterator[DisplayPart]:
    """A title, the equations line by line if they are small, a summary, and each matrix as it is computed."""
    summary = equations_summary(eq)
    yield Title(summary.title)
    is_read = is_readable(eq)
    if is_read:
        yield EquationLines(lambda kind: readable_sides(eq, kind))
    yield LabelledRows([row for row in summary.rows if not row[0].startswith("equation")])
    for name, part in equation_parts(eq).items():
        if is_unmade(part):
            continue  # of many speeds: built when it is requested
        yield Folded(f"{name}, {part.rows} by {part.cols}", (formula(part, eq.labels),), is_read)


def readable_sides(eq: Equations, kind: str) -> Sequence[tuple[str, str]]:
    """Left and right sides of the readable equations, as MathML, LaTeX or text."""
    return [line.sides(STYLES[kind]) for line in eq.readable.lines]


def _form(eq: Equations) -> str:
    parts = ["q' = N u + n"] if eq.q else []
    parts += [f"M u' = f{' + Jcᵀ lam' if eq.lam else ''}"] if eq.u else []
    parts += ["phi = 0"] if eq.phi.entries else []
    parts += ["Jc u + b = 0"] if eq.lam else []
    return ", ".join([*parts, *(["h = 0"] if eq.z else [])])
