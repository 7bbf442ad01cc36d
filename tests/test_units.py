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
from symbody.command_line.cli import main
from symbody.study.model_reading import built_in
from symbody.units import BASES, DERIVED, UNITS, per_second, quantity, si_unit, unit_factor, unit_meant, unit_text

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


DEFINITIONS = {  # of the SI brochure, tables 4, 7 and 8, and of the international yard and pound
    "g": (1e-3, "kg"), "t": (1000, "kg"), "N": (1, "kg m/s^2"), "J": (1, "N m"), "Nm": (1, "N m"), "W": (1, "J/s"), "Pa": (1, "N/m^2"), "Hz": (1, "1/s"),
    "V": (1, "W/A"), "C": (1, "A s"), "F": (1, "C/V"), "H": (1, "Wb/A"), "T": (1, "Wb/m^2"), "Wb": (1, "V s"), "Ohm": (1, "V/A"), "ohm": (1, "V/A"), "Ω": (1, "V/A"),
    "S": (1, "A/V"), "rev": (2 * pi, "rad"), "deg": (1 / 360, "rev"), "°": (1 / 360, "rev"), "rpm": (1, "rev/min"), "min": (60, "s"), "h": (60, "min"), "bar": (1e5, "Pa"),
    "l": (1, "dm^3"), "L": (1, "dm^3"), "%": (0.01, "1"), "inch": (25.4, "mm"), "ft": (12, "inch"), "lb": (453.59237, "g"),
}  # fmt: skip


def test_named_units_are_what_they_are_defined_by() -> None:
    """Factor and dimension, of every unit beside the base ones."""
    assert DEFINITIONS.keys() == UNITS.keys() - set(BASES)
    for name, (number, text) in DEFINITIONS.items():
        found, meant = UNITS[name], unit_meant(text)
        assert found.factor == pytest.approx(number * meant.factor, rel=1e-15), name
        assert found.exponents == meant.exponents, name


def test_rates() -> None:
    assert [per_second(u) for u in ("", "rad", "rad/s", "rad/s^2", "m")] == ["", "rad/s", "rad/s^2", "rad/s^3", "m/s"]


@pytest.mark.parametrize("text", [*DERIVED, *(u for u in UNITS if u not in ("%", "rad"))])
def test_si_units_have_the_dimension_of_what_they_are_made_from(text: str) -> None:
    """unit_text is a right inverse of unit_meant, and coherent."""
    found = unit_meant(si_unit(text))
    assert found is not None
    assert found.factor == 1.0
    assert found.exponents == unit_meant(text).exponents


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
    factor = {n: 1.0 if not u else unit_meant(u).factor for n, u in known.items()}
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


def swing(unit: str, reach: str) -> sb.Equations:
    """A damped pendulum, shaken; its angle and the amplitude of its support are shown in some units."""
    m = sb.Model("shaken pendulum")
    a = m.coordinate("a")
    reach_of = m.parameter("reach", f"{0.05 if reach == 'm' else 50} {reach}")
    x = reach_of * sb.sin(2 * sb.pi * m.time)
    l = m.parameter("l", f"{1 if reach == 'm' else 1000} {reach}")
    m.particle("bob", m.ground.point(x + l * sb.sin(a), -l * sb.cos(a), 0), mass=1)
    m.gravity(0, -9.81, 0)
    m.generalized_force("air", a, -0.8 * a.dot)
    m.generalized_force("hand", a, m.input("push", unit="N m" if unit == "rad" else "kN m") * 1e-3)
    m.show_in(unit, a)
    return sb.derive(m)


FIGURES = {
    "curve": lambda eq: sb.plot(eq, "a_ddot", a=(-1, 1)),
    "flow": lambda eq: sb.plot(eq, a=(-1, 1), a_dot=(-2, 2), beside=sb.simulate(eq, 1, a=0.5)),
    "contours": lambda eq: sb.plot(eq, sb.energy(eq), a=(-1, 1), reach=(0.01, 0.1)),
    "section": lambda eq: sb.plot(sb.poincare(sb.simulate(eq, 9, a=0.5), period=1.0), "a", "a_dot"),
    "return map": lambda eq: sb.plot(sb.poincare(sb.simulate(eq, 9, a=0.5), period=1.0), "a"),
    "orbits": lambda eq: sb.plot(family(eq), "a"),
    "moduli": lambda eq: sb.plot(family(eq), "multipliers", over="reach"),
    "settled": lambda eq: sb.plot(
        sb.attractors(eq, {}, settle=20, keep=2, period=1.0, points=3, reach=(0.05, 0.1)), "a"
    ),
    "basins": lambda eq: sb.plot(sb.basins(eq, a=(-1, 1), a_dot=(-1, 1), t=30, points=3, period=1.0)),
    "driven input": lambda eq: sb.plot(sb.simulate(eq, 1, inputs={"push": ([0, 1], [1.0, 2.0])}), "push", over="push"),
}


