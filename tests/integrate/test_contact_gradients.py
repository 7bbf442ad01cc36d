"""Gradients through steps with contacts: closed forms, differences, event-located sensitivities; reverse mode, tangent
space, and where derivatives hold to one side only."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import symbody as sb

from .test_contact_stepper import TRIPOD, box_on
from .test_stepper import differences

g = 9.81


def rolled_out(env, inputs=None, steps=1, **given):
    """The state after some steps, and its derivatives along all of them with respect to the first state and parameters."""
    x, S, P = env.start, np.eye(len(env.start)), np.zeros((len(env.start), len(env.p)))
    for _ in range(steps):
        found = env.derivatives(x, inputs, wrt=("x", "p"), **given)
        x, S, P = found.state, found.x @ S, found.x @ P + found.p
    return x, S, P


def balls(count, restitution=1.0):
    """Balls of one radius in a row."""
    m = sb.Model("billiard")
    places = m.coordinates(" ".join(f"x{k}" for k in range(count)))
    for k, x in enumerate(places):
        m.particle(f"ball{k}", m.ground.point(x, 0, 0), mass=1.0)
    contacts = [sb.Contact(f"c{k}", places[k + 1] - places[k] - 0.1, restitution) for k in range(count - 1)]
    return sb.Contacts(sb.derive(m), *contacts)


def test_two_balls_exchange_their_speeds():
    """Equal balls, e = 1: ∂(u1⁺, u2⁺)/∂(u1, u2) = (0, 1, 1, 0), and for the impact without rebound all entries ½."""
    for e, expected in ((1.0, [[0, 1], [1, 0]]), (0.0, [[0.5, 0.5], [0.5, 0.5]])):
        env = sb.stepper(balls(2, e), 0.01, x0=0.0, x1=0.101, x0_dot=1.0)
        x, S, _ = rolled_out(env, steps=20)
        np.testing.assert_allclose(S[2:, 2:], expected, atol=1e-15)
        np.testing.assert_allclose(x[2:], np.array(expected) @ [1.0, 0.0], atol=1e-15)


def test_events_have_the_gradients_of_two_balls():
    """(∂x2/∂v1, ∂x2/∂x2, ...) of the located impact: final places do not depend on where their own ball began."""
    contacts = balls(2)
    sim = sb.simulate(
        contacts.base, 1.0, x0=0.0, x1=0.3, x0_dot=1.0, events=[contacts.contacts[0]], sensitivities=["x0", "x1", "x0_dot"],
        rtol=1e-10,
    )  # fmt: skip
    found = np.array([[sim.sensitivity(x, by)[-1] for by in ("x0", "x1")] for x in ("x0", "x1")])
    np.testing.assert_allclose(found, [[0, 1], [1, 0]], atol=1e-12)


def test_a_billiard_passes_its_speed_on():
    """Newton's cradle in flight: the last of five balls has the speed of the first, and its whole derivative."""
    start = {"x0": 0.0, "x0_dot": 2.0} | {f"x{k}": 0.11 * k + 0.01 for k in range(1, 5)}
    x, S, _ = rolled_out(sb.stepper(balls(5), 1e-3, start), steps=100)
    np.testing.assert_allclose(x[5:], [0, 0, 0, 0, 2.0], atol=1e-12)
    np.testing.assert_allclose(S[9, 5:], [1, 0, 0, 0, 0], atol=1e-12)


def sliding(angle=0.0):
    m = sb.Model("slide")
    p = m.parameters(mu=0.2, k=0.0)
    s = m.coordinate("s")
    m.particle("block", m.ground.point(s, 0, 0), mass=2.0)
    m.generalized_force("weight", s, 2.0 * g * np.sin(angle) - p.k * s + m.input("F"))
    normal = 2.0 * g * np.cos(angle)
    return sb.Contacts(sb.derive(m), sb.Friction("slope", s.dot, sb.Coulomb(p.mu), normal=normal))


