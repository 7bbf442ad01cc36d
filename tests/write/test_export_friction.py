"""Friction with the normal force of a constraint is in exported functions, or is refused by name."""

import importlib.util
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symbody as sb

TARGETS = ("c", "fortran", "rust", "javascript", "numpy", "casadi", "modelica", "simulink", "auto", "fmu", "page")
FUNCTIONS = ("mass_matrix", "right_side", "constraint_jacobian", "multipliers", "rhs")


def block(normal: Any) -> sb.Equations:
    """A block on a curved rail, with friction under its force."""
    m = sb.Model("block")
    p = m.parameters(M=2.0, g=9.81, mu=0.3)
    x, y = m.coordinates("x y")
    m.gravity(0, -p.g, 0)
    m.particle("block", m.ground.translate(x, y, 0).origin, mass=p.M)
    m.constrain("rail", y - x**2 / 2)
    m.friction("rub", x.dot + x * y.dot, sb.Coulomb(p.mu), normal=normal(m.multiplier("rail")), smooth=0.1)
    return sb.derive(m)


def test_exported_functions_have_the_slope_of_loads_in_multipliers(tmp_path: Path) -> None:
    """M u' = f + (Jc + W)ᵀ lam of exported functions, and the accelerations are those of the equations."""
    eq = block(lambda N: N)
    start = {"x": 0.3, "y": 0.045, "x_dot": 0.5, "y_dot": 0.15}
    folder = sb.write.numpy(eq, tmp_path / "made", start=start, functions=FUNCTIONS, reference=None)
    spec = importlib.util.spec_from_file_location("block_numpy", folder / "block_numpy.py")
    assert spec is not None
    assert spec.loader is not None
    f = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(f)
    at = (*f.initial_state(), f.default_parameters())
    M, right, lam, udot = f.mass_matrix(*at), f.right_side(*at), f.multipliers(*at), f.rhs(*at)[2:]
    Jc, _, c, W = f.constraint_jacobian(*at)
    assert M @ udot == pytest.approx(right + (Jc + W).T @ lam, rel=1e-12)
    assert np.abs(Jc @ udot + c).max() < 1e-12
    assert abs(W).max() > 0.1
    exact = [sb.evaluate(e, {**sb.State.of(eq, start).values}) for e in eq.udot.entries]
    assert udot == pytest.approx(exact, rel=1e-12)
    readme = (folder / "README.md").read_text(encoding="utf-8")
    assert "W of f\\(lam\\) = f \\+ W' lam" in readme
    assert "\\(Jc \\+ W\\)' lam" in readme


@pytest.mark.parametrize("to", TARGETS)
def test_loads_that_are_not_linear_in_multipliers_are_refused_by_name(tmp_path: Path, to: str) -> None:
    with pytest.raises(sb.SymbodyError, match="not linear in lam_rail"):
        sb.write.export(block(abs), to, tmp_path / "made")
