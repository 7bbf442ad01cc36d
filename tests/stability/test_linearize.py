"""Linearisation: forms of equations, names, outputs, other states, code, and what is refused."""

import math
import sys
from typing import Any

import numpy as np
import pytest

import symbody as sb
from examples import bicycle, motorcycle

V = sb.symbol("V")


def pendulum() -> sb.Model:
    """With everything: an input, an output, a filter (differential) and a spring force of its own (algebraic)."""
    m = sb.Model("pendulum")
    p = m.parameters(l=0.5, mass=2.0, g=9.81, k=3.0, T=0.2, c=0.1)
    torque = m.input("torque")
    rod = m.body("rod", mass=p.mass, com=(0, -p.l, 0))
    m.gravity(0, -p.g, 0)
    m.revolute("theta", m.ground, rod, damping=p.c)
    theta = m.symbols_of_kind("coordinate")[0]
    slow, force = m.variable("slow"), m.variable("spring")
    m.equation("filter", p.T * slow.dot + slow - torque)
    m.equation("spring law", force - p.k * theta)
    m.generalized_force("drive", theta, slow - force)
    m.output("height", -p.l * sb.cos(theta))
    m.output("place", [p.l * sb.sin(theta), theta.dot + slow])
    return m


@pytest.fixture(scope="module")
def equations() -> sb.Equations:
    return sb.derive(pendulum())


@pytest.fixture(scope="module")
def lin(equations) -> sb.LinearSystem:
    return sb.linearize(equations, {})


def test_names_and_entries(lin):
    """ml² θ'' = -c θ' - m g l θ + slow - spring;  T slow' = torque - slow;  0 = k θ - spring."""
    assert lin.x == ("theta", "theta_dot", "slow", "spring")
    assert lin.r == ("torque",)
    assert lin.y == ("height", "place[0]", "place[1]")
    l, mass, g, k, T, c = sb.symbols("l mass g k T c")
    at = {l: 0.7, mass: 1.3, g: 9.0, k: 2.0, T: 0.3, c: 0.2}
    E, A, B, C, D = (
        np.array(sb.evaluate(m, at), dtype=float).reshape(m.shape) for m in (lin.E, lin.A, lin.B, lin.C, lin.D)
    )
    J = 1.3 * 0.7**2
    assert E == pytest.approx(np.diag([1, J, 0.3, 0]))
    assert pytest.approx(np.array([[0, 1, 0, 0], [-1.3 * 9 * 0.7, -0.2, 1, -1], [0, 0, -1, 0], [2, 0, 0, -1]])) == A
    assert B[:, 0] == pytest.approx([0, 0, 1, 0])
    assert pytest.approx(np.array([[0, 0, 0, 0], [0.7, 0, 0, 0], [0, 1, 1, 0]])) == C
    assert pytest.approx(0) == D


def test_singular_e_has_an_infinite_eigenvalue(lin):
    spectrum = lin.modes()
    assert spectrum.infinite == 1
    expected = [-5, *np.roots([0.5, 0.1, 2 * 9.81 * 0.5 + 3])]
    assert sorted(spectrum.eigenvalues, key=abs) == pytest.approx(
        sorted(expected, key=lambda s: (abs(s), s.imag)), abs=1e-10
    )
    assert np.abs(spectrum.eigenvalues).max() < 10
    assert spectrum[1].shape["spring"] == pytest.approx(3 * spectrum[1].shape["theta"])


def test_explicit_form_eliminates_what_is_algebraic(lin):
    space = lin.state_space()
    assert space.A.shape == (3, 3)
    s = 2.0j
    n = lin.matrices()
    whole = n.C @ np.linalg.solve(s * n.E - n.A, n.B) + n.D
    assert space.C @ np.linalg.solve(s * np.eye(3) - space.A, space.B) + space.D == pytest.approx(whole)


