"""Steps with contacts: what they are beside `simulate_modes(method="moreau")`, their energy, and their derivatives."""

from __future__ import annotations

import numpy as np
import pytest

import symbody as sb
from symbody.later import RenamedWarning
from tests.amount import FULL

from .test_friction_machines import block
from .test_stepper import differences

DT, g = 2e-3, 9.81


TRIPOD = ((0.2, 0.15), (0.2, -0.15), (-0.2, 0.0))
CORNERS = ((0.2, 0.15), (0.2, -0.15), (-0.2, -0.15), (-0.2, 0.15))


def box_on(feet):
    """A box in space with a force, and contacts with friction at some points of its lower side."""
    m = sb.Model("box")
    m.gravity(0, 0, -g)
    p = m.parameters(mass=2.0, mu=0.4, e=0.3)
    body = m.body("box", mass=p.mass, inertia=(0.02 * p.mass, 0.03 * p.mass, 0.04 * p.mass))
    m.free("b", m.ground, body, sequence="euler parameters")
    m.force("push", body, m.input("F") * m.ground.x)
    floor = sb.HalfSpace(m.ground)
    points = [body.point(x, y, -0.1) for x, y in feet]
    contacts = [sb.Contact(f"foot{k}", sb.touch(at, floor), p.e, p.mu) for k, at in enumerate(points)]
    return sb.Contacts(sb.derive(m), *contacts)


@pytest.fixture(scope="module")
def box():
    """On three feet, so that normal forces are determined (those of friction are not, where all of them stick)."""
    return box_on(TRIPOD)


THROWN = {
    "b_z": 0.25,
    "b_e0": 0.96,
    "b_e1": 0.2,
    "b_e2": -0.16,
    "b_e3": np.sqrt(0.0128),
    "b_x_dot": 1.5,
    "b_y_dot": -0.4,
}


@pytest.fixture(scope="module")
def thrown(box):
    """A stepper, and the states of a throw that ends at rest."""
    env = sb.stepper(box, DT, THROWN)
    states = [env.start]
    for _ in range(450):
        states.append(env.step(states[-1], [1.0]))
    return env, np.array(states)


def test_steps_are_those_of_time_stepping(box, thrown):
    """Impulses begin with none instead of those of the step before, and are solved on their branch; the motion is the
    same."""
    _, states = thrown
    sim = sb.simulate_modes(box, 450 * DT, THROWN, inputs={"F": 1.0}, method="moreau", step=DT)
    assert np.abs(sim.y - states).max() < 1e-5  # the other route stops at 1e-10 of the forces


def test_impulses_solve_the_problem_and_carry_the_weight(thrown):
    env, states = thrown
    found = env.impulses(states, [1.0])
    assert found.residual.max() < 1e-5
    assert np.quantile(found.residual, 0.99) == 0.0
    assert found.names[:4] == ("foot0", "foot1", "foot2", "foot0 friction 1")
    normal, friction = found.impulses[:, :3], found.impulses[:, 3:].reshape(-1, 3, 2)
    assert normal.min() >= 0
    assert np.all(np.linalg.norm(friction, axis=2) <= 0.4 * normal * (1 + 1e-9) + 1e-15)
    assert normal[-1].sum() / DT == pytest.approx(2.0 * g, rel=1e-9)
    assert np.linalg.norm(friction[-1].sum(axis=0)) / DT == pytest.approx(1.0, rel=1e-9)  # against the push
    np.testing.assert_array_equal(found.state[:-1], states[1:])
    assert env.impulses(states[-1], [1.0]).impulses == pytest.approx(found.impulses[-1], abs=1e-15)


