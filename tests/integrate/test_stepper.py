"""Steps one at a time: what they are beside `simulate`, for one and for many members, and their derivatives."""

from __future__ import annotations

import numpy as np
import pytest

import symbody as sb
from symbody.integrate import Contact

from .mechanisms import START, double_pendulum, falling, slider_crank

DT = 0.02


@pytest.fixture(scope="module")
def env():
    return sb.stepper(double_pendulum(), DT, q1=0.4, q2=-0.3, q1_dot=0.5, substeps=2)


def differences(f, x, h=1e-6):
    """∂f/∂x by central differences."""
    return np.array([(f(x + d) - f(x - d)) / (2 * h) for d in h * np.eye(len(x))]).T


def test_steps_are_those_of_simulate(env):
    state = env.start
    for _ in range(5):
        state = env.step(state, [1.5])
    whole = sb.simulate(double_pendulum(), 5 * DT, q1=0.4, q2=-0.3, q1_dot=0.5, tau=1.5, method="rk4", step=DT / 2)
    np.testing.assert_allclose(state, whole.y[-1], rtol=1e-13)


def test_many_members_are_single_ones(env):
    rng = np.random.default_rng(0)
    states, torques = rng.uniform(-1, 1, (200, 4)), rng.uniform(-1, 1, (200, 1))
    after, out = env.step(states, torques), np.empty((200, 4))
    for k in (0, 77, 199):
        np.testing.assert_array_equal(after[k], env.step(states[k], torques[k]))
    assert env.step(states, torques, out=out) is out
    np.testing.assert_array_equal(out, after)
    heavy = env.step(states, torques, p=np.tile(env.p * 1.1, (200, 1)))
    np.testing.assert_array_equal(heavy[3], env.step(states[3], torques[3], p=env.p * 1.1))
    assert not np.allclose(heavy, after)


def test_members_that_fail_have_no_numbers_and_are_reset(env):
    states = np.tile(env.start, (3, 1))
    states[1, 2] = np.inf
    after = env.step(states, [0.0])
    assert np.isnan(after[1]).all()
    assert np.isfinite(after[[0, 2]]).all()
    again = env.reset(after, np.isnan(after[:, 0]))
    np.testing.assert_array_equal(again[1], env.start)
    np.testing.assert_array_equal(again[0], after[0])
    assert np.isnan(env.step(states[1])).all()


def test_derivatives_are_those_of_the_step(env):
    x, r = env.start, np.array([0.7])
    found = env.derivatives(x, r, wrt=("x", "r", "p"))
    np.testing.assert_array_equal(found.state, env.step(x, r))
    np.testing.assert_allclose(found.x, differences(lambda y: env.step(y, r), x), atol=1e-8)
    np.testing.assert_allclose(found.r, differences(lambda s: env.step(x, s), r), atol=1e-8)
    np.testing.assert_allclose(found.p, differences(lambda p: env.step(x, r, p=p), env.p), atol=1e-8)
    many = env.derivatives(np.tile(x, (3, 1)), r)
    np.testing.assert_allclose(many.x[2], found.x, rtol=1e-12)


def test_constraints_hold_and_variations_are_along_them():
    eq = slider_crank()
    env = sb.stepper(eq, 1e-3, START)
    state = env.step(env.start)
    assert np.max(np.abs(sb.compile(eq).constraints(0.0, state[: len(eq.q)], state[len(eq.q) :], env.p)[0])) < 1e-11
    found = env.derivatives(state, wrt=("x",))
    np.testing.assert_allclose(found.x, differences(env.step, state, 1e-5), atol=2e-5)


def test_derivatives_through_an_impact():
    eq = falling()
    env = sb.stepper(eq, 0.05, height=0.02, height_dot=-1.0, events=[Contact("floor", eq.q[0], 0.6)])
    after = env.step(env.start)
    assert after[1] > 0  # it has bounced
    found = env.derivatives(env.start, wrt=("x", "p"))
    np.testing.assert_allclose(found.x, differences(env.step, env.start), rtol=1e-6)
    np.testing.assert_allclose(found.p, differences(lambda p: env.step(env.start, p=p), env.p), rtol=1e-6, atol=1e-9)


