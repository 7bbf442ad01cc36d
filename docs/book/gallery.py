"""The gallery: scripts that are run, each a page with its pictures, and a page of cards that can be filtered.

A script says in its docstring, after its title, `Subjects: vehicles, control` and, where it reproduces a number that was
published, `Reproduces: 4.292 m/s and 5.7 m/s (Meijaard et al. 2007)`; the script asserts it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

from .cells import Cell, cells_of
from .notebooks import write_notebook
from .pages import page_of, raw, title_of
from .running import Run, in_processes, run, unrun

SCRIPTS = Path(__file__).parents[1] / "gallery"
_LINE = re.compile(r"^(Subjects|Reproduces): *(.*(?:\n(?!\n|Subjects:|Reproduces:).*)*)$", re.MULTILINE)

_FILTER = """
<div class="subjects" role="group" aria-label="Subjects">{buttons}</div>
<div class="cards">{cards}</div>
<script>
(() => {{
  const buttons = document.querySelectorAll(".subjects button"), cards = document.querySelectorAll(".cards a");
  buttons.forEach(b => b.addEventListener("click", () => {{
    buttons.forEach(o => o.setAttribute("aria-pressed", o === b));
    cards.forEach(c => c.hidden = b.value !== "" && !c.dataset.subjects.split(",").includes(b.value));
  }}));
}})();
</script>
"""


@dataclass(frozen=True)
class Entry:
    """A mechanism of the gallery."""

    name: str
    title: str
    subjects: tuple[str, ...]
    reproduces: str
    cells: Sequence[Cell]
    path: Path


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
    text = _LINE.sub(lambda m: f"{_shown_line(m[1], m[2])}\n", cells[0].source)
    cells = [Cell(text, is_code=False), *cells[1:]]
    return Entry(path.stem, title_of(text), subjects, said.get("Reproduces", ""), cells, path)


def _shown_line(key: str, value: str) -> str:
    return f"*{key}: {' '.join(value.split())}*"


def write_gallery(folder: Path, static: Path, workers: int) -> list[Entry]:
    """Pages, pictures, notebooks and the page of cards; scripts are run in processes of their own, or not at all where
    there are no workers: then pages have no outputs."""
    found = entries()
    folder.mkdir(parents=True, exist_ok=True)
    in_processes(workers, _write_entry if workers else _write_plain, [(e, folder, static) for e in found])
    (folder / "index.md").write_text(_cards(found), encoding="utf-8")
    return found


def _write_entry(e: Entry, folder: Path, static: Path) -> None:
    made = run(e.name, e.path, e.cells)
    (folder / f"{e.name}.md").write_text(page_of(made, folder, static), encoding="utf-8")
    (static / f"{e.name}-card.svg").write_text(card_of(made), encoding="utf-8")
    write_notebook(e.cells, folder / f"{e.name}.ipynb")


def card_of(made: Run) -> str:
    """The picture by which a page is found: its mechanism at an instant or, where it shows none, its first figure."""
    if made.scenes:
        scene = made.scenes[0]
        return scene.svg(scene.t[len(scene.t) // 3], 480, 300)
    if made.figures:
        return made.figures[0].svg()
    raise ValueError(
        f"{made.name}: a page of the gallery shows something: the last line of a cell is a scene or a figure"
    )


def _write_plain(e: Entry, folder: Path, static: Path) -> None:
    write_notebook(e.cells, folder / f"{e.name}.ipynb")
    (folder / f"{e.name}.md").write_text(page_of(unrun(e.name, e.cells), folder, static), encoding="utf-8")


def _cards(found: Iterable[Entry]) -> str:
    found = list(found)
    subjects = sorted({s for e in found for s in e.subjects})
    buttons = '<button value="" aria-pressed="true">all</button>' + "".join(
        f'<button value="{escape(s)}" aria-pressed="false">{escape(s)}</button>' for s in subjects
    )
    cards = "".join(
        f'<a href="{e.name}.html" data-subjects="{escape(",".join(e.subjects))}">'
        f'<img loading="lazy" alt="" src="../_static/scenes/{e.name}-card.svg"><span>{escape(e.title)}</span></a>'
        for e in found
    )
    listing = "\n".join(e.name for e in found)
    intro = f"{len(found)} mechanisms, each a script that was run when this page was made, and a notebook."
    toc = f"```{{toctree}}\n:hidden:\n\n{listing}\n```"
    return "\n\n".join(["# Gallery", intro, raw(_FILTER.format(buttons=buttons, cards=cards)), toc, ""])
