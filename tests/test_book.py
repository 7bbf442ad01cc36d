"""The book: its links lead somewhere, its code runs, its reference is complete, its notebooks are the same code."""

from __future__ import annotations

import ast
import importlib
import re
import tomllib
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pytest

from tests.amount import some

for package in ("sphinx", "myst_parser", "furo", "sphinx_copybutton", "nbformat", "nbclient"):
    pytest.importorskip(package, reason=f"{package} is missing: python -m pip install '.[docs]'")

import nbformat
from nbclient import NotebookClient

import symbody
from bench import record as bench_record
from docs.book import benchmarks, gallery, mathml, measured_words, reference, site
from docs.book.bars import bars
from docs.book.cards import framed
from docs.book.cells import Cell, cells_of
from docs.book.notebooks import write_notebook
from docs.book.pages import page_of
from docs.book.running import Workers, run
from docs.book.shown_code import shown_code
from docs.book.theory import headed

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::PendingDeprecationWarning")
ROOT = Path(__file__).parents[1]
FIRST_HOUR = ROOT / "docs" / "tutorials" / "first-hour.md"
TUTORIALS = sorted(FIRST_HOUR.parent.glob("*.md"), key=lambda p: (p != FIRST_HOUR, p.stem))
STAGES = reference.STAGES


def test_the_site_has_no_faults(tmp_path: Path) -> None:
    """No link leads nowhere and no page stands alone; code is run by the tests below."""
    assert "pages" in site.build(tmp_path, workers=0, builder="dummy")


def test_a_link_that_leads_nowhere_is_a_fault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "conf.py").write_text('extensions = ["myst_parser"]\n', encoding="utf-8")
    (tmp_path / "docs" / "index.md").write_text("# A\n\n[there](nowhere.md)\n", encoding="utf-8")
    monkeypatch.setattr(site, "DOCS", tmp_path / "docs")
    monkeypatch.setattr(site, "write_gallery", lambda *_: [])
    monkeypatch.setattr(site, "write_reference", lambda *_: 0)
    monkeypatch.setattr(site, "write_theory", lambda *_: 0)
    monkeypatch.setattr(site, "write_benchmarks", lambda *_: 0)
    monkeypatch.setattr(site, "write_language", lambda *_: None)
    with pytest.raises(SystemExit, match="faults"):
        site.build(tmp_path / "out", workers=0, builder="dummy")


