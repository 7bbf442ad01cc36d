"""Switching between sets of equations: contacts that close and open, friction that sticks and slips, strings that go
slack."""

import math
from typing import Any, cast

import numpy as np
import pytest

import symbody as sb
from symbody.errors import SimulationError
from symbody.integrate.contact.impacts import Contact
from symbody.integrate.events.events import Event
from symbody.integrate.modes.modes import Contacts, Modes, Switch
from symbody.integrate.modes.switching import simulate_modes
from symbody.integrate.result.outcome import Ending
from symbody.integrate.run.simulate import simulate
from tests.integrate.test_impacts import ball, beam, row_of_balls

G = 9.81


# ------------------------------------------------------------------------------------------------ contacts that rest


def test_a_ball_comes_to_rest():
    """After infinitely many bounces: to the tolerance asked for, and with its weight as force."""
    eq = ball()
    sim = simulate_modes(Contacts(eq, Contact("floor", eq.q[0], 0.5)), 3, z=1.0)
    assert sim.outcome.ending is Ending.REACHED
    assert sim.modes == ("free", "floor")
    assert sim.pieces[1].t[0] == pytest.approx(3 * math.sqrt(2 / G), abs=1e-3)
    assert sim.final == pytest.approx({"z": 0, "z_dot": 0}, abs=1e-12)
    assert sim["lam_floor"][sim.mode == "floor"] == pytest.approx(2 * G)
    assert np.all(sim["lam_floor"][sim.mode == "free"] == 0)
    assert len(sim.events) < 30
    exact = simulate(eq, 3, z=1.0, events=[Contact("floor", eq.q[0], 0.5)])
    common = np.linspace(0, 1.35, 40)
    assert sim.at(common)["z"] == pytest.approx(exact.at(common)["z"], abs=1e-8)


def test_requested_times_and_modes():
    eq = ball()
    contacts = Contacts(eq, Contact("floor", eq.q[0], 0.5))
    times = np.linspace(0, 3, 31)
    wanted, whole = simulate_modes(contacts, times, z=1.0), simulate_modes(contacts, 3, z=1.0)
    assert wanted.t == pytest.approx(times, abs=0)
    assert wanted["z"] == pytest.approx(whole.at(times)["z"], abs=1e-12)
    assert list(wanted.mode) == list(whole.at(times).mode)
    assert list(wanted.columns(["lam_floor"])) == ["z", "z_dot", "lam_floor"]
    assert wanted.columns()["z"] == pytest.approx(wanted["z"], abs=0)


def test_a_shaken_table_throws_the_ball():
    """It leaves where the table falls faster than gravity: A w² sin(w t) = g. The force is continuous there: zero."""
    m = sb.Model("ball on a table")
    g, A, w = m.parameters("g A w", G, 0.01, 40.0)
    m.gravity(0, 0, -g)
    z = m.coordinate("z")
    m.particle("ball", m.ground.translate(0, 0, z).origin, mass=2.0)
    eq = sb.derive(m)
    table = Contact("table", z - A * sb.sin(w * eq.t), 0.3)
    sim = simulate_modes(Contacts(eq, table), 0.5, z_dot=0.4)
    opens = next(e for e in sim.events if e.name == "table opens")
    assert opens.t == pytest.approx(math.asin(G / 16) / 40, abs=1e-10)
    assert sim.pieces[0].lam[-1] == pytest.approx([0], abs=1e-9)
    assert sim.modes[:3] == ("table", "free", "table")
    assert np.min(sim[table.gap]) > -1e-13
    assert np.min(sim["lam_table"]) > -1e-9
    flight = sim.pieces[1]
    landing = flight.t[0] + 0.01
    rise = 0.01 * math.sin(40 * opens.t) + 0.4 * math.cos(40 * opens.t) * 0.01 - G / 2 * 0.01**2
    assert flight.at(landing)["z"] == pytest.approx([rise], abs=1e-10)