def test_a_box_on_a_slope_has_the_gradient_of_its_closed_form():
    """s = t² g (sin a - μ cos a) / 2, exactly in every step: ∂s/∂μ = -t² g cos(a) / 2, ∂v/∂μ = -t g cos a."""
    angle, T, steps = 0.5, 0.4, 1000
    env = sb.stepper(sliding(angle), T / steps, s_dot=1.0)
    x, S, P = rolled_out(env, steps=steps)
    at = env.parameter_names.index("mu")
    pull = g * (np.sin(angle) - 0.2 * np.cos(angle))
    np.testing.assert_allclose(x, [T + pull * T**2 / 2, 1 + pull * T], rtol=1e-12)
    pressed = g * float(np.cos(angle))
    np.testing.assert_allclose(P[:, at], np.array([-(T**2) * pressed / 2, -T * pressed]), rtol=1e-11)
    np.testing.assert_allclose(S, np.array([[1.0, T], [0.0, 1.0]]), atol=1e-12)
    sim = sb.simulate_modes(sliding(angle), T, s_dot=1.0, rtol=1e-11, sensitivities=["s_dot", "mu"])
    along_modes = np.array([[sim.sensitivity(x, by)[-1] for by in ("s_dot", "mu")] for x in ("s", "s_dot")])
    np.testing.assert_allclose(np.column_stack([S[:, 1], P[:, at]]), along_modes, rtol=1e-9)


def test_a_box_that_turns_while_it_slides_has_gradients_of_differences():
    """Through 1000 steps on three feet, all of which slip, against differences of fourth order of the whole motion."""
    env = sb.stepper(box_on(TRIPOD), 2e-4, b_z=0.1 - 1e-6, b_x_dot=1.0, b_wz=2.0)

    def rollout(x):
        for _ in range(1000):
            x = env.step(x)
        return x

    x, S = env.start, np.eye(len(env.start))
    for _ in range(1000):
        found = env.derivatives(x, wrt=("x",))
        x, S = found.state, found.x @ S
    way = np.zeros(len(x))
    way[[env.state_names.index(n) for n in ("b_x", "b_x_dot", "b_wz")]] = 0.3, 0.5, -0.4
    d = 1e-4
    two, one = ((rollout(env.start + k * d * way) - rollout(env.start - k * d * way)) / d for k in (2, 1))
    np.testing.assert_allclose(S @ way, (8 * one - two) / 12, atol=1e-9)


def test_a_block_that_sticks_forgets():
    """Stick-slip: once it sticks, nothing changes its speed, and only parameters that moved it show in its place."""
    env = sb.stepper(sliding(), 1e-3, s_dot=0.5)
    x, S, P = rolled_out(env, steps=400)
    assert x[1] == 0.0
    np.testing.assert_array_equal(S[1], 0)
    way = 0.5**2 / (2 * 0.2 * g)
    assert x[0] == pytest.approx(way, abs=3e-4)
    assert S[0, 1] == pytest.approx(0.5 / (0.2 * g), rel=1e-2)  # ∂(v²/2μg)/∂v, to the length of a step
    assert P[0, env.parameter_names.index("mu")] == pytest.approx(-way / 0.2, rel=2e-2)


def test_a_stack_of_ten_answers_as_one():
    """Boxes on each other that all press: a push on the lowest moves none, and the weight of all is on the floor."""
    m = sb.Model("stack")
    heights = m.coordinates(" ".join(f"y{k}" for k in range(10)))
    m.gravity(0, -g, 0)
    for k, y in enumerate(heights):
        m.particle(f"box{k}", m.ground.point(0, y, 0), mass=1.0 + k)
    m.generalized_force("lift", heights[0], m.input("F"))
    gaps = [heights[0], *(b - a - 0.1 for a, b in pairwise(heights))]
    contacts = sb.Contacts(sb.derive(m), *(sb.Contact(f"c{k}", gap) for k, gap in enumerate(gaps)))
    env = sb.stepper(contacts, 1e-3, {f"y{k}": 0.1 * k - 1e-6 * (k + 1) for k in range(10)})
    found = env.derivatives(env.start, [3.0])
    np.testing.assert_allclose(found.x[10:], 0, atol=1e-12)
    np.testing.assert_allclose(found.r, 0, atol=1e-12)
    assert found.one_sided == ()
    assert env.impulses(env.start, [3.0]).impulses[0] / 1e-3 == pytest.approx(55 * g - 3.0, rel=1e-9)