def test_feet_that_share_their_load():
    """Of four feet the loads are not determined; the motion is where all of them stick, and its derivatives."""
    env = sb.stepper(box_on(CORNERS), DT, b_z=0.1 - 1e-4, e=0.0)
    x, r = env.start, np.array([2.0])
    found, now = env.derivatives(x, r), env.impulses(x, r)
    assert now.residual == 0.0
    assert now.impulses[:4] / DT == pytest.approx([2.0 * g / 4] * 4, rel=0.1)  # the push tilts it
    assert np.abs(found.state[7:]).max() < 1e-15
    np.testing.assert_array_equal(found.state, now.state)
    assert found.x == pytest.approx(differences(lambda y: env.step(y, r), x, 1e-7), abs=1e-6)
    assert found.r == pytest.approx(differences(lambda s: env.step(x, s), r, 1e-7), abs=1e-6)


def test_states_of_all_kinds_have_impulses():
    """Boxes thrown about on four feet, with any friction: two corners that slip hardly at all are the hard case."""
    env, rng, n = sb.stepper(box_on(CORNERS), DT, e=0.0), np.random.default_rng(1), 400
    turn = np.c_[np.ones(n), rng.normal(0, 0.15, (n, 3))]
    turn /= np.linalg.norm(turn, axis=1)[:, None]
    states = np.c_[np.zeros((n, 2)), rng.uniform(0.1, 0.2, n), turn, rng.normal(0, 0.7, (n, 6))]
    p, r = np.tile(env.p, (n, 1)), rng.normal(0, 3, (n, 1))
    p[:, env.parameter_names.index("mu")] = rng.uniform(0, 1.2, n)
    for _ in range(100):
        found = env.impulses(states, r, p=p)
        assert found.residual.max() < 1e-5
        states = found.state
    assert np.isfinite(states).all()


def test_energy_never_grows():
    """Of a block in the plane, whose flight the scheme has exactly, in steps of any length and on any slope."""
    env = sb.stepper(block(1.0, 0.2, 0.6), 1e-3, y=0.4, th=0.5, x_dot=2.0, th_dot=3.0)
    state, energies = env.start, []
    for _ in range(800):
        energies.append(state[3:] @ np.diag([1, 1, 1.04 / 12]) @ state[3:] / 2 + g * state[1])
        state = env.step(state)
    assert np.diff(energies).max() < 1e-14 * energies[0]
    assert energies[-1] < 0.35 * energies[0]


def test_derivatives_are_those_of_the_branch(thrown):
    """In flight, in impacts with restitution, sliding, and at rest on feet that share their load; there without
    restitution, since e min(v, 0) has two derivatives where v = 0."""
    env, states = thrown
    r, soft, pressing = np.array([1.0]), env.p.copy(), set()
    soft[env.parameter_names.index("e")] = 0.0
    for k, x in enumerate(states[::9]):
        p, near = env.p if k < 20 else soft, x + 2e-7 * np.vstack([np.eye(len(x)), -np.eye(len(x))])
        now, around = (env.impulses(y, r, p=p).impulses[..., :3] > 0 for y in (x, near))
        if np.any(around != now):
            continue  # next to another branch
        found = env.derivatives(x, r, p=p, wrt=("x", "r", "p"))
        for exact, f, at in (
            (found.x, lambda y, p=p: env.step(y, r, p=p), x),
            (found.r, lambda s, x=x, p=p: env.step(x, s, p=p), r),
            (found.p[:, :2], lambda y, x=x, p=p: env.step(x, r, p=np.append(y, p[2:])), p[:2]),
        ):
            assert exact == pytest.approx(differences(f, at, 1e-7), abs=2e-6 * (1 + np.abs(exact).max())), k
        np.testing.assert_array_equal(found.state, env.step(x, r, p=p))
        pressing.add(int(np.sum(now)))
    assert pressing == {0, 1, 2, 3}


