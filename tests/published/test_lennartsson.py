"""Lennartsson's thesis: swinging legs, sleigh on a turntable, Foucault pendulum, string with particles, chain of
rods."""

import math

import numpy as np
import pytest
from scipy.linalg import eigh, ldl

import symbody as sb
from examples import foucault_pendulum, sleigh, spherical_chain, string_with_particles, swinging_legs
from symbody.derivation.equations.energies import constraint_power
from symbody.derivation.forms.transform import diagonalized

from ..amount import dear
from .numbers import at, potential_energy, published, state_of, trajectory


def random_state(equations: sb.Equations, seed: int) -> dict[str, float]:
    draw = np.random.default_rng(seed)
    symbols = (*equations.q, *equations.u, *(u.dot for u in equations.u), *equations.p, equations.t)
    return {s.name: draw.uniform(0.3, 1.7) for s in symbols}


# ------------------------------------------------------------------------------------------------ swinging legs


@pytest.mark.parametrize("seed", range(3))
def test_equations_of_the_swinging_legs(seed):
    equations = sb.derive(swinging_legs.model())
    state = random_state(equations, seed)
    m1, m2, m3, I2, I3, L, k, g = (state[s] for s in "m1 m2 m3 I2 I3 L k g".split())
    q1, q2, q3, u2, u3 = (state[s] for s in "q1 q2 q3 q2_dot q3_dot".split())
    a, b = m2 * L * math.cos(q2), m3 * L * math.cos(q3)
    M = [[m1 + m2 + m3, a, b], [a, m2 * L**2 + I2, 0], [b, 0, m3 * L**2 + I3]]
    f = [
        m2 * L * math.sin(q2) * u2**2 + m3 * L * math.sin(q3) * u3**2 - k * q1,
        -m2 * g * L * math.sin(q2),
        -m3 * g * L * math.sin(q3),
    ]
    assert at(equations, equations.M, state) == pytest.approx(np.array(M), abs=1e-13)
    assert at(equations, equations.f, state) == pytest.approx(f, abs=1e-12)


def test_factors_of_the_legs_mass_matrix():
    equations = sb.derive(swinging_legs.model())
    (value,) = (v for k, v in published("legs_mass").items() if k.startswith("numeric"))
    lower, diagonal, _ = ldl(at(equations, equations.M, {"q2": 0.3, "q3": -0.5}))
    assert np.diag(diagonal) == pytest.approx(value["D"], abs=5e-9)
    assert [lower[1, 0], lower[2, 0], lower[2, 1]] == pytest.approx([value[w] for w in ("W12", "W13", "W23")], abs=5e-9)


def test_speeds_in_which_the_legs_mass_matrix_is_diagonal():
    equations = diagonalized(sb.derive(swinging_legs.model()))
    (value,) = (v for k, v in published("legs_mass").items() if k.startswith("numeric"))
    M = at(equations, equations.M, {"q2": 0.3, "q3": -0.5})
    assert M == pytest.approx(np.diag(value["D"]), abs=5e-9)


# ------------------------------------------------------------------------------------------------ sleigh


@pytest.fixture(scope="module")
def on_table() -> sb.Equations:
    return sb.derive(sleigh.model())


def on_the_runner(state: dict[str, float]) -> dict[str, float]:
    """The same with q3' such that the runner does not slip (eq. 4.45)."""
    c, s = math.cos(state["q3"]), math.sin(state["q3"])
    return state | {"q3_dot": (state["q1_dot"] * s - state["q2_dot"] * c) / state.get("L_C1", 1.0)}


def energy(equations: sb.Equations) -> tuple[sb.Expr, sb.Expr]:
    """T (in the ground, so with the motion of the table) and V."""
    body = equations.mechanism.body("sleigh")
    v, w = body.mass_centre.velocity(), body.frame.angular_velocity_components
    T = (body.mass.m * v.dot(v) + w.dot(body.mass.I_BBcm @ w)) / 2
    return T, equations.mechanism.load("spring").potential


