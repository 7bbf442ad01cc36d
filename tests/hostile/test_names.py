"""Names of the user's choice are text in every language that is written, and never code: what a name holds is read
back, or refused."""

import ast
import re
import shutil
import subprocess
from html.parser import HTMLParser
from typing import Any

import numpy as np
import pytest

import symbody as sb
from symbody import escaping
from symbody.study.sources import find_model
from symbody.study.study import Study
from symbody.view.figures.drawing import typeset
from tests.amount import FULL

MARK = "owned"
PRINTABLE = [
    '"""; owned = 1; """',
    "'''; owned = 1",
    '\\"""\\nowned = 1',
    "*/ int owned; /*",
    "</script><script>owned</script>",
    "'\"><img src=x onerror=owned>",
    "<!-- owned",
    "$\\frac{$",
    "$x",
    "100$ and $200",
    "}\\input{owned}%",
    "\\end{document}",
    "a & b # c _ d ^ e ~ f",
    "`owned` $(owned); owned",
    "ünïcödé ↯",
    "-o",
]
UNPRINTABLE = [
    "a\nowned = 1",
    "a\rb",
    "\x1b[2J",
    "a\x00b",
    "\x7f",
    "\x9b31m",
    "a\u2028b",
    "a\u2029b",
    "a\u202eb",
    "\u2066",
    "a\x85b",
    "\t",
]


def two_links(name: str = "model", part: str = "link") -> sb.Model:
    m = sb.Model(name)
    a = m.body(part, mass=m.parameter("m1", 1.0), inertia=(1, 1, 1), com=(1, 0, 0))
    b = m.body(f"{part} 2", mass=2, inertia=(1, 2, 3), com=(0, 1, 0))
    m.revolute(f"{part} hinge", m.ground, a, coordinates="q1")
    m.revolute(f"{part} knee", a, b, at=(2, 0, 0), axis="x", coordinates="q2")
    m.gravity(0, -9.81, 0)
    m.output(f"{part} out", a.mass_centre.position().dot(m.ground.x))
    return m


# ---------------------------------------------------------------------------------------------------- refused


@pytest.mark.parametrize("name", UNPRINTABLE)
def test_what_cannot_be_printed_is_no_name(name):
    """Of models, bodies, joints, loads, constraints, frames, outputs, equations and units alike."""
    m = two_links()
    q1 = sb.symbol("q1", "coordinate")
    for make in (
        lambda: sb.Model(name),
        lambda: m.body(name, mass=1),
        lambda: m.body("c", mass=1) and m.revolute(name, m.ground, m.bodies["c"], coordinates="q3"),
        lambda: m.generalized_force(name, q1, 1),
        lambda: m.constrain(name, q1),
        lambda: m.frame(name, m.ground.translate(1, 0, 0)),
        lambda: m.output(name, q1),
        lambda: m.equation(name, q1),
    ):
        with pytest.raises(sb.ModelError, match="U\\+"):
            make()
    with pytest.raises(sb.ModelError, match="is not a unit"):
        two_links().parameter("k", 1.0, unit=name)


@pytest.mark.parametrize("name", UNPRINTABLE)
@pytest.mark.parametrize("where", ["name: {0}", "bodies: {{{0}: {{frame: ground, mass: 1}}}}", "description: {0}"])
def test_codes_in_quotation_marks_are_looked_at_after_decoding(name, where):
    code = '"' + "".join(f"\\U{ord(c):08X}" for c in name) + '"'
    if "description" in where and set(name) & set("\n\t"):
        pytest.skip("a description may have several lines")
    with pytest.raises(sb.errors.ModelFileError) as caught:
        sb.study.read_model_text(f"symbody: 1\n{where.format(code)}\n", "bad.yaml")
    assert str(caught.value).isprintable() or set(str(caught.value)) - {"\n"} <= set(map(chr, range(32, 127)))


@pytest.mark.parametrize("name", [n for n in UNPRINTABLE if n[0] != "\x00" and "\x00" not in n and "\x1b" not in n])
def test_names_in_robot_files(name):
    code = "".join(f"&#{ord(c)};" for c in name)
    for text in (f"<robot name='{code}'><link name='a'/></robot>", f"<robot name='r'><link name='{code}'/></robot>"):
        with pytest.raises(sb.ModelError, match="U\\+"):
            sb.read_urdf(text)


