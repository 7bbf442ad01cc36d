"""Models as functions of MATLAB and Octave: m-files and the mex function give the same numbers, and ode45 the reference
motion."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import symbody as sb
from tests.installed import good, installed, make_check

from .hostile_model import hostile
from .models import SAMPLES, crank, operations, pendulums


def checked(folder: Path) -> subprocess.CompletedProcess[str]:
    installed("octave", "octave")
    installed("mkoctfile", "octave-dev")
    return make_check(folder, "MKOCTFILE=CFLAGS=-O0 mkoctfile")


def assert_good(folder: Path) -> str:
    return good(checked(folder))


def test_constraints_inputs_samples_and_functions_you_supply(tmp_path: Path) -> None:
    eq, laws = crank(), {"motor": SAMPLES}
    start = sb.assemble(eq, a=0.4, a_dot=1.0, inputs=laws)
    folder = sb.write.matlab(
        eq, tmp_path, functions=("core", "sparse", "rhs_along", "variational"), start=start, inputs=laws, reference=0.05
    )
    (folder / "damper_force.m").write_text("function f = damper_force(v)\n    f = v + v^3;\nend\n")
    (folder / "damper_slope.m").write_text("function f = damper_slope(v)\n    f = 1 + 3 * v^2;\nend\n")
    said = assert_good(folder)
    for name in (
        "rhs",
        "rhs by mex",
        "ode file",
        "project",
        "project by mex",
        "variational_jacobian",
        "motion",
        "motion by ode45",
    ):
        assert re.search(rf"^{name} +good", said, re.MULTILINE), name


def test_every_operation(tmp_path: Path) -> None:
    folder = sb.write.matlab(operations(), tmp_path / "a", functions=["outputs", "outputs_along"], reference=None)
    (folder / "tyre.m").write_text("function f = tyre(a, b)\n    f = a * b;\nend\n")
    assert_good(folder)


def test_higher_variations(tmp_path: Path) -> None:
    assert_good(
        sb.write.matlab(
            pendulums(), tmp_path, functions=["rhs", "variational", "higher"], start={"q1": 0.5}, reference=0.1
        )
    )


def test_hostile_names(tmp_path: Path) -> None:
    assert "motion" in assert_good(
        sb.write.matlab(hostile(), tmp_path, functions=("rhs", "outputs"), start={"h": 0.1}, reference=0.02)
    )


def test_wrong_code_is_found(tmp_path: Path) -> None:
    folder = sb.write.matlab(pendulums(), tmp_path, functions=["rhs"], start={"q1": 0.5}, reference=0.1)
    path = folder / "pendulums_rhs.m"
    path.write_text(path.read_text().replace("sin(", "cos(", 1))
    done = checked(folder)
    assert done.returncode != 0
    assert re.search(r"^rhs +WRONG", done.stdout, re.MULTILINE)
    assert re.search(r"^rhs by mex +good", done.stdout, re.MULTILINE)
