"""Models as functions of Scilab around the C library: each folder checks itself by Scilab, its own integrator
included."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

import symbody as sb
from tests.contracts.targets import c_compiler
from tests.installed import good, make_check

from .hostile_model import hostile
from .models import SAMPLES, crank, pendulums

STRICT = "-std=c99 -O0 -Wall -Wextra -pedantic -Werror"


def checked(folder: Path) -> subprocess.CompletedProcess[str]:
    c_compiler()
    if shutil.which("scilab-cli") is None:
        pytest.skip("Scilab is not installed (Debian package scilab-cli)")
    return make_check(folder, f"CFLAGS={STRICT}")


def assert_good(folder: Path) -> str:
    return good(checked(folder))


def test_everything(tmp_path: Path) -> None:
    """Constraints, inputs with rates, samples, external functions, derivatives as matrices and compressed, variations,
    events; a motion by ode."""
    eq, laws = crank(), {"motor": SAMPLES}
    start = sb.assemble(eq, a=0.4, a_dot=1.0, inputs=laws)
    groups = ("core", "reactions", "implicit", "derivatives", "sparse", "products", "variational")
    folder = sb.write.scilab(
        eq, tmp_path, functions=groups, start=start, inputs=laws, events={"end": "s"}, reference=0.1
    )
    said = assert_good(folder)
    for name in ["rhs", "rhs_x", "project", "events", "rhs_adjoint", "variational_residual", "motion", "motion by ode"]:
        assert re.search(rf"^{name} +good", said, re.MULTILINE), name


def test_hostile_names(tmp_path: Path) -> None:
    folder = sb.write.scilab(hostile(), tmp_path, functions=("rhs", "outputs"), start={"h": 0.1}, reference=0.02)
    assert "motion by ode" in assert_good(folder)


def test_wrong_code_is_found(tmp_path: Path) -> None:
    folder = sb.write.scilab(pendulums(), tmp_path, functions=["rhs", "rhs_x"], start={"q1": 0.5}, reference=None)
    path = folder / "pendulums.sci"
    text = path.read_text()
    at = text.index("out_0 = out_0.'", text.index("function [out_0] = pendulums_rhs_x("))
    path.write_text(text[:at] + text[at:].replace("out_0.'", "out_0", 1))  # the transposed Jacobian
    done = checked(folder)
    assert done.returncode != 0
    assert re.search(r"^rhs_x +WRONG", done.stdout, re.MULTILINE)
