"""Long names and reserved words in every target language: shortened, told apart, and accepted by the language's tools."""

from __future__ import annotations

import keyword
import re

import pytest

import symbody as sb
from symbody.algebra.printing import target_names
from symbody.write.targets.fortran.fortran_target import with_short_identifier
from tests.contracts.folders import FOLDERS, lint

LONG = "n" * 80
LONGEST = {"fortran": 63, "auto": 63, "matlab": 63}  # characters of a name that a language allows
COMMENT_OR_TEXT = {
    "fortran": r"'[^'\n]*'|\"[^\"\n]*\"|!.*",
    "auto": r"'[^'\n]*'|\"[^\"\n]*\"|!.*",
    "matlab": r"'[^'\n]*'|\"[^\"\n]*\"|%.*",
}
WORDS = {
    "c": target_names._C_WORDS | target_names._C_MATH | target_names._C_LIBRARY,
    "fortran": target_names._FORTRAN,
    "matlab": target_names._MATLAB,
    "javascript": target_names._JAVASCRIPT,
    "rust": target_names._RUST,
    "numpy": frozenset(keyword.kwlist) | {"np", "print", "len"},
}


def long_names() -> sb.Equations:
    m = sb.Model(f"model {LONG}")
    upper = m.body(f"upper {LONG}", mass=m.parameter(f"m_{LONG}_1", 1.0), com=(0.1, -1, 0.2), inertia=(1, 1, 1))
    lower = m.body(f"lower {LONG}", mass=m.parameter(f"m_{LONG}_2", 2.0), com=(0.1, -1, 0.2), inertia=(1, 2, 2))
    m.revolute("a", m.ground, upper, coordinates=f"q_{LONG}_1")
    m.revolute("b", upper, lower, at=(0, -1, 0), axis="x", coordinates=f"q_{LONG}_2")
    m.gravity(0, -9.81, 0)
    for k, body in enumerate((upper, lower)):
        m.output(f"out {LONG}{LONG} {k}", body.mass_centre.position().dot(m.ground.x))
    return sb.derive(m)


@pytest.fixture(scope="module")
def equations() -> sb.Equations:
    return long_names()


@pytest.mark.parametrize("to", LONGEST)
def test_names_are_as_long_as_the_language_allows(to, equations, tmp_path):
    """With all functions, whose names are the longest."""
    options = {} if to == "auto" else {"functions": "all"}
    sb.write.export(equations, to, tmp_path, **options)
    for path in (*tmp_path.rglob("*.f90"), *tmp_path.rglob("*.m")):
        code = re.sub(COMMENT_OR_TEXT[to], "", path.read_text(encoding="utf-8"))
        assert [w for w in re.findall(r"[A-Za-z_]\w*", code) if len(w) > LONGEST[to]] == [], path.name
        assert len(path.stem) <= LONGEST[to]


@pytest.mark.parametrize("to", ["c", "fortran", "rust", "javascript", "numpy", "sympy"])
def test_long_names_are_linted(to, equations, tmp_path):
    sb.write.export(equations, to, tmp_path, functions=("rhs", "outputs"), reference=None)
    made = sb.write.artefact(equations, sb.write.ExportOptions(("rhs",), reference=None))
    lint(FOLDERS[to], tmp_path, (with_short_identifier(made) if to == "fortran" else made).identifier)


@pytest.mark.parametrize("to", WORDS)
def test_reserved_words_are_names(to, tmp_path):
    """Every word of a language as the name of a variable and, in capitals, of a parameter."""
    words = sorted(w for w in WORDS[to] if re.fullmatch(r"[A-Za-z_]\w*", w) and w not in ("t", "pi"))
    variables, numbers = [sb.symbol(w, "variable") for w in words], [sb.symbol(f"{w.upper()}_") for w in words]
    rates = {x: -p * y for x, y, p in zip(variables, [*variables[1:], variables[0]], numbers, strict=True)}
    eq = sb.from_equations(rates, dict.fromkeys(numbers, 1.0), name="words")
    sb.write.export(eq, to, tmp_path, functions=("rhs",), reference=None)
    lint(FOLDERS[to], tmp_path, "words")


@pytest.mark.parametrize("letters", [80, 700, 950])
@pytest.mark.parametrize("text", ["{}", "<b onload='x'>{}</b>", "{}: [a, 'b']"])
def test_models_with_long_names_are_read_again(letters, text, tmp_path):
    """Names of outputs are any text, and stand in YAML over several lines."""
    name = text.format("n" * letters)
    m = sb.Model("long")
    body = m.body("b", mass=1.0, com=(0, -1, 0))
    m.revolute("q", m.ground, body)
    m.output(name, body.mass_centre.position().dot(m.ground.x))
    sb.write_model(m, tmp_path / "long.yaml")
    again = sb.study.find_model(str(tmp_path / "long.yaml")).model
    assert isinstance(again, sb.Model)
    assert list(again.parts.outputs) == [name]
