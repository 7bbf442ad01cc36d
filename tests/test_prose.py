"""Pages, docstrings, comments and messages follow docs/style.md: the tests report phrases to avoid with file and line.

To add a phrase, add a row with its replacement to `PHRASES`, the only list. The tests search prose only: not fenced
blocks, inline code, examples, or the left column of tables in docs/style.md. `PAGES_TO_DO`, `SOURCES_TO_DO` and
`MESSAGES_TO_DO` list files that still have to be rewritten.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from pathlib import Path

from .repository import tracked_files

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
    r"where (there|it|they) (is|are|has|have) (none|one)": "if there is none, if it has none",
    r"nobody": "name who, or use the passive",
    r"(can be|tells?( \w+)?) (told|apart|of|from|which|whether)\b": "distinguishes, shows, reports",
}
HEADINGS = (
    r"(To (look at|numbers|read)|Near a motion|Many (at once|members)|Designs that are best|What (matters|else .*)|"
    r"How to find out|How to show .*|Out of here|It moves|Is it .*\?|Parameters from measurements)"
)

_PHRASE = {re.compile(rf"\b{p}", re.IGNORECASE): advice for p, advice in PHRASES.items()}
_ANY = re.compile(rf"\b(?:{'|'.join(PHRASES)})")  # of text in small letters: one search for lines without any
_HEADING = re.compile(rf"^#+ {HEADINGS}$")

PAGES = [
    *(ROOT / n for n in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
    *sorted((ROOT / "docs" / "gallery").glob("*.py")),
]
PAGES_TO_DO: tuple[str, ...] = ()

SOURCES = sorted((ROOT / "symbody").rglob("*.py"))
SOURCES_TO_DO: tuple[str, ...] = ()  # docstrings and comments
MESSAGES_TO_DO: tuple[str, ...] = ()


def is_to_do(path: Path, listed: tuple[str, ...] = PAGES_TO_DO) -> bool:
    return any(path.relative_to(ROOT).as_posix().startswith(k) for k in listed)


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


def docstring_prose(text: str) -> list[tuple[int, str]]:
    """Lines of all docstrings of a module, public and internal, without their examples."""
    lines = []
    for node in ast.walk(ast.parse(text)):
        if not isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            continue
        match node.body:
            case [ast.Expr(value=ast.Constant(value=str(said))) as first, *_]:
                lines += without_examples(first.lineno, said)
    return lines


def without_examples(first: int, text: str) -> list[tuple[int, str]]:
    """Lines of a docstring with their numbers; an example ends at an empty line."""
    lines, is_example = [], False
    for number, line in enumerate(text.splitlines(), start=first):
        is_example = line.lstrip().startswith(">>>") or (is_example and bool(line.strip()))
        if not is_example:
            lines.append((number, line))
    return lines


def comment_prose(text: str) -> list[tuple[int, str]]:
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    return [(t.start[0], t.string.lstrip("# ")) for t in tokens if t.type == tokenize.COMMENT]


def message_prose(text: str) -> list[tuple[int, str]]:
    """Texts of several words in a module that are not docstrings: messages, notes, help."""
    tree = ast.parse(text)
    alone = {n.value for n in ast.walk(tree) if isinstance(n, ast.Expr) and isinstance(n.value, ast.Constant)}
    texts = [n for n in ast.walk(tree) if isinstance(n, ast.Constant) and isinstance(n.value, str) and n not in alone]
    found = [(n.lineno, " ".join(str(n.value).split())) for n in texts]
    return [(line, words) for line, words in found if " " in words]


def faults(path: Path, text: str) -> list[str]:
    """Phrases to avoid on a page."""
    return faults_in(path, prose(path, text))


def may_have_faults(text: str) -> bool:
    """Whether a phrase to avoid is anywhere in a module, in code too: most files need not be parsed."""
    joined = re.sub(r"""["']\s+[frb]*["']|#|\bNone\b""", " ", text)
    return bool(_ANY.search(" ".join(joined.split()).lower()))


def source_faults(path: Path, text: str) -> list[str]:
    """Phrases to avoid in the docstrings and comments of a module."""
    if not may_have_faults(text):
        return []
    return [*faults_in(path, docstring_prose(text)), *faults_in(path, comment_prose(text))]


def message_faults(path: Path, text: str) -> list[str]:
    """Phrases to avoid in the messages of a module; each text is searched alone."""
    if not may_have_faults(text):
        return []
    return [f for line in message_prose(text) for f in faults_in(path, [line])]


def faults_in(path: Path, lines: list[tuple[int, str]]) -> list[str]:
    """A phrase may be broken by the end of a line: each line is searched with the last word before it and with the next
    line."""
    found = []
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
        if not _ANY.search(both.lower()):
            continue
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
    return " ".join(re.sub(r"`[^`]*`|\bNone\b", "`", re.sub(r"\]\([^)]*\)", "]", line)).split())


def test_pages_are_written_in_plain_english() -> None:
    found = [f for p in PAGES if not is_to_do(p) for f in faults(p, p.read_text(encoding="utf-8"))]
    assert found == [], "\n" + "\n".join([*found, f"{len(found)} phrases to avoid, see docs/style.md"])


def test_docstrings_and_comments_are_written_in_plain_english() -> None:
    found = [
        f for p in SOURCES if not is_to_do(p, SOURCES_TO_DO) for f in source_faults(p, p.read_text(encoding="utf-8"))
    ]
    assert found == [], "\n" + "\n".join([*found, f"{len(found)} phrases to avoid, see docs/style.md"])


def test_messages_are_written_in_plain_english() -> None:
    found = [
        f for p in SOURCES if not is_to_do(p, MESSAGES_TO_DO) for f in message_faults(p, p.read_text(encoding="utf-8"))
    ]
    assert found == [], "\n" + "\n".join([*found, f"{len(found)} phrases to avoid, see docs/style.md"])


def test_phrases_to_avoid_in_sources_are_found() -> None:
    """In docstrings of modules, classes and inner functions, in comments and in messages; examples are let pass."""
    path = ROOT / "symbody" / "planted.py"
    text = (
        '"""Rows are left out, and\nsaid."""\n\n\nclass A:\n    def _f(self):\n        """It turns by itself.\n\n'
        '        >>> print(1)  # is said\n        is none\n\n        value   None where it is None\n        """\n'
        '        # what is asked\n        raise ValueError(f"{self} is no joint")\n'
    )
    assert [f.split(": ")[0] for f in source_faults(path, text)] == [f"symbody/planted.py:{n}" for n in (1, 7, 14)]
    assert [f.split(": ")[0] for f in message_faults(path, text)] == ["symbody/planted.py:15"]


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


def test_sources_to_do_still_have_phrases_to_avoid() -> None:
    """A file that has been rewritten leaves its list."""
    for listed, search in ((SOURCES_TO_DO, source_faults), (MESSAGES_TO_DO, message_faults)):
        left = {p for p in SOURCES if is_to_do(p, listed) and search(p, p.read_text(encoding="utf-8"))}
        assert [k for k in listed if not any(is_to_do(p, (k,)) for p in left)] == []


# ---------------------------------------------------------------------------------------------------- files in prose

GENERATED = ("name_check.py", "name_functions.py")  # files of exports, by the name of a model


def missing_files(root: Path, names: list[str]) -> list[str]:
    """Mentions of source files, such as `emit/ir.py`, that do not exist."""
    known = {f"/{name}" for name in names}
    bad = []
    for name in (n for n in names if n.endswith((".md", ".py")) and n != "CHANGELOG.md"):
        mentioned = re.findall(r"`([\w/]+\.py)`", (root / name).read_text(encoding="utf-8"))
        bad += [
            f"{name}: there is no {m}"
            for m in mentioned
            if m not in GENERATED and not any(k.endswith(f"/{m}") for k in known)
        ]
    return bad


def test_files_that_prose_mentions_exist() -> None:
    assert missing_files(ROOT, tracked_files()) == []


def test_planted_mention_is_found(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text('"""As `{}` does, and `{}`."""\n'.format("a.py", "b.py"), encoding="utf-8")
    assert missing_files(tmp_path, ["a.py"]) == ["a.py: there is no b.py"]