def test_code_of_the_matrices(lin):
    """The program of the parameters gives the same numbers as text for C and NumPy would."""
    program = sb.stability.matrix_program(lin, "pendulum_matrices")
    E, A, *_ = sb.emit.numpy_function(program)(np.array(list(lin.numbers.values({}).values())))
    assert np.array(E) == pytest.approx(lin.matrices().E)
    assert np.array(A) == pytest.approx(lin.matrices().A)
    assert "void pendulum_matrices(" in sb.c_source(program).header


def test_numbers_for_some_or_many_parameters(lin):
    half = lin(k=1.0, c=0.0)
    assert {s.name for s in half.parameters} == {"l", "mass", "g", "T"}
    assert half.matrices().A == pytest.approx(lin.matrices(k=1.0, c=0.0).A)
    many = lin.matrices(k=np.array([1.0, 2.0]), c=0.5)
    assert many.A.shape == (2, 4, 4)
    assert many.A[1] == pytest.approx(lin.matrices(k=2.0, c=0.5).A)


def test_expressions_for_parameters(lin):
    """A parameter in terms of others, old and new: loci go over the new one."""
    w, mass, l = sb.symbols("w mass l")
    tuned = lin(k=mass * l * l * w**2)
    assert "k" not in {s.name for s in tuned.parameters}
    given = tuned.matrices(w=3.0).A
    assert given == pytest.approx(lin.matrices(k=9.0 * lin.defaults[mass] * lin.defaults[l] ** 2).A)
    assert tuned.eigenvalues(method="qz", w=3.0) == pytest.approx(tuned.eigenvalues(w=3.0), abs=1e-8)


def test_slopes_of_matrices(lin):
    rows, points = lin.numbers.sets({"l": [0.6]})
    slope = lin.numbers.derivatives_at("l", rows, points)
    h = 1e-6
    assert slope.A[0] == pytest.approx((lin.matrices(l=0.6 + h).A - lin.matrices(l=0.6 - h).A) / (2 * h), abs=1e-6)
    assert slope.C[0] == pytest.approx((lin.matrices(l=0.6 + h).C - lin.matrices(l=0.6 - h).C) / (2 * h), abs=1e-6)


def test_moving_points_have_their_accelerations(equations):
    """Half way down and moving: stiffness is that of the slope there, which a steady point would not have."""
    lin = sb.linearize(equations, {"theta": 1.0, "theta_dot": 2.0, "spring": 3.0, "slow": 0.5}, moving=True)
    row = lin.matrices().A[1]
    assert row == pytest.approx([-2 * 9.81 * 0.5 * math.cos(1.0), -0.1, 1, -1])
    assert lin.about is None


def test_operating_point_moves_with_parameters(equations):
    """A torque holds the pendulum at an angle that depends on the spring."""
    lin = sb.linearize(equations, sb.steady(equations, values={"torque": 2.0}))
    theta = lin.about["theta"]
    assert lin.matrices().A[1, 0] == pytest.approx(-9.81 * math.cos(theta))
    softer = sb.steady(equations, values={"torque": 2.0}, k=1.0)["theta"]
    assert lin.matrices(k=1.0).A[1, 0] == pytest.approx(-9.81 * math.cos(softer))
    assert lin(k=1.0).matrices().A == pytest.approx(lin.matrices(k=1.0).A)
    with pytest.raises(sb.errors.StabilityError, match=r"k cannot be expressions.*known in numbers only"):
        lin(k=sb.symbol("w") ** 2)


# ------------------------------------------------------------------------------------------------ other states


@pytest.fixture(scope="module")
def straight() -> sb.LinearSystem:
    eq = sb.derive(bicycle.model())
    return sb.linearize(eq, sb.steady(eq, values={"x_dot": V}, zero=["y", "q3", "q1", "q2"]))


