"""Numbers of parameters are checked like literals: no body has a negative mass, size or principal inertia, wherever the
number comes from."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import symbody as sb
from symbody.command_line.cli import main
from symbody.derivation.equations.random_states import random_state


def pendulums(**values: float) -> sb.Model:
    """A bar, a body by numbers, and one whose inertia is incomplete on purpose."""
    m = sb.Model("two bodies")
    p = m.parameters(**({"m": 2.0, "l": 1.0, "J": 0.3, "spin": 0.1} | values))
    rod = m.body("rod", shape=sb.bar(p.l, "x", at=(p.l / 2, 0, 0)), mass=p.m)
    block = m.body("block", mass=3 * p.m, inertia=(0.5, p.J, p.J))
    wheel = m.body("wheel", mass=1, inertia=(0, p.spin, 0), physical=False)
    m.gravity(0, -9.81, 0)
    m.revolute("a", m.ground, rod)
    m.revolute("b", rod, block, at=(p.l, 0, 0))
    m.revolute("c", block, wheel, axis="y")
    return m


@pytest.fixture(scope="module")
def eq() -> sb.Equations:
    return sb.derive(pendulums())


BAD = {"m": "negative mass -2", "l": "its size must be positive", "J": "principal inertias -2"}
CALLS: dict[str, Callable[[Any, dict[str, Any]], Any]] = {
    "simulate": lambda eq, bad: sb.simulate(eq, 1, **bad),
    "start": lambda eq, bad: sb.simulate(eq, 1, bad),
    "state": sb.State.of,
    "assemble": lambda eq, bad: sb.assemble(eq, **bad),
    "steady": lambda eq, bad: sb.steady(eq, **bad),
    "linearize": lambda eq, bad: sb.linearize(eq, {"a": -1.5707963267948966}, values=bad),
    "eigenvalues": lambda eq, bad: sb.linearize(eq, {"a": -1.5707963267948966}).eigenvalues(**bad),
    "locus": lambda eq, bad: sb.linearize(eq, {"a": -1.5707963267948966}).numbers.sets(
        {k: [1, v] for k, v in bad.items()}
    ),
    "compiled": lambda eq, bad: sb.compile(eq).parameters(**bad),
    "random": lambda eq, bad: random_state(eq, 1, bad),
}


@pytest.mark.parametrize("name", BAD)
@pytest.mark.parametrize("call", CALLS)
def test_every_call_that_takes_values_refuses(eq: sb.Equations, call: str, name: str) -> None:
    with pytest.raises(sb.SymbodyError, match=f"{name} = -2.*{BAD[name]}"):
        CALLS[call](eq, {name: -2.0})


@pytest.mark.parametrize("name", BAD)
def test_values_of_a_model_are_refused_like_literals(name: str) -> None:
    with pytest.raises(sb.ModelError, match=f"{name} = -2.*{BAD[name]}"):
        pendulums(**{name: -2.0}).freeze()


def test_what_may_be_incomplete_passes(eq: sb.Equations) -> None:
    assert sb.simulate(eq, 0.1, spin=-0.05).outcome
    assert sb.State.of(eq, {"J": 0.0})["J"] == 0.0


@pytest.mark.parametrize("I", [(0, 0.3, 0.3), (0.7, 0.7, 0), (1, 0, 0)])
def test_rounding_of_principal_values_refuses_nobody(I: tuple[float, float, float]) -> None:
    b = sb.Model("one").body("b", mass=1, inertia=I)
    assert sb.evaluate(b.mass.I_BBcm, {}) == [[I[0], 0, 0], [0, I[1], 0], [0, 0, I[2]]]


def test_the_command_check_looks_at_values(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "double_pendulum", "--set", "m=-2"]) != 0
    assert "negative mass -2" in capsys.readouterr().err