def test_rocking_block():
    """From foot to foot, slower at each impact, until it stands. Without friction the mass centre moves along a
    vertical line, so that at an impact of the other foot, plastic as Housner's (1963), the speed of turning falls by (I
    - m b²) / (I + m b²)."""
    m = sb.Model("block")
    b, h, g = m.parameters("b h g", 0.1, 0.4, G)
    m.gravity(0, -g, 0)
    x, y, a = m.coordinates("x y a")
    block = m.body("block", m.ground.translate(x, y, 0).rotate("z", a), mass=3.0, shape=sb.box(2 * b, 2 * h, 0.1))
    eq = sb.derive(m)
    heights = [(block.point(s * b, -h, 0) - m.ground.origin).dot(m.ground.y) for s in (-1, 1)]
    feet = [Contact(name, e, 0.0) for e, name in zip(heights, ("left", "right"), strict=True)]
    tilt = 0.1
    sim = simulate_modes(Contacts(eq, *feet), 2, a=tilt, y=0.1 * math.sin(tilt) + 0.4 * math.cos(tilt))
    assert sim.outcome
    assert sim.modes[:4] == ("left", "right", "left", "right")
    assert sim.modes[-1] == "left + right"
    assert sim.final["a"] == pytest.approx(0, abs=1e-7)
    first = next(e for e in sim.events if e.name == "right")
    before, after = first.before[5], first.after[5]
    inertia, mass = 3.0 * (0.2**2 + 0.8**2) / 12, 3.0
    turning = (inertia - mass * 0.1**2) / (inertia + mass * 0.1**2)
    assert after / before == pytest.approx(turning, rel=1e-9)
    assert np.max(np.diff(sim.energy)) < 1e-7
    last = sim.pieces[-1]
    assert last.violation.speed < 1e-12
    assert last["lam_left"] + last["lam_right"] == pytest.approx(3 * G)
    assert min(np.min(sim[e]) for e in heights) > -1e-12


def test_landing_and_resting_on_two_feet():
    eq, heights = beam()
    feet = [Contact(name, e, 0.3) for e, name in zip(heights, ("left", "right"), strict=True)]
    sim = simulate_modes(Contacts(eq, *feet), 3, y=1.0, a=0.05)
    assert sim.outcome
    assert sim.modes[-1] == "left + right"
    assert sim.final["y"] == pytest.approx(0.2, abs=1e-9)
    assert sim.pieces[-1].lam[-1] == pytest.approx([1.5 * G, 1.5 * G])
    assert np.max(np.diff(sim.energy)) < 1e-8


def test_a_table_on_four_legs():
    """More contacts than can be told apart: it stands on enough of them, and the forces carry it."""
    m = sb.Model("table")
    m.gravity(0, 0, -G)
    z, a, b = m.coordinates("z a b")
    body = m.body("table", m.ground.translate(0, 0, z).rotate("x", a).rotate("y", b), mass=4.0, inertia=(0.5, 0.5, 0.9))
    legs = [body.point(x, y, -1) for x, y in ((0.5, 0.5), (-0.5, 0.5), (-0.5, -0.5), (0.5, -0.5))]
    eq = sb.derive(m)
    contacts = [Contact(f"leg {k}", (p - m.ground.origin).dot(m.ground.z), 0.2) for k, p in enumerate(legs)]
    sim = simulate_modes(Contacts(eq, *contacts), 1.5, z=1.05, a=0.03)
    assert sim.outcome
    assert sim.final["z"] == pytest.approx(1, abs=1e-8)
    forces = sum(sim.pieces[-1][f"lam_leg_{k}"] for k in range(4))
    assert forces == pytest.approx(4 * G)


def test_a_ball_falls_on_one_that_rests():
    """A contact that is closed takes part in the impact: the lower ball stays, its floor gets the whole impulse."""
    m = sb.Model("two balls")
    m.gravity(0, 0, -G)
    z = m.coordinates("z0 z1")
    for k, q in enumerate(z):
        m.particle(f"ball{k}", m.ground.translate(0, 0, q).origin, mass=1.0 + k)
    eq = sb.derive(m)
    sim = simulate_modes(
        Contacts(eq, Contact("floor", z[0], 0.5), Contact("balls", z[1] - z[0] - 0.1, 0.5)), 0.5, z0=0.0, z1=1.1
    )
    hit = next(e for e in sim.events if e.name == "balls")
    v = math.sqrt(2 * G)
    assert hit.impulses == pytest.approx({"floor": 3 * v, "balls": 3 * v})
    assert hit.after[2:] == pytest.approx([0, v / 2], abs=1e-12)


def test_contacts_in_a_loop_formulation():
    """A pendulum in Cartesian coordinates that comes to lie on a shelf."""
    m = sb.Model("pendulum")
    m.gravity(0, -G, 0)
    x, y = m.coordinates("x y")
    m.particle("bob", m.ground.translate(x, y, 0).origin, mass=1.0)
    m.constrain("rod", x**2 + y**2 - 1)
    eq = sb.derive(m)
    sim = simulate_modes(Contacts(eq, Contact("shelf", y + 0.8, 0.3)), 3, x=1.0)
    assert sim.outcome
    assert sim.modes[-1] == "shelf"
    assert sim.final["x"] == pytest.approx(0.6, abs=1e-7)
    assert sim["lam_shelf"][-1] == pytest.approx(G)
    assert sim["lam_rod"][-1] == pytest.approx(0, abs=1e-6)


