"""Steady motions: in closed form, by Newton's method, with too much or too little said, and honest failure."""

import math
from typing import Any

import numpy as np
import pytest

import symbody as sb
from examples import bicycle, four_bar_spatial, motorcycle


def cart() -> sb.Model:
    m = sb.Model("cart and pendulum")
    p = m.parameters(M=2.0, m=1.0, l=0.5, g=9.81, k=4.0)
    force, wind = m.input("force"), m.input("wind")
    m.gravity(0, -p.g, 0)
    x, theta = m.coordinates("x theta")
    body = m.body("cart", m.ground.translate(x, 0, 0), mass=p.M)
    rod = m.body("rod", body.frame.rotate("z", theta), mass=p.m, com=(0, -p.l, 0))
    m.force("push", body, m.ground.vector(force, 0, 0), at=body.mass_centre)
    m.force("wind", rod, m.ground.vector(wind, 0, 0), at=rod.mass_centre)
    return m


@pytest.fixture(scope="module")
def equations() -> sb.Equations:
    return sb.derive(cart())


def test_hanging_is_known_for_all_parameters(equations):
    motion = sb.steady(equations, zero=["x"])
    assert motion.is_symbolic
    assert motion["theta"] == 0
    assert "holds for all parameters" in repr(motion)


def test_nothing_depends_on_where_the_cart_is(equations):
    motion = sb.steady(equations)
    assert motion.drifting == ("x",)
    assert motion.undetermined == ("x", "x_dot")


def test_wind_is_found_for_an_angle(equations):
    """wind l cos θ = m g l sin θ, and a push against it: two inputs as unknowns."""
    motion = sb.steady(equations, values={"theta": 0.3}, zero=["x"], free=["wind", "force"])
    assert motion.is_symbolic
    values = dict(equations.mechanism.values)
    assert sb.evaluate(motion["wind"], values) == pytest.approx(9.81 * math.tan(0.3))
    assert sb.evaluate(motion["force"], values) == pytest.approx(-9.81 * math.tan(0.3))


def test_angle_is_found_for_a_wind(equations):
    """The other way round it takes Newton's method; the numbers follow the parameters."""
    motion = sb.steady(equations, values={"wind": 3.0}, zero=["x"], free=["force"])
    assert motion["theta"] == pytest.approx(math.atan(3 / 9.81), abs=1e-12)
    assert motion.residual < 1e-12
    assert sb.steady(equations, values={"wind": 3.0}, zero=["x"], free=["force"], m=2.0)["theta"] == pytest.approx(
        math.atan(1.5 / 9.81)
    )


def test_upright_is_reached_from_a_start(equations):
    motion = sb.steady(equations, zero=["x"], start={"theta": 3.0}, free=["force"], values={"wind": 1e-12})
    assert abs(motion["theta"]) == pytest.approx(math.pi, abs=1e-9)


def test_parameters_can_be_unknown(equations):
    motion = sb.steady(equations, values={"theta": 0.3, "wind": 3.0}, zero=["x"], free=["force", "m"])
    assert motion["m"] == pytest.approx(3 / (9.81 * math.tan(0.3)))


def test_failure_is_an_outcome_that_names_the_row(equations):
    """A wind that nothing balances: the best that was found, and where it misses."""
    motion = sb.steady(equations, values={"wind": 3.0}, zero=["x"])
    assert not motion.is_steady
    assert motion.worst == "balance of x_dot"
    assert "not found from 16 starts; the closest has a residual" in motion.outcome
    assert "balance of x_dot" in motion.outcome
    with pytest.raises(sb.errors.StabilityError, match="no steady motion to linearise about: not found"):
        sb.linearize(equations, motion)


