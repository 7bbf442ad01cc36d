"""A load of one's own by CONTRIBUTING.md alone: its lines are run as they stand there."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

import symbody as sb
from symbody.errors import ModelError
from tests.contributing.written import code_lines, written
from tests.mechanisms import Sample
from tests.oracles.test_routes import ALL, compare_routes, hold

LINES = 7  # as CONTRIBUTING.md says


@pytest.fixture(scope="module")
def buoyancy() -> Any:
    return written("A load")["buoyancy"]


def diver(buoyancy: Any) -> sb.Model:
    """Two coupled bodies under water."""
    m = sb.Model("diver")
    rho, V = m.parameters("rho V", 1000.0, 0.002)
    trunk = m.body("trunk", mass=2, com=(0.1, 0, 0.2), inertia=(0.3, 0.4, 0.5))
    leg = m.body("leg", mass=1, com=(0, 0.1, -0.4), inertia=(0.1, 0.1, 0.05))
    m.free("t", m.ground, trunk)
    m.revolute("hip", trunk, leg, axis="y", at=(0, 0, -0.3))
    buoyancy(m, "chest", trunk, trunk.point(0.2, 0, 0.5), density=rho, volume=V)
    buoyancy(m, "boot", leg, leg.point(0, 0, -0.8), density=rho, volume=V / 4)
    m.gravity(0, 0, -9.81)
    return m


def test_the_lines_are_as_many_as_the_page_says() -> None:
    assert code_lines("A load") == LINES


def test_five_routes_and_the_certificate(buoyancy: Any) -> None:
    sample = Sample(diver(buoyancy).freeze())
    compare_routes(sample, 1)
    for route in ALL:
        hold(sample, route, 1)


def test_a_wrong_potential_is_found(buoyancy: Any) -> None:
    """The certificate of a load whose force and potential disagree does not pass."""
    m = diver(buoyancy)
    right = m.parts.loads["boot"]
    assert right.potential is not None
    wrong = replace(right, name="wrong", potential=-right.potential)
    m.parts.add_load(wrong)
    assert not sb.certify(sb.derive(m)).passed


def test_it_lifts_by_the_weight_of_the_water(buoyancy: Any) -> None:
    m = sb.Model("ball")
    ball = m.body("ball", mass=2)
    m.prismatic("z", m.ground, ball, axis="z")
    buoyancy(m, "water", ball, ball.mass_centre, density=1000, volume=0.003, g=10)
    m.gravity(0, 0, -10)
    assert sb.evaluate(sb.derive(m).udot, {}) == pytest.approx([5.0])


def test_what_is_not_of_the_model_is_refused(buoyancy: Any) -> None:
    m, other = diver(buoyancy), sb.Model("other")
    trunk = m.bodies["trunk"]
    with pytest.raises(ModelError, match=r"buoyancy 'b', volume=.*'x' is not declared"):
        buoyancy(m, "b", trunk, trunk.mass_centre, density=1, volume=sb.symbol("x"))
    with pytest.raises(ModelError, match="belongs to another model"):
        buoyancy(m, "b", trunk, other.ground.point(0, 0, 0), density=1, volume=1)
    with pytest.raises(ModelError, match="two loads 'boot'"):
        buoyancy(m, "boot", trunk, trunk.mass_centre, density=1, volume=1)