# ------------------------------------------------------------------------------------------------ modes of choice


def belt() -> Modes:
    """A block on a belt, held by a spring; friction mu_s when it sticks, mu_d when it slips."""

    made = {}
    for name in ("stick", "slip"):
        m = sb.Model(name)
        k, mass, v, mu_s, mu_d = m.parameters("k mass v mu_s mu_d", 50.0, 1.0, 0.2, 0.5, 0.3)
        x = m.coordinate("x")
        m.particle("block", m.ground.translate(x, 0, 0).origin, mass=mass)
        m.potential("spring", k * x**2 / 2)
        if name == "stick":
            m.constrain_speed("friction", x.dot - v)
        else:
            m.generalized_force("friction", x, mu_d * mass * G)
        made[name] = sb.derive(m)
    friction = made["stick"].lam[0]
    leaves = Switch("stick to slip", friction - mu_s * mass * G, "stick", "slip", "rising")
    return Modes(made, [leaves, Switch("slip to stick", x.dot - v, "slip", "stick", "rising")], initial="stick")


def test_stick_and_slip_against_the_closed_form():
    """Slipping is a piece of a harmonic motion about mu_d m g / k, sticking goes at the belt's speed."""
    sim = simulate_modes(belt(), 10, x_dot=0.2)
    k, v, x_s, x_d = 50.0, 0.2, 0.5 * G / 50, 0.3 * G / 50
    w = math.sqrt(k)
    slips = 2 / w * (math.pi - math.atan((x_s - x_d) * w / v))
    sticks = 2 * (x_s - x_d) / v
    begins = [s.t[0] for s, m in zip(sim.pieces, sim.modes, strict=True) if m == "slip"]
    ends = [s.t[-1] for s, m in zip(sim.pieces, sim.modes, strict=True) if m == "slip"][:-1]
    assert begins[0] == pytest.approx(x_s / v, abs=1e-10)
    assert np.diff(begins) == pytest.approx(slips + sticks, abs=1e-8)
    assert np.array(ends) - begins[: len(ends)] == pytest.approx(slips, abs=1e-8)
    assert sim.pieces[0].lam[-1] == pytest.approx([0.5 * G], rel=1e-9)
    assert sim["x"].max() <= x_d + math.hypot(x_s - x_d, v / w) + 1e-8
    assert set(sim.mode) == {"stick", "slip"}


def test_a_mode_that_cannot_hold_is_left_at_once():
    """Stretched beyond what friction holds at the start."""
    sim = simulate_modes(belt(), 0.1, x=0.2, x_dot=0.2)
    assert sim.modes[0] == "slip"
    assert sim.events[0].name == "stick to slip"
    assert sim.events[0].t == 0


def test_a_wheel_that_begins_to_slip():
    """Driven by a torque c t: it rolls until the friction that rolling needs is more than mu m g."""
    c, mu, R, mass = 6.0, 0.4, 0.3, 2.0
    inertia = mass * R**2 / 2

    def model(rolls: bool) -> tuple[sb.Equations, sb.Expr]:
        m = sb.Model("wheel")
        x, a = m.coordinates("x a")
        m.body("wheel", m.ground.translate(x, 0, 0).rotate("z", -a), mass=mass, shape=sb.disc(R, axis="z"))
        m.generalized_force("motor", a, c * m.time)
        if rolls:
            m.constrain_speed("rolling", x.dot - R * a.dot)
        else:
            m.generalized_force("friction at the road", x, mu * mass * G)
            m.generalized_force("friction at the rim", a, -mu * mass * G * R)
        return sb.derive(m), R * a.dot - x.dot

    (rolling, _), (slipping, spin) = model(True), model(False)
    modes = Modes(
        {"rolling": rolling, "slipping": slipping},
        [
            Switch("rolling to slipping", rolling.lam[0] - mu * mass * G, "rolling", "slipping", "rising"),
            Switch("slipping to rolling", spin, "slipping", "rolling", "falling"),
        ],
        initial="rolling",
    )
    sim = simulate_modes(modes, 2)
    begins = mu * mass * G * (inertia + mass * R**2) / (mass * R) / c
    assert sim.modes == ("rolling", "slipping")
    assert sim.events[0].t == pytest.approx(begins, abs=1e-10)
    speed = 3 * begins**2 / 2 * (R / (inertia + mass * R**2)) * 2
    assert sim.pieces[0]["x_dot"][-1] == pytest.approx(speed, rel=1e-9)
    assert sim.final["x_dot"] == pytest.approx(speed + mu * G * (2 - begins), rel=1e-9)


