"""E x' = A x + B r + B1 r' + B2 r'': closed forms, two derivations of one mechanism, differences of the equations,
simulations."""

import numpy as np
import pytest
from scipy.signal import freqresp

import symbody as sb
from symbody.stability import to_scipy


def quarter_car():
    """m z'' = -k (z - w) - c (z' - w'): a body on a spring and a damper over a road w."""
    m = sb.Model("quarter car")
    z, w = m.coordinate("z"), m.input("w")
    k, c = m.parameter("k", 2e4), m.parameter("c", 1500)
    m.particle("body", m.ground.point(0, 0, z), mass=300)
    m.generalized_force("strut", z, -k * (z - w) - c * (z.dot - w.dot))
    m.output("travel", z - w)
    m.output("slip", z.dot - w.dot)
    return m


def two_links(is_constrained):
    """The first link is turned by an input: by a constraint on its coordinate, or by a frame that turns."""
    m = sb.Model("two links")
    angle = m.input("angle")
    first, second = (m.body(n, mass=1.5, inertia=(1, 1, 1), com=(0.5, 0.1, 0)) for n in ("first", "second"))
    m.gravity(0, -9.81, 0)
    if is_constrained:
        m.revolute("q1", m.ground, first, axis="z")
        m.prescribe("drive", sb.symbol("q1", "coordinate"), angle)
    else:
        m.fixed("q1", m.ground.rotate("z", angle), first)
    m.revolute("q2", first, second, axis="z", at=(1, 0.2, 0), damping=0.5)
    m.output("tip", (second.frame.point(1, 0, 0) - m.ground.origin).dot(m.ground.x))
    return m


def linear_two_links(is_constrained):
    eq = sb.derive(two_links(is_constrained))
    given = {"angle": 0.3, **({"q1": 0.3} if is_constrained else {})}
    return sb.linearize(eq, sb.steady(eq, given, start={"q2": -1.5}))


HERTZ = np.array([0.3, 1.0, 4.0])


def test_frequency_response_of_a_quarter_car():
    lin = sb.linearize(sb.derive(quarter_car()), {})
    s = 2j * np.pi * HERTZ
    closed = (2e4 + 1500 * s) / (300 * s**2 + 1500 * s + 2e4)
    assert lin.r == ("w",)
    assert lin.frequency_response("w", "z", 1.0).values[0] == pytest.approx(1.6218 - 0.7185j, abs=5e-5)
    assert lin.frequency_response("w", "z", HERTZ).values == pytest.approx(closed)
    assert lin.frequency_response("w", "slip", HERTZ).values == pytest.approx(s * (closed - 1))
    assert lin.zeros("w", "z") == pytest.approx([-2e4 / 1500])
    assert "B1 r'" in repr(lin)
    assert r"\dot{w}" in lin.latex()
    assert lin.second_order().B1[0] == sb.symbol("c")


@pytest.mark.parametrize("parameter", ["k", "c"])
def test_sensitivities_of_responses(parameter):
    lin = sb.linearize(sb.derive(quarter_car()), {})
    found = sb.stability.response_sensitivities(lin, "w", "slip", HERTZ, parameter)[parameter]
    at, h = lin.defaults[sb.symbol(parameter)], 1e-2
    ahead, back = (lin.frequency_response("w", "slip", HERTZ, values={parameter: at + x}).values for x in (h, -h))
    assert found == pytest.approx((ahead - back) / (2 * h), rel=1e-6)


def test_hand_over_has_the_same_response():
    """Rates of inputs are in shifted states and D; an output with a rate in it makes the input a state."""
    lin = sb.linearize(sb.derive(quarter_car()), {})
    inside = lin.with_outputs("z", "z_dot", "travel")
    space = inside.state_space()
    assert space.inputs == ("w",)
    assert space.states == ("z", "z_dot_shifted")
    _, found = freqresp(to_scipy(inside.with_outputs("z_dot")), 2 * np.pi * HERTZ)
    assert found == pytest.approx(lin.frequency_response("w", "z_dot", HERTZ).values)
    direct = lin.with_outputs("slip")
    assert direct.state_space().inputs == ("w_dot",)
    assert direct.state_space().states[-1] == "w"
    _, found = freqresp(to_scipy(direct), 2 * np.pi * HERTZ)
    assert found * 2j * np.pi * HERTZ == pytest.approx(lin.frequency_response("w", "slip", HERTZ).values)
    with pytest.raises(sb.errors.StabilityError, match="slip follows w_dot directly; its step response has an impulse"):
        lin.step_response("w", "slip")


def test_second_rates_in_outputs_are_states_too():
    lin = linear_two_links(True).with_outputs("q1_dot", "q2_dot")
    s = 2j * np.pi * HERTZ
    assert lin.frequency_response("angle", "q1_dot", HERTZ).values == pytest.approx(s)
    space = lin.state_space()
    assert space.inputs == ("angle_dot",)
    for k, name in enumerate(lin.y):
        found = [
            space.C[k] @ np.linalg.solve(x * np.eye(len(space.A)) - space.A, space.B[:, 0]) + space.D[k, 0] for x in s
        ]
        assert np.array(found) * s == pytest.approx(lin.frequency_response("angle", name, HERTZ).values)


def test_step_response_is_the_simulation():
    """A step of the road gives the body the speed c / m at once."""
    eq = sb.derive(quarter_car())
    times = np.linspace(0, 2, 9)
    sim = sb.simulate(eq, times, w=1.0, z_dot=1500 / 300, rtol=1e-11)
    assert sb.linearize(eq, {}).step_response("w", "z", times).values == pytest.approx(sim["z"], abs=1e-9)


