"""Models as Fortran modules: each folder builds without warnings by gfortran, with all checks of the compiler, and
checks itself."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

import symbody as sb
from tests.installed import good, installed, make_check

from .hostile_model import hostile
from .models import SAMPLES, WRONG_STEP, crank, operations, pendulums, top

STRICT = "-O0 -std=f2008 -Wall -Wextra -pedantic -Werror -Wno-unused-dummy-argument -Wno-compare-reals -fcheck=all"


def checked(folder: Path, flags: str = STRICT) -> subprocess.CompletedProcess[str]:
    installed("gfortran", "gfortran")
    return make_check(folder, f"FFLAGS={flags}")


def assert_good(folder: Path) -> str:
    return good(checked(folder))


def test_constraints_inputs_samples_and_functions_in_c(tmp_path: Path) -> None:
    eq, laws = crank(), {"motor": SAMPLES}
    start = sb.assemble(eq, a=0.4, a_dot=1.0, inputs=laws)
    groups = ("core", "reactions", "implicit", "sparse", "products", "variational")
    said = assert_good(
        sb.write.fortran(eq, tmp_path, functions=groups, start=start, inputs=laws, events={"end": "s"}, reference=0.1)
    )
    for name in "rhs project multipliers events rhs_adjoint variational_jacobian variational_residual motion".split():
        assert re.search(rf"^ *{name} +good", said, re.MULTILINE), name


def test_higher_variations(tmp_path: Path) -> None:
    assert_good(sb.write.fortran(pendulums(), tmp_path, functions="all", start={"q1": 0.5}, reference=0.1))


def test_long_arrays(tmp_path: Path) -> None:
    """Statements have at most 255 lines: third variations of seven states have 2800 numbers."""
    assert_good(sb.write.fortran(top(), tmp_path, functions=["variational", "higher"], reference=None))


def test_every_operation(tmp_path: Path) -> None:
    """All functions of mathematics, choices, comparisons and powers, as outputs of a model."""
    assert_good(sb.write.fortran(operations(), tmp_path, functions=["outputs", "outputs_along"], reference=None))


def test_hostile_names(tmp_path: Path) -> None:
    folder = sb.write.fortran(hostile(), tmp_path, functions=("rhs", "outputs"), start={"h": 0.1}, reference=0.02)
    assert "motion" in assert_good(folder)


@pytest.mark.parametrize("planted", ["pendulums.f90", "pendulums_driver.f90"])
def test_wrong_code_is_found(planted: str, tmp_path: Path) -> None:
    folder = sb.write.fortran(pendulums(), tmp_path, functions=["rhs"], start={"q1": 0.5}, reference=0.1)
    text = (folder / planted).read_text()
    old, new = ("sin(", "cos(") if planted == "pendulums.f90" else WRONG_STEP
    assert old in text
    (folder / planted).write_text(text.replace(old, new, 1))
    done = checked(folder)
    assert done.returncode == 1 or "Error 1" in done.stderr
    assert "WRONG" in done.stdout


def test_arguments_are_looked_at(tmp_path: Path) -> None:
    """A number that is not finite gives status 3; with the option off it is not noticed."""
    folder = sb.write.fortran(pendulums(), tmp_path, functions=["rhs"], reference=None)
    (folder / "pendulums_driver.f90").write_text(
        "program d\n use pendulums\n real(wp) :: t, x(4), r(0), xdot(4)\n type(pendulums_parameters) :: p\n integer :: s\n"
        " call pendulums_initial_state(t, x, r)\n t = -1\n x(2) = sqrt(t)\n"
        " call pendulums_rhs(1.0_wp, x, r, p, xdot, s)\n print *, s\nend program\n"
    )  # fmt: skip
    assert checked(folder, "-O0").stdout.split() == ["3"]
    path = folder / "pendulums_options.f90"
    path.write_text(path.read_text().replace(".true.", ".false."))
    assert checked(folder, "-O0").stdout.split() == ["0"]
