"""The motorcycle with suspensions: the rigid one where springs are stiff; squat, dive and loads by statics."""

from __future__ import annotations

from math import cos, sin
from typing import Any

import numpy as np
import pytest
from scipy.optimize import brentq

import symbody as sb
from symbody.kits import vehicles as vh
from symbody.kits.vehicles.models.suspended_motorcycle import CHAIN, FRAME, RIDER, SUSPENSIONS

DATA = {**FRAME, **SUSPENSIONS, **CHAIN, **RIDER}
HARD = {"along": 1e6, "stiffness": 1e8}
STIFF = 1e7  # of suspensions, N/m: the mass centre stays where it is


def tyres(**more: Any) -> list[vh.LinearTyre]:
    return [
        vh.LinearTyre(radius=DATA[R], cornering=C, camber=C / 12, **more) for R, C in (("Rf", 1.5e4), ("Rr", 1.8e4))
    ]


def running(m: sb.Model, speed: float = 20.0, **values: Any) -> sb.stability.SteadyMotion:
    eq = sb.derive(m)
    still = [k for k in ("roll", "steer", "v", "r", "lean") if k in {s.name for s in (*eq.q, *eq.u)}]
    near = {"spin_f": speed / DATA["Rf"], "spin_r": speed / DATA["Rr"]}
    return sb.steady(eq, {"u": speed, **values}, zero=still, free=["drive"], start=near)


def masses(d: dict[str, float], rider: bool) -> list[tuple[float, float, float]]:
    """Mass, x and z of each part in the design position."""
    c, s = cos(d["eps"]), sin(d["eps"])
    foot = d["p"] - d["b"] + d["trail"]
    parts = [(d["M"], 0.0, d["h"]), (d["mh"], foot + d["xh"] * c - d["zh"] * s, d["xh"] * s + d["zh"] * c)]
    parts += [
        (d["mf"], d["p"] - d["b"], d["Rf"]),
        (d["ma"], d["L"] / 2 - d["b"], (d["Rr"] + d["zp"]) / 2),
        (d["mr"], -d["b"], d["Rr"]),
    ]
    return parts + ([(d["mp"], d["xp"], d["zs"] + d["hp"])] if rider else [])


def centre(parts: list[tuple[float, float, float]]) -> tuple[float, float, float]:
    m, x, z = np.array(parts).T
    return float(m.sum()), float(m @ x / m.sum()), float(m @ z / m.sum())


@pytest.mark.parametrize("rider", [True, False])
def test_springs_carry_it_in_its_design_position(rider: bool) -> None:
    motion = running(vh.suspended_motorcycle(*tyres(**HARD), rider=rider))
    m, x, _ = centre(masses(DATA, rider))
    load = m * DATA["g"] * (x + DATA["b"]) / DATA["p"]
    assert motion["front_Fz"] == pytest.approx(load, rel=1e-4)
    assert motion["rear_Fz"] == pytest.approx(m * DATA["g"] - load, rel=1e-4)
    assert abs(motion["fork"]) + abs(motion["arm"]) < 1e-5


def rigid(d: dict[str, float]) -> dict[str, Any]:
    """The numbers of `vh.motorcycle` that is the same with stiff springs: the bodies of each side together."""
    c, s = cos(d["eps"]), sin(d["eps"])
    (M, mh, mf, ma, mr, mp) = masses(d, rider=True)
    rear = [M, ma, mr, mp]
    m, x, z = centre(rear)
    own = {
        M: (d["Jx"], d["Jy"], d["Jz"]),
        ma: (0.1, 0.3, 0.3),
        mr: (d["Jr"], 0.0, d["Jr"]),
        mp: (d["Jpx"], d["Jpx"], d["Jpz"]),
    }
    Ix, Iy, Iz = (sum(J[k] for J in own.values()) for k in range(3))
    Ix += sum(k * (h - z) ** 2 for k, _, h in rear)
    Iz += sum(k * (q - x) ** 2 for k, q, _ in rear)
    Iy += sum(k * ((h - z) ** 2 + (q - x) ** 2) for k, q, h in rear)
    Ixz = d["Jxz"] + sum(k * (h - z) * (q - x) for k, q, h in rear)
    foot = d["p"] - d["b"] + d["trail"] - x  # where the steering axis meets the road, before the centre
    raked = [(mh[0], d["xh"], d["zh"]), (mf[0], -d["trail"] * c + d["Rf"] * s, d["trail"] * s + d["Rf"] * c)]
    mass, e, high = centre(raked)
    across = sum(k * (h - high) ** 2 for k, _, h in raked)
    I = d["Jh"] + d["Jf"]
    return {
        "mr": m, "h": z, "Irx": Ix, "Iry": Iy, "Irz": Iz, "Crxz": Ixz, "b": d["b"] + x, "Rr": d["Rr"], "iry": d["ir"], "mf": mass,
        "e": e, "f": foot * s - high, "Ifx": I + across, "Ify": I + across, "Ifz": I, "Rf": d["Rf"], "ify": d["if_"],
        "a": foot * c, "eps": d["eps"], "lx": raked[1][1], "lz": raked[1][2] - foot * s, "Cdelta": d["Cdelta"],
    }  # fmt: skip


