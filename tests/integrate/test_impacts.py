"""Impacts: Newton's law through the mass matrix, one contact or many, with loops and without."""

import itertools
import math

import numpy as np
import pytest

import symbody as sb
from examples import sleigh, slider_crank
from symbody.errors import SimulationError
from symbody.integrate.complementarity.active_set import complementary_forces
from symbody.integrate.contact.impacts import Contact, impact, impact_map, impulses_of
from symbody.integrate.events.events import Event
from symbody.integrate.result.outcome import Ending
from symbody.integrate.run.simulate import simulate
from symbody.integrate.start.assembly import assemble
from tests.mechanisms import random_loop, random_tree

from ..amount import some

G = 9.81


def ball() -> sb.Equations:
    m = sb.Model("ball")
    m.gravity(0, 0, -m.parameter("g", G))
    z = m.coordinate("z")
    m.particle("ball", m.ground.translate(0, 0, z).origin, mass=2.0)
    return sb.derive(m)


def row_of_balls(masses: list[float]) -> tuple[sb.Equations, list[sb.Expr]]:
    """Balls of no size on a line, and the gaps between neighbours."""
    m = sb.Model("row of balls")
    x = [m.coordinate(f"x{k}") for k in range(len(masses))]
    for k, mass in enumerate(masses):
        m.particle(f"ball{k}", m.ground.translate(x[k], 0, 0).origin, mass=mass)
    return sb.derive(m), [b - a for a, b in itertools.pairwise(x)]


def beam() -> tuple[sb.Equations, list[sb.Expr]]:
    """A body in a plane with two feet, and their heights."""
    m = sb.Model("beam")
    m.gravity(0, -m.parameter("g", G), 0)
    x, y, a = m.coordinates("x y a")
    body = m.body("beam", m.ground.translate(x, y, 0).rotate("z", a), mass=3.0, inertia=(0.15, 0.15, 0.25))
    feet = [body.point(s, -0.2, 0) for s in (-0.5, 0.5)]
    return sb.derive(m), [(f - m.ground.origin).dot(m.ground.y) for f in feet]


# ------------------------------------------------------------------------------------------------ a ball


@pytest.mark.parametrize(("floor", "method"), [(0.0, "dp8"), (2.0, "dp8"), (2.0, "dp5"), (0.0, "radau")])
def test_bouncing_ball_against_its_closed_form(floor, method):
    """Times are those of a geometric series, heights those of e²; impulses are (1 + e) m v."""
    eq, e = ball(), 0.8
    sim = simulate(eq, 3.5, z=floor + 1.0, method=method, events=[Contact("floor", eq.q[0] - floor, e)])
    fall, v = math.sqrt(2 / G), math.sqrt(2 * G)
    times = fall * (1 + 2 * np.cumsum([0, *(e**k for k in range(1, len(sim.events)))]))
    assert len(sim.events) == 9
    assert [x.t for x in sim.events] == pytest.approx(times, abs=1e-13)
    assert [x.impulses["floor"] for x in sim.events] == pytest.approx(
        [2 * (1 + e) * v * e**k for k in range(9)], rel=1e-12
    )
    tops = (np.array([x.t for x in sim.events])[:-1] + [x.t for x in sim.events][1:]) / 2
    assert sim.at(tops)["z"] == pytest.approx([floor + e ** (2 * k) for k in range(1, 9)], abs=1e-13)
    assert np.min(sim["z"]) > floor - 1e-14


def test_chattering_ends_at_the_time_where_bounces_accumulate():
    """All of infinitely many bounces: 3 sqrt(2h/g) for e = 1/2. The work is bounded, and the trajectory is kept."""
    eq = ball()
    sim = simulate(eq, 5, z=1.0, events=[Contact("floor", eq.q[0], 0.5)])
    assert sim.outcome.ending is Ending.CHATTERING
    assert sim.outcome.t == pytest.approx(3 * math.sqrt(2 / G), abs=1e-9)
    assert "floor" in sim.outcome.detail
    assert "Contacts" in sim.outcome.detail
    assert len(sim.events) < 100
    assert sim.statistics.steps < 300
    assert sim.at(1.0)["z"] > 0