def test_a_constraint_and_a_turning_frame_are_the_same():
    one, other = linear_two_links(True), linear_two_links(False)
    assert one.x == other.x == ("q2", "q2_dot")
    for y in ("q2", "q2_dot", "tip"):
        assert one.frequency_response("angle", y, HERTZ).values == pytest.approx(
            other.frequency_response("angle", y, HERTZ).values
        )
    assert one.frequency_response("angle", "q1", HERTZ).values == pytest.approx(1)
    assert one.zeros("angle", "q2") == pytest.approx(other.zeros("angle", "q2"), abs=1e-12)


def test_matrices_are_slopes_of_the_accelerations():
    """u' = a(q, u, angle, angle', angle''): central differences of the compiled function."""
    lin = linear_two_links(False)
    n, f, at = lin.matrices(), sb.compile(lin.about.equations), lin.about.state
    point = [at.q, at.u, at.r]
    assert len(at.r) == 3

    def slope(group, k):
        ends = []
        for h in (1e-6, -1e-6):
            moved = [x.copy() for x in point]
            moved[group][k] += h
            ends.append(f.udot(0.0, *moved)[0])
        return (ends[0] - ends[1]) / 2e-6

    rows = np.hstack([n.A, n.B, n.B1, n.B2])[1] / n.E[1, 1]
    places = [(0, 0), (1, 0), (2, 0), (2, 1), (2, 2)]
    assert rows == pytest.approx([slope(*p) for p in places], abs=1e-7)


@pytest.mark.parametrize("is_constrained", [True, False])
def test_small_motions_are_linear(is_constrained):
    """The nonlinear simulation with a small sampled input against the linear response to its sine."""
    lin = linear_two_links(is_constrained)
    eq, size, omega = lin.about.equations, 1e-5, 3.0
    G = lin.frequency_response("angle", "q2", omega / (2 * np.pi)).values[0]
    grid = np.linspace(0, 4, 401)
    law = (grid, 0.3 + size * np.sin(omega * grid))
    start = {"q2": lin.about["q2"] + size * G.imag, "q2_dot": omega * size * G.real}
    begin = sb.assemble(eq, start, start={"q1": 0.3} if is_constrained else {}, inputs={"angle": law})
    times = np.linspace(0, 4, 21)
    sim = sb.simulate(eq, times, begin, inputs={"angle": law}, rtol=1e-11)
    expected = lin.about["q2"] + size * (G * np.exp(1j * omega * times)).imag
    assert sim["q2"] == pytest.approx(expected, abs=1e-4 * size)
    assert sim["angle_dot"] == pytest.approx(size * omega * np.cos(omega * times), abs=1e-5 * size)


def test_replaced_and_reordered_states_respond_alike():
    lin = sb.linearize(sb.derive(quarter_car()), {})
    z, v = sb.symbol("z", "coordinate"), sb.symbol("z", "coordinate").dot
    other = lin.with_states("z_dot", "z").replace_state("z", "s", 2 * z + v)
    assert other.frequency_response("w", "travel", HERTZ).values == pytest.approx(
        lin.frequency_response("w", "travel", HERTZ).values
    )
    stiffer = lin(k=3e4)
    assert stiffer.frequency_response("w", "z", HERTZ).values == pytest.approx(
        lin.frequency_response("w", "z", HERTZ, k=3e4).values
    )


def test_a_motion_with_a_moving_input():
    """An input may grow in a steady motion on which it has no influence; where it has, the motion is not steady."""
    m = sb.Model("turntable")
    angle = m.input("angle")
    disc = m.body("disc", mass=1, inertia=(1, 1, 1), com=(0.3, 0, 0))
    m.prismatic("s", m.ground.rotate("z", angle), disc, axis="x", stiffness=50, damping=1)
    eq = sb.derive(m)
    motion = sb.steady(eq, angle_dot=2.0)
    assert motion["s"] == pytest.approx(4 * 0.3 / (50 - 4))
    m.gravity(0, -9.81, 0)
    falling = sb.steady(sb.derive(m), angle_dot=2.0)
    assert not falling.is_steady
    assert "changes with time" in falling.outcome


def test_matrices_of_rates_are_given_like_the_others():
    """A system from its own matrices answers as the linearised model does."""
    lin = sb.linearize(sb.derive(quarter_car()), {})
    n = lin.matrices()
    made = sb.linear_system(
        n.A, n.B, n.C, n.D, n.E, B1=n.B1, B2=n.B2, D1=n.D1, D2=n.D2, x=list(lin.x), r=list(lin.r), y=list(lin.y)
    )
    for output in (*lin.y, *lin.x):
        expected, found = (s.frequency_response("w", output, [0.3, 1.0, 7.0]).values for s in (lin, made))
        np.testing.assert_allclose(found, expected, rtol=1e-12)
    assert made.numbers.parts == lin.numbers.parts


def test_a_rate_alone_is_an_input():
    """x' = -x + r' has the response s / (s + 1)."""
    lin = sb.linear_system([[-1]], B1=[[1]], r=["r"])
    s = 2j * np.pi * 0.5
    assert lin.frequency_response("r", "x1", [0.5]).values[0] == pytest.approx(s / (s + 1))
    with pytest.raises(sb.errors.StabilityError, match="B2 has shape"):
        sb.linear_system([[-1]], B=[[1]], B2=[[1, 2]])
