"""Inputs as expressions, samples and Python functions, with the rates that equations contain."""

import numpy as np
import pytest
from scipy.interpolate import CubicSpline

import symbody as sb

OMEGA = 2.5
TIMES = np.linspace(0, 4, 21)
GRID = np.linspace(0, 4, 401)


def quarter_car():
    m = sb.Model("quarter car")
    z, w = m.coordinate("z"), m.input("w")
    m.particle("body", m.ground.point(0, 0, z), mass=300)
    m.generalized_force("strut", z, -2e4 * (z - w) - 1500 * (z.dot - w.dot))
    m.output("travel", z - w)
    return sb.derive(m)


def crane():
    """A load on a rope; the length of the rope is an input, and so are its rates in the forces."""
    m = sb.Model("crane")
    length = m.input("length")
    load = m.body("load", mass=2, inertia=(0.1, 0.1, 0.1))
    m.gravity(0, -9.81, 0)
    q = m.coordinate("swing")
    m.fixed("rope", m.ground.rotate("z", q).translate(0, -length, 0), load)
    return sb.derive(m)


@pytest.fixture(scope="module")
def eq():
    return quarter_car()


def steady_motion(t):
    s = 1j * OMEGA
    G = (2e4 + 1500 * s) / (300 * s**2 + 1500 * s + 2e4)
    return (0.05 * G * np.exp(s * t)).imag, (0.05 * s * G * np.exp(s * t)).imag


def simulated(eq, law):
    z, v = steady_motion(0.0)
    return sb.simulate(eq, TIMES, z=z, z_dot=v, inputs={"w": law}, rtol=1e-10)


def wave(t):
    return 0.05 * np.sin(OMEGA * t)


@pytest.mark.parametrize(
    ("law", "error"),
    [
        (lambda eq: 0.05 * sb.sin(OMEGA * eq.t), 1e-9),
        (lambda eq: (GRID, wave(GRID)), 1e-8),
        (lambda eq: (GRID, wave(GRID), "linear"), 2e-5),
        (lambda eq: lambda t: (wave(t), 0.05 * OMEGA * np.cos(OMEGA * t)), 1e-9),
        (lambda eq: lambda t, q, u: (wave(t), 0.05 * OMEGA * np.cos(OMEGA * t)), 1e-9),
    ],
    ids=["expression", "spline", "lines", "function", "function of the state"],
)
def test_rates_are_those_of_the_law(eq, law, error):
    """The exact motion over a wavy road; input, its rates and outputs with it are in the trajectory."""
    sim = simulated(eq, law(eq))
    assert sim.outcome
    assert sim["z"] == pytest.approx(steady_motion(TIMES)[0], abs=error)
    assert sim["w"] == pytest.approx(wave(TIMES), abs=error)
    assert sim["travel"] == pytest.approx(sim["z"] - wave(TIMES), abs=error)
    assert sim["w_dot"][:-1] == pytest.approx(0.05 * OMEGA * np.cos(OMEGA * TIMES)[:-1], abs=max(100 * error, 1e-6))


def test_samples_are_the_spline_of_scipy(eq):
    t, v = np.array([0.0, 0.5, 1.7, 3.0, 4.0]), np.array([0.0, 1.0, -0.5, 0.2, 0.1])
    sim = simulated(eq, (t, v))
    spline = CubicSpline(t, v)
    for name, order in (("w", 0), ("w_dot", 1), ("w_ddot", 2)):
        assert sim[name] == pytest.approx(spline(TIMES, order), abs=1e-12)
    lines = simulated(eq, (t, v, "linear"))
    assert lines["w"] == pytest.approx(np.interp(TIMES, t, v), abs=1e-14)


def test_constant_inputs_do_not_move(eq):
    sim = sb.simulate(eq, 1, w=0.2)
    assert (sim["w"] == 0.2).all()
    assert not sim["w_dot"].any()
    assert not sim["w_ddot"].any()
    with pytest.raises(
        sb.errors.SimulationError, match="w_dot = 3 at the start, but w is a constant; give it as a function of time"
    ):
        sb.simulate(eq, 1, w_dot=3.0)


def test_feedback_that_needs_its_rate(eq):
    """w = -z / 2 moves the road with the body: w' follows from z'."""
    sim = sb.simulate(eq, TIMES, z=0.1, inputs={"w": -eq.q[0] / 2}, rtol=1e-10)
    s = np.roots([300, 1500 * 1.5, 2e4 * 1.5])
    c = np.linalg.solve(np.stack([np.ones(2), s]), [0.1, 0])
    assert sim["z"] == pytest.approx((c @ np.exp(np.outer(s, TIMES))).real, abs=1e-8)
    assert sim["w_dot"] == pytest.approx(-sim["z_dot"] / 2)


