"""Turn slip of the Magic Formula: a second transcription, parking, and a leaning wheel beside one that turns."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import symbody as sb
from symbody.kits import vehicles as vh

from .passenger_tyre import NUMBERS

# Pacejka 2012, appendix 3
TURN = {
    "PDXP1": 0.4, "PKYP1": 1.0, "PDYP1": 0.4, "PHYP1": 1.0, "PHYP2": 0.15, "PHYP4": -4.0, "PECP1": 0.5, "QDTP1": 10.0, "QCRP1": 0.2, "QCRP2": 0.1,
    "QBRP1": 0.1, "QDRP1": 1.0,
}  # fmt: skip
F0, R0 = NUMBERS["FNOMIN"], NUMBERS["UNLOADED_RADIUS"]


@pytest.fixture(scope="module")
def tyre() -> vh.MagicFormula:
    return vh.MagicFormula({**{k: v for k, v in NUMBERS.items() if k != "FITTYP"}, **TURN}, "6.1")


def factors(Fz: float, phi: float) -> dict[str, float]:
    """ζ1, ζ2, ζ3, ζ5, ζ6 at zero slip, SHφ and Mφ of an upright wheel: 4.76 to 4.98."""
    n, dfz = {**NUMBERS, **TURN}, Fz / F0 - 1
    fall = lambda x: float(np.cos(np.arctan(x)))  # noqa: E731
    epsilon = n["PECP1"]
    Kya = n["PKY1"] * F0 * np.sin(n["PKY4"] * np.arctan(Fz / F0 / n["PKY2"])) * fall(n["PKYP1"] * (R0 * phi) ** 2)
    B = Fz * (n["PKY6"] + n["PKY7"] * dfz) / (1 - epsilon) / (n["PHYP1"] * n["PHYP2"] * Kya)
    x = B * R0 * phi
    shift = n["PHYP2"] * np.sin(n["PHYP1"] * np.arctan(x - n["PHYP4"] * (x - np.arctan(x))))
    mu = n["PDY1"] + n["PDY2"] * dfz
    most = n["QCRP1"] * mu * R0 * Fz * np.sqrt(Fz / F0)
    D = most / np.sin(np.pi / 2 * n["QDRP1"])
    slope = Fz * R0 * (n["QDZ8"] + n["QDZ9"] * dfz)
    moment = D * np.sin(n["QDRP1"] * np.arctan(slope / (n["QDRP1"] * D * (1 - epsilon)) * R0 * phi))
    return {
        "along": fall(n["PDXP1"] * R0 * phi), "peak": fall(n["PDYP1"] * R0 * abs(phi)), "Kya": float(Kya), "shift": float(shift),
        "moment": float(moment), "mu": float(mu), "most": float(most),
    }  # fmt: skip


@pytest.mark.parametrize("phi", [-0.5, 0.05, 0.4, 3.0])
@pytest.mark.parametrize("load", [2500.0, 5500.0])
def test_forces_by_a_second_transcription(tyre: vh.MagicFormula, load: float, phi: float) -> None:
    n, z = {**NUMBERS, **TURN}, factors(load, phi)
    dfz = load / F0 - 1
    SH = n["PHY1"] + n["PHY2"] * dfz + z["shift"]
    C, D = n["PCY1"], z["mu"] * load * z["peak"]
    E = (n["PEY1"] + n["PEY2"] * dfz) * (1 - n["PEY3"] * np.sign(SH))
    B = z["Kya"] / (C * D + 1e-6)
    x = B * SH
    Fy0 = (
        D * np.sin(C * np.arctan(x - min(E, 1) * (x - np.arctan(x)))) + load * (n["PVY1"] + n["PVY2"] * dfz) * z["peak"]
    )
    found = tyre.pure(vh.Slip(load, 0, 0, turn=phi))
    assert float(sb.evaluate(found[1], {})) == pytest.approx(Fy0, rel=1e-9)
    straight = float(sb.evaluate(tyre.without_shifts().pure(vh.Slip(load, 0.3, 0))[0], {}))
    turning = float(sb.evaluate(tyre.without_shifts().pure(vh.Slip(load, 0.3, 0, turn=phi))[0], {}))
    assert 0.98 * z["along"] < turning / straight < 1


def test_leaning_and_turning_are_one_spin(tyre: vh.MagicFormula) -> None:
    """Small camber has the camber stiffness Kyγ0, and a path that undoes its spin leaves no side force of it."""
    plain, small = tyre.without_shifts(), 1e-4
    camber_stiffness = F0 * NUMBERS["PKY6"]
    leans = plain.at(load=F0, camber=small, turn=0.0).Fy
    assert leans / small == pytest.approx(camber_stiffness, rel=2e-3)
    undone = -(1 - TURN["PECP1"]) * np.sin(0.1) / R0
    assert abs(plain.at(load=F0, camber=0.1, turn=undone).Fy) < 2.0
    turns = plain.at(load=F0, turn=small / R0).Fy
    assert turns / small == pytest.approx(camber_stiffness / (1 - TURN["PECP1"]), rel=2e-3)


def test_moment_of_parking(tyre: vh.MagicFormula) -> None:
    """M∞ = QCRP1 μ R0 Fz √(Fz/F0) against the turn, the same in a mirror; none without turning."""
    most = factors(5000.0, 1.0)["most"]
    plain = tyre.without_shifts()
    assert plain.at(load=5000.0, turn=1e4).Mz == pytest.approx(-most, rel=2e-2)
    assert plain.at(load=5000.0, turn=-1e4).Mz == pytest.approx(most, rel=2e-2)
    assert plain.at(load=5000.0, turn=0.0).Mz == pytest.approx(0, abs=1e-6)
    one, other = tyre.at(load=4000, alpha=0.02, turn=0.2), tyre.mirrored().at(load=4000, alpha=-0.02, turn=-0.2)
    assert (one.Fx, one.Fy, one.Mz) == pytest.approx((other.Fx, -other.Fy, -other.Mz))
    forward, backward = (tyre.at(load=4000, speed=v, turn=0.2 * np.sign(v)) for v in (5.0, -5.0))
    assert forward.Mz == pytest.approx(backward.Mz, rel=1e-9)


def test_a_standing_wheel_resists_being_turned(tyre: vh.MagicFormula) -> None:
    m = sb.Model("parking")
    rate = m.parameter("rate", 0.3)
    carrier = m.ground.translate(0, 0, 0.3).rotate("z", rate * m.time)
    wheel = m.body("wheel", carrier.rotate("y", m.coordinate("spin")), mass=20, inertia=(1, 1, 1))
    made = vh.wheel_on_road(m, "tyre", wheel, tyre.without_shifts(), carrier=carrier, load=4000, turn_slip=True)
    eq = sb.derive(m)
    state = {s.name: 0.0 for s in (*eq.q, *eq.u, *eq.z)}
    Mz = float(sb.evaluate(made.forces.Mz, {**state, "rate": 0.3, "t": 0.0}))
    assert Mz == pytest.approx(tyre.without_shifts().at(load=4000, turn=3.0).Mz, rel=1e-6)
    assert Mz < 0


def test_tyres_without_turn_slip_are_refused(tyre: vh.MagicFormula) -> None:
    plain: Any = vh.MagicFormula({k: v for k, v in NUMBERS.items() if k != "FITTYP"}, "6.1")
    with pytest.raises(sb.ModelError, match="PHYP1"):
        plain.at(load=4000, turn=0.1)
    m = sb.Model("m")
    wheel = m.body("wheel", m.ground.translate(m.coordinate("x"), 0, 0.3), mass=1, inertia=(1, 1, 1))
    with pytest.raises(sb.ModelError, match="turn slip"):
        vh.wheel_on_road(m, "tyre", wheel, vh.LinearTyre(radius=0.3, cornering=1e4), turn_slip=True)
