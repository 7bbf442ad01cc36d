"""Environments: rewards and ends beside plain NumPy, members that begin anew, failures that name their member, random values
and starts on constraints, Gymnasium's own checks."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import symbody as sb

from .mechanisms import slider_crank
from .test_contact_gradients import sliding

g = 9.81


@pytest.fixture(scope="module")
def cart():
    m = sb.Model("cart and pole")
    x, theta = m.coordinates("x theta")
    p = m.parameters(mass=0.1, length=0.5)
    m.particle("cart", m.ground.point(x, 0, 0), mass=1.0)
    m.particle("pole", m.ground.point(x + p.length * sb.sin(theta), p.length * sb.cos(theta), 0), mass=p.mass)
    m.gravity(0, -g, 0)
    m.generalized_force("push", x, m.input("F"))
    return sb.stepper(sb.derive(m), 0.02)


def cart_and_pole(cart, members=6, **more):
    x, theta = cart.own_equations.q
    return sb.environment(
        cart, members, observation=[x, sb.sin(theta), "theta_dot"], reward=sb.cos(theta) - 0.01 * sb.symbol("F", "input") ** 2,
        ends=(abs(theta) > 0.2) | (abs(x) > 2.4), start={theta: (-0.1, 0.1)}, parameters={"mass": (0.05, 0.2)},
        actions={"F": (-10, 10)}, **more,
    )  # fmt: skip


def test_a_step_is_that_of_the_stepper_with_its_expressions(cart):
    env = cart_and_pole(cart)
    env.reset(seed=4)
    before, p = env.states.copy(), env.p.copy()
    actions = np.linspace(-20, 20, 6)[:, None]
    found = env.step(actions)
    r = np.clip(actions, -10, 10)
    after = cart.step(before, r, p=p)
    np.testing.assert_array_equal(found.final, np.c_[after[:, 0], np.sin(after[:, 1]), after[:, 3]])
    np.testing.assert_allclose(found.reward, np.cos(after[:, 1]) - 0.01 * r[:, 0] ** 2, atol=1e-15)
    np.testing.assert_array_equal(found.ended, (np.abs(after[:, 1]) > 0.2) | (np.abs(after[:, 0]) > 2.4))
    assert len(np.unique(env.p[:, 0])) == 6
    assert np.all((env.p[:, 0] >= 0.05) & (env.p[:, 0] <= 0.2))
    assert np.all(env.p[:, 1] == 0.5)


def test_numbers_stay_and_all_inputs_are_actions_by_default(cart):
    """A start and a parameter that are single numbers, and actions without limits."""
    env = sb.environment(cart, 3, reward="x", start={"theta": 0.3}, parameters={"mass": 0.2})
    env.reset(seed=1)
    assert env.states[:, 1].tolist() == [0.3] * 3
    assert env.p[:, 0].tolist() == [0.2] * 3
    assert env.action_names == ("F",)
    before, p = env.states.copy(), env.p.copy()
    found = env.step([[1e3], [0.0], [-1e3]])
    np.testing.assert_array_equal(found.reward, cart.step(before, [[1e3], [0.0], [-1e3]], p=p)[:, 0])


def test_members_begin_anew_where_they_end_or_are_cut(cart):
    env = cart_and_pole(cart, steps=25)
    env.reset(seed=2)
    ends = cuts = 0
    for _ in range(80):
        masses = env.p[:, 0].copy()
        found = env.step(np.zeros((6, 1)))
        over = found.ended | found.cut
        assert np.all(env.p[~over, 0] == masses[~over])
        assert np.all(env.p[over, 0] != masses[over])
        assert np.all(np.abs(env.states[over, 1]) <= 0.1)
        assert np.all(env.states[over][:, [0, 2, 3]] == 0.0)
        np.testing.assert_array_equal(found.observation[~over], found.final[~over])
        np.testing.assert_array_equal(found.observation[over, 1], np.sin(env.states[over, 1]))
        ends, cuts = ends + found.ended.sum(), cuts + found.cut.sum()
    assert ends > 0
    assert cuts > 0


def test_members_begin_anew_in_the_next_step():
    """x' = -x from 1, cut after two steps, or below a half: a step of reward 0 lies between episodes; a NaN there is ignored."""
    x, F = sb.symbols("x F")
    stepper = sb.stepper(sb.from_equations({x: F - x}, inputs=[F]), 0.1, x=1.0)
    env = sb.environment(stepper, 2, reward=x, ends=x < 0.5, steps=2, autoreset="next step", watch=0)
    h = float(stepper.step(stepper.start)[0])
    env.reset(seed=0)
    found = [env.step([[a], [b]]) for a, b in ((0, -9), (0, np.nan), (np.nan, 0), (0, 0), (0, 0))]
    seen, gained = (np.array([getattr(f, name) for f in found]) for name in ("observation", "reward"))
    np.testing.assert_allclose(seen[:, 0, 0], [h, h * h, 1.0, h, h * h], rtol=1e-14)
    np.testing.assert_allclose(gained[:, 0], [h, h * h, 0.0, h, h * h], rtol=1e-14)
    assert [f.cut.tolist() for f in found] == [[False] * 2, [True, False], [False] * 2, [False, True], [True, False]]
    assert [f.ended.tolist()[1] for f in found] == [True, False, False, False, False]
    np.testing.assert_allclose(seen[1:4, 1, 0], [1.0, h, h * h], rtol=1e-14)
    assert not any(f.failures for f in found)
    assert len(env.trajectory(0)["x"]) == 3