@pytest.fixture(scope="module")
def hopper():
    m = sb.Model("hopper")
    y, s = m.coordinates("y s")
    p = m.parameters(k=200.0, c=2.0, mass=2.0)
    m.gravity(0, -g, 0)
    m.particle("body", m.ground.point(0, y, 0), mass=p.mass)
    m.particle("foot", m.ground.point(0, y - 0.4 - s, 0), mass=0.1)
    m.generalized_force("motor", s, m.input("F") - p.k * s - p.c * s.dot)
    return sb.Contacts(sb.derive(m), sb.Contact("floor", y - 0.4 - s))


def test_a_hopper_on_its_foot_has_gradients_of_differences(hopper):
    """Through 300 steps of stance, against differences of the whole rollout."""
    env = sb.stepper(hopper, 1e-3, y=0.399, s=0.0)

    def rollout(x, p):
        for _ in range(300):
            x = env.step(x, [-2.0], p=p)
        return x

    x, S, P = rolled_out(env, [-2.0], 300)
    assert S == pytest.approx(differences(lambda y: rollout(y, env.p), env.start, 1e-6), abs=1e-7)
    h = 1e-5 * env.p
    by_p = np.array(
        [(rollout(env.start, env.p + d) - rollout(env.start, env.p - d)) / (2 * d.sum()) for d in np.diag(h)]
    ).T
    assert P == pytest.approx(by_p, abs=1e-7)
    np.testing.assert_allclose(x, rollout(env.start, env.p), rtol=1e-12, atol=1e-14)


def test_reverse_mode_is_the_transpose(hopper):
    rng = np.random.default_rng(3)
    env = sb.stepper(hopper, 1e-3, y=0.399)
    states = env.start + rng.normal(0, 1e-2, (700, 4))
    bars, r = rng.normal(size=(700, 4)), rng.normal(size=(700, 1))
    found, whole = env.pullback(states, bars, r, wrt=("x", "r", "p")), env.derivatives(states, r, wrt=("x", "r", "p"))
    for name in ("x", "r", "p"):
        np.testing.assert_allclose(
            getattr(found, name), np.einsum("ni,nij->nj", bars, getattr(whole, name)), rtol=1e-12, atol=1e-14
        )
    one = env.pullback(states[5], bars[5], r[5])
    np.testing.assert_allclose(one.x, found.x[5], rtol=1e-14)
    np.testing.assert_array_equal(one.state, found.state[5])
    with pytest.raises(sb.errors.SimulationError, match="bar has one number"):
        env.pullback(states[5], bars)


def test_tangent_space_of_rotations():
    """Twelve numbers for thirteen: derivatives along unit Euler parameters, against differences of rotations."""
    env = sb.stepper(box_on(((0.2, 0.15), (0.2, -0.15), (-0.2, 0.0))), 2e-3, b_z=0.0999, b_x_dot=0.3, e=0.0)
    x = env.step(env.start, [1.0])
    found = env.derivatives(x, [1.0], is_tangent=True)
    whole = env.derivatives(x, [1.0])
    assert found.x.shape == (12, 12)
    assert found.r.shape == (12, 1)
    np.testing.assert_array_equal(found.x[6:, 6:], whole.x[7:, 7:])
    e, h = x[3:7], 1e-6
    for axis in range(3):
        way = np.zeros(4)
        way[axis + 1] = h / 2
        ends = []
        for sign in (1, -1):
            turned = x.copy()
            a, b = e, np.array([1, 0, 0, 0]) + sign * way
            turned[3:7] = product(a, b) / np.linalg.norm(b)
            ends.append(env.step(turned, [1.0]))
        change = (ends[0] - ends[1]) / (2 * h)
        assert found.x[6:, 3 + axis] == pytest.approx(change[7:], abs=1e-6)
        after = found.state[3:7]
        turn = 2 * product(after * [1, -1, -1, -1], change[3:7])[1:]
        assert found.x[3:6, 3 + axis] == pytest.approx(turn, abs=1e-6)