def test_without_restitution_the_next_contact_is_at_once():
    """e = 0 and no mode for contact: said at once, not fallen through."""
    eq = ball()
    sim = simulate(eq, 5, z=1.0, events=[Contact("floor", eq.q[0], 0)])
    assert sim.outcome.ending is Ending.CHATTERING
    assert sim.outcome.t == pytest.approx(math.sqrt(2 / G), abs=1e-7)
    resting = simulate(eq, 5, z=0.0, events=[Contact("floor", eq.q[0], 0.5)])
    assert resting.outcome.ending is Ending.CHATTERING


def test_closing_at_the_start_is_an_impact():
    eq = ball()
    sim = simulate(eq, 0.1, z=0.0, z_dot=-2.0, events=[Contact("floor", eq.q[0], 0.5)])
    assert sim.events[0].t == 0
    assert sim.events[0].after == pytest.approx([0, 1])
    assert sim.at(0.0)["z_dot"] == pytest.approx([1])


def test_touching_without_closing_is_no_impact():
    """A ball that is thrown so that it just reaches a ceiling."""
    eq = ball()
    sim = simulate(eq, 1, z_dot=8.0, g=16.0, events=[Contact("ceiling", 2 - eq.q[0], 0.5)])
    assert sim.events == ()
    assert sim.final["z_dot"] == pytest.approx(-8)


def test_restitution_may_depend_on_the_state():
    """e = 1 / (1 + v): from height h the ball rises to (v / (1 + v))² / 2g."""
    eq = ball()
    v = eq.u[0]
    sim = simulate(eq, 0.6, z=1.0, events=[Contact("floor", eq.q[0], 1 / (1 - v))])
    speed = math.sqrt(2 * G)
    assert sim.events[0].after[1] == pytest.approx(speed / (1 + speed), rel=1e-14)


def test_moving_wall():
    """A wall that moves at speed w: relative speeds are reversed, energy is fed in."""
    eq, _ = row_of_balls([1.0])
    x = eq.q[0]
    sim = simulate(eq, 2, x0=1.0, x0_dot=-1.0, events=[Contact("wall", x - 0.5 * eq.t, 1)])
    assert sim.events[0].t == pytest.approx(2 / 3, abs=1e-15)
    assert sim.final["x0_dot"] == pytest.approx(2.0)


def test_pendulum_against_a_stop():
    """Energy between impacts stays; at each the speed is multiplied by e. In a loop formulation the rod takes its part
    of the impulse."""
    m = sb.Model("pendulum")
    m.gravity(0, -G, 0)
    x, y = m.coordinates("x y")
    m.particle("bob", m.ground.translate(x, y, 0).origin, mass=1.0)
    m.constrain("rod", x**2 + y**2 - 1)
    eq, e, at = sb.derive(m), 0.7, -0.3
    start = assemble(eq, x=0.8, start={"y": -0.6})
    sim = simulate(eq, 4, start, rtol=1e-11, events=[Contact("stop", x - at, e)])
    angle = sb.Model("pendulum by its angle")
    angle.gravity(0, -G, 0)
    a = angle.coordinate("a")
    angle.particle("bob", angle.ground.rotate("z", a).point(0, -1, 0), mass=1.0)
    other = simulate(sb.derive(angle), 4, a=math.asin(0.8), rtol=1e-11, events=[Contact("stop", sb.sin(a) - at, e)])
    assert len(sim.events) == len(other.events) >= 3
    assert [o.t for o in sim.events] == pytest.approx([o.t for o in other.events], abs=1e-8)
    assert sim.events[0].impulses["stop"] == pytest.approx(other.events[0].impulses["stop"], rel=1e-8)
    assert abs(sim.events[0].impulses["rod"]) > 0.01
    for o in sim.events:
        assert o.after[2:] == pytest.approx(-e * o.before[2:], rel=1e-9)
    assert sim.violation.speed < 1e-10


