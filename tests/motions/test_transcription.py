"""Transcription: exact sparse derivatives, orders of the methods, the same motion by both forms."""

import numpy as np
import pytest

import symbody as sb
from bench.motion_cases import brachistochrone, cart_pole_equations, cycloid_time
from symbody.kits import motions
from symbody.kits.motions.transcription.collocation_tables import collocation_table


def bead(form):
    """A bead on a ring that flies off: a constraint, a chosen parameter, all kinds of statements, a jump of speeds."""
    m = sb.Model("bead")
    x, y = m.coordinates("x y")
    mass = m.parameter("mass", 1.5)
    force = m.input("F")
    m.particle("bead", m.ground.point(x, y, 0), mass=mass)
    m.generalized_force("push", x, force * (1 + m.time / 3))
    m.gravity(0, -9.81, 0)
    free = sb.derive(m)
    m.constrain("ring", (x**2 + y**2 - 1) / 2)
    ring = sb.derive(m)
    problem = motions.Problem("bead")
    fly = problem.phase("fly", free, duration=(0.2, 1.0)).start(x=0.5, y=1.5).cost("time", integral=1, weight=0.3)
    fly.path("height", y * x, low=-5).condition("speed", free.u[0] ** 2, (0, 9)).integral(
        "work", force * free.u[0], (-9, 9)
    )
    land = problem.phase("land", ring, duration=1.0, form=form).end(x=0).cost("effort", integral=force**2)
    land.cost("rest", end=ring.u[0] ** 2).bounds(F=(-50, 50))
    if form == "explicit":
        problem.link(
            fly, land, jump={"x_dot": free.u[0] / (1 + free.u[1] ** 2), "y_dot": free.u[1] / 2}, free=["y_dot"]
        )
    else:
        problem.link(fly, land, impact=True)
    problem.choose(mass=(1, 2))
    return problem


@pytest.mark.parametrize(
    ("form", "method"), [("explicit", "hermite-simpson"), ("explicit", "shooting"), ("implicit", "radau")]
)
def test_derivatives_are_those_of_the_values(form, method):
    """Gradient, Jacobian and Hessian of the Lagrangian against central differences, at a random point."""
    t = bead(form).transcription(2, method, None if method == "hermite-simpson" else 2)
    program, rng = t.program, np.random.default_rng(0)
    z = t.guess + 0.1 + 0.3 * rng.random(t.n)
    lam = rng.normal(size=program.linear.shape[0])

    def lagrangian_gradient(z):
        first = program.first(z)
        return 0.7 * first.gradient + program.jacobian_pattern.matrix(first.jacobian).T @ lam

    h, eye = 1e-6, np.eye(t.n)
    ends = [(program.first(z + h * e), program.first(z - h * e)) for e in eye]
    first = program.first(z)
    J = np.array([(b.rows - a.rows) / (2 * h) for b, a in ends]).T
    assert program.jacobian_pattern.matrix(first.jacobian).toarray() == pytest.approx(J, abs=1e-6 * np.abs(J).max())
    slope = [(b.cost - a.cost) / (2 * h) for b, a in ends]
    assert first.gradient == pytest.approx(slope, abs=1e-6 * np.abs(slope).max())
    H = np.array([(lagrangian_gradient(z + h * e) - lagrangian_gradient(z - h * e)) / (2 * h) for e in eye])
    upper = program.hessian_pattern.matrix(program.hessian(z, 0.7, lam)).toarray()
    assert np.abs(np.tril(upper, -1)).max() == 0
    assert upper + np.triu(upper, 1).T == pytest.approx(H, abs=1e-5 * np.abs(H).max())


@pytest.mark.parametrize(
    ("method", "degree", "order"),
    [("trapezoidal", None, 2), ("hermite-simpson", None, 4), ("radau", 2, 3), ("radau", 3, 5)],
)
def test_order_of_the_method(method, degree, order):
    """The rows of the table, as a Runge-Kutta step of x' = λ x, against the exponential."""
    table = collocation_table(method, degree)
    A, B = table.rows

    def end(h):
        system = A[:, 1:] - h * B[:, 1:]
        return np.linalg.solve(system, -(A[:, 0] - h * B[:, 0]))[-1]

    errors = [abs(end(h) - np.exp(h)) for h in (0.2, 0.1)]
    assert np.log2(errors[0] / errors[1]) == pytest.approx(order + 1, abs=0.25)
    assert table.order == order
    assert table.weights.sum() == pytest.approx(1)


