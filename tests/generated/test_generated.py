"""Generated code, committed and compared: a change that is meant to leave behaviour alone leaves these files alone.

`pytest --update` rewrites them; the difference then shows what a change does to generated code.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from symbody.emit.programs.program import Program
from symbody.emit.text.numpy_text import numpy_source
from symbody.write.targets.c.c_printer import c_source

from ..contracts.targets import WARNINGS, c_compiler, numpy_scalar
from .models import MODELS

HERE = Path(__file__).parent
Model = Callable[[], Program]


def texts(program: Program) -> dict[str, str]:
    """Generated files by name. (The ending .txt keeps formatters away from Python text that is not written by hand.)"""
    c = c_source(program)
    return {f"{c.name}.h": c.header, f"{c.name}.c": c.source, f"{program.name}.py.txt": numpy_source(program)}


@pytest.mark.parametrize("model", MODELS, ids=lambda m: m.__name__)
def test_generated_code_is_what_is_committed(model: Model, update: bool) -> None:
    for name, text in texts(model()).items():
        path = HERE / name
        if update:
            path.write_bytes(text.encode("utf-8"))
        assert path.exists(), f"{name} is not there; `pytest --update` writes it"
        assert path.read_bytes() == text.encode("utf-8"), f"{name} differs; `pytest --update` rewrites it"


def test_nothing_else_is_committed() -> None:
    """Files of models that are gone would never be compared."""
    wanted = {name for model in MODELS for name in texts(model())}
    assert {p.name for p in HERE.iterdir() if p.suffix in (".c", ".h", ".txt")} == wanted


def compiled(compiler: list[str], source: str, tmp_path: Path) -> Path:
    """Object file of a committed file; fails on any warning."""
    made = tmp_path / "made.o"
    command = [*compiler, *WARNINGS, "-O2", "-c", str(HERE / source), "-o", str(made)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return made


SOURCES = [f"{model().name}.c" for model in MODELS]


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("standard", ["c99", "c11", "gnu17"])
def test_c_compiles_without_warnings(source: str, standard: str, tmp_path: Path) -> None:
    compiled([c_compiler(), f"-std={standard}"], source, tmp_path)


@pytest.mark.parametrize("source", SOURCES)
def test_c_compiles_as_cpp(source: str, tmp_path: Path) -> None:
    if (compiler := shutil.which("g++")) is None:
        pytest.skip("g++ is not installed")
    compiled([compiler, "-x", "c++"], source, tmp_path)


@pytest.mark.parametrize("source", SOURCES)
def test_c_has_no_state_and_allocates_nothing(source: str, tmp_path: Path) -> None:
    """The object file defines functions and constants only, and calls nothing but mathematics."""
    if (nm := shutil.which("nm")) is None:
        pytest.skip("nm is not installed")
    made = compiled([c_compiler(), "-std=c99"], source, tmp_path)
    listing = subprocess.run([nm, str(made)], capture_output=True, text=True, check=True).stdout
    kinds = {name: kind for kind, name in re.findall(r"([A-Za-z]) (\S+)$", listing, flags=re.M)}
    assert set(kinds.values()) <= set("TtrRU")
    allowed = {"sin", "cos", "sincos", "sqrt", "wind", "_GLOBAL_OFFSET_TABLE_", "__stack_chk_fail"}
    assert {name for name, kind in kinds.items() if kind == "U"} <= allowed


def test_numpy_text_stands_alone() -> None:
    """The committed text defines a function that works, with nothing but NumPy around it."""
    program = MODELS[0]()
    space: dict[str, object] = {}
    exec((HERE / f"{program.name}.py.txt").read_text(encoding="utf-8"), space)
    state = [0.5, np.array([0.3, -0.4]), np.array([1.0, 2.0]), np.array([1.0, 2.0, 0.5, 0.7, 9.81])]
    got = space[program.name](*state)  # type: ignore[operator]
    for a, b in zip(got, numpy_scalar(program, [state]), strict=True):
        np.testing.assert_array_equal(a, b[0])


def test_header_tells_what_a_user_must_know() -> None:
    header = (HERE / "constrained.h").read_text(encoding="utf-8")
    assert str(MODELS[1]().cost) in header
    for words in ("q[1] = y, coordinate", "p[2] = load, parameter", "J[0] = entry (0, 1)", "double wind(double);"):
        assert words in header


def test_named_intermediates_survive() -> None:
    source = (HERE / "double_pendulum.c").read_text(encoding="utf-8")
    for name in ("coupling", "swing", "I1", "I2", "weight1", "weight2"):
        assert f"const double {name} = " in source