def test_a_rope_that_is_wound(eq):
    """A length as an input: energy changes by the power that winding takes, and rates of the length come into the
    forces."""
    eq = crane()
    assert [s.name for s in eq.r] == ["length", "length_dot"]
    law = 2 + 0.3 * sb.sin(1.3 * eq.t)
    grid = np.linspace(-0.1, 4.1, 601)
    exact = sb.simulate(eq, TIMES, swing=0.4, inputs={"length": law}, rtol=1e-11)
    sampled = sb.simulate(eq, TIMES, swing=0.4, inputs={"length": (grid, 2 + 0.3 * np.sin(1.3 * grid))}, rtol=1e-11)
    assert sampled["swing"] == pytest.approx(exact["swing"], abs=1e-7)
    l, dl = exact["length"], exact["length_dot"]
    J, dJ = 2 * l**2 + 0.1, 4 * l * dl
    w, a = exact["swing_dot"], exact["swing_ddot"]
    assert J * a + dJ * w == pytest.approx(-2 * 9.81 * l * np.sin(exact["swing"]), abs=1e-9)


@pytest.mark.parametrize(
    ("law", "says"),
    [
        (lambda eq: wave, r"the rate is needed.*return a tuple \(value, rate\)"),
        (lambda eq: -eq.u[0], "contain w_dot, which would contain z_ddot"),
        (lambda eq: ([0, 1], [0, 1], "quadratic"), "no kind of samples 'quadratic'.*cubic, linear"),
        (lambda eq: ([0, 0], [0, 1]), "times must increase"),
        (lambda eq: ([0, 1, 2], [0, 1]), "two rows of equal length"),
        (lambda eq: lambda t, x: 0.0, "takes t, or"),
        (lambda eq: sb.symbol("lam_rail", "multiplier") * eq.t, "depends on lam_rail"),
        (lambda eq: sb.symbol("gain") * eq.t, "no value for gain"),
        (lambda eq: "up", "is not a number, expression, function"),
    ],
)
def test_refusals(eq, law, says):
    with pytest.raises(sb.SymbodyError, match=says):
        simulated(eq, law(eq))


def test_rates_are_not_given_by_themselves(eq):
    with pytest.raises(
        sb.errors.SimulationError, match="w_dot is a rate of w and follows from it; give w as a function of time"
    ):
        sb.simulate(eq, 1, inputs={"w_dot": 1.0})


def test_prescribed_motions_start_on_their_law():
    m = sb.Model("driven")
    angle = m.input("angle")
    first, second = (m.body(n, mass=1, inertia=(1, 1, 1), com=(0.5, 0, 0)) for n in ("first", "second"))
    m.gravity(0, -9.81, 0)
    m.revolute("q1", m.ground, first, axis="z")
    m.revolute("q2", first, second, axis="z", at=(1, 0, 0))
    m.prescribe("drive", sb.symbol("q1", "coordinate"), angle)
    eq = sb.derive(m)
    assert sb.certify(eq).passed
    law = {"angle": 0.3 + 0.2 * sb.sin(2 * eq.t)}
    by_itself = sb.simulate(eq, 1, inputs=law)
    assert (by_itself["q1"][0], by_itself["q1_dot"][0]) == pytest.approx((0.3, 0.4))
    assert any("q1" in note for note in by_itself.outcome.notes)
    start = sb.assemble(eq, q2=0.1, inputs=law)
    assert (start["q1"], start["q1_dot"]) == pytest.approx((0.3, 0.4))
    sim = sb.simulate(eq, 2, start, inputs=law)
    assert sim["q1"] == pytest.approx(sim["angle"], abs=1e-9)
    with pytest.raises(
        sb.errors.SimulationError, match="contain angle_ddot, which straight lines between samples do not have"
    ):
        sb.simulate(eq, 1, inputs={"angle": ([0, 1, 2], [0, 2.1, 2.3], "linear")})
    held = sb.assemble(eq, angle=0.2, angle_dot=1.5)
    assert (held["q1"], held["q1_dot"]) == pytest.approx((0.2, 1.5))


def test_inverse_dynamics_leaves_driven_inputs_alone():
    m = sb.Model("shaken pendulum")
    q, w, tau = m.coordinate("q"), m.input("w"), m.input("tau")
    m.particle("bob", m.ground.point(w + sb.sin(q), -sb.cos(q), 0), mass=2)
    m.gravity(0, -9.81, 0)
    m.generalized_force("motor", q, tau)
    eq = sb.derive(m)
    found = sb.inverse_dynamics(eq)
    assert [s.name for s in found.inputs] == ["tau"]
    f = sb.compile(eq)
    with pytest.raises(sb.errors.DerivationError, match="w acts by its rate too"):
        sb.inverse_dynamics(eq, ["w"])
    values = {"w": 0.1, "tau": 0.7, "w_ddot": -0.4}
    assert [s.name for s in eq.r] == list(values)
    a = f.udot(0.0, [0.3], [0.5], [values[s.name] for s in eq.r])
    back = f.inverse(0.0, [0.3], [0.5], a, [values[s.name] for s in eq.r if s.name != "tau"])
    assert np.ravel(back[0] if isinstance(back, tuple) else back)[0] == pytest.approx(values["tau"])