# ---------------------------------------------------------------------------------------------------- targets


@pytest.mark.parametrize("name", PRINTABLE)
def test_sympy_files_run_nothing_of_a_name(name):
    (text,) = sb.write.equations_files(sb.derive(two_links(name, name)), "sympy", {}).values()
    space: dict[str, Any] = {}
    exec(text, space)
    assert MARK not in space
    assert name in ast.get_docstring(ast.parse(text), clean=False)


@pytest.mark.parametrize("style", ["text", "latex", "numpy"])
@pytest.mark.parametrize("name", [*PRINTABLE, "a\nowned = 1"])
def test_titles_stay_in_their_comments(name, style, monkeypatch):
    """Lines of the file are those of a model with a plain name, but for the comment at its head; also for names that
    were not refused."""
    eq = sb.derive(two_links("model"))
    programs = sb.write.equation_programs(eq)
    plain = next(iter(sb.write.equations_files(eq, style, programs).values())).split("\n")
    object.__setattr__(eq.mechanism, "name", name)
    monkeypatch.setattr(type(eq), "name", name)
    files = sb.write.equations_files(eq, style, programs)
    assert all(re.fullmatch(r"[A-Za-z0-9_]+\.(txt|tex|py)", f) for f in files)
    found = next(iter(files.values())).split("\n")
    assert found[1:] == plain[1:]
    assert found[0] == plain[0] or found[0][0] in "#%"


WORDS = (
    "lambda",
    "import",
    "Matrix",
    "sin",
    "Symbol",
    "Function",
    "t_",
    "M",
    "f",
    "pi",
    "E",
    "None",
    "print",
    "Rational",
    "as_",
    "Derivative",
)


@pytest.mark.parametrize("word", WORDS)
@pytest.mark.parametrize("kind", ["parameter", "coordinate"])
def test_sympy_files_with_words_of_python_and_sympy(word, kind):
    """The file defines the same matrices as a model whose symbols have plain names."""
    m = sb.Model("m")
    q, p = (
        (m.coordinate(word), m.parameter("length", 2))
        if kind == "coordinate"
        else (m.coordinate("q"), m.parameter(word, 2))
    )
    bob = m.body("bob", m.ground.rotate("z", q).translate(0, p / 3, 0).rotate("x", q), mass=3, inertia=(1, 2, 3))
    m.force("push", bob, sb.sin(q) * m.ground.x)
    eq = sb.derive(m)
    (text,) = sb.write.equations_files(eq, "sympy", {}).values()
    space: dict[str, Any] = {}
    exec(text, space)
    expected = sb.to_sympy(eq.M, expand=True)
    (made,) = space["written_out"]("mass_matrix")
    made = made.xreplace(space["OF_TIME"])
    assert (made - expected).applyfunc(lambda e: e.simplify()).is_zero_matrix


def test_sympy_files_keep_fractions():
    x = sb.symbol("x")
    space: dict[str, Any] = {}
    exec(sb.algebra.sympy_source({"y": x ** sb.fraction(1, 3) + sb.fraction(1, 7)}), space)
    assert str(space["y"][0]) == "x**(1/3) + 1/7"


@pytest.mark.parametrize("word", ["len", "float", "ValueError", "TypeError", "lambda", "self", "explain__", "buffers__", "input__", "output__", "self__", "None", "x__", "np"])  # fmt: skip
def test_input_groups_with_words_of_python(word):
    """Compiled, and as NumPy: the same numbers as under a plain name, and bad arguments are told."""
    a, b, c = sb.symbols("a b c")
    outputs = {"sum": a + b * c, "both": [a, b * sb.sin(c)]}
    for inputs in ({word: [a, b], f"{word[:60]}_": c}, {"plain": [a, b], word: c}):
        f = sb.compile(sb.program("f", inputs, outputs))
        assert f([1, 2], 3)[0] == 7
        assert f([1, 2], 3)[1].tolist() == sb.emit.numpy_function(f.program)([1, 2], 3)[1].tolist()
        with pytest.raises(sb.errors.ProgramError, match="shape"):
            f([1, 2, 3], 3)


class Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.seen: list[str] = []

    def handle_starttag(self, tag, attributes):
        self.seen.append(tag)
        assert not any(k.startswith("on") for k, _ in attributes)


