"""Bodies by shape functions of one's own, and what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import symbody as sb
from symbody.bodies.mass.material_integrals import Region, gauss_points

x, y, z = sb.bodies.material("x y z")


def test_modes_as_expressions_are_the_beam():
    """The same polynomials by `m.elastic` and by `m.beam`: same equations, symbols kept."""

    def arm(of_modes: bool) -> sb.Equations:
        m = sb.Model("arm")
        L, EI, mu = m.parameters(L=1.3, EI=2.0, mu=0.7)
        if of_modes:
            X = x / L
            second = {(0, 0): (-4 * X**3 / (3 * L), 0, 0)}  # -∫ v'² dx
            body = m.elastic(
                "arm",
                modes=[(0, X**2, 0)],
                over={x: (0, L)},
                density=mu,
                stiffness=4 * EI / L**3,
                second=second,
                coordinates="arm_y1",
            )
        else:
            body = m.beam("arm", length=L, EI=EI, rho_A=mu, modes=1)
        m.revolute("hinge", m.ground, body, axis=(1, 2, 3))
        m.particle("tip", body.at(L).point(0.1, 0.2, 0), mass=0.3)
        m.gravity(0, 0, -9.81)
        return sb.derive(m)

    one, other = arm(True), arm(False)
    state = {**{s: 0.2 + 0.1 * k for k, s in enumerate((*one.q, *one.u))}, **one.mechanism.values}
    M, f = sb.evaluate([one.M, one.f], state)
    M2, f2 = sb.evaluate([other.M, other.f], {s: state[s] for s in (*other.q, *other.u, *other.p)})
    order = [one.u.index(u) for u in other.u]
    assert np.array(M)[np.ix_(order, order)] == pytest.approx(np.array(M2), rel=1e-12)
    assert np.ravel(f)[order] == pytest.approx(np.ravel(f2), rel=1e-12)


def test_a_solid_has_the_mass_and_stiffness_of_its_material():
    """A block stretched by one mode: mass, inertia and E A / L; frames turn by half the curl."""
    m = sb.Model("block")
    L, b, E = m.parameters(L=2.0, b=0.3, E=7.0)
    over = {x: (0, L), y: (-b / 2, b / 2), z: (-b / 2, b / 2)}
    body = m.elastic(
        "block",
        m.ground,
        modes=[(x / L, 0, 0), (-x * y / L, x * x / (2 * L), 0)],
        over=over,
        density=3.0,
        elasticity=(E, 0),
    )
    at = {L: 2.0, b: 0.3, E: 7.0}
    mass, I, K = sb.evaluate([body.mass_at_rest.m, body.mass_at_rest.I_BBcm, body.stiffness], at)
    assert mass == pytest.approx(3 * 2 * 0.09)
    assert np.diag(I) == pytest.approx(mass / 12 * np.array([0.18, 4.09, 4.09]))
    assert K == pytest.approx(np.array([[7 * 0.09 / 2, 0], [0, 7 * 0.3**4 / 12 / 2]]), abs=1e-15)
    turned = sb.evaluate(body.at(2.0).rotation.matrix, {**at, body.coordinates[0]: 0, body.coordinates[1]: 0.1})
    assert turned[1][0] == pytest.approx(np.sin(0.1))


def test_quadrature():
    """Shapes that are no polynomials: the pinned beam's sines, by points of Gauss; these are exact to their degree."""
    m = sb.Model("sine")
    L = m.parameter("L", 1.5)
    body = m.elastic(
        "rod",
        m.ground,
        modes=[(0, sb.sin(k * sb.pi * x / L), 0) for k in (1, 2)],
        over={x: (0, L)},
        density=2.0,
        stiffness=np.eye(2),
    )
    M = sb.evaluate(body.mass_matrix, {L: 1.5})
    assert M == pytest.approx(np.array([[1.5, 0], [0, 1.5]]), abs=1e-13)
    assert sum(w * p**10 for p, w in gauss_points(6)) == pytest.approx(2 / 11, rel=1e-14)
    wedge = Region({x: (sb.identity(1)[0, 0] * 0, sb.identity(1)[0, 0]), y: (-x, x)})
    assert [e.value for e in wedge.integrals([x * 0 + 1, y * y])] == [1, pytest.approx(1 / 6)]