def test_with_stiff_springs_it_is_the_rigid_motorcycle() -> None:
    """Eigenvalues of wobble, weave, capsize and of the tyres' bounce."""
    d = {**DATA, "xh": -DATA["trail"] * cos(DATA["eps"]) + DATA["Rf"] * sin(DATA["eps"])}
    soft = tyres(along=1e6, stiffness=1.6e5, damping=200.0)
    stiff: dict[str, Any] = {"kf": 1e10, "kr": 1e10, "kp": 1e10, "xh": d["xh"]}
    m = vh.suspended_motorcycle(*soft, brakes=False, tubes=(0, 0), **stiff)
    ours, theirs = (running(k) for k in (m, vh.motorcycle(*soft, **rigid(d))))
    assert ours["front_Fz"] == pytest.approx(theirs["front_Fz"], rel=1e-6)
    one, two = (sb.linearize(k.equations, k).eigenvalues() for k in (ours, theirs))
    wanted = [s for s in two if 0.05 < abs(s) < 500]
    assert len(wanted) >= 8
    assert all(min(abs(one - s)) < 2e-3 * abs(s) for s in wanted)


def squat_line(zc: float) -> float:
    """Slope of the line from the rear contact to the point where the lines of chain and arm meet."""
    d = DATA
    hub, pivot = np.array([-d["b"], d["Rr"]]), np.array([d["L"] - d["b"], d["zp"]])
    between = np.array([d["L"] - d["b"] + d["xc"], zc]) - hub
    turn = np.arctan2(between[1], between[0]) - np.arcsin((d["rc"] - d["rp"]) / np.hypot(*between))
    e, n = np.array([np.cos(turn), np.sin(turn)]), np.array([-np.sin(turn), np.cos(turn)])
    along = np.linalg.solve(np.column_stack([e, hub - pivot]), hub - (hub + d["rc"] * n))[0]
    A = hub + d["rc"] * n + along * e
    return float(A[1] / (A[0] + d["b"]))


def test_thrust_neither_lifts_nor_lowers_the_rear_where_the_squat_ratio_is_one() -> None:
    """Thrust against a drag at the mass centre: the arm stays where the line to A has the slope h/p, sinks where it is
    less steep, and rises where it is steeper (Cossalter 2006, 6.1)."""
    _, x, high = centre(masses(DATA, rider=True))
    one = float(brentq(lambda zc: squat_line(zc) - high / DATA["p"], 0.30, 0.45))
    moved = []
    for zc in (one - 0.02, one, one + 0.02):
        model = vh.suspended_motorcycle(*tyres(**HARD), brakes=False, zc=zc, kf=STIFF, kr=STIFF)
        chassis = model.bodies["main body"]
        drag = model.parameter("drag", 0.0)
        heading = model.frames["heading"]
        model.force("wind", chassis, heading.vector(-drag, 0, 0), at=chassis.point(x, 0, high))
        motion = running(model)
        pushed = running(model, drag=50.0)
        moved.append((float(pushed["arm"]) - float(motion["arm"])) / 50.0)
        assert float(pushed["rear_Fz"]) - float(motion["rear_Fz"]) == pytest.approx(50.0 * high / DATA["p"], rel=2e-3)
    steep = [squat_line(zc) - high / DATA["p"] for zc in (one - 0.02, one + 0.02)]
    assert abs(moved[1]) < 5e-3 * min(abs(moved[0]), abs(moved[2]))
    assert moved[0] * moved[2] < 0
    assert all(np.sign(a) == -np.sign(s) for a, s in zip((moved[0], moved[2]), steep, strict=True))


def test_front_brake_compresses_the_fork() -> None:
    """By the load that is transferred and by the brake force, along the raked fork: (ΔN cos ε + F sin ε)/k."""
    _, x, high = centre(masses(DATA, rider=True))
    model = vh.suspended_motorcycle(*tyres(**HARD), kf=STIFF, kr=STIFF)
    chassis, push = model.bodies["main body"], model.parameter("push", 0.0)
    model.force("push", chassis, model.frames["heading"].vector(push, 0, 0), at=chassis.point(x, 0, high))
    eq = sb.derive(model)
    free, F = running(model), 60.0
    near = {k: float(free[k]) for k in ("z", "pitch", "fork", "arm", "spin_f", "spin_r")}
    braked = sb.steady(
        eq, {"u": 20.0, "push": F, "drive": 0.0}, zero=["roll", "steer", "v", "r", "lean"], free=["brake_f"], start=near
    )
    assert float(braked["brake_f"]) == pytest.approx(F * DATA["Rf"], rel=1e-3)
    expected = F * (high / DATA["p"] * cos(DATA["eps"]) + sin(DATA["eps"])) / STIFF
    assert float(braked["fork"]) - float(free["fork"]) == pytest.approx(expected, rel=1e-2)


def test_it_leans_into_turns() -> None:
    """A turn of 20 degrees to the right: the line from the contact on the round tread, radius ρ, to the mass centre leans by
    less, tan = (h - ρ) sin φ / ((h - ρ) cos φ + ρ), and its tangent is V r/g but for the gyroscopic moments of the wheels."""
    eq = sb.derive(vh.suspended_motorcycle())
    turn = vh.leaning_turn(eq, 20.0, lean=0.35)
    assert turn.is_steady
    high, tread = centre(masses(DATA, rider=True))[2], 0.075
    line = (high - tread) * sin(0.35) / ((high - tread) * cos(0.35) + tread)
    assert float(turn["r"]) * 20.0 / -9.81 == pytest.approx(line, rel=0.06)
    assert float(turn["fork"]) > 0 < float(turn["arm"])


def test_wrong_data_are_refused() -> None:
    with pytest.raises(sb.ModelError, match="there is no parameter 'mass'; there are M"):
        vh.suspended_motorcycle(mass=200)
    with pytest.raises(sb.ModelError, match="kf = -1 is negative; it is 18000 by default"):
        vh.suspended_motorcycle(kf=-1)
    with pytest.raises(sb.ModelError, match="front must be a tyre"):
        vh.suspended_motorcycle(3)  # type: ignore[arg-type]
