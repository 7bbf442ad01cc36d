"""Lennartsson's bicycle: accelerations and energies at a state, a free motion. Its linear model is in
test_linear_bicycle.py."""

import math

import numpy as np
import pytest

import symbody as sb
from examples import bicycle

from .numbers import at, kinetic_energy, potential_energy, published, trajectory

R = 0.354


@pytest.fixture(scope="module")
def equations() -> sb.Equations:
    return sb.derive(bicycle.model())


def reference_state() -> dict[str, float]:
    """The record gives the rear hub; the example has the contact point under it."""
    value = published("bike_state_nonlinear")
    q = dict(zip("X Y Z q3 q1 delta q2 q4 q5".split(), value["q"], strict=True))
    v = dict(zip("X Y Z q3 q1 delta q2 q4 q5".split(), value["qd"], strict=True))
    side, tilt = R * math.sin(q["q1"]), R * math.cos(q["q1"]) * v["q1"]
    place = {"x": q["X"], "y": q["Y"] - side, "x_dot": v["X"] + v["q3"] * side, "y_dot": v["Y"] - tilt}
    angles = {k: q[k] for k in "q3 q1 delta q2 q4 q5".split()}
    return place | angles | {f"{k}_dot": v[k] for k in angles}


def test_state_meets_the_conditions(equations):
    state = reference_state()
    u = [state[s.name] for s in equations.u]
    assert at(equations, equations.phi, state) == pytest.approx([0], abs=1e-12)
    assert at(equations, equations.Jc, state) @ u == pytest.approx(np.zeros(5), abs=1e-12)


def test_accelerations(equations):
    value, state = published("bike_state_nonlinear"), reference_state()
    udot = dict(zip((u.stem for u in equations.u), at(equations, equations.udot, state), strict=True))
    expected = dict(zip("X Y Z q3 q1 delta q2 q4 q5".split(), value["qdd"], strict=True))
    for name in "q3 q1 delta q2 q4 q5".split():
        assert udot[name] == pytest.approx(expected[name], rel=1e-9, abs=1e-9)
    hub = equations.outputs["rear hub"]
    twice = sb.time_derivative(sb.time_derivative(hub), dict(zip(equations.u, equations.udot, strict=True)))
    assert at(equations, twice, state) == pytest.approx(value["qdd"][:3], abs=1e-9)
    assert at(equations, hub, state) == pytest.approx(value["q"][:3], abs=1e-12)
    assert kinetic_energy(equations, state) == pytest.approx(value["T"], rel=1e-9)
    assert potential_energy(equations, state) == pytest.approx(value["V"], rel=1e-9)


# ------------------------------------------------------------------------------------------------ on the conditions


class Reduced:
    """Lean, steer, their rates and the rear wheel's rate determine everything else: δ by Newton's method, other speeds
    by Jc u = 0."""

    def __init__(self, equations: sb.Equations) -> None:
        self.names = [s.name for s in (*equations.q, *equations.u)]
        slope = sb.jacobian(equations.phi, [sb.symbol("delta", "coordinate")])
        program = sb.program(
            "bicycle", {"q": equations.q, "u": equations.u},
            {"phi": equations.phi, "slope": slope, "Jc": equations.Jc, "udot": equations.udot}, bake=equations.mechanism.values,
        )  # fmt: skip
        self.values = sb.compile(program, cache=False)

    def state(self, lean: float, steer: float, lean_rate: float, steer_rate: float, wheel_rate: float):
        q, u = np.zeros(8), np.zeros(8)
        q[3], q[5] = lean, steer
        for _ in range(8):
            phi, slope, J, _ = self.values(q, u)
            q[4] -= phi.item() / slope.item()
        J = self.values(q, u)[2]
        given, tied = [3, 5, 6], [0, 1, 2, 4, 7]
        u[given] = lean_rate, steer_rate, wheel_rate
        u[tied] = -np.linalg.solve(J[:, tied], J[:, given] @ u[given])
        return q, u


def test_bicycle_rights_itself(equations):
    """Figure 7.3: let go leaning and steered into the lean at 5 m/s, it comes upright and gains a little speed."""
    reduced = Reduced(equations)
    q, u = reduced.state(0.1, 0.2, 0, 0, -5 / R)
    start = dict(zip(reduced.names, (*q, *u), strict=True))
    (end,) = trajectory(equations, start, [10])
    state = dict(zip(reduced.names, end, strict=True))
    assert -R * state["q4_dot"] == pytest.approx(4.98276, abs=1e-5)
    assert [state["q1"], state["q2"]] == pytest.approx([0.01194, 0.00509], abs=1e-5)