def product(a, b):
    """Of quaternions."""
    return np.append(a[0] * b[0] - a[1:] @ b[1:], a[0] * b[1:] + b[0] * a[1:] + np.cross(a[1:], b[1:]))


def test_borders_between_branches_are_named(hopper):
    env = sb.stepper(hopper, 1e-3, y=0.4, s=0.0)
    assert env.derivatives(env.start).one_sided == ("floor",)
    pressed = env.start - [1e-4, 0, 0, 0]
    assert env.derivatives(pressed).one_sided == ()
    assert env.derivatives(np.array([env.start, pressed])).one_sided == (("floor",), ())
    slope = sb.stepper(sliding(), 1e-3)
    limit = 0.2 * 2.0 * g
    assert slope.derivatives(slope.start, [limit]).one_sided == ("slope",)
    assert slope.derivatives(slope.start, [0.9 * limit]).one_sided == ()
    assert slope.derivatives(slope.start, [1.1 * limit]).one_sided == ()


def test_gradients_with_respect_to_the_length_of_a_step(hopper):
    """∂x⁺/∂dt beside differences of steppers: a floor that moves, substeps, restitution, Euler parameters, linear inputs."""
    m = sb.Model("shaken")
    y = m.coordinate("y")
    m.particle("ball", m.ground.point(0, y, 0), mass=2.0)
    m.generalized_force("push", y, m.input("F") - 20 + 3 * sb.sin(30 * m.time))
    shaken = sb.Contacts(sb.derive(m), sb.Contact("floor", y - 0.01 * sb.sin(20 * m.time), 0.3))
    box = box_on(((0.2, 0.15), (0.2, -0.15), (-0.2, 0.0)))
    cases: list[tuple[Any, Any, dict[str, Any]]] = [
        (hopper, {"y": 0.399}, {}), (shaken, {"y": 0.0, "y_dot": -0.2}, {"substeps": 3}),
        (shaken, {"y": -1e-3}, {"inputs": "linear"}), (box, {"b_z": 0.0999, "b_x_dot": 0.3, "e": 0.0}, {}),
    ]  # fmt: skip
    dt, d = 1e-3, 1e-6
    for contacts, start, options in cases:
        env, later, sooner = (sb.stepper(contacts, dt + k * d, start, **options) for k in (0, 1, -1))
        x = env.start
        for _ in range(20):
            found = env.derivatives(x, [1.0], t=0.2, wrt=("x", "dt"))
            change = (later.step(x, [1.0], t=0.2) - sooner.step(x, [1.0], t=0.2)) / (2 * d)
            assert found.dt[:, 0] == pytest.approx(change, abs=1e-7), contacts.name
            x = found.state
    smooth = sb.stepper(hopper.base, dt)
    with pytest.raises(sb.errors.SimulationError, match="dt"):
        smooth.derivatives(smooth.start, wrt=("dt",))


