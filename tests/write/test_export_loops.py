"""Equal links in other languages: a function for each type of link, loops over tables, and the numbers of the graph."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import symbody as sb
from examples import four_bars
from symbody.derivation.routes import repeated_equations
from symbody.write.printers import flat_text
from tests.amount import some
from tests.contracts.targets import c_compiler
from tests.installed import good, installed, make_check, run_in
from tests.linked_trees import (
    chain_of_rods,
    chain_with_laws,
    random_tree,
    scissor,
    scissor_start,
    take_loops,
    take_loops_with_constraints,
)

FUNCTIONS = ("rhs", "rhs_x", "rhs_along")  # steps, steps that are repeated for columns, and steps for tangents


def built_by_cc(folder: Path) -> str:
    c_compiler()
    return good(make_check(folder, "CC=gcc", "CFLAGS=-std=c99 -Wall -Wextra -pedantic -Wshadow -Werror -O0"))


def built_by_rustc(folder: Path) -> str:
    installed("rustc", "rustc")
    return good(make_check(folder, "RUSTFLAGS=-D warnings -C opt-level=0"))


def run_by_node(folder: Path) -> str:
    return good(run_in(folder, [installed("node", "nodejs"), next(folder.glob("*_check.js")).name]))


def run_by_python(folder: Path) -> str:
    return good(run_in(folder, [sys.executable, next(folder.glob("*_check.py")).name]))


def built_by_gfortran(folder: Path) -> str:
    installed("gfortran", "gfortran")
    return good(make_check(folder, "FFLAGS=-std=f2008 -Wall -Wextra -Wno-unused-dummy-argument -Werror -O0"))


def run_by_octave(folder: Path) -> str:
    octave = installed("octave", "octave")
    return good(run_in(folder, [octave, "--no-gui", "--quiet", next(folder.glob("*_check.m")).name]))


@pytest.mark.parametrize("seed", some((13, 5, 8), 3))  # of 13 a link has two children
@pytest.mark.parametrize(
    ("language", "check"),
    [
        ("c", built_by_cc),
        ("rust", built_by_rustc),
        ("javascript", run_by_node),
        ("numpy", run_by_python),
        ("fortran", built_by_gfortran),
        ("matlab", run_by_octave),
    ],
)
def test_loops_of_every_language_agree(
    language: str, check: Callable[[Path], str], seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Random trees with springs, inputs, shared and own parameters: every function is good, and consists of steps."""
    take_loops(monkeypatch)
    folder = sb.write.export(
        sb.derive(random_tree(seed, 4)), language, tmp_path, functions=FUNCTIONS, reference=None, name="tree"
    )
    said = check(folder)
    for name in FUNCTIONS:
        assert re.search(rf"^ *{name} +good", said, re.MULTILINE), name
    text = "".join(p.read_text() for p in folder.rglob("*") if p.suffix in (".c", ".rs", ".js", ".py", ".f90", ".m"))
    step = r"{0}_loop(_some)?\(w.*case 1\b" if language == "matlab" else r"{0}_loop_step_2\b"
    assert all(re.search(step.format(name), text, re.DOTALL) for name in FUNCTIONS)