def test_a_sweep_of_operating_points_compiles_once(monkeypatch):
    """Derivatives of the rows with respect to the parameter are compiled at the first of many points."""
    steady = sys.modules["symbody.stability.equilibria.steady_problem"]
    m = sb.Model("pendulum")
    p = m.parameters(l=0.5, mass=2.0, g=9.81, T=1.0)
    rod = m.body("rod", mass=p.mass, com=(0, -p.l, 0))
    m.gravity(0, -p.g, 0)
    m.revolute("theta", m.ground, rod)
    m.generalized_force("push", m.symbols_of_kind("coordinate")[0], p.T)
    eq = sb.derive(m)
    lin = sb.linearize(eq, sb.steady(eq))
    assert lin.numbers.unknowns
    made = []
    compiled = steady.compile_program
    monkeypatch.setattr(steady, "compile_program", lambda x, **how: (made.append(x.name), compiled(x, **how))[1])
    locus = lin.root_locus(points=30, T=(0.5, 9.0))
    assert len(locus.values) >= 30
    assert made.count("steady_slopes") == 1
    assert locus.eigenvalues[:, 1].imag ** 2 == pytest.approx(
        np.sqrt((2 * 9.81 * 0.5) ** 2 - locus.values**2) / (2 * 0.25)
    )


def test_second_order_in_numbers(straight):
    """The same numbers as those of the first-order form at the same values; symbols of speeds are dots in LaTeX."""
    form = straight.second_order("q1", "q2")
    found, first = form.matrices(V=4.0), form.system.matrices(V=4.0)
    rates = [form.system.numbers.state(f"{q}_dot") for q in form.q]
    places = [form.system.numbers.state(q) for q in form.q]
    assert found.M == pytest.approx(first.E[np.ix_(rates, rates)])
    assert found.D + found.G == pytest.approx(-first.A[np.ix_(rates, rates)])
    assert found.K + found.N == pytest.approx(-first.A[np.ix_(rates, places)])
    assert not np.allclose(found.K, form.matrices(V=5.0).K)
    with pytest.raises(sb.errors.StabilityError, match="'v'"):
        form.matrices(v=4.0)
    assert "_{dot}" not in straight.latex()
    assert r"\dot{q}_{1}" in straight.latex()


def test_cyclic_coordinates(straight):
    assert sb.stability.cyclic_states(straight) == ("x", "y", "q3", "q4", "q5")
    left = straight.without(*sb.stability.cyclic_states(straight))
    assert left.x == ("q1", "q2", "x_dot", "q1_dot", "q2_dot")
    assert left.y == ("rear hub[2]",)  # where the hub is along the road is no function of what is left
    with pytest.raises(sb.errors.StabilityError, match="q2 cannot be left out, the equation of q3 depends on it"):
        straight.without("q2")
    names = ("q2_dot", "x_dot", "q1", "q1_dot", "q2")
    chosen = straight.with_states(*names)
    assert chosen.x == names
    assert chosen.y == left.y
    assert chosen.eigenvalues(V=5) == pytest.approx(left.eigenvalues(V=5), abs=1e-9)
    with pytest.raises(sb.errors.StabilityError, match="with_states has q1 more than once"):
        straight.with_states("q1", "q2", "q1")
    with pytest.raises(sb.errors.StabilityError, match="cannot be left out"):
        straight.with_states("q1", "q1_dot")


def test_exchanged_states_keep_the_spectrum(straight):
    q1, q2 = sb.symbols("q1 q2", "coordinate")
    left = straight.without(*sb.stability.cyclic_states(straight))
    other = left.replace_state("q1", "lean", 2 * q1 + V * q2).with_states("x_dot", "lean", "q2", "q2_dot", "q1_dot")
    assert other.eigenvalues(V=5) == pytest.approx(left.eigenvalues(V=5), abs=1e-8)
    assert other.modes(V=5)[1].shape["q1"] == pytest.approx(left.modes(V=5)[1].shape["q1"])
    with pytest.raises(sb.errors.StabilityError, match="is not a linear combination of the states"):
        left.replace_state("q1", "lean", q1**2)
    with pytest.raises(sb.errors.StabilityError, match="lean does not contain q1"):
        left.replace_state("q1", "lean", q2)


