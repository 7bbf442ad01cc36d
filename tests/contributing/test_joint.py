"""A joint of one's own by CONTRIBUTING.md alone: its lines are run as they stand there."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import symbody as sb
from symbody.errors import ModelError
from tests.contributing.written import code_lines, written
from tests.mechanisms import Sample
from tests.oracles.test_routes import ALL, compare_routes, hold

LINES = 7  # as CONTRIBUTING.md says


@pytest.fixture(scope="module")
def kind() -> Any:
    return written("A joint")["POINT_ON_PLANE"]


def plate(m: sb.Model) -> tuple[Any, Any, Any]:
    """A plate with an arm on it, and the table that moves below it: motions that are coupled."""
    table = m.body("table", mass=4)
    m.prismatic("s", m.ground, table, axis=(1, 0, 1), stiffness=300.0)
    body = m.body("plate", mass=2, com=(0.1, 0.2, 0.3), inertia=(0.3, 0.4, 0.5))
    arm = m.body("arm", mass=1, com=(0.4, 0, 0.1), inertia=(0.1, 0.2, 0.2))
    return table, body, arm


def in_tree(kind: Any) -> sb.Model:
    m = sb.Model("in a tree")
    table, body, arm = plate(m)
    m.joint("p", table, body, kind, at=(0, 0, 1), stiffness={"p_x": 5.0, "p_2": 2.0}, damping={"p_y": 0.3})
    m.revolute("a", body, arm, axis="y", at=(0.3, 0, 0))
    m.gravity(0.5, 0, -9.81)
    return m


def in_loop(kind: Any) -> sb.Model:
    """The same mechanism: a free plate, held on the table by the joint."""
    m = sb.Model("in a loop")
    table, body, arm = plate(m)
    m.free("p", table, body, at=(0, 0, 1), sequence="xyz", stiffness={"p_x": 5.0, "p_2": 2.0}, damping={"p_y": 0.3})
    m.revolute("a", body, arm, axis="y", at=(0.3, 0, 0))
    m.joint("contact", table, body, kind, at=(0, 0, 1))
    m.gravity(0.5, 0, -9.81)
    return m


def test_the_lines_are_as_many_as_the_page_says() -> None:
    assert code_lines("A joint") == LINES


@pytest.mark.parametrize("made", [in_tree, in_loop])
def test_five_routes_and_the_certificate(made: Any, kind: Any) -> None:
    sample = Sample(made(kind).freeze())
    compare_routes(sample, 1)
    for route in ALL:
        hold(sample, route, 1)


def test_a_tree_and_a_loop_move_alike(kind: Any) -> None:
    start = {"p_1": 0.3, "p_2": 0.2, "a": 0.4, "p_x_dot": 0.5, "p_3_dot": 0.7}
    ends = []
    for made in (in_tree, in_loop):
        eq = sb.derive(made(kind))
        ends.append(sb.simulate(eq, 1.0, start, rtol=1e-10, atol=1e-10).final)
        assert eq.degrees_of_freedom == 7
    for name in ("s", "p_x", "p_y", "p_1", "p_2", "p_3", "a"):
        assert ends[0][name] == pytest.approx(ends[1][name], abs=1e-7)


def test_the_reaction_is_the_weight(kind: Any) -> None:
    """At rest the plane carries the plate."""
    m = sb.Model("resting")
    body = m.body("plate", mass=3, inertia=(1, 1, 1))
    m.free("p", m.ground, body)
    m.joint("table", m.ground, body, kind)
    m.gravity(0, 0, -10)
    eq = sb.derive(m)
    assert sb.evaluate(eq.multipliers, eq.values(otherwise=0.0)) == pytest.approx([30.0])


def test_it_goes_through_a_file(kind: Any, tmp_path: Any) -> None:
    before = sb.derive(in_tree(kind))
    sb.write.write_model(in_tree(kind), tmp_path / "plate.yaml")
    after = sb.derive(sb.read_model(tmp_path / "plate.yaml").model)
    at = {s.name: 0.1 * k for k, s in enumerate(before.state, 1)}
    one, other = (np.ravel(sb.evaluate(eq.udot, eq.values(at))) for eq in (before, after))
    assert one == pytest.approx(other, rel=1e-12)


def test_a_kind_with_a_name_that_exists_is_refused(kind: Any) -> None:
    m = sb.Model("m")
    again = sb.bodies.JointKind("revolute", kind.coordinates, kind.move)
    with pytest.raises(ModelError, match="give it another name"):
        m.joint("p", m.ground, m.body("b", mass=1), again)
