"""Units: what a text means in base units, and what a declared unit does to numbers."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from math import pi
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import numpy as np
import pytest

import symbody as sb
from symbody.bodies.mechanism.inferred_units import dimension_check
from symbody.cli import main
from symbody.study.model_reading import built_in
from symbody.units import BASES, DERIVED, UNITS, per_second, quantity, si_unit, unit_meant, unit_text

from .mechanisms import random_tree


@pytest.mark.parametrize(
    ("text", "factor", "exponents"),
    [
        ("kg", 1, {"kg": 1}), ("N m", 1, {"kg": 1, "m": 2, "s": -2}), ("N*m/rad", 1, {"kg": 1, "m": 2, "s": -2, "rad": -1}),
        ("N/mm", 1e3, {"kg": 1, "s": -2}), ("kg m^2", 1, {"kg": 1, "m": 2}), ("kg·m²", 1, {"kg": 1, "m": 2}), ("rad/s^2", 1, {"rad": 1, "s": -2}),
        ("deg", pi / 180, {"rad": 1}), ("km/h", 1 / 3.6, {"m": 1, "s": -1}), ("1/s", 1, {"s": -1}), ("N/(m s)", 1, {"kg": 1, "s": -3}),
        ("m**3", 1, {"m": 3}), ("mm^2", 1e-6, {"m": 2}), ("m s^-1", 1, {"m": 1, "s": -1}), ("N/m/s", 1, {"kg": 1, "s": -3}),
    ],
)  # fmt: skip
def test_units(text: str, factor: float, exponents: dict[str, int]) -> None:
    found = unit_meant(text)
    assert found is not None
    assert found.factor == pytest.approx(factor)
    assert {b: e for b, e in zip(BASES, found.exponents, strict=True) if e} == exponents


@pytest.mark.parametrize("text", ["", "furlong", 'kg"*/', "m/", "N/(m s", "mkg", "m^x", "2 m"])
def test_texts_that_are_no_units(text: str) -> None:
    assert unit_meant(text) is None


def test_rates() -> None:
    assert [per_second(u) for u in ("", "rad", "rad/s", "rad/s^2", "m")] == ["", "rad/s", "rad/s^2", "rad/s^3", "m/s"]


@pytest.mark.parametrize("text", [*DERIVED, *(u for u in UNITS if u not in ("%", "rad"))])
def test_si_units_have_the_dimension_of_what_they_are_made_from(text: str) -> None:
    """unit_text is a right inverse of unit_meant, and coherent."""
    found = unit_meant(si_unit(text))
    assert found is not None
    assert found.factor == 1.0
    assert found.exponents == unit_meant(text).exponents  # type: ignore[union-attr]


def test_texts_of_exponents_without_a_name() -> None:
    assert unit_text((1, -2, 3, 0, 0, 0, 0)) == "kg s^3/m^2"
    assert unit_text((0, -1, -1, 0, 0, 0, 0)) == "1/(m s)"
    assert unit_text((0,) * 7) == "1"


# ---------------------------------------------------------------------------------------------------------- numbers


def pendulum(**l: Any) -> sb.Equations:
    m = sb.Model("pendulum")
    m.gravity(0, -9.81, 0)
    m.revolute("q", m.ground, m.particle("bob", mass=1.0), on=(0, m.parameter("l", **l), 0))
    return sb.derive(m)


@pytest.mark.parametrize("given", [{"value": 500, "unit": "mm"}, {"value": "500 mm"}, {"value": "50 cm", "unit": "mm"}])
def test_values_are_in_the_declared_unit(given: dict[str, Any]) -> None:
    """500 mm is half a metre: ω² = g / l."""
    eq = pendulum(**given)
    assert np.abs(sb.linearize(eq, sb.steady(eq)).eigenvalues().imag) == pytest.approx(np.sqrt(9.81 / 0.5))
    row = eq.variables["l"]
    assert (row.unit, row.shown_in, row.factor, row.default) == ("m", "mm", 1e-3, 0.5)


def test_angles_in_degrees() -> None:
    m = sb.Model("slope")
    a, x = m.parameter("a", 30, unit="deg"), m.coordinate("x")
    m.particle("b", m.ground.point(x, 0, 0), mass=1)
    m.gravity(-9.81 * sb.sin(a), 0, 0)
    assert sb.simulate(sb.derive(m), 1)["x_ddot"][0] == pytest.approx(-9.81 / 2)


def test_numbers_with_units_by_name() -> None:
    eq = pendulum(value=500, unit="mm")
    a = sb.simulate(eq, 1, l=0.6, q=np.pi / 4)
    for l, q in (("600 mm", "45 deg"), ((60, "cm"), "0.125 rev")):
        assert sb.simulate(eq, 1, l=l, q=q).final == pytest.approx(a.final)


@pytest.mark.parametrize(
    ("l", "words"),
    [
        (600, "600 would be 600 m"), ("600 kg", "600 kg is in kg, expected m"), ("600 furlong", "'furlong' is not a unit"),
        ("long", "l"), ((600, "deg"), "expected m"),
    ],
)  # fmt: skip
def test_numbers_that_are_refused(l: Any, words: str) -> None:
    with pytest.raises(sb.SymbodyError, match=words):
        sb.simulate(pendulum(value=500, unit="mm"), 1, l=l)


@pytest.mark.parametrize(
    ("text", "number"),
    [("0.31", None), ("31", None), ("1e-3", None), ("-1.5e2 mm", -0.15), ("3 1/s", 3.0), ("3/s", None), ("5kN", 5e3), (".5 m", 0.5), ("inf", None)],
)  # fmt: skip
def test_texts_with_numbers(text: str, number: float | None) -> None:
    """A plain number is not a quantity, whatever its digits."""
    assert quantity(text, "here", sb.ModelError) == (None if number is None else pytest.approx(number))


@pytest.mark.parametrize("unit", ["kgg", "metre", 3, "m/"])
def test_units_that_are_refused(unit: Any) -> None:
    with pytest.raises(sb.ModelError, match="is not a unit"):
        sb.Model("m").parameter("a", 1, unit=unit)


def scaled(units: dict[str, str]) -> sb.Model:
    """A crane with a winch: the same in any units."""
    si = {"m": 0.2, "l": 0.5, "k": 300.0, "d": 0.02, "tilt": 0.3, "x": None, "a": None, "F": None}
    known = {name: units.get(name, "") for name in si}
    m = sb.Model("crane")
    factor = {n: 1.0 if not u else unit_meant(u).factor for n, u in known.items()}  # type: ignore[union-attr]
    p = {n: m.parameter(n, v / factor[n], known[n]) for n, v in si.items() if v is not None}
    x, F = m.coordinate("x", known["x"]), m.input("F", known["F"])
    cart = m.body("cart", m.ground.rotate("z", p["tilt"]).translate(x, 0, 0), mass=1)
    m.revolute("a", cart, m.body("load", mass=p["m"], com=(0, -p["l"], 0), inertia=(0, 0, p["m"] * p["d"] ** 2)))
    if known["a"]:
        m.show_in(known["a"], "a")
    m.gravity(0, -9.81, 0)
    m.force("push", cart, F * m.ground.x)
    m.potential("spring", p["k"] * x**2 / 2)
    m.output("tip", x + p["l"] * sb.sin(m.symbols["a"]))
    return m


def written(folder: Path) -> Path:
    path = folder / "crane.yaml"
    sb.write_model(scaled(OTHER), path)
    return path


OTHER = {"m": "g", "l": "mm", "k": "N/mm", "d": "inch", "tilt": "deg", "x": "cm", "a": "deg", "F": "kN"}


def test_units_change_what_is_shown_and_nothing_else(tmp_path: Path) -> None:
    """The same crane in SI and in other units: equal motions, answers and exports; files and commands in the units."""
    si, other = sb.derive(scaled({})), sb.derive(scaled(OTHER))
    start = {"x": 0.1, "a": 0.4, "a_dot": 1.0}
    one, two = (sb.simulate(eq, 1, start, inputs={"F": 2.0}) for eq in (si, other))
    assert two.final == pytest.approx(one.final, rel=1e-12)
    assert two["tip"] == pytest.approx(one["tip"], rel=1e-12)
    assert sb.steady(other)["x"] == pytest.approx(sb.steady(si)["x"], rel=1e-9)
    again = sb.derive(sb.read_model(written(tmp_path)).model)
    assert sb.simulate(again, 1, start, inputs={"F": 2.0}).final == pytest.approx(one.final, rel=1e-12)
    assert [v.shown_in for v in again.variables] == [v.shown_in for v in other.variables]
    assert [v.unit for v in other.variables.of("q u r p")] == [
        "m",
        "rad",
        "m/s",
        "rad/s",
        "N",
        "kg",
        "m",
        "N/m",
        "m",
        "rad",
    ]


def test_parts_keep_units() -> None:
    host, part = sb.Model("host"), scaled(OTHER)
    host.attach("first", host.ground, part)
    host.attach("second", host.ground, part, values={"l": 0.7})
    rows = sb.derive(host).variables
    assert (rows["first_l"].default, rows["second_l"].default, rows["second_l"].shown_in) == (0.5, 0.7, "mm")


def test_figures_are_in_the_units_shown() -> None:
    sim = sb.simulate(sb.derive(scaled(OTHER)), 1, {"x": 0.1, "a": 0.4})
    panels = {p.y_label: p for p in sb.plot(sim, "x", "a", "a_dot").panels}
    assert list(panels) == ["x [cm]", "a [deg]", "a_dot [deg/s]"]
    assert panels["x [cm]"].curves[0].y[0] == pytest.approx(10)
    assert panels["a [deg]"].curves[0].y[0] == pytest.approx(np.degrees(0.4))


def test_fmu_is_in_si_and_shows_other_units(tmp_path: Path) -> None:
    with ZipFile(sb.write.fmu(sb.derive(scaled(OTHER)), tmp_path / "crane.fmu", platforms=())) as archive:
        text = archive.read("modelDescription.xml").decode()
    assert re.search(r'<Unit name="m">\s*<BaseUnit m="1"/>\s*<DisplayUnit name="cm" factor="100.0"/>', text)
    assert re.search(r'unit="m" displayUnit="mm" start="0.5"', text)


def test_command_line_is_in_the_units_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = written(tmp_path)
    path.write_text(path.read_text() + "start: {x: 10, a: 30}\nsimulate: {t: 0.1}\n")
    assert main(["simulate", str(path), "--set", "l=600", "--set", "k=250 N/m", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["start"] == pytest.approx({"x": 0.1, "a": np.pi / 6, "x_dot": 0, "a_dot": 0, "F": 0})
    eq = sb.derive(scaled({}))
    other = sb.simulate(eq, 0.1, {"x": 0.1, "a": np.pi / 6}, l=0.6, k=250)
    assert found["final"]["a"] == pytest.approx(other.final["a"], rel=1e-9)


# ---------------------------------------------------------------------------------------------------------- dimensions


def faults(m: sb.Model) -> tuple[str, ...]:
    return tuple(f.text for f in sb.audit(m).findings if f.kind == "dimension")


def test_good_models_have_no_faults() -> None:
    assert faults(scaled(OTHER)) == ()
    for name in built_in():
        assert dimension_check(sb.study.find_model(name).model.freeze()).faults == ()  # type: ignore[union-attr]


def two_lengths() -> tuple[sb.Model, Any, Any, Any]:
    m = sb.Model("m")
    l, k, c = m.parameter("l", 1, "m"), m.parameter("k", 2, "kg"), m.parameter("c", 3, "N/m")
    return m, l, k, c


def test_sums_of_different_dimensions_are_named() -> None:
    m, l, k, _ = two_lengths()
    m.particle("b", m.ground.point(m.coordinate("x"), 0, 0), mass=k + l)
    (found,) = faults(m)
    assert "body 'b': mass: k + l combines" in found
    assert "kg" in found


def test_forces_energies_constraints_and_outputs_are_checked() -> None:
    m, l, k, c = two_lengths()
    x, y = m.coordinates("x y")
    b = m.particle("b", m.ground.point(x, y, 0), mass=k)
    m.force("pull", b, -c * l**2 * m.ground.x)
    m.potential("spring", c * (x - l) / 2)
    m.constrain("wire", x - l * y)
    m.output("odd", x + k)
    m.generalized_force("drive", x, c * l * y)
    found = " ".join(faults(m))
    for words in (
        "load 'pull': force",
        "load 'spring': potential energy",
        "constraint 'wire'",
        "output 'odd'",
        "load 'drive'",
    ):
        assert words in found


def test_numbers_may_stand_for_any_quantity() -> None:
    """Where no unit was declared, -x is a spring of 1 N/m, cos(a) a place on a circle of radius 1 m: no false alarms."""
    m, l, k, _ = two_lengths()
    a, x = m.coordinates("a x")
    m.particle("b", m.ground.point(sb.cos(a), sb.sin(a), x), mass=k)
    m.particle("c", m.ground.point(0.3 * sb.cos(a) + l, x + 2, 0), mass=9.81 * k)
    m.generalized_force("spring", x, -4 * x - x.dot)
    m.potential("other", x**2 + x)
    assert faults(m) == ()


@pytest.mark.parametrize("name", built_in())
def test_inferred_units_contradict_nothing(name: str) -> None:
    """Units that a mechanism implies, declared, leave it without faults."""
    mechanism = sb.study.find_model(name).model.freeze()  # type: ignore[union-attr]
    found = dimension_check(mechanism)
    declared = {s: u for s, u in found.units.items() if u != "1"}
    assert dimension_check(replace(mechanism, units={**mechanism.units, **declared})).faults == ()


@pytest.mark.parametrize("seed", range(12))
def test_random_mechanisms_without_units_have_no_faults(seed: int) -> None:
    assert dimension_check(random_tree(seed, symbolic=True).mechanism).faults == ()