def tags(page: str) -> list[str]:
    found = Tags()
    found.feed(page)
    return found.seen


@pytest.mark.parametrize("name", [n for n in PRINTABLE if FULL or set(n) & set("<>&\"'")])
def test_pages_have_the_same_elements_whatever_the_names(name):
    def pages(m: sb.Model) -> list[str]:
        eq = sb.derive(m)
        return [eq._repr_html_(), m.freeze()._repr_html_(), sb.scene(eq).html()]

    assert [tags(p) for p in pages(two_links(name, name))] == [tags(p) for p in pages(two_links())]


@pytest.mark.parametrize("name", [n for n in PRINTABLE if FULL or set(n) & set("$\\")])
def test_dollar_signs_in_figures_are_text(name):
    """The text that is drawn is the text given; malformed mathematics is no error."""
    from symbody.view.figures.figure import Curve, Figure, Panel

    panel = Panel(
        name,
        name,
        (
            Curve(np.arange(2.0), np.array([0.0, 1.0]), name),
            Curve(np.arange(2.0), np.array([1.0, 0.0]), f"other {name}"),
        ),
    )
    drawn = Figure(name, (panel,)).draw()
    assert drawn._suptitle.get_text().replace("\\$", "$") == name
    assert "<svg" in Figure(name, (panel,)).svg()
    assert typeset(f"the {name}").replace("\\$", "$") == f"the {name}"  # alone, "-o" is a formula


def test_a_report_of_a_model_with_a_bad_name(tmp_path):
    """Whole, with every part, and the commands in it are safe to copy."""
    text = "symbody: 1\nname: '$\\frac{$ </title><script>owned</script>'\nbodies: {'$x': {mass: 1, com: [1, 0, 0], inertia: [1, 1, 1]}}\n"
    text += "joints: {'$h': {revolute: [ground, '$x'], coordinates: q}}\ngravity: [0, -9.81, 0]\nsimulate: {t: 0.1}\n"
    path = tmp_path / "a; touch owned $(touch owned).yaml"
    path.write_text(text, encoding="utf-8")
    written = sb.write.write_report(Study(find_model(str(path)), {}), tmp_path / "out")
    assert not written.missing
    page = written.path.read_text(encoding="utf-8")
    assert "<script>owned" not in page
    assert f"symbody check '{path}'" in page.replace("&#x27;", "'")


# --------------------------------------------------------------------------------------------- the functions themselves


@pytest.mark.parametrize("text", [*PRINTABLE, *UNPRINTABLE, '"', "\\", '\\"', '""""""'])
def test_literals_of_python_are_read_back(text):
    assert ast.literal_eval(escaping.as_python_literal(text)) == text


@pytest.mark.parametrize("text", [*PRINTABLE, *UNPRINTABLE])
def test_words_of_a_shell_are_one_word(text):
    done = subprocess.run(["sh", "-c", f"printf %s {escaping.in_shell(text)}"], capture_output=True, check=True)
    assert done.stdout.decode() == escaping.in_one_line(text)


@pytest.mark.parametrize("text", [*PRINTABLE, *UNPRINTABLE])
def test_terminals_get_no_control_character(text):
    assert all(c == "\n" or c.isprintable() for c in escaping.in_terminal(text))
    assert escaping.in_one_line(text).isprintable()
    assert "*/" not in escaping.in_block_comment(text)


@pytest.mark.skipif(not shutil.which("pdflatex"), reason="no LaTeX here")
def test_latex_reads_names(tmp_path):
    body = "\n\n".join(map(escaping.in_latex, [p for p in PRINTABLE if p.isascii()]))
    (tmp_path / "a.tex").write_text(f"\\documentclass{{article}}\\begin{{document}}{body}\\end{{document}}")
    subprocess.run(["pdflatex", "-halt-on-error", "a.tex"], cwd=tmp_path, check=True, capture_output=True)
    assert (tmp_path / "a.pdf").stat().st_size > 0


def test_latex_has_no_active_character_left():
    for text in PRINTABLE:
        rest = re.sub(r"\\(textbackslash|textasciicircum|textasciitilde)\{\}|\\[{}$&#%_]", "", escaping.in_latex(text))
        assert not set(rest) & set("\\{}$&#%_^~")
