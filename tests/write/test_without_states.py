"""Models that cannot move are written to every target that writes models, and simulated."""

from __future__ import annotations

from pathlib import Path

import pytest

import symbody as sb
from tests.contracts.targets import c_compiler

URDF = """<robot name="post"><link name="post"><inertial><mass value="1"/>
<inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link></robot>"""


@pytest.fixture(scope="module")
def eq(tmp_path_factory: pytest.TempPathFactory) -> sb.Equations:
    path = tmp_path_factory.mktemp("robot") / "post.urdf"
    path.write_text(URDF)
    return sb.derive(sb.read_urdf(path))


@pytest.mark.parametrize(
    "target", ["c", "numpy", "casadi", "jax", "javascript", "fortran", "rust", "matlab", "modelica"]
)
def test_folders(eq: sb.Equations, target: str, tmp_path: Path) -> None:
    assert any(sb.write.export(eq, target, tmp_path / "out").iterdir())


def test_fmu(eq: sb.Equations, tmp_path: Path) -> None:
    """Its derivatives have no directions, and so no arguments between the state and the result."""
    c_compiler()
    assert sb.write.fmu(eq, tmp_path / "post.fmu").stat().st_size > 0


def test_motion(eq: sb.Equations) -> None:
    assert sb.simulate(eq, 1.0).outcome
