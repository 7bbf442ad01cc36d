"""Closed loops with more constraints than their motion needs, of random sizes. Each has one degree of freedom."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import symbody as sb

GRAVITY = 9.81


def bar(m: sb.Model, name: str, length: float, mass: float) -> sb.Body:
    slender = mass * length**2 / 12
    return m.body(name, mass=mass, com=(length / 2, 0, 0), inertia=(0.01 * mass, slender, slender))


def cranks(seed: int = 0, count: int = 3) -> sb.Model:
    """Parallel cranks of one length under a bar: two hold it, every other is redundant by its length alone."""
    draw = Random(seed)
    m = sb.Model(f"{count} cranks {seed}")
    m.gravity(0, -GRAVITY, 0)
    length, places = draw.uniform(0.7, 1.3), [k * draw.uniform(0.8, 1.2) for k in range(count)]
    beam = bar(m, "beam", places[-1], draw.uniform(1, 3))
    for k, x in enumerate(places):
        crank = bar(m, f"crank{k}", length, draw.uniform(0.5, 1.5))
        m.revolute(f"a{k}", m.ground, crank, at=(x, 0, 0))
        m.revolute(f"b{k}", crank, beam, at=(length, 0, 0), on=(x, 0, 0))
    return m


def space_loop(seed: int = 0) -> sb.Model:
    """A plane four-bar of free bodies on hinges of space: three of twenty rows are redundant."""
    draw = Random(seed)
    m = sb.Model(f"space loop {seed}")
    m.gravity(0, -GRAVITY, 0)
    lengths = [draw.uniform(0.9, 1.1), draw.uniform(1.8, 2.2), draw.uniform(1.4, 1.6)]
    before, at = m.ground, (0.0, 0.0, 0.0)
    for k, length in enumerate(lengths):
        link = bar(m, f"link{k}", length, draw.uniform(0.5, 1.5))
        m.free(f"f{k}", m.ground, link)
        m.revolute(f"h{k}", before, link, at=at)
        before, at = link, (length, 0.0, 0.0)
    m.revolute("h3", m.ground, before, at=(draw.uniform(2.1, 2.3), 0, 0), on=at)
    return m


def tilted_loop(seed: int = 0) -> sb.Model:
    """A plane four-bar whose coupler hangs on a ball: one of the five rows of the hinge that closes it is redundant."""
    draw = Random(seed)
    m = sb.Model(f"tilted loop {seed}")
    m.gravity(0, -GRAVITY, 0)
    lengths = draw.uniform(0.9, 1.1), draw.uniform(1.8, 2.2), draw.uniform(1.4, 1.6)
    names = ("crank", "coupler", "rocker")
    crank, coupler, rocker = (bar(m, n, x, draw.uniform(0.5, 1.5)) for n, x in zip(names, lengths, strict=True))
    m.revolute("crank", m.ground, crank)
    m.spherical("ball", crank, coupler, at=(lengths[0], 0, 0), sequence="zxy")
    m.revolute("rocker", m.ground, rocker, at=(draw.uniform(2.1, 2.3), 0, 0))
    m.revolute("hinge", rocker, coupler, at=(lengths[2], 0, 0), on=(lengths[1], 0, 0))
    return m


def door(seed: int = 0) -> sb.Model:
    """A leaf on two hinges of one axis: all five rows of the second follow from the first."""
    draw = Random(seed)
    m = sb.Model(f"door {seed}")
    m.gravity(0, -GRAVITY, 0)
    leaf = m.body("leaf", mass=draw.uniform(5, 20), com=(0.4, 0.1, 0.7), inertia=(1.0, 1.2, 0.4))
    m.free("leaf", m.ground, leaf)
    for k, height in enumerate((0.2, draw.uniform(1.0, 1.8))):
        m.revolute(f"hinge{k}", m.ground, leaf, at=(0, 0, height), on=(0, 0, height))
    return m


def trellis(seed: int = 0, count: int = 14) -> sb.Model:
    """Uprights in a row with two level rods from each to the next: the lower ones are redundant by their length alone.
    3 count + 1 speeds."""
    draw = Random(seed)
    m = sb.Model(f"trellis {seed}")
    m.gravity(0, -GRAVITY, 0)
    uprights = [bar(m, f"upright{k}", 1.0, draw.uniform(0.5, 1.5)) for k in range(count + 1)]
    angles = [m.revolute(f"a{k}", m.ground, rod, at=(k, 0, 0)).q for k, rod in enumerate(uprights)]
    for k in range(count):
        for level, height in (("top", 1.0), ("low", draw.uniform(0.4, 0.7))):
            rod = bar(m, f"{level}{k}", 1.0, draw.uniform(0.5, 1.5))
            turn = m.coordinate(f"{level}_{k}")
            m.revolute(f"{level}_hinge{k}", uprights[k], rod, at=(height, 0, 0), coordinates=turn - angles[k])
            ends = uprights[k + 1].point(height, 0, 0), rod.point(1, 0, 0)
            m.coincide(f"{level}_end{k}", *ends, along=m.ground, axes="xy")
    return m


LOOPS: dict[str, tuple[Callable[..., sb.Model], int]] = {
    "cranks": (cranks, 1),
    "tilted loop": (tilted_loop, 1),
    "door": (door, 5),
}
"""Models, and how many of their constraints follow from others."""


def start(eq: sb.Equations, seed: int = 0) -> sb.State:
    """A state on the constraints, away from singular positions."""
    angle = Random(seed).uniform(0.7, 1.1)
    if "a0" in eq.variables:
        cranks_ = {f"a{k}": angle for k in range(sum(b.name.startswith("crank") for b in eq.mechanism.bodies))}
        return sb.assemble(eq, a0=angle, a0_dot=-1.0, start={**cranks_, "b0": -angle})
    if "crank" in eq.variables:
        return sb.assemble(eq, crank=angle, crank_dot=-1.0, start={"ball_1": -0.5, "rocker": 1.6})
    if "f0_3" in eq.variables:
        return sb.assemble(
            eq,
            f0_3=angle,
            f0_3_dot=-1.0,
            start={"f1_x": 0.6, "f1_y": 0.8, "f1_3": 0.4, "f2_x": 2.2, "f2_y": 1.5, "f2_3": -1.2},
        )
    return sb.assemble(eq, leaf_3=angle, leaf_3_dot=0.5)
