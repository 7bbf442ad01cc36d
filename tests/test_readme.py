"""What README and docs show, runs, and gives what they say it gives.

The Python blocks of a page are run in order, in one namespace. A value is shown as a comment `# -> value` on the last
line of its statement or below it, and goes on in comment lines; `...` stands for anything.
"""

import ast
import contextlib
import doctest
import io
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest

import symbody as sb
from symbody.integrate.forms.form_kinds import FORMS
from symbody.integrate.run.methods import METHODS

from .forked import answer

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
TABLES_OF_CALLS = ("coverage.md",)  # run with the calls of their rows, tests/test_coverage.py
GUIDES = [  # those with code; tutorials run as notebooks, tests/test_book.py
    p
    for p in PAGES
    if p.parent.name != "tutorials"
    and p.name not in TABLES_OF_CALLS
    and "\n```python\n" in p.read_text(encoding="utf-8")
]
ARROW = "# ->"


def blocks(page: str, language: str) -> list[tuple[int, str]]:
    """Fenced blocks of a language, with the line on which each begins."""
    found = re.finditer(rf"^```{language}\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    return [(page[: m.start(1)].count("\n"), m.group(1)) for m in found]


def expected(lines: list[str], last: int) -> str | None:
    """The value shown behind the line numbered `last` (from 1)."""
    if last < len(lines) and lines[last].startswith(ARROW):  # a long statement has its value below
        last += 1
    _, arrow, shown = lines[last - 1].partition(ARROW)
    if not arrow:
        return None
    more = []
    for line in lines[last:]:
        if not line.startswith("#") or ARROW in line:
            break
        more.append(line.removeprefix("#").strip())
    return "\n".join([shown.strip(), *more])


def run(code: str, space: dict[str, Any], name: str, first: int) -> list[str]:
    """Run a block; what was shown and did not come, in words."""
    wrong = []
    lines = code.splitlines()
    for statement in ast.parse(code).body:
        shown = expected(lines, statement.end_lineno or 0)
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            got = execute(statement, space, f"{name}, block at line {first}")
        text = out.getvalue() if got is None else repr(got)
        if shown is not None and not matches(shown, text):
            wrong.append(f"{name}:{first + statement.lineno}: shown {shown!r}, got {text.strip()!r}")
    return wrong


def execute(statement: ast.stmt, space: dict[str, Any], name: str) -> Any:
    if isinstance(statement, ast.Expr):
        return eval(compile(ast.Expression(statement.value), name, "eval"), space)
    exec(compile(ast.Module([statement], []), name, "exec"), space)
    return None


def matches(shown: str, got: str) -> bool:
    """Line by line, or with all lines joined: a value wider than its box is broken at a space."""

    def tidy(text: str) -> str:
        return "\n".join(" ".join(line.split()) for line in text.strip().splitlines())

    def same(first: str, second: str) -> bool:
        return doctest.OutputChecker().check_output(first + "\n", second + "\n", doctest.ELLIPSIS)

    return same(tidy(shown), tidy(got)) or same(" ".join(shown.split()), " ".join(got.split()))


def check_page(page: str, name: str) -> list[str]:
    space: dict[str, Any] = {"__name__": "page"}
    wrong: list[str] = []
    for first, code in blocks(page, "python"):
        if code.lstrip().startswith(">>>"):
            test = doctest.DocTestParser().get_doctest(code, space, name, name, first)
            report = io.StringIO()
            doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test, out=report.write, clear_globs=False)
            space.update(test.globs)
            wrong += [report.getvalue()] if report.getvalue() else []
        else:
            wrong += run(code, space, name, first)
    return wrong


def check_page_elsewhere(page: str, name: str) -> list[str]:
    """In a folder of its own: what a page saves does not stay here."""
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        return check_page(page, name)


@pytest.mark.parametrize("path", GUIDES, ids=[p.relative_to(ROOT).as_posix() for p in GUIDES])
def test_page_runs(path: Path) -> None:
    """In a process of its own, as for a reader: symbols that exist already would decide the order in which sums are
    printed."""
    assert answer("tests.test_readme:check_page_elsewhere", path.read_text(encoding="utf-8"), path.name) == []


def test_a_page_that_fails_says_how() -> None:
    """With its traceback, and the next page runs; what one page does is not seen by another."""
    page = "```python\nimport symbody as sb\nsb.{} = 1\nsb.nothing\n```\n"
    for _ in range(2):
        with pytest.raises(RuntimeError, match="nothing"):
            answer("tests.test_readme:check_page", page.format("planted"), "page")
    assert (
        answer(
            "tests.test_readme:check_page",
            "```python\nimport symbody as sb\nhasattr(sb, 'planted')  # -> False\n```\n",
            "page",
        )
        == []
    )
    with pytest.raises(RuntimeError, match="ended with status"):
        answer("os:_exit", 3)


