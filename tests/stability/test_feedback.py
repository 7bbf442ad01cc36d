"""Closed loops are one model: the same laws in simulate, steady, linearize, assemble and closed_loop; LQR and pole
placement."""

import numpy as np
import pytest
from scipy.linalg import solve_continuous_are

import symbody as sb


def cart_pole():
    m = sb.Model("cart and pole")
    x, a, force = m.coordinate("x"), m.coordinate("a"), m.input("force")
    wind = m.input("wind")
    m.particle("cart", m.ground.point(x, 0, 0), mass=2)
    m.particle("bob", m.ground.point(x + 0.5 * sb.sin(a), 0.5 * sb.cos(a), 0), mass=1)
    m.gravity(0, -9.81, 0)
    m.generalized_force("motor", x, force)
    m.generalized_force("gust", a, wind)
    m.output("tip", x + 0.5 * sb.sin(a))
    return sb.derive(m)


@pytest.fixture(scope="module")
def eq():
    return cart_pole()


@pytest.fixture(scope="module")
def lin(eq):
    return sb.linearize(eq, sb.steady(eq))


def test_lqr_is_the_solution_of_its_riccati_equation(lin):
    weights = {"x": 4.0, "a": 10.0}
    found = lin.lqr(weights, 0.1, inputs=["force"])
    space = lin.state_space()
    A, B = space.A, space.B[:, [lin.numbers.input("force")]]
    S = solve_continuous_are(A, B, np.diag([4.0, 10, 0, 0]), [[0.1]])
    assert found.K == pytest.approx(B.T @ S / 0.1)
    assert found.eigenvalues.real.max() < 0
    assert lin.lqr([4, 10, 0, 0], [0.1], inputs=["force"]).K == pytest.approx(found.K)
    assert lin.lqr(np.diag([4.0, 10, 0, 0]), [[0.1]], inputs=["force"]).K == pytest.approx(found.K)


@pytest.mark.parametrize("make", ["lqr", "place"])
def test_the_loop_is_closed_alike_in_every_call(eq, lin, make):
    """Eigenvalues of the linearised closed loop are those promised; the nonlinear simulation decays to the
    equilibrium."""
    poles = [-2.0, -2.5, -3 + 1j, -3 - 1j]
    loop = lin.lqr(1.0, inputs=["force"]) if make == "lqr" else lin.place(poles, inputs=["force"])
    rest = sb.steady(eq, inputs=loop)
    closed = sb.linearize(eq, rest, inputs=loop)
    assert closed.r == ("wind",)
    assert np.sort_complex(closed.eigenvalues()) == pytest.approx(np.sort_complex(loop.eigenvalues))
    assert np.sort_complex(sb.linearize(eq, lin.about, inputs=loop).eigenvalues()) == pytest.approx(
        np.sort_complex(loop.eigenvalues)
    )
    if make == "place":
        assert np.sort_complex(loop.eigenvalues) == pytest.approx(np.sort_complex(np.array(poles)))
    sim = sb.simulate(eq, 20, a=0.1, inputs=loop)
    assert sim.outcome
    assert abs(sim["a"][-1]) < 1e-4
    gains = dict(zip(loop.states, loop.K[0], strict=True))
    assert sim["force"] == pytest.approx(-sum(k * sim[n] for n, k in gains.items()), abs=1e-12)
    same = sb.simulate(sb.closed_loop(eq, loop), sim.t, a=0.1)
    assert same["tip"] == pytest.approx(sim["tip"], abs=1e-6)


def test_gains_as_parameters(eq):
    """A loop with free gains: a locus over one of them, against the closed form of the characteristic polynomial."""
    kp, kd = sb.symbols("kp kd")
    x, a = eq.q
    law = {"force": kp * a + kd * a.dot + 3 * x + 4 * x.dot}
    lin = sb.linearize(eq, sb.steady(eq, inputs=law), inputs=law)
    assert {s.name for s in lin.parameters} >= {"kp", "kd"}
    open_loop = sb.linearize(eq, sb.steady(eq)).state_space()
    K = np.array([[-3.0, -70.0, -4.0, -9.0]])
    expected = np.linalg.eigvals(open_loop.A - open_loop.B[:, [0]] @ K)
    assert np.sort_complex(lin.eigenvalues(kp=70.0, kd=9.0)) == pytest.approx(np.sort_complex(expected))
    assert lin.root_locus(kp=(40, 90), kd=9.0, points=20).critical
    sim = sb.simulate(eq, 2, a=0.05, inputs=law, kp=70.0, kd=9.0)
    assert sim["force"][0] == pytest.approx(70 * 0.05)
    with pytest.raises(sb.SymbodyError, match="kp, kd"):
        sb.simulate(eq, 2, a=0.05, inputs=law)


