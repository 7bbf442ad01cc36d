"""Events: found to rounding, in both directions of time, and what they do to the state."""

import itertools
import math
from typing import Any

import numpy as np
import pytest

import symbody as sb
from examples import slider_crank
from symbody.errors import SimulationError
from symbody.integrate.events.events import Event
from symbody.integrate.result.outcome import Ending
from symbody.integrate.run.simulate import simulate
from symbody.write.files.trajectory_file import load_trajectory, save_trajectory

G = 9.81


def projectile() -> sb.Equations:
    """A particle in a field of gravity, with a force."""
    m = sb.Model("projectile")
    g = m.parameter("g", G)
    push = m.input("push")
    x, z = m.coordinates("x z")
    body = m.particle("particle", m.ground.translate(x, 0, z).origin, mass=2.0)
    m.gravity(0, 0, -g)
    m.force("push", body, m.ground.vector(push, 0, 0), at=body.point())
    m.output("height", z - 1)
    return sb.derive(m)


def pendulum(form: str = "angle") -> sb.Equations:
    m = sb.Model("pendulum")
    m.gravity(0, -G, 0)
    if form == "angle":
        a = m.coordinate("a")
        m.particle("bob", m.ground.rotate("z", a).point(0, -1, 0), mass=1.0)
    else:
        x, y = m.coordinates("x y")
        m.particle("bob", m.ground.translate(x, y, 0).origin, mass=1.0)
        m.constrain("rod", x**2 + y**2 - 1)
    return sb.derive(m)


def ulps(found: float, exact: float) -> float:
    return abs(found - exact) / math.ulp(exact)


# ------------------------------------------------------------------------------------------------ roots


@pytest.mark.parametrize("height", [0.3, 1.0, 7.0, 1e4])
@pytest.mark.parametrize("begin", [0.0, 3.0])
def test_free_fall_ends_at_the_ground_to_rounding(height, begin):
    eq = projectile()
    sim = simulate(eq, (begin, begin + 100), z=height, events=[Event("ground", eq.q[1], terminal=True)])
    fall = math.sqrt(2 * height / G)
    assert sim.outcome.ending is Ending.STOPPED
    assert sim.outcome.detail == "ground"
    assert ulps(sim.events[0].t, begin + fall) <= 4
    speed = math.sqrt(2 * height * G)
    assert sim.final["z"] == pytest.approx(0, abs=4 * (math.ulp(begin + fall) * speed + math.ulp(height)))
    assert sim.final["z_dot"] == pytest.approx(-speed, rel=1e-14)


@pytest.mark.parametrize("method", ["dp5", "dp8", "radau"])
@pytest.mark.parametrize("form", ["angle", "loop"])
def test_times_of_a_pendulum(method, form):
    """Passages through the lowest point are half a period apart, K(sin(a/2)) · 2 sqrt(l/g); the constraint holds at
    each."""
    eq, amplitude = pendulum(form), 2.0
    low = eq.q[0]
    start = {"a": amplitude} if form == "angle" else {"x": math.sin(amplitude), "y": -math.cos(amplitude)}
    sim = simulate(eq, 6, start, method=method, rtol=1e-11, events=[Event("low", low)])
    mean, other = 1.0, math.cos(amplitude / 2)
    for _ in range(10):
        mean, other = (mean + other) / 2, math.sqrt(mean * other)
    half = math.pi / mean / math.sqrt(G)
    found = np.array([e.t for e in sim.events])
    assert len(found) == math.floor(6 / half + 0.5)
    assert np.diff(found) == pytest.approx(half, abs=1e-9)
    assert found[0] == pytest.approx(half / 2, abs=1e-9)
    assert all(abs(e.after[0]) < 1e-14 for e in sim.events)
    assert sim.violation.position < 1e-12


def test_directions():
    eq = pendulum()
    counts = {
        d: len(simulate(eq, 6, a=1.0, events=[Event("event 1", eq.q[0], d)]).events)
        for d in ("rising", "falling", "both")
    }
    assert counts["both"] == counts["rising"] + counts["falling"]
    assert counts["falling"] - counts["rising"] in (0, 1)
    assert counts["rising"] > 0