def dead_links(path: Path, text: str) -> list[str]:
    """Gallery, reference and theory are made with the book, which checks these links; pages of the gallery and chapters on
    documents are scripts."""
    targets = re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", text)
    made = ("gallery/index.md", "reference/index.md", "theory/index.md", "benchmarks.md")
    missing = [path.parent / t for t in targets if not (path.parent / t).exists() and not t.endswith(made)]
    scripts = {"gallery": "", "documents": "chapters"}
    is_made = [(p.parent / scripts.get(p.parent.name, "nowhere") / f"{p.stem}.py").exists() for p in missing]
    return [f"{path}: {p}" for p, found in zip(missing, is_made, strict=True) if not found]


def test_links_lead_somewhere() -> None:
    assert [fault for path in PAGES for fault in dead_links(path, path.read_text(encoding="utf-8"))] == []
    assert dead_links(ROOT / "README.md", "[a](docs/index.md) [b](docs/nowhere.md)") == [
        f"{ROOT / 'README.md'}: {ROOT / 'docs/nowhere.md'}"
    ]


def test_every_outcome_form_and_method_is_explained() -> None:
    """Where a reader looks: what errors mean, and how to choose."""
    errors, choosing = (normal((ROOT / "docs" / f"{n}.md").read_text(encoding="utf-8")) for n in ("errors", "choosing"))
    assert [e.value for e in sb.integrate.Ending if e.value not in errors] == []
    assert [f for f in (*FORMS, *METHODS, "auto") if f'`"{f}"`' not in choosing] == []


def normal(text: str) -> str:
    return " ".join(text.split())


def test_wrong_values_are_found() -> None:
    """The check itself: wrong values, wrong printing, wrong doctests; right ones pass."""
    lines = ["x = 2", "x + 1  # -> 4", "print(x)  # -> 3", "x  # -> 2", "[", "x,", "]  # -> [2]"]
    lines += ["print('a', 'b', sep=chr(10))  # -> a", "# b", "x", "# -> 2", "x", "# -> 5"]
    page = "\n".join(["```python", *lines, "```", ""])
    assert check_page(page, "page") == [
        "page:3: shown '4', got '3'",
        "page:4: shown '3', got '2'",
        "page:13: shown '5', got '2'",
    ]
    assert check_page("```python\n>>> 1 + 1\n2\n```\n", "page") == []
    assert "Expected" in check_page("```python\n>>> 1 + 1\n3\n```\n", "page")[0]


# --------------------------------------------------------------------------------------------------- the two commands


def commands() -> list[str]:
    page = (ROOT / "README.md").read_text(encoding="utf-8")
    return [line for _, code in blocks(page, "sh") for line in code.splitlines() if line.strip()]


def test_first_two_commands_install_and_do() -> None:
    first, second, *_ = commands()
    assert first == "python -m pip install . && symbody report motorcycle -o out"
    assert second.startswith("python -m pip install ")
    assert "python -m pytest" in second


def test_ci_runs_both_commands_in_order() -> None:
    """`.ci/run` takes the commands from the README, in one clone; it has none of its own to drift."""
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    found = re.search(r"^mapfile -t commands < <\((awk .*)\)$", script, re.MULTILINE)
    assert found
    done = subprocess.run(["bash", "-c", found.group(1)], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == commands()[:2]
    assert "pip install" not in script


def test_ci_runs_what_is_left_behind_through_the_second_command(tmp_path: Path) -> None:
    """In a small repository: both commands run in one clone, changes that are not committed too, and the checkout stays
    as it was."""
    source = tmp_path / "source"
    (source / ".ci").mkdir(parents=True)
    shutil.copy(ROOT / ".ci" / "run", source / ".ci" / "run")
    page = "```sh\necho from the first > left; cat tracked\n```\n\n```sh\ncat left && : pytest\n```\n"
    (source / "README.md").write_text(page, encoding="utf-8")
    (source / "tracked").write_text("committed\n", encoding="utf-8")
    who = ["-c", "user.name=n", "-c", "user.email=e@example.org"]
    for command in (["init", "-q"], ["add", "."], [*who, "commit", "-q", "-m", "all"]):
        subprocess.run(["git", *command], cwd=source, check=True)
    (source / "tracked").write_text("changed\n", encoding="utf-8")
    environment = {**os.environ, "PYTHON": sys.executable}
    done = subprocess.run(
        ["bash", source / ".ci" / "run"], capture_output=True, text=True, check=False, env=environment
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert [line for line in done.stdout.splitlines() if not line.startswith("+")] == ["changed", "from the first"]
    assert not (source / "left").exists()


def test_main_job(tmp_path: Path) -> None:
    """What the first command does after installing: it ends well, nothing is missing, and every check holds. Axes of its
    figures have units: as declared, inferred, or as SI units where rows of several kinds are drawn together."""
    done = subprocess.run(
        [sys.executable, "-m", "symbody", "report", "motorcycle", "-o", str(tmp_path)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert "not in it" not in done.stdout
    page = (tmp_path / "index.html").read_text(encoding="utf-8")
    assert "Every check holds." in page
    axes = set(re.findall(r'"[xy]Text": ?"(.*?)"', page))
    assert {"time [s]", "V [m/s]", "magnitude [rad/(N m)]", "largest violation [SI units]"} <= axes
    assert {a for a in axes if "[" not in a} == set()
