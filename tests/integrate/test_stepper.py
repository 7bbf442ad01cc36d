"""Steps one at a time: what they are beside `simulate`, for one and for many members, and their derivatives."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import symbody as sb
from symbody.integrate import Contact
from symbody.integrate.steppers import whole_steps
from symbody.later import RenamedWarning

from .. import redundant
from ..amount import some
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


@pytest.mark.parametrize("method", ["rk4", "dp8"])
def test_whole_steps_are_those_of_stages(method, monkeypatch):
    """A step as one program, of members side by side, and stage after stage in a loop; with parameters that differ, time that
    goes on, and a member that fails."""
    eq = sb.closed_loop(double_pendulum(), {"tau": sb.sin(5 * double_pendulum().t)})
    options = {"method": method, "substeps": 3, "q1": 0.4}
    whole = sb.stepper(eq, DT, **options)
    rng = np.random.default_rng(1)
    states, p = rng.uniform(-1, 1, (50, 4)), whole.p * rng.uniform(0.9, 1.1, (50, len(whole.p)))
    states[7, 1] = np.nan
    found = whole.step(states, t=0.3, p=p)
    assert isinstance(whole._local.many.worker, whole_steps.WholeWorker)
    monkeypatch.setattr(whole_steps, "LONGEST", 0)
    loop = sb.stepper(eq, DT, **options)
    np.testing.assert_allclose(found, loop.step(states, t=0.3, p=p), rtol=1e-13)
    assert not isinstance(loop._local.many.worker, whole_steps.WholeWorker)
    assert np.isnan(found[7]).all()


def test_a_step_remembers_no_inputs(env):
    """Inputs that are left out are zero, also after a step that had some; so are parameters and time."""
    before = env.step(env.start, [0.0])
    env.step(env.start, [1.5], p=env.p * 1.1, t=3.0)
    np.testing.assert_array_equal(env.step(env.start), before)


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
    np.testing.assert_allclose(found.state, env.step(x, r), rtol=1e-14)
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
    with pytest.raises(sb.errors.SimulationError, match=message):
        sb.stepper(double_pendulum(), **asked)


def test_wrong_sizes_are_named(env):
    with pytest.raises(sb.errors.SimulationError, match="a state has 4 numbers"):
        env.step(np.zeros((3, 5)), [0.0])
    with pytest.raises(sb.errors.SimulationError, match="group"):
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
    with pytest.warns(RenamedWarning, match="sb.environment"):
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


# ---------------------------------------------------------------------------------------------------- implicit methods


@pytest.mark.parametrize(("method", "order"), [("implicit-midpoint", 2), ("sdirk3", 3)])
def test_implicit_methods_have_their_order_and_exact_derivatives(method, order):
    eq, start = double_pendulum(), {"q1": 0.4, "q2": -0.3, "q1_dot": 0.5, "c": 0.1}
    exact = sb.simulate(eq, 0.4, start, tau=1.5, rtol=1e-12).y[-1]
    errors = []
    for n in (10, 20):
        env = sb.stepper(eq, 0.4, start, method=method, substeps=n)
        errors.append(np.abs(env.step(env.start, [1.5]) - exact).max())
    assert np.log2(errors[0] / errors[1]) == pytest.approx(order, abs=0.35)
    env, r = sb.stepper(eq, 0.2, start, method=method, substeps=2), np.array([0.7])
    found = env.derivatives(env.start, r, wrt=("x", "r", "p"))
    np.testing.assert_array_equal(found.state, env.step(env.start, r))
    np.testing.assert_allclose(found.x, differences(lambda y: env.step(y, r), env.start), atol=1e-8)
    np.testing.assert_allclose(found.r, differences(lambda s: env.step(env.start, s), r), atol=1e-8)
    np.testing.assert_allclose(found.p, differences(lambda p: env.step(env.start, r, p=p), env.p), atol=1e-8)


def test_implicit_methods_take_steps_that_stiffness_forbids_others():
    """x' = -λ (x - cos t), λ = 1e6: one step of rk4 has no number, sdirk3 (L-stable) is on the slow solution after two;
    the midpoint rule keeps the energy of an oscillator."""
    x, v = sb.symbols("x v", "variable")
    stiff = sb.from_equations({x: -1e6 * (x - sb.cos(sb.symbol("t", "time")))})
    loose, env = sb.stepper(stiff, 0.05, x=2.0), sb.stepper(stiff, 0.05, x=2.0, method="sdirk3")
    assert abs(loose.step(loose.start)[0]) > 1e12
    state = env.step(env.step(env.start), t=0.05)
    assert state[0] == pytest.approx(np.cos(0.1), abs=1e-5)
    env = sb.stepper(sb.from_equations({x: v, v: -100 * x}), 0.1, x=1.0, method="implicit-midpoint")
    state = env.start
    for _ in range(1000):
        state = env.step(state)
    assert 100 * state[0] ** 2 + state[1] ** 2 == pytest.approx(100.0, rel=1e-11)


def test_implicit_methods_keep_constraints():
    env = sb.stepper(slider_crank(), 1e-3, START, method="implicit-midpoint")
    other = sb.stepper(slider_crank(), 1e-3, START)
    state = env.step(env.start)
    np.testing.assert_allclose(state, other.step(env.start), atol=1e-4)
    found = env.derivatives(state, wrt=("x",))
    np.testing.assert_allclose(found.x, differences(env.step, state, 1e-5), atol=2e-5)
    with pytest.raises(sb.errors.SimulationError, match="takes no events"):
        sb.stepper(falling(), 0.1, method="sdirk3", events=[Contact("floor", falling().q[0], 0.6)])


# -------------------------------------------------------------------------------------------------- redundant constraints


@pytest.mark.parametrize("name", some(list(redundant.LOOPS), 3))
def test_constraints_that_depend_on_each_other(name):
    """Steps are those of `simulate`, from any state on the way: combinations of rows that vanish are found anew."""
    eq = sb.derive(redundant.LOOPS[name][0](0), redundant=True)
    start = redundant.start(eq, 0)
    env = sb.stepper(eq, 0.01, start)
    whole = sb.simulate(eq, 0.3, start, method="rk4", step=0.01)
    np.testing.assert_allclose(env.step(whole.y[:-1]), whole.y[1:], rtol=1e-9, atol=1e-9)
    x = whole.y[15]
    np.testing.assert_array_equal(env.step(x), env.step(x[None])[0])
    near = env.derivatives(x, wrt=("x",))
    along = near.x @ (whole.y[16] - x)
    moved = (env.step(x + 1e-4 * (whole.y[16] - x)) - env.step(x - 1e-4 * (whole.y[16] - x))) / 2e-4
    np.testing.assert_allclose(along, moved, atol=1e-3 * np.abs(moved).max())


# ------------------------------------------------------------------------------------------- arguments, processes, packages


def _cart() -> sb.integrate.Stepper:
    m = sb.Model("cart")
    m.prismatic("x", m.ground, m.body("b", mass=m.parameter("mb", 2.0)), actuation=m.input("F"), stiffness=3.0)
    return sb.stepper(sb.derive(m), 0.01, x=1.0)


ROWS = np.tile([1.0, 0.0], (3, 1))


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (((1.0, 0.0), 1.0), r"it has 1 input \(F\), got r of shape \(\)"),
        ((ROWS, np.zeros((2, 1))), r"r is one row, or one for each of 3 states; got shape \(2, 1\)"),
        ((ROWS, [[1.0, 2.0]]), r"it has 1 input \(F\), got r of shape \(1, 2\)"),
        ((ROWS, ["a"]), "r must be numbers"),
        (("x",), "a state must be numbers"),
    ],
)
def test_wrong_states_and_inputs_are_refused_in_words(arguments: tuple[object, ...], words: str) -> None:
    with pytest.raises(sb.errors.SimulationError, match=words):
        _cart().step(*arguments)


@pytest.mark.parametrize(
    ("p", "words"),
    [
        ([1, 2], r"it has 1 parameter \(mb\), got p of shape \(2,\)"),
        ({"mbb": 2.0}, r"no parameter 'mbb'.*Did you mean 'mb'\?"),
        (np.zeros((2, 1)), "one for each of 3 states"),
    ],
)
def test_wrong_parameters_are_refused_in_words(p: object, words: str) -> None:
    with pytest.raises(sb.errors.SimulationError, match=words):
        _cart().step(ROWS, [1.0], p=p)


def test_parameters_by_name() -> None:
    env = _cart()
    assert (env.step(ROWS, [1.0], p={"mb": 4.0}) == env.step(ROWS, [1.0], p=[4.0])).all()


def test_steppers_are_pickled() -> None:
    """Made again in the other process, of equations, contacts and events."""
    m = sb.Model("ball")
    y = m.coordinate("y")
    m.particle("ball", m.ground.point(0, y, 0), mass=2.0)
    m.gravity(0, -9.81, 0)
    eq, floor = sb.derive(m), sb.Contact("floor", y, restitution=0.5)
    for env in (
        _cart(),
        sb.stepper(sb.Contacts(eq, floor), 0.01, y=0.5),
        sb.stepper(eq, 0.3, events=[floor], y=0.1),
        sb.stepper(eq, 0.1, method="implicit-midpoint", y_dot=1.0),
    ):
        again = pickle.loads(pickle.dumps(env))
        assert (again.dt, again.state_names) == (env.dt, env.state_names)
        assert (again.start == env.start).all()
        assert (again.step(env.start) == env.step(env.start)).all()


def test_jax_without_inputs() -> None:
    jax = pytest.importorskip("jax")
    jax.config.update("jax_enable_x64", True)
    x = sb.symbol("x", "variable")
    env = sb.stepper(sb.from_equations({x: -x}), 0.1, x=1.0)
    states = jax.numpy.ones((4, 1))
    expected = env.step(env.start)[0]
    assert float(env.jax(states[0])[0]) == expected
    assert np.allclose(jax.vmap(env.jax)(states), expected)
    assert float(jax.grad(lambda s: env.jax(s)[0])(states[0])[0]) == pytest.approx(env.derivatives(env.start).x[0, 0])
