"""Tyres: published and computed numbers, a second transcription of the formulas, and laws of brush and mirror."""

from __future__ import annotations

import os
from math import atan, pi, tan
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symbody as sb
from symbody.kits import vehicles as vh
from symbody.kits.vehicles.tyres.magic_formula import SCALES
from tests.published.numbers import published

from . import magic_formula_in_numpy
from .passenger_tyre import NUMBERS, OLD_NUMBERS, tir

COMPONENTS = ("Fx", "Fy", "Mx", "My", "Mz")


def numbers(f: vh.TyreForces, names: tuple[str, ...] = COMPONENTS) -> np.ndarray:
    return np.array([float(sb.evaluate(getattr(f, n) * 1.0 + sb.fraction(0, 1))) for n in names])


def value(x: Any) -> float:
    return float(sb.evaluate(sb.fraction(0, 1) + x))


@pytest.fixture(scope="module")
def tyre() -> vh.MagicFormula:
    found = vh.read_tyre(tir(NUMBERS))
    assert isinstance(found, vh.MagicFormula)
    return found


# ---------------------------------------------------------------------------------------------------- Magic Formula


@pytest.mark.parametrize(
    ("kappa", "alpha", "Fx", "Fy"),
    published("pacejka_205_60r15")["forces"],
)
def test_published_tyre_to_six_digits(
    tyre: vh.MagicFormula, kappa: float, alpha: float, Fx: float | None, Fy: float | None
) -> None:
    """Pacejka 2012, appendix 3, at the nominal load."""
    f = tyre.at(4000, kappa, alpha)
    assert Fx is None or f"{value(f.Fx):.6g}" == f"{Fx:.6g}"
    assert Fy is None or f"{value(f.Fy):.6g}" == f"{Fy:.6g}"


def test_published_stiffnesses(tyre: vh.MagicFormula) -> None:
    Kx, Ky = tyre.stiffnesses(vh.Slip(4000.0))
    assert [round(value(Kx)), round(value(Ky), 1)] == published("pacejka_205_60r15")["stiffness"]


FOUND = [  # Fz, kappa, alpha, gamma; Fx0, Fy0, Fx, Fy of MFeval's sample tyre of version 6.1
    (6752, 0, 0, 0, "70.5522 -79.4122 70.5522 -79.4122"),
    (6752, 0.1, 0, 0, "8306.09 -79.4122 8306.09 32.4473"),
    (6752, -0.1, 0, 0, "-7388.51 -79.4122 -7388.51 -116.439"),
    (6752, 0, 0.1, 0, "70.5522 -6630.62 25.698 -6630.62"),
    (6752, 0, -0.1, 0, "70.5522 6902.52 27.6207 6902.52"),
    (6752, 0.1, 0.1, 0, "8306.09 -6630.62 5673.49 -4854.03"),
    (4000, 0, 0.05, 0.05, "32.8758 -3462.95 20.3276 -3462.95"),
    (9000, -0.05, 0.08, -0.03, "-8727.9 -7831.89 -4951.59 -6414.74"),
]


@pytest.mark.skipif("SYMBODY_TYRES" not in os.environ, reason="SYMBODY_TYRES= names no folder with MFeval's tyre files")
@pytest.mark.parametrize("row", FOUND)
def test_sample_file_to_six_digits(row: tuple[Any, ...]) -> None:
    """MagicFormula61_Parameters.tir, which is not ours to keep here."""
    found: Any = vh.read_tyre(Path(os.environ["SYMBODY_TYRES"]) / "MagicFormula61_Parameters.tir")
    Fz, kappa, alpha, gamma, expected = row
    f, pure = found.at(Fz, kappa, alpha, gamma), found.pure(vh.Slip(Fz, kappa, tan(alpha), gamma))
    assert " ".join(f"{value(x):.6g}" for x in (*pure, f.Fx, f.Fy)) == expected


STATES = np.random.default_rng(3).uniform((800, -0.4, -0.3, -0.4, 1.6e5, 3), (9000, 0.4, 0.3, 0.4, 2.9e5, 50), (40, 6))