def test_inputs_are_held_or_linear_and_time_goes_on():
    eq = double_pendulum()
    line = sb.stepper(eq, DT, inputs="linear")
    whole = sb.simulate(eq, DT, inputs={"tau": 1 + 3 * eq.t / DT}, method="rk4", step=DT)
    np.testing.assert_allclose(line.step(line.start, [1.0], [4.0]), whole.y[-1], rtol=1e-12)
    np.testing.assert_allclose(line.step(line.start, [1.0]), sb.stepper(eq, DT).step(line.start, [1.0]), rtol=1e-12)
    driven = sb.closed_loop(eq, {"tau": sb.sin(5 * eq.t)})
    env = sb.stepper(driven, DT)
    state = env.step(env.step(env.start), t=DT)
    whole = sb.simulate(driven, 2 * DT, method="rk4", step=DT)
    np.testing.assert_allclose(state, whole.y[-1], rtol=1e-12)


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"dt": -1.0}, "dt = -1.0: a step has a positive length"),
        ({"dt": 0.1, "method": "radau"}, "radau"),
        ({"dt": 0.1, "substeps": 0}, "substeps = 0: a whole number of at least 1"),
        ({"dt": 0.1, "inputs": "cubic"}, "cubic"),
    ],
)
def test_what_is_no_step_is_refused(asked, message):
    with pytest.raises(sb.SimulationError, match=message):
        sb.stepper(double_pendulum(), **asked)


def test_wrong_sizes_are_named(env):
    with pytest.raises(sb.SimulationError, match="a state has 4 numbers"):
        env.step(np.zeros((3, 5)), [0.0])
    with pytest.raises(sb.SimulationError, match="group"):
        env.derivatives(env.start, wrt=("y",))


# ------------------------------------------------------------------------------------------------------- other packages


def test_jax_functions_have_gradients(env):
    jax = pytest.importorskip("jax", reason="jax is not installed")
    jax.config.update("jax_enable_x64", True)
    step, x, r = env.jax, jax.numpy.array(env.start), jax.numpy.array([0.3])
    np.testing.assert_array_equal(jax.jit(step)(x, r), env.step(env.start, np.array([0.3])))
    slope = jax.jacrev(lambda s: step(x, s))(r)
    np.testing.assert_allclose(slope, env.derivatives(env.start, np.array([0.3])).r, rtol=1e-12)
    many = jax.vmap(step, in_axes=(0, None))(jax.numpy.tile(x, (3, 1)), r)
    np.testing.assert_allclose(many[1], step(x, r), rtol=1e-14)


def test_torch_tensors_have_gradients(env):
    torch = pytest.importorskip("torch", reason="torch is not installed")
    x = torch.tensor(env.start, requires_grad=True)
    y = env.torch(x, torch.tensor([0.3], dtype=torch.float64))
    y.sum().backward()
    np.testing.assert_allclose(x.grad, env.derivatives(env.start, np.array([0.3])).x.sum(axis=0), rtol=1e-12)


def test_gymnasium_vector_environments(env):
    pytest.importorskip("gymnasium", reason="gymnasium is not installed")
    members = env.gymnasium(
        5, lambda before, r, after: -(after[:, 0] ** 2), ends=lambda x: np.abs(x[:, 0]) > 0.7, steps=30
    )
    states, _ = members.reset(seed=1)
    assert members.observation_space.contains(states)
    ended = np.zeros(5, dtype=int)
    for _ in range(40):
        before = states
        states, reward, over, cut, _ = members.step(np.zeros((5, 1)))
        assert states.shape == (5, 4)
        assert reward.shape == over.shape == cut.shape == (5,)
        ended += over | cut
    assert np.all(ended >= 1)
    assert not np.array_equal(before, states)
