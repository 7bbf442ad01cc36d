"""Environments on a GPU, on an emulated card: those on this computer, with members that end, are cut, fail and begin anew."""

from __future__ import annotations

import numpy as np
import pytest

import symbody as sb

from .test_cuda_contacts import library, puck  # noqa: F401  (a fixture)

device_array = sb.emit.device_array


def environment(members, **more):
    stepper = sb.stepper(puck(), 0.02, substeps=2, y=0.05)
    x, y = stepper.equations.q
    return sb.environment(
        stepper, members, observation=[x, "y_dot", y * sb.symbol("mu", "parameter")], reward=x - 0.01 * sb.symbol("F", "input") ** 2,
        ends=x > 0.25, start={x: (-0.1, 0.0), "x_dot": (0.0, 0.5)}, parameters={"mu": (0.2, 0.8)}, actions={"F": (-8, 8)}, **more,
    )  # fmt: skip


@pytest.mark.parametrize(("real", "tolerance"), [("double", 1e-12), ("float", 1e-4)])
def test_steps_are_those_of_the_environment(real, tolerance, library):  # noqa: F811
    """The same starts, parameters and actions until the first member is over; then it begins at another start."""
    env = environment(5, steps=40)
    card = sb.integrate.cuda_environment(env, real=real)
    seen = card.reset(seed=3).numpy()
    rows = card.states.numpy().astype(float)
    env.reset()
    env.states, env.p = rows[:, :4].copy(), rows[:, 4:].copy()
    np.testing.assert_allclose(seen, np.c_[rows[:, 0], rows[:, 3], rows[:, 1] * rows[:, 4]], atol=tolerance)
    draw, is_over = np.random.default_rng(2), np.zeros(5, dtype=bool)
    for _ in range(39):
        actions = draw.uniform(-6, 12, (5, 1))
        found, exact = card.step(device_array(actions, real)), env.step(actions)
        live = ~is_over
        for name in ("final", "reward", "ended", "cut"):
            np.testing.assert_allclose(getattr(found, name).numpy()[live], getattr(exact, name)[live], atol=tolerance)
        over = (exact.ended | exact.cut) & live
        np.testing.assert_allclose(
            found.observation.numpy()[live & ~over], exact.observation[live & ~over], atol=tolerance
        )
        is_over |= over
    assert 0 < is_over.sum() < 5, rows
    assert found.failures() == {}


def test_members_begin_anew_at_drawn_starts(library):  # noqa: F811
    env = environment(3, steps=4)
    card = sb.integrate.cuda_environment(env, draws=7)
    card.reset(seed=1)
    starts = card._starts.numpy()
    assert len(np.unique(starts[:, 4])) == 7
    for episode in range(1, 4):
        cuts = [card.step().cut.numpy().tolist() for _ in range(4)]
        assert cuts == [[0.0] * 3] * 3 + [[1.0] * 3]
        np.testing.assert_array_equal(card.states.numpy(), starts[(np.arange(3) + 3 * episode) % 7])


def test_a_bad_action_ends_its_member(library):  # noqa: F811
    card = sb.integrate.cuda_environment(environment(3))
    before = card.states.numpy()
    found = card.step(device_array([[0.0], [np.nan], [1.0]]))
    assert found.failures() == {1: "its action is not a number"}
    assert found.ended.numpy().tolist() == [0.0, 1.0, 0.0]
    assert found.reward.numpy()[1] == 0.0
    np.testing.assert_allclose(found.final.numpy()[1, 0], before[1, 0])
    assert np.isfinite(card.step().observation.numpy()).all()


def test_what_is_not_for_a_card(library):  # noqa: F811
    x = sb.symbol("x")
    smooth = sb.environment(sb.stepper(sb.from_equations({x: -x}), 0.1, x=1.0), 2, reward=x)
    with pytest.raises(sb.errors.SimulationError, match=r"stepper of Contacts, which may be none"):
        sb.integrate.cuda_environment(smooth)
    with pytest.raises(sb.errors.SimulationError, match="same step"):
        sb.integrate.cuda_environment(environment(2, autoreset="next step"))
    card = sb.integrate.cuda_environment(environment(2))
    with pytest.raises(sb.errors.SimulationError, match="on the card"):
        card.step(np.zeros((2, 1)))
    with pytest.raises(sb.errors.SimulationError, match="shape"):
        card.step(device_array(np.zeros((3, 1))))


def test_equations_without_contacts(library):  # noqa: F811
    """A cart and pole: time steps without contacts are of second order, and the same on a card."""
    m = sb.Model("cart and pole")
    x, theta = m.coordinates("x theta")
    F = m.input("F")
    m.gravity(0, -9.81, 0)
    m.particle("cart", m.ground.point(x, 0, 0), mass=1.0)
    m.particle("pole", m.ground.point(x + 0.5 * sb.sin(theta), 0.5 * sb.cos(theta), 0), mass=0.1)
    m.generalized_force("push", x, F)
    eq = sb.derive(m)
    misses = []
    for substeps in (4, 8):
        stepper, fine = sb.stepper(sb.Contacts(eq), 0.02, theta=0.1, substeps=substeps), sb.stepper(eq, 0.02)
        state = other = stepper.start
        for _ in range(10):
            state, other = stepper.step(state, [1.0]), fine.step(other, [1.0])
        misses.append(np.abs(state - other).max())
    assert misses[1] == pytest.approx(misses[0] / 4, rel=0.1)
    env = sb.environment(
        stepper, 3, reward=sb.cos(theta), ends=abs(theta) > 0.3, start={theta: (-0.1, 0.1)}, actions={F: (-1, 1)}
    )
    card = sb.integrate.cuda_environment(env)
    card.reset(seed=1)
    env.states = card.states.numpy()
    actions = np.array([[0.5], [-3.0], [0.0]])
    found, exact = card.step(device_array(actions)), env.step(actions)
    np.testing.assert_allclose(found.observation.numpy(), exact.observation, rtol=1e-13)
    np.testing.assert_allclose(found.reward.numpy(), exact.reward, rtol=1e-13)