@pytest.mark.parametrize("below", [1e-1, 1e-3, 1e-6, 1e-9])
def test_two_passages_within_one_step(below):
    """A throw that goes a little above a height and comes back, both within one step of a method that needs only
    one."""
    eq = projectile()
    v = 20.0
    top = v**2 / 2 / G
    sim = simulate(eq, 4, z_dot=v, events=[Event("height", eq.q[1] - (top - below))])
    half = math.sqrt(2 * below / G)
    found = [e.t for e in sim.events]
    assert len(found) == 2
    assert np.mean(found) == pytest.approx(v / G, abs=1e-9)
    assert found[1] - found[0] == pytest.approx(2 * half, rel=1e-5)


@pytest.mark.parametrize("direction", ["rising", "falling"])
def test_only_one_of_two_passages_within_one_step_counts(direction):
    eq = projectile()
    v = 20.0
    sim = simulate(eq, 4, z_dot=v, events=[Event("event 1", eq.q[1] - (v**2 / 2 / G - 1e-3), direction)])
    assert len(sim.events) == 1
    assert (sim.events[0].t > v / G) == (direction == "falling")


@pytest.mark.parametrize("step", [None, 0.125, 0.01])
def test_touching_without_passing_is_no_event(step):
    """A height that is reached, to rounding, but not passed."""
    eq = projectile()
    v, g = 8.0, 16.0
    sim = simulate(eq, 1, z_dot=v, g=g, step=step, events=[Event("event 1", eq.q[1] - v**2 / 2 / g)])
    assert sim.events == ()
    assert sim.outcome.ending is Ending.REACHED


def test_start_counts_not_and_the_end_does():
    """z(t) = t (1 - t) for g = 2: zero at the start and at the end."""
    eq = projectile()
    sim = simulate(eq, 1, z_dot=1, g=2, events=[Event("zero", eq.q[1])])
    assert [e.t for e in sim.events] == [pytest.approx(1.0, abs=1e-14)]
    stopped = simulate(eq, 1, z_dot=1, g=2, events=[Event("zero", eq.q[1], reset={"z_dot": 5})])
    assert stopped.final["z_dot"] == pytest.approx(5)
    assert stopped.at(1.0)["z_dot"] == pytest.approx([5])


def test_simultaneous_events_all_happen():
    eq = projectile()
    x, z = eq.q
    events = [
        Event("first", z),
        Event("second", 2 * z, reset={"x": 3}),
        Event("third", -z, reset={"x_dot": x + 1}),
    ]
    sim = simulate(eq, 1, z=1.0, events=events)
    assert [e.name for e in sim.events] == ["first", "second", "third"]
    assert len({e.t for e in sim.events}) == 1
    assert sim.events[-1].after[0] == 3
    assert sim.events[-1].after[2] == 4  # the third sees what the second did


def test_back_in_time_the_same_events():
    eq = pendulum()
    events = [Event("up", eq.q[0], "rising"), Event("turn", eq.u[0], "falling")]
    there = simulate(eq, 5, a=1.0, a_dot=0.3, rtol=1e-12, events=events)
    back = simulate(eq, (5, 0), there.final, rtol=1e-12, events=events)
    assert [e.name for e in back.events] == [e.name for e in reversed(there.events)]
    assert [e.t for e in back.events] == pytest.approx([e.t for e in reversed(there.events)], abs=1e-9)


def test_many_functions_at_once_are_found_in_order():
    eq = projectile()
    heights = np.linspace(0.05, 0.95, 19)
    sim = simulate(eq, 0.45, z=1.0, events=[Event(f"{h:.2f}", eq.q[1] - h) for h in heights])
    assert [e.name for e in sim.events] == [f"{h:.2f}" for h in reversed(heights)]
    exact = [math.sqrt(2 * (1 - h) / G) for h in reversed(heights)]
    assert max(ulps(e.t, t) for e, t in zip(sim.events, exact, strict=True)) <= 8


# ------------------------------------------------------------------------------------------- what `when` may be made of