def test_substeps_are_steps_and_their_derivatives_chain(box):
    one, three = (sb.stepper(box, h, THROWN, substeps=n, b_z=0.16) for h, n in ((DT, 1), (3 * DT, 3)))
    x, whole, r = one.start, np.eye(len(one.start)), [0.7]
    for _ in range(3):
        found = one.derivatives(x, r, wrt=("x",))
        x, whole = found.state, found.x @ whole
    found = three.derivatives(one.start, r, wrt=("x",))
    np.testing.assert_allclose(found.state, x, rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(found.x, whole, rtol=1e-9, atol=1e-9)


def test_many_members_are_single_ones_and_are_reset(thrown):
    env, states = thrown
    r = np.linspace(-1, 1, len(states))[:, None]
    after = env.step(states, r)
    for k in (0, 120, 450):
        np.testing.assert_array_equal(after[k], env.step(states[k], r[k]))
    p = np.tile(env.p, (len(states), 1))
    p[:, env.parameter_names.index("mu")] = 0.0
    assert not np.allclose(env.step(states, r, p=p)[-1], after[-1])
    after[3] = np.nan
    assert np.isnan(env.step(after, r)[3]).all()
    np.testing.assert_array_equal(env.reset(after, np.isnan(after[:, 0]))[3], env.start)


def test_inputs_are_linear_and_time_goes_on(box):
    """r(t) at the midpoints of steps; contacts whose surfaces move know the time."""
    held, line = (sb.stepper(box, DT, b_z=0.5, inputs=way) for way in ("held", "linear"))
    np.testing.assert_allclose(line.step(line.start, [1.0], [3.0]), held.step(held.start, [2.0]), rtol=1e-12)
    found = line.derivatives(line.start, [1.0], [3.0], wrt=("r", "r_end"))
    both = line.derivatives(line.start, [1.0], wrt=("r",))
    np.testing.assert_allclose(found.r, found.r_end, rtol=1e-9, atol=1e-15)  # the midpoint is half of each
    np.testing.assert_allclose(both.r, found.r + found.r_end, rtol=1e-9)
    m = sb.Model("lift")
    y = m.coordinate("y")
    m.particle("load", m.ground.point(0, y, 0), mass=1.0)
    m.gravity(0, -g, 0)
    lift = sb.Contacts(sb.derive(m), sb.Contact("floor", y - m.time**2))
    env = sb.stepper(lift, 1e-2, y=1.0, y_dot=2.0)
    sim = sb.simulate_modes(lift, (1.0, 1.05), y=1.0, y_dot=2.0, method="moreau", step=1e-2)
    x = env.start
    for k in range(5):
        x = env.step(x, t=1 + k * 1e-2)
    np.testing.assert_allclose(x, sim.y[-1], rtol=1e-12)


def test_belt_sticks_up_to_its_static_coefficient():
    """Nothing is remembered between steps, and the block still sticks longer than it would under the kinetic one
    (T = 8.902605407815)."""
    m = sb.Model("belt")
    s = m.coordinate("s")
    m.particle("block", m.ground.translate(s, 0, 0).origin, mass=1)
    m.potential("spring", s**2 / 2)
    belt = sb.Contacts(sb.derive(m), sb.Friction("belt", s.dot - 0.2, sb.Coulomb(0.5, static=1.0), normal=1.0))
    env = sb.stepper(belt, 1e-3, s_dot=0.2)
    x, sticks = env.start, []
    for _ in range(20000):
        x = env.step(x)
        sticks.append(abs(x[1] - 0.2) < 1e-12)
    begins = np.flatnonzero(np.diff(np.array(sticks, dtype=int)) == 1)
    assert abs((begins[-1] - begins[-2]) * 1e-3 - 8.902605407815) < 5e-3


def test_frictions_of_joints_answer_to_forces_of_constraints():
    """A pendulum of coordinates x, y whose constraint presses a sleeve, and a floor beside it; derivatives too."""
    m = sb.Model("sleeve")
    k = m.parameter("k", 30.0)
    x, y = m.coordinates("x y")
    m.particle("bob", m.ground.point(x, y, 0), mass=1.0)
    m.gravity(0, -g, 0)
    m.constrain("rod", (x**2 + y**2 - 1) / 2)
    m.potential("spring", k * (x - 0.2) ** 2 / 2)
    eq = sb.derive(m)
    along = sb.Friction("sleeve", y * x.dot - x * y.dot, sb.Coulomb(0.2, viscous=0.1), normal=m.multiplier("rod"))
    contacts = sb.Contacts(eq, along, sb.Contact("floor", y + 0.95, restitution=0.5))
    env = sb.stepper(contacts, 2e-3, x=0.8, y=-0.6)
    states = [env.start]
    for _ in range(400):
        states.append(env.step(states[-1]))
    sim = sb.simulate_modes(
        contacts, 0.8, dict(zip(env.state_names, env.start, strict=True)), method="moreau", step=2e-3
    )
    assert np.abs(sim.y - np.array(states)).max() < 1e-9
    for s in states[::37]:
        found = env.derivatives(s, wrt=("x", "p"))
        assert found.x == pytest.approx(differences(env.step, s, 1e-7), abs=1e-6)
        assert found.p == pytest.approx(differences(lambda p, s=s: env.step(s, p=p), env.p, 1e-6), abs=1e-6)


def test_several_contacts_in_events_are_contacts_of_time_stepping():
    feet = block(1.0, 0.2, 0.6)
    given = sb.stepper(feet, DT, y=0.2, th=0.3, y_dot=-1.0)
    as_events = sb.stepper(feet.base, DT, y=0.2, th=0.3, y_dot=-1.0, events=feet.contacts)
    np.testing.assert_array_equal(given.impulses(given.start).impulses, as_events.impulses(given.start).impulses)


def swing(bars):
    """A seat on parallel bars, with a block that slides on it, comes to a stop. More than two bars are redundant."""
    m = sb.Model("swing")
    m.gravity(0, -g, 0)
    seat = m.body("seat", mass=2.0, inertia=(0, 0, 0.5))
    for k in range(bars):  # together they weigh the same
        bar = m.body(f"bar{k}", mass=0.6 / bars, inertia=(0, 0, 0.02 / bars), com=(0, -0.25, 0))
        m.revolute(f"a{k}", m.ground, bar, at=(k, 0, 0))
        m.revolute(f"b{k}", bar, seat, at=(0, -0.5, 0), on=(k, 0, 0))
    x, y = m.coordinates("x y")
    block = m.body("block", m.ground.translate(x, y, 0), mass=1.0, inertia=(0, 0, 0.01))
    top = sb.HalfSpace(seat, at=(0.5, 0, 0), normal=(0, 1, 0))
    end = sb.HalfSpace(m.ground, at=(-0.2, 0, 0), normal=(1, 0, 0))
    contacts = [
        sb.Contact("top", sb.touch(sb.Ball(block, 0.0), top, across=m.ground.z), friction=0.3),
        sb.Contact("end", sb.touch(sb.Ball(seat, 0.0), end, across=m.ground.z), friction=0.2, restitution=0.5),
    ]
    return sb.Contacts(sb.derive(m, redundant=bars > 2), *contacts)


@pytest.mark.parametrize("bars", [3, 4] if FULL else [3])
def test_contacts_on_constraints_that_depend_on_each_other(bars):
    """The motion, impulses and derivatives are those of the swing that has no bar too many."""
    plain, contacts = swing(2), swing(bars)
    first = {"x": 0.5 + 0.5 * np.sin(0.6), "y": -0.5 * np.cos(0.6), "b0": -0.6} | {f"a{k}": 0.6 for k in range(bars)}
    assert contacts.base.border is not None
    known = {k: v for k, v in first.items() if k not in ("a2", "a3")}
    one, other = sb.stepper(plain, DT, known), sb.stepper(contacts, DT, first)
    names = [[v.name for v in c.base.state] for c in (plain, contacts)]
    at = [names[1].index(n) for n in names[0]]
    x, y = one.start, other.start
    for k in range(500):
        was = x, y
        x, y = one.step(x), other.step(y)
        if k % 50 == 0:
            pushed = [env.impulses(state) for env, state in zip((one, other), was, strict=True)]
            assert pushed[1].residual < 1e-9
            assert pushed[1].impulses == pytest.approx(pushed[0].impulses, rel=1e-8, abs=1e-10)
    assert y[at] == pytest.approx(x, abs=1e-9)
    assert y[names[1].index("a2")] == pytest.approx(x[names[0].index("a0")], abs=1e-12)
    found = other.derivatives(y)
    assert found.x == pytest.approx(differences(other.step, y, 1e-7), rel=1e-5, abs=1e-4)
    events = sb.simulate_modes(contacts, 500 * DT, first, rtol=1e-9)
    assert events.outcome
    assert events.y[-1][at][: len(plain.base.q)] == pytest.approx(x[: len(plain.base.q)], abs=5e-3)


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"method": "rk4"}, "moreau"),
        ({"form": "ggl"}, "contacts take no events= and no form="),
        ({"events": [sb.Contact("top", 1 - sb.symbol("y", "coordinate"))]}, "contacts take no events="),
    ],
)
def test_what_contacts_do_not_take_is_refused(asked, message):
    with pytest.raises(sb.errors.SimulationError, match=message):
        sb.stepper(block(1.0, 0.2, 0.6), DT, **asked)