# ------------------------------------------------------------------------------------------------ several contacts


@pytest.mark.parametrize("n", [2, 3, 5])
def test_newtons_cradle(n):
    """Through a row of equal balls that touch the impulse runs to the last one."""
    eq, gaps = row_of_balls([1.0] * n)
    contacts = [Contact(f"c{k}", g, 1) for k, g in enumerate(gaps)]
    sim = simulate(eq, 2, x0=-1.0, x0_dot=1.0, events=contacts)
    assert list(sim.final.values())[n:] == pytest.approx([0] * (n - 1) + [1], abs=1e-15)
    assert len({o.t for o in sim.events}) == 1
    assert sim.events[0].t == pytest.approx(1, abs=1e-15)
    assert [o.name for o in sim.events] == [f"c{k}" for k in range(n - 1)]


@pytest.mark.parametrize("e", [0.0, 0.3, 1.0])
def test_a_ball_between_two_that_close_on_it(e):
    """Both sides at once: momentum stays, each gap opens at e times the speed at which it closed."""
    eq, (a, b) = row_of_balls([1.0, 0.3, 2.0])
    sim = simulate(
        eq, 1.5, x0=-1.0, x1=0.0, x2=2.0, x0_dot=1.0, x2_dot=-2.0, events=[Contact("a", a, e), Contact("b", b, e)]
    )
    first = sim.events[0]
    assert [o.t for o in sim.events[:2]] == [pytest.approx(1.0, abs=1e-15)] * 2
    m = np.array([1.0, 0.3, 2.0])
    v = first.after[3:]
    assert m @ v == pytest.approx(m @ first.before[3:], abs=1e-14)
    assert np.diff(v) == pytest.approx(-e * np.diff(first.before[3:]), abs=1e-14)


def test_light_ball_on_a_heavy_one():
    """Dropped together on the floor with a hair between: the light one leaves with up to three times the speed."""
    eq, (gap,) = row_of_balls([1000.0, 1.0])
    sim = simulate(
        eq,
        0.5,
        x0=1.0,
        x1=1.0,
        x0_dot=-4.0,
        x1_dot=-4.0,
        events=[Contact("floor", eq.q[0], 1), Contact("balls", gap, 1)],
    )
    assert [o.name for o in sim.events] == ["floor", "balls"]
    assert sim.final["x1_dot"] == pytest.approx(4 * (3 * 1000 - 1) / 1001)


def test_landing_on_two_feet():
    """Flat: both feet push alike, the body does not turn. Tilted: one foot after the other."""
    eq, heights = beam()
    contacts = [Contact(name, h, 0.4) for h, name in zip(heights, ("left", "right"), strict=True)]
    flat = simulate(eq, 0.5, y=1.2, x_dot=0.3, events=contacts)
    v = math.sqrt(2 * G)
    assert [o.name for o in flat.events] == ["left", "right"]
    assert flat.events[0].impulses == pytest.approx({"left": 2.1 * v, "right": 2.1 * v})
    assert flat.final["a_dot"] == pytest.approx(0, abs=1e-13)
    assert flat.final["x_dot"] == pytest.approx(0.3)
    tilted = simulate(eq, 0.6, y=1.2, a=0.1, events=contacts)
    assert tilted.events[0].name == "left"
    assert list(tilted.events[0].impulses) == ["left"]
    assert tilted.events[1].name == "right"


