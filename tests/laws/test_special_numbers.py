"""Numbers that make expressions fold (equal inertias, zeros, ones, axes through mass centres) change nothing: equations with
them written in, and equations with parameters of these values, have the same accelerations and the same motion."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import symbody as sb

INERTIAS = {
    "sphere": (0.1, 0.1, 0.1), "exact sphere": (1, 1, 1), "disc": (0.1, 0.1, 0.2), "unequal": (0.3, 0.4, 0.5),
    "zero about an axis": (1, 1, 0),
}  # fmt: skip
PLACES = {"mass centre": (0, 0, 0), "beside it": (0.0, 0.0, -0.5)}
JOINTS: dict[str, Callable[[sb.Model, Any, Any, Any], Any]] = {
    "free": lambda m, on, body, at: m.free("j", on, body),
    "free, zxz": lambda m, on, body, at: m.free("j", on, body, sequence="zxz"),
    "spherical": lambda m, on, body, at: m.spherical("j", on, body, on=at),
    "spherical, zxz": lambda m, on, body, at: m.spherical("j", on, body, "zxz", on=at),
    "spherical, Euler parameters": lambda m, on, body, at: m.spherical("j", on, body, "euler parameters", on=at),
    "universal": lambda m, on, body, at: m.universal("j", on, body, on=at),
    "revolute": lambda m, on, body, at: m.revolute("j", on, body, on=at),
}


def model(joint: str, inertia: tuple[Any, ...], at: tuple[Any, ...], mass: Any, m: sb.Model) -> sb.Equations:
    m.gravity(0, 0, -10)
    JOINTS[joint](m, m.ground, m.body("b", mass=mass, inertia=inertia), at)
    return sb.derive(m)


def both(joint: str, inertia: str, place: str) -> tuple[sb.Equations, sb.Equations]:
    """The equations with numbers written in, and with parameters."""
    m = sb.Model("symbols")
    values = (*INERTIAS[inertia], *PLACES[place], 1)
    p = m.parameters("A B C x y z mass", *map(float, values))
    numbers = model(joint, INERTIAS[inertia], PLACES[place], 1, sb.Model("numbers"))
    return numbers, model(joint, tuple(p[:3]), tuple(p[3:6]), p[6], m)


def is_singular(joint: str, inertia: str, place: str) -> bool:
    """A body that is turned about an axis about which it has no inertia."""
    return inertia == "zero about an axis" and (joint == "revolute" or not joint.startswith("universal"))


CASES = [c for j in JOINTS for i in INERTIAS for p in PLACES if not is_singular(*(c := (j, i, p)))]


@pytest.mark.parametrize(("joint", "inertia", "place"), CASES)
def test_numbers_and_parameters_have_the_same_accelerations(joint: str, inertia: str, place: str) -> None:
    numbers, symbols = both(joint, inertia, place)
    random = np.random.default_rng(7)
    q = random.uniform(0.3, 0.9, len(numbers.q))
    if "parameters" in joint:
        q /= np.linalg.norm(q)
    u = random.normal(size=len(numbers.u))
    values = [float(v) for v in (*INERTIAS[inertia], *PLACES[place], 1)]
    one, other = sb.compile(numbers).udot(0.0, q, u), sb.compile(symbols).udot(0.0, q, u, values)
    assert one == pytest.approx(other, rel=1e-11, abs=1e-11)


@pytest.mark.parametrize("joint", JOINTS)
def test_a_sphere_moves(joint: str) -> None:
    """Of numbers that are equal about all axes; also in many members and steps of fixed length."""
    numbers, symbols = both(joint, "sphere", "mass centre")
    start = dict.fromkeys(numbers.q, 0.5) if "parameters" in joint else dict.fromkeys(numbers.q, 0.4)
    start |= dict.fromkeys(numbers.u, 0.3)
    one, other = (sb.simulate(eq, 0.5, start) for eq in (numbers, symbols))
    assert one.outcome
    assert one.final[numbers.q[-1].name] == pytest.approx(other.final[numbers.q[-1].name], abs=1e-7)
    many = sb.simulate_batch(numbers, 0.5, start)
    assert np.ravel(many[numbers.q[-1].name][..., -1])[0] == pytest.approx(one.final[numbers.q[-1].name], abs=1e-6)
    env = sb.stepper(numbers, 1e-3, start)
    assert np.isfinite(env.step(env.start)).all()


def test_a_guard_lasts_when_numbers_are_put_in() -> None:
    """The accelerations of a sphere of unknown inertia, with numbers for inertia and mass."""
    m = sb.Model("s")
    p = m.parameters("J mass", 0.1, 1.0)
    m.free("j", m.ground, m.body("b", mass=p[1], inertia=(p[0], p[0], p[0])))
    eq = sb.derive(m)
    from symbody.derivation.programs.forward_dynamics import ways_to_accelerations

    for udot in ways_to_accelerations(eq):
        put = sb.substitute(udot, {p[0]: 0.1, p[1]: 1.0})
        state = dict.fromkeys((*eq.q, *eq.u), 0.4)
        assert sb.evaluate(list(put.entries), state) == pytest.approx(
            sb.evaluate(list(udot.entries), {**state, p[0]: 0.1, p[1]: 1.0})
        )
