"""Mechanisms with bodies that deform, and the same with particles in place of their mass."""

from __future__ import annotations

from typing import Any

import symbody as sb
from symbody.algebra.graph.graph import ZERO
from symbody.algebra.graph.matrix import zeros
from symbody.bodies.mass.mass import MassProperties
from symbody.bodies.mass.material_integrals import gauss_points
from symbody.bodies.mechanism.mechanism import Body


def swinging_arm(**options: Any) -> tuple[sb.Model, sb.bodies.ElasticBody]:
    """A beam on a turning hub, with a body hinged to its end, in gravity."""
    m = sb.Model("arm")
    L, EI, mu, g = m.parameters(L=1.3, EI=2.0, mu=0.7, g=9.81)
    hub = m.body("hub", mass=1.0, inertia=(0.1, 0.2, 0.3))
    given = {"EI": (EI, 2 * EI), "rho_A": mu, "modes": 2, **options}
    arm = m.beam("arm", length=L, **given)
    tip = m.body("tip", mass=0.3, inertia=(0.01, 0.02, 0.03), com=(0.1, 0, 0.05))
    m.revolute("shoulder", m.ground, hub, axis="z")
    m.revolute("elbow", hub, arm, axis=(0, 1, 0), at=(0.2, 0.1, 0))
    m.revolute("wrist", arm, tip, axis="x", at=(L, 0, 0))
    m.gravity(0, 0.3 * g, -g)
    return m, arm


def with_particles(m: sb.Model, arm: sb.bodies.ElasticBody, points: int = 7, pieces: int = 2) -> sb.Model:
    """The mass of a beam without sections as particles at the points of Gauss, whose sums are its integrals."""
    L, mu = m.symbols["L"], m.symbols["mu"]
    m.parts._bodies["arm"] = Body("arm", arm.frame, MassProperties(ZERO, zeros(3), zeros(3, 3)))
    for piece in range(pieces):
        for k, (x, w) in enumerate(gauss_points(points)):
            at = arm.at(L * ((piece + (1 + x) / 2) / pieces)).origin
            m.particle(f"p{piece}_{k}", at, mass=mu * L * (w / 2 / pieces))
    return m
