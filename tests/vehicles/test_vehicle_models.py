"""Whole vehicles: struts against their instant centre, the motorcycle against Sharp's, the car against its weight."""

from __future__ import annotations

import numpy as np
import pytest

import symbody as sb
from symbody.kits import vehicles as vh
from tests.amount import FULL, dear, some


def test_strut_turns_about_its_instant_centre() -> None:
    """In the front view the knuckle turns about the point where the line of the lower arm meets the line across the strut
    at its top: camber gain is one over the distance of the wheel, and a tie rod that aims there does not steer."""
    P = {
        "lower front": (0.15, 0.36, 0.20), "lower rear": (-0.2, 0.36, 0.20), "lower ball": (0.0, 0.70, 0.18),
        "strut top": (0.0, 0.56, 0.85), "strut bottom": (0.0, 0.66, 0.35), "wheel": (0.0, 0.76, 0.31),
    }  # fmt: skip
    arm = np.array([0.34, -0.02])  # (y, z) along the lower arm
    across = np.array([0.50, 0.10])  # across the strut, which leans by (-0.10, 0.50)
    s = np.linalg.solve(np.column_stack([arm, -across]), np.array([0.56, 0.85]) - [0.36, 0.20])
    centre = np.array([0.36, 0.20]) + s[0] * arm
    outer = np.array([0.69, 0.27])
    inner = outer + 0.2 * (centre - outer)
    P |= {"tie outer": (-0.13, *outer), "tie inner": (-0.13, *inner)}
    m = sb.Model("strut")
    corner = vh.mcpherson(vh.Hardpoints(m), "left", m.ground, P, stiffness=2e4)
    vh.wheel_angles(m, "w", corner.knuckle, "left")
    eq = sb.derive(m)
    assert eq.degrees_of_freedom == 1
    curves = vh.kinematics(eq, {"w_z": [0.305, 0.3075, 0.31, 0.3125, 0.315]}, ["w_camber", "w_toe"])
    assert curves.slope("w_camber")[2] == pytest.approx(-1 / (0.76 - centre[0]), rel=1e-6)
    assert abs(curves.slope("w_toe")[2]) < 1e-6


@dear
def test_motorcycle_on_stiff_tyres_is_sharps() -> None:
    """Upright, without lag: eigenvalues of the built-in motorcycle with the front load that follows from the weight;
    wobble, weave and capsize."""
    R = 0.3048
    front, rear = (
        vh.LinearTyre(radius=R, cornering=C1, camber=C2, along=1e7, stiffness=1e7)
        for C1, C2 in ((11174.0, 938.6), (15831.0, 1325.6))
    )
    eq = sb.derive(vh.motorcycle(front, rear))
    near = {"z": -1.5e-4, "spin_f": 20 / R, "spin_r": 20 / R}
    upright = sb.steady(eq, {"u": 20.0}, zero=["roll", "steer", "v", "r"], free=["drive"], start=near)
    ours = sb.linearize(eq, upright).eigenvalues()
    built_in = sb.derive(sb.read_model("motorcycle").mechanism)
    straight = sb.steady(built_in, {"x_dot": sb.symbol("V")}, zero=["y", "psi", "phi", "delta"])
    load = float(upright["front_Fz"])
    theirs = sb.linearize(built_in, straight, drop="cyclic").eigenvalues(V=20, sigma=1e-8, Zf=-load)
    slow = [s for s in theirs if 1e-3 < abs(s) < 1e3]
    assert len(slow) == 6
    assert all(min(abs(ours - s)) < 1e-3 * abs(s) for s in slow)


def test_motorcycles_with_one_heading_and_with_two_turn_alike() -> None:
    """By lean, and by speed and radius: on stiff thin tyres the motorcycle of one heading, with its height and pitch, is in
    a turn that of the package, with a heading for each wheel and given loads, to the second order of what it neglects."""
    R = 0.3048
    tyres = [
        vh.LinearTyre(radius=R, cornering=C1, camber=C2, along=1e7, stiffness=1e7)
        for C1, C2 in ((11174.0, 938.6), (15831.0, 1325.6))
    ]
    one, two = sb.derive(vh.motorcycle(*tyres)), sb.derive(vh.sharps_motorcycle())
    for lean, near in some([(0.3, 2e-2), (0.02, 3e-4)], 2):
        a = vh.leaning_turn(one, 20.0, lean=lean)
        b = vh.leaning_turn(two, 20.0, lean=lean, Zf=-float(a["front_Fz"]))
        assert a.is_steady
        assert b.is_steady
        for ours, theirs in (
            ("steer", "delta"),
            ("r", "psi_dot"),
            ("v", "y_dot"),
            ("tau", "tau"),
            ("rear_Fy", "Yr"),
            ("front_Fy", "Yf"),
        ):
            assert float(a[ours]) == pytest.approx(-float(b[theirs]), rel=near), ours
        assert float(a["drive"]) == pytest.approx(float(b["drive"]), rel=5e-3)
        around = vh.leaning_turn(two, 20.0, radius=20.0 / float(b["psi_dot"]), Zf=-float(a["front_Fz"]))
        assert float(around["phi"]) == pytest.approx(lean, rel=1e-9)
    if FULL:
        assert float(vh.leaning_turn(one, 20.0, radius=-20.0 / float(a["r"]))["roll"]) == pytest.approx(lean, rel=1e-7)
    with pytest.raises(sb.errors.StabilityError, match="lean= or a radius="):
        vh.leaning_turn(two, 20.0)


@dear
def test_motorcycle_in_a_turn() -> None:
    """Loads carry the weight at any lean; with a round tread it leans more for the same turn; the branch over lean has
    its eigenvalues."""
    turns = []
    for tubes in ((0, 0), (0.06, 0.08)):
        eq = sb.derive(vh.motorcycle(tubes=tubes))
        near = {"z": -0.01, "spin_f": 49.0, "spin_r": 49.0}
        upright = sb.steady(eq, {"u": 15.0}, zero=["roll", "steer", "v", "r"], free=["drive"], start=near)
        turn = sb.steady(eq, {"u": 15.0, "roll": 0.02}, free=["tau", "drive"], start=upright)
        branch = sb.branch(eq, turn, roll=(0.0, 0.5))
        end = branch.at(0.5)[0]
        assert end["front_Fz"] + end["rear_Fz"] == pytest.approx((217.45 + 30.65) * 9.81, rel=1e-9)
        assert branch.eigenvalues.shape[1] == len(eq.state)
        turns.append(-float(end["r"]))
    V, phi = sb.symbols("V phi")
    turn = sb.steady(eq, {"u": V, "roll": phi}, V=15.0, phi=0.3, free=["tau", "drive"], start=upright)
    locus = sb.linearize(eq, turn).root_locus(phi=(0.05, 0.49), points=12)
    (special,) = branch.special
    assert locus.critical[0].value == pytest.approx(special.value, rel=1e-7)
    thin = 9.81 * np.tan(0.5) / 15
    assert turns[0] == pytest.approx(thin, rel=0.1)  # gyroscopic moments of the wheels are in it
    assert turns[1] < 0.95 * turns[0]
