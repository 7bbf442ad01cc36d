"""Outputs are names like all others: in states, trajectories, tables, plots, steady motions, linear systems, and as what is given."""

import numpy as np
import pytest

import symbody as sb
from symbody import plot


def arm():
    """Two links in a vertical plane, driven at the shoulder."""
    m = sb.Model("arm")
    one, two = (m.body(n, mass=1, inertia=(1, 1, 1), com=(0.5, 0, 0)) for n in ("one", "two"))
    m.gravity(0, -9.81, 0)
    m.revolute("q1", m.ground, one, axis="z", damping=0.3, actuation=m.input("tau"))
    m.revolute("q2", one, two, axis="z", at=(1, 0, 0), damping=0.2)
    q1, q2 = (sb.symbol(n, "coordinate") for n in ("q1", "q2"))
    m.output("tip_x", sb.cos(q1) + sb.cos(q1 + q2))
    m.output("tip_y", sb.sin(q1) + sb.sin(q1 + q2))
    m.output("speed_x", -sb.sin(q1) * q1.dot - sb.sin(q1 + q2) * (q1.dot + q2.dot))
    m.output("acceleration", q1.dot.dot)
    m.output("elbow", sb.vector(sb.cos(q1), sb.sin(q1)))
    m.output("pair", [q1, q1 + q2])
    return sb.derive(m)


@pytest.fixture(scope="module")
def eq():
    return arm()


@pytest.fixture(scope="module")
def sim(eq):
    return sb.simulate(eq, np.linspace(0, 1, 11), q1=0.3, q2=-0.2, inputs={"tau": -2 * eq.q[0]})


def test_inverse_kinematics(eq):
    """Positions and speeds from outputs, at both elbows, against the law of cosines."""
    state = sb.assemble(eq, tip_x=0.4, tip_y=0.9, speed_x=0.5, start={"q1": 0.5, "q2": 1.0})
    assert abs(state["q2"]) == pytest.approx(np.arccos((0.4**2 + 0.9**2) / 2 - 1))
    assert [state[n] for n in ("tip_x", "tip_y", "speed_x")] == pytest.approx([0.4, 0.9, 0.5], abs=1e-12)
    assert state.equations is eq
    assert len(state.p) == len(eq.p)
    both = sb.all_assemblies(eq, tip_x=0.4, tip_y=0.9)
    assert sorted(x["q2"] for x in both) == pytest.approx([-state["q2"], state["q2"]])
    assert sb.assemble(eq, tip_x=0.5, q2=0.3, start={"q1": 1.0})["tip_x"] == pytest.approx(0.5)
    assert sb.assemble(eq, elbow=(0.6, 0.8), start={"q1": 1.0})["q1"] == pytest.approx(np.arctan2(0.8, 0.6))
    assert sb.simulate(eq, 0.1, state)["tip_x"][0] == pytest.approx(0.4)


def test_inverse_kinematics_in_a_closed_loop():
    """A four-bar: the crank angle at which the coupler's point is at a given height."""
    m = sb.Model("four-bar")
    crank, coupler, rocker = (m.body(n, mass=1, inertia=(1, 1, 1)) for n in ("crank", "coupler", "rocker"))
    m.revolute("a", m.ground, crank, axis="z")
    m.revolute("b", crank, coupler, axis="z", at=(0.5, 0, 0))
    m.revolute("c", m.ground.translate(1.2, 0, 0), rocker, axis="z")
    m.coincide("close", coupler.frame.point(1.3, 0, 0), rocker.frame.point(0.9, 0, 0), axes="xy")
    m.output("height", (coupler.frame.point(0.6, 0.2, 0) - m.ground.origin).dot(m.ground.y))
    eq = sb.derive(m)
    state = sb.assemble(eq, height=0.6, a_dot=2.0, start={"a": 1.0, "b": -0.5, "c": 1.8})
    assert state["height"] == pytest.approx(0.6, abs=1e-12)
    assert state["a_dot"] == 2.0
    assert state.violation.is_small