def test_multipliers_and_constraints():
    """The four-bar hangs: the ball carries half of the coupler; every row in the equations is looked at."""
    eq = sb.derive(four_bar_spatial.model())
    motion = sb.steady(eq, start={"q1": 0.4, "q2": 0.3})
    known = {k: v for k, v in motion.values.items() if isinstance(v, float) and not k.endswith("_ddot")}
    state = eq.values(known, otherwise=0)
    rows = sb.evaluate(sb.stack(eq.residual(), eq.phi), {**state, **{u.dot: 0.0 for u in eq.u}})
    assert rows == pytest.approx([0] * 7, abs=1e-9)
    assert motion["lam_ball_y"] == pytest.approx(49.05)


def test_redundant_conditions_are_harmless():
    """Wheels that turn as they must, given as well: no more unknowns, the same motion; a wrong one is named."""
    eq = sb.derive(motorcycle.model())
    straight: dict[str, Any] = {"zero": ["y", "psi", "phi", "delta", "psi4", "phi4", "Yr"]}
    good = sb.steady(eq, values={"x_dot": 20.0, "theta1_dot": -20.0 / 0.3048}, **straight)
    assert good.is_steady, good.outcome
    bad = sb.steady(eq, values={"x_dot": 20.0, "theta1_dot": -60.0}, **straight)
    assert not bad.is_steady
    assert bad.worst == "rate of constraint 'no_slip_rear'"


def test_turning_changes_only_what_it_must():
    """In a turn the heading drifts, and speeds along fixed axes turn with it; accelerations are those of the circle, in
    any direction."""
    eq = sb.derive(bicycle.model())
    start = {"q1": 0.2, "q4_dot": -14, "x_dot": 4.4, "y_dot": 2.4, "q3_dot": 0.5}
    motion = sb.steady(eq, values={"q2": 0.1, "q3": 0.5}, free=["q3_dot"], start=start)
    assert motion.is_steady, motion.outcome
    assert {u.name for u in motion.conditions.turning} == {"x_dot", "y_dot"}
    assert motion["q1"] == pytest.approx(0.24395124801, abs=1e-9)  # as in any other direction
    assert motion["y_dot"] == pytest.approx(motion["x_dot"] * math.tan(0.5))
    assert motion["y_ddot"] == pytest.approx(motion["x_dot"] * motion["q3_dot"])
    assert motion["x_ddot"] == pytest.approx(-motion["y_dot"] * motion["q3_dot"])
    assert motion["q4_ddot"] == 0


def test_a_heading_that_matters_cannot_drift(equations):
    with pytest.raises(sb.errors.StabilityError, match="theta cannot drift"):
        sb.steady(equations, free=["theta_dot"])


def test_time_is_not_steady():
    m = sb.Model("driven")
    (x,) = m.coordinates("x")
    m.particle("bead", m.ground.point(x, 0, 0), mass=1)
    m.generalized_force("spring", x, sb.sin(m.time) - x)
    motion = sb.steady(sb.derive(m))
    assert not motion.is_steady
    assert "balance of x_dot changes with time" in motion.outcome


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"values": {"thetta": 1}}, "there is no symbol 'thetta'.*Did you mean 'theta'"),
        ({"zero": ["y"]}, "there is no symbol 'y'"),
        ({"values": {"theta": 1}, "free": ["theta"]}, "theta cannot have a value and be free"),
        ({"start": {"x_ddot": 1}}, "there is no unknown 'x_ddot'"),
        ({"q": 1.0}, "'q' is neither a name of the model nor an option"),
        ({"values": {"wind": sb.symbol("w0")}, "zero": ["x"], "free": ["force"]}, "no value for w0"),
    ],
)
def test_refusals(equations, arguments, says):
    with pytest.raises(sb.errors.StabilityError, match=says):
        sb.steady(equations, **arguments)


def test_values_follow_parameters(equations):
    """The point is found again near the one at hand, and its derivative is that of the solution."""
    motion = sb.steady(equations, values={"wind": 3.0}, zero=["x"], free=["force"])
    theta, g = equations.q[1], sb.symbol("g")
    parameters = {s: motion.defaults[s] for s in motion.parameters}
    found = motion.solve({**parameters, g: 5.0})
    assert found[theta] == pytest.approx(math.atan(3 / 5))
    slope = motion.slopes({**parameters, g: 5.0}, found, g)[theta]
    assert slope == pytest.approx(-3 / (25 + 9))
    assert np.isfinite(list(found.values())).all()