def test_some_pages_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A quick look at a page leaves others out, runs nothing that is not on it, and says how far it is."""
    told: list[str] = []
    for name in ("write_reference", "write_theory", "write_benchmarks"):  # the test of the whole site writes them
        monkeypatch.setattr(site, name, lambda *_: 0)
    said = site.build(tmp_path, workers=0, builder="dummy", only=["linear", "gallery/stick_slip"], tell=told.append)
    assert "0 mechanisms" in said
    assert any("Sphinx" in t for t in told)
    with pytest.raises(SystemExit, match=r"no page 'linera'; did you mean linear"):
        site.build(tmp_path, workers=0, builder="dummy", only=["linera"])


def test_workers_run_what_is_wanted(tmp_path: Path) -> None:
    """Each page in its own process, and the caller is told of each; without workers none is run."""
    told: list[str] = []
    crew = Workers(1, ("a/x*",), told.append)
    crew.write(_write_mark, {name: (tmp_path / name.replace("/", "-"),) for name in ("a/x1", "a/y", "b/x1")})
    assert {p.name: p.read_text(encoding="utf-8") for p in tmp_path.iterdir()} == {
        "a-x1": "True",
        "a-y": "False",
        "b-x1": "False",
    }
    assert [t.partition(",")[0] for t in told] == ["[1/1] a/x1"]
    assert not Workers(0).runs("a/x1")


def _write_mark(path: Path, is_run: bool) -> None:
    path.write_text(str(is_run), encoding="utf-8")


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        ("x = 1\nassert x == 1", "x = 1"),
        ("x = 1\n\n# as published\nassert (\n    x == 1\n)\n\ny = 2", "x = 1\n\ny = 2"),
        ("for x in (1, 2):\n    assert x\nx", "x"),
        ("for x in (1, 2):\n    print(x)\n    assert x", "for x in (1, 2):\n    print(x)"),
        ("if a:\n    assert a\nelse:\n    print(1)", "if a:\n    assert a\nelse:\n    print(1)"),
        ("def f(x):\n    assert x\n    return x", "def f(x):\n    assert x\n    return x"),
        ("x = 1  # fmt: skip\n# a remark\nx", "x = 1\n# a remark\nx"),
        ('print("assert")', 'print("assert")'),
        ("assert True", ""),
    ],
)
def test_pages_hide_checks(source: str, shown: str) -> None:
    """What is shown is Python; a branch that would be empty keeps its check."""
    assert shown_code(source) == shown
    ast.parse(shown_code(source))


def test_checks_stay_in_the_notebook(tmp_path: Path) -> None:
    cells = [Cell("# Title", False), Cell("x = 1\nassert x == 1\nx", True), Cell("assert x < 2", True)]
    page = page_of(run("page", tmp_path / "page.py", cells), tmp_path, tmp_path)
    assert "assert" not in page
    assert "with the checks" in page
    write_notebook(cells, tmp_path / "page.ipynb")
    assert "assert x == 1" in (tmp_path / "page.ipynb").read_text(encoding="utf-8")


def test_every_mechanism_has_a_section() -> None:
    """By its first subject; no section is empty, and a subject that none knows is refused with those that exist."""
    found = gallery.entries()
    assert {e.section for e in found} == set(gallery.SECTIONS)
    with pytest.raises(ValueError, match="belongs to no section of the gallery; begin with one of vehicles"):
        _ = replace(found[0], subjects=("alchemy",)).section


def test_cards_show_the_mechanism_large() -> None:
    """Cut to the bodies, whose lines are no hairs; the grid and long paths of points do not count."""
    grid = '<path d="M0.0 0.0L480.0 300.0" fill="none" stroke-width="1.0" color="#d5dae1" opacity="0.8"/>'
    path = '<path d="M0.0 50.0L480.0 50.0" fill="none" stroke-width="1.5" color="#4c7fc0" opacity="0.7"/>'
    body = '<path d="M200.0 100.0L300.0 150.0" fill="none" stroke-width="0.5" color="#4c7fc0"/>'
    card = framed(f'<svg viewBox="0 0 480 300">{grid}{path}{body}</svg>')
    assert 'viewBox="188.0 86.2 124.0 77.5"' in card
    assert grid in card
    assert 'L300.0 150.0" fill="none" stroke-width="1.4"' in card
    short = path.replace("480", "320").replace("M0.0", "M180.0")
    assert 'viewBox="150.8 38.0 198.4 124.0"' in framed(f'<svg viewBox="0 0 480 300">{short}{body}</svg>')
    assert framed(f"<svg>{grid}</svg>") == f"<svg>{grid}</svg>"


def test_measurements_say_where_peers_are_faster(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was recorded is shown with its machine and date, and a row that a peer wins stands at the top too."""
    rows = [
        {"case": "won", "seconds": 1.0, "peer": "A", "ratio": 3.0, "peer_limit": "60 s", "note": None},
        {
            "case": "lost",
            "seconds": 2.0,
            "peer": "B",
            "ratio": 0.51234,
            "peer_limit": "60 s",
            "note": "B saw it before",
        },
    ]
    monkeypatch.setattr(bench_record, "RESULTS", tmp_path)
    bench_record.record("simulate", "python -m bench simulate", rows)
    page = tmp_path / "benchmarks.md"
    assert benchmarks.write_benchmarks(page, tmp_path) == 2
    top, below = page.read_text(encoding="utf-8").split("(simulate)=")
    assert "| [simulate](#simulate) | lost | B | 0.512 |" in top
    assert "won" not in top
    assert "| won | 1 s | A | 3 |" in below
    assert "- lost: B saw it before" in below
    assert "| case | time | compared with | times faster |" in below
    assert "peer_limit" not in below
    assert below.count("<rect") == 2
    assert bench_record.surroundings()["date"] in below


