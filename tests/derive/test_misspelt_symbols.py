"""Symbols outside of a model: a typing mistake is no new parameter, and a parameter has no rate."""

from __future__ import annotations

import pytest

import symbody as sb
from symbody.derivation.written.user_expressions import is_misspelt

X, Y = sb.symbols("x y", "variable")
K = sb.symbol("k")


def test_a_typing_mistake_is_no_parameter() -> None:
    with pytest.raises(
        sb.ModelError, match=r"'yy' is neither a state nor an input, and has no value. Did you mean 'y'\?"
    ):
        sb.from_equations({X: Y, Y: -K * X - 0.1 * sb.symbol("yy")})
    theta, wrong = sb.symbol("theta", "coordinate"), sb.symbol("tehta")
    with pytest.raises(sb.ModelError, match=r"Did you mean 'theta'\?"):
        sb.from_lagrangian(theta.dot**2 / 2 - sb.cos(wrong), [theta])
    with pytest.raises(sb.ModelError, match=r"Did you mean 'stiffness'\?"):
        sb.from_equations({X: -sb.symbol("stifness") * X - sb.symbol("stiffness")}, {"stiffness": 2.0})


def test_what_is_meant_can_be_said() -> None:
    eq = sb.from_equations({X: Y, Y: -sb.symbol("yy") * X}, {"yy": None})
    assert [p.name for p in eq.p] == ["yy"]
    assert not sb.from_equations({X: -K * X}).notes
    eq = sb.from_equations({X: Y, Y: -K * X - sb.symbol("g")}, {K: 1.0})
    assert eq.notes == ("symbols without a value are parameters, too: g",)


@pytest.mark.parametrize(
    ("name", "wanted", "is_mistake"),
    [
        ("yy", "y", True), ("omega", "omegaa", True), ("omga", "omega", True), ("omeag", "omega", True), ("onega", "omega", True),
        ("k1", "k2", False), ("k", "k1", False), ("mu", "mus", False), ("m", "M", False), ("x_0", "x", False), ("a", "b", False),
        ("omega0", "omega", False), ("alpha", "omega", False),
    ],
)  # fmt: skip
def test_mistakes_and_names_of_their_own(name: str, wanted: str, is_mistake: bool) -> None:
    assert is_misspelt(name, wanted) is is_misspelt(wanted, name) is is_mistake


def test_a_parameter_has_no_rate() -> None:
    m, x = sb.symbols("m x")
    with pytest.raises(sb.errors.ExpressionError, match=r"x is a parameter.*symbol\('x', 'coordinate'\)"):
        sb.from_lagrangian(m * x.dot**2 / 2 - m * 9.81 * x, [x], {m: 1})
    assert sb.time_derivative(m * X) == m * X.dot
    assert sb.symbol("F", "input").dot.name == "F_dot"