# --------------------------------------------------------------------------------- what one solver for all has to carry


def test_given_values_are_rounded_too(equations):
    """sin(π) of the π that is given is 1e-16: nothing, beside the error of π itself."""
    motion = sb.steady(equations, values={"theta": math.pi}, zero=["x"])
    assert motion.is_steady, motion.outcome
    off = sb.steady(equations, values={"theta": math.pi + 1e-9}, zero=["x"])
    assert not off.is_steady
    assert off.worst == "balance of theta_dot"


def test_large_numbers_leave_large_rounding():
    """A circular orbit: forces of 4 kN cancel, and 4e-13 N are left of them."""
    m = sb.Model("orbit")
    r, a = m.coordinates("r a")
    mu, radius = m.parameter("mu", 3.986004418e14), 7e6
    frame = m.ground.rotate("z", a)
    satellite = m.particle("satellite", frame.point(r, 0, 0), mass=500)
    m.force("gravity", satellite, frame.vector(-500 * mu / r**2, 0, 0), at=frame.point(r, 0, 0))
    eq = sb.derive(m)
    rate = math.sqrt(3.986004418e14 / radius**3)
    assert sb.steady(eq, values={"r": radius, "a_dot": rate}).is_steady
    found = sb.steady(eq, values={"a_dot": rate}, start={"r": 6.9e6})
    assert found.is_steady, found.outcome
    assert found["r"] == pytest.approx(radius, rel=1e-12)


@pytest.mark.parametrize("stiffness", [1e2, 1e4, 1e6, 1e8, 1e9])
def test_stiff_bushing_at_a_stretched_linkage(stiffness):
    """Two bars in line between a hinge and a bushing that holds the second one's end: from the stretched start to the
    sag near by."""
    m = sb.Model("bushing")
    m.gravity(0, -9.81, 0)
    arm = m.body("arm", shape=sb.bar(0.4, "x", at=(0.2, 0, 0)), mass=3)
    rod = m.body("rod", shape=sb.bar(0.5, "x", at=(0.25, 0, 0)), mass=2)
    a = m.revolute("hinge", m.ground, arm).coordinates[0]
    b = m.revolute("elbow", arm, rod, at=(0.4, 0, 0)).coordinates[0]
    x, y = 0.4 * sb.cos(a) + 0.5 * sb.cos(a + b) - 0.9, 0.4 * sb.sin(a) + 0.5 * sb.sin(a + b)
    m.force("bushing", rod, m.ground.vector(-stiffness * x, -stiffness * y, 0), at=rod.point(0.5, 0, 0))
    motion = sb.steady(sb.derive(m))
    assert motion.is_steady, motion.outcome
    assert -0.5 * math.pi < motion["hinge"] < 0
    assert "found in" in motion.outcome
    if stiffness >= 1e6:  # a string pulled tight: the sag falls with the cube root of its stiffness
        assert motion["hinge"] == pytest.approx(-3.36 * stiffness ** (-1 / 3), rel=5e-3)


def test_body_on_a_ball_joint_in_euler_parameters():
    """From the horizontal: multipliers and the norm of the parameters are found with the position."""
    m = sb.Model("hung")
    m.gravity(0, 0, -9.81)
    bar = m.body("bar", mass=1, inertia=(0.01, 0.1, 0.1))
    m.free("bar", m.ground, bar, sequence="euler parameters")
    m.coincide("ball", m.ground.point(0, 0, 0), bar.point(-0.5, 0, 0))
    motion = sb.steady(sb.derive(m), start={"bar_x": 0.5})
    assert motion.is_steady, motion.outcome
    assert abs(motion["bar_z"]) == pytest.approx(0.5, abs=1e-9)
    assert motion["lam_ball_z"] == pytest.approx(9.81)


