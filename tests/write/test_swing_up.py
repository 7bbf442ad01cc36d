"""The optimal swing-up of docs/export.md, run as it stands there."""

import ast
from pathlib import Path

import numpy as np
import pytest

from tests.test_readme import blocks

PAGE = Path(__file__).parents[2] / "docs" / "export.md"


def test_swing_up_by_casadi_and_ipopt():
    """Ten statements after the model; the force that was found brings the pole up in a motion of `simulate`."""
    pytest.importorskip("casadi", reason="casadi is not installed (pip install casadi)")
    ((_, code),) = blocks(PAGE.read_text(encoding="utf-8"), "py")
    between = code.split("import swing_casadi as model\n")[1].split("times =")[0]
    assert len(ast.parse(between).body) <= 10
    space: dict = {}
    exec(compile(code, "docs/export.md", "exec"), space)
    end = space["motion"].final
    assert end["a"] == pytest.approx(np.pi, abs=0.05)
    assert end["x"] == pytest.approx(0, abs=0.05)
    assert abs(end["a_dot"]) < 0.3
    assert np.max(np.abs(space["found"].value(space["F"]))) <= 20 + 1e-6