def test_a_string_that_goes_slack_and_tight_again():
    """Modes with coordinates of their own: an angle while the string is tight, Cartesian ones in flight."""
    tight = sb.Model("on the string")
    tight.gravity(0, -G, 0)
    a = tight.coordinate("a")
    tight.particle("bob", tight.ground.rotate("z", a).point(0, -1, 0), mass=1.0)
    flight = sb.Model("in flight")
    flight.gravity(0, -G, 0)
    x, y = flight.coordinates("x y")
    flight.particle("bob", flight.ground.translate(x, y, 0).origin, mass=1.0)
    string, free = sb.derive(tight), sb.derive(flight)
    modes = Modes(
        {"tight": string, "slack": free},
        [
            Switch(
                "tight to slack",
                a.dot**2 + G * sb.cos(a),
                "tight",
                "slack",
                "falling",
                reset={x: sb.sin(a), y: -sb.cos(a), x.dot: a.dot * sb.cos(a), y.dot: a.dot * sb.sin(a)},
            ),
            Switch(
                "slack to tight",
                1 - x**2 - y**2,
                "slack",
                "tight",
                "falling",
                reset={a: sb.atan2(x, -y), a.dot: x.dot * -y + y.dot * x},
            ),
        ],
        initial="tight",
    )
    v = 6.0
    sim = simulate_modes(modes, 3, a_dot=v, rtol=1e-10)
    assert sim.modes[:3] == ("tight", "slack", "tight")
    slack = sim.events[0]
    cosine = -(v**2 - 2 * G) / (3 * G)  # a'² = v² - 2 g (1 - cos a) = -g cos a
    assert math.cos(slack.before[0]) == pytest.approx(cosine, abs=1e-9)
    assert slack.after[:2] == pytest.approx([math.sin(slack.before[0]), -math.cos(slack.before[0])])
    caught = sim.events[1]
    assert math.hypot(*caught.before[:2]) == pytest.approx(1, abs=1e-12)
    x0, y0, vx, vy = slack.after
    t = caught.t - slack.t  # the parabola meets the circle again
    assert caught.before[:2] == pytest.approx([x0 + vx * t, y0 + vy * t - G * t**2 / 2], abs=1e-9)
    assert np.max(sim["t"]) == 3
    with pytest.raises(SimulationError, match="does not exist in mode 'tight'"):
        sim["x"]
    assert len(sim.pieces[1]["x"]) == len(sim.pieces[1].t)


def test_a_new_constraint_takes_the_speed_that_it_forbids():
    """Two masses that couple when the first meets the second: momentum stays, the impulse is that of a plastic
    impact."""
    free, (gap,) = row_of_balls([1.0, 3.0])
    m = sb.Model("coupled")
    x = [m.coordinate(f"x{k}") for k in range(2)]
    for k, mass in enumerate((1.0, 3.0)):
        m.particle(f"ball{k}", m.ground.translate(x[k], 0, 0).origin, mass=mass)
    m.constrain("coupling", x[1] - x[0])
    modes = Modes(
        {"apart": free, "coupled": sb.derive(m)},
        [Switch("apart to coupled", gap, "apart", "coupled", "falling")],
        initial="apart",
    )
    sim = simulate_modes(modes, 3, x1=1.0, x0_dot=1.0)
    (e,) = sim.events
    assert e.t == pytest.approx(1, abs=1e-14)
    assert e.after[2:] == pytest.approx([0.25, 0.25])
    assert abs(e.impulses["coupling"]) == pytest.approx(0.75)
    assert sim.at(e.t)["x0_dot"] == pytest.approx([0.25])
    assert sim.at(np.nextafter(e.t, 0))["x0_dot"] == pytest.approx([1])
    wanted = simulate_modes(modes, [0.0, 0.5, e.t, 3.0], x1=1.0, x0_dot=1.0)
    assert wanted["x0_dot"] == pytest.approx([1, 1, 0.25, 0.25])
    assert list(wanted.mode) == ["apart", "apart", "coupled", "coupled"]


def test_events_along_modes():
    eq = ball()
    top = Event("top", eq.u[0], "falling")
    stop = Event("bell", eq.t - 1.2, terminal=True)
    sim = simulate_modes(Contacts(eq, Contact("floor", eq.q[0], 0.5)), 3, z=1.0, events=[top, stop])
    assert [e.name for e in sim.events][:5] == ["floor", "top", "floor", "top", "floor"]
    assert sim.outcome.ending is Ending.STOPPED
    assert sim.outcome.t == pytest.approx(1.2, abs=1e-15)


