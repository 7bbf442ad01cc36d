"""Extremes along motions are those of the motion, not of its steps."""

from __future__ import annotations

import numpy as np
import pytest

import symbody as sb


def oscillator() -> sb.Equations:
    x, v, k, c = sb.symbols("x v k c")
    return sb.from_equations({x: v, v: -k * x - c * v}, {k: 1.0, c: 0.0})


@pytest.mark.parametrize("method", ["dp5", "dp8", "radau"])
@pytest.mark.parametrize("c", [0.0, 0.1])
def test_amplitudes(method: str, c: float) -> None:
    """x = e^(-c t / 2) sin(ω t) / ω: extremes where tan(ω t) = 2 ω / c, to the tolerance of the motion."""
    w = np.sqrt(1 - c**2 / 4)
    sim = sb.simulate(oscillator(), 40.0, v=1.0, c=c, method=method, rtol=1e-9, atol=1e-9)
    found = sim.extremes("x")
    times = (np.arctan2(w, c / 2) + np.pi * np.arange(13)) / w
    times = times[times < 40]
    exact = np.exp(-c * times / 2) * np.sin(w * times) / w
    assert found.t[1:-1] == pytest.approx(times, abs=1e-4)
    assert found.values[1:-1] == pytest.approx(exact, abs=3e-7)
    assert list(found.is_max[1:-1]) == [k % 2 == 0 for k in range(len(times))]
    assert sim.max("x") == pytest.approx(exact.max(), abs=3e-7)
    assert sim["x"].max() < exact.max() - 1e-7  # what an array of steps says


def test_expressions_and_vectors() -> None:
    eq = oscillator()
    x, v = eq.z
    sim = sb.simulate(eq, 10.0, v=1.0)
    assert sim.max(x * v) == pytest.approx(0.5, abs=1e-7)
    assert sim.min(x + v) == pytest.approx(-np.sqrt(2), abs=1e-7)
    with pytest.raises(sb.errors.SimulationError, match="one number at each time"):
        sim.max(sb.vector(x, v))
    with pytest.raises(sb.errors.SimulationError, match="there is no quantity 'y'"):
        sim.max("y")


def test_jumps_and_backward_motions() -> None:
    y, v = sb.symbols("y v", "variable")
    eq = sb.from_equations({y: v, v: -10.0})
    floor = sb.Event("floor", y, "falling", reset={v: -v / 2})
    found = sb.simulate(eq, 1.5, y=5.0, events=[floor]).extremes("y")
    assert found.t == pytest.approx([0, 1, 1.5], abs=1e-9)
    assert found.values == pytest.approx([5, 0, 1.25], abs=1e-8)
    speeds = sb.simulate(eq, 1.5, y=5.0, events=[floor]).extremes("v")
    assert (speeds.min, speeds.max) == pytest.approx((-10, 5), abs=1e-8)
    back = sb.simulate(eq, (0, -1), y=1.0, v=-3.0).extremes("y")
    assert back.t == pytest.approx([0, -0.3, -1])
    assert back.values == pytest.approx([1, 1.45, -1])


def test_times_alone_do_not_say() -> None:
    sim = sb.simulate(oscillator(), [0.0, 1.0, 2.0], v=1.0)
    with pytest.raises(sb.errors.SimulationError, match="between the times of this trajectory are not known"):
        sim.max("x")


def test_members_of_studies() -> None:
    """The amplitude of each member is 1/sqrt(k), whatever its steps are."""
    k = np.array([1.0, 4.0, 9.0])
    for t in (10.0, (0.0, 10.0), np.linspace(0, 10, 4)):
        found = sb.sweep(oscillator(), {"k": k}, sb.study.extremes(t, "x", start={"v": 1.0}))
        assert found["x_max"] == pytest.approx(k**-0.5, abs=1e-7)
        assert found["x_min"] == pytest.approx(-(k**-0.5), abs=1e-7)
