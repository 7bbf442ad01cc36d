"""Laws of inputs that change between steps: in a long quiet motion, a pulse of any place and width gives its impulse to the
mechanism, however it is written, by every method and every route; and bends of inputs cost no order."""

import numpy as np
import pytest

import symbody as sb
from symbody.integrate.inputs.time_functions import time_functions
from symbody.integrate.run.methods import METHODS
from tests.amount import FULL

END = 10.0


@pytest.fixture(scope="module")
def eq():
    """A mass of 2 kg, pushed by F: its speed is the impulse by its mass."""
    m = sb.Model("pushed mass")
    m.prismatic("x", m.ground, m.body("body", mass=2.0), axis="x", actuation=m.input("F"))
    return sb.derive(m)


def pulse(seed):
    """Begin, width and height of a pulse."""
    rng = np.random.default_rng(seed)
    return float(rng.uniform(2.0, 8.0)), float(10 ** rng.uniform(-3.5, -1.0)), float(rng.uniform(5.0, 500.0))


def rectangle(eq, t0, w, a):
    return sb.where(eq.t < t0, 0, sb.where(eq.t < t0 + w, a, 0)), a * w


def closed_ends(eq, t0, w, a):
    return sb.where((eq.t >= t0) & (eq.t <= t0 + w), a, 0), a * w


def of_differences(eq, t0, w, a):
    return sb.where(abs(eq.t - t0 - w / 2) < w / 2, a, 0), a * w


def signs(eq, t0, w, a):
    return a / 2 * (sb.sign(eq.t - t0) - sb.sign(eq.t - t0 - w)), a * w


def ramp(eq, t0, w, a):
    """A triangle of kinks that no value jumps at."""
    return a * sb.maximum(0, 1 - abs(2 * (eq.t - t0) / w - 1)), a * w / 2


def triangle(eq, t0, w, a):
    return ([0, t0, t0 + w / 2, t0 + w, END], [0, 0, a, 0, 0], "linear"), a * w / 2


def stairs(eq, t0, w, a):
    return ([0, t0, t0 + w], [0, a, 0], "held"), a * w


def spline(eq, t0, w, a):
    """Through a bump, and samples that are zero elsewhere; the impulse is that of the spline."""
    from scipy.interpolate import CubicSpline

    t = np.concatenate([np.linspace(0, t0, 40)[:-1], np.linspace(t0, t0 + w, 21), np.linspace(t0 + w, END, 40)[1:]])
    values = np.where((t > t0) & (t < t0 + w), a * np.sin(np.pi * (t - t0) / w) ** 2, 0.0)
    return (t, values), float(CubicSpline(t, values).integrate(0, END))


def measured(eq, t0, w, a):
    """Samples at one rate, straight lines between them."""
    t = np.linspace(0, END, 2001)
    values = np.where((t >= t0) & (t < t0 + w), a, 0.0)
    return (t, values, "linear"), float(np.trapezoid(values, t))


def bell(eq, t0, w, a):
    """Smooth; narrower ones than those that are searched for are not promised."""
    w = max(w, 0.01)
    return a * sb.exp(-(((eq.t - t0) / w) ** 2)), a * w * np.sqrt(np.pi)


def square_wave(eq, t0, w, a):
    """A condition that is not linear in time: sin(t - t0 - π/2) > 1 - ε, for one period."""
    w = max(w, 0.01)
    high = sb.cos((eq.t - t0) * 2 * np.pi / END) > np.cos(np.pi * w / END)
    return sb.where(high, a, 0), a * w


KINDS = [
    rectangle, closed_ends, of_differences, signs, ramp, triangle, stairs, spline, measured, bell, square_wave
]  # fmt: skip
ADAPTIVE = [{}, {"method": "dp5", "rtol": 1e-6}, {"method": "radau"}]


def transferred(eq, law, seed, **options):
    """The impulse that a motion has in the end, and the tolerance of one that is right."""
    sim = sb.simulate(eq, END, inputs={"F": law}, **options)
    assert sim.outcome
    return 2.0 * sim.final["x_dot"], sim


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("options", ADAPTIVE, ids=["auto", "dp5", "radau"])
@pytest.mark.parametrize("seed", range(4 if FULL else 2))
def test_a_pulse_gives_its_impulse(eq, kind, options, seed):
    law, impulse = kind(eq, *pulse(seed))
    got, sim = transferred(eq, law, seed, **options)
    assert got == pytest.approx(impulse, rel=100 * options.get("rtol", 1e-8), abs=1e-7)
    assert sim.statistics.steps < 600


@pytest.mark.parametrize("method", METHODS)
def test_every_method_by_name(eq, method):
    """Explicit methods, radau, and the variational one with its fixed steps, which are divided."""
    t0, w, a = 5.0123, 0.004, 250.0
    law, impulse = rectangle(eq, t0, w, a)
    step = 0.05 if method in ("rk4", "variational") else None
    sim = sb.simulate(eq, END, inputs={"F": law}, method=method, step=step)
    assert 2.0 * sim.final["x_dot"] == pytest.approx(impulse, rel=1e-6)


