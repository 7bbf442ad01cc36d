"""Exercises: answers by hand, the same sheet from the same seed, values as the sheet shows them."""

from math import cos, pi, sin, sqrt

import pytest

import symbody as sb
from symbody.kits import teaching

from . import mechanisms_of_courses as course

RANGES = {"m": (1, 3), "l": ("20 cm", "90 cm"), "theta": (0.2, 1.2), "theta_dot": (0.5, 2), "c": 0}


def a_pendulum(questions: object, seed: int = 3) -> teaching.Exercise:
    return teaching.exercise(course.pendulum(), RANGES, questions, seed=seed)  # type: ignore[arg-type]


@pytest.mark.parametrize("seed", range(3))
def test_answers_are_those_by_hand(seed: int) -> None:
    made = a_pendulum(["natural frequencies", "accelerations", "reaction in theta", "energy", "kinetic energy"], seed)
    v, g = made.values, 9.81
    frequency, acceleration, force, energy, kinetic = (a.value[0] for a in made.answers)
    assert frequency == pytest.approx(sqrt(g / v["l"]), rel=1e-9)
    assert acceleration == pytest.approx(-g / v["l"] * sin(v["theta"]), rel=1e-9)
    assert force == pytest.approx(v["m"] * (g * cos(v["theta"]) + v["l"] * v["theta_dot"] ** 2), rel=1e-9)
    assert kinetic == pytest.approx(v["m"] * (v["l"] * v["theta_dot"]) ** 2 / 2, rel=1e-9)
    assert energy == pytest.approx(kinetic - v["m"] * g * v["l"] * cos(v["theta"]), rel=1e-9)
    assert [a.unit for a in made.answers] == ["rad/s", "rad/s^2", "N", "J", "J"]
    assert f"({frequency / 2 / pi:.4g} Hz)" in made.answers[0].text


def test_two_frequencies_and_a_motion() -> None:
    """A spring pendulum: ω² = k/m and g/(l0 + m g/k); and a coordinate later, as simulated."""
    eq = course.spring_pendulum()
    made = teaching.exercise(
        eq, {"k": (30, 60), "r": (0.7, 0.9), "phi": 0.2}, ["natural frequencies", "phi after 0.5 s"]
    )
    v = made.values
    stretched = v["l0"] + v["m"] * 9.81 / v["k"]
    assert made.answers[0].value == pytest.approx(sorted([sqrt(v["k"] / v["m"]), sqrt(9.81 / stretched)]), rel=1e-7)
    p = {n: v[n] for n in ("m", "k", "l0", "g")}
    sim = sb.simulate(eq, 0.5, r=v["r"], phi=v["phi"], rtol=1e-10, values=p)
    assert made.answers[1].value[0] == pytest.approx(sim["phi"][-1], rel=1e-9)


def test_a_mechanism_with_a_constraint_is_assembled() -> None:
    made = teaching.exercise(course.slider_crank(), {"phi": (0.4, 0.9), "phi_dot": (1, 2)}, ["kinetic energy"])
    v = made.values
    pin = v["a"] * cos(v["phi"])
    assert (v["x"] - pin) ** 2 == pytest.approx(v["b"] ** 2 - (v["a"] * sin(v["phi"])) ** 2, rel=1e-9)
    x_dot = -v["a"] * v["x"] * sin(v["phi"]) * v["phi_dot"] / (v["x"] - pin)
    assert made.answers[0].value[0] == pytest.approx(v["J"] * v["phi_dot"] ** 2 / 2 + v["m"] * x_dot**2 / 2, rel=1e-8)
    assert f"| $x$ | {v['x']:.6g} | m | at t = 0 |" in made.sheet.markdown().replace("\\-", "-")


def test_own_questions() -> None:
    eq = course.pendulum()
    height = -eq.p[1] * sb.cos(eq.q[0])
    made = a_pendulum({"How high is the bob?": height, "How fast does it swing?": "natural frequencies"})
    assert made.answers[0].value[0] == pytest.approx(-made.values["l"] * cos(made.values["theta"]))
    assert made.answers[1].question == "How fast does it swing?"


def test_seed_decides() -> None:
    one, same, other = (a_pendulum(["energy"], seed) for seed in (5, 5, 6))
    assert one.key.latex() == same.key.latex()
    assert one.values != other.values


def test_sheet_shows_the_values_and_the_key_alone_the_answers() -> None:
    """Students who compute from the sheet get the key: its values are not rounded further."""
    made = a_pendulum(["energy"])
    text, key = made.sheet.markdown(), made.key.markdown()
    for name, symbol in {"m": "m", "l": "l", "theta": r"\theta"}.items():
        assert f"| ${symbol}$ | {made.values[name]:.6g} |" in text
        assert float(f"{made.values[name]:.6g}") == made.values[name]
    assert made.answers[0].text not in text
    assert made.answers[0].text in key
    for sheet in (made.sheet, made.key):
        assert sheet.html().count("<li>") == 1
        assert r"\begin{enumerate}" in sheet.latex()


def test_wrong_requests_are_refused() -> None:
    eq = course.pendulum()
    with pytest.raises(sb.ModelError, match="there is no question 'colour'; there are natural frequencies"):
        teaching.exercise(eq, {}, ["colour"])
    with pytest.raises(sb.ModelError, match="'lenght'"):
        teaching.exercise(eq, {"lenght": (1, 2)}, ["energy"])
    with pytest.raises(sb.ModelError, match=r"range of 'l' must be \(lowest, highest\)"):
        teaching.exercise(eq, {"l": (2, 1)}, ["energy"])
    with pytest.raises(sb.SymbodyError, match="kg"):
        teaching.exercise(eq, {"l": ("1 kg", "2 kg")}, ["energy"])
