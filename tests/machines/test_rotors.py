"""Rotors: whirl speeds, critical speeds and bearings beside published numbers; multiblade coordinates beside Floquet."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import symbody as sb
from symbody.kits import machines as mc

from ..amount import dear
from ..published.numbers import published

# Nelson and McVaugh 1976: stations [cm], outer and inner radii of the elements [cm]
PLACES = (
    0.00, 1.27, 5.08, 7.62, 8.89, 10.16, 10.67, 11.43, 12.70, 13.46, 16.51, 19.05, 22.86, 26.67, 28.70, 30.48, 31.50, 34.54, 35.5,
)  # fmt: skip
OUTER = (0.51, 1.02, 0.76, 2.03, 2.03, 3.30, 3.30, 2.54, 2.54, 1.27, 1.27, 1.52, 1.52, 1.27, 1.27, 3.81, 2.03, 2.03)
INNER = (0, 0, 0, 0, 0, 0, 1.52, 1.78, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1.52)


def nelson_mcvaugh() -> sb.LinearSystem:
    m = sb.Model("rotor of Nelson and McVaugh")
    W = m.parameter("W", 0.0)
    s = mc.shaft(
        m, "s", np.array(PLACES) / 100, diameters=np.array(OUTER) / 50, bores=np.array(INNER) / 50, young=2.078e11, density=7806, speed=W
    )  # fmt: skip
    s.disc(5, mass=1.401, diametral=0.00136, polar=0.0020)
    for station in (11, 15):
        s.bearing(station, 4.378e7)
    return sb.linearize(sb.derive(m), {})


@dear
def test_critical_speeds_of_nelson_and_mcvaugh():
    """15470 (backward) and 17159 rpm (forward), 46612 and 49983, on isotropic bearings; the report's data are rounded."""
    found = mc.campbell(nelson_mcvaugh(), (10000, 52000), highest=900, points=4)
    assert [c.whirl for c in found.crossings] == ["backward", "forward"] * 2
    assert [c.rpm for c in found.crossings] == pytest.approx(published("nelson_mcvaugh_speeds"), rel=4e-3)
    assert found.critical_speeds == pytest.approx(published("nelson_mcvaugh_speeds")[1::2], rel=4e-3)


def jeffcott(**values: float) -> sb.Model:
    """A disc in the middle of a massless shaft."""
    m = sb.Model("Laval rotor")
    p = m.parameters(**{"m": 2.0, "k": 2e5, "c": 40.0, "W": 100.0, **values})
    x, y = m.coordinates("x y")
    m.particle("disc", m.ground.point(x, y, 0), mass=p.m)
    for q in (x, y):
        m.generalized_force(f"shaft {q.name}", q, -p.k * q - p.c * q.dot + m.input(f"f{q.name}"))
    return m


def test_laval_rotor():
    """Critical speed √(k/m); response e W²/|ω² - W² + i c W/m|; self-centring beyond."""
    lin = sb.linearize(sb.derive(jeffcott()), {})
    critical = np.sqrt(2e5 / 2) * 60 / (2 * np.pi)
    grid = np.array([0.5, 1.0, 20.0]) * critical
    response = mc.unbalance_response(lin, {("fx", "fy"): 2.0 * 1e-4}, grid)
    W, w = grid * 2 * np.pi / 60, np.sqrt(1e5)
    assert np.abs(response["x"]) == pytest.approx(1e-4 * W**2 / np.abs(w**2 - W**2 + 1j * 20 * W), rel=1e-12)
    long, short = response.orbit("x", "y")
    assert long == pytest.approx(short)  # circular, forward
    assert long[-1] == pytest.approx(1e-4, rel=5e-3)


def test_short_bearing_of_ocvirk():
    """Friswell, Penny, Garvey, Lees, Dynamics of Rotating Machines, 2010, example 5.5.1."""
    bearing = mc.ShortBearing(radius=0.05, length=0.03, clearance=1e-4, viscosity=0.1)
    speed = 1500 * 2 * np.pi / 60
    known = published("short_bearing_5_5_1")
    assert bearing.eccentricity(525.0, speed) == pytest.approx(known["e"], abs=5e-5)
    _, K, D = bearing.coefficients(525.0, speed)
    assert K / 1e6 == pytest.approx(np.array(known["K"]), rel=1e-3)
    assert D / 1e3 == pytest.approx(np.array(known["D"]), rel=1e-3)