def test_every_column_has_words(tmp_path: Path) -> None:
    """Those that the page shows; a new one is refused until it has some. Times have the prefix that suits them."""
    assert benchmarks.write_benchmarks(tmp_path / "page.md") > 100
    page = (tmp_path / "page.md").read_text(encoding="utf-8")
    assert re.findall(r"^\|.*\b\w+_(?:ns|us|ms|seconds|s)\b.*\|\n\|[-:|]+\|$", page, re.MULTILINE) == []
    assert "before_" not in page
    with pytest.raises(ValueError, match="a column 'planted' without words"):
        measured_words.heading("planted")
    assert [measured_words.written("us", x) for x in (2.5e6, 1234.5, 0.05)] == ["2.5 s", "1.23 ms", "50 ns"]


def test_bars_grow_with_ratios() -> None:
    """From one to the right; a ratio below one to the left, in another colour."""
    figure = bars([("a", 100.0), ("b", 10.0), ("c & d", 0.1)], "ratios")
    x, width, colour = zip(*re.findall(r'<rect x="([\d.]+)".*?width="([\d.]+)".*?fill="(.*?)"', figure), strict=True)
    assert float(width[0]) == pytest.approx(2 * float(width[1]), abs=0.2)
    assert float(x[2]) + float(width[2]) == pytest.approx(float(x[0]), abs=0.2)
    assert colour[0] == colour[1] != colour[2]
    assert "c &amp; d" in figure