def test_modes_that_send_each_other_back_end_with_an_outcome():
    eq, other = ball(), ball()
    v = eq.u[0]
    modes = Modes(
        {"a": eq, "b": other},
        [Switch("a to b", v, "a", "b", "falling"), Switch("b to a", v + 1, "b", "a", "rising")],
        initial="a",
    )
    sim = simulate_modes(modes, 1, z=0.0, z_dot=-0.5)
    assert sim.outcome.ending is Ending.CHATTERING
    assert "a to b" in sim.outcome.detail


# ------------------------------------------------------------------------------------------------ refused


def test_bad_modes_are_refused_with_names():
    eq = ball()
    z = eq.q[0]
    row, (gap,) = row_of_balls([1.0, 1.0])
    with pytest.raises(SimulationError, match="no mode 'slip'"):
        Modes({"stick": eq}, [Switch("stick to slip", z, "stick", "slip")], initial="stick")
    with pytest.raises(SimulationError, match="no mode 'a'"):
        Modes({"stick": eq}, [], initial="a")
    with pytest.raises(SimulationError, match=r"mode 'two' has x0, x1, .*which mode 'one' does not have"):
        Modes({"one": eq, "two": row}, [Switch("one to two", z, "one", "two")], initial="one")
    with pytest.raises(SimulationError, match="direction is"):
        Switch("one to two", z, "one", "two", "down")
    with pytest.raises(SimulationError, match="no state 'w'"):
        Modes({"one": eq, "two": eq}, [Switch("one to two", z, "one", "two", reset={"w": 3})], initial="one")
    one = Modes({"one": eq, "two": eq}, [Switch("one to two", z, "one", "two", "falling")], initial="one")
    for call, message in (
        (lambda: simulate_modes(cast(Any, eq), 1), "takes `Modes` or `Contacts`"),
        (lambda: simulate_modes(one, 1, y=3.0), "'y' is neither a name of the model nor an option"),
        (lambda: simulate_modes(one, (1, 0), z=1.0), "cannot be undone"),
        (lambda: simulate_modes(one, 1, events=[Event("odd", gap)]), "event odd"),
        (lambda: simulate_modes(one, 1, inputs={"F": 1.0}), "no input 'F'"),
        (lambda: simulate_modes(Contacts(eq), 1.0), "no Contact and no Friction; `simulate` moves"),
        (lambda: Contacts(eq, Contact("contact", z), Contact("contact", z + 1)), "several contacts"),
        (lambda: Contacts(eq, cast(Any, z)), "takes `Contact`"),
    ):
        with pytest.raises(SimulationError, match=message):
            call()


def test_times_out_of_order_or_outside_are_refused():
    eq = ball()
    sim = simulate_modes(Contacts(eq, Contact("floor", eq.q[0], 0.5)), 1.9, z=1.0)
    assert len(sim.pieces) == 2
    with pytest.raises(SimulationError, match="in the order"):
        sim.at([0.5, 0.2])
    with pytest.raises(SimulationError, match="t = 2 is outside"):
        sim.at([0.5, 2.0])


# ------------------------------------------------------------------------------------------- guards and wrong arguments


def test_a_switch_counts_where_its_guard_holds():
    """A ball leaves its mode at the second crossing of a height, the first that falls."""
    eq = ball()
    z, u = eq.q[0], eq.u[0]
    switch = Switch("caught", z - 1.5, "up", "down", where=u < 0)
    sim = simulate_modes(Modes({"up": eq, "down": eq}, [switch], initial="up"), 2.0, z=1.0, z_dot=5.0)
    plain = simulate(eq, 2.0, z=1.0, z_dot=5.0, events=[Event("height", z - 1.5, "falling")])
    assert [o.name for o in sim.events] == ["caught"]
    assert sim.events[0].t == pytest.approx(plain.events[0].t, abs=1e-9)


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda eq: Switch("s", eq.q[0], "a", "b", where=3), "where must be a condition"),
        (lambda eq: Modes({"a": eq}, cast(Any, ["b"]), "a"), r"a list of Switch\(...\), got 'b'"),
        (lambda eq: Modes(eq, [], "a"), "one set of equations by name"),
        (lambda eq: Modes({"a": None}, [], "a"), "one set of equations by name"),
    ],
)
def test_wrong_switches_and_modes(make, says):
    with pytest.raises(SimulationError, match=says):
        make(ball())
