"""Sines as shapes of beams with pinned ends, beside polynomials; and foreshortening by few shapes."""

from __future__ import annotations

from fractions import Fraction
from math import pi
from random import Random
from typing import Any

import numpy as np
import pytest
from scipy.integrate import quad

import symbody as sb
from symbody.algebra.graph.graph import as_expr
from symbody.bodies.elastic.line_polynomials import orthogonal
from symbody.bodies.elastic.line_waves import Waves

x = sb.bodies.material("x")
PINNED: dict[str, Any] = {"ends": ("pinned", "pinned"), "shapes": "sines"}


# ---------------------------------------------------------------------------------------------------- functions


def some_waves(seed):
    draw = Random(seed)
    keys = {((draw.randint(0, 3), draw.randint(0, 4), False), draw.randint(-2, 2)) for _ in range(3)}
    keys |= {((draw.randint(0, 3), draw.randint(1, 4), True), draw.randint(-2, 2)) for _ in range(3)}
    return Waves({k: Fraction(draw.randint(1, 9), draw.randint(1, 9)) for k in sorted(keys)})


def number(f, X):
    return sb.evaluate(f.at(as_expr(X)), {})


def near(value):
    return pytest.approx(value, rel=1e-11, abs=1e-11)


@pytest.mark.parametrize("seed", range(4))
def test_waves_have_exact_products_slopes_and_integrals(seed):
    f, g = some_waves(seed), some_waves(seed + 10)
    X, h = 0.37, 1e-20
    assert number(f * g, X) == near(number(f, X) * number(g, X))
    assert number(f.slope, X) == near(sb.evaluate(f.at(as_expr(X) + sb.symbol("h")), {"h": 1j * h}).imag / h)
    for origin, start in ((0, 0.0), (1, 1.0)):
        assert number(f.primitive(origin), X) == near(quad(lambda s: number(f, s), start, X, epsabs=1e-13)[0])
    assert sb.evaluate(f.primitive(None).product_integral(f.one), {}) == near(0.0)
    whole = quad(lambda s: number(f, s) * number(g, s), 0, 1, epsabs=1e-13)[0]
    assert sb.evaluate(f.product_integral(g), {}) == near(whole)
    tapered = quad(lambda s: s**2 * number(f, s) * number(g, s), 0, 1, epsabs=1e-13)[0]
    assert sb.evaluate(f.piece_integral(g, 0, 2), {}) == near(tapered)


def test_few_shapes_between_the_ends():
    """The ends stay; the rest is the projection on what vanishes there."""
    f = orthogonal(1, 2, 0)[0] * orthogonal(1, 1, 0)[0] * orthogonal(1, 1, 0)[0]  # X⁴
    found = f.with_shapes_between(1)
    assert [number(found, X) for X in (0, 1)] == [0, 1]
    assert (f.plus(found, Fraction(-1))).product_integral(orthogonal(1, 1, 1)[0]) == 0
    assert f.with_shapes_between(3) == f
    wave = Waves.power(1).slope * Waves.sine(3) * Waves.sine(2)  # ½ (cos π X - cos 5 π X)
    assert wave.primitive(0).with_shapes_between(1) == Waves.sine(1).scaled(Fraction(1, 2)).with_shapes_between(
        1
    ) * Waves({((0, 0, False), -1): Fraction(1)})


# ---------------------------------------------------------------------------------------------------- beams


def test_matrices_keep_their_symbols():
    """Coordinates are slopes at the ends: masses ½ μ L³ / (kπ)², stiffnesses ½ EI (kπ)² / L, and Euler's load."""
    m = sb.Model("beam")
    L, EI, mu, N = m.parameters("L EI mu N")
    beam = m.beam("beam", m.ground, length=L, EI=EI, rho_A=mu, modes=3, tension=-N, **PINNED)
    for k in (1, 2, 3):
        at = {"L": 1.7, "EI": 3.0, "mu": 0.4, "N": 3.0 * (k * pi / 1.7) ** 2}
        assert sb.evaluate(beam.mass_matrix[k - 1, k - 1], at) == pytest.approx(0.2 * 1.7**3 / (k * pi) ** 2, rel=1e-14)
        assert sb.evaluate(beam.stiffness[k - 1, k - 1], at) == pytest.approx(0, abs=1e-12)  # it buckles
    assert all(A[i, j] is as_expr(0) for A in (beam.mass_matrix, beam.stiffness) for i in range(3) for j in range(i))
    assert sb.evaluate(
        beam.displacement(L / 2)[1], {"L": 2.0, "beam_y1": 0.1, "beam_y2": 0.3, "beam_y3": 0}
    ) == pytest.approx(0.2 / pi)


def test_frequencies_are_those_of_the_beam():
    m = sb.Model("beam")
    m.beam("beam", m.ground, length=2.0, EI=3.0, rho_A=0.5, modes=6, bending="z", **PINNED)
    found = np.unique(np.abs(sb.linearize(sb.derive(m), {}).eigenvalues().imag).round(9))
    assert found == pytest.approx([(k * pi / 2) ** 2 * 6**0.5 for k in range(1, 7)], rel=1e-10)


def falling(shapes, modes, **more):
    """The end of a hinged beam after a third of a second."""
    m = sb.Model("beam")
    beam = m.beam("beam", length=1, EI=20, rho_A=1, modes=modes, ends=("pinned", "pinned"), shapes=shapes, **more)
    m.revolute("hinge", m.ground, beam, axis="z")
    m.gravity(0, -9.81, 0)
    sim = sb.simulate(sb.derive(m), [0, 0.35], rtol=1e-9)
    return np.array([sim[e][-1] for e in beam.at(1).origin.in_ground.entries[:2]])


