"""Outputs are names like all others: in states, trajectories, tables, plots, steady motions, linear systems, and as
what is given."""

from typing import Any

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
    m.output("energy", (q1.dot**2 + q2.dot**2) / 2)
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


def test_accelerations_and_energies_are_given(eq):
    """Rows that tie coordinates and speeds together: each has its value, and what else is given is held."""
    at: dict[str, Any] = {"q1": 0.4, "q2": -0.3}
    state = sb.assemble(eq, **at, acceleration=-9.0, tau=1.0)
    assert state["acceleration"] == pytest.approx(-9.0)
    assert {n: state[n] for n in at} == at
    assert state["tau"] == 1.0
    assert sb.simulate(eq, 1e-3, state, inputs={"tau": 1.0})["acceleration"][0] == pytest.approx(-9.0)
    moving = sb.assemble(eq, **at, energy=2.0, q1_dot=1.0)
    assert abs(moving["q2_dot"]) == pytest.approx(3**0.5)
    somewhere = sb.State.of(eq, {"q1": 1.1, "q2": 0.4, "q1_dot": 1.2, "q2_dot": -0.6})
    wanted = {n: somewhere[n] for n in ("acceleration", "energy", "tip_x")}
    found = sb.assemble(eq, wanted, start={"q1": 1.0, "q2": 0.5, "q1_dot": 1.0})
    assert {n: found[n] for n in wanted} == pytest.approx(wanted)


def test_reactions_are_given_in_a_closed_loop():
    """A bead on a vertical ring: the speed at which the ring pushes it with a given force, N = m (v² / R - g cos a) at
    the side."""
    m = sb.Model("bead")
    x, y = m.coordinates("x y")
    m.particle("bead", m.ground.point(x, y, 0), mass=2)
    m.gravity(0, -9.81, 0)
    ring = (x**2 + y**2 - 1) / 2
    m.constrain("ring", ring)
    eq = sb.derive(m)
    m.output("push", eq.lam[0])
    eq = sb.derive(m)
    state = sb.assemble(eq, x=1.0, y=0.0, push=-18.0, start={"y_dot": 1.0})
    assert state["y_dot"] == pytest.approx(3.0)
    assert state["x_dot"] == pytest.approx(0.0)


def test_what_cannot_be_given(eq):
    with pytest.raises(sb.errors.AssemblyError, match="with output energy as given"):
        sb.assemble(eq, energy=-1.0)
    with pytest.raises(sb.errors.AssemblyError, match="output 'elbow' has 2 entries"):
        sb.assemble(eq, elbow=1.0)
    with pytest.raises(sb.errors.AssemblyError, match="tip_x"):
        sb.assemble(eq, tip_x=3.0)
    with pytest.raises(sb.errors.AssemblyError, match="tip_x"):
        sb.simulate(eq, 1, tip_x=3.0)


def test_motions_start_with_outputs_as_given(eq):
    assert sb.simulate(eq, 0.1, tip_x=0.3)["tip_x"][0] == pytest.approx(0.3)


def test_states_have_outputs(eq, sim):
    """What a state says is what the trajectory says."""
    for name in eq.outputs:
        assert np.ravel(sim.segments[0].state(4)[name]) == pytest.approx(np.ravel(sim[name][4]))
    state = sb.assemble(eq, q1=0.3)
    assert state.outputs["tip_y"] == pytest.approx(2 * np.sin(0.3))
    assert state["q1_ddot"] == state["acceleration"]
    with pytest.raises(sb.errors.AssemblyError, match=r"no quantity 'tip_z'.*Did you mean"):
        _ = state["tip_z"]