def test_tables_with_sums_are_folded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Sums stand before a table that opens at a click, and what all rows share stands below it."""
    rows = [{"case": c, "solved": k, "peer": "A"} for k, c in enumerate(("one", "two", "three"), 1)]
    monkeypatch.setattr(bench_record, "RESULTS", tmp_path)
    bench_record.record(
        "equilibria", "python -m bench equilibria", [*rows, {"case": "all 3 cases", "solved": 6, "peer": "A"}]
    )
    benchmarks.write_benchmarks(tmp_path / "benchmarks.md", tmp_path)
    before, within = (tmp_path / "benchmarks.md").read_text(encoding="utf-8").split("<details>")
    assert "| all 3 cases | 6 | A |" in before
    assert "| two | 2 |" in within
    assert "In all rows, compared with: A." in within


def public(module: ModuleType) -> list[tuple[str, object]]:
    return [(n, getattr(module, n)) for n in module.__all__]


def test_every_public_name_is_in_the_reference() -> None:
    flat = {f"sb.{n}" for n in symbody.__all__ if not isinstance(getattr(symbody, n), ModuleType)}
    assert "sb.derive" in flat
    special = {
        f"sb.{s}.{n}"
        for s in STAGES
        if isinstance(getattr(symbody, s, None), ModuleType)
        for n, thing in public(importlib.import_module(f"symbody.{s}"))
        if n not in symbody.__all__ and not isinstance(thing, ModuleType)
    }
    kits = {f"sb.{k}.{n}" for k in reference.KITS for n in importlib.import_module(f"symbody.{k}").__all__}
    errors = {f"sb.errors.{n}" for n in symbody.errors.__all__ if n not in symbody.__all__}
    assert reference.documented_names() == flat | special | kits | errors


@pytest.mark.parametrize("entry", some(gallery.entries(), 12), ids=lambda e: e.name)
def test_mechanism_of_the_gallery(entry: gallery.Entry, tmp_path: Path) -> None:
    """It runs, asserts what it reproduces, and shows itself in motion."""
    made = run(entry.name, entry.path, entry.cells)
    assert gallery.card_of(made, entry.card).lstrip().startswith("<")
    assert not entry.reproduces or any("assert " in c.source for c in entry.cells if c.is_code)
    page = page_of(made, tmp_path, tmp_path)
    assert ("<iframe" in page) == bool(made.scenes)


@pytest.mark.parametrize("path", TUTORIALS[1:], ids=lambda p: p.stem)
def test_tutorial_checks_its_numbers(path: Path) -> None:
    """Against what was published, in the page itself; and it says where to go on."""
    assert any("assert " in c.source for c in cells_of(path) if c.is_code)
    assert cells_of(path)[-1].source.startswith("## Where next")


@pytest.mark.parametrize("path", some(TUTORIALS, len(TUTORIALS)), ids=lambda p: p.stem)
def test_tutorial_runs_as_a_notebook(path: Path, tmp_path: Path) -> None:
    notebook = tmp_path / "page.ipynb"
    write_notebook(cells_of(path), notebook)
    read = nbformat.read(notebook, as_version=4)
    nbformat.validate(read)
    NotebookClient(read, timeout=120, resources={"metadata": {"path": str(tmp_path)}}).execute()
    assert [c.source for c in read.cells if c.cell_type == "code" and not c.execution_count] == []


@pytest.mark.parametrize("stage", STAGES)
def test_every_folder_has_a_chapter(stage: str) -> None:
    """With equations that a browser can show, sources, and why this way."""
    text = (ROOT / "docs" / "theory" / f"{stage}.md").read_text(encoding="utf-8")
    equations = re.findall(r"^```math\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    assert equations
    assert all(mathml.block(e).startswith("<math ") for e in [*equations, *re.findall(r"\$([^$\n]+)\$", text)])
    assert re.search(r"[A-Z]\w+ (and \w+ )?\(?(1[789]|20)\d\d", text)
    assert "](../why/" in text or stage in ("kits", "study", "bodies")


def test_indices_stand_beside_what_has_a_dot() -> None:
    assert "munder" not in mathml.inline(r"\dot q_k + \bar J^T")
    assert "msub" in mathml.inline(r"\dot q_k")
    assert "munder" in mathml.inline(r"\sum_k q_k")
    assert 'accent="true"' in mathml.inline(r"\dot q")


def test_headings_of_files_end_where_a_clause_does() -> None:
    assert headed("Short.") == ("Short", "")
    title, more = headed("One sentence. " + "Another one that goes on and on, " * 4)
    assert (title, more[:30]) == ("One sentence. Another one that goes on and on", "One sentence. Another one that")
    assert headed("`a, b` and much more than fits into a heading of this length, as was said before")[0].startswith(
        "`a, b` and"
    )


def test_subjects_are_words() -> None:
    """And what is reproduced is a line of its own."""
    found = gallery.entries()
    assert all(len(s) < 20 for e in found for s in e.subjects)
    assert sum(bool(e.reproduces) for e in found) > len(found) / 2


def test_an_error_names_its_line(tmp_path: Path) -> None:
    script = tmp_path / "wrong.py"
    script.write_text('"""# Wrong\n\nSubjects: none\n"""\n\n# %%\nx = 1\n\n# %%\nx / 0\n', encoding="utf-8")
    with pytest.raises(ZeroDivisionError) as raised:
        run("wrong", script, cells_of(script))
    assert raised.traceback[-1].lineno + 1 == 10


def test_cells_of_pages_and_scripts(tmp_path: Path) -> None:
    page = tmp_path / "a.md"
    page.write_text("# A\n\n```python\nx = 1\n```\n\nThen\n", encoding="utf-8")
    assert cells_of(page) == [Cell("# A", False), Cell("x = 1", True, 4), Cell("Then", False)]
    script = tmp_path / "a.py"
    script.write_text('"""# A"""\n\n# %%\nx = 1\n\n# %% [markdown]\n# Then\n', encoding="utf-8")
    assert cells_of(script) == [Cell("# A", False), Cell("x = 1", True, 4), Cell("Then", False, 7)]


def test_the_tests_install_what_the_book_needs() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    assert set(extras["docs"]) <= set(extras["test"])


def test_a_page_may_define_classes(tmp_path: Path) -> None:
    """Also dataclasses whose annotations are text: they look their module up."""
    source = "from __future__ import annotations\nfrom dataclasses import dataclass\n@dataclass\nclass Top:\n    mass: float\nprint(Top(2.0).mass)"
    (shown,) = run("page", tmp_path / "page.py", [Cell(source, is_code=True)]).shown
    assert shown.printed.strip() == "2.0"
