"""Motions that are written to disk while they are computed."""

import numpy as np
import pytest

import symbody as sb
from symbody.errors import SimulationError


def oscillator():
    x, v = sb.symbols("x v", "variable")
    return sb.from_equations({x: v, v: -x})


@pytest.mark.parametrize("count", [3, 50, 51, 52, 53, 102])
def test_every_time_is_one_row_however_blocks_fall(count, tmp_path):
    t = np.linspace(0, 5, count)
    sb.write.stream(oscillator(), tmp_path / "run", t, columns=["x"], values={"x": 1.0}, block=50)
    rows = np.load(tmp_path / "run.npy", mmap_mode="r")
    assert np.array_equal(rows["t"], t)
    assert np.abs(rows["x"] - np.cos(t)).max() < 1e-7


def test_columns_are_names_and_expressions_and_parameters_stay(tmp_path):
    m = sb.Model("pendulum")
    m.gravity(0, -9.81, 0)
    length = m.parameter("l", 1.0)
    joint = m.revolute("theta", m.ground, m.body("bob", mass=1.0, com=(0, -length, 0)))
    eq, t = sb.derive(m), np.linspace(0, 3, 201)
    wanted = ["theta", length * sb.cos(joint.q), "theta_ddot"]
    outcome = sb.write.stream(
        eq, tmp_path / "run.npy", t, columns=wanted, values={"theta": 0.5, "l": 0.7}, options={"rtol": 1e-10}, block=70
    )
    rows, sim = np.load(tmp_path / "run.npy"), sb.simulate(eq, t, theta=0.5, l=0.7, rtol=1e-10)
    assert outcome
    assert rows.dtype.names == ("t", "theta", "l*cos(theta)", "theta_ddot")
    for name, values in zip(rows.dtype.names[1:], sim.values(wanted), strict=True):
        assert np.abs(rows[name] - values).max() < 1e-7


def test_a_motion_that_ends_early_leaves_its_rows(tmp_path):
    x = sb.symbol("x", "variable")
    eq = sb.from_equations({x: x**2})  # 1/(1 - t)
    outcome = sb.write.stream(
        eq, tmp_path / "run.npy", np.linspace(0, 2, 201), columns=["x"], values={"x": 1.0}, block=20
    )
    rows = np.load(tmp_path / "run.npy")
    assert not outcome
    assert 80 < len(rows) < 105
    assert np.allclose(rows["x"][:80], 1 / (1 - rows["t"][:80]), rtol=1e-6)


def test_faults_are_named(tmp_path):
    eq = oscillator()
    for t, more, message in (
        ([0, 1], {}, "at least three times"),
        ([0, 2, 1], {}, "increasing array"),
        ([0, 1, 2], {"block": 1}, "block = 1"),
        ([0, 1, 2], {"columns": "x"}, "columns is a list"),
        ([0, 1, 2], {"columns": ["x", "x"]}, "the same names"),
    ):
        with pytest.raises(SimulationError, match=message):
            sb.write.stream(eq, tmp_path / "run.npy", t, **({"columns": ["x"]} | more))
    assert not list(tmp_path.iterdir())