@pytest.mark.parametrize(
    ("language", "check"),
    [("javascript", run_by_node), ("numpy", run_by_python), ("fortran", built_by_gfortran), ("matlab", run_by_octave)],
)
def test_tables_of_links(
    language: str, check: Callable[[Path], str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Torques on links by tables that their module has."""
    take_loops(monkeypatch)
    law = sb.integrate.interpolation("law", [-4, -2, 0, 1, 4], [3, 1.0, 0.3, -1.0, -4], "cubic")
    eq = sb.derive(chain_with_laws([law, sb.sin]))
    said = check(sb.write.export(eq, language, tmp_path, functions=FUNCTIONS, reference=None, name="tree"))
    for name in FUNCTIONS:
        assert re.search(rf"^ *{name} +good", said, re.MULTILINE), name


@pytest.mark.parametrize(("language", "check"), [("c", built_by_cc), ("fortran", built_by_gfortran)])
def test_source_of_functions_of_links(
    language: str, check: Callable[[Path], str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Torques by a function that is given in C."""
    take_loops(monkeypatch)
    source = "double soft(double x) { return -x * x * x; }"
    soft = sb.algebra.ExternalFunction("soft", 1, [lambda x: -3 * x * x], python=lambda x: -(x**3), c=source)
    eq = sb.derive(chain_with_laws([soft]))
    said = check(sb.write.export(eq, language, tmp_path, functions=FUNCTIONS, reference=None, name="tree"))
    assert re.search(r"^ *rhs +good", said, re.MULTILINE)


@pytest.mark.parametrize(("language", "check"), [("numpy", run_by_python), ("fortran", built_by_gfortran)])
def test_closed_chains_agree(
    language: str, check: Callable[[Path], str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two four-bars: accelerations by loops over trees and constraints."""
    monkeypatch.setattr(repeated_equations, "MIN_TREES", 1)
    monkeypatch.setattr(repeated_equations, "MIN_COPIES", 0)
    eq = sb.derive(four_bars.model(2))
    folder = sb.write.export(
        eq, language, tmp_path, functions=FUNCTIONS, start=four_bars.start(2), reference=None, name="row"
    )
    said = check(folder)
    text = "".join(p.read_text() for p in folder.iterdir() if p.suffix in (".py", ".f90"))
    for name in FUNCTIONS:
        assert re.search(rf"^ *{name} +good", said, re.MULTILINE), name
        assert f"{name}_loop_step_2" in text


def test_chains_of_loops_agree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A scissor lift of three stages: accelerations by loops over its links."""
    take_loops_with_constraints(monkeypatch)
    folder = sb.write.export(
        sb.derive(scissor(3)),
        "numpy",
        tmp_path,
        functions=FUNCTIONS,
        start=scissor_start(3),
        reference=None,
        name="lift",
    )
    said = run_by_python(folder)
    text = "".join(p.read_text() for p in folder.glob("*.py"))
    for name in FUNCTIONS:
        assert re.search(rf"^ *{name} +good", said, re.MULTILINE), name
        assert f"{name}_loop_step_2" in text


def test_text_of_loops_has_a_function_for_each_type_of_link(tmp_path: Path) -> None:
    """Of 120 links as of 60: the same functions, longer tables; what has numbers for each pair is named in a note."""
    texts = []
    for n, functions in ((60, ["rhs"]), (120, ["core", "derivatives"])):
        folder = sb.write.c(chain_of_rods(n), tmp_path / str(n), functions=functions, reference=None)
        text = (folder / "chain.c").read_text()
        texts.append(re.findall(r"SYMBODY_PIECE void chain_rhs_loop_step_\d+", text))
    assert texts[0] == texts[1]
    assert len(texts[0]) <= 12
    note = (tmp_path / "120" / "README.md").read_text()
    assert re.search("mass.*linear.*left out: the mechanism has 120 speeds", note)


def test_c_source_of_loops(tmp_path: Path) -> None:
    """A program by itself, as C++ too, and on many threads: the memory of loops is one for each."""
    c_compiler()
    f = sb.compile(chain_of_rods(45)).udot
    source = sb.c_source(f.program)
    source.write(tmp_path)
    main = """
#include <stdio.h>
#include "udot.h"
int main(void)
{
    double q[45], u[45], a[45], p[1] = {0.0};
    (void)p;
    for (int k = 0; k < 45; k++) {
        q[k] = 0.01 * k;
        u[k] = 0.1;
    }
    udot(0.0, q, u, a);
    printf("%.17g\\n", a[7]);
    return 0;
}
"""
    (tmp_path / "main.c").write_text(main)
    for compiler in (["gcc", "-std=c99"], ["g++"]):
        strict = ["-Wall", "-Wextra", "-pedantic", "-Werror", "-O0"]
        made = run_in(tmp_path, [*compiler, *strict, "main.c", "udot.c", "-o", "main", "-lm"])
        assert not made.returncode, made.stderr
        said = run_in(tmp_path, ["./main"]).stdout
        found = f(0.0, 0.01 * np.arange(45), np.full(45, 0.1))
        assert abs(float(said) - found[7]) <= 1e-11 * np.abs(found).max()


def test_targets_without_loops_write_them_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """CasADi's text has no schedules, and the same function."""
    take_loops(monkeypatch)
    folder = sb.write.export(
        sb.derive(random_tree(1, 3)), "casadi", tmp_path, functions=["rhs"], reference=None, name="tree"
    )
    text = (folder / "tree_casadi.py").read_text()
    assert "loop" not in text
    assert "def rhs(" in text


@pytest.mark.parametrize("language", ["jax", "casadi", "modelica"])
def test_very_long_text_is_refused(language: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(flat_text, "MOST_WRITTEN_OUT", 3000)
    with pytest.raises(sb.errors.ProgramError, match=r"operations, of which at most 3000.*C, Rust, JavaScript, NumPy"):
        sb.write.export(
            chain_of_rods(60),
            language,
            tmp_path,
            reference=None,
            **({} if language == "modelica" else {"functions": ["rhs"]}),
        )
