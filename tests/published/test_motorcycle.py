"""Sharp's motorcycle in the form of Lot and Da Lio: symbolic pieces. Its linear model is in
test_linear_motorcycle.py."""

import math
import runpy
from pathlib import Path

import numpy as np
import pytest

import symbody as sb
from examples import motorcycle

from .numbers import at

PROGRAM = Path(__file__).parents[2] / "examples" / "documents" / "mbsymba_motorcycle.py"


@pytest.fixture(scope="module")
def equations() -> sb.Equations:
    return sb.derive(motorcycle.model())


def random_state(equations, seed):
    draw = np.random.default_rng(seed)
    moving = (*equations.q, *equations.u, *equations.z, *(z.dot for z in equations.z), *equations.r)
    return {s.name: draw.uniform(0.2, 1.2) for s in moving}


def constraint(equations, name):
    (found,) = (c.expression for c in equations.mechanism.constraints if c.name == name)
    return found


@pytest.mark.parametrize("seed", range(3))
def test_constraints(equations, seed):
    """spin_X, spin_Z and no_slip_rear as printed (2.5)."""
    s = random_state(equations, seed)
    sin, cos, eps = math.sin, math.cos, 0.4715
    d, psi, phi, psi4, phi4 = (s[k] for k in "delta psi phi psi4 phi4".split())
    spin_x = sin(d) * cos(psi) * cos(eps) - sin(d) * sin(psi) * sin(phi) * sin(eps) + sin(psi) * cos(phi) * cos(d)
    spin_z = -cos(phi) * sin(eps) * sin(d) - sin(phi) * cos(d) + sin(phi4)
    rear = cos(psi) * s["x_dot"] + 0.3048 * s["theta1_dot"] + sin(psi) * s["y_dot"]
    assert at(equations, constraint(equations, "spin_x"), s) == pytest.approx(-(spin_x - sin(psi4) * cos(phi4)))
    assert at(equations, constraint(equations, "spin_z"), s) == pytest.approx(-spin_z)
    assert at(equations, constraint(equations, "no_slip_rear"), s) == pytest.approx(rear)


@pytest.mark.parametrize("seed", range(3))
def test_tyre_equation(equations, seed):
    """The rear tyre's equation as printed (2.6)."""
    s = random_state(equations, seed)
    along = math.cos(s["psi"]) * s["x_dot"] + math.sin(s["psi"]) * s["y_dot"]
    across = -s["psi_dot"] * 0.4798 - math.sin(s["psi"]) * s["x_dot"] + math.cos(s["psi"]) * s["y_dot"]
    printed = 0.2438 * s["Yr_dot"] / along + s["Yr"] + 15831 * math.atan(across / along) - 1325.6 * s["phi"]
    assert at(equations, equations.h[0], s) == pytest.approx(printed)


@pytest.mark.parametrize("seed", range(3))
def test_generalised_forces(equations, seed):
    """cos(ψ4) Yf on y from the front tyre, τ - Cδ δ' on δ from the steering torque (3.2)."""
    s = random_state(equations, seed)
    y, delta = (equations.q.index(sb.symbol(name, "coordinate")) for name in ("y", "delta"))
    by_force = {name: at(equations, sb.derivative(equations.f, sb.symbol(name, kind)), s) for name, kind in
                (("Yf", "variable"), ("tau", "input"))}  # fmt: skip
    damping = at(equations, sb.derivative(equations.f, sb.symbol("Cdelta")), s)
    assert by_force["Yf"][y] == pytest.approx(math.cos(s["psi4"]))
    assert by_force["tau"] == pytest.approx(np.eye(9)[delta], abs=1e-14)
    assert damping == pytest.approx(-s["delta_dot"] * np.eye(9)[delta], abs=1e-14)


@pytest.mark.parametrize("seed", range(3))
def test_wheel_energy(equations, seed):
    """T of the rear wheel: ½ iry (θ1' + sin φ ψ')² (3.1)."""
    s = random_state(equations, seed)
    wheel = equations.mechanism.body("rear wheel")
    w = wheel.frame.angular_velocity_components
    energy = at(equations, w.dot(wheel.mass.I_BBcm @ w) / 2, s)
    assert energy == pytest.approx(1.0508 / 2 * (s["theta1_dot"] + math.sin(s["phi"]) * s["psi_dot"]) ** 2)


def test_printed_program_runs(capsys):
    """From frames to responses, line by line."""
    runpy.run_path(str(PROGRAM), run_name="__main__")
    shown = capsys.readouterr().out
    assert "Yf*cos(psi4)\ntau - Cdelta*delta_dot\n15 equations" in shown
    assert "{'no_slip_rear': x + Rr*theta1, 'no_slip_front': x + Rf*theta4}" in shown
    assert "-79.5972034" in shown
    assert "12.7289034" in shown
