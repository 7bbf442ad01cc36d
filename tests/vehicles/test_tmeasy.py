"""TMeasy: its points, a second transcription, joints, symmetries, slopes; and a car on it."""

from __future__ import annotations

from math import atan
from typing import Any

import numpy as np
import pytest

import symbody as sb
from symbody.kits import vehicles as vh

from . import tmeasy_in_numpy

# a passenger car's tyre of 70 % as multiples of its nominal load, after the tyre of Pacejka's book (Project Chrono 9)
N = 3000.0
PASSENGER: dict[str, Any] = {
    "dFx0": (18.3741 * N, 19.4669 * 2 * N), "FxM": (1.1292 * N, 1.0896 * 2 * N), "FxS": (0.80149 * N, 0.76917 * 2 * N),
    "sxM": (0.13913, 0.13913), "sxS": (0.66667, 0.66667),
    "dFy0": (15.9826 * N, 12.8509 * 2 * N), "FyM": (1.0009 * N, 0.91367 * 2 * N), "FyS": (0.8336 * N, 0.77336 * 2 * N),
    "syM": (0.14852, 0.18504), "syS": (0.96524, 1.0714),
    "n0": (0.178, 0.19), "sy0": (0.16337, 0.20355), "syE": (0.96524, 1.0714),
    "radius": 0.3266, "nominal": N, "stiffness": 2.1e5, "damping": 500.0, "carcass": (3e5, 1.5e5), "width": 0.245, "rolling": 0.015,
}  # fmt: skip
DEFAULTS = {"friction": 1.0, "camber": 1.0, "largest": 3.5}
# sliding begins so early that both parabolas do not fit: a cubic takes their place
STEEP = {**PASSENGER, "syS": (0.19, 0.23), "syE": (0.5, 0.6), "sxS": (0.18, 0.18)}
SLIP = sb.symbols("k a g")


def tyre(**changed: Any) -> vh.TMeasy:
    return vh.TMeasy(**{**PASSENGER, **changed})


def numbers(f: vh.TyreForces) -> np.ndarray:
    return np.array([float(sb.evaluate(x + sb.fraction(0, 1))) for x in (f.Fx, f.Fy, f.Mx, f.My, f.Mz)])


@pytest.mark.parametrize("times", [1, 2])
def test_curves_go_through_the_points_that_were_given(times: int) -> None:
    """At the nominal load and at twice that: FM at sM with no slope, FS from sS on, dF0 at zero; with and against the slip."""
    t, i = tyre(), times - 1
    f = t.forces(vh.Slip(times * N, *SLIP))

    def at(e: sb.Expr, kappa: float, a: float) -> float:
        return float(sb.evaluate(e, {SLIP[0]: kappa, SLIP[1]: a, SLIP[2]: 0.0}))

    sM, sS = PASSENGER["syM"][i], PASSENGER["syS"][i]
    assert at(f.Fy, 0, sM) == pytest.approx(-PASSENGER["FyM"][i], rel=1e-12)
    assert at(sb.derivative(f.Fy, SLIP[1]), 0, sM) == pytest.approx(0, abs=1e-6 * PASSENGER["dFy0"][i])
    assert at(f.Fy, 0, -sS) == pytest.approx(PASSENGER["FyS"][i], rel=1e-12)
    assert at(f.Fy, 0, 20 * sS) == pytest.approx(-PASSENGER["FyS"][i], rel=1e-12)
    assert at(sb.derivative(f.Fy, SLIP[1]), 0, 0) == pytest.approx(-PASSENGER["dFy0"][i], rel=1e-10)
    assert at(sb.derivative(f.Fx, SLIP[0]), 0, 0) == pytest.approx(PASSENGER["dFx0"][i], rel=1e-10)
    sM, sS = PASSENGER["sxM"][i], PASSENGER["sxS"][i]  # of the tread: driven by κ = s/(1 - s), braked by -s/(1 + s)
    assert at(f.Fx, sM / (1 - sM), 0) == pytest.approx(PASSENGER["FxM"][i], rel=1e-12)
    assert at(f.Fx, -sM / (1 + sM), 0) == pytest.approx(-PASSENGER["FxM"][i], rel=1e-12)
    assert at(f.Fx, -1.0, 0) == pytest.approx(-PASSENGER["FxS"][i], rel=1e-12)  # locked
    locked = [
        at(x, -1.0, 0.3) for x in (f.Fx, f.Fy)
    ]  # slides against its velocity, as far as both directions are alike
    assert np.hypot(locked[0], locked[1]) == pytest.approx(PASSENGER["FxS"][i], rel=0.02)
    # aligning: -n Fy, which crosses zero at sy0
    contact = 2 * np.sqrt(0.3266 * times * N / 2.1e5)
    slope = PASSENGER["n0"][i] * contact * PASSENGER["dFy0"][i]
    assert at(sb.derivative(f.Mz, SLIP[1]), 0, 0) == pytest.approx(slope, rel=1e-9)
    assert at(f.Mz, 0, PASSENGER["sy0"][i]) == pytest.approx(0, abs=1e-9 * slope)
    assert at(f.Mz, 0, 0.5) < 0


