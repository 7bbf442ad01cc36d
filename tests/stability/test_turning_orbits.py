"""Orbits that close up to a symmetry: a swing that precesses, a skate that goes around in circles while it weaves."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import ellipk

import symbody as sb
from tests.amount import dear

G, LEAN, ACROSS = 9.81, 1.0, 1.5  # a bob on a rod of length 1, at this angle with a speed across


def precession() -> tuple[float, float]:
    """Time between lowest points and the angle between them, by roots of 2 (E - g z)(1 - z²) = L²."""
    E, L = ACROSS**2 / 2 - G * np.cos(LEAN), np.sin(LEAN) * ACROSS
    a, b, c = np.sort(np.roots([2 * G, -2 * E, -2 * G, 2 * E - L**2]).real)

    def rate(s):
        z = a + (b - a) * np.sin(s) ** 2
        return 4 * L / ((1 - z**2) * np.sqrt(2 * G * (c - z)))

    return 4 / np.sqrt(2 * G * (c - a)) * ellipk((b - a) / (c - a)), quad(rate, 0, np.pi / 2, epsabs=1e-13)[0]


def test_a_swing_that_precesses():
    """A spherical pendulum on its constraint: energy and angular momentum are found to stay, the turn is left over."""
    m = sb.Model("spherical pendulum")
    m.gravity(0, 0, -G)
    x, y, z = m.coordinates("x y z")
    m.constrain("rod", (x**2 + y**2 + z**2 - 1) / 2)
    m.particle("bob", m.ground.point(x, y, z), mass=1.0)
    eq = sb.derive(m)
    T, angle = precession()
    o = sb.orbit(eq, {"x": np.sin(LEAN), "z": -np.cos(LEAN), "y_dot": ACROSS}, period=1.02 * T)
    assert o.conserved == ("energy", "momentum of rotation about z")
    assert o.period == pytest.approx(T, rel=1e-11)
    assert (o.turn["rotation about z"] - angle) / (2 * np.pi) == pytest.approx(-1, abs=1e-10)
    assert len(o.multipliers) == 0
    assert max(o.residual, o.trivial_error) < 1e-10
    ends = sb.simulate(eq, 3 * o.period, o, rtol=1e-11).final
    later = o.at_times(np.array([3 * o.period]))
    assert [later[n][0] for n in ("x", "y", "z_dot")] == pytest.approx([ends[n] for n in ("x", "y", "z_dot")], abs=1e-7)


def skate() -> sb.Equations:
    """A skate in speeds of the ground, pushed ahead and turned by a moment that swings about a mean."""
    m = sb.Model("skate")
    w, bias, push = m.parameters("w bias push", 2.0, 0.1, 1.0)
    x, y, th = m.coordinates("x y th")
    frame = m.ground.translate(x, y, 0).rotate("z", th)
    m.body("skate", frame, mass=1.0, inertia=(1, 1, 1))
    ahead, _, _ = frame.origin.velocity().components(frame)
    m.constrain_speed("no side slip", y.dot * sb.cos(th) - x.dot * sb.sin(th))
    for q, along in ((x, sb.cos(th)), (y, sb.sin(th))):
        m.generalized_force(f"push along {q.name}", q, (push - 0.3 * ahead) * along)
    m.generalized_force("moment", th, bias + 0.8 * sb.cos(w * m.time) - 0.2 * th.dot)
    return sb.derive(m)


def test_a_skate_on_a_circle():
    """Its mean turn is that of the mean moment, 2π/w bias/c; speeds die down to the orbit as exp(-c T) and exp(-d T)."""
    eq = skate()
    w, T = sb.symbol("w"), np.pi
    o = sb.orbit(eq, {"x_dot": 3.0, "th_dot": 0.5}, period=2 * sb.pi / w)
    assert o.is_periodic
    assert o.turn["rotation about z"] == pytest.approx(T * 0.1 / 0.2, abs=1e-9)
    assert o.multipliers == pytest.approx(np.exp([-0.2 * T, -0.3 * T]), rel=1e-7)
    sim = sb.simulate(eq, 4 * T, o, rtol=1e-11)
    later = o.at_times(np.array([4 * T]))
    for name in ("x", "y", "x_dot", "th_dot"):  # the way is that of arcs that are turned
        assert later[name][0] == pytest.approx(sim.final[name], abs=1e-7)


@dear
def test_circles_of_a_skate():
    """Over the mean moment; by shooting as by collocation."""
    eq, T = skate(), np.pi
    o = sb.orbit(eq, {"x_dot": 3.0, "th_dot": 0.5}, period=2 * sb.pi / sb.symbol("w"))
    family = sb.orbits(eq, o, bias=(0.0, 0.2), max_step=1.0)
    ends = [family.orbit(k).turn["rotation about z"] for k in (0, -1)]
    assert ends == pytest.approx([0.0, T], abs=1e-8)
    shot = sb.orbit(eq, o, form="shooting")
    assert shot.turn["rotation about z"] == pytest.approx(T / 2, abs=1e-8)
    assert shot.multipliers == pytest.approx(o.multipliers, rel=1e-7)