def test_dependent_coordinates_in_modes(straight):
    """The heading's rate belongs to the steer angle by the wheelbase; δ stays zero to first order."""
    mode = straight.without(*sb.stability.cyclic_states(straight), "x_dot").modes(V=5)[1]
    assert set(mode.shape) >= {"q1", "q2", "delta", "q3_dot"}
    assert mode.shape["delta"] == pytest.approx(0, abs=1e-12)
    assert max(abs(mode.shape[n]) for n in ("q1", "q2", "delta")) == pytest.approx(1)
    assert sum(mode.participation.values()) == pytest.approx(1)
    assert mode.phases["q2"] == pytest.approx(0)
    assert mode.damping_ratio == pytest.approx(2.36706 / abs(-2.36706 + 7.11211j), abs=1e-5)


# ------------------------------------------------------------------------------------------------ refusals


@pytest.mark.parametrize(
    ("about", "options", "says"),
    [
        ({"theta": 0.3}, {}, "the point is not steady.* has a residual of .*steady\\(eq, ...\\), or pass moving=True"),
        ({"thetas": 0.3}, {}, "there is no coordinate, speed, variable or input 'thetas'"),
        (
            {},
            {"outputs": {"push": sb.symbol("other", "coordinate")}},
            "output 'push' is not a function of the state",
        ),
        ({}, {"independent": ["phi"]}, "there is no coordinate or speed 'phi'"),
        ({}, {"drop": ["theta"]}, "theta cannot be left out"),
        ({}, {"kk": 2.0}, "'kk' is neither a name of the model nor an option.*Did you mean 'k'"),
        ({"theta": 0.3, "spring": 0.0}, {"moving": True}, "equation 'spring law' is violated by"),
    ],
)
def test_bad_input(equations, about, options, says):
    with pytest.raises(sb.errors.StabilityError, match=says):
        sb.linearize(equations, about, **options)


def test_points_off_the_constraints_are_refused():
    eq = sb.derive(bicycle.model())
    with pytest.raises(
        sb.errors.StabilityError, match=r"not on the constraints, constraint 'front.contact' is violated by"
    ):
        sb.linearize(eq, {"delta": 0.1}, moving=True)
    with pytest.raises(sb.errors.StabilityError, match=r"rate of constraint 'rear.roll_x' is violated by 5"):
        sb.linearize(eq, {"x_dot": 5.0})


def test_numbers_need_all_parameters(straight):
    with pytest.raises(sb.errors.StabilityError, match="no value for V; give one by name"):
        straight.eigenvalues()
    with pytest.raises(
        sb.errors.StabilityError, match=r"'v' is neither a name of the model nor an option.*Did you mean 'V'"
    ):
        straight.eigenvalues(v=5)


def test_states_can_be_operating_points(equations, straight):
    """An assembled state, at rest or moving, with its parameters; rounding in speeds is no motion."""
    bike = straight.about.equations
    still: dict[str, Any] = dict.fromkeys(("y", "q3", "q1", "q2", "q1_dot", "q2_dot", "q3_dot"), 0.0)
    running = sb.assemble(bike, x_dot=5.0, b=0.05, **still)
    found = sb.linearize(bike, running, drop="cyclic").without("x_dot").eigenvalues()
    assert found == pytest.approx(
        straight.without(*sb.stability.cyclic_states(straight), "x_dot").eigenvalues(V=5.0, b=0.05), abs=1e-8
    )
    falling = sb.assemble(bike, x_dot=5.0, **still | {"q1_dot": 0.3})
    with pytest.raises(sb.errors.StabilityError, match=r"q1 cannot drift.*pass moving=True"):
        sb.linearize(bike, falling)
    assert len(sb.linearize(bike, falling, moving=True).x) == 10
    with pytest.raises(sb.errors.StabilityError, match="the state is that of other equations"):
        sb.linearize(equations, running)