def test_accelerations_multipliers_outputs_inputs_and_python():
    eq = projectile()
    sim = simulate(eq, 2, z=1.0, inputs={"push": 3 * eq.t - 1}, events=[Event("force turns", eq.u[0].dot)])
    assert [e.t for e in sim.events] == [pytest.approx(1 / 3, abs=1e-15)]
    out = simulate(eq, 2, z=1.5, events=[Event("event 1", eq.outputs["height"])])
    assert ulps(out.events[0].t, math.sqrt(1 / G)) <= 4
    law = sb.algebra.ExternalFunction("law", 1, python=lambda z: z - 0.25)
    free = simulate(eq, 2, z=1.0, events=[Event("event 1", law(eq.q[1]))])
    assert free.events[0].t == pytest.approx(math.sqrt(1.5 / G), rel=1e-13)
    loop = pendulum("loop")
    tight = simulate(loop, 1, x=0.0, y=-1.0, x_dot=5.2, rtol=1e-11, events=[Event("slack", loop.lam[0], terminal=True)])
    _, y, vx, vy = tight.events[0].after
    assert vx**2 + vy**2 == pytest.approx(G * y, rel=1e-9)  # no force in the rod: m v² / l = m g cos


def test_a_python_function_that_fails_is_raised():
    def broken(z: float) -> float:
        if z < 0.5:
            raise ArithmeticError("below the table")
        return z

    eq = projectile()
    law = sb.algebra.ExternalFunction("broken", 1, python=broken)
    with pytest.raises(ArithmeticError, match="below the table"):
        simulate(eq, 2, z=1.0, events=[Event("event 1", law(eq.q[1]))])


# ------------------------------------------------------------------------------------------------ what events do


def test_new_values_are_all_taken_from_the_state_before():
    eq = projectile()
    x, z = eq.q
    vx, vz = eq.u
    sim = simulate(
        eq,
        0.8,
        z=1.0,
        x=2.0,
        x_dot=0.5,
        events=[Event("event 1", z, "falling", reset={x: z + 7, z: x, vx: vz, vz: vx})],
    )
    t, v = math.sqrt(2 / G), -math.sqrt(2 * G)
    assert sim.events[0].before == pytest.approx([2 + t / 2, 0, 0.5, v], abs=1e-14)
    assert sim.events[0].after == pytest.approx([7, 2 + t / 2, v, 0.5], abs=1e-14)
    left = 0.8 - t
    assert sim.final["z"] == pytest.approx(2 + t / 2 + left / 2 - G * left**2 / 2, rel=1e-14)


def test_values_at_a_jump_are_those_after_it():
    eq = projectile()
    fall = math.sqrt(2 / 8.0)
    events = [Event("event 1", eq.q[1], reset={"z_dot": -eq.u[1]})]
    sim = simulate(eq, 1.2, z=1.0, g=8.0, events=events)
    jump = sim.events[0].t
    assert ulps(jump, fall) <= 16
    assert sim.at([jump, np.nextafter(jump, 0)])["z_dot"] == pytest.approx([4, -4])
    assert np.sum(sim.t == jump) == 2  # before and after
    times = np.sort(np.append(np.linspace(0, 1.2, 25), jump))
    wanted = simulate(eq, times, z=1.0, g=8.0, events=events)
    assert wanted["z_dot"][times == jump] == pytest.approx([4])
    assert wanted["z"] == pytest.approx(sim.at(times)["z"], abs=1e-13)


def test_new_values_are_brought_back_to_the_constraints():
    """A push on a mechanism with a loop: speeds that do not fit are changed by impulses of the constraints, through the
    mass matrix."""
    eq = sb.derive(slider_crank.model())
    names = [s.name for s in eq.u]
    k = names.index("alpha_dot")
    alpha, u = next(q for q in eq.q if q.name == "alpha"), eq.u[k]
    ends = simulate(eq, 0.5, slider_crank.START).final["alpha"]
    turned = (slider_crank.START["alpha"] + ends) / 2
    for form in ("projection", "explicit"):
        sim = simulate(
            eq, 0.5, slider_crank.START, form=form, events=[Event("event 1", alpha - turned, reset={u: u + 3})]
        )
        e = sim.events[0]
        before, after = e.before[len(eq.q) :], e.after[len(eq.q) :]
        values = eq.values(otherwise=0, **dict(zip((s.name for s in (*eq.q, *eq.u)), e.after, strict=True)))
        M, J = (np.array(sb.evaluate(x, values), dtype=float) for x in (eq.M, eq.Jc))
        assert J @ after == pytest.approx(np.zeros(len(J)), abs=1e-12)
        asked = before.copy()
        asked[k] += 3
        given = np.array(list(e.impulses.values()))
        assert M @ (after - asked) == pytest.approx(J.T @ given, abs=1e-12)
        assert abs(after[k] - before[k]) > 0.1
        assert sim.violation.speed < 1e-7


