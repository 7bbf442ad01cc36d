"""The README of an exported folder: the page of its language (`templates/README.md`), with tables of the model."""

from __future__ import annotations

from ...escaping import in_markdown
from ..artefacts.artefact import Artefact
from .templates import Filling, Template


def readme(made: Artefact, page: Template, prefix: str, **slots: Filling) -> str:
    """The page with the slots that all languages have, and those of one language.

    prefix   of the functions' names in the target
    """
    return page.filled(
        title=in_markdown(made.title), hash=made.hash, version=made.version, checked=_checked_by(made), tables=_tables(made, prefix), **slots
    )  # fmt: skip


def _checked_by(made: Artefact) -> str:
    point = ": every function at one point against the expressions it was written from"
    return point + (", and a reference motion" if made.reference else "")


def _tables(made: Artefact, prefix: str) -> list[str]:
    """Functions, state, inputs, parameters, and notes."""
    lines = ["| function | gives | operations |", "| --- | --- | --- |"]
    lines += [f"| `{prefix}{f.name}` | {in_markdown(f.about)} | {f.program.cost.total} |" for f in made.functions]
    lines += [f"| `{prefix}{a.name}` | {in_markdown(a.about)} | |" for a in made.algorithms]
    lines += ["", "| state | | unit | |", "| --- | --- | --- | --- |"]
    lines += [
        f"| x\\[{k}\\] | `{v.name}` | {in_markdown(v.unit)} | {in_markdown(v.description or v.kind)} |"
        for k, v in enumerate(made.state)
    ]
    if made.inputs:
        lines += ["", "| input | | unit |", "| --- | --- | --- |"]
        lines += [f"| r\\[{k}\\] | `{v.name}` | {in_markdown(v.unit)} |" for k, v in enumerate(made.inputs)]
    if made.parameters:
        lines += ["", "| parameter | value | unit |", "| --- | --- | --- |"]
        pairs = zip(made.parameters, made.defaults, strict=True)
        lines += [f"| `{v.name}` | {value!r} | {in_markdown(v.unit)} |" for v, value in pairs]
    if made.notes:
        lines += ["", *(f"- {in_markdown(note)}" for note in made.notes)]
    return lines
