"""Second derivatives of steps with contacts: closed forms, symmetry, differences of first derivatives."""

from __future__ import annotations

import numpy as np
import pytest

import symbody as sb

from .test_contact_gradients import sliding
from .test_contact_stepper import CORNERS, TRIPOD, box_on

g, ALL = 9.81, ("x", "r", "p")


def by_differences(env, x, r, v, d, wrt):
    """Of fourth order, of first derivatives."""
    D = [env.derivatives(x + k * d * v, r, wrt=wrt) for k in (-2, -1, 1, 2)]
    return {
        w: (getattr(D[0], w) - getattr(D[3], w) + 8 * (getattr(D[2], w) - getattr(D[1], w))) / (12 * d) for w in wrt
    }


def assert_exact(env, x, r=None, *, wrt=ALL, d=1e-4, scale=1.0, names=(), least, tolerance):
    """Symmetric to rounding in pairs of random directions of the state (along some `names`) and parameters, and equal to the
    differences; `least`: entries are not all smaller."""
    rng, chosen = np.random.default_rng(1), np.array([n in names or not names for n in env.state_names])
    v, w = scale * chosen * rng.normal(size=(2, len(x)))
    found, other = (env.second_derivatives(x, along=a, r=r, wrt=wrt) for a in (v, {"x": w}))
    size = max(np.abs(getattr(found, group)).max(initial=0.0) for group in wrt)
    assert size > least
    np.testing.assert_allclose(found.x @ w, other.x @ v, atol=1e-12 * size)
    if "p" in wrt:
        dp = rng.normal(size=len(env.p))
        of_p = env.second_derivatives(x, along={"p": dp}, r=r, wrt=wrt)
        np.testing.assert_allclose(found.p @ dp, of_p.x @ v, atol=1e-12 * size)
    for group, expected in by_differences(env, x, r, v, d, wrt).items():
        np.testing.assert_allclose(getattr(found, group), expected, rtol=0, atol=tolerance * size)


def test_a_block_on_a_slope():
    """v⁺ = v + h (g sin a - μ g cos a - k (s + h v/2) / m) while it slides: only k times s and v have second derivatives. While
    it sticks, there are none."""
    h, env = 0.01, sb.stepper(sliding(0.5), 0.01, s_dot=1.0)
    k = np.array([float(n == "k") for n in env.parameter_names])
    by_s = [-(h**2) / 4, -h / 2]
    found = env.second_derivatives(env.start, along={"p": k}, wrt=ALL)
    np.testing.assert_allclose(found.x, np.array([by_s, [h / 2 * x for x in by_s]]).T, rtol=1e-12)
    np.testing.assert_allclose(found.r, 0, atol=1e-15)
    np.testing.assert_allclose(found.p, 0, atol=1e-15)
    still = sb.stepper(sliding(0.1), h)
    assert not still.step(still.start).any()
    held = still.second_derivatives(still.start, along={"x": [1.0, 1.0], "p": k}, wrt=ALL)
    np.testing.assert_allclose(held.x, 0, atol=1e-15)
    np.testing.assert_allclose(held.p, 0, atol=1e-15)


def test_a_bouncing_ball():
    """v⁺ = -e v and y⁺ = y + h (1 - e) v/2 whatever its weight."""
    m = sb.Model("ball")
    y, e = m.coordinate("y"), m.parameter("e", 0.8)
    m.gravity(0, -g, 0)
    m.particle("ball", m.ground.point(0, y, 0), mass=2.0)
    env = sb.stepper(sb.Contacts(sb.derive(m), sb.Contact("floor", y, e)), 0.01)
    x = np.array([1e-3, -1.0])
    np.testing.assert_allclose(env.derivatives(x).x[1], np.array([0, -0.8]))
    found = env.second_derivatives(x, along={"p": [1.0]}, wrt=ALL)
    np.testing.assert_allclose(found.x, np.array([[0, -0.005], [0, -1]]), atol=1e-15)
    np.testing.assert_allclose(found.p, 0, atol=1e-15)
    flying = env.second_derivatives([x + np.array([1.0, 0.0]), x], along=[[0.0, 1.0], [0.0, 1.0]], wrt=("p",))
    np.testing.assert_allclose(flying.p, np.array([[[0], [0]], [[-0.005], [-1]]]), atol=1e-15)


@pytest.mark.parametrize("smoothing", [0.0, 1e-3])
def test_a_box_that_turns_while_it_slides(smoothing):
    """On three feet, on a branch of the exact step and on the central path."""
    env = sb.stepper(box_on(TRIPOD), 1e-2, smoothing=smoothing, b_z=0.1 - 1e-4, b_x_dot=1.0, b_wz=2.0)
    assert_exact(env, env.start, [1.0], names=("b_x_dot", "b_wz", "b_y_dot"), least=0.1, tolerance=1e-9)


def test_a_box_that_sticks_on_four_feet():
    """Their impulses are not determined, its motion is: u⁺ = 0, so that only coordinates have second derivatives."""
    env = sb.stepper(box_on(CORNERS), 1e-2, b_z=0.1 - 1e-3, e=0.0)
    x = env.start.copy()
    x[env.state_names.index("b_z_dot")] = -0.05
    assert_exact(env, x, wrt=("x", "r"), d=1e-2, scale=1e-2, least=1e-3, tolerance=1e-8)


