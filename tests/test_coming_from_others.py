"""docs/coming-from: what stands there of symbody exists, and code of other tools gives the numbers that the page says.

Code for symbody itself is run by tests/test_readme.py; that of other Python tools stands in blocks marked `py`.
"""

from __future__ import annotations

import io
import re
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import pytest

import symbody as sb
from symbody.kits import vehicles

PAGES = sorted((Path(__file__).parents[1] / "docs" / "coming-from").glob("*.md"))
TEXTS = {p.stem: p.read_text(encoding="utf-8") for p in PAGES}
TOOLS = {"mujoco": "mujoco", "pinocchio": "pinocchio", "drake": "pydrake"}
URDF = """<robot name="arm"><link name="base"/>
<link name="tip"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="q" type="continuous"><parent link="base"/><child link="tip"/><axis xyz="0 0 1"/></joint></robot>"""


@pytest.fixture(scope="module")
def things(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What the pages speak of, by the names that they give it."""
    file = tmp_path_factory.mktemp("urdf") / "arm.urdf"
    file.write_text(URDF, encoding="utf-8")
    m = sb.Model("pendulum")
    m.gravity(0, -9.81, 0)
    m.revolute("q", m.ground, m.particle("bob", mass=1.0), on=(0, 1.0, 0), actuation=m.input("r"))
    eq = sb.derive(m)
    sim, lin = sb.simulate(eq, 0.1), sb.linearize(eq, sb.steady(eq))
    A = m.ground
    v = A.vector(1, 0, 0)
    return {
        "sb": sb,
        "m": m,
        "eq": eq,
        "sim": sim,
        "lin": lin,
        "f": sb.compile(eq),
        "vehicles": vehicles,
        "robot": sb.read_urdf(file),
        "A": A,
        "frame": A,
        "T": A,
        "v": v,
        "P": A.point(0, 0, 0),
    }


@pytest.mark.parametrize("tool", [t for t in TEXTS if t != "index"])
def test_names_in_the_dictionary_exist(things: dict[str, Any], tool: str) -> None:
    """Of `sb.simulate`, `m.revolute`, `lin.modes`, ... in right columns, which no test runs."""
    right = [row.split("|")[-2] for row in TEXTS[tool].splitlines() if row.startswith("| ")]
    asked = {
        name
        for cell in right
        for name in re.findall(r"(?<![\w.)])(\w+)\.([a-zA-Z]\w*)", re.sub(r'\(\S+\.md\)|"[^"]*"', "", cell))
    }
    missing = [f"{what}.{name}" for what, name in sorted(asked) if what in things and not hasattr(things[what], name)]
    assert missing == []


@pytest.mark.parametrize("tool", TOOLS)
def test_the_other_tool_says_the_same(tool: str) -> None:
    pytest.importorskip(TOOLS[tool], reason=f"{TOOLS[tool]} is missing: python -m pip install it to compare")
    (block,) = re.findall(r"```py\n(.*?)```", TEXTS[tool], re.DOTALL)
    printed = io.StringIO()
    with redirect_stdout(printed):
        exec(block, {})
    assert printed.getvalue().split() == re.findall(r"# -> (.*)", block)


@pytest.mark.parametrize("tool", [t for t in TEXTS if t not in ("index", "sympy-names")])
def test_every_page_has_the_same_mechanism_in_both(tool: str) -> None:
    """Their code, ours, a dictionary, and what is not here."""
    text = TEXTS[tool]
    assert len(re.findall(r"^```\w+$", text, re.MULTILINE)) >= 2
    for part in ("## Example: pendulum", "## Dictionary", "| symbody |", "## Not supported"):
        assert part in text
