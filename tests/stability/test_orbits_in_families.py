"""Orbits that are not isolated: of systems with conserved quantities that are not declared, and free to be displaced and
rotated; starts that are orbits already."""

import numpy as np
import pytest

import symbody as sb

# E. Hairer, S. Nørsett, G. Wanner, Solving Ordinary Differential Equations I, II.0 (Arenstorf's orbit)
MU, ARENSTORF = 0.012277471, 17.0652165601579625588917206249
# A. Chenciner, R. Montgomery, Annals of Mathematics 152 (2000): three equal masses on a figure-eight
EIGHT, X, Y, VX, VY = 6.32591398, 0.97000436, -0.24308753, -0.93240737, -0.86473146


def restricted():
    m = sb.Model("restricted three bodies")
    x, y = m.coordinates("x y")
    m.particle("p", m.ground.point(x, y, 0), mass=1)
    r1, r2 = (sb.sqrt((x + d) ** 2 + y**2) for d in (MU, MU - 1))
    m.generalized_force("fx", x, x + 2 * y.dot - (1 - MU) * (x + MU) / r1**3 - MU * (x - 1 + MU) / r2**3)
    m.generalized_force("fy", y, y - 2 * x.dot - (1 - MU) * y / r1**3 - MU * y / r2**3)
    return sb.derive(m)


def three_bodies(is_potential):
    m = sb.Model("three bodies")
    places = [m.coordinates(f"x{k} y{k}") for k in range(3)]
    for k, (x, y) in enumerate(places):
        m.particle(f"p{k}", m.ground.point(x, y, 0), mass=1)
    pairs = [(places[a], places[b]) for a in range(3) for b in range(a)]
    V = -sum((1 / sb.sqrt((a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2) for a, b in pairs), start=sb.algebra.as_expr(0))
    if is_potential:
        m.potential("gravitation", V)
    else:
        for q in (q for place in places for q in place):
            m.generalized_force(f"pull on {q.name}", q, -sb.derivative(V, q))
    return sb.derive(m)


def eight():
    places = {"x0": X, "y0": Y, "x1": -X, "y1": -Y, "x2": 0.0, "y2": 0.0}
    speeds = {"x0": -VX / 2, "y0": -VY / 2, "x1": -VX / 2, "y1": -VY / 2, "x2": VX, "y2": VY}
    return places | {f"{k}_dot": v for k, v in speeds.items()}


@pytest.mark.parametrize("form", ["collocation", "shooting"])
def test_unstable_orbit_that_the_start_closes(form):
    """Jacobi's integral makes a family of it; the even mesh misses the close encounters."""
    start = {"x": 0.994, "y_dot": -2.00158510637908252240537862224}
    found = sb.orbit(restricted(), start, period=ARENSTORF, form=form)
    assert found.is_periodic
    assert found.period == pytest.approx(ARENSTORF, rel=1e-6)
    assert np.abs(found.multipliers).max() == pytest.approx(285.4, rel=1e-3)
    assert found.iterations[0].change < 1e-3
    assert "one of a family" in found.outcome


@pytest.mark.parametrize("is_potential", [False, True])
@pytest.mark.parametrize("form", ["collocation", "shooting"])
def test_three_bodies_on_an_eight(form, is_potential):
    """Free to be displaced, rotated and scaled: all multipliers of the planar eight lie on the unit circle."""
    found = sb.orbit(three_bodies(is_potential), eight(), period=EIGHT, form=form)
    assert found.is_periodic
    assert found.period == pytest.approx(EIGHT, rel=1e-5)
    assert np.abs(found.multipliers) == pytest.approx(1, abs=1e-3)
    x = [float(found.at([t], "x0")[0]) for t in (0.0, found.period / 3)]
    assert x[1] == pytest.approx(float(found.at([0.0], "x1")[0]), abs=1e-4) or x[1] == pytest.approx(
        float(found.at([0.0], "x2")[0]), abs=1e-4
    )


ZEROS = {  # stiffness that is varied, period, and the product of the multipliers
    "isolated": (lambda t, q: 4 + sb.cos(t), 2 * np.pi),
    "unstable": (lambda t, q: 1 + 0.3 * sb.cos(2 * t), np.pi),
    "not isolated": (lambda t, q: 1 + 0 * t, 2 * np.pi),
}


@pytest.mark.parametrize("name", ZEROS)
@pytest.mark.parametrize("form", ["collocation", "shooting"])
def test_zero_is_an_orbit_of_driven_systems(name, form):
    stiffness, period = ZEROS[name]
    m = sb.Model("parametric")
    q, r = m.coordinates("q r")
    m.particle("p", m.ground.point(q, r, 0), mass=1)
    m.generalized_force("fq", q, -stiffness(m.time, q) * q)
    m.generalized_force("fr", r, -(2 + 0.1 * sb.cos(2 * m.time)) * r)
    found = sb.orbit(sb.derive(m), {}, period=period, form=form)
    assert found.is_periodic
    assert np.abs(found.point.x).max() <= 1e-12
    assert np.prod(found.multipliers) == pytest.approx(1, rel=1e-6)


@pytest.mark.parametrize("form", ["collocation", "shooting"])
def test_equilibrium_is_no_orbit(form):
    x, v = sb.symbols("x v", "variable")
    found = sb.orbit(sb.from_equations({x: v, v: -x - v}), {"x": 0.0}, period=6.0, form=form)
    assert not found.is_periodic
    assert "equilibrium" in found.outcome