def test_a_contact_that_would_have_to_pull_does_not():
    """A beam that turns about one foot while the other lifts: only the closing one pushes, and what it does to the
    other is no impulse."""
    eq, heights = beam()
    contacts = [Contact(name, h, 0.0) for h, name in zip(heights, ("left", "right"), strict=True)]
    x = impulses_of(eq, contacts).numbers(0.0, np.array([0, 0.2, 0, 0, -0.5, 1.0]), np.array([G]), np.zeros(0))
    assert x.speed == pytest.approx([-1.0, 0.0])
    sim = simulate(eq, 0.01, y=0.2, y_dot=-0.5, a_dot=1.0, events=contacts)
    assert sim.events[0].impulses == pytest.approx({"left": 1 / (1 / 3 + 0.25 / 0.25)})
    assert sim.events[0].after[3:][1] > -0.5


def test_an_impossible_impact_says_so():
    """A contact on a body whose motion is prescribed: no impulse can stop it."""
    m = sb.Model("press")
    x = m.coordinate("x")
    m.particle("ram", m.ground.translate(x, 0, 0).origin, mass=1.0)
    m.prescribe("constraint1", x, 1 - m.time)
    sim = simulate(sb.derive(m), 2, x=1.0, x_dot=-1.0, events=[Contact("anvil", x, 0.5)])
    assert sim.outcome.ending is Ending.SINGULAR
    assert "anvil" in sim.outcome.detail
    assert sim.outcome.t == pytest.approx(1)


# ------------------------------------------------------------------------------------------------ laws


def _random_contacts(eq: sb.Equations, state: dict[str, float], rng: np.random.Generator, n: int) -> list[Contact]:
    """Gaps that are zero in a state, with random slopes."""
    out = []
    for k in range(n):
        gap = sum(
            (float(c) * (q - state[q.name]) for c, q in zip(rng.normal(size=len(eq.q)), eq.q, strict=True)),
            start=sb.sin(0.0),
        )
        out.append(Contact(f"contact {k}", gap, float(rng.uniform())))
    return out