def test_what_is_no_number_is_named():
    lin = motorcycle.straight_running()
    for ask in (lin.eigenvalues, lin.modes, lambda **v: lin.root_locus(points=10, V=(v["V"], 10.0))):
        with pytest.raises(sb.errors.StabilityError, match=r"the entry E\[Yr, Yr\] is inf at sigma = 0.2438, V = 0"):
            ask(V=0.0)
    with pytest.raises(sb.errors.StabilityError, match="V must be a number, got 'fast'"):
        lin.eigenvalues(V="fast")  # type: ignore[arg-type]
    with pytest.raises(sb.errors.StabilityError, match="frequencies must be finite numbers in Hz"):
        lin.frequency_response("tau", "phi", [1.0, math.inf], V=20.0)
    with pytest.raises(sb.errors.StabilityError, match="the range of eps must grow"):
        lin.stability_chart(V=(1.0, 2.0), eps=(0.3, 0.3))


def test_other_equations_are_refused(equations, straight):
    with pytest.raises(sb.errors.StabilityError, match="is that of other equations"):
        sb.linearize(equations, straight.about)


def pushed_disc(by_ground: bool) -> sb.Equations:
    m = sb.Model("disc that is pushed")
    x, y, psi = m.coordinates("x y psi")
    body = m.body("body", m.ground.translate(x, y, 0).rotate("z", psi), mass=2.0, inertia=(1, 1, 1))
    v = body.mass_centre.velocity()
    if not by_ground:
        m.speed("u", v.dot(body.frame.x))
        m.speed("v", v.dot(body.frame.y))
    m.force("tyre", body, body.vector(1.0 - v.dot(body.frame.x), -8 * v.dot(body.frame.y), 0), at=body.mass_centre)
    m.torque("steer", body, body.vector(0, 0, 0.4 - psi.dot))
    return sb.derive(m)


def test_turning_states_are_seen_along_the_motion():
    """On tyres in a turn, in ground speeds: nothing ties x' and y', and yet the spectrum is that in speeds of the body,
    but for those of x and y, which the turn carries round."""
    ground, body = pushed_disc(True), pushed_disc(False)
    turn = sb.steady(ground, values={"psi": 0}, free=["psi_dot"], start={"x_dot": 1.0, "psi_dot": 0.4})
    assert turn.is_steady, turn.outcome
    assert turn["psi_dot"] == pytest.approx(0.4)
    same = sb.steady(body, values={"psi": 0}, free=["psi_dot"], start={"u": 1.0, "psi_dot": 0.4})
    expected = sb.linearize(body, same, drop="cyclic").eigenvalues()
    found = list(sb.linearize(ground, turn).eigenvalues())
    for s in (0.4j, -0.4j, *expected):
        nearest = min(found, key=lambda z: abs(z - s))
        assert nearest == pytest.approx(s, abs=1e-9)
        found.remove(nearest)


def test_a_racket_turns_over_at_the_rate_of_eulers_equations():
    """Euler parameters and place are carried along by the spin: ± sqrt((C - B) (B - A) / (A C)) ω."""
    m = sb.Model("tennis racket")
    A, B, C, spin = 0.0005, 0.0120, 0.0125, 10.0
    m.free("r", m.ground, m.body("racket", mass=0.3, inertia=(A, B, C)), sequence="euler parameters")
    eq = sb.derive(m)
    turning = sb.steady(eq, {"r_wy": spin, "r_wx": 0, "r_wz": 0})
    rate = spin * math.sqrt((C - B) * (B - A) / (A * C))
    found = sb.linearize(eq, turning).eigenvalues()
    assert (found.real.min(), found.real.max()) == pytest.approx((-rate, rate), rel=1e-12)


@pytest.mark.parametrize(("part", "is_stable"), [(0.98, False), (1.02, True)])
def test_a_top_sleeps_above_lagranges_spin(part, is_stable):
    """Spinning and turning about the same axis: C² ω² > 4 A m g l."""
    m = sb.Model("sleeping top")
    A, C, mass, l = 0.004, 0.0006, 0.5, 0.08
    m.gravity(0, 0, -9.81)
    side = A - mass * l**2
    top = m.body("top", mass=mass, com=(0, 0, l), inertia=(side, side, C))
    m.spherical("e", m.ground, top, sequence="euler parameters")
    eq = sb.derive(m)
    spin = part * math.sqrt(4 * A * mass * 9.81 * l) / C
    growth = sb.linearize(eq, sb.steady(eq, {"e_wz": spin})).eigenvalues().real.max()
    assert growth < 1e-6 if is_stable else growth > 1