def test_energy_that_is_kept_is_taken_anew_after_a_jump():
    eq = pendulum("loop")
    x, _ = eq.q
    vx, vy = eq.u
    kick = [Event("brake", x, "rising", reset={vx: 0.5 * vx, vy: 0.5 * vy})]
    sim = simulate(eq, 3, x=0.6, y=-0.8, invariants=["energy"], events=kick)
    for e in sim.events:
        jump = np.flatnonzero(sim.t == e.t)
        assert sim.kinetic_energy[jump[1]] == pytest.approx(sim.kinetic_energy[jump[0]] / 4, rel=1e-12)
    edges = [0, *(int(np.flatnonzero(sim.t == e.t)[1]) for e in sim.events), len(sim.t)]
    for a, b in itertools.pairwise(edges):
        last = b - (b < len(sim.t))
        assert np.ptp(sim.energy[a:last]) < 1e-12


def test_python_decides():
    eq = projectile()
    seen = []

    def bounce(values: dict[str, float]) -> dict[str, float] | str:
        seen.append(values)
        return {"z_dot": -0.5 * values["z_dot"]} if len(seen) < 3 else "stop"

    sim = simulate(eq, 9, z=1.0, events=[Event("floor", eq.q[1], "falling", reset=bounce)])
    fall = math.sqrt(2 / G)
    assert [e.t for e in sim.events] == pytest.approx([fall, 2 * fall, 2.5 * fall], rel=1e-14)
    assert sim.outcome.ending is Ending.STOPPED
    assert seen[0]["g"] == G
    assert seen[0]["t"] == sim.events[0].t
    ignored = simulate(eq, 0.5, z=1.0, events=[Event("event 1", eq.q[1], reset=lambda values: None)])
    assert len(ignored.events) == 1
    assert ignored.final["z"] < 0


def test_what_python_raises_comes_through_and_the_next_run_is_not_disturbed():
    eq = projectile()

    def fails(values: dict[str, float]) -> None:
        raise KeyError("no idea")

    with pytest.raises(KeyError, match="no idea"):
        simulate(eq, 2, z=1.0, events=[Event("event 1", eq.q[1], reset=fails)])
    assert simulate(eq, 0.3, z=1.0).final["z"] == pytest.approx(1 - G * 0.09 / 2, rel=1e-15)


def test_a_jump_to_the_other_side_counts():
    """An event sets a speed that another event watches."""
    eq = projectile()
    ground = Event("ground", eq.q[1], reset={"x_dot": 2})
    for direction, found in (("both", ["ground", "fast"]), ("rising", ["ground", "fast"]), ("falling", ["ground"])):
        sim = simulate(eq, 0.6, z=1.0, events=[ground, Event("fast", eq.u[0] - 1, direction)])
        assert [e.name for e in sim.events] == found


# ------------------------------------------------------------------------------------------------ without end


def test_sliding_along_a_surface_ends_with_an_outcome():
    """A speed that is turned back wherever it crosses zero: events without end, which end the simulation in bounded
    work."""
    eq = projectile()
    x, _ = eq.q
    sim = simulate(
        eq,
        2,
        x=1.0,
        x_dot=-1.0,
        events=[Event("wall", x, "falling", reset={x: 0, "x_dot": 0})],
        inputs={"push": -1.0},
    )
    assert sim.outcome.ending is Ending.CHATTERING
    assert not sim.outcome
    assert "wall" in str(sim.outcome)
    assert "Contacts" in str(sim.outcome)
    assert len(sim.events) < 100
    assert sim.t[-1] == pytest.approx(sim.events[0].t, abs=1e-6)
    assert sim["x"][0] == 1.0


