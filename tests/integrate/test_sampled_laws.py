"""Sampled laws beside exact discrete-time systems: a linear plant under a law that is held has x(k+1) = A x(k) + B F(k)
with A = exp(a T), B = ∫ exp(a s) b ds."""

import numpy as np
import pytest
from scipy.linalg import expm

import symbody as sb

T = 0.05
a = np.array([[0.0, 1.0], [-3.0, -0.2]])
b = np.array([0.0, 2.0])
whole = expm(np.block([[a, b[:, None]], [np.zeros((1, 3))]]) * T)
A, B = whole[:2, :2], whole[:2, 2]


def plant():
    m = sb.Model("plant")
    x, F = m.coordinate("x"), m.input("F")
    m.particle("p", m.ground.point(x, 0, 0), mass=1)
    m.generalized_force("f", x, -3 * x - 0.2 * x.dot + 2 * F)
    return sb.derive(m), x


def discrete(law, steps, delay=0, x=(1.0, 0.0)):
    """States at the samples; `delay` in whole samples."""
    x, queue, out = np.array(x), [0.0] * delay, []
    for k in range(steps):
        out.append(x)
        queue.append(law(k, x))
        x = A @ x + B * queue.pop(0)
    return np.array([*out, x])


def law_of(x):
    return -4 * x - 1.5 * x.dot


def test_a_held_law_is_the_discrete_system():
    eq, x = plant()
    times = T * np.arange(41)
    sim = sb.simulate(eq, times, x=1.0, inputs={"F": sb.SampledLaw(law_of(x), every=T)}, rtol=1e-11)
    wanted = discrete(lambda k, s: -4 * s[0] - 1.5 * s[1], 40)
    assert sim.outcome
    assert np.abs(np.column_stack([sim["x"], sim["x_dot"]]) - wanted).max() < 1e-9
    continuous = sb.simulate(eq, times, x=1.0, inputs={"F": law_of(x)}, rtol=1e-11)
    assert np.abs(continuous["x"] - wanted[:, 0]).max() > 1e-2  # the samples matter


@pytest.mark.parametrize("late", [1, 3])
def test_a_delay_of_whole_samples(late):
    eq, x = plant()
    law = sb.SampledLaw(law_of(x) / 4, every=T, delay=late * T)
    sim = sb.simulate(eq, T * np.arange(31), x=1.0, inputs={"F": law}, rtol=1e-11)
    wanted = discrete(lambda k, s: -s[0] - 1.5 / 4 * s[1], 30, delay=late)
    assert np.abs(sim["x"] - wanted[:, 0]).max() < 1e-9


def test_a_delay_of_part_of_a_sample():
    """x⁺ = A x + (B - B1) F(k-1) ... : the interval is divided where the value changes."""
    eq, x = plant()
    part = 0.3 * T
    sim = sb.simulate(
        eq, T * np.arange(31), x=1.0, inputs={"F": sb.SampledLaw(law_of(x), every=T, delay=T + part)}, rtol=1e-11
    )
    first, second = (expm(np.block([[a, b[:, None]], [np.zeros((1, 3))]]) * h) for h in (part, T - part))
    s, old, waiting, wanted = np.array([1.0, 0.0]), 0.0, 0.0, []
    for _ in range(31):
        wanted.append(s[0])
        new = -4 * s[0] - 1.5 * s[1]
        s = first[:2, :2] @ s + first[:2, 2] * old
        old, waiting = waiting, new
        s = second[:2, :2] @ s + second[:2, 2] * old
    assert np.abs(sim["x"] - wanted).max() < 1e-9


def test_limits_rate_and_memory():
    """A PI law with limits and a rate: the integral is summed at the samples, exactly."""
    eq, x = plant()
    i = sb.symbol("i", "variable")
    law = sb.SampledLaw(3 * (1 - x) + 2 * i, every=T, limits=(-0.5, 2.5), rate=10.0, memory={i: i + T * (1 - x)})
    sim = sb.simulate(eq, 60 * T, inputs={"F": law}, rtol=1e-11)
    s, total, held, wanted, inputs = np.zeros(2), 0.0, 0.0, [], []
    for _ in range(61):
        wanted.append(s[0])
        value = np.clip(3 * (1 - s[0]) + 2 * total, held - 10 * T, held + 10 * T)
        held = np.clip(value, -0.5, 2.5)
        inputs.append(held)
        before = total
        total += T * (1 - s[0])
        s = A @ s + B * held
    assert np.abs(sim.at(T * np.arange(61))["x"] - wanted).max() < 1e-9
    assert np.abs(sim.at(T * np.arange(60) + T / 2)["F"] - inputs[:60]).max() < 1e-9
    assert sim.final["i"] == pytest.approx(before, abs=1e-9)  # the sample at the end belongs to what follows


@pytest.mark.parametrize("method", ["dp5", "radau", "auto"])
def test_every_method_and_stored_steps(method):
    eq, x = plant()
    sim = sb.simulate(eq, 1.0, x=1.0, inputs={"F": sb.SampledLaw(law_of(x), every=T)}, method=method, rtol=1e-9)
    assert sim.final["x"] == pytest.approx(discrete(lambda k, s: -4 * s[0] - 1.5 * s[1], 20)[-1, 0], abs=1e-6)
    assert sim["F"][0] == pytest.approx(-4.0)  # the first sample is at the start