def test_wrappers_of_gymnasium_that_change_observations(cart):
    gymnasium = pytest.importorskip("gymnasium", reason="gymnasium is not installed")
    pytest.importorskip("array_api_compat", reason="array_api_compat is not installed")
    from gymnasium.wrappers.vector import NormalizeObservation, RecordEpisodeStatistics

    vector = cart_and_pole(cart, 6, steps=10, autoreset="next step").gymnasium
    assert vector.metadata["autoreset_mode"] == gymnasium.vector.AutoresetMode.NEXT_STEP
    wrapped, episodes = NormalizeObservation(RecordEpisodeStatistics(vector)), 0
    wrapped.reset(seed=1)
    for _ in range(25):
        info = wrapped.step(wrapped.action_space.sample())[-1]
        episodes += int(info["_episode"].sum()) if "episode" in info else 0
    assert episodes >= 12


def test_seeds_repeat_and_pickles_continue(cart):
    one, other = cart_and_pole(cart), cart_and_pole(cart)
    np.testing.assert_array_equal(one.reset(seed=7), other.reset(seed=7))
    again = pickle.loads(pickle.dumps(one))
    for _ in range(30):
        a, b, c = (env.step(np.ones((6, 1))) for env in (one, other, again))
        np.testing.assert_array_equal(a.observation, b.observation)
        np.testing.assert_array_equal(a.observation, c.observation)


def test_failures_name_their_member_and_others_go_on(cart):
    env = cart_and_pole(cart)
    env.reset(seed=1)
    env.states[4] = np.inf
    found = env.step([[1.0], [np.nan], [1.0], [1.0], [1.0], [np.inf]])
    assert found.failures == {
        1: "its action F is nan",
        4: "its step has no finite state, or no impulses that satisfy its contacts",
        5: "its action F is inf",
    }
    assert found.ended.tolist() == [False, True, False, False, True, True]
    assert np.isfinite(found.observation).all()
    assert np.all(found.reward[[1, 4, 5]] == 0.0)
    assert not env.step(np.zeros((6, 1))).failures


def test_starts_are_put_on_constraints_and_those_that_cannot_are_named():
    eq = slider_crank()
    stepper = sb.stepper(eq, 1e-3, {"alpha": 0.1})
    at, names = stepper.state_names.index("alpha"), [s.name for s in eq.q]
    env = sb.environment(stepper, 5, reward="alpha", start={"alpha": (0.05, 0.35)})
    env.reset(seed=3)
    assert len(np.unique(env.states[:, at])) == 5
    for y in env.states:
        known = {**eq.mechanism.values, **dict(zip(eq.q, y[: len(names)], strict=True))}
        assert np.abs(sb.evaluate(list(eq.phi.entries), known)).max() < 1e-9
    far = sb.environment(stepper, 1, reward="alpha", start={"alpha": (0.8, 0.9)}, steps=1)
    found = far.step()
    assert list(found.failures) == [0]
    assert "its start is not consistent" in found.failures[0]
    np.testing.assert_array_equal(far.states, [stepper.start])