@pytest.mark.parametrize("wrong", ["radius", "length", "clearance", "viscosity"])
def test_bearing_names_its_coefficient(wrong: str):
    good: dict[str, Any] = {"radius": 0.05, "length": 0.03, "clearance": 1e-4, "viscosity": 0.1}
    for value in (0.0, -1.0, float("nan"), "thin"):
        with pytest.raises(sb.ModelError, match=wrong):
            mc.ShortBearing(**{**good, wrong: value})


def test_shaft_names_its_coefficient():
    good = {"diameters": 0.02, "young": 2e11, "density": 7800, "speed": 10.0}
    for change, what in (
        ({"young": -1.0}, "young"), ({"density": 0}, "density"), ({"diameters": [0.02]}, "diameters"), ({"bores": 0.03}, "bores"),
        ({"shear": 2e11}, "Poisson"), ({"speed": None}, "speed"),
    ):  # fmt: skip
        with pytest.raises(sb.ModelError, match=what):
            mc.shaft(sb.Model("m"), "s", [0, 0.5, 1], **{**good, **change})  # type: ignore[arg-type]
    with pytest.raises(sb.ModelError, match="increase"):
        mc.shaft(sb.Model("m"), "s", [0, 0.5, 0.2], **good)  # type: ignore[arg-type]


def helicopter(blades: int, **values: float) -> sb.LinearSystem:
    """Coleman's rotor with lag hinges on a hub that yields in its plane."""
    m = sb.Model("rotor on a pylon")
    p = m.parameters(**{"M": 10.0, "kx": 90.0, "ky": 90.0, "W": 3.0, "psi": 0.0, **values})
    x, y = m.coordinates("x y")
    hub = m.ground.translate(x, y, 0)
    m.body("pylon", hub, mass=p.M)
    for q, k in ((x, p.kx), (y, p.ky)):
        m.generalized_force(f"pylon {q.name}", q, -k * q - 0.1 * q.dot)
    for n in range(blades):
        lag = m.coordinate(f"lag{n + 1}")
        arm = hub.rotate("z", p.psi + p.W * m.time + 2 * sb.pi * n / blades).translate(0.1, 0, 0).rotate("z", lag)
        m.body(f"blade {n + 1}", arm, mass=1.0, com=(0.5, 0, 0), inertia=(0, 1 / 12, 1 / 12))
        m.generalized_force(f"hinge {n + 1}", lag, -0.3 * lag - 0.05 * lag.dot)
    return sb.linearize(sb.derive(m), {})


def test_multiblade_agrees_with_floquet():
    lin = helicopter(3, ky=40.0)
    lags = [[f"lag{k}" for k in (1, 2, 3)]]
    rotor = mc.multiblade(lin, lags)
    assert rotor.x[:5] == ("x", "y", "lag_0", "lag_c", "lag_s")
    by_coleman = np.sort_complex(rotor.eigenvalues(W=2.5))
    by_floquet = np.sort_complex(mc.floquet(lin, lags, W=2.5).exponents)
    assert by_floquet == pytest.approx(by_coleman, abs=1e-7)


def test_two_blades_need_floquet():
    lin = helicopter(2, ky=40.0)
    with pytest.raises(sb.SymbodyError, match="floquet"):
        mc.multiblade(lin, [["lag1", "lag2"]])
    assert len(mc.floquet(lin, [["lag1", "lag2"]], W=2.5).exponents) == 8
    with pytest.raises(sb.SymbodyError, match="lag7"):
        mc.multiblade(lin, [["lag1", "lag7"]])


def test_ground_resonance():
    """A rotor with lag hinges is unstable where the regressing lag mode meets the pylon, and nowhere without damping
    below: Coleman and Feingold's centre W - ν W ≈ √(k/m)."""
    rotor = mc.multiblade(helicopter(3), [["lag1", "lag2", "lag3"]])
    locus = rotor.root_locus(W=(1.0, 12.0), points=60)
    growing = locus.values[locus.growth > 1e-3]
    pylon = np.sqrt(90 / 13)
    lag = np.sqrt(0.1 * 0.5 / (1 / 3) + 0.3 / (1 / 3) / growing.mean() ** 2)  # in units of the speed
    assert growing.min() < pylon / (1 - lag) < growing.max()