def test_tables_have_outputs_and_inputs(eq, sim):
    columns = sim.columns()
    assert list(columns) == [
        "q1", "q2", "q1_dot", "q2_dot", "tau", "tip_x", "tip_y", "speed_x", "acceleration", "energy", "elbow[0]", "elbow[1]",
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


def governor():
    """A pendulum on an arm that turns at W: cos a = g / W²."""
    m = sb.Model("governor")
    q, a = m.coordinates("q a")
    m.body("bob", frame=m.ground.rotate("z", q).rotate("x", a), mass=1, com=(0, 0, -1))
    m.gravity(0, 0, -m.parameter("g", 9.81))
    m.output("radius", sb.sin(a))
    m.output("place", [sb.sin(a), -m.parameter("l", 2.0) * sb.cos(a)])
    eq = sb.derive(m)
    motion = sb.steady(eq, {"q_dot": sb.symbol("W")}, start={"a": 1.0}, W=5.0)
    return motion, sb.linearize(eq, motion, drop="cyclic")


def test_outputs_along_sweeps_and_loci():
    motion, lin = governor()
    assert "output radius = 0.9197" in str(motion)
    W = np.array([4.0, 5.0, 8.0])
    found, cosine = sb.stability.operating_points(lin, W=W), 9.81 / W**2
    assert found["radius"] == pytest.approx(np.sqrt(1 - cosine**2))
    assert found["place[1]"] == pytest.approx(-2 * cosine)
    assert found["q_dot"] == pytest.approx(W)
    locus = lin.root_locus(W=(4, 8), points=9)
    assert locus.motion["radius"] == pytest.approx(np.sqrt(1 - (9.81 / locus.values**2) ** 2))
    chart = lin.stability_chart(points=(4, 3), W=(4, 8), l=(1.0, 2.0))
    cosines = np.broadcast_to((9.81 / chart.first**2)[:, None], (4, 3))
    assert chart.motion["radius"] == pytest.approx(np.sqrt(1 - cosines**2))
    assert chart.motion["place[1]"] == pytest.approx(-cosines * chart.second)
    assert chart.motion["q_dot"] == pytest.approx(np.broadcast_to(chart.first[:, None], (4, 3)))


def test_operating_points_in_closed_form():
    """Parameters of outputs that no matrix contains, and numbers that were put in, count too."""
    m = sb.Model("wheel")
    x = m.coordinate("x")
    m.particle("hub", m.ground.point(x, 0, 0), mass=m.parameter("m", 2))
    m.generalized_force("drag", x, -m.parameter("c", 0.5) * (x.dot - m.input("wind")))
    m.output("spin", x.dot / m.parameter("R", 0.4))
    eq = sb.derive(m)
    V = sb.symbol("V")
    lin = sb.linearize(eq, sb.steady(eq, {"x_dot": V, "wind": V}, V=3.0))
    assert sb.stability.operating_points(lin, c=np.array([1.0, 2.0]))["spin"] == pytest.approx([7.5, 7.5])
    assert sb.stability.operating_points(lin(m=3), c=np.array([1.0, 2.0]))["x_dot"] == pytest.approx([3, 3])
    bare = sb.linear_system([[-V]], defaults={V: 1.0})
    with pytest.raises(sb.errors.StabilityError, match="not about a steady motion"):
        sb.stability.operating_points(bare, V=np.array([1.0, 2.0]))


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


def _top(kind):
    """A body on a ball joint with the acceleration of its tip as output: by angles, with a speed of choice, by Euler
    parameters."""
    m = sb.Model(kind)
    m.gravity(0, 0, -9.81)
    top = m.body("top", mass=2, com=(0.1, 0.2, 0.5), inertia=(0.3, 0.4, 0.2))
    m.spherical("j", m.ground, top, sequence="euler parameters" if kind == "euler parameters" else "zyx")
    if kind == "speed of choice":
        j1, j2 = (m.symbols[n] for n in ("j_1", "j_2"))
        m.speed("w", j1.dot * (2 + sb.cos(j2)) + m.time)
    m.output("acceleration", top.point(0, 0, 1).acceleration().components(m.ground))
    return sb.derive(m)


@pytest.mark.parametrize("kind", ["speed of choice", "euler parameters"])
def test_accelerations_in_outputs_whatever_the_speeds(kind):
    """Second rates of coordinates are those of the speeds, in trajectories, states, tables, compiled functions and
    linear systems."""
    plain, eq = _top("angles"), _top(kind)
    same = sb.simulate(plain, np.linspace(0, 0.5, 4), j_3=0.3, j_2_dot=0.4, rtol=1e-10)
    start = {} if kind == "speed of choice" else {"j_wy": 0.4 * np.cos(0.3), "j_wz": -0.4 * np.sin(0.3)}
    at = {"j_3": 0.3, "j_2_dot": 0.4} if kind == "speed of choice" else {"j_e0": np.cos(0.15), "j_e1": np.sin(0.15)}
    sim = sb.simulate(eq, same.t, {**at, **start}, rtol=1e-10)
    assert sim["acceleration"] == pytest.approx(same["acceleration"], abs=1e-6)
    assert sim.state["acceleration"] == pytest.approx(same["acceleration"][-1], abs=1e-6)
    assert sim.columns()["acceleration[2]"] == pytest.approx(same["acceleration"][:, 2], abs=1e-6)
    assert sb.compile(eq).outputs(sim.t[-1], sim.q[-1], sim.u[-1]) == pytest.approx(same["acceleration"][-1], abs=1e-6)
    assert np.all(np.isfinite(sb.linearize(eq, sim.state, moving=True).matrices().C))


def test_states_and_trajectories_answer_expressions_alike(eq, sim):
    energy = sb.energy(eq)
    assert sim.state[energy] == pytest.approx(sim[energy][-1], rel=1e-12)