def test_shooting_ends_where_simulate_does():
    """Steps of Runge-Kutta with the inputs of `simulate`: no collocation error between nodes; errors are those of steps."""
    pytest.importorskip("casadi", reason="casadi is not installed (pip install casadi)")
    motion = brachistochrone().solve(20, method="shooting", degree=2)
    assert motion.objective == pytest.approx(cycloid_time(), rel=1e-7)
    assert motion.check().relative < 1e-7
    assert motion.error < 1e-8
    coarse = brachistochrone().solve(4, method="shooting", degree=1)
    assert coarse.error > 1e-6


def test_both_forms_have_the_same_motion():
    pytest.importorskip("casadi", reason="casadi is not installed (pip install casadi)")
    eq, found = cart_pole_equations(), []
    for form in ("explicit", "implicit"):
        problem = motions.Problem("swing")
        swing = problem.phase("swing", eq, 2.0, form=form).start(x=0, a=0, x_dot=0, a_dot=0).end(a=np.pi, a_dot=0)
        swing.cost("effort", integral=eq.r[0] ** 2)
        found.append(problem.solve(20, method="radau"))
    assert found[0].objective == pytest.approx(found[1].objective, rel=1e-7)
    assert found[0]["x"] == pytest.approx(found[1]["x"], abs=1e-5)


def test_constraints_hold_at_all_nodes_of_the_implicit_form():
    """A bead on a ring: φ and its rate vanish at every node, and the force is that of the motion by `simulate`."""
    pytest.importorskip("casadi", reason="casadi is not installed (pip install casadi)")
    m = sb.Model("bead")
    x, y = m.coordinates("x y")
    m.particle("bead", m.ground.point(x, y, 0), mass=1)
    m.constrain("ring", (x**2 + y**2 - 1) / 2)
    m.gravity(0, -9.81, 0)
    m.generalized_force("F", x, m.input("F"))
    eq = sb.derive(m)
    problem = motions.Problem("bead")
    go = problem.phase("go", eq, 1.5).start(x=0, y=-1, x_dot=0, y_dot=0).end(x=0.8, y=(-0.7, -0.5), x_dot=0)
    go.cost("effort", integral=eq.r[0] ** 2)
    motion = problem.solve(15)
    assert motion.outcome
    assert np.abs(motion["x"] ** 2 + motion["y"] ** 2 - 1).max() < 1e-9
    assert np.abs(motion["x"] * motion["x_dot"] + motion["y"] * motion["y_dot"]).max() < 1e-8
    check = motion.check()
    assert check.relative < 1e-3
    force = check.trajectories["go"].lam[:, 0]
    assert motion[eq.lam[0].name][2:-2] == pytest.approx(force[2:-2], abs=0.05)


def test_variables_without_rates_are_unknowns_of_nodes():
    """y + y³ = s, s' = u - s: the optimum is that of y' = (u - y - y³) / (1 + 3 y²); rates that a row gives are no
    unknowns."""
    pytest.importorskip("casadi", reason="casadi is not installed (pip install casadi)")
    s, y, u = sb.symbols("s y u", kind="variable")
    implicit = sb.from_equations({s: u - s}, implicit={y: y + y**3 - s}, inputs=[u])
    explicit = sb.from_equations({y: (u - y - y**3) / (1 + 3 * y**2)}, inputs=[u])
    found = []
    for eq, form in ((implicit, "implicit"), (explicit, "explicit")):
        problem = motions.Problem("spring")
        go = problem.phase("go", eq, 1.0, form=form).condition("from", y, 0, at="start").condition("to", y, 1)
        go.cost("effort", integral=u**2 + (s.dot if form == "implicit" else (u - y - y**3)) ** 2)
        found.append(problem.solve(20, method="hermite-simpson"))
    motion, other = found
    form = motion.transcription.meshes["go"].phase.form
    assert ([x.name for x in form.states], [x.name for x in form.unknowns]) == (["s"], ["y"])
    assert motion["y"] + motion["y"] ** 3 == pytest.approx(motion["s"], abs=1e-9)
    assert motion.objective == pytest.approx(other.objective, rel=1e-6)
    assert motion.error < 1e-5