@pytest.mark.parametrize("seed", range(3))
def test_closed_forms_of_the_sleigh(on_table, seed):
    """Equations 4.44, 4.48 and 4.49 (with its sign put right), for Ω = L_C1 = m = 1."""
    state = on_the_runner(random_state(on_table, seed) | {"Omega": 1.0, "L_C1": 1.0, "m": 1.0})
    q1, q2, u1, u2, I, k, L = (state[s] for s in "q1 q2 q1_dot q2_dot I3 kappa L_C3".split())
    c, s = math.cos(state["q3"]), math.sin(state["q3"])
    u1dot = (
        (u1**2 * c**3 + u2**2 * c - u1**2 * c - u2**2 * c**3 + 2 * s * u1 * c**2 * u2 - s * u1 * u2 + q2 * c * s
         - c**2 * k * q1 + c**2 * q1 - 2 * u1 * c * s + 2 * c**2 * u2 - k * q2 * c * s - k * L * c) * I
        + 2 * u2 + q1 * (1 - k) + (q1 - s * c * q2 - c - c**2 * q1) * k * L
    )  # fmt: skip
    u2dot = (
        (c**2 * s * u1**2 - 2 * c**3 * u1 * u2 + c * u1 * u2 - s * c**2 * u2**2 - 2 * u1 + q2 + c * s * q1
         + k * (c**2 * q2 - c * s * q1 - q2 - s * L) + 2 * c**2 * u1 + 2 * u2 * c * s - c**2 * q2) * I
        + q2 - 2 * u1 + k * (-q2 + L * (c**2 * q2 - c * s * q1 - s))
    )  # fmt: skip
    Vdot = k * (q1 + L * (c + c**2 * q1 + s * c * q2 - q1)) * u1 + k * (q2 + L * (s + c * s * q1 - c**2 * q2)) * u2
    assert at(on_table, on_table.udot, state)[:2] * (I + 1) == pytest.approx([u1dot, u2dot], rel=1e-11)
    assert at(on_table, sb.time_derivative(energy(on_table)[1]), state) == pytest.approx(Vdot, rel=1e-11)
    row = [-s, c, 1.0]
    assert at(on_table, on_table.Jc, state)[0] == pytest.approx(row, abs=1e-14)


@pytest.mark.parametrize("seed", range(3))
def test_power_balance_of_the_sleigh(on_table, seed):
    """T' + V' is the power of the runner's force on the moving table, which is all that comes in."""
    state = on_the_runner(random_state(on_table, seed))
    T, V = energy(on_table)
    rates = dict(zip(on_table.u, on_table.udot, strict=True))
    rate = at(on_table, sb.time_derivative(T + V, rates), state)
    power = at(on_table, on_table.multipliers[0] * on_table.outputs["table velocity"], state)
    assert abs(power) > 1e-3
    assert at(on_table, constraint_power(on_table, solved=True), state) == pytest.approx(power, rel=1e-11)
    assert rate == pytest.approx(power, rel=1e-11)


def test_sleigh_slides(on_table):
    value = published("sleigh_acc")
    assert at(on_table, on_table.udot, sleigh.START) == pytest.approx(value["acc0"], abs=1e-8)
    power = on_table.multipliers[0] * on_table.outputs["table velocity"]
    assert at(on_table, power, sleigh.START) == pytest.approx(value["Pc0"], abs=1e-8)
    assert at(on_table, constraint_power(on_table, solved=True), sleigh.START) == pytest.approx(value["Pc0"], abs=1e-8)
    T, V = energy(on_table)
    assert at(on_table, T, sleigh.START) == pytest.approx(value["T0"], rel=1e-12)
    assert at(on_table, V, sleigh.START) == pytest.approx(value["V0"], rel=1e-12)
    for time, row in zip((1, 2, 5, 10), trajectory(on_table, sleigh.START, [1, 2, 5, 10]), strict=True):
        *expected, work = value[f"t{time}"]
        assert row[:5] == pytest.approx(expected, abs=1e-6)
        now = at(on_table, T + V, state_of(on_table, row[:3], row[3:]) | {"t": time})
        assert now - value["T0"] - value["V0"] == pytest.approx(work, abs=1e-6)