def test_motorcycle_has_no_accelerations_left():
    eq = sb.derive(motorcycle.model())
    lin = sb.linearize(eq, sb.steady(eq, values={"x_dot": V}, zero=["y", "psi", "phi", "delta"]))
    kinds = {s.kind for s in sb.free_symbols(lin.E, lin.A, lin.B)}
    assert kinds == {"parameter"}


def test_simplified_entries_are_the_same_numbers(straight):
    """Shorter, never other; without time nothing changes."""
    left = straight.without(*sb.stability.cyclic_states(straight), "x_dot")
    assert sb.simplified(left, seconds=0).A == left.A
    entry = left.A[2, 0]
    short = sb.simplified(entry, seconds=20)
    at = {s: 0.6 + 0.1 * k for k, s in enumerate(sb.free_symbols(entry))}
    assert sb.evaluate(short, at) == pytest.approx(sb.evaluate(entry, at))
    assert len(str(short)) < len(str(entry)) / 1.5


def test_parameters_that_are_zero_by_default_stay():
    """A damping that the model leaves off is in the matrices all the same."""
    m = sb.Model("damped pendulum")
    m.gravity(0, -m.parameter("g", 9.81), 0)
    m.revolute("q", m.ground, m.body("bob", mass=1, com=(0, -1, 0)), damping=m.parameter("c", 0.0))
    eq = sb.derive(m)
    lin = sb.linearize(eq, sb.steady(eq))
    assert lin.eigenvalues(c=0.2).real == pytest.approx([-0.1, -0.1])


# ------------------------------------------------------------------------------------------------ vehicles on their way


@pytest.fixture(scope="module")
def single_track():
    """A car as one track with linear tyres, in speeds along its own axes."""
    m = sb.Model("car")
    x, y, psi = m.coordinates("x y psi")
    vx, vy, w = (m.speed(n) for n in ("vx", "vy", "w"))
    delta, drive = m.input("delta"), m.input("drive")
    m.rate(x, vx * sb.cos(psi) - vy * sb.sin(psi))
    m.rate(y, vx * sb.sin(psi) + vy * sb.cos(psi))
    m.rate(psi, w)
    car = m.body("car", m.ground.translate(x, y, 0).rotate("z", psi), mass=1500, inertia=(1500, 1500, 2500))
    front, rear = 8e4 * (delta - (vy + 1.2 * w) / vx), -9e4 * (vy - 1.4 * w) / vx
    side = car.frame.vector(-front * sb.sin(delta), front * sb.cos(delta), 0)
    m.force("front", car, side, at=car.point(1.2, 0, 0))
    m.force("rear", car, car.frame.vector(drive, rear, 0), at=car.point(-1.4, 0, 0))
    return sb.derive(m)


def test_values_of_a_vehicle_on_its_way_are_a_steady_motion(single_track):
    """Coordinates that drift along a symmetry need no word: straight on, in any place and direction, and in a turn."""
    turn = sb.steady(single_track, vx=25.0, w=0.2, free=["delta", "drive"])
    for about, same in (({"vx": 25.0}, sb.steady(single_track, vx=25.0)), (turn.values, turn)):
        wanted = sb.linearize(single_track, same).eigenvalues()
        for elsewhere in ({}, {"x": 3.0, "psi": 0.4}):
            found = sb.linearize(single_track, {**about, **elsewhere}).eigenvalues()
            assert np.sort_complex(found) == pytest.approx(np.sort_complex(wanted), abs=1e-9)


def test_what_is_not_steady_is_told_by_what_is_left(single_track):
    with pytest.raises(sb.errors.StabilityError, match=r"not steady: .*1000 in balance of vx.*moving=True"):
        sb.linearize(single_track, {"vx": 25.0, "drive": -1000.0})
    assert sb.linearize(single_track, {"vx": 25.0, "drive": -1000.0}, moving=True).x