def test_what_cannot_be_given(eq):
    with pytest.raises(sb.AssemblyError, match="output 'acceleration' contains q1_ddot"):
        sb.assemble(eq, acceleration=1.0)
    with pytest.raises(sb.AssemblyError, match="output 'elbow' has 2 entries"):
        sb.assemble(eq, elbow=1.0)
    with pytest.raises(sb.AssemblyError, match="tip_x"):
        sb.assemble(eq, tip_x=3.0)
    with pytest.raises(sb.AssemblyError, match=r"tip_x is an output.*assemble\(equations, tip_x=\.\.\.\)"):
        sb.simulate(eq, 1, tip_x=0.3)


def test_states_have_outputs(eq, sim):
    """What a state says is what the trajectory says."""
    for name in eq.outputs:
        assert np.ravel(sim.segments[0].state(4)[name]) == pytest.approx(np.ravel(sim[name][4]))
    state = sb.assemble(eq, q1=0.3)
    assert state.outputs["tip_y"] == pytest.approx(2 * np.sin(0.3))
    assert state["q1_ddot"] == state["acceleration"]
    with pytest.raises(sb.AssemblyError, match=r"no quantity 'tip_z'.*Did you mean"):
        _ = state["tip_z"]


def test_tables_have_outputs_and_inputs(eq, sim):
    columns = sim.columns()
    assert list(columns) == [
        "q1", "q2", "q1_dot", "q2_dot", "tau", "tip_x", "tip_y", "speed_x", "acceleration", "elbow[0]", "elbow[1]",
        "pair[0]", "pair[1]",
    ]  # fmt: skip
    assert columns["tau"] == pytest.approx(-2 * sim["q1"])
    assert columns["elbow[1]"] == pytest.approx(np.sin(sim["q1"]))
    assert columns["acceleration"] == pytest.approx(sim["q1_ddot"])


def test_plots_have_outputs(sim):
    labels = {c.label for p in plot(sim).panels for c in p.curves}
    assert {"tau", "tip_x", "acceleration"} <= labels


def test_steady_motions_have_outputs(eq):
    hanging = sb.steady(eq, start={"q1": -1.5})
    assert hanging["tip_y"] == pytest.approx(-2)
    assert hanging["elbow"] == pytest.approx([0, -1])
    held = sb.steady(eq, tip_x=0.6, free=["tau"], start={"q1": -1.5})
    assert held["tip_x"] == pytest.approx(0.6)
    assert held["tau"] == pytest.approx(9.81 * (0.5 * 0.6 + 0.6))
    assert held["acceleration"] == 0
    assert held["q1"] + held["q2"] == pytest.approx(-np.pi / 2)


def test_linear_systems_have_accelerations_in_outputs(eq):
    """The response of an acceleration is s² that of the coordinate; the same through a constraint force."""
    lin = sb.linearize(eq, sb.steady(eq, start={"q1": -1.5}))
    s = 2j * np.pi * np.array([0.5, 2.0])
    found = lin.frequency_response("tau", "acceleration", [0.5, 2.0]).values
    assert found == pytest.approx(s**2 * lin.frequency_response("tau", "q1", [0.5, 2.0]).values)
    assert "elbow[0]" in lin.y


def test_linear_systems_have_reactions_in_outputs():
    """Force in a prescribed joint against its balance: inertia and weight of the mass that it moves."""
    m = sb.Model("lift")
    z, w = m.coordinate("z"), m.input("w")
    m.particle("cabin", m.ground.point(0, 0, z), mass=3)
    m.gravity(0, 0, -9.81)
    m.prescribe("rope", z, w)
    eq = sb.derive(m)
    lin = sb.linearize(eq, {}, outputs={"pull": eq.lam[0]})
    s = 2j * np.pi
    assert lin.frequency_response("w", "pull", 1.0).values[0] == pytest.approx(3 * s**2)
    assert sb.steady(eq)["lam_rope"] == pytest.approx(3 * 9.81)


def test_sensitivities_of_outputs(eq):
    h, times = 1e-5, np.linspace(0, 1, 5)
    sim = sb.simulate(eq, times, q1=0.3, sensitivities=["q1"], rtol=1e-10)
    ahead, back = (sb.simulate(eq, times, q1=0.3 + x, rtol=1e-12)["tip_y"] for x in (h, -h))
    assert sim.sensitivity("tip_y", "q1") == pytest.approx((ahead - back) / (2 * h), abs=1e-6)
