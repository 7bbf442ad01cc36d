"""Models as equations files of AUTO-07p: their functions are checked by a driver; AUTO itself finds bifurcations, where
AUTO_DIR names it."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import numpy as np
import pytest

import symbody as sb
from symbody.command_line.cli import main
from tests.derive.first_order import controlled, roessler

from .hostile_model import hostile
from .models import DAMPER, pendulums, top
from .test_export_fortran import assert_good, checked


def ran(folder: Path, *words: str) -> list[dict[str, float]]:
    """A run of AUTO: rows of its file b. with a label, by the names of columns, and the type of the point as TY."""
    if "AUTO_DIR" not in os.environ:
        pytest.skip("AUTO is not installed (build AUTO-07p from its source, and name its folder in AUTO_DIR)")
    done = subprocess.run(["make", "-s", "run", *words], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    named = dict(word.split("=") for word in words)
    (default,) = folder.glob("*_driver.f90")
    lines = (folder / f"b.{named.get('NAME', default.name.removesuffix('_driver.f90'))}").read_text().splitlines()
    head = re.split(r"\s{2,}", next(line for line in lines if " TY " in line).strip())[4:]
    rows = [line.split() for line in lines if not line.startswith("   0")]
    return [{"TY": int(r[2]), **dict(zip(head, map(float, r[4:]), strict=True))} for r in rows if r[3] != "0"]


def test_roessler(tmp_path: Path) -> None:
    """b = 2, c = 4: Hopf at a = 0.124967482 with T = 6.233119706; orbits from there double their period at a =
    0.334856623, T = 6.179933981."""
    a, b, c = 0.1, 2.0, 4.0
    x = (c - (c * c - 4 * a * b) ** 0.5) / 2
    start = {"x": x, "y": -x / a, "z": x / a, "a": a, "b": b, "c": c}
    folder = sb.write.auto(roessler().equations, tmp_path, name="R", start=start, vary="a", reference=None)
    (hopf,) = [row for row in ran(folder) if row["TY"] == 3]
    assert hopf["a"] == pytest.approx(0.124967482, abs=1e-9)
    text = (folder / "c.R").read_text()
    changed = {"IPS = 1": "IPS = 2", "IRS = 0": "IRS = 2", "ICP = [1]": "ICP = [1, 11]", "NMX = 200": "NMX = 120"}
    for old, new in changed.items():
        text = text.replace(old, new)
    (folder / "c.orbits").write_text(text)
    rows = ran(folder, "NAME=orbits", "FROM=R")
    doubled = next(row for row in rows if row["TY"] == 7)
    assert (doubled["a"], doubled["PERIOD"]) == pytest.approx((0.334856623, 6.179933981), abs=2e-8)


def test_driver(tmp_path: Path) -> None:
    """Without AUTO: FUNC, its derivatives and STPNT, with inputs as parameters, external functions in C, and a
    motion."""
    x, v, m, F = *sb.symbols("x v m"), sb.symbol("F", "input")
    eq = sb.from_equations({x: v, v: (F - x - DAMPER(v)) / m}, {m: 2.0}, name="damped")
    folder = sb.write.auto(eq, tmp_path, start={"x": 0.4, "F": 0.3}, vary="F", reference=0.2)
    said = assert_good(folder)
    for name in ("FUNC", "STPNT", "motion"):
        assert re.search(rf"^ *{name} +good", said, re.MULTILINE), name
    path = folder / "damped.f90"
    path.write_text(path.read_text().replace("DFDP(:, 2) = by_r(:, 1)", "DFDP(:, 2) = -by_r(:, 1)"))
    assert re.search(r"^ *FUNC +WRONG", checked(folder).stdout, re.MULTILINE)


def test_hostile_names(tmp_path: Path) -> None:
    """Ten parameters, of which the tenth is beyond the indices that AUTO keeps; names are words of languages, or differ
    in case only."""
    folder = sb.write.auto(hostile(), tmp_path, reference=None)
    assert_good(folder)
    (constants,) = folder.glob("c.*")
    assert "16: 'function'" in constants.read_text()
    if "AUTO_DIR" in os.environ:
        constants.write_text(constants.read_text().replace("NMX = 200", "NMX = 3"))
        assert len(ran(folder)) == 2


def swing() -> sb.Equations:
    """A bead on a hoop that turns at w, by the constraint x^2 + z^2 = l^2: the place at the bottom loses its stability
    at w^2 = g/l. Damped, and with Euler parameters beside."""
    m = sb.Model("hoop")
    w, l = m.parameter("w", 1.0), m.parameter("l", 0.5)
    slide, bead = m.body("slide", mass=0.0), m.body("bead", mass=1.0)
    m.prismatic("x", m.ground, slide, axis="x")
    m.prismatic("z", slide, bead, axis="z")
    x, z = m.symbols["x"], m.symbols["z"]
    m.constrain("hoop", x**2 + z**2 - l**2)
    m.gravity(0, 0, -9.81)
    m.force("turning", bead, m.ground.x * (w**2 * x - 0.3 * x.dot))
    return sb.derive(m)


def test_constraints_in_auto(tmp_path: Path) -> None:
    """States are drawn onto the constraints: AUTO finds the branch point of a constrained mechanism where the theory
    has it."""
    folder = sb.write.auto(swing(), tmp_path, start={"x": 0.0, "z": -0.5}, vary="w", reference=0.2)
    assert_good(folder)
    points = [row for row in ran(folder) if row["TY"] == 1]
    assert points[0]["w"] == pytest.approx((9.81 / 0.5) ** 0.5, abs=1e-6)


def test_eigenvalues_on_the_constraints() -> None:
    """Those of the mechanism, and -rate twice for each constraint; once for the length of Euler parameters, which
    speeds keep."""
    eq, rate = swing(), 7.0
    start = sb.assemble(eq, {"w": 5.0}, start={"x": 0.1, "z": -0.49})
    made = sb.write.artefact(eq, sb.write.ExportOptions(["attracted", "rhs"], start, reference=None, attraction=rate))
    J = sb.emit.numpy_function(made.function("attracted_x").program)
    still = sb.steady(eq, {"w": 5.0}, start={"x": 0.1, "z": -0.49})
    at = (0.0, [*still.state.q, *still.state.u], [], [5.0, 0.5])
    found = np.sort_complex(np.linalg.eigvals(J(*at)))
    wanted = sb.linearize(eq, still).eigenvalues()
    np.testing.assert_allclose(found, np.sort_complex([-rate, -rate, *wanted]), atol=1e-6)
    free = top()
    made = sb.write.artefact(free, sb.write.ExportOptions(["attracted", "rhs"], {}, reference=None, attraction=rate))
    assert np.trace(
        sb.emit.numpy_function(made.function("attracted_x").program)(0.0, *made.start[1:], [1.5])
    ) == pytest.approx(-rate)


def test_refused(tmp_path: Path) -> None:
    """Time, a name that is not there."""
    with pytest.raises(sb.errors.ProgramError, match="depend on time"):
        sb.write.auto(controlled().equations, tmp_path)
    with pytest.raises(sb.errors.ProgramError, match="there is no parameter or input 'q1'"):
        sb.write.auto(pendulums(), tmp_path, vary="q1")
    assert not list(tmp_path.iterdir())


def test_command_line(tmp_path: Path, capsys) -> None:
    assert (
        main(["export", "double_pendulum", "--to", "auto", "--vary", "g", "--no-reference", "-o", str(tmp_path)]) == 0
    )
    assert_good(tmp_path)
    assert main(["export", "double_pendulum", "--to", "auto", "--event", "g", "-o", str(tmp_path)]) != 0
    assert "auto has no option events" in capsys.readouterr().err