def test_batches_are_simulations():
    eq, x = plant()
    laws = {"F": sb.SampledLaw(law_of(x), every=T, delay=0.02)}
    times, starts = np.linspace(0, 1, 5), np.array([0.5, 1.0, 2.0])
    batch = sb.simulate_batch(eq, times, x=starts, inputs=laws, rtol=1e-10)
    alone = [sb.simulate(eq, times, x=v, inputs=laws, rtol=1e-10)["x"] for v in starts]
    assert np.abs(batch["x"] - alone).max() < 1e-10


def test_steppers_sample_between_and_at_steps():
    eq, x = plant()
    closed = sb.closed_loop(eq, {"F": sb.SampledLaw(law_of(x), every=T)})
    wanted = discrete(lambda k, s: -4 * s[0] - 1.5 * s[1], 20)[-1]
    for dt in (T, T / 4, 2.5 * T):
        env = sb.stepper(closed, dt, x=1.0, method="dp8")
        state = env.start
        for _ in range(round(20 * T / dt)):
            state = env.step(state)
        assert state[:2] == pytest.approx(wanted, abs=1e-7)


def test_derivatives_through_samples():
    eq, x = plant()
    k = sb.symbol("k")
    laws = {"F": sb.SampledLaw(-k * x - 1.5 * x.dot, every=T, delay=0.02)}
    given: dict = {"inputs": laws, "x": 1.0, "rtol": 1e-11}
    sim = sb.simulate(eq, 1.0, **given, values={"k": 4.0}, sensitivities=["x", "k"])
    h = 1e-5
    by_k = [sb.simulate(eq, 1.0, **given, values={"k": 4.0 + d}).final["x"] for d in (h, -h)]
    assert sim.sensitivity("x", "k")[-1] == pytest.approx((by_k[0] - by_k[1]) / (2 * h), rel=1e-6)
    assert sim.sensitivity("x", "x")[-1] == pytest.approx(sim.final["x"], rel=1e-8)  # the loop is linear


def test_a_python_function_is_called_at_samples():
    eq, _ = plant()
    seen = []

    def law(t, q, u):
        seen.append(t)
        return -4 * q[0] - 1.5 * u[0]

    sim = sb.simulate(eq, 1.0, x=1.0, inputs={"F": sb.SampledLaw(law, every=T)}, rtol=1e-9)
    assert sim.final["x"] == pytest.approx(discrete(lambda k, s: -4 * s[0] - 1.5 * s[1], 20)[-1, 0], abs=1e-7)
    off = np.abs(np.array(seen) / T - np.round(np.array(seen) / T))
    assert off.max() < 1e-9

    def wrong(t, q, u):
        raise ValueError("broken law")

    with pytest.raises(ValueError, match="broken law"):
        sb.simulate(eq, 1.0, x=1.0, inputs={"F": sb.SampledLaw(wrong, every=T)})


def test_a_motion_goes_on_from_a_state():
    eq, x = plant()
    laws = {"F": sb.SampledLaw(law_of(x), every=T)}
    whole_run = sb.simulate(eq, 1.0, x=1.0, inputs=laws, rtol=1e-11)
    half = sb.simulate(eq, 0.52, x=1.0, inputs=laws, rtol=1e-11)
    rest = sb.simulate(eq, 1.0, half, inputs=laws, rtol=1e-11)
    assert rest.final["x"] == pytest.approx(whole_run.final["x"], abs=1e-9)


def test_what_is_refused():
    eq, x = plant()
    with pytest.raises(sb.SymbodyError, match="every = 0"):
        sb.SampledLaw(x, every=0)
    with pytest.raises(sb.SymbodyError, match="limits"):
        sb.SampledLaw(x, every=T, limits=(1.0, -1.0))
    with pytest.raises(sb.SymbodyError, match="samples"):
        sb.SampledLaw(x, every=1e-6, delay=1.0)
    with pytest.raises(sb.SymbodyError, match="depends on"):
        sb.simulate(eq, 1.0, inputs={"F": sb.SampledLaw(sb.symbol("other", "coordinate"), every=T)})
    closed = sb.closed_loop(eq, {"F": sb.SampledLaw(law_of(x), every=T)})
    for call in (lambda eq: sb.linearize(eq, {}), sb.steady, sb.minimal):
        with pytest.raises(sb.SymbodyError, match="sampled law"):
            call(closed)
    with pytest.raises(sb.SymbodyError, match="sampled law"):
        sb.orbit(closed, {}, period=1.0)
    with pytest.raises(sb.SymbodyError, match="forward"):
        sb.simulate(eq, (1.0, 0.0), inputs={"F": sb.SampledLaw(law_of(x), every=T)})


def test_exports_take_samples_as_events(tmp_path):
    """An FMU in co-simulation, beside the discrete system."""
    fmpy = pytest.importorskip("fmpy")
    eq, x = plant()
    law = sb.SampledLaw(law_of(x), every=T)
    path = sb.write.fmu(
        eq, tmp_path / "plant.fmu", inputs={"F": law}, start={"x": 1.0}, tolerance=1e-10, derivatives=False
    )
    wanted = discrete(lambda k, s: -4 * s[0] - 1.5 * s[1], 20)[:, 0]
    for kind in ("CoSimulation", "ModelExchange"):
        run = fmpy.simulate_fmu(str(path), stop_time=1.0, output_interval=T, fmi_type=kind, relative_tolerance=1e-10)
        assert np.abs(np.interp(T * np.arange(21), run["time"], run["x"]) - wanted).max() < 1e-6
    folder = sb.write.c(
        sb.closed_loop(eq, {"F": law}), tmp_path / "plant_c", start={"x": 1.0}, functions=("rhs", "events")
    )
    assert "samples are events" in (folder / "README.md").read_text()
