"""Target languages as folders: how each is linted and checked. A new language joins the contract by a row of `FOLDERS`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import symbody as sb
from tests.installed import good, installed, run_in
from tests.write.hostile_model import hostile
from tests.write.models import WRONG_STEP, operations, pendulums, top

STRICT_C = "gcc -std=c99 -Wall -Wextra -Wshadow -Wno-unused-function -Werror -fsyntax-only"
STRICT_RUST = "rustc --edition 2021 -D warnings --emit=metadata"
STRICT_FORTRAN = "gfortran -std=f2008 -Wall -Wextra -Wno-unused-dummy-argument -Wno-compare-reals -Werror -fsyntax-only"
PARSED_BY_OCTAVE = "octave-cli --quiet --eval __parse_file__('{file}')"
COMPILED = f"{sys.executable} -m py_compile"


@dataclass(frozen=True)
class Folder:
    """A language: the programs that it needs with their Debian packages, commands that lint a folder with `{name}` for
    the name of the model (and `{file}` for each file of a pattern), the command that checks it, and the file that steps.
    """

    programs: Mapping[str, str]
    lint: tuple[str, ...]
    check: str
    steps_in: str
    files: str = ""


FOLDERS: dict[str, Folder] = {
    "c": Folder({"gcc": "gcc"}, (f"{STRICT_C} {{name}}.c {{name}}_driver.c",), "make -s check", "{name}_driver.c"),
    "fortran": Folder(
        {"gfortran": "gfortran"}, (f"{STRICT_FORTRAN} {{name}}_options.f90 {{name}}.f90 {{name}}_driver.f90",), "make -s check", "{name}_driver.f90"
    ),
    "rust": Folder(
        {"rustc": "rustc"},
        (f"{STRICT_RUST} --crate-type rlib --crate-name {{name}} src/lib.rs", f"{STRICT_RUST} --extern {{name}}=lib{{name}}.rmeta examples/check.rs"),
        "make -s check", "examples/check.rs",
    ),
    "javascript": Folder({"node": "nodejs"}, ("node --check {name}.js", "node --check {name}_check.js"), "node {name}_check.js", "{name}_check.js"),
    "matlab": Folder({"octave-cli": "octave"}, (PARSED_BY_OCTAVE,), "make -s check", "{name}_check.m", "*.m"),
    "simulink": Folder(
        {"gcc": "gcc"}, (f"{STRICT_C} -DMATLAB_MEX_FILE -I stand_in {{name}}_sfun_check.c {{name}}_sfun.c",), "make -s check", "{name}_sfun_check.c"
    ),
    "scilab": Folder({"gcc": "gcc"}, (f"{STRICT_C} {{name}}_scilab.c",), "make -s check", "{name}_check.sce"),
    "auto": Folder({"gfortran": "gfortran"}, ("gfortran -fsyntax-only {name}.f90 {name}_driver.f90",), "make -s check", "{name}_driver.f90"),
    "numpy": Folder({}, (f"{COMPILED} {{name}}_numpy.py {{name}}_check.py",), f"{sys.executable} {{name}}_check.py", "{name}_check.py"),
    "jax": Folder({}, (f"{COMPILED} {{name}}_jax.py {{name}}_check.py",), f"{sys.executable} {{name}}_check.py", "{name}_check.py"),
    "casadi": Folder({}, (f"{COMPILED} {{name}}_casadi.py {{name}}_check.py",), f"{sys.executable} {{name}}_check.py", "{name}_check.py"),
    "torch": Folder({}, (f"{COMPILED} {{name}}_torch.py {{name}}_check.py",), f"{sys.executable} {{name}}_check.py", "{name}_check.py"),
    "sympy": Folder({}, (f"{COMPILED} {{name}}_sympy.py {{name}}_check.py",), f"{sys.executable} {{name}}_check.py", "{name}_check.py"),
    "modelica": Folder({}, (f"{COMPILED} {{name}}_check.py",), f"{sys.executable} {{name}}_check.py", ""),
}  # fmt: skip
"""Those that are folders of text; what each does beyond the contract is in tests/write/test_export_*.py."""

MODELS: dict[str, tuple[Callable[[], sb.Equations], dict[str, Any]]] = {
    "constraints": (top, {"start": {"ball_wx": 1.0}, "reference": 0.1}),
    "everything of a small model": (pendulums, {"functions": "all", "start": {"q1": 0.5}, "reference": 0.1}),
    "every operation": (lambda: operations(with_external=False), {"reference": None}),
    "hostile names": (hostile, {"functions": ("rhs", "outputs"), "start": {"h": 0.1}, "reference": 0.02}),
}


def commands(folder: Path, name: str, pattern: str, texts: tuple[str, ...]) -> list[list[str]]:
    files = [f.name for f in sorted(folder.glob(pattern))] if pattern else [""]
    return [text.format(name=name, file=file).split(" ") for text in texts for file in files]


def lint(language: Folder, folder: Path, name: str) -> None:
    """Tools of the language find nothing in a folder."""
    for program, package in language.programs.items():
        installed(program, package)
    for command in commands(folder, name, language.files, language.lint):
        done = run_in(folder, command)
        assert done.returncode == 0, f"{' '.join(command)}\n{done.stdout}{done.stderr}"


def holds(to: str, language: Folder, model: str, folder: Path) -> None:
    """A model is written, linted, and checks itself."""
    equations, options = MODELS[model]
    sb.write.export(equations(), to, folder, **options)
    name = sb.write.artefact(equations(), sb.write.ExportOptions(("rhs",), reference=None)).identifier
    lint(language, folder, name)
    (command,) = commands(folder, name, "", (language.check,))
    good(run_in(folder, command))


def finds_a_wrong_step(to: str, language: Folder, folder: Path) -> None:
    """A weight of the step that is planted makes the check fail: it steps, and by this text."""
    sb.write.export(pendulums(), to, folder, functions=["rhs"], start={"q1": 0.5}, reference=0.1)
    path = folder / language.steps_in.format(name="pendulums")
    text = path.read_text(encoding="utf-8")
    assert WRONG_STEP[0] in text
    path.write_text(text.replace(*WRONG_STEP), encoding="utf-8")
    (command,) = commands(folder, "pendulums", "", (language.check,))
    done = run_in(folder, command)
    assert done.returncode != 0
    assert "WRONG" in done.stdout