@pytest.mark.parametrize("old", [False, True], ids=["6.1", "5.2"])
def test_second_transcription(old: bool) -> None:
    """Forces, moments and relaxation lengths beside plain NumPy, at random slips, loads, cambers, pressures, speeds,
    with every scale factor different from one and no coefficient zero."""
    rng = np.random.default_rng(1)
    scales = [s for s in SCALES if s not in ("LGAX", "LGAY", "LGAZ")]
    given = {**(OLD_NUMBERS if old else NUMBERS), **{s: rng.uniform(0.8, 1.2) for s in scales}}
    absent = (
        ("QSX12", "QSX13", "QSX14") if old else ("QSX12", "QSX13", "QSX14", "PKY5", "PEY5", "PPY5", "PPMX1", "QDZ10")
    )
    given |= {k: rng.uniform(-0.1, 0.1) for k in (*absent, *(k for k, v in given.items() if v == 0))}
    tyre: Any = vh.read_tyre(tir(given))
    assert tyre.version == ("5.2" if old else "6.1")
    for Fz, kappa, alpha, gamma, pressure, speed in STATES.tolist():
        f = tyre.at(Fz, kappa, alpha, gamma, pressure=pressure, speed=speed)
        lengths = tyre.relaxation_lengths(vh.Slip(Fz, kappa, tan(alpha), gamma, pressure, speed))
        ours = np.array([*numbers(f), *map(value, lengths)])
        theirs = magic_formula_in_numpy.forces(given, Fz, kappa, alpha, gamma, pressure, speed, old)
        assert np.all(abs(ours - theirs) <= 1e-12 * np.maximum(abs(theirs), [Fz, Fz, Fz, 1, Fz * 0.03, 1, 1]))


def test_rounding_off_changes_little_and_no_slope(tyre: vh.MagicFormula) -> None:
    """At zero slip of a tyre without shifts the slopes are Kx and Kya, whatever the width; beyond a few widths forces
    are what they were."""
    sharp = tyre.without_shifts()
    slip = sb.symbols("k a g")
    for width in (1e-3, 1e-2):
        smooth = vh.MagicFormula(sharp.coefficients, "6.1", width)
        f = smooth.forces(vh.Slip(4000.0, *slip))
        at_rest = dict.fromkeys(slip, 0.0)
        assert value(sb.evaluate(f.Fy, at_rest)) == 0
        Kx, Ky = (value(x) for x in sharp.stiffnesses(vh.Slip(4000.0)))
        assert value(sb.evaluate(sb.derivative(f.Fx, slip[0]), at_rest)) == pytest.approx(Kx, rel=1e-9)
        assert value(sb.evaluate(sb.derivative(f.Fy, slip[1]), at_rest)) == pytest.approx(Ky, rel=1e-9)
        trail = 0.09068 * 0.3135
        assert value(sb.evaluate(sb.derivative(f.Mz, slip[1]), at_rest)) == pytest.approx(-trail * Ky, rel=1e-6)
        far = (0.05 + 8 * width, -0.05 - 8 * width, 0.04 + 8 * width)
        a, b = numbers(smooth.forces(vh.Slip(4000.0, *far))), numbers(sharp.forces(vh.Slip(4000.0, *far)))
        assert np.allclose(a[:4], b[:4], rtol=1e-6)
        assert abs(a[4] - b[4]) < 2e4 * width**2  # through the equivalent slip of trail and residual moment
        near = (0.0, 0.4 * width, 0.0)
        change = numbers(smooth.forces(vh.Slip(4000.0, *near)))[1] - numbers(sharp.forces(vh.Slip(4000.0, *near)))[1]
        assert abs(change) < 4000 * 200 * width**3


