"""Bending strain to third order: closed forms of large deflections, and motions that do not depend on the frame in which
deflections are small."""

from __future__ import annotations

from math import pi
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_bvp
from scipy.special import ellipk

import symbody as sb

x = sb.bodies.material("x")


def tip(order, force, *, ends=("clamped", "free"), modes=5, **how):
    """Where the end of a cantilever is under a force; its section at the beginning is held, whatever its frame."""
    m = sb.Model("cantilever")
    given: dict[str, Any] = {"length": 1, "EI": 1, "rho_A": 1, "modes": modes, "ends": ends, "order": order, **how}
    if ends[0] == "clamped":
        arm = m.beam("arm", m.ground, **given)
    else:
        arm = m.beam("arm", **given)
        m.fixed("root", m.ground, arm)
    m.force("load", arm.at(1), m.ground.vector(*force))
    for k, axis in enumerate("xyz"):
        m.output(axis, arm.at(1).origin.in_ground[k])
    found = sb.steady(sb.derive(m))
    return np.array([found[a] for a in "xyz"])


def elastica(force, stiffness=lambda s: 1 + 0 * s):
    """EI θ' = M, M' = -F cos θ, of a cantilever with a force across it."""

    def rates(s, y):
        return np.vstack([y[1] / stiffness(s), -force * np.cos(y[0]), np.cos(y[0]), np.sin(y[0])])

    def at_ends(a, b):
        return np.array([a[0], b[1], a[2], a[3]])

    found = solve_bvp(rates, at_ends, np.linspace(0, 1, 30), np.zeros((4, 30)), tol=1e-9)
    return found.y[2:, -1]


@pytest.mark.parametrize(("order", "off"), [(2, 0.04), (3, 0.0025)])
def test_a_cantilever_bends_as_the_elastica_does(order, off):
    """A deflection of 0.19 of its length."""
    want = elastica(0.6)
    found = tip(order, (0, 0.6, 0))
    error = np.abs(found[:2] - want).max() / want[1]
    assert off / 2 < error < off


def test_frames_do_not_matter():
    """Of a tapered beam that stretches: tangent at its beginning, or along its chord. Linear strains are 6e-4 apart."""
    force, given = (0.1, 0.25, 0), {"EI": 1 - x / 2, "EA": 200, "modes": {"y": 5, "x": 2}}
    first, second = (
        np.linalg.norm(tip(order, force, **given) - tip(order, force, ends=("pinned", "pinned"), **given))
        for order in (2, 3)
    )
    assert first > 4e-4
    assert second < 4e-5


def test_planes_do_not_matter():
    """A force at an angle bends a round beam in its plane."""
    flat = tip(3, (0, 0.6, 0), modes=3)
    leaning = tip(3, (0, 0.36, 0.48), modes=3, bending="yz")
    assert leaning[0] == pytest.approx(flat[0], abs=1e-9)
    assert leaning[1:] == pytest.approx(flat[1] * np.array([0.6, 0.8]), abs=1e-9)


def test_a_column_holds_more_than_its_buckling_load():
    """One beam: a pitchfork from which P = (4 K(k)² / π²) P₀ with k = sin α / 2 rises, where linear strains have none."""
    m = sb.Model("column")
    P = m.parameter("P", 2.0)
    beam = m.beam("beam", m.ground, length=1, EI=1, rho_A=1, modes=3, order=3)
    m.force("load", beam.at(1), m.ground.vector(-P, 0, 0))
    eq = sb.derive(m)
    (point,) = sb.branch(eq, sb.steady(eq), P=(2, 3)).special
    assert (point.kind, point.criticality) == ("pitchfork", "supercritical")
    assert point.value == pytest.approx(pi**2 / 4, rel=2e-4)
    k = np.sin(np.radians(10) / 2)
    bent = sb.steady(eq, P=ellipk(k * k) ** 2, start={"beam_y1": 0.2})
    assert abs(sum(bent[f"beam_y{k}"] for k in (1, 2, 3))) == pytest.approx(2 * k / ellipk(k * k), rel=0.01)


REFUSED: dict[str, dict[str, Any]] = {
    "is 2 .* or 3": {"order": 4},
    "it does not bend": {"EI": None, "EA": 1.0},
    "drops terms of second order": {"stiffening": False},
    "it shears": {"GA": 10.0, "rho_I": 1.0},
    "it twists": {"GJ": 1.0, "rho_I": 1.0},
    "different EI": {"EI": (1.0, 2.0)},
    "kinks": {"EA": 1.0, "elements": 2, "modes": None},
}


@pytest.mark.parametrize("says", REFUSED)
def test_refused(says):
    given: dict[str, Any] = {"length": 1, "EI": 1.0, "rho_A": 1, "modes": 1, "order": 3, **REFUSED[says]}
    with pytest.raises(sb.ModelError, match=says):
        sb.Model("m").beam("arm", **given)


def test_it_is_said_and_kept_in_files():
    m = sb.Model("arm")
    m.beam("arm", m.ground, length=1, EI=1, rho_A=1, modes=2, order=3)
    eq = sb.derive(m)
    assert any("third order" in note for note in eq.notes)
    text = "symbody: 1\nname: arm\nbodies:\n  arm: {frame: ground, beam: {length: 1, EI: 1, rho_A: 1, modes: {y: 2}, order: 3}}\n"
    again = sb.derive(sb.study.read_model_text(text).model)
    at = {s.name: 0.3 for s in (*eq.q, *eq.u)}
    assert sb.evaluate(again.f[0], at) == pytest.approx(sb.evaluate(eq.f[0], at))