# ------------------------------------------------------------------------------------------------ Foucault pendulum


@pytest.mark.parametrize("seed", range(3))
def test_printed_equations_of_the_foucault_pendulum(seed):
    """The implicit equations of 6.7.5, term by term."""
    equations = sb.derive(foucault_pendulum.model())
    state = random_state(equations, seed)
    m, g, L, c, a, w, Omega, lam, t = (state[s] for s in "m g L c a omega Omega lam t".split())
    q1, q2, u1, u2, u1t, u2t = (state[s] for s in "q1 q2 q1_dot q2_dot q1_ddot q2_ddot".split())
    S, C, c1, s1, c2, s2 = math.sin(w * t), math.cos(w * t), math.cos(q1), math.sin(q1), math.cos(q2), math.sin(q2)
    cl, sl = math.cos(lam), math.sin(lam)
    v = math.sqrt(
        (s1 * a * C * w + c2 * u1 * L) ** 2 + (-s2 * a * C * w * c1 - u2 * L) ** 2 + (c2 * c1 * a * C * w) ** 2
    )
    first = c2 * L * (
        -s1 * m * g - c * v * (s1 * a * C * w + c2 * u1 * L) - m * c2 * u1t * L + 2 * m * s2 * u2 * u1 * L
        + m * a * S * w**2 * s1 - 2 * cl * s1 * m * Omega * c2 * u2 * L - sl * c1 * m * Omega**2 * a * S * cl
        + 2 * sl * c1 * m * Omega * c2 * u2 * L + c1 * m * Omega**2 * c2 * s1 * L
        - 2 * c1 * m * Omega**2 * c2 * s1 * L * cl**2 + 2 * sl * c1**2 * m * Omega**2 * c2 * cl * L
        + cl**2 * s1 * m * Omega**2 * a * S - cl * m * Omega**2 * c2 * sl * L
    )  # fmt: skip
    second = -L * (
        s2 * c1 * m * g - c * v * (-s2 * a * C * w * c1 - u2 * L) + m * u2t * L - cl**2 * c1 * m * Omega**2 * a * S * s2
        + 2 * c2**2 * m * Omega * sl * c1 * u1 * L - 2 * c2 * m * Omega * cl * a * C * w + s2 * m * u1**2 * c2 * L
        - 2 * c2**2 * m * Omega * cl * s1 * u1 * L - c2 * m * Omega**2 * cl**2 * s2 * L
        - c2 * m * Omega**2 * c1**2 * s2 * L + 2 * c2 * m * Omega**2 * c1**2 * s2 * L * cl**2
        + 2 * s2 * sl * s1 * m * Omega**2 * c2 * cl * c1 * L - sl * s1 * m * Omega**2 * a * S * cl * s2
        - m * a * S * w**2 * c1 * s2
    )  # fmt: skip
    assert at(equations, equations.residual(), state) == pytest.approx([-first, -second], rel=1e-12, abs=1e-12)


def test_shaken_pendulum_rises():
    equations = sb.derive(foucault_pendulum.model())
    value = published("foucault_pendulum_sim")
    rows = trajectory(equations, {"q1": 0.5, "q2": 0.8}, [1, 2, 3, 4])
    for time, row in zip("1234", rows, strict=True):
        assert [*row[2:], *row[:2]] == pytest.approx(value[time], abs=1e-6)


@pytest.mark.parametrize("name", ["set1", "set2"])
def test_plane_of_swinging_turns(name):
    parameters = {"set1": (0.01, 1, 10, 10, 0, 0, 1.04, 0.01), "set2": (0.01, 1, 10, 10, 0, 0, 1, 0.001)}[name]
    equations = sb.derive(foucault_pendulum.model())
    numbers = dict(zip("Omega m L g omega a lam c".split(), parameters, strict=True))
    rows = trajectory(equations, {"q1": 0.5} | numbers, [10, 50, 100])
    for time, row in zip(("10", "50", "100"), rows, strict=True):
        expected = published("foucault_pendulum_sim2")[name][time]
        assert [*row[2:], *row[:2]] == pytest.approx(expected, abs=1e-6)