@pytest.mark.parametrize("data", [PASSENGER, STEEP], ids=["parabolas", "cubic"])
def test_a_second_transcription(data: dict[str, Any]) -> None:
    """Forces and moments beside plain numbers, at random loads (beyond the largest too), slips, cambers, frictions."""
    rng = np.random.default_rng(4)
    for _ in range(60):
        Fz, kappa, alpha, gamma, mu = rng.uniform((300, -0.95, -0.9, -0.3, 0.3), (4 * N, 1.5, 0.9, 0.3, 1.2)).tolist()
        near = rng.choice([0.05, 0.3, 1.0])
        kappa, alpha = kappa * near, alpha * near
        sharp = vh.TMeasy(**{**data, "friction": mu, "smooth": 1e-10})
        ours = numbers(sharp.at(Fz, kappa, alpha, gamma))
        theirs = np.array(tmeasy_in_numpy.forces({**DEFAULTS, **data, "friction": mu}, Fz, kappa, alpha, gamma))
        scale = np.array([Fz, Fz, Fz * 0.245, Fz, 0.1 * Fz])
        assert np.all(abs(ours - theirs)[[0, 1, 3, 4]] <= 1e-11 * scale[[0, 1, 3, 4]])
        assert abs(ours[2] - theirs[2]) <= 1e-6 * scale[2]  # theirs is a sum over strips


@pytest.mark.parametrize("data", [PASSENGER, STEEP], ids=["parabolas", "cubic"])
def test_joints_have_one_slope(data: dict[str, Any]) -> None:
    """Along a ray of combined slip, value and slope are continuous at sM, s* and sS, and the slope is that of differences."""
    t = vh.TMeasy(**data)
    r = sb.symbol("ray")
    for direction in ((1.0, 0.0), (0.0, 1.0), (0.6, 0.8), (-0.3, 0.2)):
        f = t.forces(
            vh.Slip(1.3 * N, direction[0] * r / (1 - direction[0] * r), direction[1] * r / (1 - direction[0] * r))
        )
        size = sb.sqrt(f.Fx**2 + f.Fy**2)
        curve = sb.emit.numpy_function(sb.program("curve", {"r": r}, {"F": size, "slope": sb.derivative(size, r)}))
        at = np.linspace(0.01, 0.9 if direction[0] >= 0 else 3.0, 8001)
        (F, slope), (_, finer) = (np.array(curve(x)) for x in (at, (at[:-1] + at[1:]) / 2))
        assert abs(np.diff(F)).max() <= 1.01 * (at[1] - at[0]) * abs(slope).max()
        both = np.column_stack([slope[:-1], finer]).ravel()
        assert abs(np.diff(both)).max() <= 0.7 * abs(np.diff(slope)).max()  # a jump would not halve


def test_symmetries() -> None:
    """Odd in side slip and camber, in a mirror the same; backwards it is turned by half a turn; in the air there is none."""
    t = tyre()
    state = (4000.0, 0.05, 0.07, 0.02)
    f = numbers(t.at(*state))
    odd = numbers(t.at(state[0], state[1], -state[2], -state[3]))
    assert odd == pytest.approx(f * [1, -1, -1, 1, -1], rel=1e-12)
    assert numbers(t.mirrored().at(*state)) == pytest.approx(f, rel=1e-12)
    assert numbers(t.at(*state, speed=20.0)) == pytest.approx(f, rel=1e-12)
    back = numbers(t.at(4000.0, -0.05, -0.07, -0.02, speed=-20.0))
    assert back == pytest.approx(f * [-1, -1, -1, -1, 1], rel=1e-12)
    assert numbers(t.at(0.0, 0.05, 0.07, 0.02)) == pytest.approx(np.zeros(5), abs=1e-9)
    assert all(
        np.isfinite(numbers(t.at(Fz, k, a))).all() for Fz in (0.0, 1e5) for k in (-1.0, -2.0, 0.0) for a in (0.0, 1.0)
    )