def test_the_same_motion_as_of_polynomials():
    """Sines converge to what polynomials do, in bending and in stretch."""
    best = falling("polynomials", {"y": 7, "x": 3}, EA=1e3)
    few, many = (np.linalg.norm(falling("sines", {"y": y, "x": x}, EA=1e3) - best) for y, x in ((1, 1), (5, 4)))
    assert many < 2e-5
    assert few > 1e-3


@pytest.mark.parametrize("order", [2, 3])
def test_the_same_sag_as_of_polynomials(order):
    """A beam that hangs between its pins, of which one slides, by a tenth of its length."""

    def middle(shapes, modes):
        m = sb.Model("beam")
        given = {
            "EI": 1 - x / 3,
            "EA": 500.0,
            "modes": modes,
            "order": order,
            "shapes": shapes,
            "ends": ("pinned", "pinned"),
        }
        beam = m.beam("beam", m.ground, length=1, rho_A=1, **given)
        m.gravity(0, -6.5, 0)
        found = sb.steady(sb.derive(m))
        return np.array(
            sb.evaluate(list(beam.displacement(0.5).entries[:2]), {q.name: found[q.name] for q in beam.coordinates})
        )

    sags = middle("polynomials", {"y": 6, "x": 3})
    assert abs(sags[1]) > 0.09
    assert middle("sines", {"y": 7, "x": 5}) == pytest.approx(sags, abs=3e-5)


@pytest.mark.parametrize(("shapes", "enough"), [("polynomials", 5), ("sines", 4)])
def test_foreshortening_by_few_shapes(shapes, enough):
    """At the ends it is as it was; by as many shapes as it has, everywhere; by none, motions are nearly the same."""

    def beam(**more):
        m = sb.Model("beam")
        return m, m.beam(
            "beam", m.ground, length=1, EI=1, rho_A=1, modes={"y": 2, **more}, ends=("pinned", "pinned"), shapes=shapes
        )

    at = {"beam_y1": 0.3, "beam_y2": -0.2}
    (_, whole), (m, even), (_, same) = beam(), beam(shortening=0), beam(shortening=enough)
    for place in (1, 0.3):
        found = [sb.evaluate(b.displacement(place)[0], at) for b in (whole, even, same)]
        assert found[0] == pytest.approx(found[2], rel=1e-14)
        assert (found[0] == pytest.approx(found[1], rel=1e-14)) == (place == 1)
    assert any("between them by a straight line and 0 shapes" in note for note in sb.derive(m).notes)
    moved = falling(shapes, {"y": 2}) - falling(shapes, {"y": 2, "shortening": 0})
    assert 1e-6 < np.linalg.norm(moved) < 2e-3


def test_files_and_damping():
    text = """symbody: 1
name: rod
bodies:
  rod:
    frame: ground
    beam: {length: 2, EI: 3, rho_A: 0.5, ends: [pinned, pinned], shapes: sines, modes: {y: 3, shortening: 1}, modal_damping: 0.02}
"""
    again = sb.derive(sb.study.read_model_text(text).model)
    m = sb.Model("rod")
    m.beam("rod", m.ground, length=2, EI=3, rho_A=0.5, modes={"y": 3, "shortening": 1}, modal_damping=0.02, **PINNED)
    eq = sb.derive(m)
    at = {s.name: 0.3 for s in (*eq.q, *eq.u)}
    written = sb.derive(sb.study.read_model_text(sb.write.model_text(eq.mechanism)).model)
    for other in (again, written):
        one, two = (np.ravel(sb.evaluate([e.M, e.f], at)[1]) for e in (eq, other))
        assert np.allclose(one, two, rtol=1e-13, atol=0)
    assert sb.linearize(eq, {}).modes()[0].damping_ratio == pytest.approx(0.02)


REFUSED: dict[str, dict[str, Any]] = {
    "is 'polynomials' or 'sines'; got 'cosines'": {"shapes": "cosines"},
    "sines keep the conditions of pinned ends, and ends= is .'clamped', 'free'.": {"ends": ("clamped", "free")},
    "finite elements have shapes of their own": {"modes": None, "elements": 2},
    "it shears": {"GA": 10.0, "rho_I": 1.0},
    "has the motions .*; got 'shortning'": {"modes": {"y": 1, "shortning": 1}},
    "from 0 for 'shortening', got -1": {"modes": {"y": 1, "shortening": -1}},
    "there is none: it needs EI=": {"modes": {"y": 1, "shortening": 1}, "stiffening": False},
}


@pytest.mark.parametrize("says", REFUSED)
def test_refused(says):
    given: dict[str, Any] = {"length": 1, "EI": 1.0, "rho_A": 1, "modes": 1, **PINNED, **REFUSED[says]}
    with pytest.raises(sb.ModelError, match=says):
        sb.Model("m").beam("arm", **given)


@pytest.mark.parametrize(
    ("modes", "needs"),
    [({"y": 2, "z": 2}, "bending='z' or 'yz'"), ({"y": 2, "x": 1}, "EA="), ({"y": 2, "twist": 1}, "GJ=")],
)
def test_shapes_of_motions_that_the_beam_does_not_have(modes, needs):
    """Asked for and not there: refused with the option that is missing."""
    with pytest.raises(sb.ModelError, match=rf"this beam moves in y only; it needs {needs}"):
        sb.Model("m").beam("panel", length=6, EI=800, rho_A=3, modes=modes)