def test_units_and_side_of_a_file(tyre: vh.MagicFormula) -> None:
    """Millimetres, kilonewtons and bar are the same tyre; mounted on the other side it is seen in a mirror."""
    other = dict(NUMBERS)
    other["FNOMIN"] /= 1e3
    other["UNLOADED_RADIUS"] *= 1e3
    other["NOMPRES"] /= 1e5
    other["LONGVL"] *= 1e3
    for k in ("VERTICAL_STIFFNESS", "LONGITUDINAL_STIFFNESS", "LATERAL_STIFFNESS", "VERTICAL_DAMPING"):
        other[k] /= 1e6
    text = tir(other, FORCE="kN", PRESSURE="bar", TYRESIDE="Left").replace("'meter'", "'mm'")
    state = {"load": 5000.0, "kappa": 0.03, "alpha": 0.04, "camber": 0.02, "pressure": 2.4e5, "speed": 20.0}
    same = vh.read_tyre(text, side="left")
    assert np.allclose(numbers(same.at(**state)), numbers(tyre.at(**state)), rtol=1e-14)
    assert value(same.load(0.02, 0.1)) == pytest.approx(value(tyre.load(0.02, 0.1)), rel=1e-14)
    seen = numbers(vh.read_tyre(text, side="right").at(5000.0, 0.03, -0.04, -0.02, pressure=2.4e5, speed=20.0))
    assert np.allclose(seen * [1, -1, -1, 1, -1], numbers(tyre.at(**state)), rtol=1e-14)


def test_a_file_without_combined_slip_says_so(tyre: vh.MagicFormula) -> None:
    """Braking does not weaken the side force of such a tyre: said when it is read, and when it is shown."""
    assert tyre.has_combined_slip
    assert "combined" not in repr(tyre)
    with pytest.warns(UserWarning, match="no combined slip: RBX1, RCX1, RBY1 or RCY1 is missing or zero"):
        lone: Any = vh.read_tyre(
            tir({k: v for k, v in NUMBERS.items() if not k.startswith(("RBX", "RBY", "RCX", "RCY", "RV"))})
        )
    assert not lone.has_combined_slip
    assert "no: each force is that of its own slip alone" in repr(lone)
    f, alone = lone.at(4000, -0.1, 0.1), lone.at(4000, 0, 0.1)
    assert value(f.Fy) == pytest.approx(value(alone.Fy))
    weakened = lone.with_coefficients(RBX1=13.05, RBX2=9.718, RCX1=0.9995, RBY1=10.62, RBY2=7.82, RCY1=1.059)
    assert weakened.has_combined_slip
    assert abs(value(weakened.at(4000, -0.1, 0.1).Fy)) < 0.8 * abs(value(alone.Fy))


def test_the_mass_of_a_tyre_is_not_the_unit_of_mass(tyre: vh.MagicFormula) -> None:
    """MASS in a section after that of units is a number, and says nothing where it is left empty, as some writers leave it."""
    empty = vh.read_tir(tir(NUMBERS) + "\n[INERTIA]\nMASS = \nIYY =\n")
    assert "MASS" not in {**empty.numbers, **empty.texts}
    assert vh.read_tir(tir(NUMBERS) + "\n[INERTIA]\nMASS = 9.3\n").numbers["MASS"] == 9.3


def test_rolling_backward_opposes_the_motion(tyre: vh.MagicFormula) -> None:
    """Half a turn about the normal: a wheel that drifts to the left is pushed to the right, also backward."""
    forward, backward = (numbers(tyre.without_shifts().at(4000, 0.0, 0.05, 0.0, speed=v)) for v in (20.0, -20.0))
    assert np.allclose(backward[1], forward[1], rtol=2e-2)
    assert backward[3] == pytest.approx(-forward[3])
    assert backward[4] == pytest.approx(-forward[4], rel=0.3)


def test_file_says_which_formula_and_which_number(tyre: vh.MagicFormula) -> None:
    with pytest.raises(sb.ModelError, match="FITTYP=99"):
        vh.read_tyre(tir({**NUMBERS, "FITTYP": 99}))
    with pytest.raises(sb.ModelError, match="PKY1: a number is needed, got '1,5'"):
        vh.read_tyre(tir(NUMBERS).replace("-15.324", "1,5"))
    with pytest.raises(sb.ModelError, match="FNOMIN is missing"):
        vh.read_tyre(tir({k: v for k, v in NUMBERS.items() if k != "FNOMIN"}))
    with pytest.raises(sb.ModelError, match="Did you mean 'PKY1'"):
        tyre.with_coefficients(PKYY1=1)
    with pytest.raises(sb.ModelError, match="LENGTH='furlong' is not a known unit"):
        vh.read_tyre(tir(NUMBERS).replace("'meter'", "'furlong'"))


