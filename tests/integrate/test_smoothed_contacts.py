"""Steps on the central path: gradients through the making and breaking of contacts, and their limit, those of exact steps."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import symbody as sb

from .test_contact_gradients import g, sliding
from .test_contact_stepper import box_on


def by_differences(env, x, r=None, d=1e-7):
    return np.array([(env.step(x + e, r) - env.step(x - e, r)) / (2 * d) for e in d * np.eye(len(x))]).T


def dropped(restitution=0.0):
    m = sb.Model("ball")
    y = m.coordinate("y")
    m.gravity(0, -g, 0)
    m.particle("ball", m.ground.point(0, y, 0), mass=2.0)
    return sb.Contacts(sb.derive(m), sb.Contact("floor", y, restitution))


def test_a_ball_on_the_central_path():
    """x (v⁺ + ε/h e^(gap/ε)) = κ with κ = (ε/h)² m, in closed form."""
    h, eps = 0.01, 1e-3
    env = sb.stepper(dropped(), h, smoothing=eps)
    for x in ([0.0, 0.0], [-1e-3, 0.1], [2e-3, -0.3]):
        found = env.impulses(np.array(x))
        gap = x[0] + h / 2 * x[1]
        free = x[1] - h * g + eps / h * np.exp(gap / eps)
        m, energy = 2.0, (eps / h) ** 2 * 2.0
        expected = m * (-free + np.sqrt(free**2 + 4 * energy / m)) / 2  # of x (free + x/m) = κ
        assert found.impulses[0] == pytest.approx(expected, rel=1e-10)
        assert found.state[1] == pytest.approx(x[1] - h * g + expected / m, rel=1e-10)


@pytest.mark.parametrize("restitution", [0.0, 0.6])
def test_derivatives_where_contacts_make_and_break(restitution):
    """At a gap of zero, at rest, before an impact: two-sided differences of the smoothed step."""
    env = sb.stepper(dropped(restitution), 0.01, smoothing=2e-3)
    for x in ([0.0, 0.0], [1e-3, -0.2], [0.0, -1.0], [0.0, 0.05]):
        found = env.derivatives(np.array(x))
        assert found.x == pytest.approx(by_differences(env, np.array(x)), rel=1e-6, abs=1e-6)
        assert found.one_sided == ()
    exact = sb.stepper(dropped(), 0.01)
    assert exact.derivatives(np.zeros(2)).one_sided == ("floor",)


def test_derivatives_tend_to_those_of_exact_steps():
    """In proportion to ε away from transitions: a box that slides on three feet, a block that sticks, one that slips."""
    box = box_on(((0.2, 0.15), (0.2, -0.15), (-0.2, 0.0)))
    cases = [
        (box, {"b_z": 0.0999, "b_x_dot": 0.3, "e": 0.0}, [1.0]), (sliding(), {}, [1.0]), (sliding(0.5), {"s_dot": 1.0}, [0.0]),
    ]  # fmt: skip
    for contacts, start, r in cases:
        exact = sb.stepper(contacts, 2e-3, start)
        wanted, misses = exact.derivatives(exact.start, r, wrt=("x", "r", "p")), []
        for eps in (1e-5, 1e-6, 1e-7):
            env = sb.stepper(contacts, 2e-3, start, smoothing=eps)
            found = env.derivatives(env.start, r, wrt=("x", "r", "p"))
            assert found.x == pytest.approx(by_differences(env, env.start, r), abs=1e-5)
            misses.append(max(np.abs(getattr(found, k) - getattr(wanted, k)).max() for k in ("x", "r", "p")))
        assert misses[2] < 1e-3, contacts.name
        assert misses[2] < max(0.2 * misses[1], 1e-9), contacts.name
        assert misses[1] < max(0.2 * misses[0], 1e-9), contacts.name


def test_a_gradient_through_an_impact():
    """The height after a fall: differences of the whole rollout, which exact steps do not have where the impact moves to
    another step."""
    env = sb.stepper(dropped(0.5), 0.01, smoothing=5e-3, y=0.1)

    def rollout(x):
        for _ in range(40):
            x = env.step(x)
        return x

    S, x = np.eye(2), env.start
    for _ in range(40):
        found = env.derivatives(x)
        x, S = found.state, found.x @ S
    d = 1e-6
    for k, e in enumerate(d * np.eye(2)):
        change = (rollout(env.start + e) - rollout(env.start - e)) / (2 * d)
        assert S[:, k] == pytest.approx(change, rel=1e-6)


def test_smoothed_steppers_pickle_and_refuse():
    env = sb.stepper(dropped(), 0.01, smoothing=1e-3, y=0.05)
    again = pickle.loads(pickle.dumps(env))
    np.testing.assert_array_equal(again.step(env.start), env.step(env.start))
    with pytest.raises(sb.errors.SimulationError, match="smoothing= is for steps with contacts"):
        sb.stepper(dropped().base, 0.01, smoothing=1e-3)
    with pytest.raises(sb.errors.SimulationError, match="smoothing = -1: a length"):
        sb.stepper(dropped(), 0.01, smoothing=-1)
    m = sb.Model("block")
    s = m.coordinate("s")
    m.particle("block", m.ground.point(s, 0, 0), mass=2.0)
    sticky = sb.Contacts(sb.derive(m), sb.Friction("belt", s.dot, sb.Coulomb(0.2, static=0.4), normal=1.0))
    with pytest.raises(sb.errors.SimulationError, match="one coefficient"):
        sb.stepper(sticky, 0.01, smoothing=1e-3)
