"""Laws of quantities between steps: what is conserved at steps is conserved in figures, tables and at other times."""

import numpy as np
import pytest

import symbody as sb


def pendulums():
    """Two bars on each other."""
    m = sb.Model("two bars")
    first = m.body("first", mass=1.0, com=(0, -0.5, 0), inertia=(0.1, 0.1, 0.1))
    second = m.body("second", mass=0.7, com=(0, -0.4, 0), inertia=(0.1, 0.1, 0.1))
    m.revolute("a", m.ground, first)
    m.revolute("b", first, second, at=(0, -1, 0))
    m.gravity(0, -9.81, 0)
    return sb.derive(m)


def bead():
    """A point on a parabola, by a constraint."""
    m = sb.Model("bead")
    x, y = m.coordinates("x y")
    m.particle("bead", m.ground.point(x, y, 0), mass=1.0)
    m.constrain("wire", y - x**2)
    m.gravity(0, -9.81, 0)
    return sb.derive(m)


def ripple(values):
    return float(np.ptp(values))


@pytest.mark.parametrize("method", ["dp8", "dp5", "radau"])
def test_energy_is_drawn_as_it_is_at_steps(method):
    eq = pendulums()
    sim = sb.simulate(eq, 5.0, a=1.2, b=0.4, rtol=1e-9, method=method)
    E = sb.energy(eq)
    at_steps = ripple(sim.energy)
    (curve,) = sb.plot(sim, E).panels[0].curves
    other = sim.at(np.linspace(0, 5, 1501))
    assert len(curve.y) > 2 * len(sim)
    for values in (curve.y, other.energy, other[E]):
        assert ripple(values) <= 1.01 * at_steps + 1e-13
    assert other.kinetic_energy + other.potential_energy == pytest.approx(other.energy, abs=1e-12)


def test_an_energy_that_steps_keep_does_not_ripple():
    """Fig. 6.4 of the thesis on projections: the kept energy is a line beside the one that drifts."""
    eq = bead()
    kept, free = (sb.simulate(eq, 10.0, x=1.0, rtol=1e-4, invariants=i) for i in (["energy"], []))
    curves = [sb.plot(sim, sb.energy(eq)).panels[0].curves[0] for sim in (kept, free)]
    assert ripple(kept.energy) < 1e-8
    assert ripple(curves[0].y) < 1e-3 * ripple(curves[1].y)


def test_other_quantities_are_as_accurate_as_states():
    """Kinetic energy of an oscillator between steps, and an input that does work."""
    m = sb.Model("oscillator")
    m.prismatic("x", m.ground, m.body("body", mass=1.0), axis="x", stiffness=4.0, actuation=m.input("F"))
    eq = sb.derive(m)
    F = sb.sin(3 * eq.t)
    sim = sb.simulate(eq, 6.0, x=1.0, inputs={"F": F}, rtol=1e-9)
    t = np.linspace(0, 6, 777)
    x, v = sim.at(t)["x"], sim.at(t)["x_dot"]
    assert sim.at(t).kinetic_energy == pytest.approx(v**2 / 2, abs=1e-7)
    (curve,) = sb.plot(sim, eq.q[0] * eq.u[0] + eq.t).panels[0].curves
    between = sim.at(curve.x)
    assert curve.y == pytest.approx(between["x"] * between["x_dot"] + curve.x, abs=1e-7)
    assert sim.at(t)[eq.q[0] ** 2] == pytest.approx(x**2, rel=1e-15, abs=1e-15)  # an expression is that of the states


def test_events_and_jumps_are_passed():
    """A ball that bounces loses energy at its events alone."""
    m = sb.Model("ball")
    h = m.coordinate("h")
    m.particle("ball", m.ground.point(0, h, 0), mass=1.0)
    m.gravity(0, -9.81, 0)
    eq = sb.derive(m)
    sim = sb.simulate(eq, 1.5, h=1.0, events=[sb.Event("floor", h, "falling", reset={h.dot: -0.8 * h.dot})])
    (curve,) = sb.plot(sim, sb.energy(eq)).panels[0].curves[:1]
    before = curve.x < sim.events[0].t
    assert curve.y[before] == pytest.approx(9.81, rel=1e-9)
    assert curve.y[-1] == pytest.approx(9.81 * 0.8 ** (2 * len(sim.events)), rel=1e-7)
    (backwards,) = sb.plot(sb.simulate(eq, (1.0, 0.0), h=1.0), sb.energy(eq)).panels[0].curves
    assert ripple(backwards.y) < 1e-9
