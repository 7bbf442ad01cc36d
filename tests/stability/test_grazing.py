"""The square root in the return map of an orbit that grazes a stop, against closed forms and simulated maps."""

import numpy as np
import pytest
from scipy.linalg import expm

import symbody as sb

W, D, E, S = 2.8, 0.1, 0.8, 0.2  # frequency of the drive, damping ratio, restitution, place of the stop


def oscillator(cubic=0.0):
    x, v, w, P = sb.symbol("x", "variable"), sb.symbol("v", "variable"), sb.symbol("w"), sb.symbol("P")
    rates = {x: v, v: -x - 2 * D * v - cubic * x**3 + P * sb.cos(w * sb.symbol("t", "time"))}
    eq = sb.from_equations(rates, {w: W, P: 1.0}, name="impact oscillator")
    return eq, sb.Event("stop", S - x, "falling", reset={v: -E * v}), w


def found_grazing(cubic=0.0):
    eq, stop, w = oscillator(cubic)
    return eq, stop, sb.stability.grazing(sb.orbit(eq, {"x": 0.1}, period=2 * np.pi / w), stop, vary="P")


def test_linear_oscillator_in_closed_form():
    """x = A cos(wt - φ): it touches where the amplitude A is that of the stop, with H'' = A w²; N₁, N₂ are matrix exponentials."""
    _, _, found = found_grazing()
    assert found.orbit.parameters["P"] == pytest.approx(S * np.hypot(1 - W**2, 2 * D * W), rel=1e-9)
    assert found.acceleration == pytest.approx(S * W**2, rel=1e-8)
    phase = np.arctan2(2 * D * W, 1 - W**2)
    T, free = 2 * np.pi / W, np.array([[0, 1], [-1, -2 * D]])
    assert found.t == pytest.approx((phase % (2 * np.pi)) / W, abs=1e-6)
    N1, N2 = expm(free * found.t), expm(free * (T - found.t))
    assert found.N == pytest.approx(expm(free * T), abs=1e-8)
    assert found.b == pytest.approx(-np.sqrt(2 * S * W**2) * (1 + E) * N2[:, 1], abs=1e-6)
    assert found.c == pytest.approx(-N1[0], abs=1e-6)


@pytest.mark.parametrize("cubic", [0.0, 5.0])
def test_simulated_maps_have_the_square_root(cubic):
    """P(x* + δ) - x* - N δ over √(-c δ) goes to b, linearly in the depth of √."""
    eq, stop, found = found_grazing(cubic)
    start = found.orbit.state_at(0.0)
    here = np.array([start[n] for n in found.states])
    into = -found.c / np.linalg.norm(found.c)  # towards the stop
    errors = []
    for size in (1e-4, 1e-6, 1e-8):
        given = dict(zip(found.states, here + size * into, strict=True)) | found.orbit.parameters
        sim = sb.simulate(eq, found.orbit.period, given, events=[stop], rtol=1e-12, atol=1e-14)
        assert [e.name for e in sim.events] == ["stop"]
        end = np.array([sim.final[n] for n in found.states])
        root = np.sqrt(-found.c @ (size * into))
        errors.append(np.abs((end - here - found.N @ (size * into)) / root - found.b).max() / np.abs(found.b).max())
        assert np.abs(end - here - found.map(size * into)).max() <= 1.01 * errors[-1] * root * np.abs(found.b).max()
    assert errors[0] < 0.2
    assert errors[1] < 0.12 * errors[0]  # an order in √(depth): a tenth
    assert errors[2] < 3e-3
    away = sb.simulate(
        eq,
        found.orbit.period,
        dict(zip(found.states, here - 1e-4 * into, strict=True)) | found.orbit.parameters,
        events=[stop],
        rtol=1e-12,
    )
    assert not away.events
    assert [away.final[n] for n in found.states] == pytest.approx(here + found.map(-1e-4 * into), abs=1e-7)


def test_the_sequence_is_that_of_the_map():
    _, _, found = found_grazing()
    deep = [found.c @ np.linalg.matrix_power(found.N, k) @ found.b for k in range(5)]
    assert found.sequence(5) == pytest.approx(deep)
    assert "touches: stop at t" in repr(found)


def test_refusals():
    eq, stop, w = oscillator()
    free = sb.orbit(eq, {"x": 0.1}, period=2 * np.pi / w)
    with pytest.raises(sb.errors.StabilityError, match=r"does not touch: the least value of 0.2 - x along it is 0\.05"):
        sb.stability.grazing(free, stop)
    with pytest.raises(sb.errors.StabilityError, match="no parameter 'k' to vary; there are w, P"):
        sb.stability.grazing(free, stop, vary="k")
    with pytest.raises(sb.errors.StabilityError, match="has a direction"):
        sb.stability.grazing(free, sb.Event("stop", stop.when), vary="P")
    _, v = eq.state
    hits = sb.orbit(eq, free, events=[stop])
    with pytest.raises(sb.errors.StabilityError, match="found without events"):
        sb.stability.grazing(hits, stop)
    with pytest.raises(sb.errors.StabilityError, match="is not an impact"):
        sb.stability.grazing(free, sb.Event("stop", stop.when, "falling", reset={v: 1.0}), vary="P")
