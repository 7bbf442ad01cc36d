"""Equations of textbook systems print in the form of the book, by every route; what does not appear is said."""

from __future__ import annotations

from pathlib import Path

import pytest

import symbody as sb
from bench.readable_systems import SYSTEMS

ROUTES = ("recursive", "kane", "lagrange", "newton-euler", "gibbs-appell")
BOOK = {
    block.split("\n", 1)[0]: block.split("\n", 1)[1].strip()
    for block in (Path(__file__).parent / "textbook.txt").read_text(encoding="utf-8").split("\n== ")[1:]
}


def test_every_system_is_in_the_book() -> None:
    assert list(BOOK) == list(SYSTEMS)
    assert len(BOOK) >= 25


@pytest.mark.parametrize("name", SYSTEMS)
def test_text_by_every_route(name: str) -> None:
    for route in ROUTES:
        assert str(sb.derive(SYSTEMS[name](), route, check=False).readable) == BOOK[name], route


def test_what_does_not_appear() -> None:
    found = {
        name: sb.derive(SYSTEMS[name](), check=False).readable
        for name in ("symmetric_top", "cart_and_pole", "half_car")
    }
    assert [s.name for s in found["symmetric_top"].absent] == ["psi", "phi"]
    assert [s.name for s in found["symmetric_top"].unused] == ["m", "l", "g"]
    assert found["cart_and_pole"].remarks == ("x appears in no equation",)
    assert found["half_car"].remarks == ()


def test_decoupled_equations_are_named() -> None:
    m = sb.Model("two")
    k1, k2 = m.parameters("k1 k2")
    for name, k in (("x", k1), ("y", k2)):
        m.prismatic(name, m.ground, m.body(name, mass=1), axis=name, stiffness=k)
    readable = sb.derive(m).readable
    assert readable.remarks == ("decoupled: x_dot; y_dot",)
    assert str(readable) == "x_ddot = -k1*x\ny_ddot = -k2*y"


def test_latex() -> None:
    found = sb.derive(SYSTEMS["pendulum"]()).readable.latex()
    assert found == (r"\begin{aligned} m l^{2} \ddot{\theta} &= -m g l \sin\left(\theta\right) \end{aligned}")