def test_an_impact_in_the_course_of_a_step():
    """Through three parts of a step, of which the second begins with the impact."""
    env = sb.stepper(box_on(TRIPOD), 3e-3, substeps=3, b_z=0.1 + 1e-3, b_x_dot=1.0, b_wz=2.0, b_z_dot=-0.7)
    before, after = env.start, env.step(env.start)
    assert before[env.state_names.index("b_z_dot")] < 0 < after[env.state_names.index("b_z_dot")]
    assert_exact(env, env.start, [1.0], d=1e-2, scale=1e-3, least=1e-4, tolerance=1e-7)


def test_a_bob_on_a_rod_that_hits_a_curved_wall():
    """Impulses of a constraint and of a contact together; the friction of a ring depends on the pull of the rod."""
    m = sb.Model("rod")
    m.gravity(0, -g, 0)
    x, y = m.coordinates("x y")
    p = m.parameters(mu=0.3, length=1.0, e=0.2)
    m.particle("bob", m.ground.point(x, y, 0), mass=2.0)
    m.constrain("rod", x**2 + y**2 - p.length**2)
    m.generalized_force("push", x, m.input("F") * sb.cos(y))
    wall = sb.Contact("wall", y + 0.8 - 0.1 * x**2, p.e, p.mu, slip=x.dot)
    ring = sb.Friction("ring", y.dot, sb.Coulomb(p.mu, viscous=0.5), normal=m.multiplier("rod"))
    env = sb.stepper(sb.Contacts(sb.derive(m), wall, ring), 1e-2)
    assert_exact(env, np.array([0.6, -0.801, -0.8, -0.6]), [0.5], least=1.0, tolerance=1e-9)


def test_variables_time_and_a_law_of_friction():
    """Beside coordinates, in two parts of a step: a variable with a rate of its own, a force that depends on time, a coefficient
    that depends on the slip."""
    m = sb.Model("skater")
    x, y = m.coordinates("x y")
    z, p = m.variable("z"), m.parameters(mu=0.3, c=2.0)
    m.rate(z, x.dot * z - p.c * sb.sin(z + x))
    m.gravity(0, -g, 0)
    m.particle("skater", m.ground.point(x, y, 0), mass=1.5)
    m.generalized_force("push", x, m.input("F") * sb.cos(3 * m.time) * z + sb.cos(x) * p.c * x)
    law = sb.Coulomb(p.mu, static=0.5, stribeck=0.3, viscous=0.2)
    ice = sb.Contact("ice", y - 0.1 * sb.sin(x), 0.1, law, slip=x.dot * (1 + x**2))
    env = sb.stepper(sb.Contacts(sb.derive(m), ice), 2e-2, substeps=2)
    state = np.array([0.3, 0.02, 0.7, -0.3, 0.4])
    assert env.impulses(state).impulses.all()
    assert_exact(env, state, [1.0], least=0.1, tolerance=1e-10)


def test_what_has_none_says_so():
    x = sb.symbol("x", "variable")
    with pytest.raises(sb.errors.SimulationError, match=r"make it of `sb.Contacts\(eq\)`"):
        sb.stepper(sb.from_equations({x: -x}), 0.1).second_derivatives([1.0], [1.0])
    env = sb.stepper(sliding(), 0.01)
    with pytest.raises(sb.errors.SimulationError, match=r"wrt of second_derivatives.*dt"):
        env.second_derivatives(env.start, [1.0, 0.0], wrt=("dt",))
    with pytest.raises(sb.errors.SimulationError, match="along 'x' has 2 numbers"):
        env.second_derivatives(env.start, [1.0])
    linear = sb.stepper(sliding(), 0.01, inputs="linear")
    with pytest.raises(sb.errors.SimulationError, match="inputs are held"):
        linear.second_derivatives(linear.start, [1.0, 0.0])
    m = sb.Model("switched")
    s = m.coordinate("s")
    m.particle("block", m.ground.point(s, 0, 0), mass=1.0)
    m.generalized_force("push", s, sb.where(m.time < 0.005, 1.0, 2.0))
    switched = sb.stepper(sb.Contacts(sb.derive(m)), 0.01)
    with pytest.raises(sb.errors.SimulationError, match="switch at certain times"):
        switched.second_derivatives(switched.start, [1.0, 0.0])
    turning = sb.stepper(box_on(CORNERS), 1e-2, b_z=0.1 - 1e-4, b_x_dot=1.0, b_wz=2.0)
    with pytest.raises(sb.errors.SimulationError, match="do not determine the motion"):
        turning.second_derivatives(turning.start, np.ones(13))
    rebounding = sb.stepper(box_on(TRIPOD), 1e-2, b_z=0.1 - 1e-4, b_z_dot=-0.05)
    with pytest.raises(sb.errors.SimulationError, match="contradict each other as soon as the state changes"):
        rebounding.second_derivatives(rebounding.start, np.ones(13))
