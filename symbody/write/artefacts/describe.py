"""The same words about an artefact in every language: comments at the head of files, tables of the README."""

from __future__ import annotations

from collections.abc import Iterable

from ...derivation.equations.variable import Variable
from .artefact import Artefact


def description_lines(made: Artefact) -> list[str]:
    """Lines for a comment: where it comes from, the order of states, inputs and parameters, and what each function
    costs. Not escaped."""
    lines = [f"model {made.hash}, written by symbody {made.version}", f"{made.cost} in all functions together"]
    for title, letter, rows in (("State", "x", made.state), ("Inputs", "r", made.inputs)):
        if rows:
            lines += ["", title, *_rows(letter, rows)]
    if made.parameters:
        lines += ["", "Parameters"]
        for v, value in zip(made.parameters, made.defaults, strict=True):
            lines.append("  " + ", ".join(t for t in (f"{v.with_unit} = {value!r}", v.description) if t))
    lines += ["", "Functions", *(f"  {f.name}: {f.about}; {f.program.cost.total} operations" for f in made.functions)]
    lines += [f"  {a.name}: {a.about}" for a in made.algorithms]
    if made.notes:
        lines += ["", "Notes", *(f"  {note}" for note in made.notes)]
    return lines


def _rows(letter: str, rows: Iterable[Variable]) -> list[str]:
    return [
        "  " + ", ".join(t for t in (f"{letter}[{k}] = {v.with_unit}", v.kind, v.description) if t)
        for k, v in enumerate(rows)
    ]