def test_contacts_learn_too():
    """The block of a slope: frictions are drawn for each member, and the way it slides is that of its own."""
    stepper = sb.stepper(sliding(), 1e-3, s_dot=0.5)
    s = stepper.own_equations.q[0]
    env = sb.environment(stepper, 40, reward=s, parameters={"mu": (0.1, 0.9)}, actions={}, watch=3)
    env.reset(seed=5)
    for _ in range(600):
        found = env.step()
    mu = env.p[:, stepper.parameter_names.index("mu")]
    np.testing.assert_allclose(found.reward, 0.5**2 / (2 * mu * g), atol=5e-4)
    sim = env.trajectory(3)
    assert len(sim) == 601
    assert sim["s"][-1] == found.reward[3]
    assert sim.t[-1] == pytest.approx(0.6)


def test_gymnasium_vector_interface(cart):
    gymnasium = pytest.importorskip("gymnasium", reason="gymnasium is not installed")
    env = cart_and_pole(cart, steps=20, watch=0)
    vector = env.gymnasium
    seen, _ = vector.reset(seed=1)
    assert vector.observation_space.contains(seen)
    assert vector.metadata["autoreset_mode"] == gymnasium.vector.AutoresetMode.SAME_STEP
    for _ in range(25):
        seen, reward, ended, cut, info = vector.step(vector.action_space.sample())
        assert reward.shape == ended.shape == cut.shape == (6,)
        assert ("final_obs" in info) == bool((ended | cut).any())
    assert vector.render().frames


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"members": 0}, "members = 0: a whole number of at least 1"),
        ({"steps": 1.5}, "steps = 1.5"),
        ({"ends": 3.0}, "ends= is a condition"),
        ({"start": {"thta": 0.1}}, "did you mean 'theta'|no variable 'thta'"),
        ({"start": {"theta": (0.2, 0.1)}}, r"low = 0.2 above high = 0.1|interval"),
        ({"parameters": {"mas": 1.0}}, "parameter 'mas'"),
        ({"actions": {"G": (0, 1)}}, "input 'G'"),
        ({"reward": "hight"}, "quantity 'hight'"),
        ({"reward": lambda state: 1.0}, "expressions of the model, which are compiled"),
        ({"watch": 9}, "watch = 9"),
        ({"autoreset": "soon"}, "way of autoreset 'soon'"),
    ],
)
def test_wrong_arguments_are_refused_in_words(cart, asked, words):
    with pytest.raises(sb.errors.SimulationError, match=words):
        sb.environment(cart, **{"members": 2, "reward": "theta", **asked})


def test_wrong_actions_are_refused_in_words(cart):
    env = cart_and_pole(cart)
    with pytest.raises(sb.errors.SimulationError, match="a row for each member"):
        env.step([1.0])
    with pytest.raises(sb.errors.SimulationError, match="must be numbers"):
        env.step("left")
    with pytest.raises(sb.errors.SimulationError, match="is not watched"):
        env.trajectory(2)
    with pytest.raises(sb.errors.SimulationError, match="takes a stepper"):
        sb.environment(cart.own_equations, 2, reward="theta")


def test_trajectories_of_steps(cart):
    states = [cart.start + 0.1]
    for _ in range(4):
        states.append(cart.step(states[-1], [1.0]))
    sim = cart.trajectory(states, t=1.0)
    np.testing.assert_array_equal(sim["theta"], np.array(states)[:, 1])
    assert sim.t[-1] == pytest.approx(1.08)
    assert sim.scene().frames
    assert np.isnan(sim["F"]).all()  # inputs are not stored
    with pytest.raises(sb.errors.SimulationError, match="rows of 4 numbers"):
        cart.trajectory(states[0])