# ------------------------------------------------------------------------------------------------ string with particles


def test_frequencies_of_the_string():
    equations = sb.derive(string_with_particles.model())
    value = published("coupled_pend_freq")
    K, L = 0.586, 0.198
    hanging = {"q1": math.acos((K - L) / (2 * L))}
    assert hanging["q1"] == pytest.approx(value["theta0"], abs=1e-9)
    assert at(equations, equations.f, hanging) == pytest.approx([0, 0, 0], abs=1e-15)
    stiffness = -at(equations, sb.jacobian(equations.f, equations.q), hanging)
    frequencies = np.sqrt(eigh(stiffness, at(equations, equations.M, hanging))[0]) / (2 * math.pi)
    assert sorted(frequencies) == pytest.approx(sorted(value["f"]), abs=1e-9)


def test_string_is_stretched_at_its_singular_angles():
    """Three segments of length L always; two of them in line at two angles."""
    equations = sb.derive(string_with_particles.model())
    L, K = 0.198, 0.586
    ground = equations.mechanism.ground
    A, B = np.zeros(3), np.array([0, K, 0])

    def places(**q: float) -> list[np.ndarray]:
        centres = (equations.mechanism.body(name).mass_centre for name in ("first", "second"))
        return [at(equations, c.position().components(ground), q) for c in centres]

    first, second = places(q1=0.2, q2=0.1, q3=0.3)
    assert [np.linalg.norm(x) for x in (first - A, second - first, B - second)] == pytest.approx([L, L, L], abs=1e-14)
    right, left = published("coupled_pend_singular")
    assert np.linalg.norm(places(q1=right - 1e-9)[0] - B) == pytest.approx(2 * L, abs=1e-8)
    assert np.linalg.norm(places(q1=left)[1] - A) == pytest.approx(2 * L, abs=1e-9)


# ------------------------------------------------------------------------------------------------ chain of rods


@pytest.mark.parametrize(
    ("n", "kind"),
    [
        *((n, kind) for n in (1, 2, 5, 10) for kind in ("relative", "absolute")),
        (30, "relative"),
        pytest.param(30, "absolute", marks=dear),
    ],
)
def test_accelerations_of_the_chain(n, kind):
    """To rounding of the published numbers: the graph is evaluated with 30 digits."""
    equations = sb.derive(spherical_chain.model(n, kind == "absolute"))
    for a in ("0", "0.1"):
        value = published(f"npend_n{n}_a{a}")
        state = state_of(equations, value["q"], value["u"]) | {"t": 0.7, "a": float(a), "omega": 2.0}
        udot = sb.evaluate(equations.udot, equations.values(state), digits=30)
        expected = np.array(value[f"udot_{kind}"])
        assert np.array(udot, dtype=float) == pytest.approx(expected, rel=1e-12, abs=1e-12)
        if n <= 10:
            assert at(equations, equations.udot, state) == pytest.approx(expected, rel=1e-11, abs=1e-11)


@pytest.mark.parametrize("kind", ["relative", "absolute"])
@pytest.mark.parametrize("n", [1, 2, 3])
def test_chain_swings(n, kind):
    equations = sb.derive(spherical_chain.model(n, kind == "absolute"))
    rows = np.array(published("npend_sim")[f"n{n}_{kind}"])
    k = np.arange(1, 2 * n + 1)
    start = state_of(equations, 0.3 * np.sin(k) + 0.1 * np.cos(2 * k), 0.2 * np.cos(1.5 * k) - 0.1 * np.sin(0.7 * k))
    assert trajectory(equations, start, rows[:, 0]) == pytest.approx(rows[:, 1:], abs=1e-8)


def test_energy_of_the_still_chain():
    """Hanging straight down, the potential is that of n mass centres at 1/2, 3/2, ... below the support."""
    equations = sb.derive(spherical_chain.model(4))
    assert potential_energy(equations, {"a": 0.0}) == pytest.approx(-(0.5 + 1.5 + 2.5 + 3.5), rel=1e-15)
