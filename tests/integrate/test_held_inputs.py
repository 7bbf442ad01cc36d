"""Inputs whose samples are held (zero-order hold): steps end where they jump, whatever the method."""

import numpy as np
import pytest

import symbody as sb

TIMES = np.array([0.0, 0.3, 0.7, 1.0, 1.9, 2.0])
VALUES = np.array([2.0, -1.0, 3.0, -2.5, -2.5, 0.5])
HELD = {"F": (TIMES, VALUES, "held")}
END = 2.7


@pytest.fixture(scope="module")
def eq():
    m = sb.Model("cart")
    force = m.input("F")
    m.prismatic("x", m.ground, m.body("cart", mass=1.0), axis="x", actuation=force)
    return sb.derive(m)


def exact(t):
    """Place and speed of a mass of 1 kg: parabolas."""
    lengths = np.clip(np.minimum(np.append(TIMES[1:], np.inf), t) - TIMES, 0.0, None)
    x = v = 0.0
    for h, force in zip(lengths, VALUES, strict=True):
        x, v = x + v * h + force * h * h / 2, v + force * h
    return x, v


@pytest.mark.parametrize(
    "options",
    [{}, {"method": "dp5", "rtol": 1e-4}, {"method": "radau"}, {"method": "rk4", "step": 0.11}],
    ids=["auto", "dp5", "radau", "rk4"],
)
def test_parabolas_are_exact(eq, options):
    """No step goes across a jump: none is rejected, and methods of order 2 and more have no error at all."""
    sim = sb.simulate(eq, END, inputs=HELD, **options)
    assert sim.outcome
    assert sim.statistics.rejected == 0
    assert (sim.final["x"], sim.final["x_dot"]) == pytest.approx(exact(END), abs=1e-12)
    times = np.sort(np.concatenate([np.linspace(0, END, 50), TIMES, np.nextafter(TIMES[1:], 0)]))
    assert sim.at(times)["x"] == pytest.approx([exact(t)[0] for t in times], abs=1e-12)
    assert sim.at(TIMES)["F"].tolist() == VALUES.tolist()  # a value counts from its time on
    assert sim.at(np.nextafter(TIMES[1:], 0))["F"].tolist() == VALUES[:-1].tolist()


def test_requested_times_and_backwards(eq):
    there = sb.simulate(eq, np.append(TIMES, END), inputs=HELD)
    assert there["x"] == pytest.approx([exact(t)[0] for t in there.t], abs=1e-12)
    back = sb.simulate(eq, (END, 0.0), there, inputs=HELD)
    assert back.statistics.rejected == 0
    assert (back.final["x"], back.final["x_dot"]) == pytest.approx((0, 0), abs=1e-12)


def test_event_functions_that_jump_with_the_input(eq):
    sim = sb.simulate(eq, END, inputs=HELD, events=[sb.Event("pushes", sb.symbol("F", "input"))])
    assert [e.t for e in sim.events] == [0.3, 0.7, 1.0, 2.0]
    ends = sb.simulate(
        eq, END, inputs=HELD, events=[sb.Event("pushes", sb.symbol("F", "input"), "rising", terminal=True)]
    )
    assert ends.outcome.t == 0.7


def test_members_of_a_batch(eq):
    values = np.array([VALUES, -2 * VALUES])
    for batch in (
        sb.simulate_batch(eq, [0.0, 1.0, END], x=np.zeros(2), inputs=HELD),
        sb.simulate_batch(eq, [0.0, 1.0, END], inputs={"F": (TIMES, values, "held")}),
    ):
        assert all(batch.outcomes)
    assert batch["x"][:, -1] == pytest.approx([exact(END)[0], -2 * exact(END)[0]], abs=1e-12)


def test_sensitivities_go_through(eq):
    m = sb.Model("cart on a spring")
    force, k = m.input("F"), m.parameter("k", 3.0)
    m.prismatic("x", m.ground, m.body("cart", mass=1.0), axis="x", actuation=force, stiffness=k)
    sprung = sb.derive(m)
    found = sb.simulate(sprung, END, inputs=HELD, sensitivities=["k"], rtol=1e-11)
    a, b = (sb.simulate(sprung, END, inputs=HELD, k=3 + d, rtol=1e-12).final["x"] for d in (1e-5, -1e-5))
    assert found.sensitivity("x", "k")[-1] == pytest.approx((a - b) / 2e-5, rel=1e-6)


def test_rates_are_refused():
    m = sb.Model("road")
    w = m.input("w")
    z = m.coordinate("z")
    m.particle("body", m.ground.point(0, 0, z), mass=1)
    m.generalized_force("damper", z, w.dot - z.dot)
    with pytest.raises(sb.errors.SimulationError, match="contain w_dot, which samples that are held do not have"):
        sb.simulate(sb.derive(m), 1, inputs={"w": ([0, 1], [0, 1], "held")})


def test_stairs_of_expressions():
    x = sb.symbol("x")
    gear = sb.integrate.interpolation("gear", [0, 10, 20], [1, 2, 3], "held")
    assert [sb.evaluate(gear(x), {x: v}) for v in (-5, 0, 9.9, 10, 19, 20, 500)] == [1, 1, 1, 2, 2, 3, 3]