def test_feedback_holds_another_equilibrium(eq):
    """About a point that the input holds against the wind: r0 and x0 are in the law."""
    held = sb.steady(eq, wind=0.4, zero=["x"], free=["force"])
    loop = sb.linearize(eq, held).lqr(1.0, inputs=["force"])
    rest = sb.steady(eq, wind=0.4, inputs=loop, start={"a": held["a"]})
    assert rest["a"] == pytest.approx(held["a"], abs=1e-9)
    sim = sb.simulate(eq, 20, x=0.1, a=held["a"], wind=0.4, inputs=loop)
    assert sim["a"][-1] == pytest.approx(held["a"], abs=1e-5)
    assert sim["force"][-1] == pytest.approx(held["force"], abs=1e-4)


def test_python_control_agrees(lin):
    """An independent implementation of both."""
    control = pytest.importorskip("control")
    space = lin.state_space()
    K, _, _ = control.lqr(space.A, space.B, np.eye(4), 2 * np.eye(2))
    assert lin.lqr(1.0, 2.0).K == pytest.approx(np.asarray(K), rel=1e-6)


@pytest.mark.parametrize(
    ("ask", "says"),
    [
        (lambda lin: lin.lqr({"y": 1.0}), "Q has y; it weighs x, a"),
        (lambda lin: lin.lqr([1, 2]), "Q must be a number, one for each of"),
        (lambda lin: lin.lqr(1.0, -1.0), "R must be positive definite"),
        (lambda lin: lin.lqr(-1.0), "Q must not be negative"),
        (lambda lin: lin.lqr(1.0, inputs=["torque"]), "no input 'torque'"),
        (lambda lin: lin.lqr(1.0, inputs=[]), "feedback needs an input"),
        (lambda lin: lin.lqr("heavy"), "Q must be a number, one for each of"),
        (lambda lin: lin.lqr({"x": "heavy"}), "Q must be a number, one for each of"),
        (lambda lin: lin.lqr(np.nan), "Q must be a number, one for each of"),
        (lambda lin: lin.place("left"), "poles are 4 numbers"),
        (lambda lin: lin.place([-1, -2, np.nan, -3]), "poles are 4 numbers"),
        (lambda lin: lin.map(3), "takes a function of matrices"),
        (lambda lin: lin.map(lambda m: 1), "not a matrix of that shape"),
        (lambda lin: lin.numbers.matrices_at([1.0, 2.0], [3.0]), "takes rows of"),
        (lambda lin: lin.place([-1, -2]), "2 poles for 4 states"),
        (lambda lin: lin.place([-1] * 4, inputs=["force"]), "none more often than there are inputs"),
    ],
)
def test_refusals(lin, ask, says):
    with pytest.raises(sb.errors.StabilityError, match=says):
        ask(lin)


def test_modes_out_of_reach_are_named():
    lin = sb.linear_system([[1.0, 0], [0, -2]], [[0.0], [1]], x=["apart", "moved"], r=["push"])
    with pytest.raises(sb.errors.StabilityError, match=r"push does not reach the mode s = 1 \(of apart\)"):
        lin.lqr(1.0)
    decaying = sb.linear_system([[-1.0, 0], [0, -2]], [[0.0], [1]], x=["apart", "moved"], r=["push"])
    assert decaying.lqr(1.0).K[0, 0] == pytest.approx(0, abs=1e-15)
    with pytest.raises(sb.errors.StabilityError, match="gains K, but no laws"):
        dict(decaying.lqr(1.0))


def test_inputs_with_rates_do_not_follow_states():
    m = sb.Model("quarter car")
    z, w = m.coordinate("z"), m.input("w")
    m.particle("body", m.ground.point(0, 0, z), mass=300)
    m.generalized_force("strut", z, -2e4 * (z - w) - 1500 * (z.dot - w.dot))
    with pytest.raises(sb.errors.StabilityError, match="w acts by its rate too"):
        sb.linearize(sb.derive(m), {}).lqr(1.0)


def test_gains_between_parts_that_nothing_couples_are_zero():
    """Two masses, each with its own force: what the Riccati equation leaves between them is rounding."""
    A = np.block([[np.array([[0, 1], [3, -0.1]]), np.zeros((2, 2))], [np.zeros((2, 2)), np.array([[0, 1], [0, 0]])]])
    B = np.array([[0, 0], [0.7, 0], [0, 0], [0, 0.3]])
    lin = sb.linear_system(A, B=B, x=["a", "b", "c", "d"], r=["F", "G"])
    found = lin.lqr(1.0, 1.0)
    assert (found.K[0, 2:] == 0).all()
    assert (found.K[1, :2] == 0).all()
    assert (found.K[0, :2] != 0).all()
    assert "0 c" not in str(found)
    coupled = lin.lqr(np.ones((4, 4)) + np.eye(4), 1.0)
    assert (coupled.K != 0).all()
