"""Models in other sizes: closed forms of scaled points, masses, inertias and muscles, and factors from markers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import symbody as sb
from symbody.kits import biomechanics as bio

from .planar_leg import BODIES, MUSCLES, leg_text

POSE = {
    "pelvis_tilt": 0.1,
    "pelvis_tx": 0.0,
    "pelvis_ty": 0.0,
    "hip_flexion": 0.4,
    "knee_angle": -0.7,
    "ankle_angle": 0.2,
}
SIZES: dict[str, Any] = {"thigh": (0.9, 1.1, 1.2), "shank": 1.05, "foot": (1.2, 1.0, 0.8)}


def places(m: sb.formats.OsimModel) -> dict[str, np.ndarray]:
    at = {m.symbols[n]: x for n, x in POSE.items()}
    return {n: np.array(sb.evaluate(list(p.in_ground.entries), at), dtype=float) for n, p in m.markers.items()}


def test_everything_twice_as_large() -> None:
    small = sb.read_osim(leg_text())
    large = sb.read_osim(sb.formats.scale_osim(leg_text(), {b: 2.0 for b, *_ in BODIES}))
    for n, p in places(small).items():
        assert places(large)[n] == pytest.approx(2 * p, abs=1e-14)
    for n, given in small.muscles.items():
        l, L = (
            float(sb.evaluate(m.paths[n].length, {m.symbols[q]: x for q, x in POSE.items()})) for m in (small, large)
        )
        assert pytest.approx(2 * l, rel=1e-14) == L
        assert large.muscles[n].optimal_length == pytest.approx(2 * given.optimal_length, rel=1e-14)
        assert large.muscles[n].slack_length == pytest.approx(2 * given.slack_length, rel=1e-14)
    for n, mass, _, inertia in BODIES:
        body = large.bodies[n]
        assert float(sb.evaluate(body.mass.m)) == mass
        wanted = 4 * np.array(inertia.split(), dtype=float)[:3]
        assert np.diag(np.array(sb.evaluate(body.mass.I_BBcm), dtype=float).reshape(3, 3)) == pytest.approx(wanted)


def test_three_factors_and_a_mass() -> None:
    """Places on a body by its own factors, the mass of all, and the cylinder that stands for a segment."""
    m = sb.read_osim(sb.formats.scale_osim(leg_text(), SIZES, mass=52.4))
    assert sum(float(sb.evaluate(b.mass.m)) for b in m.bodies.values()) == pytest.approx(52.4, rel=1e-14)
    thigh = m.bodies["thigh"]
    assert float(sb.evaluate(thigh.mass.m)) == pytest.approx(18.6)  # 26.2 kg before
    assert np.array(sb.evaluate(list(thigh.mass.p_BoBcm.entries)), dtype=float) == pytest.approx([0, -0.187, 0])
    radius2, length2 = 2 * 0.035 / 9.3, 12 * (0.13 / 9.3 - 0.035 / 9.3 / 2)
    radius2, length2 = radius2 * 0.9 * 1.2, length2 * 1.1**2
    wanted = [18.6 * (length2 / 12 + radius2 / 4), 18.6 * radius2 / 2, 18.6 * (length2 / 12 + radius2 / 4)]
    assert np.diag(np.array(sb.evaluate(thigh.mass.I_BBcm), dtype=float).reshape(3, 3)) == pytest.approx(wanted)
    by_volume = sb.read_osim(sb.formats.scale_osim(leg_text(), SIZES, mass=52.4, keep_distribution=False))
    shares = {n: mass * float(np.prod(np.broadcast_to(SIZES.get(n, 1.0), 3))) for n, mass, *_ in BODIES}
    for n, x in shares.items():
        assert float(sb.evaluate(by_volume.bodies[n].mass.m)) == pytest.approx(52.4 * x / sum(shares.values()))
    assert m.muscles["soleus"].max_force == MUSCLES[4][2]


def test_factors_from_markers_of_a_static_trial() -> None:
    subject = bio.Subject(sb.read_osim(leg_text()))
    large = sb.read_osim(sb.formats.scale_osim(leg_text(), {"thigh": 1.1, "foot": (1.2, 1.2, 1.2)}))
    found = places(large)
    names = [f"{n}_{k}" for n in found for k in "xyz"]
    static = sb.formats.MotionTable(
        "static", np.array([0.0, 0.1]), names, np.tile(np.concatenate(list(found.values())), (2, 1))
    )
    pairs = {"thigh": [("THIGH", "KNEE")], "foot": {"x": [("HEEL", "TOE")], "y": [("HEEL", "TOE")]}}
    factors = subject.scale_factors(static, pairs)
    assert factors["thigh"] == pytest.approx((1.1, 1.1, 1.1), rel=1e-13)
    assert factors["foot"] == pytest.approx((1.2, 1.2, 1.0), rel=1e-13)
    for wrong, words in (
        ({"thig": []}, "no body 'thig'"),
        ({"thigh": [("THIGH", "KNE")]}, "no marker 'KNE'"),
        ({"thigh": [("THIGH",)]}, "needs pairs of markers"),
        ({"thigh": {"w": []}}, "no axis 'w'"),
        ({"thigh": []}, "no pair of markers"),
    ):
        with pytest.raises(sb.ModelError, match=words):
            subject.scale_factors(static, wrong)


def test_factors_that_are_refused() -> None:
    for wrong, words in (
        ({"tigh": 1.0}, "no body 'tigh'.*Did you mean 'thigh'"),
        ({"thigh": -1.0}, "factors of body 'thigh' must be one or three positive numbers, got -1"),
        ({"thigh": (1.0, 2.0)}, "one or three positive numbers"),
    ):
        with pytest.raises(sb.ModelError, match=words):
            sb.formats.scale_osim(leg_text(), wrong)
    with pytest.raises(sb.ModelError, match="mass= must be positive, got -3"):
        sb.formats.scale_osim(leg_text(), {}, mass=-3)