# ---------------------------------------------------------------------------------------------------- brush, linear


def brush(**more: Any) -> vh.BrushTyre:
    return vh.BrushTyre(radius=0.3, cornering=6e4, along=8e4, friction=0.9, contact=0.06, **more)


@pytest.mark.parametrize("share", [0.01, 0.25, 0.6, 0.999, 1.0, 3.0])
def test_brush_is_fialas_cubic(share: float) -> None:
    """Fy = -C x + C² |x| x / (3 μ Fz) - C³ x³ / (27 (μ Fz)²), then -μ Fz; Mz = μ Fz a ψ (1 - ψ)³."""
    C, grip = 6e4, 0.9 * 4000
    x = share * 3 * grip / C
    f = brush().at(4000, 0, atan(x))
    expected = -C * x + C**2 * x * x / (3 * grip) - C**3 * x**3 / (27 * grip**2) if share < 1 else -grip
    assert value(f.Fy) == pytest.approx(expected, rel=1e-12)
    assert value(f.Mz) == pytest.approx(grip * 0.06 * share * max(0, 1 - share) ** 3, rel=1e-9, abs=1e-12)


def test_brush_moment_is_largest_at_a_quarter() -> None:
    """27/256 μ Fz a at ψ = 1/4."""
    x = sb.symbol("x")
    f = brush().forces(vh.Slip(4000.0, 0, x))
    at = {x: 0.25 * 3 * 0.9 * 4000 / 6e4}
    assert value(sb.evaluate(f.Mz, at)) == pytest.approx(27 / 256 * 0.9 * 4000 * 0.06, rel=1e-11)
    assert abs(value(sb.evaluate(sb.derivative(f.Mz, x), at))) < 1e-7


@pytest.mark.parametrize("angle", np.linspace(0, pi / 2, 5))
def test_brush_slides_with_the_whole_friction_in_every_direction(angle: float) -> None:
    f = brush().forces(vh.Slip(4000.0, 2 * np.cos(angle), 2 * np.sin(angle)))
    assert np.hypot(value(f.Fx), value(f.Fy)) == pytest.approx(0.9 * 4000, rel=1e-12)


def test_a_wheel_in_the_air_has_no_force(tyre: vh.MagicFormula) -> None:
    linear = vh.LinearTyre(radius=0.3, cornering=lambda load: 15 * load, along=lambda load: 20 * load)
    for t in (tyre, brush(), linear):
        f = t.at(0.0, 0.1, 0.1)
        assert np.all(abs(numbers(f, ("Fx", "Fy", "Mz"))) < 1e-9)


def test_linear_tyre_aligns() -> None:
    """Signs: a wheel that drifts to the left is pushed to the right and turned to the left; one that leans to the
    right is pushed there."""
    tyre = vh.LinearTyre(radius=0.3, cornering=6e4, camber=4e3, trail=0.03)
    f = tyre.at(4000, 0, 0.02)
    assert value(f.Fy) < 0 < value(f.Mz)
    assert value(tyre.at(4000, camber=0.02).Fy) == -80


def test_forces_at_numbers_are_numbers_and_angles_are_radians() -> None:
    tyre = vh.BrushTyre(radius=0.3, cornering=5e4, along=6e4, friction=0.9)
    found = tyre.at(4000.0, alpha=0.1)
    assert isinstance(found.Fy, float)
    with pytest.raises(sb.ModelError, match="slip angle of 3 rad is a quarter turn or more; angles are in radians"):
        tyre.at(4000.0, alpha=3.0)
    alpha = sb.symbol("alpha")
    assert alpha in sb.free_symbols(tyre.at(4000.0, alpha=alpha).Fy)