@pytest.mark.parametrize("seed", some(range(12), 2))
def test_impacts_obey_newtons_law_and_never_feed_energy(seed):
    """On random mechanisms, with loops, rolling and skates: contacts only push, each gap opens at e v or faster (then
    nothing pushes there), constraints hold, the momentum balance M Δu = Jcᵀ Λc + Gᵀ Λ holds, and kinetic energy does
    not grow."""
    rng = np.random.default_rng(seed)
    sample = (random_loop if seed % 2 else random_tree)(seed)
    eq = sb.derive(sample.mechanism, check=False)
    rough = {q.name: float(x) for q, x in zip(eq.q, rng.normal(size=len(eq.q)), strict=True)} | dict(sample.start)
    speeds = {u.name: float(x) for u, x in zip(eq.u, rng.normal(size=len(eq.u)), strict=True)}
    values = {
        s.name: float(v)
        for s, v in zip(eq.p, rng.uniform(0.5, 2, len(eq.p)), strict=True)
        if s not in eq.mechanism.values
    }
    start = assemble(eq, values, start=rough | speeds)
    contacts = _random_contacts(eq, dict(start.values), rng, 3)
    arguments = (start.t, np.concatenate([start.q, start.u, start.z]), start.p, start.r)
    opens = impulses_of(eq, contacts).numbers(*arguments).speed[:2] > 0
    contacts[:2] = [
        Contact(c.name, -c.gap if is_opening else c.gap, c.restitution)
        for c, is_opening in zip(contacts, opens, strict=False)
    ]
    impulses = impulses_of(eq, contacts)
    x, metric = impulses.numbers(*arguments), impulses.metric(*arguments)
    before, part = start.u, x.speed < 0
    assert np.all(part[:2])
    found = impact(metric, x, before, part, x.restitution)
    assert found is not None
    numbers = eq.values(start.values, otherwise=0)
    M, J, b = (np.array(sb.evaluate(e, numbers), dtype=float) for e in (eq.M, eq.Jc, eq.b))
    M, J = M.reshape(len(before), len(before)), J.reshape(len(eq.lam), len(before))
    after, size = found.u, np.max(np.abs(before)) * (1 + np.max(np.abs(M)))
    assert np.all(found.impulses >= 0)
    v = x.speed + x.G @ (after - before)
    aimed = -x.restitution * x.speed
    assert np.all(v[part] >= aimed[part] - 1e-9 * size)
    assert found.impulses[part] * (v - aimed)[part] == pytest.approx(0, abs=1e-8 * size**2)
    assert J @ after + b.ravel() == pytest.approx(np.zeros(len(J)), abs=1e-9 * size)
    assert M @ (after - before) == pytest.approx(J.T @ found.reactions + x.G.T @ found.impulses, abs=1e-8 * size)
    if not np.any(b):  # where nothing is driven
        assert after @ M @ after <= before @ M @ before * (1 + 1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_complementarity_against_all_sets_of_contacts(seed):
    """Where some set of pushing contacts solves the problem, a solution is found, also with contacts that depend on
    each other."""
    rng = np.random.default_rng(seed)
    for _ in range(60):
        n = int(rng.integers(1, 6))
        W = rng.normal(size=(n, int(rng.integers(1, 7))))
        if n > 2:
            W[-1] = W[0] - W[1]
        A = W @ W.T
        b = W @ rng.normal(size=W.shape[1]) if rng.random() < 0.7 else rng.normal(size=n)
        found = complementary_forces(A, b)
        if found is not None:
            w = A @ found + b
            assert np.min(found) >= 0
            assert np.min(w) >= -1e-9
            assert found * w == pytest.approx(np.zeros(n), abs=1e-8 * max(1, np.max(found)))
        else:
            assert not any(_solves(A, b, list(s)) for k in range(n + 1) for s in itertools.combinations(range(n), k))


def _solves(A: np.ndarray, b: np.ndarray, pushing: list[int]) -> bool:
    x = np.zeros(len(b))
    if pushing:
        x[pushing] = np.linalg.lstsq(A[np.ix_(pushing, pushing)], -b[pushing], rcond=1e-10)[0]
    w = A @ x + b
    return bool(np.min(x) >= -1e-9 and np.min(w) >= -1e-8 and np.max(np.abs(w[pushing]), initial=0) < 1e-8)


@pytest.mark.parametrize("example", [slider_crank, sleigh])
def test_the_map_of_an_impact_as_expressions(example):
    """`impact_map`, on the graph, gives what the impact gives in numbers."""
    eq = sb.derive(example.model())
    start = assemble(eq, start={u.name: 0.3 + 0.2 * k for k, u in enumerate(eq.u)})
    contact = Contact("wall", sum((float(k + 1) * q for k, q in enumerate(eq.q)), start=-eq.t), 0.6)
    impulses = impulses_of(eq, [contact])
    arguments = (start.t, np.concatenate([start.q, start.u, start.z]), start.p, start.r)
    x = impulses.numbers(*arguments)
    sign = 1 if x.speed[0] < 0 else -1
    contact = Contact("wall", sign * contact.gap, 0.6)
    impulses = impulses_of(eq, [contact])
    x = impulses.numbers(*arguments)
    found = impact(impulses.metric(*arguments), x, start.u, x.speed < 0, x.restitution)
    assert found is not None
    numbers = eq.values(start.values, otherwise=0)
    assert [sb.evaluate(e, numbers) for e in impact_map(eq, contact).values()] == pytest.approx(
        found.u, rel=1e-10, abs=1e-12
    )


def test_sensitivities_pass_impacts():
    eq = ball()
    floor = [Contact("floor", eq.q[0] - 0.1 * sb.sin(3 * eq.t), 0.8)]
    sim = simulate(eq, 1.6, z=1.0, events=floor, sensitivities=["z", "g"], rtol=1e-11)
    assert len(sim.events) == 2
    for name, value in (("z", 1.0), ("g", G)):
        ends = [
            simulate(eq, 1.6, {"z": 1.0} | {name: value + d}, events=floor, rtol=1e-11).final["z"]
            for d in (1e-6, -1e-6)
        ]
        assert sim.sensitivity("z", name)[-1] == pytest.approx((ends[0] - ends[1]) / 2e-6, rel=1e-6)


# ------------------------------------------------------------------------------------------------ refused


def test_bad_contacts_are_refused_with_names():
    eq = ball()
    z, v = eq.q[0], eq.u[0]
    with pytest.raises(SimulationError, match=r"restitution must be between 0 and 1, got 1\.2"):
        Contact("contact", z, 1.2)
    for events, message in (
        ([Contact("floor", z + v, 0.5)], "contact 'floor'.*depends on z_dot"),
        ([Contact("floor", eq.t - 1, 0.5)], "depends on no coordinate"),
        ([Contact("contact", z, 0.5), Contact("contact", z - 1, 0.5)], "several contacts are called contact"),
        ([Contact("floor", z - 5, 0.5)], "contact 'floor'.*inside each other.*gap = -4"),
        ([Contact("floor", z, 1 + v**2)], "contact 'floor': restitution"),
    ):
        with pytest.raises(SimulationError, match=message):
            simulate(eq, 2, z=1.0, events=events)
    with pytest.raises(SimulationError, match="cannot be undone"):
        simulate(eq, (2, 0), z=1.0, events=[Contact("contact", z, 0.5)])


def test_contacts_and_events_together():
    eq = ball()
    sim = simulate(
        eq,
        3,
        z=1.0,
        events=[
            Contact("floor", eq.q[0], 0.8),
            Event("top", eq.u[0], "falling"),
            Event("half", eq.q[0] - 0.5),
        ],
    )
    assert [o.name for o in sim.events][:6] == ["half", "floor", "half", "top", "half", "floor"]


# ------------------------------------------------------------------------------------------------ with every form


@pytest.mark.parametrize("form", ["orthogonal", "explicit", "baumgarte", "partition", "qr", "implicit", "ggl"])
def test_events_and_impacts_in_every_form(form):
    """What `projection` finds, the others find too."""
    m = sb.Model("pendulum")
    m.gravity(0, -G, 0)
    x, y = m.coordinates("x y")
    m.particle("bob", m.ground.translate(x, y, 0).origin, mass=1.0)
    m.constrain("rod", x**2 + y**2 - 1)
    eq = sb.derive(m)
    events: list[Event | Contact] = [
        Contact("stop", x + 0.3, 0.7),
        Event("height", y + 0.9),
        Event("force", eq.lam[0] + 6),
    ]
    found, wanted = (simulate(eq, 2, x=0.6, y=-0.8, form=f, events=events).events for f in (form, "projection"))
    assert [o.name for o in found] == [o.name for o in wanted]
    assert [o.t for o in found] == pytest.approx([o.t for o in wanted], abs=1e-7)
    assert {o.name for o in wanted} == {"stop", "height", "force"}


def test_a_coordinate_without_mass_of_its_own():
    """A stop on the far side of a gear: 2 kg reversed from 1 to 0.5 m/s through a ratio of two."""
    m = sb.Model("gear")
    a, b = m.coordinates("a b")
    m.particle("mass", m.ground.translate(a, 0, 0).origin, mass=2.0)
    m.constrain("gear", a - 2 * b)
    sim = simulate(sb.derive(m, check=False), 2, a=1, b=0.5, a_dot=-1, b_dot=-0.5, events=[Contact("stop", b, 0.5)])
    assert sim.events[0].impulses == pytest.approx({"stop": 6, "gear": 3})
    assert sim.final == pytest.approx({"a": 0.5, "b": 0.25, "a_dot": 0.5, "b_dot": 0.25})