def family(eq: sb.Equations) -> Any:
    return sb.orbits(eq, sb.orbit(eq, sb.simulate(eq, 40), period=1.0), reach=(0.05, 0.1))


@pytest.mark.parametrize("name", FIGURES)
def test_axes_of_figures_are_in_the_units_shown(name: str) -> None:
    """Numbers along an axis are those in SI divided by the unit that its label names."""
    plain, other = (FIGURES[name](swing(*units)).panels[0] for units in (("rad", "m"), ("deg", "mm")))
    for axis in ("x", "y"):
        unit, si = (re.findall(r"\[(.*)\]", getattr(p, f"{axis}_label")) for p in (other, plain))
        factor = unit_factor(unit[0]) / unit_factor(si[0]) if unit else 1.0
        for c, d in zip(plain.curves, other.curves, strict=True):
            assert np.allclose(getattr(d, axis) * factor, getattr(c, axis), rtol=1e-6, atol=1e-9)
        for of in ("flow", "field"):
            if (shown := getattr(other, of)) is not None:
                assert np.allclose(getattr(shown, axis) * factor, getattr(getattr(plain, of), axis))
    assert re.search(r"\[(deg|mm|kN m)\]", other.x_label + other.y_label)


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
    assert main(["simulate", str(path), "-o", str(tmp_path / "run.csv")]) == 0
    heads, first = (tmp_path / "run.csv").read_text().splitlines()[:2]
    row = dict(zip(heads.split(","), map(float, first.split(",")), strict=True))
    assert (row["x [cm]"], row["a [deg]"], row["a_dot [deg/s]"]) == pytest.approx((10, 30, 0))
    capsys.readouterr()
    assert main(["eig", str(path)]) == 0
    assert "the start, x = 10 cm, a = 30 deg, is not steady" in capsys.readouterr().out


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


def asked(eq: sb.Equations, angle: Any, low: Any, high: Any, push: Any) -> dict[str, Any]:
    """Answers of calls that take values by name, some as intervals and lists."""
    lin = sb.linearize(eq, sb.steady(eq, push=0, reach=0))
    return {
        "simulate": sb.simulate(eq, 0.1, a=angle, reach=low).y[-1],
        "inputs": sb.simulate(eq, 0.1, {"a": angle}, inputs={"push": push}).y[-1],
        "batch": sb.simulate_batch(eq, [0.0, 0.1], a=angle, reach=[low, high])["a"],
        "assemble": sb.assemble(eq, start={"a": angle}).q,
        "steady": [sb.evaluate(sb.steady(eq, a=angle, free=["push"], reach=0)["push"], {"l": 1.0}), sb.steady(eq, push=0, reach=0, start={"a": angle})["a"]],
        "linearize": sb.linearize(eq, {"a": angle, "push": push}, moving=True, reach=0).eigenvalues(),
        "eigenvalues": lin.eigenvalues(l=low),
        "locus": lin.root_locus(l=(low, high), points=5).values,
        "branch": sb.branch(eq, sb.steady(eq, reach=0), push=(0.0, push))["a"],
        "figure": sb.plot(eq, "a_ddot", reach=(low, high), a=angle).panels[0].curves[0].y,
        "sweep": sb.sweep(eq, {"reach": [low, high]}, sb.study.at_end(0.1, "a"), values={"push": push})["a"],
        "drawn": sb.sweep(eq, {"reach": (low, high)}, sb.study.at_end(0.1, "a"), sample="sobol", repeat=4)["a"],
    }  # fmt: skip


def test_numbers_with_units_in_every_call() -> None:
    """Texts and pairs with a unit mean what the numbers in SI mean."""
    eq = swing("deg", "mm")
    plain = asked(eq, pi / 6, 0.04, 0.06, 1.5)
    for given in (("30 deg", "40 mm", "60 mm", "1500 N mm"), ((30, "deg"), (40, "mm"), (60, "mm"), "1.5 N m")):
        for name, found in asked(eq, *given).items():
            assert np.allclose(found, plain[name], rtol=1e-12), name
    with pytest.raises(sb.errors.StabilityError, match="a: 30 mm is in m, expected rad"):
        sb.steady(eq, a="30 mm", free=["push"])


def test_a_missing_argument_is_named_before_values() -> None:
    with pytest.raises(sb.SymbodyError, match="motion"):
        sb.branch(swing("rad", "m"), push=(0.0, 1.0))  # type: ignore[call-arg]
