"""Rollouts on a GPU, on an emulated card: steps and gradients of the stepper on this computer."""

from __future__ import annotations

import numpy as np
import pytest

import symbody as sb

from .test_contact_stepper import THROWN, TRIPOD, box_on
from .test_cuda_contacts import library, puck  # noqa: F401  (a fixture)

STEP = 2e-3
device_array = sb.emit.device_array


def swept(env, starts, actions, given, bars):
    """States of each member, and gradients of Σ bars · states with respect to starts, actions and parameters, by the stepper."""
    states, found = [], []
    for x, acts, p, bar in zip(starts, actions, given, bars, strict=True):
        row = [x]
        for r in acts:
            row.append(env.step(row[-1][None], r, p=p)[0])
        back, to_actions, to_p = np.zeros(len(x)), np.zeros(acts.shape), np.zeros(len(p))
        for k in reversed(range(len(acts))):
            pulled = env.pullback(row[k][None], (back + bar[k])[None], acts[k], p=p, wrt=("x", "r", "p"))
            back, to_actions[k] = pulled.x[0], pulled.r[0]
            to_p += pulled.p[0]
        states.append(row[1:])
        found.append((back, to_actions, to_p))
    return np.array(states), [np.array(x) for x in zip(*found, strict=True)]


def agree(env, starts, actions, given, real="double", tolerance=1e-10, vary=("mu",), every=1):
    count, draw = actions.shape[1], np.random.default_rng(2)
    roll = sb.integrate.cuda_rollout(env, real=real, vary=vary, every=every)
    at = [env.parameter_names.index(n) for n in vary]
    full = np.tile(env.p, (len(starts), 1))
    full[:, at] = given
    bars = np.zeros((*actions.shape[:2], starts.shape[1]))
    bars[:, every - 1 :: every] = draw.normal(size=(len(starts), count // every, starts.shape[1]))
    states, exact = swept(env, starts, actions, full, bars)
    y, r, p, b = (device_array(x, real) for x in (starts, actions, given, bars[:, every - 1 :: every]))
    found = roll(y, r, parameters=p)
    assert [e.name for e in found.endings()] == ["REACHED"] * len(starts)
    assert np.abs(found.states.numpy() - states[:, every - 1 :: every]).max() <= tolerance
    back = roll.pullback(y, r, found.states, b, parameters=p)
    for name, whole in zip(("start", "actions", "parameters"), exact, strict=True):
        wanted = whole[:, at] if name == "parameters" else whole
        got = getattr(back, name).numpy()
        scale = np.abs(wanted).max()
        assert np.abs(got - wanted).max() <= 100 * tolerance * scale, (name, got, wanted)
    return states


@pytest.mark.parametrize(("real", "tolerance"), [("double", 1e-12), ("float", 1e-4)])
def test_gradients_of_a_puck(real, tolerance, library):  # noqa: F811
    """Flight, impact with restitution, slip and rest."""
    env = sb.stepper(puck(), STEP)
    starts = np.array([[0.0, 0.02, 0.3, -0.2], [0.0, 0.01, 0.0, -0.2], [0.0, -1e-4, -0.1, -0.01]])
    actions = np.random.default_rng(1).uniform(0.5, 2, (3, 24, 1))
    agree(env, starts, actions, np.array([[0.4], [0.2], [0.7]]), real, tolerance)


@pytest.mark.parametrize(("real", "tolerance"), [("double", 1e-11), ("float", 1e-3)])
def test_gradients_of_a_puck_with_smoothed_contacts(real, tolerance, library):  # noqa: F811
    """On the central path: the puck is pushed by the floor before it touches, and creeps."""
    env = sb.stepper(puck(), STEP, smoothing=1e-3)
    starts = np.array([[0.0, 0.004, 0.3, -0.2], [0.0, 0.002, 0.0, -0.2], [0.0, 1e-4, -0.1, -0.01]])
    actions = np.random.default_rng(1).uniform(0.5, 2, (3, 12, 1))
    states = agree(env, starts, actions, np.array([[0.4], [0.2], [0.7]]), real, tolerance)
    exact = swept(sb.stepper(puck(), STEP), starts, actions, np.tile(env.p, (3, 1)), np.zeros(states.shape))[0]
    assert np.abs(states - exact)[:, 0, 3].max() > 1e-3


def test_gradients_of_a_box_from_checkpoints(library):  # noqa: F811
    """A box with Euler parameters that hits the floor and slides, in substeps, with a checkpoint after every fourth step."""
    env = sb.stepper(box_on(TRIPOD), 2 * STEP, THROWN, substeps=2, b_z=0.23, b_z_dot=-1.5, e=0.1)
    starts = np.array([env.start, env.start])
    starts[1, env.state_names.index("b_x_dot")] = 0.1
    actions = np.random.default_rng(3).uniform(-1, 1, (2, 12, 1))
    states = agree(env, starts, actions, np.array([[0.4, 2.0], [0.8, 1.5]]), vary=("mu", "mass"), every=4)
    assert np.ptp(states[0, :, env.state_names.index("b_z_dot")]) > 0.5  # it hit the floor


def test_what_is_not_for_a_card(library):  # noqa: F811
    contacts = puck()
    roll = sb.integrate.cuda_rollout(sb.stepper(contacts, STEP), every=2)
    y = device_array([[0.0, 0.1, 0.0, 0.0]])
    for actions, fault in (
        (device_array(np.zeros((1, 3, 1))), "multiple of every=2"),
        (device_array(np.zeros((2, 4, 1))), "expected"),
        (np.zeros((1, 4, 1)), "on the card"),
        (device_array(np.zeros((1, 4, 1)), "float"), "float32"),
    ):
        with pytest.raises(sb.errors.SimulationError, match=fault):
            roll(y, actions)
    with pytest.raises(sb.errors.SimulationError, match="held"):
        sb.integrate.cuda_rollout(sb.stepper(contacts, STEP, inputs="linear"))


def test_gradients_of_a_loop_that_hits_a_wall(library):  # noqa: F811
    """A crank and a rod whose end slides along a line, with friction under the force of that line, against a wall."""
    m = sb.Model("crank")
    mu, e = m.parameter("mu", 0.2), m.parameter("e", 0.4)
    crank, rod = (m.body(n, mass=1.0, inertia=(0, 0, 0.02), com=(x, 0, 0)) for n, x in (("crank", 0.1), ("rod", 0.2)))
    turn = m.revolute("a", m.ground, crank)
    m.revolute("b", crank, rod, at=(0.2, 0, 0))
    end = rod.point(0.4, 0, 0)
    m.coincide("line", m.ground.point(0, 0, 0), end, along=m.ground, axes="y")
    m.generalized_force("motor", turn.q, m.input("T"))
    eq = sb.derive(m)
    x = end.position().dot(m.ground.x)
    slip = sb.time_derivative(x, dict(zip(eq.q, eq.rates.entries, strict=True)))
    rubs = sb.Friction("rail", slip, sb.Coulomb(mu), normal=eq.lam[0])
    contacts = sb.Contacts(eq, sb.Contact("wall", 0.55 - x, e), rubs)
    env = sb.stepper(contacts, STEP, {"b": -1.5}, a=1.0)
    starts = np.tile(env.start, (2, 1))
    starts[:, 2:] *= 0
    actions = np.stack([np.full((60, 1), -8.0), np.full((60, 1), 2.0)])
    states = agree(env, starts, actions, np.array([[0.2, 0.4], [0.05, 0.1]]), vary=("mu", "e"), tolerance=1e-11)
    speed = states[0, :, 2]
    assert speed.min() < -0.1
    assert np.abs(np.diff(speed)).max() > 0.3  # it hit the wall


def test_gradients_of_a_leg_on_terrain_with_limits_of_its_joint(library):  # noqa: F811
    """From the text of a robot's file: a trunk with a shank falls on a height field, while a motor drives its knee to the stop."""
    text = (
        "<mujoco model='leg'><compiler angle='radian'/><worldbody><body name='trunk' pos='0 0 0.33'><joint name='x' type='slide' axis='1 0 0'/>"
        "<joint name='z' type='slide' axis='0 0 1'/><geom size='0.1' mass='2'/><body name='shank' pos='0 0 -0.1'>"
        "<joint name='knee' axis='0 1 0' range='-0.2 0.1'/><geom name='foot' size='0.03' pos='0 0 -0.2' mass='0.5' friction='0.8'/>"
        "</body></body></worldbody><actuator><motor name='motor' joint='knee'/></actuator></mujoco>"
    )
    robot = sb.read_mjcf(text, parameters=["shank_m"])
    ground = sb.HeightField(robot.ground, lambda x, y: 0.02 * sb.sin(3 * x))
    feet = robot.contacts(ground, links=["shank"], across=robot.ground.y)
    stops = robot.joint_stops(restitution=0.2)
    env = sb.stepper(sb.Contacts(sb.derive(robot), *feet, *stops), STEP, knee=0.09, z=0.005, z_dot=-0.5)
    starts, actions = np.array([env.start, env.start]), np.array([[[5.0]] * 16, [[-9.0]] * 16])
    starts[1, [0, 2]] = 0.3, -0.18
    states = agree(env, starts, actions, np.array([[0.5], [0.6]]), vary=("shank_m",), tolerance=1e-11)
    knee, fall = states[..., env.state_names.index("knee")], states[..., env.state_names.index("z_dot")]
    assert np.abs(np.diff(states[0, :, env.state_names.index("knee_dot")])).max() > 1
    assert knee[0].max() > 0.0999
    assert knee[1].min() < -0.1999
    assert np.diff(fall[0]).max() > 0.1  # the foot hit the ground