def test_too_few_points_are_noted():
    """Nine half waves over 20 points: the integral of sin² is off by 6e-5, and a note says so; with 40 points none is."""

    def notes(**options):
        m = sb.Model("sine")
        shape = (0, sb.sin(9 * sb.pi * x / 1.5), 0)
        body = m.elastic("rod", m.ground, modes=[shape], over={x: (0, 1.5)}, density=2.0, stiffness=1.0, **options)
        return sb.evaluate(body.mass_matrix[0, 0], {}), m.freeze().notes

    rough, (said,) = notes()
    assert "by 20 points of Gauss have an error of about 6e-05" in said
    assert 1e-5 < abs(rough - 1.5) < 1e-3
    fine, said = notes(quadrature=40)
    assert fine == pytest.approx(1.5, rel=1e-12)
    assert said == ()


def test_mean_axes_of_any_modes():
    """A plate with modes that move it as a whole: on mean axes they have no momentum, and a body in space moves as on
    the axes given."""

    def plate(**options):
        m = sb.Model("plate")
        a, b = m.parameters(a=1.3, b=0.4)
        modes = [(0, 0, (x / a) ** 2 + y * x), (0, 0.1 * (x / a) ** 2, x * y / a)]
        body = m.elastic(
            "plate", modes=modes, over={x: (0, a), y: (0, b)}, density=2.0, stiffness=[[3, 0.5], [0.5, 2]], **options
        )
        m.free("motion", m.ground, body)
        return body, sb.derive(m)

    body, eq = plate(axes="mean")
    M = np.array(sb.evaluate(eq.M, dict.fromkeys(eq.q, 0.0) | dict(eq.mechanism.values)))
    assert np.abs(M[:2, 2:]).max() < 1e-15 < np.abs(M[:2, :2]).min()
    assert sb.certify(eq, routes=["newton-euler", "lagrange"]).passed
    _, given = plate()
    found = [
        np.sort(np.abs(sb.linearize(e, dict.fromkeys(e.q, 0.0), moving=True).eigenvalues().imag)) for e in (eq, given)
    ]
    assert found[0] == pytest.approx(found[1], rel=1e-6, abs=1e-5)
    turned = sb.evaluate(
        body.at(0.0, 0.0).rotation.matrix, {**eq.mechanism.values, body.coordinates[0]: 0.1, body.coordinates[1]: 0.0}
    )
    assert abs(turned[2][0]) > 1e-3  # frames turn back with what was taken out
    with pytest.raises(sb.ModelError, match="axes= is 'given', or 'mean'"):
        plate(axes="chord")


def test_given_turns_lose_the_rotation_that_mean_axes_take_out():
    """A mode with a small rotation of the whole added to it, in displacements and turns, has the same frames."""

    def frame_of_tip(added):
        m = sb.Model("strip")
        bent, slope = (x**2, 2 * x)
        body = m.elastic(
            "strip", modes=[(-added * y, bent + added * x, 0)], over={x: (0, 1), y: (-0.1, 0.1)}, density=2.0, stiffness=[[3]],
            turns=[(0, 0, slope + added)], axes="mean",
        )  # fmt: skip
        m.free("motion", m.ground, body)
        rotation = body.at(1.0, 0.0).rotation.matrix
        return np.array(sb.evaluate(rotation, {**m.freeze().values, body.coordinates[0]: 0.01}))

    alone, added = frame_of_tip(0), frame_of_tip(0.7)
    mean = (1 / 12) / ((1 + 0.2**2) / 12)  # ∫ (x - 1/2) x² over the moment of inertia of the strip
    assert alone[1, 0] == pytest.approx(np.sin(0.01 * (2 - mean)), rel=1e-9)
    assert added == pytest.approx(alone, abs=1e-12)


REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "not independent": ({"modes": [(0, x**2, 0), (0, 2 * x**2, 0)]}, r"not independent: .* is nowhere"),
    "rigid turn inside": ({"modes": [(0, x, 0)]}, r"contain a motion of the whole as a rigid body"),
    "rigid shift inside": (
        {"modes": [(0, x**2, 0), (0, x**2 + 1, 0)]},
        r"contain a motion of the whole as a rigid body",
    ),
    "no mass": ({"modes": [(0, 0, 0)]}, r"moves no mass"),
    "not symmetric": (
        {"modes": [(0, x**2, 0), (0, x**3, 0)], "stiffness": [[1, 2], [3, 4]]},
        r"is not symmetric: entries 1, 0 are 3 and 2",
    ),
    "negative": ({"modes": [(0, x**2, 0)], "stiffness": -3.0}, r"stiffness is negative"),
    "no region": ({"modes": [(0, x**2, 0)], "over": None}, r"over= must be a mapping"),
    "no modes": ({"modes": []}, r"modes= must be a list of shape functions"),
    "other material": ({"modes": [(0, y**2, 0)]}, r"contains the material coordinates y, which over= does not name"),
    "wrong size": ({"modes": [(0, x**2, 0)], "stiffness": np.eye(3)}, r"a matrix of 1 by 1"),
    "two dampings": (
        {"modes": [(0, x**2, 0)], "rayleigh": (0, 1), "modal_damping": 0.1},
        r"give one of rayleigh, modal_damping",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused_modes(case):
    options, said = REFUSED[case]
    with pytest.raises(sb.ModelError, match=said):
        sb.Model("m").elastic("rod", **{"over": {x: (0, 1)}, "density": 1.0, **options})


BEAMS: dict[str, tuple[dict[str, Any], str]] = {
    "ends": ({"EI": 1, "modes": 1, "ends": ("glued", "free")}, r"ends= must be two of clamped, pinned, free"),
    "both": ({"EI": 1, "modes": 1, "elements": 2}, r"give modes=, a number of polynomials, or elements="),
    "none": ({"modes": 1}, r"needs EI= to bend, EA= to stretch or GJ= to twist"),
    "torsion": ({"GJ": 1, "modes": 1}, r"torsion needs rho_I="),
    "count": ({"EI": 1, "modes": 0}, r"modes= must be a whole number from 1"),
    "length": ({"EI": 1, "modes": 1, "length": -1}, r"its length must be positive, got -1"),
    "negative": ({"EI": (1, -2), "modes": 1}, r"EI= of z must be positive, got -2"),
    "massless": ({"EI": 1, "rho_A": 0, "modes": 1}, r"rho_A= must be positive, got 0"),
    "taper": ({"EI": sb.sin(x), "modes": 1}, r"is not a polynomial in one material coordinate"),
}


@pytest.mark.parametrize("case", BEAMS)
def test_refused_beams(case):
    options, said = BEAMS[case]
    with pytest.raises(sb.ModelError, match=said):
        sb.Model("m").beam("rod", **{"length": 1.0, "rho_A": 1.0, **options})


def test_places_on_a_beam():
    m = sb.Model("m")
    L = m.parameter("L", 1.0)
    arm = m.beam("arm", m.ground, length=L, EI=1, rho_A=1, elements=3)
    assert arm.at(L / 2) is arm.at(L / 2)
    with pytest.raises(sb.ModelError, match=r"x = 2\*L is not on it"):
        arm.at(2 * L)
    with pytest.raises(sb.ModelError, match=r"in which of them x = 0.3 lies is not known"):
        arm.at(0.3)
    assert "third-order terms" in m.freeze().notes[0]