def test_rounding_off_leaves_pure_slips_alone() -> None:
    """Pure slips do not depend on `smooth`; in combined slip the change falls with the square of the slip."""
    sharp, smooth = tyre(smooth=1e-10), tyre(smooth=1e-2)
    for state in ((3500.0, 0.004, 0.0), (3500.0, 0.0, 0.004), (5000.0, 0.2, 0.0)):
        assert numbers(smooth.at(*state)) == pytest.approx(numbers(sharp.at(*state)), rel=1e-9, abs=1e-9)
    changes = [
        np.abs(numbers(smooth.at(3000.0, s, s)) - numbers(sharp.at(3000.0, s, s)))[:2].max() / s
        for s in (0.02, 0.04, 0.08)
    ]
    assert changes[0] > 3 * changes[1] > 9 * changes[2] > 0
    # a slip of rounding errors, in whichever direction, leaves the slopes of a wheel that runs straight
    f = tyre().forces(vh.Slip(N, *SLIP))
    slopes = [sb.derivative(f.Fx, SLIP[0]), sb.derivative(f.Fy, SLIP[1])]
    for noise in ((1e-9, 0.0), (0.0, 1e-9), (-1e-10, 1e-10)):
        found = [float(x) for x in sb.evaluate(slopes, dict(zip(SLIP, (*noise, 0.0), strict=True)))]
        assert found == pytest.approx([PASSENGER["dFx0"][0], -PASSENGER["dFy0"][0]], rel=1e-6)


def test_camber_pushes_where_the_wheel_leans() -> None:
    """A third of the side force of the slip L γ/(2 R), to the right where it leans to the right; the load moves there too."""
    contact, gamma = 2 * np.sqrt(0.3266 * N / 2.1e5), 1e-4
    f = numbers(tyre().at(N, camber=gamma))
    assert f[1] == pytest.approx(-PASSENGER["dFy0"][0] * contact / 2 * gamma / 0.3266 / 3, rel=1e-6)
    assert f[2] == pytest.approx(-2.1e5 * 0.245**2 / 12 * gamma, rel=1e-6)
    assert f[4] == 0


def test_relaxation_is_slope_by_carcass_stiffness() -> None:
    lengths = [float(x) for x in tyre().relaxation_lengths(vh.Slip(N))]
    assert lengths == pytest.approx([PASSENGER["dFx0"][0] / 3e5, PASSENGER["dFy0"][0] / 1.5e5])
    assert tyre(carcass=(0, 0)).relaxation_lengths(vh.Slip(N)) == (0, 0)


def test_data_that_make_no_curve_are_refused() -> None:
    for changed, said in (
        ({"dFx0": (4e4, 1.1e5)}, r"dFx0 = 40000.0 is below 2 FM/sM = 48697: .* sxM= from 0.1694 on"),
        ({"syS": (0.14, 0.15)}, "before the largest force"),
        ({"FyS": (3100.0, 5600.0)}, "the force of sliding FyS is 1.0"),
        ({"syM": (0.1, 0.3)}, "syM=.* is not positive at 0 times"),
        ({"FyM": 3000.0}, "FyM= must be a pair"),
        ({"dFy0": (5.4e4, 5.5e4)}, "dFy0=.* is not positive at .* largest= below"),
    ):
        with pytest.raises(sb.ModelError, match=said):
            tyre(**changed)


def test_a_car_on_it_steers_by_its_slopes() -> None:
    """The understeer gradient of a single track is that of the slopes at the loads of its axles, and steady turns go up to
    the largest force."""
    pair = vh.TyrePair(tyre(carcass=(0, 0), n0=(0, 0)))
    eq = sb.derive(vh.single_track(pair, pair, a=1.1))
    lin = sb.linearize(eq, sb.steady(eq))
    half = 1500.0 * 9.81 / 2
    loads = np.array([half * 1.5, half * 1.1]) / 2.6
    Cf, Cr = (2 * tmeasy_in_numpy.forces({**DEFAULTS, **PASSENGER}, Fz, 0.0, -1e-9, 0.0)[1] / 1e-9 for Fz in loads)
    K = vh.understeer(lin, wheelbase=2.6).gradient
    assert float(sb.evaluate(K, eq.values())) == pytest.approx(1500 / 2.6 * (1.5 / Cf - 1.1 / Cr), rel=1e-6)
    diagram = vh.handling_diagram(eq, (0.0, 9.7), speed=25.0, wheelbase=2.6)
    slips = [0.14852 * (2 - Fz / N) + 0.18504 * (Fz / N - 1) for Fz in loads]
    data = {**DEFAULTS, **PASSENGER}
    share = [tmeasy_in_numpy.forces(data, Fz, 0.0, -atan(s), 0.0)[1] / Fz for Fz, s in zip(loads, slips, strict=True)]
    assert share[0] < share[1]  # the front slides first; its force is turned by the steer angle
    steer = diagram.steer[np.argmax(diagram.ay)]
    assert diagram.largest == pytest.approx(9.81 * share[0] * np.cos(steer), rel=5e-4)
