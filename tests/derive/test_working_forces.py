"""The power equation in groups, with a term of its own for forces that do no work; labels that are taken back."""

import numpy as np
import pytest

import symbody as sb
from symbody.derivation.equations.random_states import random_state
from tests.mechanisms import random_loop, random_tree


@pytest.mark.parametrize("make", [random_tree, random_loop])
@pytest.mark.parametrize("seed", range(5))
def test_kinetic_energy_grows_by_the_sum_of_all_groups(make, seed):
    """Over random mechanisms, along their motions: T' = sum, to rounding of the terms."""
    eq = sb.derive(make(seed).mechanism)
    found = sb.derivation.power_balance(eq, solved=True)
    groups = found.conservative, found.nonconservative, found.nonworking
    every = [found.rate, found.constraints, *(p for table in groups for p in table.values())]
    rate, *powers = np.array(sb.evaluate(every, random_state(eq, seed)), dtype=float)
    assert abs(rate - sum(powers)) <= 1e-8 * (abs(rate) + sum(map(abs, powers)) + 1e-12)
    assert {n for table in groups for n in table} == set(sb.derivation.load_powers(eq))


def charge(field):
    """A charge on a turntable; the magnet stands still, or turns with the table."""
    m = sb.Model("charge")
    x, y, w = m.coordinate("x"), m.coordinate("y"), m.parameter("w", 2.0)
    table = m.ground.rotate("z", w * m.time)
    p = m.particle("charge", table.point(x, y, 0), mass=1.5)
    v = p.frame.origin.velocity() if field == "at rest" else table.vector(x.dot, y.dot, 0)
    m.force("magnet", p, v.cross(m.ground.vector(0, 0, 3)))
    m.force("drag", p, -0.1 * p.frame.origin.velocity())
    m.force("spring", p, -4 * table.vector(x, y, 0))
    m.generalized_force("one way", x, 5 * y.dot)
    return sb.derive(m)


def test_a_magnet_does_no_work():
    """F = v × B of a field at rest; the drag, a spring by its force and a force on one rate do work."""
    found = sb.derivation.power_balance(charge("at rest"))
    assert set(found.nonworking) == {"magnet"}
    assert set(found.nonconservative) == {"drag", "spring", "one way"}
    assert "nonworking: magnet" in repr(found)


def test_prescribed_motion_makes_it_work():
    """A field that turns with the table: the force is at right angles to the motion in the table, and has the power of
    the table's motion, w (x F_y - y F_x)."""
    eq = charge("turning")
    found = sb.derivation.power_balance(eq)
    assert set(found.nonworking) == {"magnet"}
    at = random_state(eq, 1)
    x, y, vx, vy = (at[s] for s in (*eq.q, *eq.u))
    w = at[eq.variables["w"].symbol]
    assert sb.evaluate(found.nonworking["magnet"], at) == pytest.approx(w * (x * -3 * vx - y * 3 * vy))


def test_a_damper_works_and_a_normal_force_does_not():
    m = sb.Model("bead")
    x = m.coordinate("x")
    bead = m.particle("bead", m.ground.point(x, 0, 0), mass=1.0)
    m.force("normal", bead, m.ground.vector(0, 3 + x**2, 0))
    m.generalized_force("damper", x, -2 * x.dot)
    found = sb.derivation.power_balance(sb.derive(m))
    assert (set(found.nonworking), set(found.nonconservative)) == ({"normal"}, {"damper"})


def test_labels_can_be_taken_back():
    m = sb.Model("m")
    a, b = m.coordinates("a b")
    m.particle("p", m.ground.point(a, b, 0), mass=1.0)
    m.generalized_force("pull", a, -m.label("stretch", a + b**2))
    m.label("r", m.ground.vector(sb.cos(a), sb.sin(a), b))
    m.label("r_name", a * b)
    assert "stretch" in sb.derive(m).labels
    m.unlabel("stretch")
    assert "stretch" not in sb.derive(m).labels
    m.unlabel("r")
    assert set(m.parts.labels) == {"r_name"}
    m.label("stretch", a - b)
    with pytest.raises(
        sb.ModelError, match=r"there is no label 'strech'; there are r_name, stretch. Did you mean 'stretch'"
    ):
        m.unlabel("strech")