def test_a_bowling_ball_has_the_gradient_of_its_closed_form():
    """It slides until 2 v/(7 μ g), then rolls: x = 5/7 v t + 2 v²/(49 μ g), to the step in which it begins to roll."""
    m = sb.Model("bowling")
    m.gravity(0, 0, -g)
    mu = m.parameter("mu", 0.2)
    ball = m.body("ball", mass=6.0, inertia=(0.4 * 6 * 0.11**2,) * 3)
    m.free("ball", m.ground, ball, sequence="euler parameters")
    lane = sb.Contact("lane", sb.touch(sb.Ball(ball, 0.11), sb.HalfSpace(m.ground)), friction=mu)
    env = sb.stepper(sb.Contacts(sb.derive(m), lane), 2e-3, ball_x_dot=4.0, ball_z=0.11 - 1e-9)
    x, S, P = rolled_out(env, steps=500)
    place, speed, first = (env.state_names.index(n) for n in ("ball_x", "ball_x_dot", "ball_x_dot"))
    assert x[place] == pytest.approx(5 / 7 * 4 + 2 * 16 / (49 * 0.2 * g), rel=1e-5)
    assert S[speed, first] == pytest.approx(5 / 7, rel=1e-12)
    assert S[place, first] == pytest.approx(5 / 7 + 16 / (49 * 0.2 * g), rel=1e-3)
    assert P[place, 0] == pytest.approx(-2 * 16 / (49 * 0.04 * g), rel=5e-3)
    assert P[speed, 0] == pytest.approx(0, abs=1e-12)


def test_jax_through_contacts(hopper):
    """Gradients of a rollout by `scan`, with respect to forces and a parameter, beside differences; steps in 32 bits."""
    jax = pytest.importorskip("jax", reason="jax is not installed")
    env, numpy = sb.stepper(hopper, 2e-3, y=0.4005, y_dot=-0.5), jax.numpy
    is_wide = jax.config.jax_enable_x64
    try:
        jax.config.update("jax_enable_x64", True)

        def cost(forces, p):
            def step(x, r):
                x = env.jax(x, r, p)
                return x, x[1]

            return (jax.lax.scan(step, numpy.asarray(env.start), forces)[1] ** 2).sum() * 1e3

        forces, p, d = numpy.full((8, 1), -5.0), numpy.asarray(env.p), 1e-3
        found, by_p = jax.jit(jax.grad(cost, argnums=(0, 1)))(forces, p)
        run = jax.jit(cost)
        expected = (run(forces.at[3].add(d), p) - run(forces.at[3].add(-d), p)) / (2 * d)
        assert float(found[3, 0]) == pytest.approx(float(expected), rel=1e-7)
        expected = (run(forces, p.at[0].add(d)) - run(forces, p.at[0].add(-d))) / (2 * d)
        assert float(by_p[0]) == pytest.approx(float(expected), rel=1e-7)
        with pytest.raises(sb.errors.SimulationError, match="a state has 4 numbers"):
            env.jax(numpy.zeros(3))
        jax.config.update("jax_enable_x64", False)
        single = env.jax(numpy.asarray(env.start), numpy.ones(1))
        assert single.dtype == np.float32
        np.testing.assert_allclose(single, env.step(env.start, [1.0]), rtol=1e-5)
    finally:
        jax.config.update("jax_enable_x64", is_wide)


def test_torch_policies_of_single_precision(hopper):
    torch = pytest.importorskip("torch", reason="torch is not installed")
    env, K = sb.stepper(hopper, 2e-3, y=0.4005, y_dot=-0.5), np.array([[0.0, -8.0, 0.0, 1.0]])
    rows, gain = np.tile(env.start, (3, 1)), torch.tensor(K, dtype=torch.float32, requires_grad=True)
    x = torch.tensor(rows)
    for _ in range(5):
        x = env.torch(x, x.float() @ gain.T)
    x.sum().backward()
    assert (x.dtype, gain.grad.dtype) == (torch.float64, torch.float32)

    def end(K):
        y = rows
        for _ in range(5):
            y = env.step(y, y @ K.T)
        return y.sum()

    expected = [(end(K + d) - end(K - d)) / 2e-3 for d in 1e-3 * np.eye(4)]
    np.testing.assert_allclose(gain.grad[0].numpy(), expected, rtol=1e-4, atol=1e-8)
    with pytest.raises(sb.errors.SimulationError, match=r"r has 1 number"):
        env.torch(x, torch.zeros(2))