@pytest.mark.parametrize("kind", [rectangle, signs, triangle, stairs, measured])
@pytest.mark.parametrize("step", [0.5, 0.07])
def test_fixed_steps_are_divided(eq, kind, step):
    """And go on where they would have been: as many rows at multiples of the step as without a pulse."""
    law, impulse = kind(eq, *pulse(7))
    sim = sb.simulate(eq, END, inputs={"F": law}, method="rk4", step=step)
    assert 2.0 * sim.final["x_dot"] == pytest.approx(impulse, rel=1e-9)
    grid = np.append(np.arange(0.0, END, step), END)
    assert np.abs(sim.t[:, None] - grid).min(axis=0).max() < 1e-9


@pytest.mark.parametrize("backwards", [False, True])
def test_parameters_of_a_law(eq, backwards):
    """Switching times follow the parameters of each motion, forwards and backwards."""
    t0, w = sb.symbols("t0 w")
    law = sb.where(eq.t - t0 < 0, 0, sb.where(eq.t - t0 < w, 1 / w, 0))
    for seed in range(5):
        begin, width, _ = pulse(seed)
        span = (END, 0.0) if backwards else END
        sim = sb.simulate(eq, span, inputs={"F": law}, t0=begin, w=width)
        assert 2.0 * sim.final["x_dot"] == pytest.approx(-1.0 if backwards else 1.0, rel=1e-9)


@pytest.mark.parametrize("kind", [*KINDS, "by parameters", "by member"])
def test_members_of_a_batch(eq, kind):
    """In machine code, each with its own."""
    pulses = [pulse(seed) for seed in range(6)]
    times = np.linspace(0, END, 5)
    if kind == "by parameters":
        t0, w, a = sb.symbols("t0 w a")
        law = sb.where(eq.t < t0, 0, sb.where(eq.t < t0 + w, a, 0))
        columns = dict(zip(("t0", "w", "a"), np.array(pulses).T, strict=True))
        batch, impulses = sb.simulate_batch(eq, times, inputs={"F": law}, **columns), [w * a for _, w, a in pulses]
    elif kind == "by member":
        t = np.linspace(0, END, 2001)
        rows = np.array([np.where((t >= p[0]) & (t < p[0] + p[1]), p[2], 0.0) for p in pulses])
        batch = sb.simulate_batch(eq, times, inputs={"F": (t, rows, "linear")})
        impulses = np.trapezoid(rows, t)
    else:
        law, impulse = kind(eq, *pulses[0])
        batch, impulses = sb.simulate_batch(eq, times, inputs={"F": law}, x=np.zeros(6)), [impulse] * 6
    assert batch._motions is not None
    assert not batch._motions.others
    assert 2.0 * batch["x_dot"][:, -1] == pytest.approx(impulses, rel=1e-6, abs=1e-7)


@pytest.mark.parametrize("kind", [rectangle, closed_ends, signs, triangle, stairs, measured])
@pytest.mark.parametrize("method", ["rk4", "dp5", "dp8"])
def test_steppers(eq, kind, method):
    law, impulse = kind(eq, *pulse(3))
    env = sb.stepper(sb.closed_loop(eq, {"F": law}), 0.25, method=method)
    state = env.start
    for k in range(40):
        state = env.step(state, t=0.25 * k)
    assert 2.0 * state[1] == pytest.approx(impulse, rel=1e-9)


# ------------------------------------------------------------------------------------------------------ functions of Python


@pytest.mark.parametrize("options", ADAPTIVE, ids=["auto", "dp5", "radau"])
@pytest.mark.parametrize("arguments", ["t", "t, q, u"])
@pytest.mark.parametrize("seed", range(3))
def test_functions_of_python_are_looked_at_inside_steps(eq, options, arguments, seed):
    """What lasts as long as the outcome says is met."""
    if options.get("method") == "radau" and arguments != "t":
        pytest.skip("radau needs derivatives by the state")
    t0, _, a = pulse(seed)
    w = 0.0111
    law = eval(f"lambda {arguments}: a if t0 <= t < t0 + w else 0.0", {"t0": t0, "w": w, "a": a})
    got, sim = transferred(eq, law, seed, **options)
    assert "looked at every 0.011 at least" in sim.outcome.notes[-1]
    assert got == pytest.approx(a * w, rel=1e3 * options.get("rtol", 1e-8))


def test_max_step_looks_closer(eq):
    law = lambda t: 1e4 if 5.0 <= t < 5.0002 else 0.0  # noqa: E731
    got, sim = transferred(eq, law, 0, max_step=1e-3)
    assert "looked at every 0.00011 at least" in sim.outcome.notes[-1]
    assert got == pytest.approx(2.0, rel=1e-5)


# ------------------------------------------------------------------------------------------------- order, and number of steps


