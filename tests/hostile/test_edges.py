"""Small systems and strange values: one joint, none, inputs that are no numbers, names in tables."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symbody as sb
from symbody.command_line.cli import main

FIXED = "<robot name='r'><link name='a'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1'/></inertial></link></robot>"
ONE = """<robot name='r'><link name='a'/><link name='b'><inertial><mass value='1'/><origin xyz="0.2 0 0"/><inertia ixx='1' iyy='1' izz='1'/></inertial></link>
<joint name="j" type="{}"><parent link="a"/><child link="b"/><axis xyz="0 1 0"/><limit lower="-1" upper="1" effort="1" velocity="1"/></joint></robot>"""


@pytest.mark.parametrize("kind", ["continuous", "revolute"])
def test_robots_with_one_joint_on_the_command_line(kind: str, tmp_path: Path) -> None:
    (tmp_path / "one.urdf").write_text(ONE.format(kind))
    assert main(["simulate", str(tmp_path / "one.urdf"), "-t", "0.1", "-o", str(tmp_path / "run.csv")]) == 0
    assert main(["export", str(tmp_path / "one.urdf"), "--to", "page", "-o", str(tmp_path / "page.html")]) == 0


def test_nothing_moves(tmp_path: Path) -> None:
    """No degrees of freedom: a motion without columns, at the times that are asked for."""
    eq = sb.derive(sb.read_urdf(FIXED))
    sim = sb.simulate(eq, 1)
    assert sim.outcome
    assert sim.y.shape == (len(sim), 0)
    assert sb.simulate(eq, np.linspace(0, 1, 5)).y.shape == (5, 0)
    (tmp_path / "fixed.urdf").write_text(FIXED)
    assert main(["simulate", str(tmp_path / "fixed.urdf"), "-t", "0.1", "-o", str(tmp_path / "run.csv")]) == 0


@pytest.mark.parametrize("target", ["c", "fortran", "javascript"])
def test_exports_of_what_does_not_move(target: str, tmp_path: Path) -> None:
    (tmp_path / "fixed.urdf").write_text(FIXED)
    code = main(["export", str(tmp_path / "fixed.urdf"), "--to", target, "-o", str(tmp_path / "out")])
    assert code in (0, 3)


@pytest.mark.parametrize("found", ["text", None, np.zeros(3), 1j, [object()]])
def test_inputs_that_are_no_numbers(found: Any) -> None:
    m = sb.Model("driven")
    m.prismatic("x", m.ground, m.particle("p", mass=1), axis="x", actuation=m.input("push"))
    with pytest.raises(
        sb.errors.SimulationError, match="input 'push' of 'driven': the function must return a number, got"
    ):
        sb.simulate(sb.derive(m), 1.0, inputs={"push": lambda t: found})


def test_names_in_tables(tmp_path: Path) -> None:
    """Commas and quotation marks are quoted; formulas of spreadsheets are text."""
    names = ["a,b", '"quoted', "=1+1", "@sum", "-x", "plain"]
    outputs = "\n".join(f"  {name!r}: sin(q)" for name in names)
    (tmp_path / "m.yaml").write_text(
        f"symbody: 1\nname: m\nbodies: {{b: {{mass: 1, com: [0, -1, 0], inertia: [1, 1, 1]}}}}\njoints: {{q: {{revolute: [ground, b]}}}}\noutputs:\n{outputs}\nstart: {{q: 1}}\n"
    )
    assert main(["simulate", str(tmp_path / "m.yaml"), "-t", "0.1", "-o", str(tmp_path / "run.csv")]) == 0
    with (tmp_path / "run.csv").open(newline="") as file:
        head, *rows = csv.reader(file)
    assert all(len(row) == len(head) for row in rows)
    assert {"a,b", '"quoted', "'=1+1", "'@sum", "'-x", "plain"} <= set(head)
    eq = sb.derive(sb.read_model(tmp_path / "m.yaml").mechanism)
    sb.plot(sb.simulate(eq, 0.1, q=1), "=1+1").save(tmp_path / "plot.csv")
    assert "=1+1" not in (tmp_path / "plot.csv").read_text().splitlines()[0].split(",")
