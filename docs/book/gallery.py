"""The gallery: scripts that are run, each a page with its pictures, and a page of cards in sections, which can be filtered.

A script says in its docstring, after its title, `Subjects: vehicles, control` and, where it reproduces a number that was
published, `Reproduces: 4.292 m/s and 5.7 m/s (Meijaard et al. 2007)`; the script asserts it. The first of its subjects decides
its section (`SECTIONS`). Its card shows its first scene after a third of its time; a script whose mechanism is hard to see there
says `Card: figure 1`, `Card: scene 2`, or `Card: scene 1 at 0.8 s`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Final

from .cards import HEIGHT, WIDTH, framed
from .cells import Cell, cells_of
from .notebooks import write_notebook
from .pages import page_of, raw, title_of, toctree
from .running import Run, Workers, run, unrun

SCRIPTS = Path(__file__).parents[1] / "gallery"
FEWEST: Final = 2  # mechanisms of a subject that has a button
_LINE = re.compile(r"^(Subjects|Reproduces|Card): *(.*(?:\n(?!\n|Subjects:|Reproduces:|Card:).*)*)$", re.MULTILINE)
_CARD = re.compile(r"(scene|figure) (\d+)(?: at ([\d.]+) s)?")
SECTIONS: Final = {  # of the gallery, by the first subject of a script
    "Vehicles": ("vehicles",),
    "Robots and biomechanics": ("robots", "biomechanics"),
    "Machines and linkages": ("machines", "linkages", "gears"),
    "Control and electromechanics": ("control", "electromechanics"),
    "Elastic bodies": ("elastic",),
    "Walkers, impacts and friction": ("walkers", "impacts", "friction"),
    "Spacecraft": ("spacecraft",),
    "Toys, tops and rolling bodies": ("toys", "rolling", "gyroscopes"),
}

_FILTER = """
<div class="subjects" role="group" aria-label="Subjects">{buttons}</div>
<script>
document.addEventListener("DOMContentLoaded", () => {{
  const buttons = document.querySelectorAll(".subjects button"), sections = document.querySelectorAll("section section");
  buttons.forEach(b => b.addEventListener("click", () => {{
    buttons.forEach(o => o.setAttribute("aria-pressed", o === b));
    sections.forEach(s => {{
      const cards = [...s.querySelectorAll(".cards a")];
      cards.forEach(c => c.hidden = b.value !== "" && !c.dataset.subjects.split(",").includes(b.value));
      s.hidden = cards.every(c => c.hidden);
    }});
  }}));
}});
</script>
"""


@dataclass(frozen=True)
class Entry:
    """A mechanism of the gallery."""

    name: str
    title: str
    subjects: tuple[str, ...]
    reproduces: str
    card: str
    cells: Sequence[Cell]
    path: Path

    @property
    def section(self) -> str:
        """The heading under which it stands."""
        found = [title for title, subjects in SECTIONS.items() if self.subjects[0] in subjects]
        if not found:
            firsts = ", ".join(s for subjects in SECTIONS.values() for s in subjects)
            raise ValueError(
                f"{self.path.name}: its first subject, {self.subjects[0]!r}, belongs to no section of the gallery; "
                f"begin with one of {firsts}"
            )
        return found[0]


def entries(folder: Path = SCRIPTS) -> list[Entry]:
    """All scripts, by title."""
    return sorted((entry(p) for p in folder.glob("*.py")), key=lambda e: e.title.lower())


def entry(path: Path) -> Entry:
    """A script as it is, before it is run."""
    cells = cells_of(path)
    said = {k: " ".join(v.split()) for k, v in _LINE.findall(cells[0].source)}
    if "Subjects" not in said:
        raise ValueError(f"{path.name}: its docstring does not say `Subjects: ...`")
    subjects = tuple(s.strip() for s in said["Subjects"].split(","))
    text = _LINE.sub(lambda m: _shown_line(m[1], m[2]), cells[0].source)
    cells = [Cell(text, is_code=False), *cells[1:]]
    return Entry(path.stem, title_of(text), subjects, said.get("Reproduces", ""), said.get("Card", ""), cells, path)


def _shown_line(key: str, value: str) -> str:
    return "" if key == "Card" else f"*{key}: {' '.join(value.split())}*\n"


def write_gallery(folder: Path, static: Path, workers: Workers) -> list[Entry]:
    """Pages, pictures, notebooks, a page for each section, and the page of all cards."""
    found = entries()
    folder.mkdir(parents=True, exist_ok=True)
    workers.write(_write_entry, {f"gallery/{e.name}": (e, folder, static) for e in found})
    sections = {title: [e for e in found if e.section == title] for title in SECTIONS}
    for title, inside in sections.items():
        (folder / f"{slug(title)}.md").write_text(_section_page(title, inside), encoding="utf-8")
    (folder / "index.md").write_text(_index(sections), encoding="utf-8")
    return found


def _write_entry(e: Entry, folder: Path, static: Path, is_run: bool) -> None:
    made = run(e.name, e.path, e.cells) if is_run else unrun(e.name, e.cells)
    (folder / f"{e.name}.md").write_text(page_of(made, folder, static), encoding="utf-8")
    write_notebook(e.cells, folder / f"{e.name}.ipynb")
    if is_run:
        (static / f"{e.name}-card.svg").write_text(card_of(made, e.card), encoding="utf-8")


def card_of(made: Run, chosen: str = "") -> str:
    """The picture by which a page is found: what its line `Card:` names; else its first scene after a third of its time or,
    where it shows none, its first figure."""
    if not made.scenes and not made.figures:
        raise ValueError(
            f"{made.name}: a page of the gallery shows something: the last line of a cell is a scene or a figure"
        )
    found = _CARD.fullmatch(chosen or ("scene 1" if made.scenes else "figure 1"))
    if not found:
        raise ValueError(f"{made.name}: 'Card: {chosen}' reads neither as 'figure 1' nor as 'scene 1 at 0.8 s'")
    kind, number, seconds = found[1], int(found[2]), found[3]
    if kind == "figure":
        return made.figures[number - 1].svg()
    scene = made.scenes[number - 1]
    return framed(scene.svg(float(seconds) if seconds else scene.t[len(scene.t) // 3], WIDTH, HEIGHT))


def slug(title: str) -> str:
    """The name of the page of a section."""
    return "section-" + re.sub(r"[^a-z]+", "-", title.lower()).strip("-")


def _index(sections: Mapping[str, Sequence[Entry]]) -> str:
    found = [e for inside in sections.values() for e in inside]
    count = Counter(s for e in found for s in e.subjects)
    buttons = '<button value="" aria-pressed="true">all</button>' + "".join(
        f'<button value="{escape(s)}" aria-pressed="false">{escape(s)}</button>'
        for s in sorted(count)
        if count[s] >= FEWEST
    )
    intro = f"{len(found)} mechanisms, each a script that was run when this page was made, and a notebook."
    parts = [part for title, inside in sections.items() for part in (f"## {title}", _cards(inside))]
    return "\n\n".join(
        ["# Gallery", intro, raw(_FILTER.format(buttons=buttons)), *parts, toctree(map(slug, sections)), ""]
    )


def _section_page(title: str, inside: Sequence[Entry]) -> str:
    return "\n\n".join([f"# {title}", _cards(inside), toctree(e.name for e in inside), ""])


def _cards(found: Iterable[Entry]) -> str:
    cards = "".join(
        f'<a href="{e.name}.html" data-subjects="{escape(",".join(e.subjects))}">'
        f'<img loading="lazy" alt="" src="../_static/scenes/{e.name}-card.svg"><span>{escape(e.title)}</span></a>'
        for e in found
    )
    return raw(f'<div class="cards">{cards}</div>')
