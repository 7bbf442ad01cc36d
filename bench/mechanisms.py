"""Mechanisms that only benchmarks need: a plane chain, and a random tree."""

from __future__ import annotations

from random import Random
from typing import Any

import symbody as sb


def planar_chain(n: int) -> sb.Model:
    """Rods in a plane, each turning in the one above; every mass and length a parameter."""
    m = sb.Model(f"planar chain of {n} rods")
    m.gravity(m.parameter("g", 9.81), 0, 0)
    parent: sb.Frame | sb.Body = m.ground
    at: tuple[Any, Any, Any] = (0, 0, 0)
    for k in range(1, n + 1):
        mass, length = m.parameters(f"m{k} l{k}", 1.0, 1.0)
        rod = m.body(
            f"rod {k}", mass=mass, com=(length / 2, 0, 0), inertia=(0, 0, mass * length**2 / 12), physical=False
        )
        m.revolute(f"q{k}", parent, rod, at=at)
        parent, at = rod, (length, 0, 0)
    return m


def random_tree(n: int, seed: int = 1) -> sb.Model:
    """Bodies that hang on any before them, by joints of five kinds; masses and inertias are parameters."""
    draw = Random(seed)
    m = sb.Model(f"random tree of {n} bodies")
    m.gravity(0, 0, -m.parameter("g", 9.81))
    bodies: list[sb.Frame | sb.Body] = [m.ground]

    def place() -> tuple[sb.Expr, ...]:
        return tuple(sb.fraction(draw.randint(-5, 5), 10) for _ in range(3))

    for k in range(1, n + 1):
        inertia = m.parameters(f"Ix{k} Iy{k} Iz{k}", *(round(draw.uniform(1, 1.5), 2) for _ in range(3)))
        body = m.body(f"body {k}", mass=m.parameter(f"m{k}", 1.0), com=place(), inertia=inertia)
        kind = draw.choice(("revolute", "revolute", "prismatic", "universal", "cylindrical", "spherical"))
        axes = draw.sample("xyz", 2)
        how = {"axes": axes} if kind == "universal" else {} if kind == "spherical" else {"axis": axes[0]}
        m.joint(f"q{k}", draw.choice(bodies), body, kind, at=place(), **how)
        bodies.append(body)
    return m