def test_events_that_set_each_other_off():
    eq = projectile()
    vx, _ = eq.u
    events = [
        Event("ground", eq.q[1], reset={vx: 1 - vx}),
        Event("down", vx - 0.25, reset={vx: 0}),
        Event("up", vx - 0.75, reset={vx: 1}),
    ]
    sim = simulate(eq, 1, z=1.0, x_dot=0.0, events=events)
    assert [e.name for e in sim.events] == ["ground", "down", "up"]  # each answers once at one time


# ------------------------------------------------------------------------------------------------ sensitivities


def test_sensitivities_pass_events():
    """∂z/∂z0 and ∂z/∂g after three bounces, beside differences."""
    eq = projectile()
    event = [Event("event 1", eq.q[1], "falling", reset={"z_dot": -0.8 * eq.u[1]})]
    sim = simulate(eq, 2.0, z=1.0, events=event, sensitivities=["z", "g"], rtol=1e-11)
    assert len(sim.events) == 3
    for name, value in (("z", 1.0), ("g", G)):
        ends = [
            simulate(eq, 2.0, {"z": 1.0} | {name: value + d}, events=event, rtol=1e-11).final["z"]
            for d in (1e-5, -1e-5)
        ]
        assert sim.sensitivity("z", name)[-1] == pytest.approx((ends[0] - ends[1]) / 2e-5, rel=1e-7)


def test_sensitivities_refuse_python():
    eq = projectile()
    with pytest.raises(SimulationError, match="expressions"):
        simulate(
            eq, 2.0, z=1.0, events=[Event("event 1", eq.q[1], reset=lambda v: {"z_dot": 1.0})], sensitivities=["z"]
        )


# ------------------------------------------------------------------------------------------------ refused


def test_bad_events_are_refused_with_names():
    eq = projectile()
    x, z = eq.q
    strange = sb.symbol("strange", "coordinate")
    with pytest.raises(SimulationError, match=r"direction is 'rising'.*'up'"):
        Event("event 1", z, "up")
    with pytest.raises(SimulationError, match="the first argument is a name"):
        Event(z, "up")  # type: ignore[arg-type]
    with pytest.raises(SimulationError, match="reset must be a mapping"):
        Event("event 1", z, reset="explode")  # type: ignore[arg-type]
    with pytest.raises(SimulationError, match="reset must be a mapping"):
        Event("event 1", z, reset=3)  # type: ignore[arg-type]
    wrong: list[tuple[list[Any], str]] = [
        ([Event("odd", z - strange)], "event 'odd'.*depends on strange"),
        ([Event("event 1", z, reset={"g": 3})], "g cannot change.*additional variable"),
        ([Event("event 1", z, reset={"w": 3})], "there is no state 'w'; there are x, z, x_dot, z_dot"),
        ([Event("event 1", z, reset={x: strange})], "depends on strange"),
        (["stop"], "events are `Event` and `Contact`, got 'stop'"),
    ]
    for events, message in wrong:
        with pytest.raises(SimulationError, match=message):
            simulate(eq, 2, z=1.0, events=events)
    for back, message in (({"y": 1.0}, "no state 'y'"), ({"z": math.nan}, "finite"), (3.0, "returned 3.0")):
        with pytest.raises(SimulationError, match=message):
            simulate(eq, 2, z=1.0, events=[Event("event 1", z, reset=lambda values, back=back: back)])


def test_events_are_kept_in_files(tmp_path):
    eq = pendulum("loop")
    sim = simulate(eq, 1, x=0.6, y=-0.8, events=[Event("low", eq.q[0], reset={eq.u[0]: 1.0})])
    read = load_trajectory(save_trajectory(sim, tmp_path / "motion"), eq)
    assert [(e.name, e.t, e.impulses) for e in read.events] == [(e.name, e.t, e.impulses) for e in sim.events]
    assert read.at(0.9).y == pytest.approx(sim.at(0.9).y, abs=0)