def oscillator():
    m = sb.Model("oscillator")
    m.prismatic("x", m.ground, m.body("body", mass=1.0), axis="x", actuation=m.input("F"), stiffness=30.0, damping=0.4)
    return sb.derive(m)


def noise(kind, rate=50):
    """White noise, whose exact motion is that of each piece."""
    t = np.linspace(0, 4, 4 * rate + 1)
    return (t, np.random.default_rng(5).normal(size=len(t)), kind)


@pytest.mark.parametrize("kind", ["linear", "cubic", "held"])
@pytest.mark.parametrize(
    "options", [{"method": "dp8"}, {"method": "dp5"}, {"method": "radau"}], ids=["dp8", "dp5", "radau"]
)
def test_bends_cost_no_order(kind, options):
    """The error follows the tolerance down to 1e-10 though there is a bend at every sample."""
    eq, law = oscillator(), noise(kind)
    exact = sb.simulate(eq, 4.0, inputs={"F": law}, method="dp8", rtol=1e-13, atol=1e-15).final
    for rtol in (1e-6, 1e-8, 1e-10):
        sim = sb.simulate(eq, 4.0, inputs={"F": law}, rtol=rtol, **options)
        assert sim.final["x"] == pytest.approx(exact["x"], abs=30 * rtol)
        assert sim.final["x_dot"] == pytest.approx(exact["x_dot"], abs=30 * rtol)
        assert sim.statistics.rejected <= 0.15 * sim.statistics.steps


def test_smooth_samples_do_not_end_steps():
    """10^5 samples of a slow wave bend by less than the tolerance: as many steps as for the wave itself."""
    eq = oscillator()
    t = np.linspace(0, 10, 100_001)
    wave = sb.simulate(eq, 10.0, inputs={"F": sb.sin(eq.t)})
    for kind in ("linear", "cubic"):
        sim = sb.simulate(eq, 10.0, inputs={"F": (t, np.sin(t), kind)})
        assert sim.final["x"] == pytest.approx(wave.final["x"], abs=1e-8)
        assert sim.statistics.steps <= 1.3 * wave.statistics.steps + 5


def test_fine_samples_of_something_narrow_are_not_passed_over(eq):
    """A bump whose samples bend by less than the tolerance."""
    t = np.linspace(0, 10, 200_001)
    bump = np.exp(-(((t - 6.3) / 0.02) ** 2))
    for kind in ("linear", "cubic"):
        got, sim = transferred(eq, (t, bump, kind), 0, rtol=1e-5, atol=1e-9)
        assert got == pytest.approx(0.02 * np.sqrt(np.pi), rel=1e-3)
        assert sim.statistics.steps < 100


def test_waves_are_left_alone(eq):
    """Polynomials and waves end no steps, and nothing does in equations without time."""
    laws = (sb.sin(3 * eq.t) * eq.t**2, eq.t**3 / 2 - 1, -3 * eq.q[0])
    for law in laws:
        found = time_functions(sb.closed_loop(eq, {"F": law}))
        assert found.are_none
    assert not time_functions(sb.closed_loop(eq, {"F": sb.where(eq.q[0] < 0, 1, 0)})).conditions


# ------------------------------------------------------------------------------------------------------------ events with it


def test_event_functions_that_jump_with_a_condition(eq):
    """One that is crossed by a jump occurs at that time, in `simulate` and in a batch."""
    F = sb.where(eq.t < 3, -1.0, 2.0)
    driven = sb.closed_loop(eq, {"F": F})
    event = sb.Event("turns", F, "rising", terminal=True)
    sim = sb.simulate(driven, END, events=[event])
    assert sim.outcome.t == pytest.approx(3.0, abs=1e-14)
    batch = sb.simulate_batch(driven, np.linspace(0, END, 3), x=np.zeros(2), events=[event])
    assert batch._motions is not None
    assert [o.t for o in batch.outcomes] == pytest.approx([3.0, 3.0], abs=1e-14)


def test_algebraic_variables_jump_too(eq):
    """A force that jumps: accelerations are variables of implicit equations."""
    law, impulse = rectangle(eq, *pulse(1))
    sim = sb.simulate(eq, END, inputs={"F": law}, form="implicit", method="radau")
    assert sim.outcome
    assert 2.0 * sim.final["x_dot"] == pytest.approx(impulse, rel=1e-6)


# ------------------------------------------------------------------------------------------------- steps that are not divided


def test_steps_that_are_not_divided_say_so(eq):
    """Those of symmetric compositions of the variational integrator, whose parts lie outside of a step."""
    driven = sb.closed_loop(eq, {"F": rectangle(eq, 5.0, 0.001, 1.0)[0]})
    found = sb.simulate(driven, 0.1, method="variational", step=0.01, order=4)
    assert "parts of steps of order 4 are not divided" in found.outcome.notes[-1]
    assert sb.simulate(driven, 0.1, method="variational", step=0.01).outcome.notes == ()
