"""Contact of profiled wheels on rails: the published contact benchmark, rigid bodies that do not penetrate, cones in closed form."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import symbody as sb
from symbody.kits import vehicles as vh
from symbody.kits.vehicles.wheels.rail_profiles import s1002
from tests.published.numbers import published


@pytest.fixture(scope="module")
def rigid() -> vh.RailGeometry:
    return vh.rail_geometry("S1002", "UIC60")


def test_contact_points_are_those_of_the_manchester_contact_benchmark(rigid: vh.RailGeometry) -> None:
    for displacement, patch in published("manchester_contact_s1002_uic60").items():
        k = int(np.argmin(np.abs(rigid.y - 1e-3 * float(displacement))))
        assert 1e3 * rigid.left[k] == pytest.approx(patch["near_mm"], abs=0.6)
        assert 1e3 * rigid.right[k] == pytest.approx(patch["far_mm"], abs=0.3)
        assert rigid.angles[k] == pytest.approx([patch["near_rad"], patch["far_rad"]], abs=0.012)
        assert 1e3 * rigid.roll[k] == pytest.approx(patch["roll_mrad"], abs=0.06)


def test_rigid_wheels_do_not_penetrate(rigid: vh.RailGeometry) -> None:
    """dz/dy and dφ/dy leave both contact points no velocity along their normals."""
    slope, turn = np.gradient(rigid.height, rigid.y), np.gradient(rigid.roll, rigid.y)
    smooth = np.all([np.abs(np.abs(rigid.y) - jump) > 6e-4 for jump, _, _ in rigid.jumps], axis=0)
    smooth[[0, -1]] = False  # differences of one side
    assert smooth.sum() > 130
    for side, places, angle in ((1, rigid.left, rigid.angles[:, 0]), (-1, rigid.right, rigid.angles[:, 1])):
        out, down = side * (rigid.half + places), rigid.radii[:, 0 if side == 1 else 1]
        across, up = (
            out * np.cos(rigid.roll) + down * np.sin(rigid.roll),
            out * np.sin(rigid.roll) - down * np.cos(rigid.roll),
        )
        closing = -side * np.sin(angle) * (1 - turn * up) + np.cos(angle) * (slope + turn * across)
        assert np.abs(closing[smooth]).max() < 5e-3


def test_cones_have_the_conicity_of_wickens() -> None:
    """λ (1 + R λ/b)/(1 - r λ/b) of cones λ on heads of radius R (Wickens 2003, 2.3): rolling moves the points."""
    s, cone = np.linspace(-0.04, 0.06, 400), 0.05
    found = vh.rail_geometry(np.column_stack([s, -cone * s]), "UIC60", farthest=5e-3, points=101)
    b = found.half + found.left[len(found.y) // 2]
    expected = cone * (1 + 0.3 * cone / b) / (1 - found.nominal * cone / b)
    for amplitude in (1e-3, 4e-3):
        assert found.conicity(amplitude) == pytest.approx(expected, rel=1e-3)
    assert found.jumps == ()


def test_two_points_at_once_are_told(rigid: vh.RailGeometry) -> None:
    """On the wheel whose flange comes near: tread to throat, throat to flange; both points have no gap there."""
    tread, flange = rigid.jumps[-2:]
    assert tread[1] - tread[2] > 0.008
    assert -0.035 < flange[1] < -0.03
    assert flange[2] == pytest.approx(-0.0388, abs=3e-4)
    profile = s1002()
    rise = np.interp([flange[2]], *profile.T) - np.interp([flange[1]], *profile.T)
    assert rise[0] > 5e-3
    assert vh.rail_geometry(softness=2e-5).jumps == ()


def test_a_profiled_car_hunts_between_its_flanges() -> None:
    """Small motions are those of cones with half of dΔr/dy at y = 0, and of a spring 2 N d²z/dy²; above the critical speed the
    flanges bound the motion."""
    found = vh.rail_geometry(softness=2e-5, points=101)
    radius, slope = found.tables
    y = sb.symbol("y")
    cone, spring = (float(sb.evaluate(sb.derivative(f(y), y), {y: 0.0})) for f in (radius, slope))
    flat: dict[str, Any] = {"f11": 1e7, "f22": 1e7, "ky": 1e6, "kpsi": 2e6}
    profiled = sb.derive(vh.wheelset(profiles=found, load=6e4, **flat))
    lin = sb.linearize(profiled, {"y": 0.0, "psi": 0.0, "y_dot": 0.0, "psi_dot": 0.0})
    coned = sb.linearize(sb.derive(vh.wheelset(cone=cone, **{**flat, "ky": 1e6 + 2 * 6e4 * spring})), {})
    for V in (20.0, 60.0):
        assert np.sort_complex(lin.eigenvalues(V=V)) == pytest.approx(np.sort_complex(coned.eigenvalues(V=V)), rel=1e-6)
    fast = 1.2 * lin.root_locus(V=(5, 300)).critical[-1].value
    sim = sb.simulate(profiled, np.linspace(0, 2, 801), y=4e-3, V=fast)
    assert sim.outcome
    assert 5.5e-3 < np.abs(sim["y"][-200:]).max() < 8e-3


def test_wrong_profiles_are_refused_by_name() -> None:
    for options, name in (
        ({"wheel": "S1003"}, "S1002"), ({"rail": [[0, 0], [1, 1]]}, "rail"), ({"gauge": -1.435}, "gauge"), ({"softness": -1.0}, "softness"),
        ({"farthest": 0.2}, "farthest"),
    ):  # fmt: skip
        with pytest.raises(sb.ModelError, match=name):
            vh.rail_geometry(**options)
    wrong: Any = "S1002"
    with pytest.raises(sb.ModelError, match="rail_geometry"):
        vh.rail_car(profiles=wrong)