def test_an_input_has_one_value(eq):
    for twice in ({"w": 0.1}, {eq.r[0]: 0.1}):
        with pytest.raises(sb.errors.SimulationError, match="w has a value, and a law in inputs=; leave out one"):
            sb.simulate(eq, 1, values=twice, inputs={"w": 0.1 * eq.t})


def test_laws_contain_references(eq):
    """A law with a reference, put in at once, in two steps, or with the reference written out: one motion. The rate of
    the input brings in that of the reference."""
    z, goal = eq.q[0], sb.symbol("goal", "input")
    law, samples = 0.8 * goal - 0.3 * z, (GRID, wave(GRID))
    following = sb.closed_loop(eq, {"w": law})
    assert [s.name for s in following.r] == ["goal", "goal_dot"]
    written = sb.simulate(eq, TIMES, inputs={"w": 0.8 * 0.05 * sb.sin(OMEGA * eq.t) - 0.3 * z}, rtol=1e-10)
    at_once = sb.simulate(eq, TIMES, inputs={"w": law, "goal": samples}, rtol=1e-10)
    in_two = sb.simulate(following, TIMES, inputs={"goal": samples}, rtol=1e-10)
    for sim in (at_once, in_two):
        assert np.allclose(sim["z"], written["z"], atol=1e-8)
        assert np.allclose(sim["w"], written["w"], atol=1e-8)
        assert np.allclose(sim["w_dot"], 0.8 * 0.05 * OMEGA * np.cos(OMEGA * TIMES) - 0.3 * sim["z_dot"], atol=1e-6)
    held = sb.simulate(eq, TIMES, inputs={"w": law, "goal": 0.05})
    assert np.allclose(held["w"], 0.04 - 0.3 * held["z"])


def test_laws_in_a_circle_are_refused(eq):
    w, goal = eq.r[0], sb.symbol("goal", "input")
    for laws in ({"w": goal + eq.q[0], "goal": w}, {"w": 2 * w}):
        with pytest.raises(sb.errors.SimulationError, match="depend on each other in a cycle"):
            sb.simulate(eq, 1, inputs=laws)
    with pytest.raises(sb.errors.SimulationError, match="no input 'gaol'; there are w, w_dot, goal"):
        sb.simulate(eq, 1, inputs={"w": goal, "gaol": 1.0})


@pytest.mark.parametrize("kind", ["cubic", "linear", "held"])
@pytest.mark.parametrize("is_closed", [True, False])
def test_periodic_tables(kind, is_closed):
    """SciPy's periodic spline, and its two derivatives, also where the table begins again."""
    x = np.array([0.3, 0.9, 1.4, 2.6, 3.3, 4.0, 5.1, 0.3 + 2 * np.pi])
    y = np.array([1.0, 2.0, -0.5, 0.3, 0.8, 2.2, 1.1, 1.0])
    n = len(x) - (not is_closed)
    s = sb.symbol("s", "coordinate")
    f = sb.integrate.interpolation("f", x[:n], y[:n], kind, period=2 * np.pi)(s)
    at = np.concatenate((np.linspace(-20, 31, 400), 0.3 + 1e-9 * np.array([-1, 1])))
    inside = x[0] + np.mod(at - x[0], 2 * np.pi)
    wanted = {"cubic": CubicSpline(x, y, bc_type="periodic"), "linear": lambda a: np.interp(a, x, y),
              "held": lambda a: y[np.searchsorted(x, a, "right") - 1]}[kind]  # fmt: skip
    assert np.allclose([sb.evaluate(f, {s: a}) for a in at], wanted(inside), atol=1e-7)
    if kind == "cubic":
        for order in (1, 2):
            f = sb.derivative(f, s)
            assert np.allclose([sb.evaluate(f, {s: a}) for a in at], wanted(inside, order), atol=1e-6)


@pytest.mark.parametrize(
    ("period", "y", "message"),
    [(5.0, [1, 2, 1], "more than the period 5"), (6.0, [1, 2, 3], "1 at 0 and 3 one period later"), (-1, [1, 2, 1], "positive, got -1")],
)  # fmt: skip
def test_periods_that_cannot_be(period, y, message):
    with pytest.raises(sb.errors.ExpressionError, match=message):
        sb.integrate.interpolation("f", [0, 2, 6], y, period=period)
