"""A semitrailer that rolls: the flat one where springs are stiff, moments of a steady turn, rollover."""

from __future__ import annotations

import numpy as np
import pytest

import symbody as sb
from symbody.kits import vehicles as vh
from symbody.kits.vehicles.models.semitrailer_model import SEMITRAILER, TRACTOR

D = {**TRACTOR, **SEMITRAILER}


@pytest.mark.parametrize("dual", [False, True])
def test_with_stiff_springs_it_is_the_flat_car_and_trailer(dual: bool) -> None:
    """Eigenvalues of v, r and the hitch, with light axles; dual tyres are two tyres."""
    C = 1.5e5
    stiff = dict.fromkeys(("kfront", "kdrive", "ktrailer", "k5", "kt"), 1e12)
    tyre = vh.LinearTyre(radius=0.5, cornering=C)
    one = sb.derive(vh.semitrailer(tyre, axles=(1, 1, 1), dual=(False, dual, dual), ma=1e-3, Ja=1e-3, **stiff))
    count = 4 if dual else 2
    two = sb.derive(vh.car_and_trailer(
        m=D["m1"], J=D["J1"], a=D["x1"], b=D["wheelbase"] - D["x1"], V=D["V"], mt=D["m2"], Jt=D["J2"], c=D["fifth"] - D["x1"], d=D["x2"],
        e=D["base"], Cf=2 * C, Cr=count * C, Ct=count * C,
    ))  # fmt: skip
    ours, theirs = (sb.linearize(eq, sb.steady(eq)).eigenvalues() for eq in (one, two))
    assert len(theirs) == 4
    assert all(min(abs(ours - s)) < 1e-4 * abs(s) for s in theirs)


def test_loads_carry_the_weight_and_the_moment_of_a_turn() -> None:
    """Σ Fz = W; about the road, Σ Fz y = -Σ m (ay h + g h' sin φ) of all bodies, heights over the roll axes for gravity."""
    eq = sb.derive(vh.semitrailer())
    turn = sb.steady(eq, delta=0.015)
    count, half = {"steered": 1, "driven": 2, "trailer": 3}, D["track"] / 2
    total = moment = 0.0
    for group, n in count.items():
        for j in range(1, n + 1):
            for side, sign in (("l", 1), ("r", -1)):
                places = {"": 0.0} if group == "steered" else {"1": D["dual"] / 2, "2": -D["dual"] / 2}
                for mark, offset in places.items():
                    Fz = float(turn[f"{group}{j}{side}{mark}_Fz"])
                    total += Fz
                    moment += Fz * (sign * half + offset)
    assert total == pytest.approx(9.81 * (D["m1"] + D["m2"] + 6 * D["ma"]), rel=1e-9)
    ay, ay2 = float(turn["ay"]), float(turn["ay2"])
    wanted = sum(
        m * (a * h + 9.81 * (h - hr) * np.sin(float(turn[q])))
        for m, a, h, hr, q in (
            (D["m1"], ay, D["h1"], D["hr1"], "roll1"), (D["m2"], ay2, D["h2"], D["hr2"], "roll2"), (3 * D["ma"], ay, D["radius"], D["radius"], "axle1"),
            (3 * D["ma"], ay2, D["radius"], D["radius"], "axle4"),
        )
    )  # fmt: skip
    assert moment == pytest.approx(-wanted, rel=6e-3)
    assert float(turn["roll2"]) > 0 < float(turn["ltr2"])


def test_rollover_is_told() -> None:
    """A slow increase of the steer angle: the trailer's inner side lifts below the threshold of a rigid vehicle, T/(2 h) g
    with half the tracks of the outer tyres, and the motion ends where the body has turned over."""
    eq = sb.derive(vh.semitrailer())
    sim = sb.simulate(eq, 30, inputs={"delta": vh.ramp_steer(eq.t, 0.01, at=0.0)})
    assert sim.outcome.ending is sb.integrate.Ending.NOT_VALID
    assert "upright" in str(sim.outcome)
    lifted = int(np.argmax(np.abs(sim["ltr2"]) > 0.999))
    rigid = 9.81 * (D["track"] + D["dual"]) / 2 / D["h2"]
    assert 0.5 * rigid < sim["ay2"][lifted] < 0.95 * rigid


def test_wrong_data_are_refused() -> None:
    with pytest.raises(sb.ModelError, match="there is no parameter 'mass'; there are V"):
        vh.semitrailer(mass=3)
    with pytest.raises(sb.ModelError, match="tyre must be a tyre"):
        vh.semitrailer(3)  # type: ignore[arg-type]
    with pytest.raises(sb.ModelError, match="kt = -1 is negative"):
        vh.semitrailer(kt=-1)
