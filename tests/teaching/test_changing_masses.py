"""Bodies whose mass changes, against solutions in closed form."""

from math import log, sqrt

import numpy as np
import pytest

import symbody as sb
from symbody.kits import teaching


def test_rocket_of_tsiolkovsky_in_gravity() -> None:
    """v = c ln(m0/m) - g t, and the height by its integral."""
    m = sb.Model("rocket")
    h = m.coordinate("h")
    m0, mu, c, g = m.parameters("m0 mu c g", 5.0, 0.1, 2000.0, 9.81)
    up = m.ground.vector(0, 1, 0)
    made = teaching.changing_mass(
        m, "rocket", m.ground.point(0, h, 0), m0 - mu * m.time, relative_velocity=-c * up, gravity=-g * up
    )
    assert made.theorem.startswith("balance of momentum")
    sim = sb.simulate(sb.derive(m), 20.0, rtol=1e-11)
    assert sim["h_dot"][-1] == pytest.approx(2000 * log(5 / 3) - 9.81 * 20, rel=1e-9)
    height = 2000 * (20 - 3 / 0.1 * log(5 / 3)) - 9.81 * 20**2 / 2
    assert sim["h"][-1] == pytest.approx(height, rel=1e-9)


def test_rocket_in_polar_coordinates() -> None:
    """Two coupled degrees of freedom: the jet points back along a fixed direction, and the path is that of Cartesian coordinates."""
    states = []
    for is_polar in (False, True):
        m = sb.Model("rocket")
        a, b = m.coordinates("a b")
        at = m.ground.rotate("z", b).point(a, 0, 0) if is_polar else m.ground.point(a, b, 0)
        jet, weight = m.ground.vector(-300, -800, 0), m.ground.vector(0, -9.81, 0)
        teaching.changing_mass(m, "rocket", at, 4 - m.time / 5, relative_velocity=jet, gravity=weight)
        start = {"a": 2.0, "b": 0.4, "a_dot": 0.7, "b_dot": 0.3}
        if not is_polar:
            ca, sa = np.cos(0.4), np.sin(0.4)
            start = {"a": 2 * ca, "b": 2 * sa, "a_dot": 0.7 * ca - 0.6 * sa, "b_dot": 0.7 * sa + 0.6 * ca}
        sim = sb.simulate(sb.derive(m), 3.0, rtol=1e-11, **start)
        x, y = sim["a"][-1], sim["b"][-1]
        states.append((x * np.cos(y), x * np.sin(y)) if is_polar else (x, y))
    assert states[1] == pytest.approx(states[0], rel=1e-8)
    assert states[0][0] == pytest.approx(
        2 * np.cos(0.4) + (0.7 * np.cos(0.4) - 0.6 * np.sin(0.4)) * 3 + 300 * (3 - 17 * log(4 / 3.4)), rel=1e-8
    )


@pytest.mark.parametrize(("power", "fraction"), [(1, 3), (3, 7)], ids=["chain from a heap", "raindrop"])
def test_mass_that_is_picked_up_at_rest(power: int, fraction: int) -> None:
    """m ~ x: a = g/3, x = g t²/6; m ~ x³: a = g/7, x = g t²/14."""
    m = sb.Model("pick up")
    x = m.coordinate("x")
    down = m.ground.vector(0, -1, 0)
    teaching.changing_mass(
        m, "load", m.ground.point(0, -x, 0), 2 * x**power, absolute_velocity=0 * down, gravity=9.81 * down
    )
    a = 9.81 / fraction
    sim = sb.simulate(sb.derive(m), 2.0, x=a / 2, x_dot=a, rtol=1e-10)  # as after one second
    assert sim["x"][-1] == pytest.approx(a / 2 * 3**2, rel=1e-7)
    assert sim["x_ddot"][-1] == pytest.approx(a, rel=1e-6)


def test_folded_chain_by_energy_and_by_momentum() -> None:
    """One end held, the other let go beside it. Energy (Calkin and March 1989): v² = 2 g x (1 - x/2L)/(1 - x/L), faster
    than free fall; pieces that leave without relative velocity: v² = 2 g x."""
    L, lam, g, stop = 2.0, 0.7, 9.81, 1.2
    for theorem in ("energy", "momentum"):
        m = sb.Model("folded chain")
        x = m.coordinate("x")
        down = m.ground.vector(0, -1, 0)
        at, mass = m.ground.point(0, -x, 0), lam * (L - x) / 2
        if theorem == "energy":
            made = teaching.changing_mass(m, "chain", at, mass, theorem="energy")
            m.potential("weight", -lam * g * (2 * L * x - x**2) / 4)
        else:
            made = teaching.changing_mass(m, "chain", at, mass, relative_velocity=0 * down, gravity=g * down)
        assert theorem in made.theorem
        eq = sb.derive(m)
        sim = sb.simulate(eq, 3.0, rtol=1e-11, events=[sb.Event("below", x - stop, terminal=True)])
        free = 2 * g * stop
        wanted = free * (1 - stop / (2 * L)) / (1 - stop / L) if theorem == "energy" else free
        assert sim["x_dot"][-1] == pytest.approx(sqrt(wanted), rel=1e-8)


def test_equations_agree_by_every_route() -> None:
    """With other bodies and loads beside it: a bucket that loses sand, on a cart."""
    m = sb.Model("leaking bucket")
    cart = m.body("cart", mass=3)
    m.prismatic("x", m.ground, cart, axis="x", stiffness=20)
    a = m.coordinate("a")
    bucket = cart.frame.rotate("z", a).point(0, -0.8, 0)
    teaching.changing_mass(
        m,
        "bucket",
        bucket,
        2 - m.time / 10,
        relative_velocity=m.ground.vector(0, 0, 0),
        gravity=m.ground.vector(0, -9.81, 0),
    )
    m.gravity(0, -9.81, 0)
    eq = sb.derive(m)
    x_dot, a_dot = (u.dot for u in eq.u)
    M, c, s = 2 - eq.t / 10, sb.cos(eq.q[1]), sb.sin(eq.q[1])
    rows = [
        (3 + M) * x_dot + 0.8 * M * (c * a_dot - s * eq.u[1] ** 2) + 20 * eq.q[0],
        0.8 * a_dot + c * x_dot + 9.81 * s,
    ]
    assert teaching.compare(eq, rows).is_right


def test_what_is_not_determined_is_refused() -> None:
    m = sb.Model("rocket")
    h = m.coordinate("h")
    at, none = m.ground.point(0, h, 0), m.ground.vector(0, 0, 0)
    with pytest.raises(sb.ModelError, match="needs the velocity of the mass that leaves or joins"):
        teaching.changing_mass(m, "rocket", at, 5 - m.time)
    with pytest.raises(sb.ModelError, match="2 of the two were given"):
        teaching.changing_mass(m, "rocket", at, 5 - m.time, relative_velocity=none, absolute_velocity=none)
    with pytest.raises(sb.ModelError, match="no theorem 'impulse'; there are momentum, energy"):
        teaching.changing_mass(m, "rocket", at, 5 - m.time, theorem="impulse")
    with pytest.raises(sb.ModelError, match="does not change"):
        teaching.changing_mass(m, "rocket", at, 5, relative_velocity=none)
    with pytest.raises(sb.ModelError, match="contains h_dot"):
        teaching.changing_mass(m, "rocket", at, 5 - h.dot, relative_velocity=none)
    with pytest.raises(sb.ModelError, match="velocity of the joining mass follows"):
        teaching.changing_mass(m, "rocket", at, 5 - h, relative_velocity=none, theorem="energy")