def test_what_has_no_contacts_has_no_impulses():
    feet = block(1.0, 0.2, 0.6)
    with pytest.raises(sb.errors.SimulationError, match="it has no contacts"):
        sb.stepper(feet.base, DT).impulses(np.zeros(6))
    with pytest.raises(sb.errors.SimulationError, match="Newton's law"):
        sb.stepper(sb.Contacts(feet.base, *feet.contacts, impacts="poisson"), DT)
    mixed: list[sb.Event | sb.Contact] = [*feet.contacts, sb.Event("high", feet.base.q[1] - 1)]
    with pytest.raises(sb.errors.SimulationError, match="several contacts, and the events high"):
        sb.stepper(feet.base, DT, events=mixed)


def test_gymnasium_walks_on_contacts(thrown):
    pytest.importorskip("gymnasium", reason="gymnasium is not installed")
    env, _ = thrown
    with pytest.warns(RenamedWarning, match="sb.environment"):
        members = env.gymnasium(4, lambda x, r, after: after[:, 0] - x[:, 0], ends=lambda x: x[:, 2] < 0.11, steps=500)
    members.reset(seed=1)
    ended = np.sum([members.step(np.ones((4, 1)))[2] for _ in range(400)], axis=0)
    assert np.all(ended >= 1)


def test_much_friction_on_an_oblique_inertia():
    """A rod falls on its end with μ = 2: sweeps alternate between contacts that press and that do not, and the solution slips."""
    m = sb.Model("rod")
    x, y, a = m.coordinates("x y a")
    frame = m.ground.translate(x, y, 0).rotate("z", a)
    m.body("rod", frame, mass=1.0, inertia=(0.02, 0.02, 0.02))
    m.gravity(0, -9.81, 0)
    touched = sb.touch(frame.point(-0.5, 0, 0), sb.HalfSpace(m.ground, normal="y"), across=m.ground.z)
    env = sb.stepper(sb.Contacts(sb.derive(m), sb.Contact("end", touched, friction=2.0)), 1e-3)
    rng, slips = np.random.default_rng(1), 0
    for angle in rng.uniform(0.1, 1.5, 200):
        start = np.array([0, 0.5 * np.sin(angle) - 1e-3, angle, *rng.normal(0, 2, 2) - [0, 3], rng.normal(0, 4)])
        found = env.impulses(start)
        normal, friction = found.impulses
        assert found.residual < 1e-9
        assert np.isfinite(found.state).all()
        assert abs(friction) <= 2 * normal * (1 + 1e-12)
        slips += abs(abs(friction) - 2 * normal) < 1e-9 * normal
    assert slips > 20
