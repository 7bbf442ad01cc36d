"""The README of an exported folder: a page, the same in every language but for a few words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ...escaping import in_markdown
from .artefact import Artefact


@dataclass(frozen=True)
class LanguageWords:
    """A target language in its README: its title, the command that builds and checks, an example, and what each file
    is."""

    title: str
    command: str
    example: str
    fence: str
    prefix: str
    files: Mapping[str, str]
    more: tuple[str, ...] = ()


def readme(made: Artefact, words: LanguageWords) -> str:
    lines = [f"# {in_markdown(made.title)}", ""]
    lines += [f"Equations of motion as {words.title}; model {made.hash}, written by symbody {made.version}.", ""]
    lines += [f"`{words.command}` builds everything and checks it{_checked(made)}.", ""]
    lines += [f"```{words.fence}", words.example, "```", ""]
    for text in words.more:
        lines += [text, ""]
    lines += ["| file | |", "| --- | --- |", *(f"| {_code(k)} | {v} |" for k, v in words.files.items()), ""]
    lines += ["| function | gives | operations |", "| --- | --- | --- |"]
    lines += [f"| `{words.prefix}{f.name}` | {in_markdown(f.about)} | {f.program.cost.total} |" for f in made.functions]
    lines += [f"| `{words.prefix}{a.name}` | {in_markdown(a.about)} | |" for a in made.algorithms]
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
    return "\n".join([*lines, ""])


def _checked(made: Artefact) -> str:
    point = ": every function at one point against the expressions it was written from"
    return point + (", and a reference motion" if made.reference else "")


def _code(names: str) -> str:
    return ", ".join(f"`{name}`" for name in names.split(", "))