def test_terminal_and_reset_together_and_directions_as_numbers():
    """A terminal event with a reset ends in the state after it; 1, -1 and 0 are the directions of `solve_ivp`."""
    eq = projectile()
    z, vz = eq.q[1], eq.u[1]
    sim = simulate(eq, 2, z=1.0, events=[Event("floor", z, -1, terminal=True, reset={vz: -0.5 * vz})])
    assert sim.outcome.ending is sb.integrate.Ending.STOPPED
    assert sim.final["z_dot"] == pytest.approx(0.5 * math.sqrt(2 * G))
    assert Event("up", z, 1).direction == "rising"
    assert Event("any", z, 0).direction == "both"


@pytest.mark.parametrize("method", ["dp5", "dp8", "radau"])
@pytest.mark.parametrize("rate", [3.0, 100.0, 2000.0])
def test_every_turn_is_found_in_long_steps(method, rate):
    """A rotor that nothing slows down takes steps of many turns; sin φ passes zero at φ = 2 π k all the same."""
    m = sb.Model("rotor")
    m.revolute("phi", m.ground, m.body("rotor", mass=1, inertia=(1, 1, 1)))
    eq = sb.derive(m)
    sim = sb.simulate(eq, 10, phi=-1, phi_dot=rate, method=method, events=[sb.Event("turn", sb.sin(eq.q[0]), "rising")])
    turns = np.arange(int((10 * rate - 1) / (2 * np.pi)) + 1)
    np.testing.assert_allclose([e.t for e in sim.events], (2 * np.pi * turns + 1) / rate, rtol=1e-9)


@pytest.mark.parametrize("method", ["dp5", "radau"])
def test_a_guard_decides_which_crossings_are_events(method):
    """A pendulum passes the lowest point both ways: the guard tells them apart as the direction does, and looks at
    anything of the state."""
    eq = pendulum()
    q, u, t = eq.q[0], eq.u[0], eq.t
    start = {q: 0.5}
    events = [
        Event("all", q),
        Event("to the right", q, where=u > 0),
        Event("rising", q, "rising"),
        Event("late", q, where=(t > 2) & (u < 0)),
        Event("never", q, where=False),
        Event("by acceleration", u, where=u.dot > 0),
    ]
    sim = simulate(eq, 6, start, events=events, method=method, rtol=1e-9)
    times = {e.name: [x.t for x in sim.events if x.name == e.name] for e in events}
    assert times["to the right"] == times["rising"]
    assert 0 < len(times["rising"]) < len(times["all"])
    assert times["late"] == [x for x in times["all"] if x > 2 and x not in times["rising"]]
    assert times["never"] == []
    assert times["by acceleration"]
    assert all(x.before[0] < 0 for x in sim.events if x.name == "by acceleration")


def test_a_guarded_event_neither_ends_nor_resets_where_the_guard_is_false():
    eq = projectile()
    z, w = eq.q[-1], eq.u[-1]
    bounce = Event("bounce", z, "falling", reset={w: -0.5 * w}, where=eq.t < 0.3)
    floor = Event("through the floor", z, "falling", terminal=True, where=eq.t >= 0.3)
    sim = simulate(eq, 10, {z: 0.2}, events=[bounce, floor])
    assert sim.outcome.detail == "through the floor"
    assert [(e.name, e.t < 0.3) for e in sim.events] == [("bounce", True), ("through the floor", False)]
    assert sim.t[-1] == pytest.approx(2 * math.sqrt(0.4 / G), rel=1e-9)


def test_what_is_no_condition_is_refused():
    eq = pendulum()
    with pytest.raises(SimulationError, match=r"event 'e': where must be a condition such as .* got a"):
        Event("e", eq.q[0], where=eq.q[0])


def test_a_guard_is_not_lost_in_an_export(tmp_path):
    """It is a function beside that of the event."""
    eq = pendulum()
    sb.write.c(eq, tmp_path, events={"low": Event("low", eq.q[0], where=eq.u[0] > 0)})
    header = (tmp_path / "pendulum.h").read_text()
    assert "pendulum_event_handling(" in header
    assert "1 where its guard holds" in header
