"""All routes give the same equations of deforming bodies, and these are those of particles in their place."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import pytest

import symbody as sb
from symbody.bodies.mass.material_integrals import gauss_points

from ..amount import some
from .models import swinging_arm, with_particles

KINDS: dict[str, dict[str, Any]] = {
    "two planes": {},
    "without stiffening": {"stiffening": False},
    "chord": {"ends": ("pinned", "pinned")},
    "mean axes": {"ends": ("free", "free")},
    "stretch": {"EA": 50.0},
    "elements": {"modes": None, "elements": 2},
    "few shapes of foreshortening": {"EA": 50.0, "modes": {"y": 3, "z": 2, "x": 1, "shortening": 1}},
    "third order": {"EI": 2.0, "bending": "yz", "EA": 50.0, "order": 3, "modes": {"y": 2, "z": 1, "x": 1}},
}
PINNED: dict[str, Any] = {"ends": ("pinned", "pinned"), "shapes": "sines"}
SINES = {  # of which points of Gauss have integrals that are nearly exact
    "sines": {**PINNED, "modes": {"y": 3, "z": 2}},
    "sines that taper and stretch": {
        **PINNED,
        "EI": 2 - sb.bodies.material("x"),
        "EA": 50.0,
        "modes": {"y": 2, "x": 3},
    },
    "sines of third order": {**PINNED, "EI": 2.0, "bending": "yz", "EA": 50.0, "order": 3, "modes": 2},
    "sines and an even foreshortening": {**PINNED, "modes": {"y": 3, "z": 2, "shortening": 0}},
}
WITH_SECTIONS = {
    "torsion": {"GJ": 1.5, "rho_I": (0.02, 0.03), "bending": "z", "modes": 1},
    "shear": {"GA": 30.0, "rho_I": 0.02, "bending": "y", "modes": 1},
    "torsion by sines": {**PINNED, "GJ": 1.5, "rho_I": (0.02, 0.03), "bending": "z", "modes": {"z": 1, "twist": 2}},
}


def values(eq: sb.Equations, seed: int = 2) -> dict[sb.Symbol, float]:
    draw = Random(seed)
    return {**eq.mechanism.values, **{s: draw.uniform(-0.4, 0.4) for s in (*eq.q, *eq.u)}}


def numbers(eq: sb.Equations, seed: int = 2) -> np.ndarray:
    M, f = sb.evaluate([eq.M, eq.f], values(eq, seed))
    return np.concatenate([np.ravel(M), np.ravel(f)])


@pytest.mark.parametrize("kind", KINDS)
def test_a_beam_is_its_particles(kind):
    """Recursion on the table of moments, against particles at the points of Gauss on moved frames."""
    beam = numbers(sb.derive(swinging_arm(**KINDS[kind])[0]))
    particles = numbers(sb.derive(with_particles(*swinging_arm(**KINDS[kind]))))
    assert np.abs(beam - particles).max() <= 1e-12 * np.abs(beam).max()


@pytest.mark.parametrize("kind", SINES)
def test_a_beam_of_sines_is_its_particles(kind):
    beam = numbers(sb.derive(swinging_arm(**SINES[kind])[0]))
    particles = numbers(sb.derive(with_particles(*swinging_arm(**SINES[kind]), points=20, pieces=1)))
    assert np.abs(beam - particles).max() <= 1e-11 * np.abs(beam).max()


@pytest.mark.parametrize(
    "kind", some(["third order", "two planes", "torsion", "sines of third order", "shear", "torsion by sines"], 2)
)
def test_routes_and_laws(kind):
    """Routes, power balance, definiteness, complex steps, reactions: the certificate, with symbols as parameters."""
    eq = sb.derive(swinging_arm(**{"modes": 1, **{**KINDS, **SINES, **WITH_SECTIONS}[kind]})[0])
    found = sb.certify(eq)
    assert found.passed, str(found)


def test_sections_are_four_particles_each():
    """Rotary inertia and torsion to second order: rigid sections of four particles, at ±a on y and ±b on z of their
    frames.

    Frames turn by sines and cosines, fields to second order; the third order is seen by neither the equations at rest,
    whatever the speeds, nor to first order in the deformation, where its rates are zero."""
    a, b = 0.2, 0.15
    options = {"rho_I": (0.35 * a * a, 0.35 * b * b), "GJ": 1.5, "modes": 1}
    one = sb.derive(swinging_arm(**options)[0])
    m, arm = swinging_arm(**options)
    with_particles(m, arm, points=0)
    L, mu = m.symbols["L"], m.symbols["mu"]
    for k, (x, w) in enumerate(gauss_points(8)):
        at = arm.at(L * ((1 + x) / 2))
        for n, place in enumerate(((a, 0), (-a, 0), (0, b), (0, -b))):
            m.particle(f"p{k}_{n}", at.point(0, *place), mass=mu * L * (w / 8))
    other = sb.derive(m)

    def difference(deformation: float, rates: float) -> float:
        factor = {**dict.fromkeys(arm.coordinates, deformation), **{s.dot: rates for s in arm.coordinates}}
        state = {s: v * factor.get(s, 1.0) for s, v in values(one).items()}
        x, y = (np.concatenate([np.ravel(e) for e in sb.evaluate([eq.M, eq.f], state)]) for eq in (one, other))
        return float(np.abs(x - y).max() / np.abs(x).max())

    assert difference(0, 1) < 1e-13
    assert difference(1e-3, 0) < 2e-2 * difference(1e-2, 0) < 1e-6


def test_coriolis_matrix():
    """C u is what velocities do in the equations, and M' - 2 C is skew."""
    eq = sb.derive(swinging_arm(modes=1)[0])
    at = values(eq)
    still = {**at, **dict.fromkeys(eq.u, 0.0)}
    C, M_rate = sb.evaluate(
        [sb.derivation.coriolis_matrix(eq), sb.time_derivative(eq.M, dict(zip(eq.q, eq.u, strict=True)))], at
    )
    f, f_still = (np.ravel(sb.evaluate(eq.f, x)) for x in (at, still))
    assert np.array(C) @ [at[u] for u in eq.u] == pytest.approx(f_still - f, abs=1e-13)
    S = np.array(M_rate) - 2 * np.array(C)
    assert S + S.T == pytest.approx(0 * S, abs=1e-14)


def test_reactions_are_those_of_particles():
    """What goes through a hinge that holds a beam at a moving point of its mean axes, and through one at its end."""
    options = {"ends": ("free", "free"), "modes": 1}
    beam, particles = sb.derive(swinging_arm(**options)[0]), sb.derive(with_particles(*swinging_arm(**options)))
    for joint in ("elbow", "wrist"):
        one, other = (sb.reaction(eq, joint, solved=True) for eq in (beam, particles))
        found, expected = (np.ravel(sb.evaluate([r.force, r.moment], values(beam))) for r in (one, other))
        assert found == pytest.approx(expected, abs=1e-12 * np.abs(expected).max())