def test_a_start_may_have_expressions_without_numbers():
    """The values of a motion that holds for every V start another search: those of what is given are not needed, of
    others V is asked for."""
    m = sb.Model("cart")
    m.gravity(0, -9.81, 0)
    V = m.parameter("V")
    cart, bob = m.body("cart", mass=1.0), m.body("bob", mass=0.3, com=(0, -1, 0), inertia=(0.1, 0.1, 0.1))
    m.prismatic("x", m.ground, cart, axis="x")
    m.revolute("a", cart, bob)
    eq = sb.derive(m)
    found = sb.steady(eq, {"x_dot": V})
    again = sb.steady(eq, {"x_dot": V}, start=found.values)
    assert again.values["x_dot"] == V
    assert sb.steady(eq, {"x_dot": 3.0}, start=found.values).values["x_dot"] == 3
    with pytest.raises(
        sb.errors.StabilityError, match=r"the start has x_dot = V, and V has no number; give it as well"
    ):
        sb.steady(eq, {"a": 0.0}, start=found.values)


def top():
    m = sb.Model("top")
    mass, l, g, A, C = m.parameters("m l g A C", 1.0, 0.1, 9.81, 0.02, 0.005)
    m.gravity(0, 0, -g)
    m.spherical("e", m.ground, m.body("top", mass=mass, com=(0, 0, l), inertia=(A, A, C)), "zxz")
    return sb.derive(m)


def precession(lean, spin):
    """Roots of (A' - C) cos θ w² - C ν w + m g l = 0, with A' = A + m l²."""
    a, b, c = (0.02 + 0.01 - 0.005) * np.cos(lean), -0.005 * spin, 0.981
    return sorted(np.roots([a, b, c]))


def test_what_was_moved_is_not_said_to_be_left():
    """Precession and spin determine each other: both were moved from the start, and are listed so."""
    found = sb.steady(top(), {"e_2": 0.5}, start={"e_1_dot": 2.0, "e_3_dot": 150.0})
    assert found.moved == {"e_1_dot": 2.0, "e_3_dot": 150.0}
    assert "left at the initial guess: e_1, e_3\n" in str(found)
    assert "moved: e_1_dot from 2, e_3_dot from 150" in str(found)
    assert "0 steps" not in str(found.outcome)
    assert found["e_1_dot"] == pytest.approx(precession(0.5, found["e_3_dot"])[0], rel=1e-9)


@pytest.mark.parametrize("start", [1.0, 5.0, 30.0])
def test_both_precessions_of_a_top_are_found(start):
    found = sb.steady_motions(top(), {"e_2": 0.5, "e_3_dot": 150.0}, start={"e_1_dot": start})
    assert sorted(f["e_1_dot"] for f in found) == pytest.approx(precession(0.5, 150.0), rel=1e-9)


def cylinder_between_bars(at: float = 0.3) -> sb.Equations:
    """Two bars with a pin, a cylinder between points at the same distance from it, and a roller."""
    m = sb.Model("scissors")
    m.gravity(0, -9.81, 0)
    first, second = (
        m.body(n, mass=1.0, com=c, inertia=(0.001, 0.08, 0.08)) for n, c in (("a", (0.5, 0, 0)), ("b", (0, 0, 0)))
    )
    m.revolute("a", m.ground, first)
    m.revolute("b", first, second, at=(0.5, 0, 0))
    m.coincide("roller", m.ground.point(), second.point(-0.5, 0, 0), along=m.ground, axes="y")
    m.spring("cylinder", first.point(0.5 + at, 0, 0), second.point(-0.3, 0, 0), actuation=m.input("F"))
    return sb.derive(m)


def test_a_start_where_a_force_has_no_direction():
    """Folded, the ends of the cylinder coincide: the search leaves that place. V = 2 m g sin(a)/2, its length is
    0.6 sin(a)."""
    eq = cylinder_between_bars()
    motion = sb.steady(eq, {"a": 0.3}, free=["F"], start={"b": np.pi})
    assert motion.is_steady, motion.outcome
    assert abs(motion["F"]) == pytest.approx(9.81 / 0.6)
