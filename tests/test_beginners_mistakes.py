"""What people type in their first hour, and the answer: it says what to write instead."""

from __future__ import annotations

import inspect
import math
import warnings
from collections.abc import Callable
from typing import Any

import pytest

import symbody as sb
from symbody.bodies.model.joint_methods import WORDS_OF_OTHERS
from symbody.kits import vehicles as vh
from symbody.summary import summary_rows

X, Q = sb.symbol("x"), sb.symbol("q", "coordinate")

ANSWERS: dict[str, Callable[[sb.Model], Any]] = {
    r"a power is written with \*\*": lambda m: X ^ 2,
    r"a power is written with \*\*, ": lambda m: 2 ^ X,
    r"constraint 'c': .*x = 2 is written x - 2": lambda m: m.constrain("c", m.coordinate("x") == 2),
    r"constraint 'c': .* x - 2": lambda m: m.constrain("c", m.coordinate("x") < 2),
    r"numbers go without units": lambda m: m.body("b", mass="1 kg"),
    r"'t' is the time; choose another name": lambda m: m.coordinate("t"),
    r"the time; choose another name for the coordinate": lambda m: m.revolute("t", m.ground, m.body("b", mass=1)),
    r"joint 'q': its parent and its child are both parts of b": lambda m: m.revolute("q", b := m.body("b", mass=1), b),
    r"joint 'c': its coordinate would be called 'c', and there is a parameter": lambda m: m.revolute(
        m.parameter("c").name, m.ground, m.body("b", mass=1)
    ),
    r"'c' is declared twice \(it is a coordinate of joint 'c' already\)": lambda m: m.parameter(
        m.revolute("c", m.ground, m.body("b", mass=1)).name
    ),
    r"joint 'r': its parent and its child are both parts of b": lambda m: m.fixed(
        "r", m.body("b", mass=1), m.bodies["b"].frame.translate(1, 0, 0)
    ),
}


@pytest.mark.parametrize("words", ANSWERS)
def test_mistakes_are_answered_with_what_to_write(words: str) -> None:
    with pytest.raises(sb.SymbodyError, match=words):
        ANSWERS[words](sb.Model("m"))


@pytest.mark.parametrize(
    ("name", "words"), [("diff", r"q.dot"), ("subs", "sb.substitute"), ("free_symbols", "sb.free_symbols")]
)
def test_words_of_sympy_are_answered(name: str, words: str) -> None:
    with pytest.raises(AttributeError, match=words):
        getattr(Q + X, name)
    with pytest.raises(AttributeError, match=r"has no attribute 'length'"):
        Q.length  # type: ignore[attr-defined]


def test_gravity_takes_a_tuple() -> None:
    one, other = sb.Model("one"), sb.Model("other")
    one.gravity((0, 0, -9.81))
    other.gravity(0, 0, -9.81)
    assert [str(m.freeze().gravity) for m in (one, other)] == ["-9.81*ground.z"] * 2


# ------------------------------------------------------------------------------------------------------------- outcomes


def test_an_outcome_that_is_false_is_printed() -> None:
    class Outcome(str):
        def __bool__(self) -> bool:
            return False

    assert summary_rows(outcome=Outcome("did not converge"), other="", notes="x") == (
        ("outcome", "did not converge"),
        ("notes", "x"),
    )


# ---------------------------------------------------------------------------------------------------------------- tyres

C = {
    "FNOMIN": 4000, "UNLOADED_RADIUS": 0.313, "VERTICAL_STIFFNESS": 2e5, "PCX1": 1.685, "PDX1": 1.21, "PKX1": 21.51, "PCY1": 1.193,
    "PDY1": -0.99, "PKY1": -14.95, "PKY2": 2.13,
}  # fmt: skip
COMBINED = {"RBX1": 13.05, "RBX2": 9.718, "RCX1": 0.9995, "RBY1": 10.62, "RBY2": 7.82, "RCY1": 1.059}


def test_coefficients_that_the_formula_has_not_are_refused() -> None:
    with pytest.raises(sb.ModelError, match=r"there is no coefficient 'PKY11'.*Did you mean 'PKY1'\?"):
        vh.MagicFormula({**C, **COMBINED, "PKY11": -15.0}, "5.2")


def test_missing_combined_slip_is_told_once() -> None:
    with pytest.warns(UserWarning, match="there is no combined slip: RBX1, RCX1, RBY1, RCY1 is missing"):
        tyre = vh.MagicFormula(C, "5.2")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert not tyre.without_shifts().has_combined_slip
        assert vh.MagicFormula({**C, **COMBINED}, "5.2").has_combined_slip


def test_values_without_equations_are_no_scene() -> None:
    m = sb.Model("p")
    m.revolute("q", m.ground, m.body("b", mass=1, com=(0, -1, 0)))
    eq = sb.derive(m)
    with pytest.raises(sb.SymbodyError, match=r"sb\.scene\(eq, values="):
        sb.scene(sb.simulate(eq, 0.1).final)
    assert sb.scene(eq, values={"q": 0.3}).solids


def test_an_inverse_dynamics_is_compiled_with_its_equations() -> None:
    m = sb.Model("cart")
    m.prismatic("x", m.ground, m.body("cart", mass=2.0), actuation=m.input("F"))
    with pytest.raises(sb.errors.ProgramError, match=r"compile\(eq\)\.inverse\(t, q, u, a, p\)"):
        sb.compile(sb.inverse_dynamics(sb.derive(m)))  # type: ignore[arg-type]


def test_letters_that_are_exchanged_are_found() -> None:
    x = sb.symbol("theta", "variable")
    with pytest.raises(sb.errors.SimulationError, match=r"Did you mean 'theta'\?"):
        sb.simulate(sb.from_equations({x: -x}), 1, tetha=1.0)


@pytest.mark.parametrize(
    ("word", "option"),
    [("torque", "actuation"), ("motor", "actuation"), ("spring", "stiffness"), ("dampng", "damping")],
)
def test_words_of_others_are_answered_with_the_option(word: str, option: str) -> None:
    m = sb.Model("m")
    wrong: dict[str, Any] = {word: 1.0}
    with pytest.raises(sb.ModelError, match=rf"joint 'j': there is no option '{word}'; .* Did you mean '{option}'"):
        m.revolute("j", m.ground, m.body("b", mass=1), **wrong)


def test_words_of_others_lead_to_options_that_exist() -> None:
    options = inspect.signature(sb.Model.revolute).parameters
    assert set(WORDS_OF_OTHERS.values()) <= set(options)
    assert not set(WORDS_OF_OTHERS) & set(options)


def test_the_final_state_has_outputs() -> None:
    m = sb.Model("pendulum")
    m.gravity(0, -9.81, 0)
    a = m.revolute("a", m.ground, m.body("b", mass=1, com=(0, -1, 0))).q
    m.output("tip", sb.sin(a))
    sim = sb.simulate(sb.derive(m), 1.0, a=1.0)
    assert sim.final["tip"] == pytest.approx(math.sin(sim.final["a"]))
    assert sim.final["a_ddot"] == pytest.approx(-9.81 * sim.final["tip"])
    assert list(sim.final) == ["a", "a_dot"]
    with pytest.raises(sb.SymbodyError, match=r"there is no quantity 'top'; there are .*tip"):
        sim.final["top"]
