"""Pages are written as docs/style.md says: phrases that it lists as ones to avoid are found, with page and line.

A phrase is added by a row in `PHRASES`, with what to write instead. Only prose is searched: fenced blocks, inline code
and the left column of tables in docs/style.md are not. `PAGES_TO_DO` lists pages that are still to be rewritten.
"""

from __future__ import annotations

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
STYLE = ROOT / "docs" / "style.md"

PHRASES: dict[str, str] = {
    r"(is|are|was|were|be) said": "name the subject: `audit` lists ..., the outcome states ...",
    r"and said": "and lists them, and reports it",
    r"sa(y|ys|id) so\b": "report it, note it, state it",
    r"(is|are|was|were) told": "reports, states",
    r"told apart": "distinguished",
    r"(?<!there )(is|are) none": "name what it is: is rejected, does not count, is empty",
    r"(?<!there )(is|are) no (?!longer|more |less |different|worse|\w+er\b)\w+": "is not a ..., does not ...",
    r"by (itself|themselves)": "automatically, alone, on its own",
    r"(without|with) (a|more|many) words?": "silently, in short",
    r"in words": "name the thing: states, describes",
    r"who(ever)? (asks|prefers|reads|wants|has|needs)": "if you ..., readers who ...",
    r"whoever": "if you ...",
    r"what (is|was) not (given|said|named|known|there)": "values that you do not give ...",
    r"what (holds|cannot be|can be said|can be asked|there is)": "name the thing",
    r"for the asking": "name the call that computes it",
    r"asks? (for|of)": "request, compute, require",
    r"(is|are|was|were|be|been|what|where|when) asked": "requested, computed, required",
    r"(\w+ )?(hangs? on nothing|that it hangs on|on which it hangs)": "is not connected, its parent",
    r"held against": "tolerated",
    r"the ground of engines": "use a physics engine",
    r"for the eye": "to read",
    r"(nothing special|to speak of)": "say it directly",
    r"says? (nothing|the same|different things)": "is redundant, does not constrain",
    r"(are|is) known of": "are available for",
    r"has them( all)?\b(?! )": "name the call",
}
HEADINGS = (
    r"(To (look at|numbers|read)|Near a motion|Many (at once|members)|Designs that are best|What (matters|else .*)|"
    r"How to find out|How to show .*|Out of here|It moves|Is it .*\?|Parameters from measurements)"
)

_PHRASE = {re.compile(rf"\b{p}", re.IGNORECASE): advice for p, advice in PHRASES.items()}
_HEADING = re.compile(rf"^#+ {HEADINGS}$")

PAGES = [
    *(ROOT / n for n in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
    *sorted((ROOT / "docs" / "gallery").glob("*.py")),
]
PAGES_TO_DO: tuple[str, ...] = ()


def is_to_do(path: Path) -> bool:
    return any(path.relative_to(ROOT).as_posix().startswith(k) for k in PAGES_TO_DO)


def prose(path: Path, text: str) -> list[tuple[int, str]]:
    """Lines of prose with their numbers: what is code, or history in the changelog, is left out."""
    if path.suffix == ".py":
        return script_prose(text)
    lines, fence = [], ""
    for number, line in enumerate(text.splitlines(), start=1):
        if path.name == "CHANGELOG.md" and line.startswith("## [") and "Unreleased" not in line:
            break
        mark = re.match(r"`{3,}", line)
        if mark and not fence:
            fence = mark.group()
        elif mark and line.strip() == fence:
            fence = ""
        elif not fence and not line.startswith("    "):
            lines.append((number, line))
    return lines


def script_prose(text: str) -> list[tuple[int, str]]:
    """The docstring of a script and its cells of text."""
    docstring = ast.parse(text).body[0]
    lines, is_text = [], False
    for number, line in enumerate(text.splitlines(), start=1):
        if number <= (docstring.end_lineno or 0):
            lines.append((number, line))
        elif line.startswith("# %%"):
            is_text = "[markdown]" in line
        elif is_text and line.startswith("#"):
            lines.append((number, line.removeprefix("# ")))
    return lines


def faults(path: Path, text: str) -> list[str]:
    """A phrase may be broken by the end of a line: each line is searched with the last word before it and with the next
    line."""
    found, lines = [], prose(path, text)
    where = path.relative_to(ROOT).as_posix()
    for k, (number, line) in enumerate(lines):
        if path == STYLE and line.startswith("|"):
            continue
        if _HEADING.match(line):
            found.append(f"{where}:{number}: heading {line!r}: use the words that people search for")
        before = neighbour(lines, k, -1).split()[-1:]
        head = " ".join([*before, ""])
        here = head + plain(line)
        both = f"{here} {neighbour(lines, k, 1)}"
        for phrase, advice in _PHRASE.items():
            hits = [m for m in phrase.finditer(both) if len(head) <= m.start() < len(here)]
            found += [f"{where}:{number}: {m.group()!r}: {advice}" for m in hits]
    return found


def neighbour(lines: list[tuple[int, str]], k: int, step: int) -> str:
    """The line of prose before or after, where it is of the same paragraph."""
    number, line = lines[k]
    if not 0 <= k + step < len(lines):
        return ""
    there, text = lines[k + step]
    is_alone = line.startswith(("|", "#")) or text.startswith(("|", "#"))
    return "" if is_alone or there != number + step else plain(text)


def plain(line: str) -> str:
    """Without inline code and targets of links, and without the indentation of lists."""
    return " ".join(re.sub(r"`[^`]*`", "`", re.sub(r"\]\([^)]*\)", "]", line)).split())


def test_pages_are_written_in_plain_english() -> None:
    found = [f for p in PAGES if not is_to_do(p) for f in faults(p, p.read_text(encoding="utf-8"))]
    assert found == [], "\n" + "\n".join([*found, f"{len(found)} phrases to avoid, see docs/style.md"])


def test_phrases_to_avoid_are_found() -> None:
    """Also where a line ends inside of one; code, links and other text are let pass."""
    page = ROOT / "docs" / "planted.md"
    text = (
        "# Near a motion\n\nRedundant constraints are left out, and\nsaid. There is no joint `is none`.\n\n"
        "```python\nx = 1  # what is not given\n```\n\n| a | Whoever asks |\n| b | It is no longer used. |\n"
    )
    assert [f.split(": ")[0] for f in faults(page, text)] == [f"docs/planted.md:{n}" for n in (1, 3, 10, 10)]
    script = '"""# Title\n\nIt turns by itself.\n"""\n\n# %%\nx = 1  # is said\n\n# %% [markdown]\n# What holds.\n'
    assert [f.split(": ")[0] for f in faults(page.with_suffix(".py"), script)] == [
        "docs/planted.py:3",
        "docs/planted.py:10",
    ]


def test_every_row_of_the_style_page_has_two_columns() -> None:
    text = STYLE.read_text(encoding="utf-8").partition("## Before and after")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| (?!avoid|---)(.+?) \| (.+?) \|$", text, re.MULTILINE)
    assert len(rows) >= 21
    assert [after for _, after in rows for phrase in _PHRASE if phrase.search(plain(after))] == []


def test_pages_to_do_exist() -> None:
    assert [k for k in PAGES_TO_DO if not any(p.relative_to(ROOT).as_posix().startswith(k) for p in PAGES)] == []
